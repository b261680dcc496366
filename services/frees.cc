// SPDX-License-Identifier: BSD-3-Clause
// frees.cc - hears from the MPI library that communicators and windows are freed
//
// By an attribute of the object, whose deletion is a callback. The program sees nothing of it: duplicates do not get the
// attribute, and keys of the program's own have the numbers that they have without Cairn.

#include <mpi.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <set>
#include <utility>

#include "cairn/kit.hpp"
#include "cairn/kit/handle.hpp"
#include "cairn/services/frees.hpp"

namespace services {

namespace {

constinit std::atomic<cairn::FreeListener*> listeners{nullptr};
constinit std::atomic<bool> is_over{false};      // what is freed from now on is of no interest
constinit thread_local bool is_freeing = false;  // in a call of this thread
constinit thread_local bool is_setting = false;  // a value that is replaced counts as deleted

/// Which handles have the attribute, so that the library is asked of no other one.
template <class Handle>
class Watched {
 public:
  static void put(Handle handle) {
    const std::lock_guard guard(all().lock_);
    all().handles_.insert(cairn::handle_bits(handle));
  }
  static void remove(Handle handle) {
    const std::lock_guard guard(all().lock_);
    all().handles_.erase(cairn::handle_bits(handle));
  }
  static bool has(Handle handle) {
    const std::lock_guard guard(all().lock_);
    return all().handles_.contains(cairn::handle_bits(handle));
  }

 private:
  static Watched& all() {
    static auto* const one = new Watched;  // for good: objects are freed until the process's end
    return *one;
  }

  std::mutex lock_;
  std::set<std::uint64_t> handles_;
};

template <auto heard, class Handle>
void tell(Handle handle) {
  if (is_setting) return;
  Watched<Handle>::remove(handle);
  for (const auto* one = listeners.load(); one != nullptr; one = one->next)
    if (one->*heard != nullptr) (one->*heard)(one->tool, handle);
}

/// The handle as it is known here: a tool beneath may have put it in the place of the library's.
template <class Handle>
void* as_value(Handle handle) {
  return reinterpret_cast<void*>(static_cast<std::uintptr_t>(cairn::handle_bits(handle)));
}
template <class Handle>
Handle as_handle(const void* value) {
  return cairn::handle_of_bits<Handle>(reinterpret_cast<std::uintptr_t>(value));
}

struct Comms {
  using Handle = MPI_Comm;
  static int create_key(int& key) { return PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, is_gone, &key, nullptr); }
  static void free_key(int& key) { PMPI_Comm_free_keyval(&key); }
  static int get(Handle comm, int key, int& is_there) {
    void* value = nullptr;
    return PMPI_Comm_get_attr(comm, key, static_cast<void*>(&value), &is_there);
  }
  static int set(Handle comm, int key) { return PMPI_Comm_set_attr(comm, key, as_value(comm)); }
  static void remove(Handle comm, int key) { PMPI_Comm_delete_attr(comm, key); }
  static bool stays(Handle comm) { return comm == MPI_COMM_WORLD || comm == MPI_COMM_SELF; }

  static int is_gone(Handle /*librarys*/, int /*key*/, void* value, void* /*state*/) {
    tell<&cairn::FreeListener::comm_is_gone>(as_handle<Handle>(value));
    return MPI_SUCCESS;
  }
};

struct Wins {
  using Handle = MPI_Win;
  static int create_key(int& key) { return PMPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, is_gone, &key, nullptr); }
  static void free_key(int& key) { PMPI_Win_free_keyval(&key); }
  static int get(Handle win, int key, int& is_there) {
    void* value = nullptr;
    return PMPI_Win_get_attr(win, key, static_cast<void*>(&value), &is_there);
  }
  static int set(Handle win, int key) { return PMPI_Win_set_attr(win, key, as_value(win)); }
  static void remove(Handle win, int key) { PMPI_Win_delete_attr(win, key); }
  static bool stays(Handle /*win*/) { return false; }

  static int is_gone(Handle /*librarys*/, int /*key*/, void* value, void* /*state*/) {
    tell<&cairn::FreeListener::win_is_gone>(as_handle<Handle>(value));
    return MPI_SUCCESS;
  }
};

/// The key of a class of objects.
template <class Class>
class Key {
 public:
  using Handle = typename Class::Handle;

  /// Libraries give out the lowest free number: those that programs may reach are given back, the lowest last.
  static void create() {
    constexpr std::size_t left_to_program = 64;
    std::array<int, left_to_program + 1> keys{};
    std::size_t made = 0;
    while (made < keys.size() && Class::create_key(keys[made]) == MPI_SUCCESS) ++made;
    if (made == keys.size()) key_ = keys[--made];
    while (made-- > 0) Class::free_key(keys[made]);
  }
  /// Objects that live on keep their attributes, and the library the key.
  static void free() {
    if (key_ != MPI_KEYVAL_INVALID) Class::free_key(key_);
  }

  static int watch(Handle handle) {
    if (is_over.load(std::memory_order_relaxed) || Class::stays(handle)) return 1;
    if (key_ == MPI_KEYVAL_INVALID) return 0;
    if (is_freeing)
      return Watched<Handle>::has(handle) ? 1 : 0;  // others may go with it, their attributes deleted already
    const cairn::OwnWork own;
    int is_watched = 0;
    if (Class::get(handle, key_, is_watched) != MPI_SUCCESS) return 0;
    return is_watched != 0 || set(handle) ? 1 : 0;
  }
  /// Before the library deletes the program's attributes: MPICH 4.0.2 frees a communicator although one of these refuses, if
  /// an older one, as ours is, does not.
  static void leave(Handle handle) {
    if (key_ == MPI_KEYVAL_INVALID || is_over.load(std::memory_order_relaxed) || !Watched<Handle>::has(handle)) return;
    const cairn::OwnWork own;
    Class::remove(handle, key_);
  }

 private:
  static bool set(Handle handle) {
    is_setting = true;  // another thread may have been faster
    const int result = Class::set(handle, key_);
    is_setting = false;
    if (result == MPI_SUCCESS) Watched<Handle>::put(handle);
    return result == MPI_SUCCESS;
  }

  static inline constinit int key_ = MPI_KEYVAL_INVALID;  // from the start of MPI on
};

void listen(cairn::FreeListener* listener) {
  listener->next = listeners.load();
  listeners = listener;
}

}  // namespace

class Frees {
 public:
  static constexpr bool knows_handles = true;
  static constexpr std::string_view about =
      "service: tells when communicators and windows are freed; used by other tools";
  using Offers = cairn::ServiceList<cairn::Frees>;

  explicit Frees(cairn::Self self) {
    static constexpr cairn::Frees offer{listen, Key<Comms>::watch, Key<Wins>::watch};
    self.publish(offer);
  }

  template <cairn::Function F>
  requires(cairn::starts_mpi<F>()) int on(cairn::Call<F>& call) {
    const int result = call.proceed();
    if (!start_.is_first(result)) return result;
    const cairn::OwnWork own;
    Key<Comms>::create();
    Key<Wins>::create();
    return result;
  }

  /// The program's own attributes may be deleted after ours, by functions that call MPI with the object; so may those of
  /// communicators that the library has made for windows and files.
  template <cairn::Function F>
  requires(cairn::has<F>(cairn::Role::comm_inout) || cairn::has<F>(cairn::Role::win_inout) ||
           cairn::has<F>(cairn::Role::file_inout)) int on(cairn::Call<F>& call) {
    const bool outer = std::exchange(is_freeing, true);
    if constexpr (cairn::has<F>(cairn::Role::comm_inout)) leave<Comms>(arg<cairn::Role::comm_inout>(call));
    else if constexpr (cairn::has<F>(cairn::Role::win_inout)) leave<Wins>(arg<cairn::Role::win_inout>(call));
    const int result = call.proceed();
    is_freeing = outer;
    return result;
  }

  void finish() {
    is_over = true;
    Key<Comms>::free();
    Key<Wins>::free();
  }

 private:
  template <class Class>
  static void leave(const typename Class::Handle* handle) {
    if (handle != nullptr) Key<Class>::leave(*handle);
  }

  cairn::MpiStart start_;
};

}  // namespace services

CAIRN_TOOL(services::Frees)
