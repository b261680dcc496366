// SPDX-License-Identifier: BSD-3-Clause
// live_section.cc - recordings of `cairn live` in a run's folder as sections: how long it was watched, and what was set

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <limits>

#include "base/file_bytes.hpp"
#include "base/text.hpp"
#include "cli/live/recording.hpp"
#include "cli/report/reading.hpp"
#include "cli/report/wording.hpp"

namespace cairn::report {

namespace {

namespace fs = std::filesystem;

using cli::Recording;

double watched_s(const Recording& recording) { return recording.looks.back().time - recording.looks.front().time; }

bool is_recording(const fs::path& path) try {
  const std::string start = "{\"format\": \"" + std::string(formats::recording_tag.name) + " ";
  std::string bytes(start.size(), '\0');
  bytes.resize(FileBytes(path.string()).read(0, bytes.data(), bytes.size()));
  return bytes == start;
} catch (const Problem&) {
  return false;
}

/// By name; a folder that cannot be listed has none.
std::vector<std::string> recordings_in(const std::string& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error); !error && entry != fs::directory_iterator(); entry.increment(error))
    if (entry->is_regular_file(error) && is_recording(entry->path())) names.push_back(entry->path().filename());
  std::ranges::sort(names);
  return names;
}

/// Least, mean and most of one part of the time.
struct Window {
  double least = std::numeric_limits<double>::infinity();
  double sum = 0;
  double most = 0;
  int looks = 0;

  void add(const std::array<double, 3>& share) {
    least = std::min(least, share[0]);
    sum += share[1];
    most = std::max(most, share[2]);
    ++looks;
  }
};

std::vector<Window> windows_of(const Recording& recording, std::size_t count) {
  std::vector<Window> windows(count);
  const double step = std::max(watched_s(recording), 1e-9) / static_cast<double>(count);
  for (const Recording::Look& look : recording.looks) {
    if (!look.share) continue;
    const double place = std::max(0.0, (look.time - recording.looks.front().time) / step);
    windows[static_cast<std::size_t>(std::min(place, static_cast<double>(count - 1)))].add(*look.share);
  }
  return windows;
}

Json share_chart(const Recording& recording) {
  constexpr std::size_t most_points = 200;
  const std::size_t count = std::min(recording.looks.size(), most_points);
  Json points = Json::array();
  for (const Window& window : windows_of(recording, count))
    points.push_back(window.looks == 0 ? Json() : Json{window.least, window.sum / window.looks, window.most});
  if (std::ranges::all_of(points, &Json::is_null)) return {};
  return {{"type", "times"},
          {"title", "While 'cairn live' watched"},
          {"series", Json{{{"name", "share of the time in MPI, over the ranks"},
                           {"since", "the first look"},
                           {"step", watched_s(recording) / static_cast<double>(count)},
                           {"points", points}}}}};
}

std::vector<Line> lines_of(const Recording& recording, const std::string& path) {
  const std::string play = fmt::format("'cairn live {}' plays it again.", quoted_for_shell(path));
  const std::string looks =
      fmt::format("{} in {}", plural(recording.looks.size(), "look"), seconds(watched_s(recording)));
  std::vector<Line> lines;
  const Window all = windows_of(recording, 1).front();
  if (all.looks == 0) lines.push_back({count(recording.looks.size()), "looks of 'cairn live'", play});
  else
    lines.push_back({percent(all.sum / all.looks), "of the time in MPI while 'cairn live' watched",
                     fmt::format("Mean over {}; single ranks from {} to {} between two looks. {}", looks,
                                 percent(all.least), percent(all.most), play)});
  if (!recording.settings.empty())
    lines.push_back({count(recording.settings.size()), "orders to set variables were given meanwhile",
                     "By 'cairn live', while the program ran: it ran with other settings from then on.",
                     Question::change});
  return lines;
}

Table settings_table(const Recording& recording) {
  Table table{"settings",
              "Orders that were given while it ran",
              {{"time_s", "since the first look", Kind::seconds, Column::nothing, true},
               {"name", "variable", Kind::text, Column::tells_apart, true},
               {"value", "value", Kind::text, Column::tells_apart, true},
               {"set", "ranks that set it", Kind::text, Column::nothing, true},
               {"refused", "refused", Kind::text},
               {"waiting", "had not answered", Kind::text}},
              {},
              Question::change};
  for (const Recording::Setting& one : recording.settings)
    table.rows.push_back(
        {one.time - recording.looks.front().time, one.name, one.value, one.set, one.refused, one.waiting});
  return table;
}

Section recording_section(const Recording& recording, const std::string& folder, const std::string& file) {
  Section section;
  section.tool = "live";
  section.file = file;
  section.facts = {{"looks", "looks", Kind::count, recording.looks.size()},
                   {"watched_s", "watched for", Kind::seconds, watched_s(recording)},
                   {"ranks", "ranks", Kind::count, recording.ranks},
                   {"to_the_end", "to its end", Kind::text, recording.is_over ? "yes" : "no"}};
  section.lines = lines_of(recording, folder + "/" + file);
  if (!recording.settings.empty()) section.tables.push_back(settings_table(recording));
  if (Json chart = share_chart(recording); !chart.is_null()) section.charts.push_back(std::move(chart));
  return section;
}

}  // namespace

void read_recordings(const std::string& folder, const std::string& run, Report& report) {
  int instance = 0;
  for (const std::string& file : recordings_in(folder)) try {
      const Recording recording = cli::read_recording(folder + "/" + file);
      if (!run.empty() && recording.run != run)
        throw Problem(fmt::format("'{}/{}' is a recording of another run", folder, file), "the folder of that run");
      if (recording.is_cut)
        report.warnings.emplace_back(fmt::format("'{}/{}' is truncated: its last look is left out", folder, file), "");
      report.sections.push_back(recording_section(recording, folder, file));
      report.sections.back().instance = ++instance;
    } catch (const Problem& problem) {
      report.warnings.push_back(problem);
    }
}

}  // namespace cairn::report
