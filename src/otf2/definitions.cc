// SPDX-License-Identifier: BSD-3-Clause
// definitions.cc - OTF2's global definitions

#include "otf2/definitions.hpp"

#include <utility>

namespace cairn::otf2 {

namespace {

OTF2_RegionRole role_of(page::Kind kind) {
  switch (kind) {
    case page::Kind::send:
    case page::Kind::receive:
    case page::Kind::exchange:
    case page::Kind::probe:
    case page::Kind::begin:
    case page::Kind::start:
      return OTF2_REGION_ROLE_POINT2POINT;
    case page::Kind::collective:
      return OTF2_REGION_ROLE_COLL_ALL2ALL;
    case page::Kind::wait:
      return OTF2_REGION_ROLE_TASK_WAIT;
    case page::Kind::window:
    case page::Kind::sync:
      return OTF2_REGION_ROLE_RMA;
    case page::Kind::file:
      return OTF2_REGION_ROLE_FILE_IO;
    default:
      return OTF2_REGION_ROLE_FUNCTION;
  }
}

}  // namespace

Definitions::Definitions(const trace::Otf2Run& run) : run_(run) {
  constexpr int most = 1 << 20;
  for (const auto& [file, shift] : run.processes)
    ranks_ = std::max({ranks_, file->process().rank + 1, std::min(file->process().size, most)});
}

OTF2_RegionRef Definitions::region(std::size_t process, const trace::Record& call) {
  const auto [site, is_new_site] = sites_.try_emplace({process, {call.function, call.site}}, 0);
  if (!is_new_site) return site->second;
  const trace::Function* const function = run_.processes[process].file->function(call);
  const std::string name = function == nullptr ? "unknown" : function->name;
  trace::SourceLine place = run_.place(process, call.site);
  const OTF2_RegionRole role = role_of(function == nullptr ? page::Kind::other : function->kind);
  const auto [known, is_new] = regions_by_place_.try_emplace({name, place.file + "|" + place.function, place.line},
                                                             static_cast<OTF2_RegionRef>(regions_.size()));
  if (is_new) regions_.push_back({name, std::move(place), role});
  return site->second = known->second;
}

/// Members are numbers of locations in the group of all, which stand in the order of ranks.
OTF2_CommRef Definitions::define(const trace::Object& object) {
  std::vector<std::uint64_t> members;
  for (const std::int32_t rank : object.members) {
    if (rank < 0 || rank >= ranks_) return OTF2_UNDEFINED_COMM;
    members.push_back(static_cast<std::uint64_t>(rank));
  }
  if (object.members.empty())
    for (int rank = 0; rank < ranks_; ++rank) members.push_back(static_cast<std::uint64_t>(rank));
  const auto ref = static_cast<OTF2_CommRef>(communicators_.size());
  communicators_.push_back({ref, object.name, std::move(members)});
  return ref;
}

OTF2_CommRef Definitions::communicator(std::size_t process, std::uint32_t object) {
  const auto [known, is_new] = objects_.try_emplace({process, object}, OTF2_UNDEFINED_COMM);
  if (!is_new) return known->second;
  const auto& all = run_.processes[process].file->definitions().objects;
  if (object == 0 || object >= all.size()) return known->second;
  const trace::Object& its = all[object];
  if (its.what != page::Object::communicator || !its.members_known) return known->second;
  if (its.identity == 0) return known->second = define(its);
  const auto [shared, is_first] = shared_.try_emplace({its.identity, its.name}, OTF2_UNDEFINED_COMM);
  if (is_first) shared->second = define(its);
  return known->second = shared->second;
}

// ------------------------------------------------------------ writing

OTF2_StringRef Definitions::text(const std::string& text) {
  const auto [place, is_new] = texts_.try_emplace(text, static_cast<OTF2_StringRef>(texts_.size()));
  if (is_new) OTF2_GlobalDefWriter_WriteString(writer_, place->second, text.c_str());
  return place->second;
}

void Definitions::write_system(OTF2_GlobalDefWriter* writer) {
  std::map<std::string, OTF2_SystemTreeNodeRef> nodes;
  OTF2_GlobalDefWriter_WriteSystemTreeNode(writer, 0, text("machine"), text("machine"),
                                           OTF2_UNDEFINED_SYSTEM_TREE_NODE);
  std::map<int, const trace::File*> files;
  for (const auto& [file, shift] : run_.processes) files[file->process().rank] = file;
  for (int rank = 0; rank < ranks_; ++rank) {
    const std::string host = files.contains(rank) ? files[rank]->process().host : "unknown";
    const auto [node, is_new] = nodes.try_emplace(host, static_cast<OTF2_SystemTreeNodeRef>(nodes.size() + 1));
    if (is_new) OTF2_GlobalDefWriter_WriteSystemTreeNode(writer, node->second, text(host), text("node"), 0);
    OTF2_GlobalDefWriter_WriteLocationGroup(writer, static_cast<OTF2_LocationGroupRef>(rank),
                                            text("MPI Rank " + std::to_string(rank)), OTF2_LOCATION_GROUP_TYPE_PROCESS,
                                            node->second, OTF2_UNDEFINED_LOCATION_GROUP);
  }
  for (const auto& [location, count] : events_) {
    const std::uint64_t thread = location >> 32U;
    const std::string name = thread == 0 ? "Master thread" : "Thread " + std::to_string(thread);
    OTF2_GlobalDefWriter_WriteLocation(writer, location, text(name), OTF2_LOCATION_TYPE_CPU_THREAD, count,
                                       static_cast<OTF2_LocationGroupRef>(location & 0xffffffffU));
  }
}

void Definitions::write_regions(OTF2_GlobalDefWriter* writer) {
  for (OTF2_RegionRef ref = 0; ref < regions_.size(); ++ref) {
    const Region& region = regions_[ref];
    const OTF2_StringRef name = text(region.name);
    const auto line = static_cast<std::uint32_t>(std::max(region.place.line, 0));
    const OTF2_StringRef caller = text(region.place.function.empty() ? "" : "called in " + region.place.function);
    OTF2_GlobalDefWriter_WriteRegion(writer, ref, name, name, caller, region.role, OTF2_PARADIGM_MPI,
                                     OTF2_REGION_FLAG_NONE, text(region.place.file), line, line);
  }
}

void Definitions::write_communicators(OTF2_GlobalDefWriter* writer) {
  std::vector<std::uint64_t> locations;
  for (int rank = 0; rank < ranks_; ++rank) locations.push_back(static_cast<std::uint64_t>(rank));
  OTF2_GlobalDefWriter_WriteGroup(writer, 0, text("MPI"), OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_MPI,
                                  OTF2_GROUP_FLAG_NONE, static_cast<std::uint32_t>(locations.size()), locations.data());
  for (const Communicator& one : communicators_) {
    OTF2_GlobalDefWriter_WriteGroup(writer, one.ref + 1, text(""), OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI,
                                    OTF2_GROUP_FLAG_NONE, static_cast<std::uint32_t>(one.members.size()),
                                    one.members.data());
    OTF2_GlobalDefWriter_WriteComm(writer, one.ref, text(one.name), one.ref + 1, OTF2_UNDEFINED_COMM,
                                   OTF2_COMM_FLAG_NONE);
  }
}

void Definitions::write(OTF2_GlobalDefWriter* writer) {
  constexpr std::uint64_t per_second = 1'000'000'000;
  writer_ = writer;
  const trace::Moment& first = run_.processes.front().file->first_moment();
  OTF2_GlobalDefWriter_WriteClockProperties(writer, per_second, 0, last_ + 1, first.real_ns);
  text("");
  write_system(writer);
  write_regions(writer);
  write_communicators(writer);
}

}  // namespace cairn::otf2
