// SPDX-License-Identifier: BSD-3-Clause
// objects.hpp - communicators, windows, files and datatypes in the page, by handle
//
// The page gets to know an object when the program has made it, so that MPI is never asked about a handle that may be
// invalid. What is used without having been seen is taken in after the first call with it that succeeds.
//
// Identity: processes of one communicator must find the same number without talking to each other. The processes of a
// new one agree on the communicator that it was made from and on how many collective calls that has seen, and on the
// processes that it has. Where there is no such communicator (MPI_Comm_create_group, MPI_Intercomm_create), they agree
// on the processes and the tag, and each counts how often it made such a one.
#pragma once

#include <mpi.h>

#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <vector>

#include "cairn/kit/handle.hpp"
#include "cairn/services/datatypes.hpp"
#include "cairn/services/frees.hpp"
#include "cairn/services/ranks.hpp"
#include "page_file.hpp"
#include "shared/table.hpp"

namespace recorder {

class Objects {
 public:
  using Index = std::uint32_t;
  static constexpr Index unknown = 0;

  /// What the processes that make an object agree on.
  struct Origin {
    std::uint64_t hash = 0;  // 0: nothing; the object was not seen when it was made
    bool may_repeat = true;  // they may make another one with the same hash
  };

  Objects(const cairn::Ranks& ranks, const cairn::Datatypes& datatypes, const cairn::Frees& frees)
      : ranks_(&ranks), datatypes_(&datatypes), frees_(&frees) {
    frees.listen(&listener_);
  }
  void use(PageFile& file);

  Index of(std::uint64_t handle) { return index_in(objects_, handle); }
  page::Object& at(Index index) { return (*table_)[index]; }
  /// The number of the collective call that begins. A program makes them one after the other on each object. 0: what
  /// the other processes have counted is unknown.
  std::uint32_t next_collective(Index index) {
    page::Object& object = at(index);
    if (object.identity == 0) return 0;
    const std::uint32_t number = object.collectives.load(std::memory_order_relaxed) + 1;
    object.collectives.store(number, std::memory_order_relaxed);
    return number;
  }
  Index type_of(MPI_Datatype type) {
    TypePlace* const place = datatypes_known_.find(cairn::handle_bits(type));
    return place == nullptr ? unknown : place->now.load(std::memory_order_acquire);
  }

  // After MPI has started, and after calls that have succeeded. Local calls of MPI; any thread.

  /// MPI_COMM_WORLD, MPI_COMM_SELF and the basic datatypes.
  void add_predefined();
  void add_communicator(MPI_Comm comm, Origin origin);  // handles are of one type in some MPIs
  void add_window(MPI_Win win, Origin origin);
  void add_file(MPI_File file, Origin origin, const char* name);
  /// `since`: ticks, where a call that began then names one that was not seen when it was made; else now.
  void add_datatype(MPI_Datatype type, std::uint64_t since = 0);
  /// When it is freed: its handle may come back for another one.
  void forget_type(MPI_Datatype type);
  /// Before the handle of a file is freed; of the others we hear.
  void forget(std::uint64_t handle);
  void rename_communicator(MPI_Comm comm);
  void rename_window(MPI_Win win);

  /// Of what is made from an object by its collective call of that number.
  Origin origin_of(Index parent, std::uint32_t number);

 private:
  using IndexOf = services::HandleTable<std::atomic<Index>, 9>;
  struct TypePlace {
    std::atomic<Index> now;   // unknown once it is freed
    std::atomic<Index> last;  // what it was then: records of it may still be read
  };
  struct Place {
    PageFile::Room members;      // of its own, where there are very many different lists
    std::uint64_t freed_ns = 0;  // 0: it was never used
  };
  static constexpr std::size_t most_lists = 256;
  struct Processes {
    int rank = 0;
    int size = 0;
    int remote_size = 0;
    std::vector<int> worlds;  // of those that ranks in calls mean
    std::uint64_t hash = 0;   // of all, the same on both sides
    bool is_world = false;    // in its order
  };

  static Index index_in(IndexOf& places, std::uint64_t handle) {
    std::atomic<Index>* const place = places.find(handle);
    return place == nullptr ? unknown : place->load(std::memory_order_acquire);
  }
  Processes processes_of_comm(MPI_Comm comm);
  Processes processes_of_group(MPI_Group group);
  void add(std::uint64_t handle, page::Object::What what, Origin origin, const Processes& processes, const char* name);
  /// Frees the group.
  void add_of_group(std::uint64_t handle, page::Object::What what, Origin origin, MPI_Group group, const char* name);
  void rename(std::uint64_t handle, auto get);
  void add_basic(MPI_Datatype type, std::uint32_t kind);
  /// All places are taken, and the table cannot grow.
  bool is_full() const {
    return present_.load(std::memory_order_relaxed) + 1 >= table_->count() && !table_->can_grow();
  }
  /// An object without a place.
  void leave_out() { file_->header()->objects_left_out.fetch_add(1, std::memory_order_relaxed); }
  Index free_place();
  std::uint64_t members_at(Index index, const Processes& processes);
  void set_free(Index index);
  static bool means_the_same(const page::Datatype& type, std::uint64_t size, const char* name);
  Index free_type();
  Index place_for(Index old, std::uint64_t size, const char* name);
  std::uint64_t count_before(std::uint64_t like);

  const cairn::Ranks* ranks_;
  const cairn::Datatypes* datatypes_;
  const cairn::Frees* frees_;
  cairn::FreeListener listener_{
      this, [](void* self, MPI_Comm comm) { static_cast<Objects*>(self)->forget(cairn::handle_bits(comm)); },
      [](void* self, MPI_Win win) { static_cast<Objects*>(self)->forget(cairn::handle_bits(win)); }, nullptr};
  PageFile* file_ = nullptr;
  Entries<page::Object>* table_ = nullptr;
  Entries<page::Datatype>* types_ = nullptr;
  IndexOf objects_;
  services::HandleTable<TypePlace, 9> datatypes_known_;
  std::mutex lock_;
  std::atomic<Index> present_{0};
  Index last_added_ = 0;
  Index last_type_ = 0;
  std::map<std::uint64_t, std::uint64_t> made_;   // by what their identity would be: how many
  std::map<std::uint64_t, std::uint64_t> lists_;  // of members, by their hash: where all that have the same find them
  std::vector<Place> places_;
  int world_size_ = 0;
};

}  // namespace recorder
