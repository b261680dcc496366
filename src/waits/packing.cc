// SPDX-License-Identifier: BSD-3-Clause
// packing.cc - numbers as differences to the ones before

#include "waits/packing.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "base/file_bytes.hpp"
#include "base/message.hpp"
#include "trace/bytes.hpp"

namespace cairn::waits {

namespace {

using trace::Bytes;
using trace::put;
using trace::put_signed;
using trace::put_text;

constexpr std::string_view magic{"CAIRNWTS", 8};
constexpr std::uint64_t version = 12;
constexpr std::int64_t most_ns = std::int64_t{1} << 57U;  // four years: sums have room
constexpr int most_ranks = 1 << 20;

std::uint64_t number_of(std::int64_t value) { return static_cast<std::uint64_t>(value); }

/// The difference to the last one, of either sign.
class Running {
 public:
  void put_next(std::string& out, std::uint64_t value) { put_signed(out, value - std::exchange(last_, value)); }
  std::uint64_t next(Bytes& bytes) { return last_ += bytes.difference(); }
  Index next_index(Bytes& bytes) { return static_cast<Index>(next(bytes)); }

 private:
  std::uint64_t last_ = 0;
};

void put_head(std::string& out, const RankRecords& records) {
  put_signed(out, records.rank);
  put_signed(out, records.size);
  put(out, std::uint64_t{records.section} << 1U | (records.is_last ? 1U : 0U));
  put_text(out, records.node);
  trace::put_fixed(out, records.clock.reference);
  put(out, records.clock.is_at_end ? 1U : 0U);
  put(out, number_of(records.clock.error_ns));
  put_signed(out, number_of(records.clock.drift_ns));
  put_signed(out, number_of(records.shift_ns));
  put_text(out, records.end);
  for (const std::uint64_t count :
       {records.lost, records.omitted, records.left_out, records.jumps, records.cut, records.unsampled})
    put(out, count);
  put_signed(out, number_of(records.until));
  put_signed(out, number_of(records.over));
  put(out, records.sites.size());
  for (const Site& site : records.sites) {
    put_text(out, site.function);
    put_text(out, site.object);
    put(out, site.offset);
  }
  put(out, records.regions.size());
  for (const std::string& region : records.regions) put_text(out, region);
  put(out, records.comms.size());
  for (const Comm& comm : records.comms) {
    trace::put_fixed(out, comm.identity);
    put_text(out, comm.name);
    put_signed(out, comm.size);
    put(out, comm.sources.size());
    for (const int rank : comm.sources) put_signed(out, rank);
  }
}

void put_calls(std::string& out, const RankRecords& records) {
  put(out, records.threads.size());
  for (const ThreadCalls& thread : records.threads)
    put(out, std::uint64_t{thread.count} << 1U | (thread.begins_earlier ? 1U : 0U));
  put(out, records.calls.size());
  Running moment;
  for (const Call& call : records.calls) {
    moment.put_next(out, number_of(call.entry));
    moment.put_next(out, number_of(call.exit));
    put(out, call.site);
    put(out, call.region);
    put(out, call.before);
  }
  put(out, records.spells.size());
  Running at;
  for (const Spell& spell : records.spells) {
    at.put_next(out, spell.call);
    put(out, spell.region);
    put_signed(out, number_of(spell.ns));
  }
  put(out, records.samples.size());
  Running sampled;
  for (const Sample& sample : records.samples) {
    sampled.put_next(out, sample.call);
    put(out, sample.site);
    put(out, sample.times);
    put_signed(out, number_of(sample.ns));
  }
}

void put_ends(std::string& out, const RankRecords& records) {
  put(out, records.messages.size());
  Running call;
  for (const MessageEnd& end : records.messages) {
    trace::put_fixed(out, end.flow);
    put(out, end.bytes << 6U | (end.of_any != 0 ? 1U << 5U : 0U) | static_cast<std::uint64_t>(end.mode) << 3U |
                 static_cast<std::uint64_t>(end.signal) << 1U | (end.is_sender ? 1U : 0U));
    if (end.of_any != 0) put(out, end.of_any);
    put(out, end.comm);
    call.put_next(out, end.begin);
    put_signed(out, std::uint64_t{end.end} - end.begin);
  }
  put(out, records.probes.size());
  Running message;
  for (const Probe& probe : records.probes) {
    call.put_next(out, probe.call);
    message.put_next(out, probe.message);
  }
  put(out, records.together.size());
  Running number;
  for (const Together& part : records.together) {
    put(out, part.comm);
    number.put_next(out, part.number);
    put_signed(out, part.root);
    call.put_next(out, part.begin);
    put_signed(out, std::uint64_t{part.end} - part.begin);
    put_signed(out, std::uint64_t{part.described} - none);
  }
  put(out, records.locks.size());
  for (const Lock& lock : records.locks) {
    put(out, lock.comm << 1U | (lock.is_exclusive ? 1U : 0U));
    put_signed(out, lock.target);
    call.put_next(out, lock.begin);
    put_signed(out, std::uint64_t{lock.end} - lock.begin);
    put_signed(out, std::uint64_t{lock.had} - lock.begin);
  }
  put(out, records.unknown.size());
  for (const Index one : records.unknown) call.put_next(out, one);
}

/// Each takes at least a byte, so that a damaged count takes no memory.
std::size_t count_of(Bytes& bytes, std::size_t room) {
  const std::uint64_t count = bytes.number();
  if (count > room) throw trace::Damaged("it claims more than it has");
  return count;
}

void take_head(Bytes& bytes, RankRecords& records, std::size_t room) {
  records.rank = bytes.small();
  records.size = bytes.small();
  if (records.rank < 0 || records.rank >= records.size || records.size > most_ranks)
    throw trace::Damaged("it does not say of which rank it is");
  const std::uint64_t section = bytes.number();
  records.section = static_cast<std::uint32_t>(section >> 1U);
  records.is_last = (section & 1U) != 0;
  records.node = bytes.text();
  records.clock.reference = bytes.fixed<std::uint64_t>();
  records.clock.is_at_end = bytes.number() != 0;
  records.clock.error_ns = static_cast<std::int64_t>(bytes.number());
  records.clock.drift_ns = static_cast<std::int64_t>(bytes.difference());
  if (records.clock.error_ns < 0 || records.clock.error_ns > most_ns ||
      std::llabs(records.clock.drift_ns / 2) > most_ns)
    throw trace::Damaged("the time of its clock is impossible");
  records.shift_ns = static_cast<std::int64_t>(bytes.difference());
  if (records.shift_ns > 15 * most_ns || records.shift_ns < -15 * most_ns)
    throw trace::Damaged("the time of its clock is impossible");
  records.end = bytes.text();
  for (std::uint64_t* const count :
       {&records.lost, &records.omitted, &records.left_out, &records.jumps, &records.cut, &records.unsampled})
    *count = bytes.number();
  records.until = static_cast<std::int64_t>(bytes.difference());
  if (records.until != no_end && (records.until > most_ns || records.until < -most_ns))
    throw trace::Damaged("its end is at an impossible time");
  records.over = static_cast<std::int64_t>(bytes.difference());
  if (records.over > most_ns || records.over < -most_ns) throw trace::Damaged("it is over at no time");
  records.sites.resize(count_of(bytes, room));
  for (Site& site : records.sites) {
    site.function = bytes.text();
    site.object = bytes.text();
    site.offset = bytes.number();
  }
  records.regions.resize(count_of(bytes, room));
  for (std::string& region : records.regions) region = bytes.text();
  records.comms.resize(count_of(bytes, room));
  for (Comm& comm : records.comms) {
    comm.identity = bytes.fixed<std::uint64_t>();
    comm.name = bytes.text();
    comm.size = bytes.small();
    comm.sources.resize(count_of(bytes, room));
    for (int& rank : comm.sources) rank = bytes.small();
  }
}

void take_calls(Bytes& bytes, RankRecords& records, std::size_t room) {
  records.threads.resize(count_of(bytes, room));
  std::uint64_t all = 0;
  for (ThreadCalls& thread : records.threads) {
    const std::uint64_t count = bytes.number();
    if (count >> 1U > room) throw trace::Damaged("it claims more than it has");
    thread = {static_cast<Index>(all), static_cast<Index>(count >> 1U), (count & 1U) != 0};
    all += thread.count;
  }
  records.calls.resize(count_of(bytes, room));
  if (all != records.calls.size()) throw trace::Damaged("threads and calls differ");
  Running moment;
  for (Call& call : records.calls) {
    call.entry = static_cast<std::int64_t>(moment.next(bytes));
    call.exit = static_cast<std::int64_t>(moment.next(bytes));
    call.site = static_cast<Index>(bytes.number());
    call.region = static_cast<Index>(bytes.number());
    call.before = static_cast<Index>(bytes.number());
    if (call.exit < call.entry || call.entry < -most_ns || call.exit > most_ns)
      throw trace::Damaged("a call ends too early");
    if (call.site >= records.sites.size() || std::max(call.region, call.before) >= records.regions.size())
      throw trace::Damaged("a call has no known place");
  }
  records.spells.resize(count_of(bytes, room));
  Running at;
  for (Spell& spell : records.spells) {
    spell.call = at.next_index(bytes);
    spell.region = static_cast<Index>(bytes.number());
    spell.ns = static_cast<std::int64_t>(bytes.difference());
    if (spell.call >= records.calls.size() || spell.region >= records.regions.size() || spell.ns < 0 ||
        spell.ns > most_ns)
      throw trace::Damaged("work has no known place");
  }
  records.samples.resize(count_of(bytes, room));
  Running sampled;
  for (Sample& sample : records.samples) {
    sample.call = sampled.next_index(bytes);
    sample.site = static_cast<Index>(bytes.number());
    sample.times = bytes.number();
    sample.ns = static_cast<std::int64_t>(bytes.difference());
    if (sample.call >= records.calls.size() || sample.site >= records.sites.size() || sample.ns < 0 ||
        sample.ns > most_ns)
      throw trace::Damaged("a sample has no known place");
  }
}

void check(const RankRecords& records, Index comm, Index begin, Index end) {
  const auto is_call = [&](Index call) { return call == none || call < records.calls.size(); };
  if (comm >= records.comms.size() || begin == none || !is_call(begin) || !is_call(end))
    throw trace::Damaged("a message has no known call");
}

void take_ends(Bytes& bytes, RankRecords& records, std::size_t room) {
  records.messages.resize(count_of(bytes, room));
  Running call;
  for (MessageEnd& end : records.messages) {
    end.flow = bytes.fixed<std::uint64_t>();
    const std::uint64_t both = bytes.number();
    end.bytes = both >> 6U;
    const bool is_of_any = (both >> 5U & 1U) != 0;
    end.mode = static_cast<SendMode>(both >> 3U & 3U);
    if (end.mode > SendMode::buffered) throw trace::Damaged("a message is sent in no way");
    end.signal = static_cast<Signal>(both >> 1U & 3U);
    end.is_sender = (both & 1U) != 0;
    if (is_of_any) end.of_any = static_cast<std::uint8_t>(bytes.number());
    end.comm = static_cast<Index>(bytes.number());
    end.begin = call.next_index(bytes);
    end.end = static_cast<Index>(end.begin + bytes.difference());
    check(records, end.comm, end.begin, end.end);
  }
  records.probes.resize(count_of(bytes, room));
  Running message;
  for (Probe& probe : records.probes) {
    probe.call = call.next_index(bytes);
    probe.message = message.next_index(bytes);
    if (probe.call >= records.calls.size() || probe.message >= records.messages.size())
      throw trace::Damaged("a message has no known call");
  }
  records.together.resize(count_of(bytes, room));
  Running number;
  for (Together& part : records.together) {
    part.comm = static_cast<Index>(bytes.number());
    part.number = number.next(bytes);
    part.root = bytes.small();
    part.begin = call.next_index(bytes);
    part.end = static_cast<Index>(part.begin + bytes.difference());
    part.described = static_cast<Index>(none + bytes.difference());
    check(records, part.comm, part.begin, part.end);
    if (part.described != none && part.described >= records.sites.size())
      throw trace::Damaged("an operation has no known call");
  }
  records.locks.resize(count_of(bytes, room));
  for (Lock& lock : records.locks) {
    const auto both = static_cast<Index>(bytes.number());
    lock.comm = both >> 1U;
    lock.is_exclusive = (both & 1U) != 0;
    lock.target = bytes.small();
    lock.begin = call.next_index(bytes);
    lock.end = static_cast<Index>(lock.begin + bytes.difference());
    lock.had = static_cast<Index>(lock.begin + bytes.difference());
    check(records, lock.comm, lock.begin, lock.end);
    check(records, lock.comm, lock.begin, lock.had);
    if (lock.end == none || lock.had == none) throw trace::Damaged("a lock is never given back");
  }
  records.unknown.resize(count_of(bytes, room));
  for (Index& one : records.unknown)
    if ((one = call.next_index(bytes)) >= records.calls.size()) throw trace::Damaged("a call is not known");
}

}  // namespace

std::string packed(const RankRecords& records) {
  std::string out;
  put_head(out, records);
  put_calls(out, records);
  put_ends(out, records);
  return out;
}

RankRecords unpacked(std::string_view packed) {
  RankRecords records;
  Bytes bytes(packed);
  take_head(bytes, records, packed.size());
  take_calls(bytes, records, packed.size());
  take_ends(bytes, records, packed.size());
  return records;
}

std::string graph_head(std::string_view run) {
  std::string head(magic);
  trace::put_fixed(head, version);
  put_text(head, run);
  return head;
}

std::string graph_of(const std::vector<std::string>& packed) {
  std::string out;
  for (const std::string& of_rank : packed) {
    trace::put_fixed(out, std::uint64_t{of_rank.size()});
    out += of_rank;
  }
  return out;
}

GraphReader::GraphReader(const std::string& path) {
  const FileBytes file(path);
  bytes_.resize(file.size());
  bytes_.resize(file.read(0, bytes_.data(), bytes_.size()));
  const std::string_view all(bytes_);
  try {
    Bytes head(all.starts_with(magic) ? all.substr(magic.size()) : "");
    if (head.fixed<std::uint64_t>() != version)
      throw Problem("'" + path + "' was written by another version of Cairn",
                    "the 'cairn' that the job was started with");
    run_ = head.text();
    sections_at_ = all.size() - head.left();
  } catch (const trace::Damaged&) {
    throw Problem("'" + path + "' is not a graph file of Cairn's");
  }
}

std::string GraphReader::read(const std::function<void(std::vector<RankRecords>)>& visit) const {
  constexpr std::size_t word = sizeof(std::uint64_t);
  std::vector<RankRecords> section;
  std::string damage;
  std::string_view rest = std::string_view(bytes_).substr(sections_at_);
  try {
    while (!rest.empty()) {
      const auto size = Bytes(rest).fixed<std::uint64_t>();
      rest.remove_prefix(word);
      if (size > rest.size()) throw trace::Damaged("it ends too early");
      if (size != 0) {
        RankRecords one = unpacked(rest.substr(0, size));
        if (!section.empty() && one.section != section.front().section) visit(std::exchange(section, {}));
        section.push_back(std::move(one));
      }
      rest.remove_prefix(size);
    }
  } catch (const trace::Damaged& why) {
    damage = why.what();
  }
  if (!section.empty()) visit(std::move(section));
  return damage;
}

}  // namespace cairn::waits
