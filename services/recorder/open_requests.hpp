// SPDX-License-Identifier: BSD-3-Clause
// open_requests.hpp - requests that are not known to be complete, by handle, in the page
//
// Places are found without locks. A request beyond those that have room is not followed. MPI libraries give requests
// that are complete from the start one handle: the last of them stands for all, as nobody waits for any.
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "cairn/kit/flat_table.hpp"
#include "cairn/page.hpp"

namespace recorder {

namespace page = cairn::page;

class OpenRequests {
 public:
  static constexpr std::uint16_t unknown = 0xffff;
  static constexpr std::size_t size = 1024;

  void use(page::Request* requests) { requests_ = requests; }
  /// Until this is called, several threads may come at once.
  void one_thread_at_a_time() { threads_meet_ = false; }

  std::uint16_t find(std::uint64_t handle) const {
    const std::size_t first = group_of(handle) * group_size;
    if (handles_[first].load(std::memory_order_relaxed) == handle) [[likely]]
      return static_cast<std::uint16_t>(first);
    return find_further(handle);
  }

  page::Request& at(std::uint16_t index) const { return requests_[index]; }

  /// Null if there is no room.
  page::Request* add(std::uint64_t handle) {
    const std::size_t group = group_of(handle);
    std::uint8_t none = 0;
    if (!change(taken_[group], none, 1)) [[unlikely]]
      return add_further(handle);
    handles_[group * group_size].store(handle, std::memory_order_relaxed);
    return &requests_[group * group_size];
  }

  void remove(std::uint16_t index) {
    requests_[index].state.store(page::Request::absent, std::memory_order_relaxed);
    handles_[index].store(0, std::memory_order_relaxed);
    std::atomic<std::uint8_t>& group = taken_[index / group_size];
    std::uint8_t taken = group.load(std::memory_order_relaxed);
    while (!change(group, taken, static_cast<std::uint8_t>(taken & ~(1U << index % group_size)))) {
    }
  }

 private:
  static constexpr std::size_t group_size = 8;  // handles in a cache line

  static std::size_t group_of(std::uint64_t handle) { return (cairn::spread(handle) >> 32U) % (size / group_size); }

  [[gnu::noinline]] std::uint16_t find_further(std::uint64_t handle) const {
    const std::size_t group = group_of(handle);
    const unsigned taken = taken_[group].load(std::memory_order_acquire);
    for (std::size_t i = 0; i < group_size; ++i)
      if ((taken >> i & 1U) != 0 && handles_[group * group_size + i].load(std::memory_order_relaxed) == handle)
        return static_cast<std::uint16_t>(group * group_size + i);
    return unknown;
  }
  /// The group has others: it may be one of them.
  [[gnu::noinline]] page::Request* add_further(std::uint64_t handle) {
    if (const std::uint16_t known = find_further(handle); known != unknown) return &requests_[known];
    std::atomic<std::uint8_t>& group = taken_[group_of(handle)];
    std::uint8_t taken = group.load(std::memory_order_relaxed);
    do
      if (taken == 0xff) return nullptr;
    while (!change(group, taken, static_cast<std::uint8_t>(taken | (taken + 1U))));
    const std::size_t i = group_of(handle) * group_size + static_cast<std::size_t>(std::countr_one(taken));
    handles_[i].store(handle, std::memory_order_relaxed);
    return &requests_[i];
  }

  /// As compare_exchange, but without its cost where there is one thread.
  bool change(std::atomic<std::uint8_t>& group, std::uint8_t& from, std::uint8_t to) const {
    if (threads_meet_) return group.compare_exchange_strong(from, to, std::memory_order_acq_rel);
    if (const std::uint8_t there = group.load(std::memory_order_relaxed); there != from) {
      from = there;
      return false;
    }
    group.store(to, std::memory_order_relaxed);
    return true;
  }

  page::Request* requests_ = nullptr;
  bool threads_meet_ = true;
  std::array<std::atomic<std::uint8_t>, size / group_size> taken_{};    // a bit for each place of the group
  alignas(64) std::array<std::atomic<std::uint64_t>, size> handles_{};  // of the places in the page, close together
};

}  // namespace recorder
