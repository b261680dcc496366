// SPDX-License-Identifier: BSD-3-Clause
// request_values.hpp - the values that tools have attached to the requests of one handle
//
// Part of requests.cc. What is in here is its own: shared variables would be reached through a table.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>

#include "cairn/kit/pool.hpp"
#include "cairn/services/requests.hpp"

namespace services {

namespace {

using cairn::RequestWatcher;

using Data = std::array<std::byte, cairn::Requests::data_size>;

/// `active`: started, and its completion not yet reported.
enum class State : std::uint8_t { absent, inactive, active };

struct Attached : cairn::PoolPiece {
  std::uint64_t value = 0;
  Data data{};
  State state = State::absent;

  void fill(std::uint64_t given, State begin) {
    value = given;
    state = begin;
  }
  void fill(const Data& given, State begin) {
    data = given;
    fill(reinterpret_cast<std::uintptr_t>(&data), begin);
  }
};

using Pieces = cairn::Pool<Attached>;

constexpr std::uint32_t most_watchers = 1000;

Pieces pieces;
std::array<RequestWatcher, most_watchers> watchers;
std::atomic<std::uint32_t> watcher_count{0};
std::atomic<bool> watchers_are_fixed{false};
bool statuses_wanted = false;
bool threads_meet = true;          // several threads may be in MPI at once; set by MPI_Init, before there is a request
std::uint32_t simple_watcher = 0;  // the first one, by the number that it has, if they may not; 0: there is none
bool has_more_to_tell = false;     // than the completion to the first watcher

void learn_if_simple() { simple_watcher = !threads_meet && watcher_count != 0 ? 1 : 0; }

/// What one watcher has attached to the requests of one handle.
class Values {
 public:
  /// Non-zero: out of memory.
  template <class Given>
  int add(const Given& given, State begin) {
    if (threads_meet || first_.state != State::absent) [[unlikely]]
      return add_more(given, begin);
    first_.fill(given, begin);
    return 0;
  }
  /// The one that needs no stack; used only if one thread at a time is in MPI.
  Attached& first() { return first_; }
  bool is_free() const { return first_.state == State::absent; }
  /// Null if there is none.
  Attached* take() { return first_.state != State::absent ? &first_ : more_.pop(pieces); }
  void put_back(Attached& taken) {
    if (&taken != &first_) more_.push(taken);
  }
  /// The value that was taken has been given to the watcher.
  void forget(Attached& taken) {
    taken.state = State::absent;
    if (&taken != &first_) pieces.give_back(taken);
  }

 private:
  template <class Given>
  [[gnu::noinline]] int add_more(const Given& given, State begin) {
    Attached* const made = pieces.take();
    if (made == nullptr) return 1;
    made->fill(given, begin);
    more_.push(*made);
    return 0;
  }

  Attached first_;
  Pieces::Stack more_;
};

/// The values at one handle, by watcher.
class Place {
 public:
  /// Null if this watcher never attached one.
  Values* find(std::uint32_t watcher) {
    if (watcher == 0) return &of_first_;
    Values* const others = of_others_.load(std::memory_order_acquire);
    return others == nullptr ? nullptr : &others[watcher - 1];
  }
  /// Null if out of memory.
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

}  // namespace

}  // namespace services
