// SPDX-License-Identifier: BSD-3-Clause
// per_thread.hpp - what a tool records, once per thread: no locks and no allocation per call
//
//   cairn::PerThread<Counts> counts;               // one per type and tool
//   counts.mine().messages += 1;                   // in a handler
//   counts.for_each([&](const Counts& one) {…});   // when the threads that call MPI are done, or of atomic members
#pragma once

#include <atomic>
#include <new>

namespace cairn {

/// A Data is made, zeroed or by its default constructor, at a thread's first use. It outlives its thread, and the next
/// new thread goes on with it; so the memory follows the number of threads that live at once. A Data may have
/// thread_ended(), which is called in between. Never fails: when memory is out, threads share one spare Data and what
/// they record may suffer. There can be one PerThread<Data> per Data.
template <class Data>
class PerThread {
 public:
  /// The calling thread's. Hidden: what is static in it is this module's own.
  [[gnu::visibility("hidden")]] Data& mine() {
    static thread_local Data* data = nullptr;
    if (data == nullptr) [[unlikely]]
      data = &find();
    return *data;
  }

  /// Every Data there is, those of ended threads too. Safe at any time; what a thread is just writing may be seen half.
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

  [[gnu::noinline, gnu::cold, gnu::visibility("hidden")]] Data& find() {
    static thread_local Lease lease;
    Node* node = take_free();
    if (node == nullptr) node = add();
    lease.node = node;
    return node == nullptr ? spare_ : node->data;
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

  std::atomic<Node*> nodes_{nullptr};
  Data spare_{};
};

}  // namespace cairn
