// SPDX-License-Identifier: BSD-3-Clause
// page_reader.cc - reading a page while its process writes it, or what is left of it

#include "where/page_reader.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <set>

#include "base/message.hpp"
#include "base/text.hpp"
#include "formats/text.hpp"
#include "where/page_bytes.hpp"

namespace cairn::where {

namespace {

/// What programs name, and readers show.
template <std::size_t Size>
std::string name_of(const char (&text)[Size]) {
  return harmless(text_in(text));
}

std::vector<Function> functions_of(const std::string& text) {
  std::vector<Function> all;
  for (std::size_t at = 0; at + 1 < text.size();) {
    const std::size_t end = std::min(text.find('\0', at + 1), text.size());
    const auto kind = static_cast<unsigned char>(text[at]);
    all.push_back({kind <= static_cast<unsigned char>(Kind::abort) ? static_cast<Kind>(kind) : Kind::other,
                   harmless(std::string_view(text).substr(at + 1, end - at - 1))});
    at = end + 1;
  }
  return all;
}

/// Only calls that complete requests, or ask for them, note which; what an earlier one has noted stays.
bool has_requests(const Thread& thread) {
  if (thread.inside) return thread.inside->function->kind == Kind::wait || thread.inside->function->kind == Kind::test;
  return !thread.calls.empty() && thread.calls.front().has(page::in_vain);
}

constexpr int most_ranks = 1 << 22;

/// Of a rank, or of how many there are: tables are made for all ranks up to the highest.
bool can_be_of_ranks(int number) { return number >= -1 && number <= most_ranks; }

/// The whole of one page.
class Reading {
 public:
  Reading(const Here& here, const PageBytes& bytes, Process& process, const Observation* seen)
      : here_(here), bytes_(bytes), process_(process), seen_(seen) {}

  void read_header(const std::string& path);
  /// Throws Problem if the file has been cut.
  void check_size() const;
  const page::Table& functions() const { return header_->functions; }
  void read_rest(std::size_t history);

 private:
  void read_end();
  void find_out_whether_alive();
  void read_time();
  void read_objects();
  void read_requests();
  void read_mapped();
  void read_thread(std::uint64_t at, std::size_t history);
  void read_ring(Thread& thread, std::uint64_t at, std::size_t history);
  void read_waited_for(Thread& thread, const page::Thread& head);
  void read_figures(Thread& thread, std::uint64_t at);
  void read_time_in_mpi(Thread& thread, std::uint64_t in_mpi) const;
  template <class From>
  Call call_of(const From& from) const;
  /// What that place meant then.
  const Object* object_at(std::uint32_t index, std::uint64_t ticks) const {
    const Object* const its = index < process_.objects.size() ? process_.objects[index].get() : nullptr;
    return its != nullptr && its->made_at <= ticks ? its : nullptr;
  }
  static std::uint64_t begin_of(const page::Record& call) { return call.entry; }
  static std::uint64_t begin_of(const page::Request& request) { return request.begin; }

  const Observation::OfThread* seen_of(int thread) const {
    if (seen_ == nullptr) return nullptr;
    const auto place = seen_->threads.find(thread);
    return place == seen_->threads.end() ? nullptr : &place->second;
  }
  bool is_of_this_boot() const { return text_in(header_->boot) == here_.boot; }

  const Here& here_;
  const PageBytes& bytes_;
  Process& process_;
  const Observation* seen_;  // null: it is of this node, as far as can be told
  Raw<page::PageHeader> header_{};
  std::vector<Raw<page::Datatype>> types_;
  std::vector<Raw<page::Request>> all_requests_;
};

void Reading::read_header(const std::string& path) {
  if (!bytes_.read(0, header_.bytes, sizeof header_.bytes) ||
      std::memcmp(header_->magic, page::magic, sizeof page::magic) != 0)
    throw Problem("'" + path + "' is not a page of Cairn's recorder");
  const page::PageHeader& header = *header_;
  if (header.version != page::version)
    throw Problem("'" + path + "' was written by another version of Cairn (layout " + std::to_string(header.version) +
                      ", this one reads " + std::to_string(page::version) + ")",
                  "the 'cairn' that the job was started with");
  if (header.ring_size == 0 || (header.ring_size & (header.ring_size - 1)) != 0 || header.ring_size > 1U << 20U ||
      !can_be_of_ranks(header.rank) || !can_be_of_ranks(header.size))
    throw Problem("'" + path + "' is damaged");
  process_.rank = header.rank;
  process_.size = header.size;
  process_.pid = header.pid;
  read_end();
  process_.started = header.first.ticks;
  process_.left_out = header.left_out.load(std::memory_order_relaxed);
  process_.lacks_objects = header.objects_left_out.load(std::memory_order_relaxed) != 0;
  process_.path = path;
  process_.host = text_in(header.host);
  process_.job = text_in(header.job);
  process_.run = text_in(header.run);
  process_.mpi = text_in(header.mpi);
  process_.program = name_of(header.program);
  process_.folder = text_in(header.folder);
  process_.launcher = text_in(header.launcher);
  const std::uint32_t deaths = header.deaths.count.load(std::memory_order_acquire);
  if (deaths <= page::DeathsSeen::most) process_.deaths_seen.assign(header.deaths.pids, header.deaths.pids + deaths);
  process_.deaths_watched = header.deaths.watched;
  constexpr std::size_t most_text = 1 << 22;
  const std::vector<char> nodes = bytes_.table<char>(header.nodes, most_text);
  process_.nodes.assign(nodes.begin(), nodes.end());
  find_out_whether_alive();
}

void Reading::check_size() const {
  if (bytes_.size() < header_->file_size)
    throw Problem("'" + process_.path + "' is damaged: it has " + std::to_string(bytes_.size()) + " of " +
                  std::to_string(header_->file_size) + " bytes");
}

void Reading::read_end() {
  process_.phase = header_->phase.load(std::memory_order_acquire);
  process_.ended_at = header_->ended_at;
  process_.end = name_of(header_->end);
}

void Reading::find_out_whether_alive() {
  const page::PageHeader& header = *header_;
  if (seen_ != nullptr) {
    process_.is_alive = seen_->is_alive;
    process_.runs_beside = seen_->runs_beside;
    return;
  }
  process_.is_here = is_of_this_boot() && here_.space != 0 && header.pid_space == here_.space;
  if (is_of_this_boot() && !process_.is_here)  // in a container of its own: nobody can tell from here
    process_.is_alive = process_.phase == page::Phase::starting || process_.phase == page::Phase::running;
  if (!process_.is_here || header.pid <= 0) return;
  const TaskFacts facts = facts_of_process(header.pid);
  process_.is_alive = facts.start == header.process_start && !facts.has_ended();
  // It may have told its end and gone since its page was read.
  if (!process_.is_alive && bytes_.read(0, header_.bytes, sizeof header_.bytes)) read_end();
}

void Reading::read_time() {
  const page::PageHeader& header = *header_;
  ClockAnchor now = ClockAnchor::now();
  if (seen_ != nullptr) now = seen_->now;
  else if (!is_of_this_boot()) now = {header.last.ticks, header.last.nanoseconds};
  process_.time.now_ticks = now.ticks;
  const auto ticks = static_cast<double>(now.ticks - header.first.ticks);
  const auto nanoseconds = static_cast<double>(now.nanoseconds - header.first.nanoseconds);
  if (now.ticks > header.first.ticks && now.nanoseconds > header.first.nanoseconds)
    process_.time.seconds_per_tick = 1e-9 * nanoseconds / ticks;
}

void Reading::read_objects() {
  constexpr std::size_t most = 4096;
  constexpr std::uint64_t most_members = 1U << 24U;
  std::set<std::uint64_t> lists;
  std::uint64_t in_lists = 0;     // each list has room of its own in the file, and may be several objects'
  std::uint64_t all_members = 0;  // so this has another bound
  for (const auto& raw : bytes_.table<Raw<page::Object>>(header_->objects, header_->more_objects, most)) {
    auto made = std::make_unique<Object>();
    const page::Object& from = *raw;
    const bool is_there = from.state.load(std::memory_order_relaxed) != page::Object::absent;
    made->what =
        from.what <= page::Object::file ? static_cast<page::Object::What>(from.what) : page::Object::communicator;
    made->name = name_of(from.name);
    made->identity = from.identity;
    made->made_at = from.made_at;
    made->rank = from.rank;
    made->size = from.size;
    made->remote_size = from.remote_size;
    made->collectives = from.collectives.load(std::memory_order_relaxed);
    made->peers = from.peers;
    made->numbers_differ = from.numbers_differ != 0;
    made->members_known = from.members_known != 0 && from.peers >= 0 && from.peers <= most_ranks;
    if (made->members_known && from.members_at != 0) {
      const auto count = static_cast<std::uint64_t>(from.peers);
      all_members += count;
      if (lists.insert(from.members_at).second) in_lists += count;
      if (all_members <= most_members && in_lists * sizeof(int) <= bytes_.size() && from.members_at <= bytes_.size() &&
          count <= (bytes_.size() - from.members_at) / sizeof(int))
        made->members.resize(static_cast<std::size_t>(count));
      made->members_known = !made->members.empty() &&
                            bytes_.read(from.members_at, made->members.data(), made->members.size() * sizeof(int));
    }
    process_.objects.push_back(is_there ? std::move(made) : nullptr);
  }
}

template <class From>
Call Reading::call_of(const From& from) const {
  Call call;
  const auto& functions = *process_.functions;
  call.function = from.function < functions.size() ? &functions[from.function] : nullptr;
  call.site = from.site;
  call.count = from.count;
  call.object = object_at(from.object, begin_of(from));
  if (call.function != nullptr && call.function->kind != Kind::test) call.collective = from.number;
  call.peer = from.peer;
  call.tag = from.tag;
  call.flags = from.flags;
  call.from_anyone = call.has(page::has_peer) && from.peer == header_->any_source;
  call.with_nobody = call.has(page::has_peer) && from.peer == header_->proc_null;
  call.any_tag = call.has(page::has_tag) && from.tag == header_->any_tag;
  if (from.type != 0 && from.type < types_.size()) {
    const page::Datatype& type = *types_[from.type];
    if (type.made_at > begin_of(from)) return call;
    call.type_size = type.size;
    call.type_kind = type.kind;
    call.type_name = name_of(type.name);
  }
  return call;
}

void Reading::read_requests() {
  constexpr std::size_t most = 1 << 16;
  all_requests_ = bytes_.table<Raw<page::Request>>(header_->requests, most);
  for (const auto& raw : all_requests_) {
    if (raw->handle == 0 || raw->state.load(std::memory_order_relaxed) != page::Request::active) continue;
    Call call = call_of(*raw);
    if (call.function == nullptr) continue;
    call.entry = raw->begin;
    process_.requests.push_back(std::move(call));
  }
}

void Reading::read_mapped() {
  constexpr std::size_t most = 1024;
  for (const auto& raw : bytes_.table<Raw<page::Mapped>>(header_->mapped, most))
    if (raw->end > raw->begin) {
      const std::size_t size = std::min<std::size_t>(raw->build_id_size, sizeof raw->build_id);
      process_.mapped.push_back({raw->begin, raw->end, raw->bias, text_in(raw->path),
                                 std::string(reinterpret_cast<const char*>(raw->build_id), size)});
    }
}

void Reading::read_waited_for(Thread& thread, const page::Thread& head) {
  const std::size_t count = std::min<std::size_t>(head.waited_for_count, page::Thread::most_waited_for);
  for (std::size_t i = 0; i < count; ++i) {
    if (head.waited_for[i] >= all_requests_.size()) continue;
    const page::Request& request = *all_requests_[head.waited_for[i]];
    if (request.state.load(std::memory_order_relaxed) != page::Request::active) continue;
    Call call = call_of(request);
    if (call.function == nullptr) continue;
    call.entry = request.begin;
    thread.waited_for.push_back(std::move(call));
  }
}

/// Tests that are made in turn again and again: their records are in the order in which they were made first. `inside`: the
/// number of the call under way.
void put_latest_tests_first(std::vector<Call>& calls, std::uint64_t inside) {
  std::size_t tests = 0;
  while (tests < std::min<std::size_t>(calls.size(), page::tests_in_turn) && calls[tests].has(page::in_vain)) ++tests;
  const auto end = [inside](const Call& call) { return call.number == inside ? UINT64_MAX : call.exit; };
  std::stable_sort(calls.begin(), calls.begin() + static_cast<std::ptrdiff_t>(tests),
                   [&](const Call& one, const Call& other) { return end(one) > end(other); });
}

/// The record of the oldest call may just be overwritten, so it is left out.
void Reading::read_ring(Thread& thread, std::uint64_t at, std::size_t history) {
  const std::uint64_t size = header_->ring_size;
  const std::uint64_t known = std::min<std::uint64_t>({thread.count, size - 1, history});
  std::vector<page::Record> records(static_cast<std::size_t>(known));
  const std::uint64_t first = (thread.count - known) % size;
  const std::uint64_t before_end = std::min(known, size - first);
  const auto place = [&](std::uint64_t index) { return at + page::thread_head + index * sizeof(page::Record); };
  if (!bytes_.read(place(first), records.data(), before_end * sizeof(page::Record)) ||
      !bytes_.read(place(0), records.data() + before_end, (known - before_end) * sizeof(page::Record)))
    return;
  Raw<std::atomic<std::uint64_t>> count_now{};
  if (!bytes_.read(at + offsetof(page::Thread, count), count_now.bytes, sizeof count_now.bytes)) return;
  std::uint64_t now = count_now->load();
  if (const Observation::OfThread* const seen = seen_of(thread.id)) now = seen->count;
  thread.is_whole = known == thread.count;
  thread.calls.reserve(static_cast<std::size_t>(
      std::ranges::count_if(records, [](const page::Record& record) { return record.function < page::first_detail; })));
  for (std::uint64_t i = known; i-- > 0;) {
    const std::uint64_t number = thread.count - known + i;  // from 0
    thread.is_whole = thread.is_whole && number + size > now;
    if (number + size <= now) break;
    const page::Record& record = records[i];
    Call call = call_of(record);
    if (call.function == nullptr && record.function < page::first_detail) thread.is_whole = false;
    if (call.function == nullptr) continue;
    call.number = number + 1;
    call.entry = record.entry;
    call.exit = record.exit;
    call.other = record.other;
    thread.calls.push_back(std::move(call));
  }
}

/// Of a call under way, until now or until the process ended; when one ended that was killed is unknown, so what counts is
/// what was before that call.
void Reading::read_time_in_mpi(Thread& thread, std::uint64_t in_mpi) const {
  thread.in_mpi = in_mpi;
  if (static_cast<std::int64_t>(in_mpi) >= 0) return;
  const std::uint64_t entry = thread.calls.empty() ? 0 : thread.calls.front().entry;
  const std::uint64_t end = process_.ended_at != 0 ? process_.ended_at : entry;
  thread.in_mpi += process_.has_ended() ? end : process_.time.now_ticks;
  if (static_cast<std::int64_t>(thread.in_mpi) < 0) thread.in_mpi = 0;  // damaged
}

void Reading::read_figures(Thread& thread, std::uint64_t at) {
  const auto& functions = *process_.functions;
  const page::Table table{at + page::figures_at, std::min(functions.size(), page::most_functions)};
  const auto all = bytes_.table<Raw<page::Figures>>(table, page::most_functions);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::uint64_t calls = all[i]->calls.load(std::memory_order_relaxed);
    if (calls == 0) continue;
    thread.figures.push_back({&functions[i], calls, all[i]->ticks.load(std::memory_order_relaxed)});
  }
}

void Reading::read_thread(std::uint64_t at, std::size_t history) {
  Raw<page::Thread> head{};
  if (!bytes_.read(at, head.bytes, sizeof head.bytes)) return;
  Thread thread;
  thread.id = head->id;
  thread.in_use = head->in_use.load(std::memory_order_relaxed) != 0;
  if (const Observation::OfThread* const seen = seen_of(thread.id)) thread.state = seen->state;
  if (thread.in_use && process_.is_alive && process_.is_here)
    thread.state = facts_of_task(std::to_string(process_.pid) + "/task/" + std::to_string(thread.id)).state;
  thread.count = head->count.load(std::memory_order_acquire);
  const std::uint64_t inside = head->inside.load(std::memory_order_relaxed);
  thread.pc = head->pc;
  thread.sp = head->sp;
  thread.fp = head->fp;
  read_figures(thread, at);
  read_ring(thread, at, history);
  put_latest_tests_first(thread.calls, inside);
  read_time_in_mpi(thread, head->in_mpi.load(std::memory_order_relaxed));
  for (const Call& call : thread.calls)
    if (inside != 0 && call.number == inside) thread.inside = call;
  if (thread.inside) thread.inside->exit = 0;  // a test that is asked again keeps that of the earlier one
  if (has_requests(thread)) read_waited_for(thread, *head);
  process_.threads.push_back(std::move(thread));
}

void Reading::read_rest(std::size_t history) {
  read_time();
  read_objects();
  constexpr std::size_t most_types = 65536;
  types_ = bytes_.table<Raw<page::Datatype>>(header_->datatypes, header_->more_datatypes, most_types);
  read_requests();
  read_mapped();
  for (const auto& at : header_->threads)
    if (const std::uint64_t offset = at.load(std::memory_order_relaxed); offset != 0) read_thread(offset, history);
}

}  // namespace

Process PageReader::read(const std::string& path, std::size_t history) {
  return read(PageBytes(path), path, history, nullptr);
}

Process PageReader::read(const SentPage& page) {
  Process process = read(PageBytes(page), page.name, page.history, &page.seen);
  process.boards = page.boards;
  return process;
}

Process PageReader::read(const PageBytes& bytes, const std::string& path, std::size_t history,
                         const Observation* seen) {
  Process process;
  const auto reading = std::make_unique<Reading>(here_, bytes, process, seen);  // too large for a stack
  reading->read_header(path);
  if (history == 0) return process;
  if (seen == nullptr && !process.is_alive) reading->check_size();  // else it may just grow
  constexpr std::size_t most_text = 1 << 20;
  const std::vector<char> text = bytes.table<char>(reading->functions(), most_text);
  if (functions_ == nullptr || std::string_view(text.data(), text.size()) != functions_text_) {
    functions_text_.assign(text.data(), text.size());
    functions_ = std::make_shared<const std::vector<Function>>(functions_of(functions_text_));
  }
  process.functions = functions_;
  reading->read_rest(history);
  return process;
}

}  // namespace cairn::where
