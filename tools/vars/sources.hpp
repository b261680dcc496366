// SPDX-License-Identifier: BSD-3-Clause
// sources.hpp - the variables that are followed: a session, handles, room for their values
//
// MPI_T is started here and never finalized: others may use it, and some libraries do not survive its end. All of this
// is for one thread at a time, but for what says otherwise. Reading allocates nothing.
#pragma once

#include <mpi.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "choice.hpp"
#include "events.hpp"
#include "objects.hpp"
#include "parts.hpp"
#include "variable.hpp"

namespace vars {

class Sources {
 public:
  /// `tells_apart`: objects and elements.
  Sources(Choice choice, const cairn::Ranks& ranks, bool tells_apart)
      : choice_(std::move(choice)), ranks_(ranks), tells_apart_(tells_apart) {}

  /// After MPI_Init: first MPI_T, then what it has. `several`: whether several threads will read also where the program
  /// has one. Error codes of MPI_T.
  int start_interface(bool several);
  int start();
  /// Whether MPI_T allows that.
  bool threads_allowed() const { return threads_allowed_; }
  /// Whether several of the program's threads may be in MPI, so that reading may wait for the library's locks.
  bool is_shared() const { return is_shared_; }
  /// Reads for the last time and frees what was allocated.
  void finish();

  /// Takes in variables that have come since, asks again for handles that were refused, and frees those that answered
  /// with an error. An error code of MPI_T.
  int refresh();
  /// Whether objects of the kind matter: only where a library has variables for them, but for those that most have.
  /// On any thread.
  bool wants(Bound kind) const {
    return kind <= Bound::file || is_wanted_[static_cast<std::size_t>(kind)].load(std::memory_order_relaxed);
  }
  /// A new object of the program's, by its handle, to be followed or not; `file`: as it was opened.
  void add_object(Bound kind, const void* handle, std::size_t size, bool is_followed, const char* file);
  /// One that has got another name.
  void rename_object(Bound kind, const void* handle, std::size_t size);
  /// One that is about to go.
  void remove_object(Bound kind, const void* handle, std::size_t size);

  /// Drops what has not moved in `calls` calls.
  void keep_moved(unsigned calls);

  /// Around a call. A second reading before it replaces the first.
  void read_before();
  /// In place of it right after the reading of another call, which serves for this one too.
  void keep_as_before();
  /// Afterwards readings() has what the call did, which took so long.
  void read_after(double seconds);

  /// In place of finish() where MPI must not be called any more: the values as they were last read.
  void leave();

  /// At any time: `present` of all variables.
  void sample();

  std::vector<Variable>& variables() { return variables_; }
  /// By variable; those without handles read nothing.
  const std::vector<Reading>& readings() const { return readings_; }
  /// By reason, the names of variables that cannot be followed.
  std::map<std::string, std::vector<std::string>> left_out() const;
  /// Whether all that there is are variables of tools, where all were asked for.
  bool library_has_none() const { return known_ == static_cast<int>(of_tools_.size()) && known_events_ == 0; }
  std::uint64_t objects_left_out() const { return objects_left_out_; }
  /// By object and element, when all is done.
  const Parts& parts() const { return parts_; }

 private:
  static constexpr std::size_t most_objects = 256;
  static constexpr unsigned most_tries = 12;

  /// A handle of MPI_T, and three sets of values.
  struct Source {
    std::size_t variable = 0;
    const ProgramObject* object = nullptr;
    MPI_T_pvar_handle handle = MPI_T_PVAR_HANDLE_NULL;
    EventCounter* events = nullptr;  // in place of the handle
    std::size_t count = 0;
    std::size_t size = 0;  // of one set of values, in bytes
    std::unique_ptr<std::byte[]> memory{};
    std::byte* last = nullptr;  // after the last call that was read
    std::byte* before = nullptr;
    std::byte* after = nullptr;
    bool only_at_end = false;  // of a variable whose changes say nothing
    int error = MPI_SUCCESS;
    std::vector<Part> parts{};  // by element, of the first; none where they are not told apart
  };

  /// A handle that was refused: a layer above may not have started yet.
  struct Refused {
    std::size_t variable;
    ProgramObject* object;
    std::string why;
    unsigned tries = 1;
  };

  void read(Source& source, std::byte* into);
  void compare(const Source& source, std::size_t first, std::size_t count, const std::byte* after,
               Reading& reading) const;
  void compare_parts(Source& source, const std::byte* after, auto use);
  void keep_parts(Source& source);
  void settle(Source& source);
  void take_in(int index);
  void take_in_event(int index);
  void follow(int index, Description about);
  /// Why it cannot be opened; empty: it is there.
  std::string open_handle(const Variable& variable, void* object, Source& source);
  std::string try_to_open(std::size_t variable, ProgramObject* object);
  void try_again();
  int read_now(const Source& source, std::byte* into) const;
  void open(std::size_t variable, ProgramObject* object);
  void open_all(ProgramObject& object);
  void add_predefined();
  void close(Source& source);
  void close_if(auto condition);
  std::list<ProgramObject>::iterator find(Bound kind, const void* handle, std::size_t size);
  void leave_out(const std::string& why, const std::string& name);

  Choice choice_;
  const cairn::Ranks& ranks_;
  bool tells_apart_;
  Parts parts_;
  MPI_T_pvar_session session_ = MPI_T_PVAR_SESSION_NULL;
  int known_ = 0;  // indices that have been looked at
  int known_events_ = 0;
  std::vector<Variable> variables_;
  std::vector<Reading> readings_;
  std::vector<Source> sources_;
  std::vector<Refused> refused_;
  std::set<int> of_tools_;  // indices of variables that layers offer
  std::list<ProgramObject> objects_;
  std::array<std::uint64_t, bound_kinds> objects_made_{};  // by kind
  std::array<std::atomic<bool>, bound_kinds> is_wanted_{};
  std::map<std::string, std::vector<std::string>> left_out_;
  std::uint64_t objects_left_out_ = 0;
  bool under_way_ = false;  // read before a call, not yet after it
  bool threads_allowed_ = false;
  bool is_shared_ = false;
  std::vector<std::max_align_t> for_sample_;  // room for the values of one handle
};

}  // namespace vars
