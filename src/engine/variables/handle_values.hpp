// SPDX-License-Identifier: BSD-3-Clause
// handle_values.hpp - what a performance variable's handle remembers of its variable, so that handles do not disturb
// each other.
//
// For classes that add up, a handle shows what came while it was started: `kept` plus what the total has grown by since
// `base`. For the others it shows the present value, or `kept` once it is stopped. A handle is used by one thread at a
// time, as the library's; others do not see it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>

#include "cairn/variables.h"

namespace cairn::engine {

class HandleValues {
 public:
  HandleValues() = default;
  /// is_open() tells whether there was memory.
  HandleValues(std::size_t size) : size_(size), values_(new (std::nothrow) std::byte[2 * size]()) {}
  bool is_open() const { return values_ != nullptr; }

  std::byte* kept() { return values_.get(); }
  std::byte* base() { return values_.get() + size_; }
  std::size_t size() const { return size_; }

 private:
  std::size_t size_ = 0;
  std::unique_ptr<std::byte[]> values_;
};

/// out[i] = a[i] + b[i] - c[i], element by element, in the type's own arithmetic; the memory may be the same.
inline void add_up(cairn_type type, std::size_t bytes, void* out, const void* a, const void* b, const void* c) {
  const auto each = [&]<class T>(T) {
    for (std::size_t at = 0; at < bytes; at += sizeof(T)) {
      T one, two, three;
      std::memcpy(&one, static_cast<const std::byte*>(a) + at, sizeof(T));
      std::memcpy(&two, static_cast<const std::byte*>(b) + at, sizeof(T));
      std::memcpy(&three, static_cast<const std::byte*>(c) + at, sizeof(T));
      const T sum = one + (two - three);
      std::memcpy(static_cast<std::byte*>(out) + at, &sum, sizeof(T));
    }
  };
  if (type == CAIRN_DOUBLE) each(double{});
  else if (type == CAIRN_UNSIGNED) each(unsigned{});
  else each(std::uint64_t{});
}

}  // namespace cairn::engine
