// SPDX-License-Identifier: BSD-3-Clause
// blocks.hpp - blocks as they lie in the file, and the contents of all but those of records (record_coder.hpp)
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "trace/bytes.hpp"
#include "trace/format.hpp"

struct ZSTD_CCtx_s;
struct ZSTD_CDict_s;

namespace cairn::trace {

/// What a file begins with.
std::string file_head();

/// Compresses; keeps memory for that between blocks.
class BlockWriter {
 public:
  BlockWriter() : BlockWriter("") {}
  /// `common`: what blocks may have in common with others, not copied. Compresses thoroughly.
  explicit BlockWriter(std::string_view common);
  ~BlockWriter();
  BlockWriter(const BlockWriter&) = delete;
  BlockWriter& operator=(const BlockWriter&) = delete;

  /// The head and the compressed content. `of`: of records, what the head tells of them.
  std::string block(BlockKind kind, std::string_view content, BlockHead of = {});

 private:
  ZSTD_CCtx_s* compressor_;
  ZSTD_CDict_s* common_;  // null: nothing
};

BlockHead head_of(std::string_view bytes);
/// The content. `common`: what the block was compressed with. Throws Damaged.
std::string unpacked(const BlockHead& head, std::string_view stored, std::string_view common = {});

/// Of a page's table of functions, by number.
std::vector<Function> functions_of(std::string_view table);
std::string content_of(const Process& process, std::string_view functions);
void read(std::string_view content, Process& process);

std::string content_of(const Moment& moment);
void read(std::string_view content, Moment& moment);

std::string content_of(const Comparison& comparison);
void read(std::string_view content, Comparison& comparison);

std::string content_of(const End& end);
void read(std::string_view content, End& end);

/// A block of definitions holds any number of them. Objects and datatypes have numbers from 1; 0 is none, or an unknown
/// one. Each definition says its number, so that others can be missing; up to version 4 they were counted.
void define(std::string& content, std::uint32_t number, const Object& object);
void define(std::string& content, std::uint32_t number, const Datatype& type);
void define(std::string& content, const Mapped& mapped);
/// The system's number of a thread.
void define_thread(std::string& content, std::uint32_t thread, std::int32_t id);

/// Of a region, as the tool in `layer` numbers it.
struct RegionId {
  std::int32_t layer = 0;
  std::uint64_t number = 0;
  auto operator<=>(const RegionId&) const = default;
};
/// `path`: "solve/halo"; "": outside of all.
void define_region(std::string& content, RegionId region, std::string_view path);

/// What has numbers, some of which may be missing.
template <class Of>
class Numbered {
 public:
  /// Null: it is not defined.
  const Of* find(std::uint64_t number) const {
    return number < places_.size() && places_[number] != 0 ? &all_[places_[number] - 1] : nullptr;
  }
  /// In the order in which they were defined.
  const std::vector<Of>& all() const { return all_; }
  std::uint32_t count() const { return static_cast<std::uint32_t>(all_.size()); }
  /// A number above all that are defined.
  std::uint32_t next() const { return static_cast<std::uint32_t>(std::max<std::size_t>(places_.size(), 1)); }
  void set(std::uint32_t number, Of made) {
    if (places_.size() <= number) places_.resize(number + 1);
    std::uint32_t& place = places_[number];
    if (place != 0) {
      all_[place - 1] = std::move(made);
      return;
    }
    all_.push_back(std::move(made));
    place = static_cast<std::uint32_t>(all_.size());
  }

 private:
  std::vector<std::uint32_t> places_;  // by number, from 1; 0: none
  std::vector<Of> all_;
};

struct Definitions {
  Numbered<Object> objects;
  Numbered<Datatype> types;
  std::vector<Mapped> mapped;
  std::vector<std::int32_t> threads;  // ids, by number; 0: unknown
  std::map<RegionId, std::string> regions;
  std::uint64_t left_out = 0;  // that are more than any trace needs
};
/// `from`: the version of the file.
void read(std::string_view content, Definitions& definitions, std::uint32_t from = version);

}  // namespace cairn::trace
