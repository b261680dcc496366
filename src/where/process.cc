// SPDX-License-Identifier: BSD-3-Clause
// process.cc - what follows from what a page says

#include <algorithm>
#include <string_view>

#include "formats/text.hpp"
#include "where/page_reader.hpp"

namespace cairn::where {

int Object::world_rank(int peer) const {
  if (!members_known || peer < 0 || peer >= peers) return -1;
  if (members.empty()) return peer;
  return members[static_cast<std::size_t>(peer)];
}

std::string Object::title() const {
  constexpr std::string_view kinds[] = {"communicator", "window", "file"};
  if (name == "MPI_COMM_WORLD" || name == "MPI_COMM_SELF") return name;
  if (!name.empty()) return "'" + name + "'";
  std::string title =
      "a " + std::string(kinds[what]) + " of " + formats::plural(static_cast<std::uint64_t>(size), "rank");
  if (remote_size != 0) title += " and " + std::to_string(remote_size);
  return title;
}

const Object* Process::object_of(std::uint64_t identity) const {
  for (const auto& object : objects)
    if (object != nullptr && identity != 0 && object->identity == identity) return object.get();
  return nullptr;
}

std::map<const Function*, Figures> Process::recorded() const {
  std::map<const Function*, Figures> sums;
  for (const Thread& thread : threads)
    for (const Figures& figures : thread.figures) {
      Figures& sum = sums[figures.function];
      sum.function = figures.function;
      sum.calls += figures.calls;
      sum.ticks += figures.ticks;
    }
  return sums;
}

}  // namespace cairn::where
