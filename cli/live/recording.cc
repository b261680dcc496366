// SPDX-License-Identifier: BSD-3-Clause
// recording.cc - a recording's lines, each checked before anybody sees it

#include "cli/live/recording.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <string_view>

#include "base/file_bytes.hpp"
#include "base/message.hpp"
#include "formats/tags.hpp"
#include "formats/text.hpp"
#include "live/saving.hpp"
#include "where/verdict.hpp"

namespace cairn::cli {

namespace {

using nlohmann::json;

// ------------------------------------------------------------ what a look must have

using MemberCheck = bool (*)(const json&);

bool is_text(const json& value) { return value.is_string(); }
bool is_number(const json& value) { return value.is_number(); }
bool is_number_or_null(const json& value) { return value.is_null() || value.is_number(); }
bool is_truth(const json& value) { return value.is_boolean(); }

template <MemberCheck check>
bool is_list_of(const json& value) {
  return value.is_array() && std::ranges::all_of(value, check);
}

struct Member {
  const char* name;
  MemberCheck check;
  bool may_be_absent = false;
};

template <std::size_t Count>
bool has(const json& object, const Member (&members)[Count]) {
  if (!object.is_object()) return false;
  return std::ranges::all_of(members, [&](const Member& member) {
    const auto found = object.find(member.name);
    return found == object.end() ? member.may_be_absent : member.check(*found);
  });
}

bool is_job(const json& value) {
  return has(value, {{"program", is_text},
                     {"run", is_text},
                     {"host", is_text},
                     {"mpi", is_text},
                     {"folder", is_text},
                     {"ranks", is_number},
                     {"seen", is_number},
                     {"running_s", is_number},
                     {"is_over", is_truth}});
}

bool is_state(const json& value) {
  using enum where::State;
  return value.is_string() && std::ranges::any_of(std::array{moving, waiting, stuck, died, over},
                                                  [&](where::State one) { return value == where::name_of(one); });
}

bool is_group(const json& value) {
  return has(value, {{"ranks", is_text},
                     {"doing", is_text},
                     {"longest_s", is_number},
                     {"state", is_text, true},
                     {"place", is_text, true}});
}

bool is_finding(const json& value) { return has(value, {{"text", is_text}}); }

bool is_where(const json& value) {
  return has(value, {{"state", is_state},
                     {"last_event_s", is_number},
                     {"groups", is_list_of<is_group>},
                     {"findings", is_list_of<is_finding>}});
}

bool is_point(const json& value) {
  return has(value, {{"number", is_number},
                     {"time", is_number},
                     {"share", is_list_of<is_number_or_null>},
                     {"shares", is_list_of<is_number_or_null>},
                     {"calls", is_list_of<is_number_or_null>}}) &&
         value["share"].size() == 3;
}

bool is_matrix_cell(const json& value) {
  return value.is_array() && value.size() == 5 &&
         std::ranges::all_of(value, [](const json& one) { return one.is_number_unsigned(); });
}

bool has_few_units(std::uint64_t ranks, std::uint64_t block) {
  constexpr std::uint64_t most_ranks = 1U << 24U;
  return ranks <= most_ranks && block != 0 && (ranks + block - 1) / block <= live::Traffic::most_units;
}

bool is_matrix(const json& value) {
  return has(value, {{"ranks", is_number},
                     {"block", is_number},
                     {"published", is_number},
                     {"lost", is_number},
                     {"kinds", is_list_of<is_text>},
                     {"cells", is_list_of<is_matrix_cell>}}) &&
         value["ranks"].is_number_unsigned() && value["block"].is_number_unsigned() &&
         has_few_units(value["ranks"].get<std::uint64_t>(), value["block"].get<std::uint64_t>());
}

bool is_variable(const json& value) {
  return has(value,
             {{"name", is_text}, {"class", is_text}, {"text", is_text}, {"of_tool", is_truth}, {"grows", is_truth}});
}

/// The variable's number, and its values.
bool is_change(const json& value) {
  return is_list_of<is_number_or_null>(value) && !value.empty() && value[0].is_number_unsigned();
}

bool is_variables(const json& value) {
  return has(value, {{"ranks", is_number},
                     {"by_rank", is_truth},
                     {"variables", is_list_of<is_variable>},
                     {"changes", is_list_of<is_change>}}) &&
         (value["by_rank"] == false || value["ranks"] <= live::Variables::most_lines);
}

/// Ranks, and why they refused.
bool is_refusal(const json& value) { return is_list_of<is_text>(value) && value.size() == 2; }

bool is_setting(const json& value) {
  return has(value, {{"time", is_number},
                     {"name", is_text},
                     {"value", is_text},
                     {"waiting", is_text},
                     {"set", is_text},
                     {"refused", is_list_of<is_refusal>}});
}

bool is_rule(const json& value) {
  return has(
      value,
      {{"title", is_text}, {"looks", is_number}, {"held", is_number}, {"acted", is_number}, {"taken_back", is_number}});
}

bool is_event(const json& value) {
  return has(value, {{"first", is_number},
                     {"last", is_number},
                     {"times", is_number},
                     {"ranks", is_text},
                     {"rule", is_text},
                     {"what", is_text}});
}

bool is_policy(const json& value) {
  return has(
      value,
      {{"file", is_text}, {"dry_run", is_truth}, {"rules", is_list_of<is_rule>}, {"events", is_list_of<is_event>}});
}

bool is_look(const json& value) {
  return has(value, {{"time", is_number},
                     {"text", is_text},
                     {"job", is_job},
                     {"where", is_where},
                     {"functions", is_list_of<is_text>},
                     {"points", is_list_of<is_point>},
                     {"matrix", is_matrix, true},
                     {"variables", is_variables, true},
                     {"changes", is_list_of<is_setting>, true},
                     {"policy", is_policy, true},
                     {"others", is_list_of<is_text>},
                     {"problems", is_list_of<is_text>}});
}

// ------------------------------------------------------------ lines

json parsed(std::string_view line) { return json::parse(line.begin(), line.end(), nullptr, false); }

std::string bytes_of(const std::string& path) {
  const FileBytes file(path);
  if (file.size() > live::most_bytes_of_recording)
    throw Problem(fmt::format("'{}' is not a recording of 'cairn live': it is larger than 256 MiB", path));
  std::string bytes(static_cast<std::size_t>(file.size()), '\0');
  bytes.resize(file.read(0, bytes.data(), bytes.size()));
  return bytes;
}

/// The first line tells what the file is.
void check_first(const std::string& path, std::string_view line) {
  constexpr std::string_view name = formats::recording_tag.name;
  const json head = parsed(line);
  const std::string format = has(head, {{"format", is_text}}) ? head["format"].get<std::string>() : "";
  if (format == formats::recording_tag.text()) return;
  if (!format.starts_with(name) || format.substr(name.size(), 1) != " ")
    throw Problem(fmt::format("'{}' is not a recording of 'cairn live'", path));
  throw Problem(fmt::format("'{}' was recorded by another version of Cairn (format {}, this one reads {})", path,
                            format.substr(name.size() + 1), formats::recording_tag.version));
}

std::optional<std::array<double, 3>> share_of(const json& look) {
  if (look["points"].empty()) return std::nullopt;
  const json& share = look["points"].back()["share"];
  if (!std::ranges::all_of(share, is_number)) return std::nullopt;
  return std::array<double, 3>{share[0], share[1], share[2]};
}

/// As the look has them; a look tells the latest only.
void take_settings(Recording& recording, const json& look) {
  if (!look.contains("changes")) return;
  for (const json& change : look["changes"]) {
    Recording::Setting setting{change["time"], change["name"], change["value"], change["set"], "", change["waiting"]};
    for (const json& refusal : change["refused"])
      setting.refused += fmt::format("{}{}: {}", setting.refused.empty() ? "" : "; ", refusal[0].get<std::string>(),
                                     refusal[1].get<std::string>());
    const auto known = std::ranges::find_if(recording.settings, [&](const Recording::Setting& one) {
      return one.time == setting.time && one.name == setting.name && one.value == setting.value;
    });
    if (known == recording.settings.end()) recording.settings.push_back(std::move(setting));
    else *known = std::move(setting);
  }
}

void take_job(Recording& recording, const json& job) {
  recording.run = job["run"];
  recording.ranks = job["ranks"].is_number_unsigned() ? job["ranks"].get<std::uint64_t>() : 0;
  recording.is_over = job["is_over"];
}

void add_look(Recording& recording, const std::string& path, std::string_view line, std::size_t number) {
  const json look = parsed(line);
  if (!is_look(look))
    throw Problem(
        fmt::format("'{}' is damaged in line {}", path, number),
        number < 3 ? "" : fmt::format("what comes before: head -n {} {} > FILE", number - 1, quoted_for_shell(path)));
  recording.looks.push_back({look["time"], look["text"], share_of(look)});
  take_settings(recording, look);
  take_job(recording, look["job"]);
  if (recording.all.size() > 1) recording.all += ',';
  recording.all += line;
}

}  // namespace

Recording read_recording(const std::string& path) {
  const std::string bytes = bytes_of(path);
  std::vector<std::string_view> lines = split(bytes, '\n');
  check_first(path, lines.front());
  Recording recording;
  recording.is_cut = !lines.back().empty();
  lines.pop_back();
  recording.all = "[";
  for (std::size_t i = 1; i < lines.size(); ++i) add_look(recording, path, lines[i], i + 1);
  recording.all += "]\n";
  if (recording.looks.empty())
    throw Problem(fmt::format("'{}' is empty: no job was seen", path), "a job with the tool 'where' in its stack");
  return recording;
}

}  // namespace cairn::cli
