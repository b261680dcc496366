// SPDX-License-Identifier: BSD-3-Clause
// sampler.cc - timers of threads, their signal's handler, and what it has noted

#include "sampler.hpp"

#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <filesystem>
#include <string>
#include <system_error>

#include "cairn/kit/clock.hpp"

namespace waits_tool {

namespace {

/// Written by handlers of any thread, read by one thread: whole if `number` is the same before and after.
struct Noted {
  std::atomic<std::uint64_t> number{0};  // from 1
  std::atomic<std::uint64_t> ticks{0};
  std::atomic<std::uint64_t> address{0};
  std::atomic<std::uint64_t> thread_and_periods{0};
};

constexpr std::size_t room = 8192;
std::array<Noted, room> noted;
std::atomic<std::uint64_t> noted_count{0};
std::atomic<bool> is_on{false};

std::uint64_t address_in(const void* context) {
  const auto& machine = static_cast<const ucontext_t*>(context)->uc_mcontext;
#if defined(__x86_64__)
  return static_cast<std::uint64_t>(machine.gregs[REG_RIP]);
#else
  return machine.pc;
#endif
}

void note(int /*signal*/, siginfo_t* info, void* context) {
  if (info->si_code != SI_TIMER || !is_on.load(std::memory_order_relaxed)) return;
  const std::uint64_t number = noted_count.fetch_add(1, std::memory_order_relaxed) + 1;
  Noted& place = noted[number % room];
  place.number.store(0, std::memory_order_relaxed);
  std::atomic_thread_fence(std::memory_order_release);
  place.ticks.store(cairn::ticks_now(), std::memory_order_relaxed);
  place.address.store(address_in(context), std::memory_order_relaxed);
  const auto periods = static_cast<std::uint64_t>(1 + std::max(0, info->si_overrun));
  const auto thread = static_cast<std::uint64_t>(info->si_value.sival_int);
  place.thread_and_periods.store(thread << 32U | std::min<std::uint64_t>(periods, UINT32_MAX),
                                 std::memory_order_relaxed);
  place.number.store(number, std::memory_order_release);
}

/// 0: there is none.
int unused_signal() {
  for (int signal = SIGRTMAX - 1; signal >= SIGRTMIN; --signal) {
    struct sigaction action {};
    if (sigaction(signal, nullptr, &action) == 0 && (action.sa_flags & SA_SIGINFO) == 0 && action.sa_handler == SIG_DFL)
      return signal;
  }
  return 0;
}

bool catch_signal(int signal) {
  struct sigaction action {};
  action.sa_sigaction = &note;
  action.sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK;
  sigfillset(&action.sa_mask);
  return sigaction(signal, &action, nullptr) == 0;
}

/// The clock of the processor time of one thread of this process, as the system numbers it (pthread_getcpuclockid).
clockid_t clock_of(int thread) { return static_cast<clockid_t>((~static_cast<unsigned>(thread) << 3U) | 6U); }

std::vector<int> threads_now() {
  std::vector<int> threads;
  std::error_code failed;
  for (std::filesystem::directory_iterator entry("/proc/self/task", failed), last; !failed && entry != last;
       entry.increment(failed)) {
    const std::string name = entry->path().filename();
    int thread = 0;
    if (std::from_chars(name.data(), name.data() + name.size(), thread).ec == std::errc()) threads.push_back(thread);
  }
  return threads;
}

}  // namespace

bool Sampler::begin() {
  const std::lock_guard guard(lock_);
  signal_ = unused_signal();
  if (signal_ == 0 || !catch_signal(signal_)) return false;
  for (const int thread : threads_now()) timers_.emplace(thread, nullptr);
  is_on = true;
  add_timer(gettid());
  return true;
}

void Sampler::add_timer(int thread) {
  sigevent event{};
  event.sigev_notify = SIGEV_THREAD_ID;
  event.sigev_signo = signal_;
  event.sigev_value.sival_int = thread;
  event._sigev_un._tid = thread;  // sigev_notify_thread_id, which not every libc names
  timer_t timer = nullptr;
  if (timer_create(clock_of(thread), &event, &timer) != 0) {
    ++unsampled_;
    return;
  }
  timers_[thread] = timer;
  itimerspec every{};
  every.it_interval.tv_nsec = every.it_value.tv_nsec = period_ns;
  timer_settime(timer, 0, &every, nullptr);
}

void Sampler::find_threads() {
  const std::vector<int> threads = threads_now();
  for (auto known = timers_.begin(); known != timers_.end();) {
    if (std::ranges::find(threads, known->first) != threads.end()) {
      ++known;
      continue;
    }
    if (known->second != nullptr) timer_delete(known->second);
    known = timers_.erase(known);
  }
  for (const int thread : threads)
    if (thread != gettid() && timers_.emplace(thread, nullptr).second) add_timer(thread);
}

void Sampler::look() {
  const std::lock_guard guard(lock_);
  if (!is_on) return;
  take();
  find_threads();
}

void Sampler::take() {
  const std::uint64_t count = noted_count.load(std::memory_order_acquire);
  if (count - taken_ > room) taken_ = count - room;
  for (; taken_ < count; ++taken_) {
    const Noted& from = noted[(taken_ + 1) % room];
    if (from.number.load(std::memory_order_acquire) != taken_ + 1) {
      if (from.number.load(std::memory_order_relaxed) == 0) return;  // just being written
      continue;                                                      // overwritten
    }
    const std::uint64_t both = from.thread_and_periods.load(std::memory_order_relaxed);
    const cairn::waits::TimedSample sample{
        static_cast<std::int32_t>(both >> 32U), from.ticks.load(std::memory_order_relaxed),
        from.address.load(std::memory_order_relaxed), static_cast<std::int64_t>(both & UINT32_MAX) * period_ns};
    std::atomic_thread_fence(std::memory_order_acquire);
    if (from.number.load(std::memory_order_relaxed) == taken_ + 1) keep(sample);
  }
}

/// Where there are too many, every second one stands for two, from then on and of those so far.
void Sampler::keep(const cairn::waits::TimedSample& sample) {
  if (passed_++ % stride_ != 0) return;
  if (kept_.size() == most_samples) {
    for (std::size_t i = 0; i < most_samples / 2; ++i) {
      kept_[i] = kept_[2 * i];
      kept_[i].ns *= 2;
    }
    kept_.resize(most_samples / 2);
    stride_ *= 2;
  }
  kept_.push_back(sample);
  kept_.back().ns *= static_cast<std::int64_t>(stride_);
}

void Sampler::end() {
  const std::lock_guard guard(lock_);
  take();
  is_on = false;  // the handler stays: a signal may still be on its way
  for (const auto& [thread, timer] : timers_)
    if (timer != nullptr) timer_delete(timer);
  timers_.clear();
}

std::vector<cairn::waits::TimedSample> Sampler::samples() {
  const std::unique_lock lock(lock_, std::try_to_lock);  // a process may end in the middle of a look
  if (!lock.owns_lock()) return {};
  take();
  return kept_;
}

}  // namespace waits_tool
