// SPDX-License-Identifier: BSD-3-Clause
// per_thread.hpp - data per thread, without locks or allocation per call
//
//   cairn::PerThread<Counts> counts;               // one per type and tool
//   counts.mine().messages += 1;                   // in a handler
//   counts.for_each([&](const Counts& one) {…});   // when no thread is in MPI any more, or for atomic members
#pragma once

#include <atomic>
#include <cstddef>
#include <new>

#include "cairn/services/thread_slots.hpp"

namespace cairn {

namespace kit {

/// Set before there is a PerThread; null in programs that are no tools, whose own thread-local variables are as near.
[[gnu::visibility("hidden")]] inline const ThreadSlots* thread_slots = nullptr;

}  // namespace kit

/// A Data is created, zeroed or by its default constructor, at a thread's first use. It outlives
/// its thread and is reused by the next new thread, so memory use follows the number of threads
/// that exist at the same time. If Data has thread_ended(), it is called in between. Never fails:
/// when out of memory, threads share one spare Data, whose contents may be inexact. There can be
/// only one PerThread<Data> per type. Hidden, so that static variables belong to this module.
template <class Data>
class [[gnu::visibility("hidden")]] PerThread {
 public:
  PerThread() {
    only_one_ = this;
    if (kit::thread_slots == nullptr) place_ = reinterpret_cast<char*>(&mine_) - thread_pointer();
    else if (const std::ptrdiff_t taken = kit::thread_slots->take(); taken != 0) place_ = taken;
    else place_ = kit::thread_slots->always_null;
  }
  PerThread(const PerThread&) = delete;
  PerThread& operator=(const PerThread&) = delete;

  /// The calling thread's.
  Data& mine() {
    Data* const data = slot();
    return data != nullptr ? *data : find();
  }

  /// Visits every Data, also of threads that have ended. Safe at any time, but may see a half-written Data.
  template <class Visit>
  void for_each(Visit visit) {
    for (Node* node = nodes_.load(std::memory_order_acquire); node != nullptr; node = node->next) visit(node->data);
    visit(spare_);
  }

 private:
  struct Node {
    Data data{};
    std::atomic<bool> in_use{true};
    Node* next = nullptr;
  };
  struct Lease {
    Node* node = nullptr;
    ~Lease() {
      if (node == nullptr) return;
      if constexpr (requires(Data & data) { data.thread_ended(); }) node->data.thread_ended();
      node->in_use.store(false, std::memory_order_release);
    }
  };

  static char* thread_pointer() { return static_cast<char*>(__builtin_thread_pointer()); }
  Data*& slot() const { return *reinterpret_cast<Data**>(thread_pointer() + place_); }
  bool has_slot() const { return kit::thread_slots == nullptr || place_ != kit::thread_slots->always_null; }

  /// Without `this`, so that callers keep their arguments in registers.
  [[gnu::noinline, gnu::cold]] static Data& find() {
    static thread_local Lease lease;
    PerThread& all = *only_one_;
    if (mine_ != nullptr && !all.has_slot()) return *mine_;
    Node* node = all.take_free();
    if (node == nullptr) node = all.add();
    lease.node = node;
    mine_ = node == nullptr ? &all.spare_ : &node->data;
    if (all.has_slot()) all.slot() = mine_;
    return *mine_;
  }

  Node* take_free() {
    for (Node* node = nodes_.load(std::memory_order_acquire); node != nullptr; node = node->next) {
      bool expected = false;
      if (node->in_use.compare_exchange_strong(expected, true, std::memory_order_acquire)) return node;
    }
    return nullptr;
  }

  Node* add() {
    auto* node = new (std::nothrow) Node;
    if (node == nullptr) return nullptr;
    node->next = nodes_.load(std::memory_order_relaxed);
    while (!nodes_.compare_exchange_weak(node->next, node, std::memory_order_release)) {
    }
    return node;
  }

  static inline PerThread* only_one_ = nullptr;
  static inline constinit thread_local Data* mine_ = nullptr;
  std::ptrdiff_t place_;  // of the pointer to the thread's Data, from the thread pointer
  std::atomic<Node*> nodes_{nullptr};
  Data spare_{};
};

}  // namespace cairn
