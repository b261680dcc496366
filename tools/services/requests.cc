// SPDX-License-Identifier: BSD-3-Clause
// requests.cc - values that tools attach to requests, and telling them when a request has come to its end
//
// Each pair of handle and watcher has a stack of values, because MPI gives several requests one handle when they are
// complete from the start. Where several threads may be in MPI at once, a value is taken off before a call that may end
// the request and put back if it did not: as soon as MPI has ended a request, its handle may be another thread's.

#include <mpi.h>

#include <array>
#include <atomic>

#include "cairn/kit.hpp"
#include "cairn/kit/handle.hpp"
#include "cairn/kit/pool.hpp"
#include "cairn/services/requests.hpp"
#include "scratch.hpp"
#include "table.hpp"

namespace services {

using cairn::Call;
using cairn::Category;
using cairn::Function;
using cairn::PoolIndex;
using cairn::RequestWatcher;
using cairn::Role;

namespace {

struct Attached {
  std::atomic<PoolIndex> next{0};
  bool persistent = false;
  bool active = false;  // started, and not told yet that it is complete
  std::uint64_t value = 0;
};

using Values = cairn::Pool<Attached>;

constexpr std::uint32_t most_watchers = 1000;

Values values;
HandleTable<Values::Stack, 13> stacks;
std::array<std::atomic<const RequestWatcher*>, most_watchers> watchers;
std::atomic<std::uint32_t> watcher_count{0};
std::atomic<bool> statuses_wanted{false};
bool threads_meet = true;  // set by MPI_Init, before there is a request

/// Handles have 48 bits at most on the processors we know.
std::uint64_t key_of(MPI_Request request, std::uint32_t watcher) {
  return cairn::handle_bits(request) << 16U | (watcher + 1);
}

std::uint32_t watch(const RequestWatcher* watcher) {
  const std::uint32_t number = watcher_count.load();
  if (number == most_watchers) return 0;  // tools start one after the other
  watchers[number] = watcher;
  if (watcher->wants_status != 0) statuses_wanted = true;
  watcher_count = number + 1;
  return number + 1;
}

int attach(std::uint32_t watcher, MPI_Request request, std::uint64_t value, int persistent) {
  if (request == MPI_REQUEST_NULL) return 0;
  Values::Stack* const stack = stacks.find_or_add(key_of(request, watcher - 1));
  const PoolIndex index = stack == nullptr ? 0 : values.take();
  if (index == 0) return 1;
  Attached& attached = values[index];
  attached.value = value;
  attached.persistent = persistent != 0;
  attached.active = persistent == 0;
  stack->push(values, index);
  return 0;
}

PoolIndex take(MPI_Request request, std::uint32_t watcher) {
  if (request == MPI_REQUEST_NULL) return 0;
  Values::Stack* const stack = stacks.find(key_of(request, watcher));
  return stack == nullptr ? 0 : stack->pop(values);
}

void put_back(MPI_Request request, std::uint32_t watcher, PoolIndex index) {
  if (index != 0) stacks.find(key_of(request, watcher))->push(values, index);
}

void tell_started(MPI_Request request, bool started) {
  if (request == MPI_REQUEST_NULL) return;
  for (std::uint32_t watcher = 0; watcher < watcher_count; ++watcher) {
    const Values::Stack* const stack = stacks.find(key_of(request, watcher));
    const PoolIndex index = stack == nullptr ? 0 : stack->top();
    if (index == 0) continue;
    values[index].active = started;
    const RequestWatcher& who = *watchers[watcher];
    if (started && who.started != nullptr) who.started(who.tool, values[index].value);
  }
}

/// The requests of one call, as they were before it: afterwards the program's handles are null.
class Before {
 public:
  Before(const MPI_Request* requests, std::size_t count, std::uint32_t watcher_number)
      : requests_(requests),
        count_(count),
        watcher_number_(watcher_number),
        handles_(count),
        taken_(threads_meet ? count * watcher_number : 0) {
    for (std::size_t i = 0; i < count; ++i) handles_[i] = requests[i];
    if (threads_meet)
      for_each([&](std::size_t i, std::uint32_t watcher, PoolIndex& taken) { taken = take(handles_[i], watcher); });
  }
  ~Before() {
    if (threads_meet)
      for_each([&](std::size_t i, std::uint32_t watcher, PoolIndex taken) { put_back(handles_[i], watcher, taken); });
  }
  Before(const Before&) = delete;
  Before& operator=(const Before&) = delete;

  std::size_t count() const { return count_; }
  bool was_null(std::size_t i) const { return handles_[i] == MPI_REQUEST_NULL; }
  bool is_gone(std::size_t i) const { return requests_[i] == MPI_REQUEST_NULL && !was_null(i); }

  /// `completed`: or freed by the program.
  void tell(std::size_t i, bool completed, const MPI_Status* status) {
    for (std::uint32_t watcher = 0; watcher < watcher_number_; ++watcher) {
      const PoolIndex index = threads_meet ? std::exchange(taken_[i * watcher_number_ + watcher], PoolIndex{0})
                                           : take(handles_[i], watcher);
      if (index == 0) continue;
      Attached& attached = values[index];
      const RequestWatcher& who = *watchers[watcher];
      if (completed && std::exchange(attached.active, false) && who.completed != nullptr)
        who.completed(who.tool, attached.value, status);
      if (!is_gone(i)) {
        put_back(handles_[i], watcher, index);
        continue;
      }
      if (who.ended != nullptr) who.ended(who.tool, attached.value);
      values.give_back(index);
    }
  }

 private:
  template <class Visit>
  void for_each(Visit visit) {
    for (std::size_t i = 0; i < count_; ++i)
      for (std::uint32_t watcher = 0; watcher < watcher_number_; ++watcher)
        visit(i, watcher, taken_[i * watcher_number_ + watcher]);
  }

  const MPI_Request* requests_;
  std::size_t count_;
  std::uint32_t watcher_number_;
  Scratch<MPI_Request> handles_;
  Scratch<PoolIndex> taken_;
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

/// Room for statuses that the program ignores and a tool wants, given to the call in place of the program's wish.
template <Function F>
class Statuses {
 public:
  explicit Statuses(Call<F>& call) : call_(call), own_(wanted(call) ? count_of(call) : 0) {
    if (!wanted(call)) return;
    if constexpr (is_array) call.template get<Role::statuses>() = own_.data();
    else call.template get<Role::status>() = own_.data();
  }
  /// Of the i-th status that the call writes; null if there are none.
  const MPI_Status* at(std::size_t i) const {
    if constexpr (is_array) {
      const MPI_Status* const all = &call_.template get<Role::statuses>()[0];
      return all == MPI_STATUSES_IGNORE ? nullptr : all + i;
    } else {
      const MPI_Status* const one = call_.template get<Role::status>();
      return one == MPI_STATUS_IGNORE ? nullptr : one;
    }
  }

 private:
  static constexpr bool is_array = cairn::has<F>(Role::statuses);
  static bool wanted(Call<F>& call) {
    if (!statuses_wanted.load(std::memory_order_relaxed)) return false;
    if constexpr (is_array) return &call.template get<Role::statuses>()[0] == MPI_STATUSES_IGNORE;
    else return call.template get<Role::status>() == MPI_STATUS_IGNORE;
  }

  Call<F>& call_;
  Scratch<MPI_Status> own_;
};

template <Function F>
void tell_completed(Call<F>& call, Before& before, const Statuses<F>& statuses) {
  if constexpr (call.template has<Role::flag>) {
    if (*call.template get<Role::flag>() == 0) return;
  }
  if constexpr (call.template has<Role::completed_indices>) {
    const int* const indices = &call.template get<Role::completed_indices>()[0];
    const int count = *call.template get<Role::completed_count>();  // MPI_UNDEFINED is negative
    for (int i = 0; i < count; ++i)
      before.tell(static_cast<std::size_t>(indices[i]), true, statuses.at(static_cast<std::size_t>(i)));
  } else if constexpr (call.template has<Role::completed_index>) {
    const int index = *call.template get<Role::completed_index>();
    if (index >= 0) before.tell(static_cast<std::size_t>(index), true, statuses.at(0));
  } else {
    // From the last to the first: of requests with one handle, the value attached last is the first to come back.
    for (std::size_t i = before.count(); i-- > 0;)
      if (!before.was_null(i)) before.tell(i, true, statuses.at(i));
  }
}

}  // namespace

class Requests {
 public:
  static constexpr std::string_view about = "service: values that go with requests; used by other tools";

  explicit Requests(cairn::Self self) {
    static constexpr cairn::Requests offer{watch, attach};
    self.publish(offer);
  }

  int on(Call<Function::MPI_Init_>& call) { return learn_threads(call.proceed()); }
  int on(Call<Function::MPI_Init_thread_>& call) { return learn_threads(call.proceed()); }

  template <Function F>
  requires((cairn::facts(F).category == Category::completion ||
            cairn::facts(F).category == Category::completion_nonblocking) &&
           (cairn::has<F>(Role::requests_inout) || cairn::has<F>(Role::request_inout))) int on(Call<F>& call) {
    const std::uint32_t watching = watcher_count.load(std::memory_order_relaxed);
    if (watching == 0) return call.proceed();
    Before before(requests_of(call), count_of(call), watching);
    const Statuses<F> statuses(call);
    const int result = call.proceed();
    if (result == MPI_SUCCESS) {
      tell_completed(call, before, statuses);
    } else {
      for (std::size_t i = before.count(); i-- > 0;)
        if (before.is_gone(i)) before.tell(i, true, nullptr);
    }
    return result;
  }

  template <Function F>
  requires(cairn::facts(F).category == Category::start &&
           (cairn::has<F>(Role::requests_inout) || cairn::has<F>(Role::request_inout))) int on(Call<F>& call) {
    for (std::size_t i = 0; i < count_of(call); ++i) tell_started(requests_of(call)[i], true);
    const int result = call.proceed();
    if (result != MPI_SUCCESS)
      for (std::size_t i = 0; i < count_of(call); ++i) tell_started(requests_of(call)[i], false);
    return result;
  }

  int on(Call<Function::MPI_Request_free_>& call) {
    Before before(requests_of(call), 1, watcher_count.load(std::memory_order_relaxed));
    const int result = call.proceed();
    if (before.is_gone(0)) before.tell(0, false, nullptr);
    return result;
  }

 private:
  static int learn_threads(int result) {
    int level = MPI_THREAD_MULTIPLE;
    if (result == MPI_SUCCESS && PMPI_Query_thread(&level) == MPI_SUCCESS) threads_meet = level == MPI_THREAD_MULTIPLE;
    return result;
  }
};

}  // namespace services

CAIRN_TOOL(services::Requests)
