// SPDX-License-Identifier: BSD-3-Clause
// agreement.cc - after the last meeting that all processes have among the calls of the section

#include "waits/agreement.hpp"

#include <array>
#include <utility>

#include "waits/cut.hpp"

namespace cairn::waits {

namespace {

constexpr std::int64_t nothing = INT64_MIN;

}  // namespace

Agreement::Agreement(Reduction* own, std::size_t most_calls, MaxEverywhere max_everywhere)
    : own_(own), most_calls_(most_calls), max_everywhere_(std::move(max_everywhere)) {
  std::array<std::int64_t, 2> clocks = {nothing, nothing};  // the largest one, and the smallest one negated
  if (own_ != nullptr) clocks[0] = static_cast<std::int64_t>(own_->clock() >> 1U);
  if (own_ != nullptr) clocks[1] = -clocks[0];
  max_everywhere_(std::span(clocks));
  if (own_ != nullptr && clocks[0] == -clocks[1]) own_->use_clock();
  std::array<std::int64_t, 1> least = {own_ == nullptr ? -no_end : -own_->known_until()};
  max_everywhere_(std::span(least));
  until_ = -least[0];
  if (own_ != nullptr) own_->end_at(until_);
}

/// On the communicator on which some process has most. A process at its end has had all of them.
Meeting Agreement::common_meeting() {
  std::array<std::int64_t, 1> place = {nothing};
  if (own_ != nullptr)
    if (const std::uint64_t own = own_->meeting_place(); own != 0) place[0] = static_cast<std::int64_t>(own);
  max_everywhere_(std::span(place));
  const auto communicator = static_cast<std::uint64_t>(place[0]);
  std::array<std::int64_t, 2> ends = {nothing, nothing};  // the first one, and the last one negated
  if (own_ != nullptr && place[0] != nothing) {
    const auto [first, last] = own_->meetings(communicator);
    ends = {last == 0 ? INT64_MAX : static_cast<std::int64_t>(first), -static_cast<std::int64_t>(last)};
  }
  max_everywhere_(std::span(ends));
  if (place[0] == nothing || ends[1] == 0 || ends[0] > -ends[1]) return {};
  return {communicator, static_cast<std::uint64_t>(-ends[1])};
}

bool Agreement::next(RankRecords& section) {
  const bool is_over = own_ == nullptr || own_->fill(most_calls_);
  std::array<std::int64_t, 1> goes_on = {is_over ? 0 : 1};
  max_everywhere_(std::span(goes_on));
  if (goes_on[0] == 0) {
    if (own_ != nullptr) section = own_->take({});
    cut(section, until_);
    return true;
  }
  SectionEnd end;
  end.meeting = common_meeting();
  if (end.meeting.communicator == 0) {
    std::array<std::int64_t, 1> least = {is_over ? nothing : -own_->filled_until()};
    max_everywhere_(std::span(least));
    end.time_ns = -least[0];
  }
  if (own_ != nullptr) section = own_->take(end);
  return false;
}

}  // namespace cairn::waits
