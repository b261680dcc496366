// SPDX-License-Identifier: BSD-3-Clause
// filters.cc - the filters there are, their values, and which functions they leave.

#include "request/filters.hpp"

#include <fnmatch.h>
#include <signal.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <set>

#include "base/message.hpp"
#include "base/text.hpp"

namespace cairn {

namespace {

using Values = std::vector<std::string>;

constexpr std::array<std::string_view, 7> lifecycle = {"MPI_Abort",       "MPI_Finalize", "MPI_Init",
                                                       "MPI_Init_thread", "MPI_Pcontrol", "MPI_Session_finalize",
                                                       "MPI_Session_init"};

constexpr long longest_seconds = 1'000'000'000;  // some thirty years

bool matches(const std::string& glob, const std::string& name) { return fnmatch(glob.c_str(), name.c_str(), 0) == 0; }

bool match_any(const Values& globs, const std::string& name) {
  return std::ranges::any_of(globs, [&](const std::string& glob) { return matches(glob, name); });
}

/// The whole text as a number, or false.
template <class Number>
bool read(std::string_view text, Number& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc{} && end == text.data() + text.size();
}

bool read_values(const Values& values, Values& out) {
  out = values;
  return std::ranges::none_of(values, &std::string::empty);
}

bool read_values(const Values& values, std::vector<Filters::Range>& out) {
  for (const std::string& value : values) {
    const auto ends = split(value, '-');
    Filters::Range range{};
    if (ends.size() > 2 || !read(ends.front(), range.first) || !read(ends.back(), range.last)) return false;
    if (range.first > range.last) return false;
    out.push_back(range);
  }
  return true;
}

bool read_values(const Values& values, Filters::Time& out) {
  constexpr std::array<std::pair<std::string_view, double>, 4> units = {
      {{"ms", 1e-3}, {"s", 1}, {"m", 60}, {"h", 3600}}};
  if (values.size() != 1) return false;
  for (const auto& [unit, seconds] : units) {
    std::string_view text = values[0];
    double number = 0;
    if (!text.ends_with(unit)) continue;
    text.remove_suffix(unit.size());
    if (!read(text, number)) continue;
    if (!(number >= 0) || number * seconds > longest_seconds) return false;
    out = std::chrono::duration_cast<Filters::Time>(std::chrono::duration<double>(number * seconds));
    return true;
  }
  return false;
}

bool read_values(const Values& values, std::vector<int>& out) {
  out.resize(values.size());
  for (std::size_t i = 0; i < values.size(); ++i)
    if (!read(values[i], out[i])) return false;
  return true;
}

bool read_values(const Values& values, bool& out) {
  if (values.size() != 1 || (values[0] != "on" && values[0] != "off")) return false;
  out = values[0] == "on";
  return true;
}

bool read_values(const Values& values, std::optional<bool>& out) {
  bool value = false;
  if (!read_values(values, value)) return false;
  out = value;
  return true;
}

bool read_values(const Values& values, int& out) {
  if (values.size() != 1) return false;
  out = values[0] == "USR1" ? SIGUSR1 : values[0] == "USR2" ? SIGUSR2 : 0;
  return out != 0;
}

bool read_values(const Values& values, FunctionList& out) {
  if (values.size() != 1) return false;
  const std::optional<FunctionList> list = read_function_list(values[0]);
  if (list) out = *list;
  return list.has_value();
}

bool read_values(const Values& values, Filters::Stack& out) {
  out.name = values.empty() ? "" : values.front();
  for (std::size_t i = 1; i < values.size(); ++i) out.empty_behind.push_back(values[i]);
  return !out.name.empty() || !out.empty_behind.empty();
}

bool read_values(const Values& values, Filters::Hears& out) {
  out.otherwise = true;
  if (values == Values{"nothing"}) return true;
  for (const std::string& value : values) {
    out.each = out.each || value == "each";
    out.addressed = out.addressed || value == "addressed";
    if (value != "each" && value != "addressed") return false;
  }
  return !values.empty();
}

template <auto Member>
bool read_into(const Values& values, Filters& out) {
  return read_values(values, out.*Member);
}

constexpr auto kinds = std::to_array<FilterKind>({
    {"functions", "GLOB[+GLOB...]", "only these functions", read_into<&Filters::functions>},
    {"not", "GLOB[+GLOB...]", "all but these functions", read_into<&Filters::without>},
    {"ranks", "N|N-M[+...]", "only on these ranks of MPI_COMM_WORLD", read_into<&Filters::ranks>},
    {"from", "TIME", "off before this time after the first MPI call: 500ms, 10s, 5m, 2h", read_into<&Filters::from>},
    {"until", "TIME", "off from this time on", read_into<&Filters::until>},
    {"file", "PATH", "but the functions listed there, a glob a line, or as TAU's lists say",
     read_into<&Filters::listed>},
    {"region", "GLOB[+GLOB...]", "only while a thread is in one of these regions (cairn/region.h)",
     read_into<&Filters::regions>},
    {"not_region", "GLOB[+GLOB...]", "off while a thread is in one of these regions",
     read_into<&Filters::without_regions>},
    {"phase", "LEVEL[+LEVEL...]", "only while the last MPI_Pcontrol had one of these levels (at first: 1)",
     read_into<&Filters::phases>},
    {"comms", "world|self|GLOB[+...]", "only calls on these communicators; GLOB: by MPI_Comm_set_name",
     read_into<&Filters::comms>},
    {"active", "on|off", "off: starts switched off", read_into<&Filters::active>},
    {"pcontrol", "on|off", "on: MPI_Pcontrol(0) switches it off, levels from 1 switch it on",
     read_into<&Filters::pcontrol>},
    {"signal", "USR1|USR2", "this signal switches it off, the next one on again", read_into<&Filters::signal>},
    {"stack", "NAME", "not in the program's way: in a stack that PnMPI's modules switch to",
     read_into<&Filters::stack>},
    {"hears", "each|addressed|nothing", "MPI_Pcontrol reaches it past the layers above, if the program names it, never",
     read_into<&Filters::hears>},
});

const FilterKind& kind_of(const LayerFilter& filter, const std::string& tool) {
  const auto* const found = std::ranges::find(kinds, filter.name, &FilterKind::name);
  if (found != kinds.end()) return *found;
  std::vector<std::string> names;
  for (const FilterKind& kind : kinds) names.emplace_back(kind.name);
  throw Problem("there is no filter '" + filter.name + "', given for tool '" + tool + "'",
                "one of the filters: " + join(names, ", "));
}

}  // namespace

bool Filters::admits_rank(long rank) const {
  return ranks.empty() ||
         std::ranges::any_of(ranks, [&](const Range& range) { return range.first <= rank && rank <= range.last; });
}

bool Filters::admits_rank_below(long size) const {
  return ranks.empty() || std::ranges::any_of(ranks, [&](const Range& range) { return range.first < size; });
}

bool Filters::admits_phase(int level) const {
  return phases.empty() || std::ranges::find(phases, level) != phases.end();
}

bool Filters::admits_function(std::string_view name) const {
  if (keeps_function(name)) return true;
  const std::string text(name);
  return (functions.empty() || match_any(functions, text)) && !match_any(without, text) &&
         (listed.only.empty() || match_any(listed.only, text)) && !match_any(listed.without, text);
}

bool Filters::admits_regions(std::span<const std::string> open) const {
  const auto is_in_one = [open](const Values& globs) {
    return std::ranges::any_of(open, [&](const std::string& path) {
      return match_any(globs, path) || match_any(globs, path.substr(path.rfind('/') + 1));
    });
  };
  return (regions.empty() || is_in_one(regions)) && !is_in_one(without_regions);
}

/// One of these goes only if it is named in full: `not:MPI_Pcontrol`.
bool Filters::keeps_function(std::string_view name) const {
  return is_lifecycle(name) && std::ranges::find(without, name) == without.end();
}

bool Filters::can_affect(std::span<const std::string_view> names) const {
  return std::ranges::any_of(names, [this](std::string_view name) { return !keeps_function(name); });
}

std::vector<std::string> Filters::useless_globs(std::span<const std::string_view> names) const {
  std::vector<std::string> useless;
  for (const auto& [kind, globs] : {std::pair{"functions ", &functions}, std::pair{"not ", &without}})
    for (const std::string& glob : *globs)
      if (std::ranges::none_of(names, [&](std::string_view name) { return matches(glob, std::string(name)); }))
        useless.push_back(kind + glob);
  return useless;
}

std::span<const FilterKind> filter_kinds() { return kinds; }

Filters parse_filters(const LayerRequest& layer) {
  Filters filters;
  std::set<std::string> seen;
  for (const LayerFilter& filter : layer.filters) {
    const FilterKind& kind = kind_of(filter, layer.tool);
    if (!seen.insert(filter.name).second)
      throw Problem("filter '" + filter.name + "' of tool '" + layer.tool + "' is given twice",
                    "one filter with all values, separated by +");
    const bool restricts = filter.name != "stack" && filter.name != "hears";
    const bool is_of_switch = filter.name == "active" || filter.name == "pcontrol" || filter.name == "signal";
    filters.restricts = filters.restricts || restricts;
    filters.gives_way = filters.gives_way || (restricts && !is_of_switch);
    if (!kind.read(filter.values, filters))
      throw Problem(
          "filter '" + filter.name + "' of tool '" + layer.tool + "' cannot be '" + join(filter.values, "+") + "'",
          std::string(kind.name) + ":" + kind.form + ", " + kind.help);
  }
  return filters;
}

std::string show_filters(const std::vector<LayerFilter>& filters) {
  std::vector<std::string> words;
  for (const LayerFilter& filter : filters) words.push_back(filter.name + ":" + join(filter.values, "+"));
  return join(words, " ");
}

bool is_lifecycle(std::string_view function) { return std::ranges::binary_search(lifecycle, function); }

std::string lifecycle_names() { return join({lifecycle.begin(), lifecycle.end()}, ", "); }

}  // namespace cairn
