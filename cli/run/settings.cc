// SPDX-License-Identifier: BSD-3-Clause
// settings.cc - collects a run's settings, has them checked, and hands them on by environment and layer

#include "cli/run/settings.hpp"

#include <algorithm>
#include <cstdlib>

#include "base/job.hpp"
#include "base/message.hpp"
#include "base/text.hpp"
#include "cli/asking.hpp"
#include "cli/stack_file/stack_file.hpp"

namespace cairn::cli {

namespace {

/// Whether one setting leaves nothing of the other.
bool includes(const Setting& one, const Setting& other) {
  return one.name == other.name && (!one.element || one.element == other.element);
}

std::vector<Setting> wanted_settings(const std::vector<std::string>& given, const FoundFile& stack_file) {
  std::vector<Setting> settings;
  for (const std::string& text : given) settings.push_back(parse_setting(text, "--set " + text));
  if (stack_file.path.empty()) return settings;
  const std::vector<Setting> said = settings;
  const auto read = [&] { return read_stack_settings(stack_file.path); };
  for (Setting& setting : on_behalf_of(stack_file.asked_by, read))
    if (std::ranges::none_of(said, [&](const Setting& one) { return includes(one, setting); }))
      settings.push_back(std::move(setting));
  // An element's value counts over that of the whole, so it is written later.
  std::stable_partition(settings.begin(), settings.end(), [](const Setting& setting) { return !setting.element; });
  return settings;
}

void need_launcher(const std::vector<Setting>& settings) {
  for (const Setting& setting : settings)
    if (!setting.ranks.empty() && job_rank() < 0)
      throw Problem("'" + setting.text() + "' is for certain ranks, but 'cairn run' was not started by a launcher",
                    "mpirun -n 4 cairn run --set " + setting.text());
}

/// Which nobody would notice. Where a launcher does not tell how many ranks there are, neither is it known here.
void warn_of_missing_ranks(const std::vector<Setting>& settings) {
  const long size = job_size();
  if (size <= 0 || !speaks_for_job()) return;
  for (const Setting& setting : settings)
    if (std::ranges::any_of(setting.on.ranks, [&](const Filters::Range& range) { return range.first >= size; }))
      tell(Severity::warning,
           "'" + setting.text() + "' is for ranks that the job does not have: " +
               (size == 1 ? "it has rank 0 alone" : "its ranks are 0 to " + std::to_string(size - 1)),
           setting.origin);
}

/// On the first rank that a setting is for it is looked at whether the library has taken it.
bool is_first(const CheckedSetting& setting, long rank) {
  if (setting.on.ranks.empty()) return rank <= 0;
  return rank == std::ranges::min(setting.on.ranks, {}, &Filters::Range::first).first;
}

std::string assignment(const CheckedSetting& setting) {
  return escape(setting.target(), ";=") + "=" + escape(setting.seen, ";");
}

}  // namespace

std::vector<CheckedSetting> settings_of_run(const std::vector<std::string>& given, const FoundFile& stack_file,
                                            const std::string& program, const std::vector<LayerRequest>& layers) {
  const std::vector<Setting> settings = wanted_settings(given, stack_file);
  if (settings.empty()) return {};
  refuse_contradictions(settings);
  need_launcher(settings);
  warn_of_missing_ranks(settings);
  return check_settings(settings, mpi_for({program}, settings), format_tools(layers));
}

void set_for_library(const std::vector<CheckedSetting>& settings, long rank) {
  for (const CheckedSetting& setting : settings)
    if (!setting.after_init && setting.on.admits_rank(rank))
      setenv(environment_name(setting.name).c_str(), setting.value.c_str(), 1);
}

LayerRequest setting_layer(const std::vector<CheckedSetting>& settings, long rank) {
  std::vector<std::string> write;
  std::vector<std::string> expect;
  for (const CheckedSetting& setting : settings)
    if (setting.after_init && setting.on.admits_rank(rank)) write.push_back(assignment(setting));
    else if (!setting.after_init && !setting.is_plain() && is_first(setting, rank))
      expect.push_back(assignment(setting));
  LayerRequest layer{"set", {}};
  if (!write.empty()) layer.options.push_back({"write", join(write, ";")});
  if (!expect.empty()) layer.options.push_back({"expect", join(expect, ";")});
  return layer;
}

}  // namespace cairn::cli
