// SPDX-License-Identifier: BSD-3-Clause
// page_file.hpp - the file that a page is in: created, extended, removed
//
// Everything that is written to is allocated first: on a full file system, a write to a mapped page that is not
// allocated would end the program. Where no file can be created, the page is in private memory.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cairn/page.hpp"

namespace recorder {

namespace page = cairn::page;

/// A text in the page, cut to its room.
template <std::size_t Size>
void put(char (&place)[Size], std::string_view text) {
  place[text.copy(place, Size - 1)] = '\0';
}

/// Entries of a table that grows. Reading: any thread.
template <class Entry>
class Entries {
 public:
  static constexpr std::uint32_t part_size = 256;

  Entry& operator[](std::uint32_t i) { return parts_[i / part_size].load(std::memory_order_acquire)[i % part_size]; }
  /// Null beyond the last.
  const Entry* find(std::uint32_t i) const {
    const Entry* const part = i < most ? parts_[i / part_size].load(std::memory_order_acquire) : nullptr;
    return part == nullptr ? nullptr : &part[i % part_size];
  }
  std::uint32_t count() const { return count_.load(std::memory_order_acquire); }
  bool can_grow() const { return count() < most; }
  void add(Entry* part) {
    const std::uint32_t before = count();
    parts_[before / part_size].store(part, std::memory_order_release);
    count_.store(before + part_size, std::memory_order_release);
  }

 private:
  static constexpr std::uint32_t most = (1 + page::MoreOfTable::most) * part_size;
  std::array<std::atomic<Entry*>, most / part_size> parts_{};
  std::atomic<std::uint32_t> count_{0};
};

class PageFile {
 public:
  static constexpr std::size_t functions_room = 16384;

  /// A place in the file that is not mapped; without a file, an address.
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

  /// None without a page.
  Entries<page::Object>& objects() { return objects_; }
  Entries<page::Datatype>& datatypes() { return datatypes_; }

  // From here on: one thread at a time for each table, for threads, for each room and for the rest.

  /// One part more, if there is room.
  bool grow_objects() { return grow(objects_, header_->more_objects); }
  bool grow_datatypes() { return grow(datatypes_, header_->more_datatypes); }

  /// Thread block and ring, in private memory where the file has no room; null if there is no memory for one more.
  page::Thread* add_thread();
  std::string why_no_thread() const;
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
  /// Null without memory for it. Its place in the file; 0: in private memory.
  std::pair<void*, std::uint64_t> add_part(std::size_t size);
  template <class Entry>
  bool grow(Entries<Entry>& entries, page::MoreOfTable& more) {
    if (!entries.can_grow()) return false;
    const auto [part, at] = add_part(sizeof(Entry) * Entries<Entry>::part_size);
    if (part == nullptr) return false;
    more.at[entries.count() / Entries<Entry>::part_size - 1].store(at, std::memory_order_release);
    if (at == 0) header_->objects_left_out.fetch_add(1, std::memory_order_relaxed);  // out of readers' sight
    entries.add(static_cast<Entry*>(part));
    return true;
  }
  /// Room at the end; 0 if there is none. Any thread.
  std::uint64_t extend(std::size_t size);
  int change_count(int by, bool has_folder = false);
  void remove_all() const;

  page::PageHeader* header_ = nullptr;
  std::mutex end_lock_;
  std::string folder_;
  std::string path_;
  std::string problem_;
  std::string run_;
  Entries<page::Object> objects_;
  Entries<page::Datatype> datatypes_;
  std::uint32_t thread_count_ = 0;
  std::array<std::atomic<page::Thread*>, page::PageHeader::most_threads> threads_{};
};

}  // namespace recorder
