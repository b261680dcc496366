// SPDX-License-Identifier: BSD-3-Clause
// requests.cc - values that tools attach to requests, and telling them when a request has come to its end
//
// At each handle every watcher has a stack of values, because MPI gives several requests one handle when they are
// complete from the start. Where several threads may be in MPI at once, a value is taken off before a call that may end
// the request and put back if it did not: as soon as MPI has ended a request, its handle may be another thread's.

#include <mpi.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <utility>

#include "cairn/kit.hpp"
#include "cairn/kit/handle.hpp"
#include "cairn/kit/pool.hpp"
#include "cairn/services/requests.hpp"
#include "scratch.hpp"
#include "shared/table.hpp"

namespace services {

using cairn::Call;
using cairn::Category;
using cairn::Function;
using cairn::RequestWatcher;
using cairn::Role;

namespace {

using Data = std::array<std::byte, cairn::Requests::data_size>;

struct Attached : cairn::PoolPiece {
  std::uint64_t value = 0;
  Data data{};
  bool active = false;   // started, and not told yet that it is complete
  bool is_here = false;  // of Values::first_: it holds a value

  void fill(std::uint64_t given, bool is_active) {
    value = given;
    active = is_active;
  }
  void fill(const Data& given, bool is_active) {
    data = given;
    fill(reinterpret_cast<std::uintptr_t>(&data), is_active);
  }
};

using Pieces = cairn::Pool<Attached>;

constexpr std::uint32_t most_watchers = 1000;

Pieces pieces;
std::array<RequestWatcher, most_watchers> watchers;
std::atomic<std::uint32_t> watcher_count{0};
std::atomic<bool> watchers_are_fixed{false};
std::atomic<bool> statuses_wanted{false};
bool threads_meet = true;  // set by MPI_Init, before there is a request

/// What one watcher has attached to the requests of one handle.
class Values {
 public:
  template <class Given>
  bool add(const Given& given, bool active) {
    if (threads_meet || first_.is_here) [[unlikely]]
      return add_more(given, active);
    first_.fill(given, active);
    return first_.is_here = true;
  }
  /// Null if there is none.
  Attached* take() {
    Attached* const first = take_first();
    return first != nullptr ? first : more_.pop(pieces);
  }
  /// Null if it has to be looked for.
  Attached* take_first() {
    if (!first_.is_here) return nullptr;
    first_.is_here = false;
    return &first_;
  }
  void put_back(Attached& taken) {
    if (&taken == &first_) first_.is_here = true;
    else more_.push(taken);
  }
  /// The value that was taken has gone to the watcher.
  void forget(Attached& taken) {
    if (&taken != &first_) pieces.give_back(taken);
  }

 private:
  template <class Given>
  [[gnu::noinline]] bool add_more(const Given& given, bool active) {
    Attached* const made = pieces.take();
    if (made == nullptr) return false;
    made->fill(given, active);
    more_.push(*made);
    return true;
  }

  Attached first_;  // spares the stack; used only where threads do not meet
  Pieces::Stack more_;
};

/// The values at one handle, by watcher.
class Place {
 public:
  /// Null if no such watcher ever attached one.
  Values* find(std::uint32_t watcher) {
    if (watcher == 0) return &of_first_;
    Values* const others = of_others_.load(std::memory_order_acquire);
    return others == nullptr ? nullptr : &others[watcher - 1];
  }
  /// Null if memory is out.
  Values* find_or_add(std::uint32_t watcher) {
    Values* const values = find(watcher);
    return values != nullptr || !add_others() ? values : find(watcher);
  }

 private:
  [[gnu::noinline, gnu::cold]] bool add_others() {
    watchers_are_fixed = true;
    auto* const made = new (std::nothrow) Values[watcher_count - 1];
    Values* none = nullptr;
    if (made != nullptr && of_others_.compare_exchange_strong(none, made, std::memory_order_acq_rel)) return true;
    delete[] made;
    return none != nullptr;
  }

  Values of_first_;
  std::atomic<Values*> of_others_{nullptr};  // [watcher_count - 1]
};

constinit HandleTable<Place, 11> places;

std::uint32_t watch(const RequestWatcher* watcher) {
  const std::uint32_t number = watcher_count.load();
  if (number == most_watchers || watchers_are_fixed) return 0;  // tools start one after the other
  watchers[number] = *watcher;
  if (watcher->wants_status != 0) statuses_wanted = true;
  watcher_count = number + 1;
  return number + 1;
}

Place* place_of(MPI_Request request) {
  return request == MPI_REQUEST_NULL ? nullptr : places.find(cairn::handle_bits(request));
}

template <class Given>
[[gnu::noinline]] int attach_first(std::uint32_t watcher, MPI_Request request, const Given& given, int persistent) {
  if (request == MPI_REQUEST_NULL) return 0;
  Place* const place = places.find_or_add(cairn::handle_bits(request));
  Values* const values = place == nullptr ? nullptr : place->find_or_add(watcher - 1);
  return values != nullptr && values->add(given, persistent == 0) ? 0 : 1;
}

template <class Given>
int attach_given(std::uint32_t watcher, MPI_Request request, const Given& given, int persistent) {
  Place* const place = place_of(request);
  Values* const values = place == nullptr ? nullptr : place->find(watcher - 1);
  if (values == nullptr) [[unlikely]]
    return attach_first(watcher, request, given, persistent);
  return values->add(given, persistent == 0) ? 0 : 1;
}

int attach(std::uint32_t watcher, MPI_Request request, std::uint64_t value, int persistent) {
  return attach_given(watcher, request, value, persistent);
}

int attach_data(std::uint32_t watcher, MPI_Request request, const void* data, int persistent) {
  return attach_given(watcher, request, *static_cast<const Data*>(data), persistent);
}

Attached* take(Place* place, std::uint32_t watcher) {
  Values* const values = place == nullptr ? nullptr : place->find(watcher);
  return values == nullptr ? nullptr : values->take();
}

void tell_started(MPI_Request request, bool started) {
  Place* const place = place_of(request);
  for (std::uint32_t watcher = 0; watcher < watcher_count; ++watcher) {
    Attached* const attached = take(place, watcher);
    if (attached == nullptr) continue;
    attached->active = started;
    const RequestWatcher& who = watchers[watcher];
    if (started && who.started != nullptr) who.started(who.tool, attached->value);
    place->find(watcher)->put_back(*attached);
  }
}

/// Tells that a request has ended, or for one time completed. `completed`: or freed by the program.
[[gnu::always_inline]] inline void tell(const RequestWatcher& who, Values& values, Attached& taken, bool gone,
                                        bool completed, const MPI_Status* status) {
  if (completed && std::exchange(taken.active, false) && who.completed != nullptr)
    who.completed(who.tool, taken.value, status);
  if (!gone) return values.put_back(taken);
  if (who.ended != nullptr) who.ended(who.tool, taken.value);
  values.forget(taken);
}

/// The watchers from number `watcher` on.
[[gnu::noinline]] void tell_from(std::uint32_t watcher, Place& place, bool gone, bool completed,
                                 const MPI_Status* status) {
  for (; watcher < watcher_count; ++watcher)
    if (Attached* const taken = take(&place, watcher); taken != nullptr)
      tell(watchers[watcher], *place.find(watcher), *taken, gone, completed, status);
}

/// All watchers of one request, where threads do not meet. The first, often the only one, is told the short way.
[[gnu::always_inline]] inline void tell_all(Place& place, bool gone, bool completed, const MPI_Status* status) {
  std::uint32_t told = 0;
  Values& values = *place.find(0);
  if (Attached* const first = values.take_first(); first != nullptr) [[likely]] {
    tell(watchers[0], values, *first, gone, completed, status);
    told = 1;
  }
  if (told < watcher_count.load(std::memory_order_relaxed)) tell_from(told, place, gone, completed, status);
}

/// The requests of one call, found before it: afterwards the program's handles are null. Few, and no other thread in
/// MPI, so that values stay where they are.
class Few {
 public:
  static constexpr std::size_t most = 8;

  Few(const MPI_Request* requests, std::size_t count) : requests_(requests), count_(count) {
    for (std::size_t i = 0; i < count; ++i) places_[i] = place_of(requests[i]);
  }
  std::size_t count() const { return count_; }
  /// Whether the call has ended a request that somebody may have attached a value to.
  bool is_gone(std::size_t i) const { return places_[i] != nullptr && requests_[i] == MPI_REQUEST_NULL; }
  /// `completed`: or freed by the program.
  [[gnu::always_inline]] void tell(std::size_t i, bool completed, const MPI_Status* status) {
    if (places_[i] != nullptr) tell_all(*places_[i], requests_[i] == MPI_REQUEST_NULL, completed, status);
  }

 private:
  const MPI_Request* requests_;
  std::size_t count_;
  std::array<Place*, most> places_;  // null: nobody has attached anything
};

/// The same for any number, and other threads.
class Before {
 public:
  Before(const MPI_Request* requests, std::size_t count, std::uint32_t watcher_number)
      : requests_(requests),
        count_(count),
        watcher_number_(watcher_number),
        places_(count),
        taken_(threads_meet ? count * watcher_number : 0) {
    for (std::size_t i = 0; i < count; ++i) places_[i] = place_of(requests[i]);
    if (threads_meet) [[unlikely]]
      take_all();
  }
  ~Before() {
    if (threads_meet) [[unlikely]]
      put_all_back();
  }
  Before(const Before&) = delete;
  Before& operator=(const Before&) = delete;

  std::size_t count() const { return count_; }
  bool is_gone(std::size_t i) const { return places_[i] != nullptr && requests_[i] == MPI_REQUEST_NULL; }
  void tell(std::size_t i, bool completed, const MPI_Status* status) {
    if (places_[i] == nullptr) return;
    if (!threads_meet) [[likely]]
      tell_all(*places_[i], is_gone(i), completed, status);
    else tell_taken(i, completed, status);
  }

 private:
  void take_all() {
    for (std::size_t i = 0; i < count_; ++i)
      for (std::uint32_t watcher = 0; watcher < watcher_number_; ++watcher)
        taken_[i * watcher_number_ + watcher] = take(places_[i], watcher);
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
  Scratch<Place*> places_;  // null: nobody has attached anything
  Scratch<Attached*> taken_;
};

template <Function F>
std::size_t count_of(Call<F>& call) {
  if constexpr (call.template has<Role::requests_inout>) {
    const auto count = call.template get<Role::request_count>();
    return count > 0 ? static_cast<std::size_t>(count) : 0;
  } else {
    return 1;
  }
}

template <Function F>
MPI_Request* requests_of(Call<F>& call) {
  if constexpr (call.template has<Role::requests_inout>) return &call.template get<Role::requests_inout>()[0];
  else return call.template get<Role::request_inout>();
}

/// The statuses that the call writes; null: it writes none.
template <Function F>
MPI_Status* statuses_of(Call<F>& call) {
  if constexpr (call.template has<Role::statuses>) {
    MPI_Status* const all = &call.template get<Role::statuses>()[0];
    return all == MPI_STATUSES_IGNORE ? nullptr : all;
  } else {
    MPI_Status* const one = call.template get<Role::status>();
    return one == MPI_STATUS_IGNORE ? nullptr : one;
  }
}

/// Room for statuses that the program ignores and a tool wants, given to the call in place of the program's wish.
template <Function F>
MPI_Status* give_room(Call<F>& call, MPI_Status* room) {
  if constexpr (call.template has<Role::statuses>) call.template get<Role::statuses>() = room;
  else call.template get<Role::status>() = room;
  return room;
}

bool wants_statuses() { return statuses_wanted.load(std::memory_order_relaxed); }

template <Function F>
bool says_complete(Call<F>& call) {
  if constexpr (call.template has<Role::flag>) return *call.template get<Role::flag>() != 0;
  else return true;
}

template <Function F, class Before>
[[gnu::always_inline]] inline void tell_completed(Call<F>& call, Before& before, const MPI_Status* statuses) {
  const auto status = [statuses](std::size_t i) { return statuses == nullptr ? nullptr : statuses + i; };
  if (!says_complete(call)) return;
  if constexpr (call.template has<Role::completed_indices>) {
    const int* const indices = &call.template get<Role::completed_indices>()[0];
    const int count = *call.template get<Role::completed_count>();  // MPI_UNDEFINED is negative
    for (int i = 0; i < count; ++i)
      before.tell(static_cast<std::size_t>(indices[i]), true, status(static_cast<std::size_t>(i)));
  } else if constexpr (call.template has<Role::completed_index>) {
    const int index = *call.template get<Role::completed_index>();
    if (index >= 0) before.tell(static_cast<std::size_t>(index), true, status(0));
  } else {
    // From the last to the first: of requests with one handle, the value attached last is the first to come back.
    for (std::size_t i = before.count(); i-- > 0;) before.tell(i, true, status(i));
  }
}

template <Function F, class Before>
[[gnu::always_inline]] inline int follow(Call<F>& call, Before& before, const MPI_Status* statuses) {
  const int result = call.proceed();
  if (result == MPI_SUCCESS) [[likely]] {
    tell_completed(call, before, statuses);
  } else {
    for (std::size_t i = before.count(); i-- > 0;)
      if (before.is_gone(i)) before.tell(i, true, nullptr);
  }
  return result;
}

/// Given a copy, so that the arguments of the other calls stay in registers.
template <Function F>
[[gnu::noinline]] int follow_many(Call<F> call) {
  const std::size_t count = count_of(call);
  MPI_Status* statuses = statuses_of(call);
  const bool room_needed = statuses == nullptr && wants_statuses();
  Scratch<MPI_Status> own(room_needed ? count : 0);
  if (room_needed) statuses = give_room(call, own.data());
  Before before(requests_of(call), count, watcher_count.load(std::memory_order_relaxed));
  return follow(call, before, statuses);
}

template <Function F>
int follow(Call<F>& call) {
  const MPI_Request* const requests = requests_of(call);
  if (requests == nullptr || watcher_count.load(std::memory_order_relaxed) == 0) return call.proceed();
  const std::size_t count = count_of(call);
  if (threads_meet || count > Few::most) [[unlikely]]
    return follow_many(call);
  std::array<MPI_Status, Few::most> own;
  MPI_Status* statuses = statuses_of(call);
  if (statuses == nullptr && wants_statuses()) statuses = give_room(call, own.data());
  Few few(requests, count);
  return follow(call, few, statuses);
}

}  // namespace

class Requests {
 public:
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
    return result;
  }
};

}  // namespace services

CAIRN_TOOL(services::Requests)
