// SPDX-License-Identifier: BSD-3-Clause
// list.hpp - one of MPI_T's lists as programs see it: the library's entries and ours under indices that stay.
//
// The list only grows: first it takes in what the library has, then what is ours; and again whenever it is asked for,
// as both sides may have added something. So an index never changes its meaning.
#pragma once

#include <deque>
#include <vector>

namespace cairn::engine {

/// Where an index of the program's leads.
template <class T>
struct Target {
  int library = -1;  // index in the library, or -1
  T* own = nullptr;
};

/// `T` is an Entry. Not thread-safe.
template <class T>
class List {
 public:
  T& add(T entry) { return own_.emplace_back(std::move(entry)); }
  std::deque<T>& own() { return own_; }

  /// Takes in what is new: the library's first `count` entries, then ours, unless `clashes` says that the library has
  /// that entry's name.
  template <class Clashes>
  void grow(int count, Clashes clashes) {
    for (int i = static_cast<int>(places_.size()); i < count; ++i) {
      places_.push_back(size());
      targets_.push_back({i, nullptr});
    }
    for (; taken_ < own_.size(); ++taken_) {
      T& entry = own_[taken_];
      if (entry.refused || (entry.refused = clashes(entry))) continue;
      entry.index = size();
      targets_.push_back({-1, &entry});
    }
  }

  /// Forgets all indices, as MPI_T was finalized.
  void clear() {
    targets_.clear();
    places_.clear();
    taken_ = 0;
    for (T& entry : own_) entry.index = -1;
  }

  int size() const { return static_cast<int>(targets_.size()); }
  bool has_news(int count) const { return static_cast<int>(places_.size()) < count || taken_ < own_.size(); }
  Target<T> at(int index) const {
    return index >= 0 && index < size() ? targets_[static_cast<std::size_t>(index)] : Target<T>{};
  }
  /// The index under which programs see an entry of the library; -1 if it is not in the list yet.
  int place(int library) const {
    return library >= 0 && library < static_cast<int>(places_.size()) ? places_[static_cast<std::size_t>(library)] : -1;
  }

 private:
  std::vector<Target<T>> targets_;
  std::vector<int> places_;  // by the library's index
  std::deque<T> own_;        // in one place for ever
  std::size_t taken_ = 0;    // of own_, how many have been looked at
};

}  // namespace cairn::engine
