// SPDX-License-Identifier: BSD-3-Clause
// record_coder.cc - writing and reading the columns of a block of records

#include "trace/record_coder.hpp"

#include <utility>

#include "cairn/kit/flat_table.hpp"

namespace cairn::trace {

std::size_t SignatureHash::operator()(const Signature& of) const {
  std::uint64_t hash = of.site;
  const auto mix = [&hash](std::uint64_t value) {
    hash = cairn::spread(hash ^ value);
    hash ^= hash >> 29U;
  };
  mix(of.count);
  mix(static_cast<std::uint64_t>(of.object) << 32U | of.type);
  mix(static_cast<std::uint64_t>(static_cast<std::uint32_t>(of.peer)) << 32U | static_cast<std::uint32_t>(of.tag));
  mix(static_cast<std::uint64_t>(of.function) << 32U | static_cast<std::uint64_t>(of.flags) << 1U |
      static_cast<std::uint64_t>(of.has_number));
  return hash;
}

void RecordEncoder::describe(const Signature& signature) {
  put(signatures_, signature.function);
  put(signatures_, signature.flags);
  put(signatures_, signature.has_number ? 1 : 0);
  put(signatures_, signature.site);
  put(signatures_, signature.count);
  put(signatures_, signature.object);
  put(signatures_, signature.type);
  put_signed(signatures_, signature.peer);
  put_signed(signatures_, signature.tag);
}

/// Mostly the one that followed the last one before.
std::size_t RecordEncoder::place_of(const Signature& signature) {
  if (!known_.empty())
    if (const std::size_t guess = known_[last_].next; known_[guess].signature == signature) return guess;
  const auto [place, is_new] = places_.try_emplace(signature, known_.size());
  if (is_new) {
    known_.push_back({signature});
    describe(signature);
  }
  return place->second;
}

void RecordEncoder::add(const Record& record, std::uint64_t number) {
  if (count_ == 0) first_ = number;
  const bool has_number = record.number != 0;
  const std::size_t place = place_of({record.site, record.count, record.object, record.peer, record.tag, record.type,
                                      record.function, record.flags, has_number});
  known_[last_].next = place;
  last_ = place;
  ++count_;
  Known& known = known_[place];
  put(order_, place);
  put_signed(others_, record.other - std::exchange(known.other, record.other));
  if (has_number) put_signed(numbers_, record.number - std::exchange(known.number, record.number));
  if (is_detail(record)) return put(gaps_, number + 1 - record.entry);
  put_signed(gaps_, record.entry - last_end_);
  last_end_ = record.entry;
  if ((record.flags & unfinished) != 0) return;
  put_signed(durations_, record.exit - record.entry);
  last_end_ = record.exit;
}

std::string RecordEncoder::take() {
  std::string content;
  for (std::string* column : {&order_, &signatures_, &gaps_, &durations_, &others_, &numbers_}) {
    put_text(content, *column);
    column->clear();
  }
  known_.clear();
  places_.clear();
  count_ = 0;
  last_end_ = 0;
  last_ = 0;
  return content;
}

namespace {

/// The columns of one block.
class Decoder {
 public:
  explicit Decoder(Bytes content)
      : order_(content.text()),
        signatures_(content.text()),
        gaps_(content.text()),
        durations_(content.text()),
        others_(content.text()),
        numbers_(content.text()) {}

  Record next(std::uint64_t number) {
    Record record = of(order_.number());
    if (is_detail(record)) {
      record.entry = number + 1 - gaps_.number();
      record.exit = 1;
      return record;
    }
    record.entry = last_end_ + gaps_.difference();
    last_end_ = record.entry;
    record.exit = 0;
    if ((record.flags & unfinished) != 0) return record;
    record.exit = record.entry + durations_.difference();
    last_end_ = record.exit;
    return record;
  }

 private:
  struct Known {
    Record record{};
    bool has_number = false;
  };

  /// All of the record but its times.
  const Record& of(std::uint64_t place) {
    if (place > known_.size()) throw Damaged("a signature is missing");
    if (place == known_.size()) add_signature();
    Known& known = known_[place];
    known.record.other += others_.difference();
    if (known.has_number) known.record.number += static_cast<std::uint32_t>(numbers_.difference());
    return known.record;
  }
  void add_signature() {
    Known made;
    made.record.function = static_cast<std::uint16_t>(signatures_.number());
    made.record.flags = static_cast<std::uint16_t>(signatures_.number());
    made.has_number = signatures_.number() != 0;
    made.record.site = signatures_.number();
    made.record.count = signatures_.number();
    made.record.object = static_cast<std::uint32_t>(signatures_.number());
    made.record.type = static_cast<std::uint32_t>(signatures_.number());
    made.record.peer = signatures_.small();
    made.record.tag = signatures_.small();
    known_.push_back(made);
  }

  Bytes order_, signatures_, gaps_, durations_, others_, numbers_;
  std::vector<Known> known_;
  std::uint64_t last_end_ = 0;
};

}  // namespace

std::vector<Record> decode_records(std::string_view content, std::uint32_t count, std::uint64_t first) {
  if (count > most_records || count > content.size()) throw Damaged("there are fewer records than it says");
  Decoder decoder{Bytes(content)};
  std::vector<Record> records;
  records.reserve(count);
  for (std::uint32_t i = 0; i < count; ++i) records.push_back(decoder.next(first + i));
  return records;
}

}  // namespace cairn::trace
