// SPDX-License-Identifier: BSD-3-Clause
// scratch.hpp - an array for the time of one call: on the stack if it is short, else memory that the thread keeps
#pragma once

#include <array>
#include <cstddef>
#include <vector>

namespace services {

/// Its elements hold anything at first. Memory is taken only when a thread needs more than ever before.
template <class Element>
class Scratch {
 public:
  explicit Scratch(std::size_t count) {
    if (count <= few_.size()) return;
    many_.swap(kept());  // a call within the call, of a callback, finds nothing and takes memory of its own
    if (many_.size() < count) many_.resize(count);
    data_ = many_.data();
  }
  ~Scratch() {
    if (data_ != few_.data() && kept().size() < many_.size()) many_.swap(kept());
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  Element& operator[](std::size_t i) { return data_[i]; }
  const Element& operator[](std::size_t i) const { return data_[i]; }
  Element* data() { return data_; }

 private:
  static std::vector<Element>& kept() {
    static thread_local std::vector<Element> vector;
    return vector;
  }

  std::array<Element, 8> few_;
  std::vector<Element> many_;
  Element* data_ = few_.data();
};

}  // namespace services
