// SPDX-License-Identifier: BSD-3-Clause
// scratch.hpp - an array for the duration of one call: on the stack if short, otherwise in memory that the thread keeps
#pragma once

#include <pthread.h>

#include <array>
#include <cstddef>
#include <cstdlib>
#include <type_traits>
#include <utility>

namespace services {

/// Its elements are not initialized. Allocates only when a thread needs more than ever before; without memory it has no
/// room, and no elements. Nothing here ends the process then, as the C library does where it has no memory to register a
/// destructor of thread_local data.
template <class Element>
class Scratch {
  static_assert(std::is_trivial_v<Element>);

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

  bool has_room() const { return data_ != nullptr; }
  Element& operator[](std::size_t i) { return data_[i]; }
  const Element& operator[](std::size_t i) const { return data_[i]; }
  Element* data() { return data_; }

 private:
  struct Many {
    Element* data = nullptr;
    std::size_t count = 0;
  };

  /// A nested call, made by a callback, finds nothing kept and allocates.
  [[gnu::noinline]] void take_many(std::size_t count) {
    many_ = std::exchange(kept_, {});
    if (many_.count < count) {
      std::free(many_.data);
      pthread_setspecific(key(), nullptr);
      many_.data = static_cast<Element*>(std::calloc(count, sizeof(Element)));
      many_.count = many_.data == nullptr ? 0 : count;
    }
    data_ = many_.data;
  }

  [[gnu::noinline]] void keep_many() {
    if (many_.count <= kept_.count || pthread_setspecific(key(), many_.data) != 0) return std::free(many_.data);
    std::free(kept_.data);
    kept_ = many_;
  }

  /// What it stands for is freed when the thread ends.
  static pthread_key_t key() {
    static const pthread_key_t made = [] {
      pthread_key_t key{};
      return pthread_key_create(&key, std::free) == 0 ? key : static_cast<pthread_key_t>(-1);
    }();
    return made;
  }

  static inline constinit thread_local Many kept_{};

  std::array<Element, 8> few_;
  Many many_;
  Element* data_ = few_.data();
};

}  // namespace services
