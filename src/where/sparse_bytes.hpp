// SPDX-License-Identifier: BSD-3-Clause
// sparse_bytes.hpp - bytes of which most are 0: only those that were written take memory, in units of the system's pages
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <new>
#include <string_view>

namespace cairn::where {

class SparseBytes {
 public:
  SparseBytes() = default;
  SparseBytes(const SparseBytes&) = delete;
  SparseBytes& operator=(const SparseBytes&) = delete;
  ~SparseBytes() {
    if (at_ != nullptr) munmap(at_, room_);
  }

  const char* data() const { return static_cast<const char*>(at_); }
  std::size_t size() const { return size_; }
  std::string_view text() const { return {data(), size_}; }

  /// What is new is 0. Throws std::bad_alloc.
  void resize(std::size_t size) {
    const std::size_t room = rounded(size);
    if (size < size_) std::memset(bytes() + size, 0, std::min(size_, room) - size);
    if (room != room_) move_to(room);
    size_ = size;
  }
  /// Within the size.
  void write(std::size_t at, std::string_view what) { what.copy(bytes() + at, what.size()); }
  void clear(std::size_t at, std::size_t size) { std::memset(bytes() + at, 0, size); }

 private:
  static std::size_t rounded(std::size_t size) {
    static const auto unit = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    return (size + unit - 1) / unit * unit;
  }
  char* bytes() { return static_cast<char*>(at_); }
  void move_to(std::size_t room) {
    if (room == 0) {
      munmap(at_, room_);
      at_ = nullptr;
    } else {
      void* const moved = at_ != nullptr ? mremap(at_, room_, room, MREMAP_MAYMOVE)
                                         : mmap(nullptr, room, PROT_READ | PROT_WRITE,
                                                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
      if (moved == MAP_FAILED) throw std::bad_alloc();
      at_ = moved;
    }
    room_ = room;
  }

  void* at_ = nullptr;
  std::size_t room_ = 0;
  std::size_t size_ = 0;
};

}  // namespace cairn::where
