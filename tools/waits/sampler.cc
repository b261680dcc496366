// SPDX-License-Identifier: BSD-3-Clause
// sampler.cc - timers of threads, their signal's handler, and what it has noted

#include "sampler.hpp"

#include <sys/stat.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "cairn/kit/clock.hpp"

namespace waits_tool {

namespace {

/// Written by handlers of any thread, read by one thread: whole if `number` is the same before and after.
struct Noted {
  std::atomic<std::uint64_t> number{0};  // from 1
  std::atomic<std::uint64_t> ticks{0};
  std::atomic<std::uint64_t> address{0};
  std::atomic<std::int32_t> thread{0};
  std::atomic<std::int32_t> periods{0};
};

/// On a busy machine the system looks at a thread's timer only every few periods: the sample stands for all of them. For
/// longer than this the thread has blocked the signal, and nothing is known of that time but its last period.
constexpr int most_periods = 32;

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
  place.thread.store(info->si_value.sival_int, std::memory_order_relaxed);
  place.periods.store(info->si_overrun < most_periods ? 1 + info->si_overrun : 1, std::memory_order_relaxed);
  place.number.store(number, std::memory_order_release);
}

bool handles(void (*handler)(int, siginfo_t*, void*)) {
  struct sigaction action {};
  return sigaction(SIGURG, nullptr, &action) == 0 && (action.sa_flags & SA_SIGINFO) != 0 &&
         action.sa_sigaction == handler;
}

/// On the stack of the thread: a program may have another one for signals that is too small for any.
bool catch_signal() {
  struct sigaction action {};
  if (sigaction(SIGURG, nullptr, &action) != 0 || (action.sa_flags & SA_SIGINFO) != 0 || action.sa_handler != SIG_DFL)
    return false;
  action.sa_sigaction = &note;
  action.sa_flags = SA_SIGINFO | SA_RESTART;
  sigfillset(&action.sa_mask);
  return sigaction(SIGURG, &action, nullptr) == 0;
}

/// The clock of the processor time of one thread of this process, as the system numbers it (pthread_getcpuclockid).
clockid_t clock_of(int thread) { return static_cast<clockid_t>((~static_cast<unsigned>(thread) << 3U) | 6U); }

/// Without a value where the system does not tell.
std::optional<std::set<int>> threads_now() {
  std::set<int> threads;
  std::error_code failed;
  for (std::filesystem::directory_iterator entry("/proc/self/task", failed), last; !failed && entry != last;
       entry.increment(failed)) {
    const std::string name = entry->path().filename();
    int thread = 0;
    if (std::from_chars(name.data(), name.data() + name.size(), thread).ec == std::errc()) threads.insert(thread);
  }
  if (failed) return std::nullopt;
  return threads;
}

/// A thread that blocks the signal waits for signals in its own way, is a tool's, or is about to begin.
bool blocks_signal(int thread) {
  std::ifstream status("/proc/self/task/" + std::to_string(thread) + "/status");
  for (std::string line; std::getline(status, line);)
    if (constexpr std::string_view key = "SigBlk:"; line.starts_with(key))
      return (std::strtoull(line.c_str() + key.size(), nullptr, 16) >> (SIGURG - 1U) & 1U) != 0;
  return true;  // it has ended
}

std::uint64_t count_of_threads() {
  struct stat facts {};
  return stat("/proc/self/task", &facts) == 0 ? facts.st_nlink : 0;
}

}  // namespace

void Sampler::note_threads() { before_mpi_ = threads_now().value_or(std::set<int>()); }

bool Sampler::begin(std::size_t most_samples) {
  const std::lock_guard guard(lock_);
  most_samples_ = most_samples;
  if (!catch_signal()) return false;
  const auto threads = threads_now();
  if (!threads) return true;
  is_on = true;
  for (const int thread : *threads)
    if (!before_mpi_.contains(thread) && thread != gettid()) timers_[thread] = std::nullopt;
  find_threads();
  return true;
}

std::optional<timer_t> Sampler::timer_of(int thread) {
  sigevent event{};
  event.sigev_notify = SIGEV_THREAD_ID;
  event.sigev_signo = SIGURG;
  event.sigev_value.sival_int = thread;
  event._sigev_un._tid = thread;  // sigev_notify_thread_id, which not every libc names
  timer_t timer{};
  if (timer_create(clock_of(thread), &event, &timer) != 0) {
    if (errno == EAGAIN) ++unsampled_;
    return std::nullopt;
  }
  itimerspec every{};
  every.it_interval.tv_nsec = every.it_value.tv_nsec = period_ns;
  timer_settime(timer, 0, &every, nullptr);
  return timer;
}

void Sampler::find_threads() {
  const std::uint64_t count = count_of_threads();
  if (std::exchange(thread_count_, count) == count && ++looks_ % looks_between_searches != 0) return;
  const auto threads = threads_now();
  if (!threads) return;
  for (auto known = timers_.begin(); known != timers_.end();) {
    if (threads->contains(known->first)) {
      ++known;
      continue;
    }
    if (known->second) timer_delete(*known->second);
    known = timers_.erase(known);
  }
  for (const int thread : *threads)
    if (!timers_.contains(thread) && !blocks_signal(thread)) timers_[thread] = timer_of(thread);
}

bool Sampler::look() {
  const std::lock_guard guard(lock_);
  if (!is_on) return true;
  take();
  if (!handles(&note)) {
    stop();
    return false;
  }
  find_threads();
  return true;
}

void Sampler::stop() {
  is_on = false;
  for (const auto& [thread, timer] : timers_)
    if (timer) timer_delete(*timer);
  timers_.clear();
  if (handles(&note)) std::signal(SIGURG, SIG_DFL);
}

void Sampler::take() {
  const std::uint64_t count = noted_count.load(std::memory_order_acquire);
  if (count - taken_ > room) taken_ = count - room;
  for (; taken_ < count; ++taken_) {
    const Noted& from = noted[(taken_ + 1) % room];
    const std::uint64_t number = from.number.load(std::memory_order_acquire);
    if (number <= taken_) return;       // still to be written
    if (number > taken_ + 1) continue;  // overwritten
    const cairn::waits::TimedSample sample{
        from.thread.load(std::memory_order_relaxed), from.ticks.load(std::memory_order_relaxed),
        from.address.load(std::memory_order_relaxed), from.periods.load(std::memory_order_relaxed) * period_ns};
    std::atomic_thread_fence(std::memory_order_acquire);
    if (from.number.load(std::memory_order_relaxed) == taken_ + 1) keep(sample);
  }
}

/// Where there are too many, every second one stands for two, from then on and of those so far.
void Sampler::keep(const cairn::waits::TimedSample& sample) {
  if (passed_++ % stride_ != 0) return;
  if (kept_.size() >= most_samples_) {
    for (std::size_t i = 0; i < most_samples_ / 2; ++i) {
      kept_[i] = kept_[2 * i];
      kept_[i].ns *= 2;
    }
    kept_.resize(most_samples_ / 2);
    stride_ *= 2;
  }
  kept_.push_back(sample);
  kept_.back().ns *= static_cast<std::int64_t>(stride_);
}

void Sampler::end() {
  const std::lock_guard guard(lock_);
  take();
  stop();
}

std::vector<cairn::waits::TimedSample> Sampler::samples() {
  const std::unique_lock lock(lock_, std::try_to_lock);  // a process may end in the middle of a look
  if (!lock.owns_lock()) return {};
  take();
  return kept_;
}

}  // namespace waits_tool
