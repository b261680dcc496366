// SPDX-License-Identifier: BSD-3-Clause
// misfits.cc - comparing what the ranks have passed to the same collective call

#include "where/misfits.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
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
bool has_basic_datatype(const Call& call) {
  return call.has(page::same_for_all) && call.type_kind != 0 && call.type_name != "MPI_PACKED" && call.count != 0;
}

std::string datatype_of(const Process&, const Call& call) {
  return has_basic_datatype(call) ? "with " + call.type_name : std::string();
}

/// What processes have passed to one collective call.
class Compared {
 public:
  void add(const Call& call) {
    note(function_, std::string_view(call.function->name));
    if (call.object->remote_size != 0) return;
    if (call.has(page::has_root)) note(root_, call.peer);
    if (call.has(page::same_for_all) && call.type_size != 0) note(bytes_, call.count * call.type_size);
    if (has_basic_datatype(call)) note(datatype_, std::string_view(call.type_name));
  }
  bool differ() const { return differ_; }

 private:
  template <class Value>
  void note(std::optional<Value>& known, const Value& value) {
    if (!known) known = value;
    else if (*known != value) differ_ = true;
  }

  std::optional<std::string_view> function_;
  std::optional<int> root_;
  std::optional<std::uint64_t> bytes_;
  std::optional<std::string_view> datatype_;
  bool differ_ = false;
};

using ByNumber = std::unordered_map<std::uint32_t, Compared>;
using ByObject = std::unordered_map<std::uint64_t, ByNumber>;

/// Calls on an object come one after the other.
void compare_calls(const std::vector<Call>& calls, ByObject& all) {
  const Object* object = nullptr;
  ByNumber* wanted = nullptr;
  for (const Call& call : calls) {
    if (call.collective == 0 || call.object == nullptr || call.object->numbers_differ) continue;
    if (call.object != object) {
      object = call.object;
      const auto there = all.find(object->identity);
      wanted = there == all.end() ? nullptr : &there->second;
    }
    if (wanted == nullptr) continue;
    if (const auto there = wanted->find(call.collective); there != wanted->end()) there->second.add(call);
  }
}

}  // namespace

std::vector<const Call*> made_differently(const Job& job, const std::vector<const Call*>& calls) {
  ByObject all;
  std::vector<const Call*> different;
  for (const Call* const call : calls)
    if (all[call->object->identity].try_emplace(call->collective).second) different.push_back(call);
  for (const Process* const process : job.processes)
    for (const Thread& thread : process->threads) compare_calls(thread.calls, all);
  std::erase_if(different, [&](const Call* call) { return !all[call->object->identity][call->collective].differ(); });
  return different;
}

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
    return misfit("other root", name + ", does not have the same root everywhere", parts, with_place(root_of));
  if (differ(amount_of))
    return misfit("other count", name + ", does not have the same amount everywhere", parts, with_place(amount_of));
  if (differ(datatype_of))
    return misfit("other datatype", name + ", does not have the same datatype everywhere", parts,
                  with_place(datatype_of));
  return std::nullopt;
}

}  // namespace cairn::where
