// SPDX-License-Identifier: BSD-3-Clause
// choice.cc - deciding of one record after the other

#include "trace/choice.hpp"

#include <fnmatch.h>

#include <algorithm>

namespace cairn::trace {

namespace {

constexpr std::size_t most_switches = 1U << 16U;

bool fits(const std::string& name, std::string_view globs) {
  while (!globs.empty()) {
    const std::size_t end = std::min(globs.find('+'), globs.size());
    if (fnmatch(std::string(globs.substr(0, end)).c_str(), name.c_str(), 0) == 0) return true;
    globs.remove_prefix(std::min(end + 1, globs.size()));
  }
  return false;
}

std::string seconds_text(double seconds) {
  std::string text = std::to_string(seconds);  // six digits: microseconds
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return text + "s";
}

}  // namespace

Choice::Choice(Wishes wishes) : wishes_(std::move(wishes)), switches_{{0, wishes_.is_recording}}, seen_(switches_) {}

void Choice::switch_to(bool is_recording) {
  const std::lock_guard lock(lock_);
  if (switches_.back().is_on == is_recording) return;
  if (switches_.size() == most_switches) switches_.erase(switches_.begin(), switches_.begin() + most_switches / 2);
  switches_.push_back({cairn::ticks_now(), is_recording});
}

bool Choice::is_recording() const {
  const std::lock_guard lock(lock_);
  return switches_.back().is_on;
}

void Choice::begin(const std::vector<Function>& functions) {
  is_left_out_.clear();
  if (wishes_.functions.empty()) return;
  for (const Function& function : functions) is_left_out_.push_back(!fits(function.name, wishes_.functions));
}

void Choice::refresh() {
  {
    const std::lock_guard lock(lock_);
    if (switches_.back().ticks != seen_.back().ticks) seen_ = switches_;
  }
  if (wishes_.shortest_s + wishes_.from_s + wishes_.until_s <= 0) return;
  clock_.anchor();
  const auto ticks = [&](double seconds) { return static_cast<std::uint64_t>(seconds / clock_.seconds_per_tick()); };
  shortest_ = ticks(wishes_.shortest_s);
  from_ = clock_.started_ticks() + ticks(wishes_.from_s);
  if (wishes_.until_s > 0) until_ = clock_.started_ticks() + ticks(wishes_.until_s);
}

bool Choice::was_on(std::uint64_t ticks) const {
  if (seen_.size() == 1) return seen_.front().is_on;
  const auto after = std::ranges::upper_bound(seen_, ticks, {}, &Switch::ticks);
  return after == seen_.begin() ? seen_.front().is_on : (after - 1)->is_on;
}

/// One that has no end lasts for long enough.
bool Choice::has(const Record& call) const {
  if (call.function < is_left_out_.size() && is_left_out_[call.function]) return false;
  if (call.exit != 0 && (call.exit - call.entry < shortest_ || call.exit < from_)) return false;
  return call.entry < until_ && was_on(call.entry);
}

std::string Choice::text() const {
  std::string text;
  const auto add = [&text](const std::string& part) { text += (text.empty() ? "" : ", ") + part; };
  if (!wishes_.functions.empty()) add("functions:" + wishes_.functions);
  if (wishes_.shortest_s > 0) add("shortest:" + seconds_text(wishes_.shortest_s));
  if (wishes_.from_s > 0) add("from:" + seconds_text(wishes_.from_s));
  if (wishes_.until_s > 0) add("until:" + seconds_text(wishes_.until_s));
  if (!wishes_.is_recording || seen_.size() > 1) add("while recording was on");
  return text;
}

}  // namespace cairn::trace
