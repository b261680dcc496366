// SPDX-License-Identifier: BSD-3-Clause
// scratch.hpp - an array for the duration of one call: on the stack if short, otherwise in memory that the thread keeps
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <utility>

namespace services {

/// Its elements are not initialized. Allocates only when a thread needs more than ever before.
template <class Element>
class Scratch {
 public:
  explicit Scratch(std::size_t count) {
    if (count > few_.size()) [[unlikely]]
      take_many(count);
  }
  ~Scratch() {
    if (data_ != few_.data()) [[unlikely]]
      keep_many();
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  Element& operator[](std::size_t i) { return data_[i]; }
  const Element& operator[](std::size_t i) const { return data_[i]; }
  Element* data() { return data_; }

 private:
  struct Many {
    std::unique_ptr<Element[]> data;
    std::size_t count = 0;
  };

  static Many& kept() {
    static thread_local Many many;
    return many;
  }

  /// A nested call, made by a callback, finds nothing kept and allocates.
  [[gnu::noinline]] void take_many(std::size_t count) {
    Many many = std::exchange(kept(), {});
    if (many.count < count) many = {std::make_unique_for_overwrite<Element[]>(count), count};
    many_count_ = many.count;
    data_ = many.data.release();
  }

  [[gnu::noinline]] void keep_many() {
    Many many{std::unique_ptr<Element[]>(data_), many_count_};
    if (kept().count < many.count) std::swap(kept(), many);
  }

  std::array<Element, 8> few_;
  std::size_t many_count_;
  Element* data_ = few_.data();
};

}  // namespace services
