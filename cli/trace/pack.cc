// SPDX-License-Identifier: BSD-3-Clause
// pack.cc - a run's folder again, in which what its traces have in common is stored once

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "base/file_bytes.hpp"
#include "base/message.hpp"
#include "base/writing.hpp"
#include "cli/output_file.hpp"
#include "cli/trace/views.hpp"
#include "formats/numbers.hpp"
#include "formats/text.hpp"
#include "trace/blocks.hpp"
#include "trace/common.hpp"

namespace cairn::cli {

namespace {

namespace fs = std::filesystem;
using trace::BlockHead;
using trace::BlockKind;
using trace::BlockWriter;

std::string bytes_at(const FileBytes& file, std::uint64_t at, std::size_t size) {
  std::string bytes(size, '\0');
  if (file.read(at, bytes.data(), size) != size) throw trace::Damaged("it ends too early");
  return bytes;
}

/// Calls `take` with the head and the content of each block, whether the trace was packed before or not, until that
/// returns false. Throws Damaged, also where its process has not come to the end of a block, or still writes it.
template <class Take>
void for_each_block(const std::string& path, Take take) {
  const FileBytes file(path);
  std::shared_ptr<const trace::Common> common;
  for (std::uint64_t at = trace::head_size; at < file.size();) {
    const BlockHead head = trace::head_of(bytes_at(file, at, BlockHead::size));
    at += BlockHead::size;
    if (head.stored > file.size() - at) throw trace::Damaged("it ends too early");
    const std::string stored = bytes_at(file, at, head.stored);
    at += head.stored;
    if (head.kind == BlockKind::uses_common) common = trace::Common::of(path, trace::identity_in(stored), nullptr);
    else if (!take(head, unpacked(head, stored, common == nullptr ? std::string_view() : common->content()))) return;
  }
}

/// Earlier layouts mean something else by what they hold.
bool is_of_this_layout(const std::string& path) {
  const FileBytes file(path);
  std::string head(trace::head_size, '\0');
  if (file.read(0, head.data(), head.size()) != head.size()) return false;
  return trace::Bytes(std::string_view(head).substr(trace::magic.size())).fixed<std::uint32_t>() >=
         trace::first_with_numbers;
}

/// What a trace begins with.
std::string sample_of(const std::string& path) {
  constexpr std::size_t most = trace::most_common / 4;
  std::string sample;
  try {
    for_each_block(path, [&](const BlockHead&, const std::string& content) {
      sample.append(content, 0, most - sample.size());
      return sample.size() < most;
    });
  } catch (const trace::Damaged&) {  // so far it is right
  }
  return sample;
}

/// The first trace's beginning, and those of others that are unlike what is there already.
trace::Common common_of(const std::vector<std::string>& traces) {
  constexpr std::size_t most_compared = 64;  // as there may be thousands
  const std::size_t step = (traces.size() + most_compared - 1) / most_compared;
  std::string content;
  BlockWriter without;
  std::optional<BlockWriter> with;
  for (std::size_t i = 0; i < traces.size(); i += step) {
    const std::string sample = sample_of(traces[i]);
    if (sample.size() > trace::most_common - content.size()) break;
    const auto size_by = [&](BlockWriter& writer) { return writer.block(BlockKind::records, sample).size(); };
    if (with && 10 * size_by(*with) < 9 * size_by(without)) continue;
    content += sample;
    with.emplace(content);
  }
  return trace::Common(content);
}

/// False: it is damaged, or is not written to its end.
bool write_trace(const std::string& from, const trace::Common& common, BlockWriter& writer, OutputFile& to) try {
  to.add(trace::file_head());
  to.add(BlockWriter().block(BlockKind::uses_common, content_of_use(common)));
  for_each_block(from, [&](const BlockHead& head, const std::string& content) {
    const std::string block = writer.block(head.kind, content, head);
    if (unpacked(trace::head_of(block), std::string_view(block).substr(BlockHead::size), common.content()) != content)
      throw std::logic_error("a block of '" + from + "' changes when it is packed");
    to.add(block);
    return true;
  });
  return true;
} catch (const trace::Damaged&) {
  return false;
}

/// As it is.
void copy(const std::string& from, OutputFile& to) {
  constexpr std::size_t step = 1U << 20U;
  const FileBytes file(from);
  std::string bytes;
  for (std::uint64_t at = 0; at < file.size(); at += bytes.size()) {
    bytes.resize(std::min<std::uint64_t>(step, file.size() - at));
    bytes.resize(file.read(at, bytes.data(), bytes.size()));
    if (bytes.empty()) return;  // cut meanwhile
    to.add(bytes);
  }
}

void remove(const std::string& folder) {
  std::error_code none;
  fs::remove_all(folder, none);
}

/// Where it may be made.
void check_target(const fs::path& folder, const fs::path& to, const std::string& asked_by) {
  std::error_code error;
  if (fs::exists(to, error) && !(fs::is_directory(to, error) && fs::is_empty(to, error)))
    throw Problem("'" + to.string() + "' already exists", "another folder", asked_by);
  const std::string whole = fs::weakly_canonical(folder, error).string() + "/";
  if ((fs::weakly_canonical(to, error).string() + "/").starts_with(whole))
    throw Problem("'" + to.string() + "' lies in the run's folder", "a folder beside it", asked_by);
}

void copy_all_but_traces(const fs::path& folder, const fs::path& to) {
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.path().filename() != "trace")
      fs::copy(entry, to / entry.path().filename(), fs::copy_options::recursive | fs::copy_options::copy_symlinks);
}

/// A run that was packed before keeps what its traces have in common: traces that are damaged need it.
trace::Common common_of(const RunTraces& run, const std::vector<std::string>& traces) {
  for (const auto& process : run.processes)
    if (const auto& its = process->file.common()) return *its;
  return common_of(traces);
}

class Packing {
 public:
  Packing(const RunTraces& run, fs::path to, std::string asked_by)
      : to_(std::move(to)), asked_by_(std::move(asked_by)) {
    for (const auto& process : run.processes) traces_.push_back(process->file.path());
    const trace::Common common = common_of(run, traces_);
    write(trace::common_name, [&](OutputFile& file) { file.add(file_of(common)); });
    now_ += common_bytes_ = fs::file_size(to_ / trace::common_name);
    BlockWriter writer(common.content());
    for (const std::string& trace : traces_) add(trace, common, writer);
  }

  std::string told() const {
    using formats::human_bytes;
    return fmt::format("{}: {} in {}, not {}; {} of it is what they have in common\n", to_.parent_path().string(),
                       formats::plural(traces_.size(), "trace"), human_bytes(now_), human_bytes(before_),
                       human_bytes(common_bytes_));
  }
  /// Traces that were copied.
  const std::vector<std::string>& left_as_they_are() const { return left_; }

 private:
  void write(const fs::path& name, auto add) const {
    OutputFile file(to_ / name, asked_by_);
    add(file);
    file.close();
  }
  void add(const std::string& trace, const trace::Common& common, BlockWriter& writer) {
    const fs::path name = fs::path(trace).filename();
    bool is_packed = is_of_this_layout(trace);
    if (is_packed) write(name, [&](OutputFile& file) { is_packed = write_trace(trace, common, writer, file); });
    if (!is_packed) {
      write(name, [&](OutputFile& file) { copy(trace, file); });
      left_.push_back(trace);
    }
    before_ += FileBytes(trace).size();
    now_ += fs::file_size(to_ / name);
  }

  fs::path to_;
  std::string asked_by_;
  std::vector<std::string> traces_, left_;
  std::uint64_t before_ = 0, now_ = 0, common_bytes_ = 0;
};

}  // namespace

std::string write_packed(const RunTraces& run, const std::string& folder, const std::string& to) {
  const std::string asked_by = "--pack " + to;
  check_target(folder, to, asked_by);
  try {
    fs::create_directories(fs::path(to) / "trace");
    copy_all_but_traces(folder, to);
    const Packing done(run, fs::path(to) / "trace", asked_by);
    if (const auto& left = done.left_as_they_are(); !left.empty())
      tell(Severity::warning, formats::plural(left.size(), "trace") +
                                  (left.size() == 1 ? " is copied as it is" : " are copied as they are") +
                                  ", such as '" + left.front() + "': damaged, still written, or of an earlier version");
    return done.told();
  } catch (const fs::filesystem_error& error) {
    remove(to);
    throw Problem("'" + to + "' cannot be written: " + error.code().message(), remedy_for_file(error.code().value()),
                  asked_by);
  } catch (...) {
    remove(to);
    throw;
  }
}

}  // namespace cairn::cli
