// SPDX-License-Identifier: BSD-3-Clause
// wording.cc - saying it

#include "where/wording.hpp"

#include <algorithm>

#include "formats/numbers.hpp"
#include "formats/ranks.hpp"

namespace cairn::where {

using formats::cat;

std::string ranks_phrase(const std::vector<int>& ranks) {
  std::vector<int> sorted = ranks;
  std::ranges::sort(sorted);
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
  return formats::named_ranks(sorted);
}

std::string place_phrase(const Process& process, const Call& call, Places& places) {
  const std::string place = places.text(process, call.site);
  return place.empty() ? "" : cat({" (", place, ")"});
}

std::string call_phrase(const Process& process, const Call& call, Places& places) {
  return call.function->name + place_phrase(process, call, places);
}

std::string message_phrase(const Call& call, int tag) {
  return call.any_tag || !call.has(page::has_tag) ? "a message with any tag" : cat({"a message with tag ", tag});
}

std::string time_phrase(double seconds) {
  if (seconds < 10) return formats::fixed(seconds, 1) + " s";
  const auto whole = static_cast<std::uint64_t>(seconds);
  if (whole < 600) return cat({whole, " s"});
  if (whole < 36000) return cat({whole / 60, " min"});
  return cat({whole / 3600, " h ", whole / 60 % 60, " min"});
}

std::string amount_phrase(const Call& call) {
  if (call.type_size == 0) return cat({call.count, " elements"});
  return cat({call.count * call.type_size, " B"});
}

std::string_view state_phrase(char state) {
  switch (state) {
    case 'R':
      return "running";
    case 'S':
      return "sleeping";
    case 'D':
      return "in the kernel, probably for I/O";
    case 'T':
    case 't':
      return "stopped";
    default:
      return "alive";
  }
}

namespace {

std::string end_phrase(const Process& process) {
  if (process.phase == page::Phase::finalized) return "has finalized MPI";
  if (process.end.empty()) return "was killed";
  return "ended by " + process.end;
}

}  // namespace

std::string doing_phrase(const Actor& actor, Places& places) {
  const Process& process = *actor.process;
  if (actor.doing == Doing::ended) return end_phrase(process);
  if (actor.doing != Doing::outside && actor.call != nullptr)
    return cat({actor.polls ? "keeps calling " : "is in ", call_phrase(process, *actor.call, places)});
  std::string text = cat({"has been outside MPI for ", time_phrase(actor.since_s), ", ",
                          state_phrase(actor.thread == nullptr ? '?' : actor.thread->state)});
  if (actor.call != nullptr) text += "; its last call was " + call_phrase(process, *actor.call, places);
  return text;
}

}  // namespace cairn::where
