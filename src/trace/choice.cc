// SPDX-License-Identifier: BSD-3-Clause
// choice.cc - deciding of one record after the other

#include "trace/choice.hpp"

#include <fnmatch.h>

#include <algorithm>
#include <utility>

namespace cairn::trace {

namespace {

std::vector<std::string> parts_of(std::string_view globs) {
  std::vector<std::string> parts;
  while (!globs.empty()) {
    const std::size_t end = std::min(globs.find('+'), globs.size());
    parts.emplace_back(globs.substr(0, end));
    globs.remove_prefix(std::min(end + 1, globs.size()));
  }
  return parts;
}

bool fits(const std::string& name, const std::string& glob) { return fnmatch(glob.c_str(), name.c_str(), 0) == 0; }

std::string seconds_text(double seconds) {
  std::string text = std::to_string(seconds);  // six digits: microseconds
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return text + "s";
}

}  // namespace

std::vector<std::string> unfitting(std::string_view globs, const std::vector<std::string>& names) {
  std::vector<std::string> parts = parts_of(globs);
  std::erase_if(parts, [&](const std::string& glob) {
    return std::ranges::any_of(names, [&](const std::string& name) { return fits(name, glob); });
  });
  return parts;
}

Choice::Choice(Wishes wishes)
    : wishes_(std::move(wishes)), recording_(wishes_.is_recording), in_pass_(wishes_.region.empty()) {}

/// Several threads may be in passes at once.
bool Choice::begin_pass() {
  if (passes_.fetch_add(1) % std::max(wishes_.nth, 1U) != 0) return false;
  if (open_passes_.fetch_add(1) == 0) in_pass_.switch_to(true);
  return true;
}
void Choice::end_pass() {
  if (open_passes_.fetch_sub(1) != 1) return;
  in_pass_.switch_to(false);
  if (open_passes_.load() != 0) in_pass_.switch_to(true);  // another thread has begun one meanwhile
}

void Choice::begin(const std::vector<Function>& functions) {
  is_left_out_.clear();
  if (wishes_.functions.empty()) return;
  const std::vector<std::string> globs = parts_of(wishes_.functions);
  for (const Function& function : functions)
    is_left_out_.push_back(
        std::ranges::none_of(globs, [&](const std::string& glob) { return fits(function.name, glob); }));
}

void Choice::refresh() {
  recording_.refresh();
  in_pass_.refresh();
  if (wishes_.shortest_s + wishes_.from_s + wishes_.until_s <= 0) return;
  clock_.anchor();
  const auto ticks = [&](double seconds) { return static_cast<std::uint64_t>(seconds / clock_.seconds_per_tick()); };
  shortest_ = ticks(wishes_.shortest_s);
  from_ = clock_.started_ticks() + ticks(wishes_.from_s);
  if (wishes_.until_s > 0) until_ = clock_.started_ticks() + ticks(wishes_.until_s);
}

/// One that has no end lasts for long enough.
bool Choice::has(const Record& call) const {
  if (call.function < is_left_out_.size() && is_left_out_[call.function]) return false;
  if (call.exit != 0 && (call.exit - call.entry < shortest_ || call.exit < from_)) return false;
  return call.entry < until_ && recording_.was_on(call.entry) && in_pass_.was_on(call.entry);
}

std::string Choice::text() const {
  std::string text;
  const auto add = [&text](const std::string& part) { text += (text.empty() ? "" : ", ") + part; };
  if (!wishes_.functions.empty()) add("functions:" + wishes_.functions);
  if (wishes_.shortest_s > 0) add("shortest:" + seconds_text(wishes_.shortest_s));
  if (wishes_.from_s > 0) add("from:" + seconds_text(wishes_.from_s));
  if (wishes_.until_s > 0) add("until:" + seconds_text(wishes_.until_s));
  if (wishes_.last_s > 0) add("last:" + seconds_text(wishes_.last_s));
  if (!wishes_.region.empty()) add("region:" + wishes_.region);
  if (!wishes_.region.empty() && wishes_.nth > 1) add("nth:" + std::to_string(wishes_.nth));
  if (!wishes_.is_recording || recording_.has_changed()) add("while recording was on");
  return text;
}

}  // namespace cairn::trace
