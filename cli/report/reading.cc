// SPDX-License-Identifier: BSD-3-Clause
// reading.cc - finding and reading the files of a run's folder

#include "cli/report/reading.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <map>
#include <span>
#include <utility>

#include "base/file_bytes.hpp"
#include "base/text.hpp"
#include "cli/command.hpp"
#include "cli/report/entries.hpp"
#include "cli/report/killed.hpp"
#include "cli/report/missing.hpp"
#include "cli/report/trace_section.hpp"
#include "cli/report/wording.hpp"
#include "cli/whatif/calls_left.hpp"
#include "formats/field_reader.hpp"
#include "formats/ranks.hpp"
#include "formats/readers.hpp"

namespace cairn::report {

namespace {

using Run = formats::run::Summary;

constexpr const char* try_again = "running the program again with 'cairn run'";
constexpr const char* try_newer = "the cairn that made the run, or a newer one";

}  // namespace

void check_folder(const std::string& folder) {
  std::error_code error;
  const bool is_folder = std::filesystem::is_directory(folder, error);
  if (error) throw Problem("no report: '" + folder + "': " + error.message(), cli::try_folder);
  if (!is_folder) throw Problem("no report: '" + folder + "' is not a folder", cli::try_folder);
}

namespace {

Json parse_object(const std::string& path) {
  const std::optional<std::string> text = whole_file(path);
  if (!text) throw Problem("'" + path + "' cannot be read: " + std::strerror(errno), "");
  try {
    Json json = Json::parse(*text);
    if (json.is_object()) return json;
    throw Problem("'" + path + "' is damaged: it contains no JSON object", try_again);
  } catch (const Json::parse_error& error) {
    throw Problem(fmt::format("'{}' is damaged: not valid JSON from byte {} on", path, error.byte), try_again);
  }
}

void check_format(const std::string& path, const Json& json, const formats::Tag& known) {
  const std::string format = text_at(json, "format");
  const std::string name = std::string(known.name) + " ";
  if (!format.starts_with(name))
    throw Problem(fmt::format("'{}' is not what its name says: its format is '{}', not '{}'", path, harmless(format),
                              known.text()),
                  try_again);
  if (std::strtoul(format.c_str() + name.size(), nullptr, 10) > known.version)
    throw Problem(
        fmt::format("'{}' has the format '{}'; this cairn knows up to '{}'", path, harmless(format), known.text()),
        try_newer);
}

}  // namespace

Json parse_file(const std::string& path, const formats::Tag& tag) {
  Json json = parse_object(path);
  check_format(path, json, tag);
  return json;
}

Json parse_result(const std::string& path, const std::string& run, const formats::Tag& tag) {
  Json json = parse_object(path);
  formats::run::check_belongs(path, text_at(json, "run"), run);
  check_format(path, json, tag);
  return json;
}

std::vector<std::string> snapshots_in(const std::string& folder) {
  std::vector<std::string> paths;
  if (std::filesystem::is_directory(folder))
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      const std::string name = entry.path().filename().string();
      if (name.starts_with("rank.") && name.ends_with(".json")) paths.push_back(entry.path().string());
    }
  std::ranges::sort(paths);
  return paths;
}

Problem snapshots_only(const std::string& folder, std::size_t ranks) {
  return Problem(
      fmt::format("'{}' has snapshots of {}, not the results of the whole run", folder, plural(ranks, "rank")));
}

namespace {

/// One tool's results: profile.json is instance 1, profile.2.json 2; what one rank left of a run that came to no good
/// end is profile.rank-3.json.
struct ToolResults {
  std::string file;
  std::map<int, std::string> parts;  // by rank
};

using Instances = std::map<int, ToolResults>;

/// What a name says between the tool and "json": an instance, a rank, both or nothing else.
void add_file(Instances& instances, const std::string& name, std::vector<std::string_view> words) {
  constexpr std::string_view rank_word = "rank-";
  int rank = -1;
  int instance = 1;
  if (!words.empty() && words.back().starts_with(rank_word)) {
    rank = std::atoi(words.back().data() + rank_word.size());
    words.pop_back();
  }
  if (words.size() == 1) instance = std::atoi(words.front().data());
  if (words.size() > 1 || instance < 1 || (words.size() == 1 && instance == 1)) return;
  if (rank < 0) instances[instance].file = name;
  else instances[instance].parts[rank] = name;
}

Instances files_of(const std::string& folder, std::string_view tool) {
  Instances instances;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    const std::vector<std::string_view> words = split(name, '.');
    if (words.size() < 2 || words.front() != tool || words.back() != "json") continue;
    add_file(instances, name, {words.begin() + 1, words.end() - 1});
  }
  return instances;
}

std::string file_name(std::string_view tool, int instance) {
  return instance == 1 ? fmt::format("{}.json", tool) : fmt::format("{}.{}.json", tool, instance);
}

template <class Read>
void add_section(const std::string& folder, const std::string& name, int instance, const std::string& part,
                 const Reader& reader, Report& report, Read read) {
  try {
    Section section{std::string(reader.tool), instance, part, name, {}, {}, {}, {}};
    read(folder + "/" + name, section);
    make_whole(section);
    report.sections.push_back(std::move(section));
  } catch (const Problem& problem) {
    report.warnings.push_back(problem);
  } catch (const formats::Damaged& damage) {
    report.warnings.emplace_back("'" + folder + "/" + name + "' is damaged: " + damage.what(), try_again);
  }
}

/// A file of the run.
struct ResultName {
  const Run& run;
  const std::string& folder;
  const std::string& name;
};

void read_file(const ResultName& file, int instance, const std::string& part, const Reader& reader, Report& report) {
  add_section(file.folder, file.name, instance, part, reader, report, [&](const std::string& path, Section& section) {
    const Json json = parse_result(path, file.run.identity, reader.tag);
    section.ended_by = text_at(at(json, "part"), "ended_by");
    reader.read(json, section);
  });
}

/// One after the other; those that are damaged are among the warnings, and then how many there were. Last, those of
/// ranks that were killed before they could write one.
class Snapshots {
 public:
  Snapshots(const std::string& folder, const Run& run, const Reader& reader, const Killed& killed, Report& report)
      : folder_(folder), run_(run), reader_(reader), report_(report), paths_(snapshots_in(folder)) {
    for (const where::Process& one : killed.ranks())
      if (!std::filesystem::exists(fmt::format("{}/rank.{}.json", folder, one.rank)))
        if (Json json = comm_of(one, run.identity); !json.is_null()) killed_.push_back(std::move(json));
    if (paths_.empty() && killed_.empty()) throw missing_file(fmt::format("{}/{}.json", folder, reader.tool));
  }

  std::optional<Json> next() {
    while (next_ != paths_.size()) try {
        Json json = parse_result(paths_[next_++], run_.identity, reader_.tag);
        ++good_;
        return json;
      } catch (const Problem& problem) {
        damage_.push_back(problem);
      }
    if (next_killed_ != killed_.size()) return std::move(killed_[next_killed_++]);
    if (good_ == 0 && killed_.empty()) throw Problem(damage_.front());
    report_.warnings.insert(report_.warnings.end(), damage_.begin(), damage_.end());
    if (good_ != 0) report_.warnings.push_back(snapshots_only(folder_, good_));
    if (!killed_.empty())
      report_.warnings.emplace_back(
          fmt::format("what '{}' has of {} without a snapshot is from memory that outlived the process", folder_,
                      plural(killed_.size(), "rank")));
    return std::nullopt;
  }

 private:
  const std::string& folder_;
  const Run& run_;
  const Reader& reader_;
  Report& report_;
  std::vector<std::string> paths_;
  std::vector<Json> killed_;
  std::size_t next_ = 0;
  std::size_t next_killed_ = 0;
  std::size_t good_ = 0;
  std::vector<Problem> damage_;
};

void read_folder(const std::string& folder, const std::string& path, const Run& run, const Reader& reader,
                 const Killed& killed, Report& report, Section& section) {
  if (!std::filesystem::exists(path)) {
    Snapshots snapshots(folder, run, reader, killed, report);
    return reader.read_folder(
        folder, [&] { return snapshots.next(); }, section);
  }
  std::optional<Json> whole = parse_result(path, run.identity, reader.tag);
  reader.read_folder(
      folder, [&] { return std::exchange(whole, std::nullopt); }, section);
}

/// Of a tool whose instances have folders: comm/comm.json, comm.2/comm.json.
void read_folders(const std::string& folder, const Run& run, const Reader& reader, const Killed& all_killed,
                  Report& report) {
  const int asked = asked_for(run, reader.tool);
  for (int instance = 1;; ++instance) {
    const std::string own = instance == 1 ? std::string(reader.tool) : fmt::format("{}.{}", reader.tool, instance);
    const bool is_there = std::filesystem::is_directory(folder + "/" + own);
    if (instance > asked && !is_there) return;
    if (!is_there && !owes_results(run, reader.tool, instance)) continue;
    add_section(folder, fmt::format("{}/{}.json", own, reader.tool), instance, "", reader, report,
                [&](const std::string& path, Section& section) {
                  const Killed nobody;
                  const Killed& killed = instance == 1 ? all_killed : nobody;  // the others have no board
                  read_folder(folder + "/" + own, path, run, reader, killed, report, section);
                });
  }
}

/// Of `waits`, whose ranks leave calls where the run came to no good end: these are analysed now. False: there are none.
bool read_calls(const std::string& folder, const Reader& reader, Report& report) {
  const auto left = cli::left_by_ranks(folder, [&](const Problem& problem) { report.warnings.push_back(problem); });
  if (!left) return false;
  add_section(folder, "waits.rank-*.graph", 1, "", reader, report,
              [&](const std::string&, Section& section) { reader.read(Json::parse(file_text(*left)), section); });
  return true;
}

/// Where the whole run's file is missing.
void read_parts(const std::string& folder, const Run& run, int instance, const std::map<int, std::string>& parts,
                const Reader& reader, Report& report) {
  const std::string whole = folder + "/" + file_name(reader.tool, instance);
  if (parts.empty()) return report.warnings.push_back(missing_file(whole));
  const std::size_t sections = report.sections.size();
  const auto warnings = static_cast<std::ptrdiff_t>(report.warnings.size());
  for (const auto& [rank, name] : parts)
    read_file({run, folder, name}, instance, fmt::format("rank {}", rank), reader, report);
  report.warnings.insert(report.warnings.begin() + warnings,
                         missing_file(whole, std::span(report.sections).subspan(sections), parts.size()));
}

void read_files(const std::string& folder, const Run& run, const Reader& reader, const Killed& killed, Report& report) {
  Instances instances = files_of(folder, reader.tool);
  for (int i = 1; i <= asked_for(run, reader.tool); ++i)
    if (owes_results(run, reader.tool, i)) instances.try_emplace(i);
  for (const auto& [instance, results] : instances) {
    const std::size_t before = report.sections.size();
    if (!results.file.empty()) read_file({run, folder, results.file}, instance, "", reader, report);
    if (report.sections.size() != before) continue;
    if (!results.file.empty() && results.parts.empty()) continue;  // it is damaged, and a message has said so
    if (reader.tag.name == formats::waits_tag.name && instance == 1 && read_calls(folder, reader, report)) continue;
    read_parts(folder, run, instance, results.parts, reader, report);
    if (instance != 1) continue;  // the others have no board
    for (const where::Process& one : killed.ranks())
      if (!results.parts.contains(one.rank))
        if (std::optional<Section> section = section_of(reader.tool, one)) report.sections.push_back(*section);
  }
}

std::string tools_of(const Run& run) {
  std::vector<std::string> names;
  for (const formats::run::Layer& layer : run.tools) names.push_back(layer.tool);
  return join(names, ", ");
}

/// "n1: ranks 0-3 on processors 0-7; …"
std::string places_of(const Run& run) {
  constexpr std::size_t shown = 4;
  std::vector<std::string> places;
  for (const formats::run::Place& place : run.places)
    if (places.size() < shown)
      places.push_back(fmt::format("{}: {} {}{}", place.node,
                                   place.ranks.find_first_of("-,") == std::string::npos ? "rank" : "ranks", place.ranks,
                                   place.processors.empty() ? "" : " on processors " + place.processors));
  if (run.places.size() > shown) places.push_back(fmt::format("{} more in run.json", run.places.size() - shown));
  return join(places, "; ");
}

std::string labels_text(const Run& run) {
  std::vector<std::string> labels;
  for (const auto& [name, value] : run.labels) labels.push_back(name + "=" + value);
  return join(labels, ", ");
}

/// All that have Cairn have a place, and the others are missing; 0: older versions tell no places.
int ranks_in(const Run& run) {
  int most = -1;
  const auto note = [&](const std::string& text) {
    for (const int rank : formats::ranks_of(text, formats::most_ranks_of_a_job)) most = std::max(most, rank);
  };
  for (const formats::run::Place& place : run.places) note(place.ranks);
  for (const formats::run::Gap& gap : run.missing) note(run.places.empty() ? "" : gap.ranks);
  return most + 1;
}

void describe(const std::string& folder, const Run& run, Report& report) {
  std::string program = run.program;
  for (const Section& section : report.sections)
    if (const Fact* fact = section.fact("program"); fact != nullptr && program.empty() && section.part.empty())
      program = value_text(Kind::text, fact->value);
  report.title = program.empty() ? "a run" : std::string(file_of(program));
  report.ranks = ranks_in(run);
  if (const Json ranks = ranks_of(report); !ranks.is_null())
    report.title += " on " + plural(ranks.get<std::uint64_t>(), "rank");
  const auto add = [&](const char* key, const std::string& value) {
    if (!value.empty()) report.heading.emplace_back(key, harmless(value));
  };
  report.title = harmless(report.title);
  add("program", program);
  add("MPI", run.mpi);
  add("started", run.started);
  add("labels", labels_text(run));
  add("host", run.host);
  add("places", places_of(run));
  add("tools", tools_of(run));
  add("folder", folder);
}

/// The reason why there is nothing to show.
[[noreturn]] void nothing_found(const std::string& folder, const Run& run, bool has_run, const Report& report) {
  if (!report.warnings.empty()) {
    const Problem& first = report.warnings.front();
    throw Problem(std::string("no report: ") + first.what(), first.remedy);
  }
  if (!has_run) throw Problem("no report: '" + folder + "' contains no results of a run", cli::try_folder);
  check_loaded(run);
  throw Problem("no report: no tool of the run in '" + folder + "' (" + tools_of(run) + ") writes results for it",
                "cairn run --tools profile");
}

}  // namespace

const std::vector<Reader>& readers() {
  static const std::vector<Reader> all = {{"profile", formats::profile_tag, read_profile},
                                          {"comm", formats::comm_tag, nullptr, read_comm},
                                          {"vars", formats::vars_tag, read_vars},
                                          {"policy", formats::policy_tag, read_policy},
                                          {"waits", formats::waits_tag, read_waits}};
  return all;
}

Report read_run(const std::string& folder) {
  check_folder(folder);
  Report report;
  Run run;
  bool has_run = false;
  const std::string run_file = folder + "/run.json";
  try {
    if (std::filesystem::exists(run_file)) {
      has_run = true;
      run = formats::read_run(parse_file(run_file, formats::run_tag));
    }
  } catch (const Problem& problem) {
    report.warnings.push_back(problem);
  } catch (const formats::Damaged& damage) {
    report.warnings.emplace_back("'" + run_file + "' is damaged: " + damage.what(), try_again);
  }
  const Killed killed(folder, run.identity);
  for (const Reader& reader : readers())
    (reader.read_folder == nullptr ? read_files : read_folders)(folder, run, reader, killed, report);
  read_trace(folder, report);
  read_ends(folder, run.identity, report);
  read_recordings(folder, run.identity, report);
  if (report.sections.empty()) nothing_found(folder, run, has_run, report);
  warn_of_gaps(run, report);
  describe(folder, run, report);
  return report;
}

}  // namespace cairn::report
