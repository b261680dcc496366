// SPDX-License-Identifier: BSD-3-Clause
// reduce.cc - going through the trace of a process, as far as a section needs it

#include "waits/reduce.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "trace/events.hpp"
#include "waits/cut.hpp"
#include "waits/losses.hpp"
#include "waits/reducer.hpp"

namespace cairn::waits {

namespace {

/// Where clocks were compared, whose clock it is tells more than the system does: it may have several.
void take_clock(const trace::File& file, RankRecords& records) {
  const trace::Process& process = file.process();
  records.node = process.boot.empty() ? process.host : process.boot;
  records.shift_ns = file.time_of_day_ns();
  const auto& compared = file.comparisons();
  if (compared.empty()) return;
  records.node = "clock " + std::to_string(compared.front().clock);
  records.clock = {compared.front().reference, std::max(compared.front().error_ns, compared.back().error_ns),
                   compared.back().offset_ns - compared.front().offset_ns, compared.size() > 1};
}

}  // namespace

class Reduction::Of {
 public:
  Of(const trace::File& of, RegionNames regions, LastCall last_call)
      : file(of), last(last_call), losses(of), reducer(of, std::move(regions)), player(of, reducer, losses.until()) {
    RankRecords& records = reducer.records();
    const trace::Process& process = file.process();
    records.rank = process.rank;
    records.size = process.size;
    take_clock(file, records);
    records.over = file.nanoseconds(std::max(file.last_moment().ticks, last.ticks));
  }

  RankRecords take_all() {
    RankRecords& records = reducer.records();
    records.jumps = file.wrong_moments();
    if (const trace::End* const end = file.end()) {
      records.end = end->how;
      records.lost = end->lost;
      records.omitted = end->omitted;
      records.left_out = end->left_out;
    } else {
      records.end = without_end;
    }
    if (last.ticks != 0) reducer.finalize(file.nanoseconds(last.ticks), last.site);
    return reducer.take_all(losses);
  }

  static constexpr std::size_t least_more = 256;  // calls, so that sections always go on

  const trace::File& file;
  LastCall last;
  Losses losses;
  Reducer reducer;
  trace::Player player;
  std::size_t least_calls = least_more;
};

Reduction::Reduction(const trace::File& file, RegionNames regions, LastCall last)
    : of_(std::make_unique<Of>(file, std::move(regions), last)) {}
Reduction::~Reduction() = default;

std::uint64_t Reduction::clock() const { return clock_of(of_->reducer.records()); }

void Reduction::use_clock() { of_->reducer.records().shift_ns = 0; }

std::int64_t Reduction::known_until() const {
  const std::int64_t until = of_->losses.known_until();
  return until == no_end ? no_end : until + of_->reducer.records().shift_ns;
}

void Reduction::end_at(std::int64_t time_ns) {
  if (time_ns == no_end) return;
  RankRecords& records = of_->reducer.records();
  records.until = std::min(records.until, time_ns - records.shift_ns);
  of_->reducer.end_at(records.until);
}

bool Reduction::fill(std::size_t calls) {
  while (of_->reducer.size() < std::max(calls, of_->least_calls))
    if (!of_->player.step()) return true;
  return false;
}

std::uint64_t Reduction::meeting_place() const {
  std::map<std::uint64_t, std::size_t> counts;
  for (const auto& [meeting, call] : of_->reducer.meetings()) ++counts[meeting.communicator];
  const auto most = std::ranges::max_element(counts, {}, [](const auto& one) { return one.second; });
  return most == counts.end() ? 0 : most->first;
}

std::pair<std::uint64_t, std::uint64_t> Reduction::meetings(std::uint64_t communicator) const {
  std::pair<std::uint64_t, std::uint64_t> ends = {0, 0};
  for (const auto& [meeting, call] : of_->reducer.meetings())
    if (meeting.communicator == communicator)
      ends = {ends.first == 0 ? meeting.number : std::min(ends.first, meeting.number),
              std::max(ends.second, meeting.number)};
  return ends;
}

std::int64_t Reduction::filled_until() const { return of_->reducer.filled_until() + of_->reducer.records().shift_ns; }

RankRecords Reduction::take(const SectionEnd& end) {
  if (end.meeting.communicator == 0 && end.time_ns == no_end) return of_->take_all();
  Reducer& reducer = of_->reducer;
  const std::int64_t time_ns = end.time_ns - reducer.records().shift_ns;
  RankRecords section = reducer.take(end.meeting.communicator != 0 ? reducer.end_of(end.meeting) : time_ns);
  of_->least_calls = reducer.size() + Of::least_more;
  return section;
}

RankRecords reduce(const trace::File& file, const RegionNames& regions, LastCall last) {
  Reduction whole(file, regions, last);
  whole.fill(SIZE_MAX);
  return whole.take({});
}

}  // namespace cairn::waits
