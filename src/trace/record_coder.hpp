// SPDX-License-Identifier: BSD-3-Clause
// record_coder.hpp - a thread's records as the content of a block, and back
//
// Programs repeat themselves: what is the same about calls that come again (function, call site, arguments) is written
// once for each block, as a signature, and then named by its number. What differs each time stands in columns of its
// own: the time since the call before, the duration, the request's handle, the number among the collective calls; each
// as the difference to the last record with that signature, so that a compressor finds little left.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "trace/bytes.hpp"
#include "trace/format.hpp"
#include "trace/times.hpp"

namespace cairn::trace {

struct Signature {
  std::uint64_t site = 0;
  std::uint64_t count = 0;
  std::uint32_t object = 0;
  std::int32_t peer = 0;
  std::int32_t tag = 0;
  std::uint32_t type = 0;
  std::uint16_t function = 0;
  std::uint16_t flags = 0;
  bool has_number = false;

  bool operator==(const Signature&) const = default;
};

struct SignatureHash {
  std::size_t operator()(const Signature& of) const;
};

class RecordEncoder {
 public:
  /// Of moments, in ticks; 0: they are exact. Before the first record.
  void allow(std::uint64_t error) { error_ = error; }
  Form form() const { return error_ == 0 ? Form::exact : Form::within_error; }

  std::uint32_t count() const { return count_; }
  std::uint64_t first() const { return first_; }

  /// Of the block, so far, of that thread.
  BlockHead head(std::uint32_t thread) const {
    return {.form = form(), .thread = thread, .count = count_, .first = first_};
  }

  /// The thread's record of that number, from 0; those of one block follow each other.
  void add(const Record& record, std::uint64_t number);
  /// The content of the block; the next one begins.
  std::string take();

 private:
  struct Known {
    Signature signature;
    std::uint64_t other = 0;
    std::uint64_t number = 0;
    std::size_t next = 0;  // which one came after it the last time
  };

  std::size_t place_of(const Signature& signature);
  void add_times(const Record& record);
  void add_within_error(const Record& record, std::size_t place);
  void describe(const Signature& signature);

  std::uint64_t error_ = 0;
  std::uint32_t count_ = 0;
  std::uint64_t first_ = 0;
  std::uint64_t last_end_ = 0;
  std::size_t last_ = 0;
  std::vector<Known> known_;
  std::unordered_map<Signature, std::size_t, SignatureHash> places_;
  std::size_t last_timed_ = 0;
  TimesEncoder times_;
  std::string order_, signatures_, gaps_, durations_, others_, numbers_;
};

/// Of a block with that head. Throws Damaged.
std::vector<Record> decode_records(std::string_view content, const BlockHead& head);

}  // namespace cairn::trace
