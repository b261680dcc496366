// SPDX-License-Identifier: BSD-3-Clause
// page_file.hpp - the file that a page is in: created, extended, removed
//
// Everything that is written to is allocated first: on a full file system, a write to a mapped page that is not
// allocated would end the program. Where a file cannot be had, the page is in private memory.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cairn/page.hpp"

namespace recorder {

namespace page = cairn::page;

/// A text in the page, cut to its room.
template <std::size_t Size>
void put(char (&place)[Size], std::string_view text) {
  place[text.copy(place, Size - 1)] = '\0';
}

class PageFile {
 public:
  static constexpr std::size_t functions_room = 16384;

  /// A place in the file that is not mapped.
  struct Room {
    std::uint64_t at = 0;
    std::size_t size = 0;
  };

  /// Of `ring_size` calls per thread. Never fails, but without memory the page is null.
  void create(std::uint32_t ring_size);

  page::PageHeader* header() { return header_; }
  /// "" in private memory.
  const std::string& path() const { return path_; }
  std::uint32_t threads() const { return thread_count_; }
  /// Null if there is none. Any thread.
  const page::Thread* thread(std::uint32_t i) const {
    return i < threads_.size() ? threads_[i].load(std::memory_order_acquire) : nullptr;
  }
  /// Why it is in private memory; "" if it is not.
  const std::string& problem() const { return problem_; }

  /// A part of the page; `at` as its table says.
  template <class Entry>
  Entry* table(const page::Table& table) {
    return reinterpret_cast<Entry*>(reinterpret_cast<char*>(header_) + table.at);
  }

  // From here on: one thread at a time.

  /// Thread block and ring, in private memory where the file has no room; null if there is no memory for one more.
  page::Thread* add_thread();
  /// Whether other processes can read the last one that was added.
  bool is_last_readable() const { return header_->threads[thread_count_ - 1].load(std::memory_order_relaxed) != 0; }
  /// Writes numbers to a room, which gets larger as needed. False if they are not kept.
  bool write_numbers(Room& room, const std::vector<std::int32_t>& numbers) {
    return write_bytes(room, numbers.data(), numbers.size() * sizeof numbers[0]);
  }

  /// The run is known: its processes on this node are counted, in a file beside the pages, and the first of them has the
  /// list of nodes. `has_folder`: the run's folder has been made.
  void join(const std::string& run, const std::string& nodes, bool has_folder);
  /// The process has come to an end: `how` tells of one that is not normal.
  void end_as(page::Phase phase, const std::string& how);
  /// A normal end. The last process of the run on this node removes the pages of all.
  void leave();

 private:
  bool create_file(std::size_t size);
  bool find_folder(std::string& folder);
  bool give_up(const std::string& what, int error);
  void lay_out(std::uint32_t ring_size, std::size_t size);
  bool write_bytes(Room& room, const void* bytes, std::size_t size);
  std::uint64_t extend(std::size_t size);
  int change_count(int by, bool has_folder = false);
  void remove_all() const;

  page::PageHeader* header_ = nullptr;
  std::string folder_;
  std::string path_;
  std::string problem_;
  std::string run_;
  std::uint32_t thread_count_ = 0;
  std::array<std::atomic<page::Thread*>, page::PageHeader::most_threads> threads_{};
};

}  // namespace recorder
