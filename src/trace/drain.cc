// SPDX-License-Identifier: BSD-3-Clause
// drain.cc - reading the process's own rings while its threads write them

#include "trace/drain.hpp"

#include <string.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "cairn/kit/clock.hpp"

namespace cairn::trace {

namespace {

constexpr std::uint64_t longest_ns = 1'000'000'000;  // that a record waits for its block to be full

/// Processor time of the thread that writes.
class Working {
 public:
  explicit Working(std::uint64_t& sum) : sum_(sum), begin_(nanoseconds_of(CLOCK_THREAD_CPUTIME_ID)) {}
  Working(const Working&) = delete;
  Working& operator=(const Working&) = delete;
  ~Working() { sum_ += nanoseconds_of(CLOCK_THREAD_CPUTIME_ID) - begin_; }

 private:
  std::uint64_t& sum_;
  std::uint64_t begin_;
};

Process process_of(const page::PageHeader& header, const std::string& run) {
  Process process;
  process.rank = header.rank;
  process.size = header.size;
  process.pid = header.pid;
  process.any_source = header.any_source;
  process.any_tag = header.any_tag;
  process.proc_null = header.proc_null;
  process.run = run;
  process.host = header.host;
  process.boot = header.boot;
  process.program = header.program;
  process.mpi = header.mpi;
  return process;
}

std::string_view functions_text(const page::PageHeader& header) {
  return {reinterpret_cast<const char*>(&header) + header.functions.at, header.functions.count};
}

}  // namespace

/// Again, once something was left out: then it says what was chosen.
void Drain::add_process() {
  const page::PageHeader& header = *recorder_.page();
  Process process = process_of(header, run_);
  if (is_choosing_ || is_cut_) process.choice = said_ = choice_.text();
  process.error_ns = static_cast<std::uint64_t>(std::ceil(1e9 * error_s_));
  add(BlockKind::process, content_of(process, functions_text(header)));
}

bool Drain::begin(std::function<bool(const std::string&)> write, const std::string& run) {
  const std::lock_guard lock(lock_);
  const page::PageHeader& header = *recorder_.page();
  write_ = std::move(write);
  ring_size_ = header.ring_size;
  pending_.push_back({BlockKind::process, file_head()});
  run_ = run;
  if (error_s_ > 0) {
    clock_.anchor();
    error_ = static_cast<std::uint64_t>(error_s_ / clock_.seconds_per_tick());
  }
  add_process();
  add(BlockKind::definitions, known_.mapped());
  const std::vector<Function> functions = functions_of(functions_text(header));
  for (const Function& function : functions) is_test_.push_back(function.kind == page::Kind::test);
  choice_.begin(functions);
  if (recent_.is_wanted()) known_.expect_cuts();
  add_first_clock();
  return drain_all(false);
}

bool Drain::drain() {
  const std::lock_guard lock(lock_);
  return drain_all(false);
}

bool Drain::save() {
  const std::lock_guard lock(lock_);
  if (!write_ || !drain_all(false)) return false;
  const Working working(end_.work_ns);
  flush_all();
  return write_down();
}

bool Drain::compare(const Comparison& comparison) {
  const std::lock_guard lock(lock_);
  if (!write_ || has_failed_) return false;
  add(BlockKind::comparison, content_of(comparison));
  return write_down();
}

bool Drain::finish(const std::string& how) {
  const std::lock_guard lock(lock_);
  if (!write_ || !drain_all(true)) return false;
  {
    const Working working(end_.work_ns);
    is_full_ = false;  // the trace has the process's end, whatever is left out before
    flush_all();
    if (!write_down()) return false;
    if (recent_.is_wanted() && how.empty() && !let_go()) return false;  // who is dying has no time for that
  }
  if (is_choosing_ && said_ != choice_.text()) add_process();
  end_.how = how;
  end_.unnamed = known_.unnamed();
  end_.left_out = left_out();
  add(BlockKind::end, content_of(end_));
  return write_down();
}

/// Threads whose blocks nobody but this process can read are left out of the page, and not of the trace.
std::uint64_t Drain::left_out() const {
  const page::PageHeader& header = *recorder_.page();
  std::uint64_t left_out = header.left_out.load(std::memory_order_relaxed);
  if (*recorder_.path() == '\0') return left_out;
  for (std::size_t i = 0; i < threads_.size() && left_out != 0; ++i)
    if (header.threads[i].load(std::memory_order_relaxed) == 0) --left_out;
  return left_out;
}

bool Drain::drain_all(bool to_the_end) {
  if (has_failed_ || !write_) return !has_failed_;
  const Working working(end_.work_ns);
  bool is_more = true;
  while (is_more) {
    is_more = false;
    find_threads();
    for (Follow& thread : threads_) thread.count = thread.block->count.load(std::memory_order_acquire);
    choice_.refresh();  // after that: it has all switches before these calls
    if (!is_full_)
      if (const std::string content = known_.refresh(); !content.empty()) add(BlockKind::definitions, content);
    for (std::uint32_t i = 0; i < threads_.size(); ++i) is_more = take(threads_[i], i, to_the_end) || is_more;
    if (cairn::nanoseconds_now() - flushed_ns_ > longest_ns) flush_all();
    if (!write_down()) return false;  // in each turn: while calls come as fast as they are taken, there is no last one
  }
  return true;
}

void Drain::find_threads() {
  while (const page::Thread* const block = recorder_.thread(static_cast<std::uint32_t>(threads_.size()))) {
    Follow& thread = threads_.emplace_back();
    thread.block = block;
    thread.encoder.allow(error_);
  }
  std::string content;
  for (std::uint32_t i = 0; i < threads_.size(); ++i)
    if (const std::int32_t id = threads_[i].block->id; id != threads_[i].id)
      define_thread(content, i, threads_[i].id = id);
  if (!content.empty()) add(BlockKind::definitions, content);
}

void Drain::skip_to(Follow& thread, std::uint64_t next) {
  end_.lost += next - thread.next;
  thread.number += next - thread.next;
  thread.next = next;
}

/// Whether the call may still get its end. One that was left by a jump out of an error handler does not.
bool Drain::is_under_way(Follow& thread, bool to_the_end) const {
  if (to_the_end) return false;
  const bool is_left = thread.block->inside.load(std::memory_order_relaxed) == 0;
  if (is_left && thread.left == thread.next) return false;
  thread.left = is_left ? thread.next : UINT64_MAX;
  return true;
}

/// It is a test, and only tests in vain, or under way, had come after it when this draining began. If another call had, the
/// record was complete when it was read.
bool Drain::may_be_made_again(const Follow& thread, const page::Record& record) const {
  if (!is_test(record) || thread.count - thread.next > page::tests_in_turn) return false;
  const page::Record* const records = ring(*thread.block);
  for (std::uint64_t later = thread.next + 1; later < thread.count; ++later) {
    const page::Record& other = records[later % ring_size_];
    const bool is_over = __atomic_load_n(&other.exit, __ATOMIC_ACQUIRE) != 0;
    const bool is_in_vain = (__atomic_load_n(&other.flags, __ATOMIC_RELAXED) & page::in_vain) != 0;
    if (!is_test(other) || (is_over && !is_in_vain)) return false;
  }
  return true;
}

/// Whether the thread has gone on so fast that it must be looked at again at once.
bool Drain::take(Follow& thread, std::uint32_t number, bool to_the_end) {
  const page::Record* const records = ring(*thread.block);
  const std::uint64_t began_at = thread.next;
  while (thread.next < thread.count) {
    const page::Record& place = records[thread.next % ring_size_];
    page::Record record;
    const std::uint64_t exit = __atomic_load_n(&place.exit, __ATOMIC_ACQUIRE);
    memcpy(&record, &place, sizeof record);
    record.exit = exit;
    std::atomic_thread_fence(std::memory_order_acquire);
    const std::uint64_t now = thread.block->count.load(std::memory_order_relaxed);
    if (thread.next + ring_size_ <= now) {
      skip_to(thread,
              std::min(thread.count, now - ring_size_ / 2));  // with a lead, so that it does not happen again at once
      continue;
    }
    if (exit == 0) {
      if (is_under_way(thread, to_the_end)) break;
      record.flags |= unfinished;
    }
    if (!to_the_end && may_be_made_again(thread, record)) break;
    if (thread.encoder.count() != 0 && thread.encoder.first() + thread.encoder.count() != thread.number)
      flush(thread, number);
    keep(thread, record);
    if (thread.encoder.count() >= records_in_block) flush(thread, number);
  }
  return !to_the_end && thread.next - began_at > ring_size_ / 4;
}

/// A detail is, if its call is, whose number becomes the one that it has in the file; of no call, it always is.
bool Drain::is_chosen(Follow& thread, page::Record& record) {
  if (is_detail(record)) {
    if (!is_choosing_ || record.function == page::thread_begun) return true;
    const auto& [in_ring, in_file] = thread.calls[record.entry % thread.calls.size()];
    const bool is_there = in_ring == record.entry;
    record.entry = in_file;
    return is_there;
  }
  if (!choice_.has(record)) return false;
  thread.calls[(thread.next + 1) % thread.calls.size()] = {thread.next + 1, thread.number + 1};
  return true;
}

void Drain::keep(Follow& thread, page::Record& record) {
  if (!is_chosen(thread, record)) return leave_out(thread, record);
  if (thread.region && !is_detail(record)) {
    page::Record region = *std::exchange(thread.region, {});
    region.entry = thread.number;
    write(thread, region);
    thread.calls[(thread.next + 1) % thread.calls.size()] = {thread.next + 1, thread.number + 1};
  }
  if (is_own_region(record)) thread.region.reset();
  write(thread, record);
  ++thread.next;
}

/// In which region the next call is that is chosen, has to be known.
void Drain::leave_out(Follow& thread, const page::Record& record) {
  if (is_own_region(record)) thread.region = record;
  ++thread.next;
  if (is_choosing_) return;
  is_choosing_ = true;
  add_process();
}

void Drain::write(Follow& thread, page::Record record) {
  const std::uint64_t named_at = thread.moments.next(record);
  if (is_over_limit()) {
    ++end_.omitted;
  } else {
    note_region(record);
    known_.translate(record, named_at);
    thread.encoder.add(record, thread.number);
    ++end_.records;
  }
  ++thread.number;
}

void Drain::note_region(const page::Record& record) {
  if (!is_own_region(record)) return;
  const auto [known, is_new] = regions_.try_emplace(record.count);
  if (!is_new) return;
  known->second = region_path_(record.count);
  std::string content;
  define_region(content, {regions_layer_, record.count}, known->second);
  add(BlockKind::definitions, content);
}

void Drain::flush(Follow& thread, std::uint32_t number) {
  const BlockHead head = thread.encoder.head(number);
  if (head.count != 0) add(BlockKind::records, thread.encoder.take(), head);
}

void Drain::flush_all() {
  for (std::uint32_t i = 0; i < threads_.size(); ++i) flush(threads_[i], i);
  add_clock();
  flushed_ns_ = cairn::nanoseconds_now();
  is_flushed_ = true;
  is_full_ = is_over_limit();
}

/// Beyond the limit nothing that only records would need.
void Drain::add(BlockKind kind, const std::string& content, BlockHead of) {
  if (is_full_ && (kind == BlockKind::definitions || kind == BlockKind::clock)) return;
  pending_.push_back({kind, blocks_.block(kind, content, of)});
  written_ += pending_.back().bytes.size();
}

void Drain::add_clock() {
  const cairn::ClockAnchor now = cairn::ClockAnchor::now();
  add(BlockKind::clock,
      content_of(Moment{now.ticks, now.nanoseconds, nanoseconds_of(CLOCK_REALTIME), end_.work_ns, end_.records}));
}

/// Of the time before the first call.
void Drain::add_first_clock() {
  const page::Anchor first = recorder_.page()->first;
  const std::uint64_t since = cairn::nanoseconds_now() - first.nanoseconds;
  add(BlockKind::clock,
      content_of(Moment{first.ticks, first.nanoseconds, nanoseconds_of(CLOCK_REALTIME) - since, 0, 0}));
}

bool Drain::write_down() {
  if (!write_pending()) return false;
  return !recent_.is_due(cairn::nanoseconds_now()) || let_go();
}

/// Where there is not enough room, as many blocks as there is room for.
bool Drain::write_pending() {
  std::string all;
  for (const Pending& block : pending_) all += block.bytes;
  has_failed_ = !all.empty() && !write_(all);
  if (has_failed_)
    for (const Pending& block : pending_)
      if (!write_(block.bytes)) break;
  const std::uint64_t now = cairn::nanoseconds_now();
  for (const Pending& block : pending_) recent_.add(block.kind, block.bytes.size(), now);
  pending_.clear();
  if (std::exchange(is_flushed_, false)) known_.settle(now);
  return !has_failed_;
}

/// What is too old, and definitions that nothing else needs: those that are needed are there again before. The first
/// time, the file says so.
bool Drain::let_go() {
  const std::uint64_t now = cairn::nanoseconds_now();
  if (recent_.keeps_all(now)) return true;
  recent_.begin_definitions();
  add(BlockKind::definitions, all_definitions(recent_.keeps_since(now)));
  if (!std::exchange(is_cut_, true)) add_process();
  if (!write_pending()) return false;
  has_failed_ = !cut_(recent_.cut(now));
  return !has_failed_;
}

std::string Drain::all_definitions(std::uint64_t since_ns) {
  std::string content = known_.all(since_ns);
  for (std::uint32_t i = 0; i < threads_.size(); ++i) define_thread(content, i, threads_[i].id);
  for (const auto& [number, path] : regions_) define_region(content, {regions_layer_, number}, path);
  return content;
}

}  // namespace cairn::trace
