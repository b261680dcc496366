// SPDX-License-Identifier: BSD-3-Clause
// changes.hpp - what two readings of a variable say, by the class of the variable. No MPI in here.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <type_traits>

#include "formats/vars_board.hpp"

namespace vars {

/// How readings of a class become figures.
enum class Way {
  sum,         // counters, aggregates, timers: the difference
  level,       // levels, percentages: the value after the call
  size,        // sizes: the value, and the time in each
  state,       // states: the time in each
  high_water,  // how often and how far it rose
  low_water,   // how often and how far it fell
  raw          // generic: only its last value
};

/// What a call did to a variable: sums over all its handles and their elements.
struct Reading {
  double before = 0;
  double after = 0;
  double change = 0;     // for sums and watermarks
  double elsewhere = 0;  // the same, from the last call that was read to this one
  unsigned handles = 0;
  unsigned resets = 0;
  bool moved = false;  // in the call or before it
};

/// How much a sum has grown. Less than before: an integer that has come round is taken for that if its change is then
/// less than half the type's range; otherwise the variable was reset, and grew from zero.
template <class T>
double growth(T before, T after, unsigned& resets) {
  if (after >= before) return static_cast<double>(after - before);
  if constexpr (std::is_unsigned_v<T>) {
    const T around = static_cast<T>(after - before);
    if (around <= std::numeric_limits<T>::max() / 2) return static_cast<double>(around);
  }
  ++resets;
  return static_cast<double>(after);
}

template <class T>
double change_between(Way way, T before, T after, unsigned& resets) {
  switch (way) {
    case Way::sum:
      return growth(before, after, resets);
    case Way::high_water:
      return after > before ? static_cast<double>(after - before) : 0;
    case Way::low_water:
      return after < before ? static_cast<double>(before - after) : 0;
    default:
      return 0;
  }
}

/// Adds one handle's elements: the values at the end of the last call that was read, before this one, and after it.
template <class T>
void add_handle(Way way, std::size_t count, const T* last, const T* before, const T* after, Reading& reading) {
  for (std::size_t i = 0; i < count; ++i) {
    reading.elsewhere += change_between(way, last[i], before[i], reading.resets);
    reading.change += change_between(way, before[i], after[i], reading.resets);
    reading.moved |= last[i] != before[i] || before[i] != after[i];
    reading.before += static_cast<double>(before[i]);
    reading.after += static_cast<double>(after[i]);
  }
  ++reading.handles;
}

/// How long, and in how many calls, a variable had a value.
struct ValueTime {
  double value = 0;
  std::uint64_t calls = 0;
  double seconds = 0;

  void add(const ValueTime& more) {
    calls += more.calls;
    seconds += more.seconds;
  }
  static void members(auto& archive, auto& one) { archive(one.value, one.calls, one.seconds); }
};

/// By value; those beyond the first few are taken together.
struct ValueTimes {
  std::array<ValueTime, 16> known{};
  std::size_t count = 0;
  ValueTime others;

  void add(const ValueTime& more) { find(more.value).add(more); }
  void add(const ValueTimes& more) {
    for (std::size_t i = 0; i < more.count; ++i) add(more.known[i]);
    others.add(more.others);
  }

 private:
  ValueTime& find(double value) {
    for (std::size_t i = 0; i < count; ++i)
      if (known[i].value == value) return known[i];
    if (count == known.size()) return others;
    known[count].value = value;
    return known[count++];
  }
};

using cairn::formats::vars::Figures;

constexpr bool is_sum_of_changes(Way way) { return way == Way::sum || way == Way::high_water || way == Way::low_water; }
constexpr bool has_times(Way way) { return way == Way::size || way == Way::state; }

/// Around the calls of one function, in one region, from one place, or of one part of the variable. On the board, its
/// figures are read by others.
struct Cell : Figures {
  std::unique_ptr<ValueTimes> times;  // of states and sizes, made at the first

  /// `seconds`: how long the call took. That time belongs to the value that was found before it.
  void add(Way way, const Reading& reading, double seconds) {
    const bool moved = is_sum_of_changes(way) ? reading.change > 0 : reading.after != reading.before;
    Figures::add({1, moved ? 1U : 0U, reading.change, reading.change, reading.after, reading.after, reading.after});
    if (!has_times(way)) return;
    make_times();
    times->add(ValueTime{reading.before, 1, seconds});
  }
  void add(const Cell& more) {
    Figures::add(more);
    if (more.times == nullptr) return;
    make_times();
    times->add(*more.times);
  }
  void make_times() {
    if (times == nullptr) times = std::make_unique<ValueTimes>();
  }
};

}  // namespace vars
