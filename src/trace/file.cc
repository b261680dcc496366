// SPDX-License-Identifier: BSD-3-Clause
// file.cc - reading a trace file while its process writes it, or what is left of it

#include "trace/file.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <string_view>

#include "base/message.hpp"
#include "trace/record_coder.hpp"

namespace cairn::trace {

namespace {

constexpr std::int64_t most_ns = 2'000'000'000'000'000'000;  // 63 years: sums and differences have room

}  // namespace

File::File(const std::string& path, FileBytes bytes, std::shared_ptr<const Common> of_others)
    : path_(path), file_(std::move(bytes)), of_others_(std::move(of_others)) {
  const std::string head = stored(0, head_size);
  if (head.size() != head_size || !head.starts_with(magic)) throw Problem("'" + path + "' is not a trace of Cairn's");
  version_ = Bytes(std::string_view(head).substr(magic.size())).fixed<std::uint32_t>();
  if (version_ == 0 || version_ > version)
    throw Problem("'" + path + "' was written by another version of Cairn (layout " + std::to_string(version_) +
                      ", this one reads " + std::to_string(version) + ")",
                  "the 'cairn' that the job was started with");
  read_blocks(head_size);
  if (moments_.empty()) moments_.emplace_back();
}

void File::append(const std::string& blocks) {
  const std::uint64_t from = file_.size();
  file_.append(blocks);
  read_blocks(from);
}

/// Shorter where the file ends.
std::string File::stored(std::uint64_t at, std::uint64_t size) const {
  std::string bytes(at > file_.size() ? 0 : std::min(size, file_.size() - at), '\0');
  bytes.resize(file_.read(at, bytes.data(), bytes.size()));
  return bytes;
}

std::string File::content(const Block& block) const {
  return unpacked(block.head, stored(block.at, block.head.stored),
                  common_ == nullptr ? std::string_view() : common_->content());
}

// ------------------------------------------------------------ blocks

/// The last block may be in part: it is just being written, or its process was killed meanwhile. After what is no block,
/// the file goes on where one begins again.
void File::read_blocks(std::uint64_t from) {
  for (std::uint64_t at = from; at < file_.size();) {
    const std::optional<Block> block = block_at(at);
    if (block && block->head.stored <= file_.size() - block->at) {
      take_or_note(*block);
      at = block->at + block->head.stored;
      continue;
    }
    end_.reset();
    const std::uint64_t next = next_block(at + 1);
    const bool may_be_cut = block || file_.size() - at < BlockHead::size;
    if (next == file_.size() && may_be_cut) return;
    is_damaged_at_end_ = next == file_.size();
    damages_[at] = {block ? "a block does not end" : "no block begins there",
                    std::to_string(next - at) + (next - at == 1 ? " byte is" : " bytes are") + " left out"};
    at = next;
  }
}

std::optional<File::Block> File::block_at(std::uint64_t at) const try {
  return Block{head_of(stored(at, BlockHead::size)), at + BlockHead::size};
} catch (const Damaged&) {
  return {};
}

/// By another block, or by the end of the file: bytes of a content that look like a head are not.
bool File::is_followed(const Block& block) const {
  const BlockHead& head = block.head;
  const bool is_possible = head.kind >= BlockKind::process && head.kind <= BlockKind::uses_common &&
                           head.form <= Form::within_error && head.raw != 0 && head.stored <= head.raw;
  if (!is_possible || head.stored > file_.size() - block.at) return false;
  const std::uint64_t end = block.at + head.stored;
  return file_.size() - end < BlockHead::size || block_at(end);
}

/// The first one from there on, or the end of the file.
std::uint64_t File::next_block(std::uint64_t from) const {
  constexpr std::uint64_t step = 1U << 16U;
  constexpr std::string_view mark = "CT";
  static_assert(BlockHead::mark == 0x5443);
  for (std::uint64_t begin = from; begin < file_.size(); begin += step) {
    const std::string bytes = stored(begin, step + 1);
    for (std::size_t at = bytes.find(mark); at < step; at = bytes.find(mark, at + 1))
      if (const std::optional<Block> block = block_at(begin + at); block && is_followed(*block)) return begin + at;
  }
  return file_.size();
}

void File::take_or_note(const Block& block) try { take(block); } catch (const Damaged& why) {
  note(block, why.what());
}

void File::note(const Block& block, const std::string& why) const {
  const auto lost = [&]() -> std::string {
    switch (block.head.kind) {
      case BlockKind::records:
        return std::to_string(block.head.count) + " records of thread " + std::to_string(block.head.thread) +
               " are left out";
      case BlockKind::definitions:
        return are_numbers_known_ ? "what it defines has no name" : "what is defined from there on has no name";
      case BlockKind::process:
        return "what it says of the process is left out";
      case BlockKind::end:
        return "what it says of the end is left out";
      case BlockKind::uses_common:
        return "the file beside it is taken for that with which it was packed";
      default:
        return "what it says of the clock is left out";
    }
  };
  damages_.try_emplace(block.at - BlockHead::size, Damage{why, lost()});
}

void File::take(const Block& block) {
  end_.reset();  // the process has survived the signal that was to end it
  if (block.head.kind == BlockKind::records) return records_.push_back(block);
  switch (block.head.kind) {
    case BlockKind::process:
      return trace::read(content(block), process_);
    case BlockKind::definitions: {
      if (!are_numbers_known_) return;
      are_numbers_known_ = has_numbers();  // should it be damaged
      trace::read(content(block), definitions_, version_);
      are_numbers_known_ = true;
      return;
    }
    case BlockKind::clock: {
      Moment moment;
      trace::read(content(block), moment);
      return take(moment);
    }
    case BlockKind::comparison: {
      Comparison comparison;
      trace::read(content(block), comparison);
      return take(comparison);
    }
    case BlockKind::end:
      return trace::read(content(block), end_.emplace());
    case BlockKind::uses_common:
      return take_common(block);
    default:  // of a later Cairn
      return;
  }
}

void File::take_common(const Block& block) {
  const std::optional<std::uint64_t> identity = identity_in(stored(block.at, block.head.stored));
  if (!identity) note(block, "a block has changed since it was written");
  common_ = Common::of(path_, identity, of_others_);
}

std::vector<Record> File::read(const Block& block) const try {
  return decode_records(content(block), block.head);
} catch (const Damaged& why) {
  note(block, why.what());
  return {};
}

std::uint64_t File::bytes(const Record& record) const {
  if ((record.flags & page::has_count) == 0) return 0;
  if (is_detail(record)) return record.count;
  const Datatype* const type = definitions_.types.find(record.type);
  return type == nullptr ? 0 : record.count * type->size;
}

bool File::has_unknown_bytes(const Record& call) const {
  return (call.flags & page::has_count) != 0 && !is_detail(call) && call.count != 0 &&
         definitions_.types.find(call.type) == nullptr;
}

// ------------------------------------------------------------ time

void File::take(const Moment& moment) {
  const bool is_later =
      moments_.empty() || (moment.ticks > moments_.back().ticks && moment.monotonic_ns >= moments_.back().monotonic_ns);
  if (is_later && moment.monotonic_ns < std::uint64_t{most_ns}) moments_.push_back(moment);
  else ++wrong_moments_;
}

/// Two at most, as far as they fit together: clocks differ by a few parts in a million, and not by more than a tenth.
void File::take(const Comparison& comparison) {
  constexpr std::int64_t most = most_ns / 10;  // six years
  for (const std::int64_t ns : {comparison.at_ns, comparison.offset_ns, comparison.error_ns, comparison.day_ns / 100})
    if (ns > most || ns < -most) return void(++wrong_moments_);
  if (comparisons_.empty()) return comparisons_.push_back(comparison);
  const Comparison& first = comparisons_.front();
  const std::int64_t drift = comparison.offset_ns - first.offset_ns;
  if (comparison.reference != first.reference || 10 * std::abs(drift) >= comparison.at_ns - first.at_ns)
    return void(++wrong_moments_);
  comparisons_.resize(1);
  comparisons_.push_back(comparison);
}

std::int64_t File::nanoseconds(std::uint64_t ticks) const {
  const std::int64_t ns = own_nanoseconds(ticks);
  return comparisons_.empty() ? ns : ns + offset_at(ns);
}

/// Between two comparisons clocks drift apart evenly.
std::int64_t File::offset_at(std::int64_t ns) const {
  const Comparison& first = comparisons_.front();
  const Comparison& last = comparisons_.back();
  if (comparisons_.size() < 2 || ns <= first.at_ns) return first.offset_ns;
  if (ns >= last.at_ns) return last.offset_ns;
  const double part = static_cast<double>(ns - first.at_ns) / static_cast<double>(last.at_ns - first.at_ns);
  return first.offset_ns + std::llround(part * static_cast<double>(last.offset_ns - first.offset_ns));
}

std::string File::clock() const {
  if (!comparisons_.empty()) return "compared " + std::to_string(comparisons_.front().reference);
  return process_.boot.empty() ? process_.host : process_.boot;
}

std::int64_t File::time_of_day_ns() const {
  if (!comparisons_.empty()) return comparisons_.front().day_ns;
  return static_cast<std::int64_t>(moments_.front().real_ns - moments_.front().monotonic_ns);
}

/// Between two moments; before the first and after the last by moments that lie so far apart that the error of reading
/// them does not count.
std::int64_t File::own_nanoseconds(std::uint64_t ticks) const {
  constexpr std::uint64_t far_ns = 10'000'000;
  if (moments_.size() < 2) return static_cast<std::int64_t>(moments_.front().monotonic_ns);
  auto after = std::ranges::upper_bound(moments_, ticks, {}, &Moment::ticks);
  after = std::clamp(after, moments_.begin() + 1, moments_.end() - 1);
  auto before = after - 1;
  const auto is_near = [&] { return after->monotonic_ns - before->monotonic_ns < far_ns; };
  if (ticks < before->ticks)
    while (is_near() && after + 1 != moments_.end()) ++after;
  if (ticks > after->ticks)
    while (is_near() && before != moments_.begin()) --before;
  const double rate = static_cast<double>(after->monotonic_ns - before->monotonic_ns) /
                      static_cast<double>(after->ticks - before->ticks);
  const double since = static_cast<double>(static_cast<std::int64_t>(ticks - before->ticks)) * rate;
  constexpr auto most = static_cast<double>(most_ns);
  return static_cast<std::int64_t>(before->monotonic_ns) + static_cast<std::int64_t>(std::clamp(since, -most, most));
}

// ------------------------------------------------------------ records

void Cursor::load() {
  block_.clear();
  at_ = 0;
  while (block_.empty() && next_ < file_->records().size()) {
    const File::Block& block = file_->records()[next_++];
    if (block.head.thread != thread_) continue;
    first_ = block.head.first;
    block_ = file_->read(block);
  }
}

Records::Records(const File& file) {
  std::uint32_t threads = 0;
  for (const File::Block& block : file.records()) threads = std::max(threads, block.head.thread + 1);
  for (std::uint32_t thread = 0; thread < threads; ++thread) cursors_.emplace_back(file, thread);
  choose();
}

void Records::choose() {
  current_ = nullptr;
  for (Cursor& cursor : cursors_)
    if (const Record* const record = cursor.now())
      if (current_ == nullptr || moment_of(*record) < moment_of(*current_->now())) current_ = &cursor;
}

void Records::step() {
  current_->step();
  const Record* const next = current_->now();
  if (next == nullptr || !is_detail(*next)) choose();
}

std::vector<std::string> files_in(const std::string& folder) {
  constexpr std::string_view before = "rank-";
  constexpr std::string_view after = ".trace";
  std::vector<std::pair<long, std::string>> found;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    long rank = 0;
    if (!name.starts_with(before) || !name.ends_with(after)) continue;
    std::from_chars(name.data() + before.size(), name.data() + name.size(), rank);
    found.emplace_back(rank, entry.path().string());
  }
  std::ranges::sort(found);
  std::vector<std::string> paths;
  for (const auto& [rank, path] : found) paths.push_back(path);
  return paths;
}

}  // namespace cairn::trace
