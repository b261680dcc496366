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

/// What a trace begins with.
std::string sample_of(const trace::File& file) {
  constexpr std::size_t most = trace::most_common / 4;
  std::string sample;
  try {
    file.for_each_block([&](const BlockHead&, const std::string& content) {
      sample.append(content, 0, most - sample.size());
      return sample.size() < most;
    });
  } catch (const trace::Damaged&) {  // so far it is right
  }
  return sample;
}

/// The first trace's beginning, and those of others that are unlike what is there already.
trace::Common new_common(const std::vector<std::unique_ptr<ProcessTrace>>& traces) {
  constexpr std::size_t most_compared = 64;  // as there may be thousands
  const std::size_t step = (traces.size() + most_compared - 1) / most_compared;
  std::string content;
  BlockWriter without;
  std::optional<BlockWriter> with;
  for (std::size_t i = 0; i < traces.size(); i += step) {
    const std::string sample = sample_of(traces[i]->file);
    if (sample.size() > trace::most_common - content.size()) break;
    const auto size_by = [&](BlockWriter& writer) { return writer.block(BlockKind::records, sample).size(); };
    if (with && 10 * size_by(*with) < 9 * size_by(without)) continue;
    content += sample;
    with.emplace(content);
  }
  return trace::Common(content);
}

void remove(const std::string& folder) {
  std::error_code none;
  fs::remove_all(folder, none);
}

/// In a folder that does not get copies of itself.
void check_target(const std::string& folder, const std::string& to, const std::string& asked_by) {
  check_new_folder(to, asked_by);
  std::error_code error;
  const std::string whole = fs::weakly_canonical(folder, error).string() + "/";
  if ((fs::weakly_canonical(to, error).string() + "/").starts_with(whole))
    throw Problem("'" + to + "' lies in the run's folder", "a folder beside it", asked_by);
}

void copy_all_but_traces(const fs::path& folder, const fs::path& to) {
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.path().filename() != "trace")
      fs::copy(entry, to / entry.path().filename(), fs::copy_options::recursive | fs::copy_options::copy_symlinks);
}

/// Null: the run was not packed before.
std::shared_ptr<const trace::Common> common_before(const RunTraces& run) {
  for (const auto& process : run.processes)
    if (const auto& its = process->file.common()) return its;
  return nullptr;
}

/// A run that was packed before keeps what its traces have in common: traces that are damaged need it.
trace::Common common_of(const RunTraces& run) {
  const auto before = common_before(run);
  return before != nullptr ? *before : new_common(run.processes);
}

class Packing {
 public:
  Packing(const RunTraces& run, fs::path to, std::string asked_by)
      : to_(std::move(to)), asked_by_(std::move(asked_by)), common_(common_of(run)), writer_(common_.content()) {
    OutputFile file(to_ / trace::common_name, asked_by_);
    file.add(file_of(common_));
    file.close();
    now_ += common_bytes_ = fs::file_size(to_ / trace::common_name);
    for (const auto& process : run.processes) add(process->file);
    if (const auto before = common_before(run)) before_ += before->bytes();
  }

  std::string told() const {
    using formats::human_bytes;
    return fmt::format("{}: {} in {}, not {}; {} of it is what they have in common\n", to_.parent_path().string(),
                       formats::plural(count_, "trace"), human_bytes(now_), human_bytes(before_),
                       human_bytes(common_bytes_));
  }
  /// Traces that were copied.
  const std::vector<std::string>& left_as_they_are() const { return left_; }

 private:
  void add(const trace::File& trace) {
    const fs::path to = to_ / fs::path(trace.path()).filename();
    if (!trace.has_numbers() || !is_written(trace, to)) {
      fs::copy_file(trace.path(), to, fs::copy_options::overwrite_existing);
      left_.push_back(trace.path());
    }
    ++count_;
    before_ += fs::file_size(trace.path());
    now_ += fs::file_size(to);
  }
  /// False: it is damaged, or is not written to its end.
  bool is_written(const trace::File& trace, const fs::path& to) try {
    OutputFile file(to, asked_by_);
    file.add(trace::file_head());
    file.add(use_);
    trace.for_each_block([&](const BlockHead& head, const std::string& content) {
      const std::string block = writer_.block(head.kind, content, head);
      if (unpacked(trace::head_of(block), std::string_view(block).substr(BlockHead::size), common_.content()) !=
          content)
        throw std::logic_error("a block of '" + trace.path() + "' changes when it is packed");
      file.add(block);
      return true;
    });
    file.close();
    return true;
  } catch (const trace::Damaged&) {
    return false;
  }

  fs::path to_;
  std::string asked_by_;
  trace::Common common_;
  BlockWriter writer_;
  std::string use_ = BlockWriter().block(BlockKind::uses_common, content_of_use(common_));
  std::vector<std::string> left_;
  std::uint64_t count_ = 0, before_ = 0, now_ = 0, common_bytes_ = 0;
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
