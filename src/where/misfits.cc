// SPDX-License-Identifier: BSD-3-Clause
// misfits.cc - comparing what the ranks have passed to the same collective call

#include "where/misfits.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "where/wording.hpp"

namespace cairn::where {

using formats::cat;

namespace {

using Parts = std::vector<std::pair<const Process*, const Call*>>;
using Value = std::function<std::string(const Process&, const Call&)>;

/// As far as they are known.
Parts parts_of(const Job& job, const Call& call) {
  Parts parts;
  for (const int rank : members_of(job, *call.object)) {
    const Process* const process = job.of_rank(rank);
    const Call* const there =
        process == nullptr ? nullptr : collective_call(*process, call.object->identity, call.collective);
    if (there != nullptr && !there->object->numbers_differ) parts.emplace_back(process, there);
  }
  return parts;
}

std::map<std::string, std::vector<int>> ranks_by(const Parts& parts, const Value& value) {
  std::map<std::string, std::vector<int>> ranks;
  for (const auto& [process, call] : parts)
    if (const std::string found = value(*process, *call); !found.empty()) ranks[found].push_back(process->rank);
  return ranks;
}

/// Which ranks have which value; the fewest first.
Finding misfit(const std::string& kind, const std::string& what, const Parts& parts, const Value& value) {
  const std::map<std::string, std::vector<int>> ranks = ranks_by(parts, value);
  std::vector<std::pair<std::string, std::vector<int>>> groups(ranks.begin(), ranks.end());
  std::ranges::stable_sort(groups, {}, [](const auto& group) { return group.second.size(); });
  std::string text;
  for (const auto& [found, which] : groups) text += cat({text.empty() ? "" : ", ", ranks_phrase(which), " ", found});
  return {kind, what + ": " + text, groups.front().second};
}

std::string root_of(const Process&, const Call& call) {
  return call.has(page::has_root) ? cat({"with root ", call.peer}) : std::string();
}

std::string amount_of(const Process&, const Call& call) {
  return call.has(page::same_for_all) && call.type_size != 0 ? "with " + amount_phrase(call) : std::string();
}

/// Of a derived datatype it is unknown what it consists of; packed data may be of any.
std::string datatype_of(const Process&, const Call& call) {
  const bool is_known = call.has(page::same_for_all) && call.type_kind != 0 && call.type_name != "MPI_PACKED";
  return is_known && call.count != 0 ? "with " + call.type_name : std::string();
}

}  // namespace

std::optional<Finding> find_misfit(const Job& job, const Call& call, Places& places) {
  const Parts parts = parts_of(job, call);
  const auto differ = [&parts](const Value& value) { return ranks_by(parts, value).size() > 1; };
  const auto with_place = [&places](const Value& value) {
    return [&places, value](const Process& process, const Call& one) {
      const std::string text = value(process, one);
      return text.empty() ? text : text + place_phrase(process, one, places);
    };
  };
  const Value function = [](const Process&, const Call& one) { return "in " + one.function->name; };
  const std::string which = cat({"collective call ", call.collective, " on ", call.object->title()});
  if (differ(function))
    return misfit("other function", which + " is not the same function everywhere", parts, with_place(function));
  if (call.object->remote_size != 0) return std::nullopt;
  const std::string name = cat({which, ", ", call.function->name});
  if (differ(root_of))
    return misfit("other root", name + ", has not the same root everywhere", parts, with_place(root_of));
  if (differ(amount_of))
    return misfit("other count", name + ", has not the same amount everywhere", parts, with_place(amount_of));
  if (differ(datatype_of))
    return misfit("other datatype", name + ", has not the same datatype everywhere", parts, with_place(datatype_of));
  return std::nullopt;
}

}  // namespace cairn::where
