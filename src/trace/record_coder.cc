// SPDX-License-Identifier: BSD-3-Clause
// record_coder.cc - writing and reading the columns of a block of records

#include "trace/record_coder.hpp"

#include <optional>
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

namespace {

/// What moments are compared with others of: beginnings of calls with the same call before, and their ends. Places are
/// of signatures.
std::uint64_t begin_kind(std::uint64_t place, std::uint64_t before) { return place << 32U | before; }
std::uint64_t end_kind(std::uint64_t place) { return place << 32U | UINT32_MAX; }

}  // namespace

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
  if (has_number) put_signed(numbers_, record.number - std::exchange(known.number, record.number));
  if (is_detail(record)) put(gaps_, number + 1 - record.entry);
  if (error_ != 0) return add_within_error(record, place);
  put_signed(others_, record.other - std::exchange(known.other, record.other));
  if (!is_detail(record)) add_times(record);
}

void RecordEncoder::add_times(const Record& record) {
  put_signed(gaps_, record.entry - last_end_);
  last_end_ = record.entry;
  if ((record.flags & unfinished) != 0) return;
  put_signed(durations_, record.exit - record.entry);
  last_end_ = record.exit;
}

/// That a thread has come to another region is a moment too.
void RecordEncoder::add_within_error(const Record& record, std::size_t place) {
  const bool is_region = record.function == page::region_changed;
  if (!is_region) put_signed(others_, record.other - std::exchange(known_[place].other, record.other));
  if (is_detail(record) && !is_region) return;
  times_.add(begin_kind(place, last_timed_), is_region ? record.other : record.entry);
  if (!is_region && (record.flags & unfinished) == 0) times_.add(end_kind(place), record.exit);
  last_timed_ = place;
}

std::string RecordEncoder::take() {
  std::string content;
  for (std::string* column : {&order_, &signatures_, &gaps_, &durations_, &others_, &numbers_}) {
    put_text(content, *column);
    column->clear();
  }
  if (error_ != 0) {
    const auto [usual, runs, values] = times_.take(error_);
    for (const std::string& column : {usual, runs, values}) put_text(content, column);
  }
  known_.clear();
  places_.clear();
  count_ = 0;
  last_end_ = 0;
  last_ = 0;
  last_timed_ = 0;
  return content;
}

namespace {

/// The columns of one block.
class Decoder {
 public:
  Decoder(Bytes content, Form form)
      : order_(content.text()),
        signatures_(content.text()),
        gaps_(content.text()),
        durations_(content.text()),
        others_(content.text()),
        numbers_(content.text()) {
    if (form != Form::within_error) return;
    const Bytes usual(content.text());
    const Bytes runs(content.text());
    times_.emplace(usual, runs, Bytes(content.text()));
  }

  Record next(std::uint64_t number) {
    const std::uint64_t place = order_.number();
    Record record = of(place);
    if (is_detail(record)) {
      record.entry = number + 1 - gaps_.number();
      record.exit = 1;
      if (is_timed(record)) record.other = next_begin(place);
      return record;
    }
    record.exit = 0;
    record.entry = times_ ? next_begin(place) : last_end_ + gaps_.difference();
    last_end_ = record.entry;
    if ((record.flags & unfinished) != 0) return record;
    record.exit = times_ ? times_->next(end_kind(place)) : record.entry + durations_.difference();
    last_end_ = record.exit;
    return record;
  }

 private:
  bool is_timed(const Record& detail) const { return times_ && detail.function == page::region_changed; }
  std::uint64_t next_begin(std::uint64_t place) {
    return times_->next(begin_kind(place, std::exchange(last_timed_, place)));
  }

  struct Known {
    Record record{};
    bool has_number = false;
  };

  /// All of the record but its times.
  const Record& of(std::uint64_t place) {
    if (place > known_.size()) throw Damaged("a signature is missing");
    if (place == known_.size()) add_signature();
    Known& known = known_[place];
    if (!is_timed(known.record)) known.record.other += others_.difference();
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
  std::optional<TimesDecoder> times_;
  std::vector<Known> known_;
  std::uint64_t last_end_ = 0;
  std::uint64_t last_timed_ = 0;
};

}  // namespace

std::vector<Record> decode_records(std::string_view content, const BlockHead& head) {
  if (head.count > most_records || head.count > content.size()) throw Damaged("there are fewer records than it says");
  if (head.form > Form::within_error) throw Damaged("its records have a form that this Cairn does not know");
  Decoder decoder(Bytes(content), head.form);
  std::vector<Record> records;
  records.reserve(head.count);
  for (std::uint32_t i = 0; i < head.count; ++i) records.push_back(decoder.next(head.first + i));
  return records;
}

}  // namespace cairn::trace
