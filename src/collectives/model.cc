// SPDX-License-Identifier: BSD-3-Clause
// model.cc - the usual algorithms of collective calls

#include "collectives/model.hpp"

#include <algorithm>
#include <bit>

namespace cairn::collectives {

namespace {

// Up to or below these bytes the algorithms for short messages are used.
constexpr std::uint64_t short_bcast = 12'288;
constexpr std::uint64_t long_bcast = 524'288;
constexpr int few_processes = 8;
constexpr std::uint64_t short_reduction = 2'048;
constexpr std::uint64_t short_allgather = 81'920;  // of all parts together, as the next
constexpr std::uint64_t long_allgather = 524'288;
constexpr std::uint64_t short_alltoall = 256;
constexpr std::uint64_t long_reduce_scatter = 524'288;

int lowest_bit(int number) { return number & -number; }

/// What one process sends.
class Process {
 public:
  Process(const ModelledCalls& calls, int own, const Send& send)
      : calls_(calls), count_(calls.processes), own_(own), size_(calls.bytes / calls.calls), send_(send) {}

  void barrier() const {
    for (int step = 1; step < count_; step *= 2) to(after(step), 0);
  }

  /// Rank 0 is the root here and in the next ones.
  void bcast() const {
    if (size_ < short_bcast || count_ < few_processes) return to_children([](int) { return 1; }, 1);
    to_children([](int below) { return below; }, count_);
    if (size_ < long_bcast && is_power()) doubling(count_);
    else ring(count_);
  }
  void scatter() const {
    to_children([](int below) { return below; }, 1);
  }
  void gather() const {
    if (own_ != 0) to(own_ - lowest_bit(own_), std::min(lowest_bit(own_), count_ - own_));
  }
  void reduce() const {
    if (size_ <= short_reduction) {
      if (own_ != 0) to(own_ - lowest_bit(own_), 1);
      return;
    }
    const Folded folded(count_, own_);
    if (!folded.takes_part()) return to(folded.partner(), 1);
    for (int half = folded.size / 2; half > 0; half /= 2) to(folded.process_of(folded.place ^ half), half, folded.size);
    if (const int bit = lowest_bit(folded.place); bit != 0) to(folded.process_of(folded.place - bit), bit, folded.size);
  }

  void allreduce() const {
    const Folded folded(count_, own_);
    if (!folded.takes_part()) return to(folded.partner(), 1);
    if (size_ <= short_reduction) {
      for (int step = 1; step < folded.size; step *= 2) to(folded.process_of(folded.place ^ step), 1);
    } else {
      for (int half = folded.size / 2; half > 0; half /= 2)
        to(folded.process_of(folded.place ^ half), 2 * std::int64_t{half}, folded.size,
           2);  // there and, in the other order, back
    }
    if (folded.has_partner()) to(folded.partner(), 1);
  }

  void allgather() const {
    const std::uint64_t all = size_ * static_cast<std::uint64_t>(count_);
    if (is_power() && all < long_allgather) return doubling(1);
    if (all >= short_allgather) return ring(1);
    for (int step = 1; step < count_; step *= 2) to(after(-step), std::min(step, count_ - step));
  }

  void alltoall() const {
    if (size_ > short_alltoall || count_ < few_processes) return to_each();
    for (int step = 1; step < count_; step *= 2) to(after(step), parts_with_bit(step));
  }

  void reduce_scatter() const {
    if (size_ * static_cast<std::uint64_t>(count_) >= long_reduce_scatter) return to_each();
    const Folded folded(count_, own_);
    if (!folded.takes_part()) return to(folded.partner(), count_);
    for (int half = folded.size / 2; half > 0; half /= 2)
      to(folded.process_of(folded.place ^ half), std::int64_t{count_} * half, folded.size);
    if (folded.has_partner()) to(folded.partner(), 1);
  }

  void scan() const {
    for (int step = 1; step < count_; step *= 2)
      if ((own_ ^ step) < count_) to(own_ ^ step, 1);
  }

 private:
  /// A power of two of the processes; of those beyond it each gives its data to a neighbor that has one.
  struct Folded {
    Folded(int count, int process)
        : size(static_cast<int>(std::bit_floor(static_cast<unsigned>(count)))),
          beyond(count - size),
          own(process),
          place(process < 2 * beyond ? process / 2 : process - beyond) {}

    bool has_partner() const { return own < 2 * beyond; }
    bool takes_part() const { return !has_partner() || own % 2 == 0; }
    int partner() const { return own ^ 1; }
    int process_of(int at) const { return at < beyond ? 2 * at : at + beyond; }

    int size;
    int beyond;
    int own;
    int place;
  };

  int after(int steps) const { return (own_ + steps + count_) % count_; }
  bool is_power() const { return std::has_single_bit(static_cast<unsigned>(count_)); }

  /// So many parts of the calls' bytes in one message, or several, for each call.
  void to(int process, std::int64_t parts, std::int64_t of = 1, int messages = 1) const {
    const auto bytes = static_cast<unsigned __int128>(calls_.bytes) * static_cast<std::uint64_t>(parts) /
                       static_cast<std::uint64_t>(of);
    send_(process, calls_.calls * static_cast<unsigned>(messages),
          bytes > UINT64_MAX ? UINT64_MAX : static_cast<std::uint64_t>(bytes));
  }
  /// In a binomial tree; `parts(n)` for a child with n processes from it on down.
  template <class Parts>
  void to_children(Parts parts, int of) const {
    const int top = own_ == 0 ? static_cast<int>(std::bit_ceil(static_cast<unsigned>(count_))) : lowest_bit(own_);
    for (int step = top / 2; step > 0; step /= 2)
      if (own_ + step < count_) to(own_ + step, parts(std::min(step, count_ - own_ - step)), of);
  }
  void doubling(int of) const {
    for (int step = 1; step < count_; step *= 2) to(own_ ^ step, step, of);
  }
  void ring(int of) const { to(after(1), count_ - 1, of, count_ - 1); }
  void to_each() const {
    for (int step = 1; step < count_; ++step) to(after(step), 1);
  }
  int parts_with_bit(int bit) const {
    int parts = 0;
    for (int part = 0; part < count_; ++part) parts += (part & bit) != 0 ? 1 : 0;
    return parts;
  }

  const ModelledCalls& calls_;
  const int count_;
  const int own_;
  const std::uint64_t size_;  // of one call
  const Send& send_;
};

}  // namespace

void model(const ModelledCalls& calls, int root, int own, const Send& send) {
  if (calls.processes < 2 || calls.calls == 0) return;
  const int first = is_rooted(calls.what) ? root : 0;
  const auto turned = [&](int to, std::uint64_t messages, std::uint64_t bytes) {
    send((to + first) % calls.processes, messages, bytes);
  };
  const Send sender = turned;
  const Process process(calls, (own - first + calls.processes) % calls.processes, sender);
  using enum Operation;
  switch (calls.what) {
    case barrier:
      return process.barrier();
    case bcast:
      return process.bcast();
    case reduce:
      return process.reduce();
    case allreduce:
      return process.allreduce();
    case gather:
      return process.gather();
    case scatter:
      return process.scatter();
    case allgather:
      return process.allgather();
    case alltoall:
      return process.alltoall();
    case reduce_scatter:
      return process.reduce_scatter();
    case scan:
      return process.scan();
    case direct:
      return;
  }
}

}  // namespace cairn::collectives
