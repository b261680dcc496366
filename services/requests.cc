// SPDX-License-Identifier: BSD-3-Clause
// requests.cc - values that tools attach to requests, and callbacks when a request completes or ends
//
// For each handle every watcher has a stack of values, because MPI libraries return one handle for all requests that
// are complete from the start. If several threads may be in MPI at once, a value is taken off before a call that may
// end the request, and put back if it did not: once MPI has ended a request, its handle may belong to another thread's.

#include <mpi.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <utility>

#include "cairn/kit.hpp"
#include "cairn/kit/handle.hpp"
#include "cairn/services/requests.hpp"
#include "request_values.hpp"
#include "shared/scratch.hpp"
#include "shared/table.hpp"

namespace services {

using cairn::Call;
using cairn::Category;
using cairn::Function;
using cairn::Role;

namespace {

constinit HandleTable<Place, 11> places;
constinit Place nowhere;  // for handles that nothing was ever attached to

std::uint32_t watch(const RequestWatcher* watcher) {
  const std::uint32_t number = watcher_count.load();
  if (number == most_watchers || watchers_are_fixed) return 0;  // safe without a lock: tools start one after the other
  watchers[number] = *watcher;
  if (watcher->completed == nullptr) watchers[number].completed = [](void*, std::uint64_t, const MPI_Status*) {};
  if (watcher->wants_status != 0) statuses_wanted = true;
  if (number != 0 || watcher->ended != nullptr) has_more_to_tell = true;
  watcher_count = number + 1;
  learn_if_simple();
  return number + 1;
}

[[gnu::noinline]] Place& search(MPI_Request request) {
  Place* const place = request == MPI_REQUEST_NULL ? nullptr : places.search(cairn::handle_bits(request));
  return place == nullptr ? nowhere : *place;
}

Place& place_of(MPI_Request request) {
  if (Place* const place = places.find_at_once(cairn::handle_bits(request)); place != nullptr) [[likely]]
    return *place;
  return search(request);
}

State state_of(int persistent) { return static_cast<State>(static_cast<int>(State::active) - persistent); }

/// Finds or adds the place.
template <class Given>
[[gnu::noinline]] int attach_somewhere(std::uint32_t watcher, MPI_Request request, const Given& given, int persistent) {
  if (request == MPI_REQUEST_NULL) return 0;
  Place* const place = places.find_or_add(cairn::handle_bits(request));
  Values* const values = place == nullptr ? nullptr : place->find_or_add(watcher - 1);
  return values != nullptr ? values->add(given, state_of(persistent)) : 1;
}

/// For any watcher and number of threads.
template <class Given>
[[gnu::noinline]] int attach_any(std::uint32_t watcher, MPI_Request request, const Given& given, int persistent) {
  Place* const place = places.find_at_once(cairn::handle_bits(request));
  Values* const values = place == nullptr ? nullptr : place->find(watcher - 1);
  if (values == nullptr) [[unlikely]]
    return attach_somewhere(watcher, request, given, persistent);
  return values->add(given, state_of(persistent));
}

template <class Given>
int attach_given(std::uint32_t watcher, MPI_Request request, const Given& given, int persistent) {
  Place* const place = places.find_at_once(cairn::handle_bits(request));
  if (place == nullptr || watcher != simple_watcher || !place->find(0)->is_free()) [[unlikely]]
    return attach_any(watcher, request, given, persistent);
  place->find(0)->first().fill(given, state_of(persistent));
  return 0;
}

int attach(std::uint32_t watcher, MPI_Request request, std::uint64_t value, int persistent) {
  return attach_given(watcher, request, value, persistent);
}

int attach_data(std::uint32_t watcher, MPI_Request request, const void* data, int persistent) {
  return attach_given(watcher, request, *static_cast<const Data*>(data), persistent);
}

Attached* take(Place& place, std::uint32_t watcher) {
  Values* const values = place.find(watcher);
  return values == nullptr ? nullptr : values->take();
}

void tell_started(MPI_Request request, bool started) {
  Place& place = place_of(request);
  for (std::uint32_t watcher = 0; watcher < watcher_count; ++watcher) {
    Attached* const attached = take(place, watcher);
    if (attached == nullptr) continue;
    attached->state = started ? State::active : State::inactive;
    const RequestWatcher& who = watchers[watcher];
    if (started && who.started != nullptr) who.started(who.tool, attached->value);
    place.find(watcher)->put_back(*attached);
  }
}

/// Tells that a request has completed, or was freed by the program, or both. `gone`: its handle is null now.
[[gnu::always_inline]] inline void tell(const RequestWatcher& who, Values& values, Attached& taken, bool gone,
                                        bool completed, const MPI_Status* status) {
  if (completed && taken.state == State::active) who.completed(who.tool, taken.value, status);
  taken.state = State::inactive;
  if (!gone) return values.put_back(taken);
  if (who.ended != nullptr) who.ended(who.tool, taken.value);
  values.forget(taken);
}

/// The watchers from number `watcher` on.
[[gnu::noinline]] void tell_from(std::uint32_t watcher, Place& place, bool gone, bool completed,
                                 const MPI_Status* status) {
  for (; watcher < watcher_count; ++watcher)
    if (Attached* const taken = take(place, watcher); taken != nullptr)
      tell(watchers[watcher], *place.find(watcher), *taken, gone, completed, status);
}

bool is_null(const MPI_Request& handle) { return handle == MPI_REQUEST_NULL; }

/// What remains after the first watcher was told that the transfer is complete.
[[gnu::noinline]] void tell_more(Place& place, const MPI_Request& handle, bool completed, const MPI_Status* status) {
  if (const RequestWatcher& who = watchers[0]; who.ended != nullptr && is_null(handle))
    who.ended(who.tool, place.find(0)->first().value);
  tell_from(1, place, is_null(handle), completed, status);
}

/// Tells all watchers of one request, if one thread at a time is in MPI. The first, often the only one, is told without
/// a search. `handle`: as the call has left it.
[[gnu::always_inline]] inline void tell_all(Place& place, const MPI_Request& handle, bool completed,
                                            const MPI_Status* status) {
  Attached& first = place.find(0)->first();
  if (!completed || first.state != State::active) [[unlikely]]
    return tell_from(0, place, is_null(handle), completed, status);
  first.state = is_null(handle) ? State::absent : State::inactive;
  watchers[0].completed(watchers[0].tool, first.value, status);
  if (has_more_to_tell) [[unlikely]]
    tell_more(place, handle, completed, status);
}

/// The requests of one call, looked up before it: afterwards the program's handles are null. For few requests and one
/// thread at a time, so that values stay where they are.
class Few {
 public:
  static constexpr std::size_t most = 8;

  Few(const MPI_Request* requests, std::size_t count) : requests_(requests), count_(count) {
    for (std::size_t i = count; i-- > 0;) places_[i] = &place_of(requests[i]);
  }
  std::size_t count() const { return count_; }
  /// Whether the call has ended a request that somebody may have attached a value to.
  bool is_gone(std::size_t i) const { return places_[i] != &nowhere && requests_[i] == MPI_REQUEST_NULL; }
  /// `completed`: or freed by the program.
  [[gnu::always_inline]] void tell(std::size_t i, bool completed, const MPI_Status* status) {
    tell_all(*places_[i], requests_[i], completed, status);
  }

 private:
  const MPI_Request* requests_;
  std::size_t count_;
  std::array<Place*, most> places_;
};

/// The same for any number of requests and threads.
class Before {
 public:
  Before(const MPI_Request* requests, std::size_t count, std::uint32_t watcher_number)
      : requests_(requests),
        count_(count),
        watcher_number_(watcher_number),
        places_(count),
        taken_(threads_meet ? count * watcher_number : 0) {
    if (!has_room()) return;
    for (std::size_t i = 0; i < count; ++i) places_[i] = &place_of(requests[i]);
    if (threads_meet) [[unlikely]]
      take_all();
  }
  ~Before() {
    if (threads_meet && has_room()) [[unlikely]]
      put_all_back();
  }
  Before(const Before&) = delete;
  Before& operator=(const Before&) = delete;

  bool has_room() const { return places_.has_room() && taken_.has_room(); }
  std::size_t count() const { return count_; }
  bool is_gone(std::size_t i) const { return places_[i] != &nowhere && requests_[i] == MPI_REQUEST_NULL; }
  void tell(std::size_t i, bool completed, const MPI_Status* status) {
    if (!threads_meet) [[likely]]
      tell_all(*places_[i], requests_[i], completed, status);
    else tell_taken(i, completed, status);
  }

 private:
  void take_all() {
    for (std::size_t i = 0; i < count_; ++i)
      for (std::uint32_t watcher = 0; watcher < watcher_number_; ++watcher)
        taken_[i * watcher_number_ + watcher] = take(*places_[i], watcher);
  }
  [[gnu::noinline]] void tell_taken(std::size_t i, bool completed, const MPI_Status* status) {
    for (std::uint32_t watcher = 0; watcher < watcher_number_; ++watcher)
      if (Attached* const taken = std::exchange(taken_[i * watcher_number_ + watcher], nullptr); taken != nullptr)
        services::tell(watchers[watcher], *places_[i]->find(watcher), *taken, is_gone(i), completed, status);
  }
  void put_all_back() {
    for (std::size_t i = 0; i < count_; ++i)
      for (std::uint32_t watcher = 0; watcher < watcher_number_; ++watcher)
        if (Attached* const taken = taken_[i * watcher_number_ + watcher]; taken != nullptr)
          places_[i]->find(watcher)->put_back(*taken);
  }

  const MPI_Request* requests_;
  std::size_t count_;
  std::uint32_t watcher_number_;
  Scratch<Place*> places_;
  Scratch<Attached*> taken_;
};

/// As the program gives it; a negative count becomes a huge one.
template <Function F>
std::size_t given_count(Call<F>& call) {
  if constexpr (cairn::has<F>(Role::requests_inout)) return static_cast<std::size_t>(arg<Role::request_count>(call));
  else return 1;
}
template <Function F>
std::size_t count_of(Call<F>& call) {
  const std::size_t count = given_count(call);
  return count <= INT64_MAX ? count : 0;
}

template <Function F>
MPI_Request* requests_of(Call<F>& call) {
  if constexpr (cairn::has<F>(Role::requests_inout)) return &arg<Role::requests_inout>(call)[0];
  else return arg<Role::request_inout>(call);
}

/// The statuses that the call writes; null: it writes none.
template <Function F>
MPI_Status* statuses_of(Call<F>& call) {
  if constexpr (cairn::has<F>(Role::statuses)) {
    MPI_Status* const all = &arg<Role::statuses>(call)[0];
    return all == MPI_STATUSES_IGNORE ? nullptr : all;
  } else {
    MPI_Status* const one = arg<Role::status>(call);
    return one == MPI_STATUS_IGNORE ? nullptr : one;
  }
}

/// Passes room for statuses that the program ignores and a tool wants.
template <Function F>
MPI_Status* give_room(Call<F>& call, MPI_Status* room) {
  if constexpr (cairn::has<F>(Role::statuses)) arg<Role::statuses>(call) = room;
  else arg<Role::status>(call) = room;
  return room;
}

template <Function F>
bool says_complete(Call<F>& call) {
  if constexpr (cairn::has<F>(Role::flag)) return *arg<Role::flag>(call) != 0;
  else return true;
}

template <Function F, class Before>
[[gnu::always_inline]] inline void tell_completed(Call<F>& call, Before& before, const MPI_Status* statuses) {
  const auto status = [statuses](std::size_t i) { return statuses == nullptr ? nullptr : statuses + i; };
  if (!says_complete(call)) return;
  if constexpr (cairn::has<F>(Role::completed_indices)) {
    const int* const indices = &arg<Role::completed_indices>(call)[0];
    const int count = *arg<Role::completed_count>(call);  // MPI_UNDEFINED is negative
    for (int i = 0; i < count; ++i)
      before.tell(static_cast<std::size_t>(indices[i]), true, status(static_cast<std::size_t>(i)));
  } else if constexpr (cairn::has<F>(Role::completed_index)) {
    const int index = *arg<Role::completed_index>(call);
    if (index >= 0) before.tell(static_cast<std::size_t>(index), true, status(0));
  } else {
    // From the last to the first: of requests with one handle, the value attached last is the first to come back.
    if (statuses != nullptr) [[likely]]
      for (std::size_t i = before.count(); i-- > 0;) before.tell(i, true, statuses + i);
    else
      for (std::size_t i = before.count(); i-- > 0;) before.tell(i, true, nullptr);
  }
}

template <Function F, class Before>
[[gnu::always_inline]] inline int follow(Call<F>& call, Before& before, const MPI_Status* statuses) {
  const int result = call.proceed();
  if (result != MPI_SUCCESS) [[unlikely]] {
    for (std::size_t i = before.count(); i-- > 0;)
      if (before.is_gone(i)) before.tell(i, true, nullptr);
    return result;
  }
  tell_completed(call, before, statuses);
  return MPI_SUCCESS;
}

/// Which of them the call completes cannot be found out: none is followed any longer.
void leave_out(const MPI_Request* requests, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) tell_from(0, place_of(requests[i]), true, false, nullptr);
}

template <Function F>
int follow_any(Call<F>& call) {
  const std::size_t count = count_of(call);
  if (requests_of(call) == nullptr || watcher_count.load(std::memory_order_relaxed) == 0) return call.proceed();
  MPI_Status* statuses = statuses_of(call);
  const bool room_needed = statuses == nullptr && statuses_wanted;
  Scratch<MPI_Status> own(room_needed ? count : 0);
  Before before(requests_of(call), count, watcher_count.load(std::memory_order_relaxed));
  if (!own.has_room() || !before.has_room()) [[unlikely]] {
    leave_out(requests_of(call), count);
    return call.proceed();
  }
  if (room_needed) statuses = give_room(call, own.data());
  return follow(call, before, statuses);
}

template <Function F>
int follow(Call<F>& call) {
  const MPI_Request* const requests = requests_of(call);
  const std::size_t count = given_count(call);
  if (requests == nullptr || simple_watcher == 0 || count - 1 >= Few::most) [[unlikely]]
    return call.template apart<follow_any<F>>();
  std::array<MPI_Status, Few::most> own;
  MPI_Status* statuses = statuses_of(call);
  if (statuses == nullptr && statuses_wanted) statuses = give_room(call, own.data());
  Few few(requests, count);
  return follow(call, few, statuses);
}

}  // namespace

class Requests {
 public:
  static constexpr bool knows_handles = true;
  static constexpr std::string_view about = "service: values that go with requests; used by other tools";
  using Offers = cairn::ServiceList<cairn::Requests>;

  explicit Requests(cairn::Self self) {
    static constexpr cairn::Requests offer{watch, attach, attach_data};
    self.publish(offer);
  }

  template <Function F>
  requires(cairn::starts_mpi<F>()) int on(Call<F>& call) { return learn_threads(call.proceed()); }

  template <Function F>
  requires((cairn::facts(F).category == Category::completion ||
            cairn::facts(F).category == Category::completion_nonblocking) &&
           (cairn::has<F>(Role::requests_inout) || cairn::has<F>(Role::request_inout))) int on(Call<F>& call) {
    return follow(call);
  }

  template <Function F>
  requires(cairn::facts(F).category == Category::start &&
           (cairn::has<F>(Role::requests_inout) || cairn::has<F>(Role::request_inout))) int on(Call<F>& call) {
    if (requests_of(call) == nullptr) return call.proceed();
    for (std::size_t i = 0; i < count_of(call); ++i) tell_started(requests_of(call)[i], true);
    const int result = call.proceed();
    if (result != MPI_SUCCESS)
      for (std::size_t i = 0; i < count_of(call); ++i) tell_started(requests_of(call)[i], false);
    return result;
  }

  int on(Call<Function::MPI_Request_free_>& call) {
    if (requests_of(call) == nullptr) return call.proceed();
    Before before(requests_of(call), 1, watcher_count.load(std::memory_order_relaxed));
    const int result = call.proceed();
    if (before.is_gone(0)) before.tell(0, false, nullptr);
    return result;
  }

 private:
  static int learn_threads(int result) {
    const cairn::OwnWork own;
    int level = MPI_THREAD_MULTIPLE;
    if (result == MPI_SUCCESS && PMPI_Query_thread(&level) == MPI_SUCCESS) threads_meet = level == MPI_THREAD_MULTIPLE;
    learn_if_simple();
    return result;
  }
};

}  // namespace services

CAIRN_TOOL(services::Requests)
