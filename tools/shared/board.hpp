// SPDX-License-Identifier: BSD-3-Clause
// board.hpp - writing a board (cairn/board.hpp): memory for a tool's figures that other processes can read
#pragma once

#include <sys/stat.h>

#include <algorithm>
#include <cstring>
#include <mutex>
#include <new>
#include <string>

#include "base/processes.hpp"
#include "cairn/board.hpp"
#include "cairn/page.hpp"
#include "shared/node_file.hpp"

namespace shared {

namespace board = cairn::board;

class Board {
 public:
  Board() = default;
  Board(const Board&) = delete;
  Board& operator=(const Board&) = delete;

  /// Beside this process's page, if it has one: without, nobody reads. Where no file can be made, there is no room. A tool
  /// has one board: that of its first instance.
  void create(std::string_view ending, unsigned instance) {
    if (instance != 1) return;
    const std::string page = cairn::page::folder() + "/" + std::to_string(getpid()) + "-" +
                             std::to_string(cairn::facts_of_task("self").start) + ".page";
    struct stat there {};
    if (stat(page.c_str(), &there) == 0) create_file(board::beside(page, ending));
  }
  void create_file(const std::string& path) {
    const std::lock_guard lock(lock_);
    const NodeFile file(path, O_RDWR | O_CREAT | O_EXCL);
    if (file.number() < 0) return;
    path_ = path;
    if (!grow(file, first_room)) return give_up();
    header_ = reinterpret_cast<board::Header*>(at_);
    header_->version = board::version;
    header_->header_size = sizeof(board::Header);
    header_->end.store(sizeof(board::Header), std::memory_order_relaxed);
    at_ += sizeof(board::Header);
    std::atomic_thread_fence(std::memory_order_release);
    std::memcpy(header_->magic, board::magic, sizeof board::magic);
  }

  /// Whether anything can be read there.
  bool is_there() const { return header_ != nullptr; }

  /// The file goes, what is in it stays in memory.
  void remove() {
    const std::lock_guard lock(lock_);
    if (!path_.empty()) unlink(path_.c_str());
  }

  /// Room of `size` bytes that `fill(room)` writes to before anybody reads it; it is never given back. Null if there is
  /// none. Any thread.
  template <class Fill>
  void* add(std::uint32_t what, std::uint64_t number, std::size_t size, Fill fill) {
    const std::lock_guard lock(lock_);
    const std::size_t whole = (sizeof(board::Entry) + size + board::step - 1) / board::step * board::step;
    if (!make_room(whole)) return nullptr;
    auto* const entry = reinterpret_cast<board::Entry*>(at_);
    entry->size = static_cast<std::uint32_t>(whole);  // never read here: other processes may write to the file
    void* const room = entry + 1;
    fill(room);
    entry->what = what;
    entry->number = number;
    header_->end.fetch_add(whole, std::memory_order_release);
    at_ += whole;
    return room;
  }

 private:
  static constexpr std::size_t first_room = 1U << 16U;
  static constexpr std::size_t most_room = 1U << 20U;
  static constexpr std::size_t most_size = 1U << 26U;

  bool make_room(std::size_t size) {
    if (header_ == nullptr) return false;
    if (size <= static_cast<std::size_t>(end_ - at_) || grow_for(size)) return true;
    header_->lost.fetch_add(1, std::memory_order_relaxed);
    return false;
  }

  /// What is left of the last part is skipped.
  bool grow_for(std::size_t size) {
    if (size > most_room) return false;
    const auto rest = static_cast<std::size_t>(end_ - at_);
    auto* const filler = reinterpret_cast<board::Entry*>(at_);
    const NodeFile file(path_, O_RDWR);
    if (file.number() < 0 || !grow(file, std::clamp(size_, first_room, most_room))) return false;
    if (rest != 0) {
      *filler = {static_cast<std::uint32_t>(rest), 0, 0};
      header_->end.fetch_add(rest, std::memory_order_release);
    }
    return true;
  }

  bool grow(const NodeFile& file, std::size_t size) {
    if (size_ + size > most_size || file.allocate(size_, size) != 0) return false;
    void* const memory = file.map(size_, size);
    if (memory == nullptr) return false;
    at_ = static_cast<char*>(memory);
    end_ = at_ + size;
    size_ += size;
    return true;
  }

  void give_up() {
    unlink(path_.c_str());
    path_.clear();
  }

  std::mutex lock_;
  std::string path_;
  board::Header* header_ = nullptr;  // null: nothing is published
  char* at_ = nullptr;               // in the last part
  char* end_ = nullptr;
  std::size_t size_ = 0;  // of the file
};

}  // namespace shared
