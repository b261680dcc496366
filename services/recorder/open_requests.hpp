// SPDX-License-Identifier: BSD-3-Clause
// open_requests.hpp - requests that are not known to be complete, by handle, in the page
//
// Places are found without locks. A request beyond those that have room is not followed. MPI libraries give requests
// that are complete from the start one handle: the last of them stands for all, as nobody waits for any.
#pragma once

#include <array>
#include <atomic>
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

  std::uint16_t find(std::uint64_t handle) const {
    const std::size_t first = group_of(handle);
    for (std::size_t i = first; i < first + group_size; ++i)
      if (handles_[i].load(std::memory_order_relaxed) == handle) return static_cast<std::uint16_t>(i);
    return unknown;
  }

  page::Request& at(std::uint16_t index) const { return requests_[index]; }

  /// Null if there is no room.
  page::Request* add(std::uint64_t handle, bool threads_meet) {
    if (const std::uint16_t known = find(handle); known != unknown) return &requests_[known];
    const std::size_t first = group_of(handle);
    for (std::size_t i = first; i < first + group_size; ++i)
      if (take(i, handle, threads_meet)) return &requests_[i];
    return nullptr;
  }

  void remove(std::uint16_t index) {
    requests_[index].state.store(page::Request::absent, std::memory_order_relaxed);
    handles_[index].store(0, std::memory_order_release);
  }

 private:
  static constexpr std::size_t group_size = 8;  // handles in a cache line

  static std::size_t group_of(std::uint64_t handle) {
    return (cairn::spread(handle) >> 32U) % (size / group_size) * group_size;
  }
  bool take(std::size_t i, std::uint64_t handle, bool threads_meet) {
    std::uint64_t there = handles_[i].load(std::memory_order_relaxed);
    if (there != 0) return false;
    if (!threads_meet) handles_[i].store(handle, std::memory_order_relaxed);
    else if (!handles_[i].compare_exchange_strong(there, handle, std::memory_order_acq_rel)) return false;
    requests_[i].handle = handle;
    return true;
  }

  page::Request* requests_ = nullptr;
  alignas(64) std::array<std::atomic<std::uint64_t>, size> handles_{};  // of the places in the page, close together
};

}  // namespace recorder
