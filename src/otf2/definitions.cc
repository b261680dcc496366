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
  for (const auto& [file, shift, values] : run.processes)
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

OTF2_RegionRef Definitions::region(const std::string& path) {
  const auto [known, is_new] =
      regions_by_place_.try_emplace({path, "|region", 0}, static_cast<OTF2_RegionRef>(regions_.size()));
  if (is_new) regions_.push_back({path.substr(path.rfind('/') + 1), {}, OTF2_REGION_ROLE_CODE, path});
  return known->second;
}

/// Members are numbers of locations in the group of all, which stand in the order of ranks. That one is group 0.
OTF2_GroupRef Definitions::group(const std::vector<std::int32_t>& ranks) {
  std::vector<std::uint64_t> members;
  for (const std::int32_t rank : ranks) {
    if (rank < 0 || rank >= ranks_) return OTF2_UNDEFINED_GROUP;
    members.push_back(static_cast<std::uint64_t>(rank));
  }
  const auto next = static_cast<OTF2_GroupRef>(groups_.size() + 1);
  return groups_.try_emplace(std::move(members), next).first->second;
}

OTF2_GroupRef Definitions::group_of(const trace::Object& object) {
  std::vector<std::int32_t> members = object.members;
  if (members.empty())
    for (int rank = 0; rank < ranks_; ++rank) members.push_back(rank);
  return group(members);
}

OTF2_CommRef Definitions::define(const trace::Object& object) {
  const OTF2_GroupRef of = group_of(object);
  if (of == OTF2_UNDEFINED_GROUP) return OTF2_UNDEFINED_COMM;
  communicators_.push_back({object.name, of, object.remote_size != 0});
  return static_cast<OTF2_CommRef>(communicators_.size() - 1);
}

/// What another process, or the same one later, knows of it: its last name; of one between groups each side knows the
/// other.
void Definitions::add_to(Communicator& communicator, const trace::Object& object) {
  if (!object.name.empty()) communicator.name = object.name;
  if (!communicator.is_between || communicator.other != OTF2_UNDEFINED_GROUP) return;
  if (const OTF2_GroupRef of = group_of(object); of != communicator.group) communicator.other = of;
}

template <class Made>
std::uint32_t Definitions::number_of(std::size_t process, std::uint32_t object, std::vector<Made>& all) {
  const auto [known, is_new] = numbers_.try_emplace({process, object}, static_cast<std::uint32_t>(all.size()));
  if (!is_new) return known->second;
  const trace::Object& its = *run_.processes[process].file->definitions().objects.find(object);
  if (its.identity != 0) {
    const auto [shared, is_first] = shared_numbers_.try_emplace(its.identity, known->second);
    known->second = shared->second;
    if (!is_first) {
      if (!its.name.empty()) all[known->second].name = its.name;
      return known->second;
    }
  }
  all.push_back({its.name, its.members_known ? define(its) : OTF2_UNDEFINED_COMM});
  return known->second;
}

OTF2_RmaWinRef Definitions::window(std::size_t process, std::uint32_t object) {
  const OTF2_RmaWinRef window = number_of(process, object, windows_);
  return windows_[window].communicator == OTF2_UNDEFINED_COMM ? OTF2_UNDEFINED_RMA_WIN : window;
}

OTF2_IoHandleRef Definitions::handle(std::size_t process, std::uint32_t object) {
  return number_of(process, object, handles_);
}

OTF2_CommRef Definitions::communicator(std::size_t process, std::uint32_t object) {
  const auto [known, is_new] = objects_.try_emplace({process, object}, OTF2_UNDEFINED_COMM);
  if (!is_new) return known->second;
  const trace::Object* const its = run_.processes[process].file->definitions().objects.find(object);
  if (its == nullptr || its->what != page::Object::communicator || !its->members_known) return known->second;
  if (its->identity == 0) return known->second = define(*its);
  const auto [shared, is_first] = shared_.try_emplace(its->identity, OTF2_UNDEFINED_COMM);
  if (is_first) shared->second = define(*its);
  else if (shared->second != OTF2_UNDEFINED_COMM) add_to(communicators_[shared->second], *its);
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
  for (const auto& [file, shift, values] : run_.processes) files[file->process().rank] = file;
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
    const bool is_thread = thread != values_thread;
    const std::string name = !is_thread    ? "Variables"
                             : thread == 0 ? "Master thread"
                                           : "Thread " + std::to_string(thread);
    OTF2_GlobalDefWriter_WriteLocation(writer, location, text(name),
                                       is_thread ? OTF2_LOCATION_TYPE_CPU_THREAD : OTF2_LOCATION_TYPE_METRIC, count,
                                       static_cast<OTF2_LocationGroupRef>(location & 0xffffffffU));
  }
}

void Definitions::write_regions(OTF2_GlobalDefWriter* writer) {
  for (OTF2_RegionRef ref = 0; ref < regions_.size(); ++ref) {
    const Region& region = regions_[ref];
    const OTF2_StringRef name = text(region.name);
    const auto line = static_cast<std::uint32_t>(std::max(region.place.line, 0));
    const OTF2_StringRef caller = text(region.place.function.empty() ? "" : "called in " + region.place.function);
    const bool is_own = !region.path.empty();
    OTF2_GlobalDefWriter_WriteRegion(writer, ref, name, is_own ? text(region.path) : name, caller, region.role,
                                     is_own ? OTF2_PARADIGM_USER : OTF2_PARADIGM_MPI, OTF2_REGION_FLAG_NONE,
                                     text(region.place.file), line, line);
  }
}

void Definitions::write_communicators(OTF2_GlobalDefWriter* writer) {
  std::vector<std::uint64_t> locations;
  for (int rank = 0; rank < ranks_; ++rank) locations.push_back(static_cast<std::uint64_t>(rank));
  OTF2_GlobalDefWriter_WriteGroup(writer, 0, text("MPI"), OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_MPI,
                                  OTF2_GROUP_FLAG_NONE, static_cast<std::uint32_t>(locations.size()), locations.data());
  std::map<OTF2_GroupRef, const std::vector<std::uint64_t>*> groups;  // readers expect them in their order
  for (const auto& [members, group] : groups_) groups[group] = &members;
  for (const auto& [group, members] : groups)
    OTF2_GlobalDefWriter_WriteGroup(writer, group, text(""), OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI,
                                    OTF2_GROUP_FLAG_NONE, static_cast<std::uint32_t>(members->size()), members->data());
  for (OTF2_CommRef ref = 0; ref < communicators_.size(); ++ref) {
    const Communicator& one = communicators_[ref];
    if (one.other != OTF2_UNDEFINED_GROUP)
      OTF2_GlobalDefWriter_WriteInterComm(writer, ref, text(one.name), one.group, one.other, OTF2_UNDEFINED_COMM,
                                          OTF2_COMM_FLAG_NONE);
    else
      OTF2_GlobalDefWriter_WriteComm(writer, ref, text(one.name), one.group, OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE);
  }
  for (OTF2_RmaWinRef ref = 0; ref < windows_.size(); ++ref)
    if (windows_[ref].communicator != OTF2_UNDEFINED_COMM)
      OTF2_GlobalDefWriter_WriteRmaWin(writer, ref, text(windows_[ref].name), windows_[ref].communicator,
                                       OTF2_RMA_WIN_FLAG_CREATE_DESTROY_EVENTS);
}

void Definitions::write_handles(OTF2_GlobalDefWriter* writer) {
  if (handles_.empty()) return;
  OTF2_GlobalDefWriter_WriteIoParadigm(writer, 0, text("MPI-IO"), text("MPI-IO"), OTF2_IO_PARADIGM_CLASS_PARALLEL,
                                       OTF2_IO_PARADIGM_FLAG_NONE, 0, nullptr, nullptr, nullptr);
  std::map<std::string, OTF2_IoFileRef> files;
  for (OTF2_IoHandleRef ref = 0; ref < handles_.size(); ++ref) {
    const Handle& one = handles_[ref];
    const auto [file, is_new] = files.try_emplace(one.name, static_cast<OTF2_IoFileRef>(files.size()));
    if (is_new) OTF2_GlobalDefWriter_WriteIoRegularFile(writer, file->second, text(one.name), 0);
    OTF2_GlobalDefWriter_WriteIoHandle(writer, ref, text(one.name), file->second, 0, OTF2_IO_HANDLE_FLAG_NONE,
                                       one.communicator, OTF2_UNDEFINED_IO_HANDLE);
  }
}

/// A class of its own for each: not all have values at the same moments.
void Definitions::write_variables(OTF2_GlobalDefWriter* writer) {
  for (OTF2_MetricMemberRef ref = 0; ref < run_.variables.size(); ++ref) {
    const trace::Otf2Run::Variable& one = run_.variables[ref];
    OTF2_GlobalDefWriter_WriteMetricMember(writer, ref, text(one.name), text(one.description), OTF2_METRIC_TYPE_OTHER,
                                           one.is_sum ? OTF2_METRIC_ACCUMULATED_START : OTF2_METRIC_ABSOLUTE_NEXT,
                                           OTF2_TYPE_DOUBLE, OTF2_BASE_DECIMAL, 0, text(""));
    OTF2_GlobalDefWriter_WriteMetricClass(writer, ref, 1, &ref, OTF2_METRIC_ASYNCHRONOUS, OTF2_RECORDER_KIND_ABSTRACT);
  }
}

void Definitions::write(OTF2_GlobalDefWriter* writer) {
  constexpr std::uint64_t per_second = 1'000'000'000;
  writer_ = writer;
  const trace::Otf2Run::OfProcess& first = run_.processes.front();
  const std::uint64_t day_ns = static_cast<std::uint64_t>(first.file->time_of_day_ns()) +  // may be any, if damaged
                               static_cast<std::uint64_t>(run_.first_ns) - static_cast<std::uint64_t>(first.shift_ns);
  OTF2_GlobalDefWriter_WriteClockProperties(writer, per_second, 0, last_ + 1, day_ns);
  text("");
  write_system(writer);
  write_regions(writer);
  write_communicators(writer);
  write_handles(writer);
  write_variables(writer);
}

}  // namespace cairn::otf2
