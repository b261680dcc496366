// SPDX-License-Identifier: BSD-3-Clause
// objects.cc - taking communicators, windows, files and datatypes into the page

#include "objects.hpp"

#include <cstring>
#include <new>
#include <string>
#include <string_view>

#include "cairn/kit/clock.hpp"
#include "cairn/kit/own_work.hpp"
#include "cairn/object_identity.hpp"
#include "predefined_types.hpp"

namespace recorder {

namespace identity = cairn::identity;

namespace {

bool is_in_order(const int* worlds, int count, int world_size) {
  if (count != world_size) return false;
  for (int i = 0; i < count; ++i)
    if (worlds[i] != i) return false;
  return true;
}

}  // namespace

void Objects::use(PageFile& file) {
  file_ = &file;
  table_ = &file.objects();
  types_ = &file.datatypes();
  places_.resize(table_->count());
}

Objects::Origin Objects::origin_of(Index parent, std::uint32_t number) {
  return parent == unknown ? Origin{} : Origin{identity::made_from(at(parent).identity, number), false};
}

/// What was made before in the same way; a program that makes such objects without end begins again at some time.
std::uint64_t Objects::count_before(std::uint64_t like) {
  constexpr std::size_t most = 10'000;
  if (made_.size() == most) made_.clear();
  return made_[like]++;
}

Objects::Processes Objects::processes_of_group(MPI_Group group) {
  Processes made;
  PMPI_Group_size(group, &made.size);
  PMPI_Group_rank(group, &made.rank);
  made.worlds.resize(static_cast<std::size_t>(made.size));
  ranks_->translate(group, made.size, made.worlds.data());
  made.hash = identity::of_members(made.worlds.data(), made.size);
  made.is_world = is_in_order(made.worlds.data(), made.size, world_size_);
  return made;
}

Objects::Processes Objects::processes_of_comm(MPI_Comm comm) {
  Processes made;
  MPI_Group group = MPI_GROUP_NULL;
  if (PMPI_Comm_group(comm, &group) != MPI_SUCCESS) return made;
  made = processes_of_group(group);
  PMPI_Group_free(&group);
  int between_groups = 0;
  PMPI_Comm_test_inter(comm, &between_groups);
  if (between_groups == 0 || PMPI_Comm_remote_group(comm, &group) != MPI_SUCCESS) return made;
  Processes remote = processes_of_group(group);
  PMPI_Group_free(&group);
  remote.hash += made.hash;  // either side has both
  remote.remote_size = remote.size;
  remote.size = made.size;
  remote.rank = made.rank;
  return remote;
}

void Objects::add_communicator(MPI_Comm comm, Origin origin) {
  if (comm == MPI_COMM_NULL) return;
  if (is_full()) return leave_out();
  const cairn::OwnWork own;
  if (frees_->watch_comm(comm) == 0) return;
  char name[MPI_MAX_OBJECT_NAME] = "";
  int length = 0;
  PMPI_Comm_get_name(comm, name, &length);
  add(cairn::handle_bits(comm), page::Object::communicator, origin, processes_of_comm(comm), name);
}

void Objects::add_window(MPI_Win win, Origin origin) {
  MPI_Group group = MPI_GROUP_NULL;
  const cairn::OwnWork own;
  if (win != MPI_WIN_NULL && frees_->watch_win(win) != 0 && PMPI_Win_get_group(win, &group) == MPI_SUCCESS)
    add_of_group(cairn::handle_bits(win), page::Object::window, origin, group, "");
}

/// Of a name that is too long, its end tells more.
void Objects::add_file(MPI_File file, Origin origin, const char* name) {
  constexpr std::size_t most = sizeof(page::Object::name) - 1;
  constexpr std::string_view cut = "...";
  std::string shown(name);
  if (shown.size() > most) shown.replace(0, shown.size() - most + cut.size(), cut);
  MPI_Group group = MPI_GROUP_NULL;
  const cairn::OwnWork own;
  if (file != MPI_FILE_NULL && PMPI_File_get_group(file, &group) == MPI_SUCCESS)
    add_of_group(cairn::handle_bits(file), page::Object::file, origin, group, shown.c_str());
}

void Objects::add_of_group(std::uint64_t handle, page::Object::What what, Origin origin, MPI_Group group,
                           const char* name) {
  const Processes processes = processes_of_group(group);
  PMPI_Group_free(&group);
  add(handle, what, origin, processes, name);
}

/// The one that has been free the longest, for a second at least while the table may grow for that: records of freed
/// objects keep their meaning for a while. Where each has another list of members, that would take too much room. Unknown:
/// there is none.
Objects::Index Objects::free_place() {
  constexpr std::uint64_t while_ns = 1'000'000'000;
  const Index count = table_->count();
  Index index = last_added_;
  for (Index tries = 1; tries < count; ++tries) {
    index = index % (count - 1) + 1;  // from 1
    if (at(index).state.load(std::memory_order_relaxed) != page::Object::present) break;
  }
  const bool is_free = index != unknown && at(index).state.load(std::memory_order_relaxed) != page::Object::present;
  const bool is_old = is_free && cairn::nanoseconds_now() - places_[index].freed_ns >= while_ns;
  if (is_old || (is_free && lists_.size() == most_lists)) return index;
  if (!file_->grow_objects()) return is_free ? index : unknown;
  places_.resize(table_->count());
  return count;
}

/// 0: they are not kept.
std::uint64_t Objects::members_at(Index index, const Processes& processes) {
  const std::uint64_t hash =
      identity::of_members(processes.worlds.data(), static_cast<std::int32_t>(processes.worlds.size()));
  if (const auto known = lists_.find(hash); known != lists_.end()) return known->second;
  PageFile::Room shared;
  const bool is_shared = lists_.size() < most_lists;
  PageFile::Room& room = is_shared ? shared : places_[index].members;
  if (!file_->write_numbers(room, processes.worlds)) return 0;
  if (is_shared) lists_.emplace(hash, room.at);
  return room.at;
}

void Objects::add(std::uint64_t handle, page::Object::What what, Origin origin, const Processes& processes,
                  const char* name) {
  const std::lock_guard lock(lock_);
  std::atomic<Index>* const place = objects_.find_or_add(handle);
  const Index index = place == nullptr ? unknown : free_place();
  if (index == unknown) return leave_out();
  // A handle that is known comes again (MPI_Comm_get_parent).
  if (const Index before = place->load(std::memory_order_relaxed); before != unknown) set_free(before);
  else present_.fetch_add(1, std::memory_order_relaxed);
  last_added_ = index;
  page::Object& object = at(index);
  object.state.store(page::Object::absent, std::memory_order_release);
  object.what = what;
  object.handle = handle;
  object.made_at = cairn::ticks_now();
  const std::uint64_t like = identity::of(origin.hash, processes.hash, what);
  object.identity = origin.hash == 0 ? 0 : origin.may_repeat ? identity::repeated(like, count_before(like)) : like;
  object.rank = processes.rank;
  object.size = processes.size;
  object.remote_size = processes.remote_size;
  object.peers = static_cast<std::int32_t>(processes.worlds.size());
  object.collectives.store(0, std::memory_order_relaxed);
  object.numbers_differ = 0;
  object.members_at = processes.is_world ? 0 : members_at(index, processes);
  object.members_known = processes.is_world || object.members_at != 0 ? 1 : 0;
  put(object.name, name);
  object.state.store(page::Object::present, std::memory_order_release);
  place->store(index, std::memory_order_release);
}

void Objects::set_free(Index index) {
  at(index).state.store(page::Object::freed, std::memory_order_release);
  places_[index].freed_ns = cairn::nanoseconds_now();
}

void Objects::forget(std::uint64_t handle) {
  std::atomic<Index>* const place = objects_.find(handle);
  const Index index = place == nullptr ? unknown : place->exchange(unknown);
  if (index == unknown) return;
  const std::lock_guard lock(lock_);
  set_free(index);
  present_.fetch_sub(1, std::memory_order_relaxed);
}

/// get(name, length) as MPI_Comm_get_name.
void Objects::rename(std::uint64_t handle, auto get) {
  const Index index = of(handle);
  if (index == unknown) return;
  const cairn::OwnWork own;
  char name[MPI_MAX_OBJECT_NAME] = "";
  int length = 0;
  get(name, &length);
  put(at(index).name, name);
}

void Objects::rename_communicator(MPI_Comm comm) {
  rename(cairn::handle_bits(comm), [comm](char* name, int* length) { PMPI_Comm_get_name(comm, name, length); });
}

void Objects::rename_window(MPI_Win win) {
  rename(cairn::handle_bits(win), [win](char* name, int* length) { PMPI_Win_get_name(win, name, length); });
}

Objects::Index Objects::free_type() {
  if (last_type_ + 1 == types_->count() && !file_->grow_datatypes()) return unknown;
  return ++last_type_;
}

bool Objects::means_the_same(const page::Datatype& type, std::uint64_t size, const char* name) {
  return type.size == size && std::strncmp(type.name, name, sizeof type.name - 1) == 0;
}

/// The one before, if it means the same; else a new one, as long as there are some.
Objects::Index Objects::place_for(Index old, std::uint64_t size, const char* name) {
  if (old != unknown && means_the_same((*types_)[old], size, name)) return old;
  const Index place = free_type();
  return place == unknown ? old : place;
}

/// A handle that comes back may have another meaning, while records of the old one are still read.
void Objects::add_datatype(MPI_Datatype type, std::uint64_t since) {
  const cairn::OwnWork own;
  const std::uint64_t bits = cairn::handle_bits(type);
  const std::lock_guard lock(lock_);
  TypePlace* const place = datatypes_known_.find_or_add(bits);
  if (place == nullptr) return;
  char name[MPI_MAX_OBJECT_NAME] = "";
  int length = 0;
  PMPI_Type_get_name(type, name, &length);
  const std::uint64_t size = datatypes_->size(type);
  const Index index = place_for(place->last.load(std::memory_order_relaxed), size, name);
  if (index == unknown) return;
  page::Datatype& there = (*types_)[index];
  if (there.made_at == 0 || !means_the_same(there, size, name)) {
    there.handle.store(0, std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_release);
    there.made_at = there.made_at == 0 && since != 0 ? since : cairn::ticks_now();
    there.size = size;
    put(there.name, name);
  }
  there.handle.store(bits, std::memory_order_release);
  place->last.store(index, std::memory_order_relaxed);
  place->now.store(index, std::memory_order_release);
}

void Objects::forget_type(MPI_Datatype type) {
  TypePlace* const place = datatypes_known_.find(cairn::handle_bits(type));
  if (place != nullptr) place->now.store(unknown, std::memory_order_release);
}

void Objects::add_basic(MPI_Datatype type, std::uint32_t kind) {
  if (type == MPI_DATATYPE_NULL) return;  // which this library or processor does not have
  add_datatype(type);
  if (const Index index = type_of(type); index != unknown) (*types_)[index].kind = kind;
}

void Objects::add_predefined() {
  int has_world = 0;
  PMPI_Initialized(&has_world);
  if (has_world != 0) {
    const cairn::OwnWork own;
    PMPI_Comm_size(MPI_COMM_WORLD, &world_size_);
    add_communicator(MPI_COMM_WORLD, Origin{identity::world, false});
    add_communicator(MPI_COMM_SELF, Origin{identity::self, false});
  }
  std::uint32_t kind = 0;
  for (const MPI_Datatype type : predefined_types) add_basic(type, ++kind);
}

}  // namespace recorder
