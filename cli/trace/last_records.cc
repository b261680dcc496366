// SPDX-License-Identifier: BSD-3-Clause
// last_records.cc - reading a page's rings from where a trace ends

#include "cli/trace/last_records.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/message.hpp"
#include "base/text.hpp"
#include "cli/where/selection.hpp"
#include "trace/record_coder.hpp"
#include "where/page_bytes.hpp"

namespace cairn::cli {

namespace {

using trace::BlockKind;

/// Those that it names in the trace's way, by their place in the page.
template <class Of>
class NewNumbers {
 public:
  NewNumbers(std::uint32_t next, std::string& definitions) : next_(next), definitions_(definitions) {}
  /// 0: none is left. `find` gives its definition.
  template <class Find>
  std::uint32_t of(std::uint32_t place, Find find) {
    const auto [known, is_new] = numbers_.try_emplace(place, 0);
    if (!is_new || next_ >= trace::most_definitions) return known->second;
    define(definitions_, known->second = next_++, find());
    return known->second;
  }

 private:
  std::uint32_t next_;
  std::string& definitions_;
  std::map<std::uint32_t, std::uint32_t> numbers_;
};

trace::Object object_of(const where::Object& from) {
  trace::Object made;
  made.what = from.what;
  made.identity = from.identity;
  made.rank = from.rank;
  made.size = from.size;
  made.remote_size = from.remote_size;
  made.peers = from.peers;
  made.members_known = from.members_known;
  made.members.assign(from.members.begin(), from.members.end());
  made.name = from.name;
  return made;
}

class Continuation {
 public:
  Continuation(const trace::File& file, const std::string& page)
      : file_(file),
        process_(where::PageReader().read(page, 1)),
        page_(page),
        objects_(file.definitions().objects.next(), definitions_),
        types_(file.definitions().types.next(), definitions_) {}

  bool is_of_the_trace() const {
    const trace::Process& its = file_.process();
    return its.rank == process_.rank && its.run == process_.run && its.pid == process_.pid && its.host == process_.host;
  }
  /// The blocks; `count` becomes the number of records.
  std::string blocks(std::uint64_t& count) {
    where::Raw<page::PageHeader> header{};
    if (!page_.read(0, header.bytes, sizeof header.bytes)) return "";
    ring_size_ = header->ring_size;
    datatypes_ =
        page_.table<where::Raw<page::Datatype>>(header->datatypes, header->more_datatypes, trace::most_definitions);
    for (std::uint32_t i = 0; i < page::PageHeader::most_threads; ++i)
      if (const std::uint64_t at = header->threads[i].load(std::memory_order_relaxed); at != 0) add_thread(i, at);
    count = count_;
    if (count_ == 0) return "";
    return writer_.block(BlockKind::definitions, definitions_) + records_;
  }

 private:
  /// The number after those in the trace, from 0.
  std::uint64_t next_of(std::uint32_t thread) const {
    std::uint64_t next = 0;
    for (const trace::File::Block& block : file_.records())
      if (block.head.thread == thread) next = std::max(next, block.head.first + block.head.count);
    return next;
  }

  void add_thread(std::uint32_t number, std::uint64_t at) {
    where::Raw<page::Thread> head{};
    if (!page_.read(at, head.bytes, sizeof head.bytes)) return;
    const std::uint64_t count = head->count.load(std::memory_order_relaxed);
    // What came next may have begun to overwrite the oldest one.
    std::uint64_t next = std::max(next_of(number), count - std::min(count, ring_size_ - 1));
    if (next >= count) return;
    trace::define_thread(definitions_, number, head->id);
    trace::RecordEncoder encoder;
    trace::NamingMoments moments;
    for (; next < count; ++next) {
      trace::Record record{};
      const std::uint64_t place = at + page::thread_head + next % ring_size_ * sizeof record;
      if (!page_.read(place, &record, sizeof record)) break;
      encoder.add(translated(record, moments.next(record)), next);
      if (encoder.count() == trace::records_in_block) flush(encoder, number);
    }
    flush(encoder, number);
  }

  /// 0: none, or it was made after that moment, and what was there before is unknown.
  std::uint32_t object_number(std::uint32_t place, std::uint64_t ticks) {
    const auto& all = process_.objects;
    if (place == 0 || place >= all.size() || all[place] == nullptr || all[place]->made_at > ticks) return 0;
    return objects_.of(place, [&] { return object_of(*all[place]); });
  }
  std::uint32_t type_number(std::uint32_t place, std::uint64_t ticks) {
    if (place == 0 || place >= datatypes_.size()) return 0;
    const page::Datatype& from = *datatypes_[place];
    if (from.handle.load(std::memory_order_relaxed) == 0 || from.made_at > ticks) return 0;
    return types_.of(place, [&] { return trace::Datatype{from.size, text_in(from.name)}; });
  }

  /// `ticks`: when it named what it names.
  trace::Record translated(trace::Record record, std::uint64_t ticks) {
    if (record.exit == 0) record.flags |= trace::unfinished;
    record.object = object_number(record.object, ticks);
    record.type = type_number(record.type, ticks);
    return record;
  }

  void flush(trace::RecordEncoder& encoder, std::uint32_t thread) {
    const trace::BlockHead head = encoder.head(thread);
    count_ += head.count;
    if (head.count != 0) records_ += writer_.block(BlockKind::records, encoder.take(), head);
  }

  const trace::File& file_;
  where::Process process_;
  where::PageBytes page_;
  std::uint64_t ring_size_ = 1;
  std::vector<where::Raw<page::Datatype>> datatypes_;
  std::string definitions_;
  std::string records_;
  std::uint64_t count_ = 0;
  NewNumbers<trace::Object> objects_;
  NewNumbers<trace::Datatype> types_;
  trace::BlockWriter writer_;
};

/// Then records have the same numbers in the trace and in the ring.
bool has_all_calls(const trace::Process& process) {
  const bool is_the_last = process.choice.starts_with("last:") && process.choice.find(',') == process.choice.npos;
  return process.error_ns == 0 && (process.choice.empty() || is_the_last);
}

}  // namespace

std::uint64_t missing_records(const trace::File& file) {
  std::map<std::uint32_t, std::uint64_t> next;
  std::uint64_t missing = 0;
  for (const trace::File::Block& block : file.records()) {
    const auto [known, is_first] = next.try_emplace(block.head.thread, 0);
    const bool may_begin_later = is_first && !file.process().choice.empty();
    if (block.head.first > known->second && !may_begin_later) missing += block.head.first - known->second;
    known->second = std::max(known->second, block.head.first + block.head.count);
  }
  return missing;
}

std::string PagesOfDead::of(int rank) {
  if (!paths_) {
    paths_.emplace();
    std::vector<std::string> damaged;  // `cairn where` and the report tell them
    for (const where::JobPages& job : jobs_here({.job = folder_, .nodes = {}, .history = 1}, damaged))
      for (const where::Process& process : job.processes)
        if (process.has_died() && process.run == run_) paths_->emplace(process.rank, process.path);
  }
  const auto found = paths_->find(rank);
  return found == paths_->end() ? "" : found->second;
}

std::uint64_t PagesOfDead::complete(trace::File& file) {
  if (file.end() != nullptr) return 0;
  const std::string page = of(file.process().rank);
  return page.empty() ? 0 : add_last_records(file, page);
}

std::uint64_t add_last_records(trace::File& file, const std::string& page) try {
  if (file.end() != nullptr || !has_all_calls(file.process())) return 0;
  Continuation made(file, page);
  std::uint64_t count = 0;
  if (made.is_of_the_trace())
    if (const std::string blocks = made.blocks(count); !blocks.empty()) file.append(blocks);
  return count;
} catch (const Problem&) {
  return 0;
}

}  // namespace cairn::cli
