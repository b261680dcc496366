// SPDX-License-Identifier: BSD-3-Clause
// replay_together.cc - collective calls, where what a rank records is only a part of what it needs, and communicators

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <climits>
#include <numeric>

#include "cairn/object_identity.hpp"
#include "cli/trace/replay_calls.hpp"

namespace cairn::cli {

namespace {

constexpr std::string_view arithmetic[] = {"MPI_SHORT",    "MPI_UNSIGNED_SHORT", "MPI_INT",        "MPI_UNSIGNED",
                                           "MPI_LONG",     "MPI_UNSIGNED_LONG",  "MPI_LONG_LONG",  "MPI_FLOAT",
                                           "MPI_DOUBLE",   "MPI_INT8_T",         "MPI_INT16_T",    "MPI_INT32_T",
                                           "MPI_INT64_T",  "MPI_UINT8_T",        "MPI_UINT16_T",   "MPI_UINT32_T",
                                           "MPI_UINT64_T", "MPI_UNSIGNED_CHAR",  "MPI_SIGNED_CHAR"};

/// "MPI_Ibcast" -> "MPI_Bcast"
std::string blocking(const std::string& name) {
  if (!name.starts_with("MPI_I")) return name;
  std::string found = "MPI_" + name.substr(5);
  found[4] = static_cast<char>(found[4] - 'a' + 'A');
  return found;
}

/// Each process gives each the same.
bool gives_to_each(const std::string& name) { return name.ends_with("lltoall") || name.ends_with("lltoall_c"); }

/// Of these, what one process gives says what others get.
bool has_shares(const std::string& name) {
  return name.find("ather") != std::string::npos || name.find("catter") != std::string::npos || gives_to_each(name);
}

/// Each process gives each another part.
bool has_parts(const std::string& name) {
  return name.find("lltoallv") != std::string::npos || name.find("lltoallw") != std::string::npos;
}

std::string c_text(std::string_view text) {
  std::string out = "\"";
  for (const char letter : text)
    if (letter < ' ' || letter > '~' || letter == '"' || letter == '\\' || letter == '?')
      out += fmt::format("\\{:03o}", static_cast<unsigned char>(letter));
    else out += letter;
  return out + "\"";
}

}  // namespace

bool ReplayCalls::has_sum(std::string_view type) { return std::ranges::find(arithmetic, type) != std::end(arithmetic); }

CollectiveShares::CollectiveShares(const RunTraces& run) {
  for (const auto& process : run.processes)
    for (trace::Records records(process->file); const trace::Record* record = records.now();) {
      const trace::Record call = *record;
      std::vector<trace::Record> details;
      const std::uint64_t number = records.number();
      for (records.step(); (record = records.now()) != nullptr && trace::is_detail(*record); records.step())
        if (record->entry == number) details.push_back(*record);
      if (!trace::is_detail(call) && call.number != 0) add(process->file, call, std::move(details));
    }
  keep_complete();
}

/// What was recorded of its bytes is exact, also where its arguments are of no meaning, as with MPI_IN_PLACE.
void CollectiveShares::add(const trace::File& file, const trace::Record& call, std::vector<trace::Record> details) {
  const trace::Function* const function = file.function(call);
  const trace::Object* const comm = file.object(call);
  if (function == nullptr || comm == nullptr || comm->rank < 0 || comm->rank >= comm->size ||
      comm->size > file.process().size)
    return;
  const Key key{comm->identity, call.number};
  const auto moved = std::ranges::find(details, page::moved, &trace::Record::function);
  if (has_parts(function->name) && moved != details.end()) {
    Given& given = given_[key].emplace_back(Given{comm->rank, moved->count, {}});
    for (const trace::Record& detail : details)
      if (detail.function == page::share && detail.peer >= 0 && detail.peer < comm->size)
        given.parts.push_back({detail.peer, detail.count});
  }
  if (!has_shares(function->name)) return;
  auto& all = shares_[key];
  if (all.size() < static_cast<std::size_t>(comm->size)) all.resize(static_cast<std::size_t>(comm->size), unknown);
  std::uint64_t& own = all[static_cast<std::size_t>(comm->rank)];
  const bool gets_own = function->name.find("catter") != std::string::npos;
  if (moved != details.end() && comm->remote_size == 0)
    own = gives_to_each(function->name) ? moved->count / static_cast<std::uint64_t>(comm->size)
          : gets_own                    ? moved->other
                                        : moved->count;
  else if ((call.flags & page::has_count) != 0 && call.type != 0) own = file.bytes(call);
}

/// Each receiver once, in their order, and all bytes are known.
bool CollectiveShares::Given::is_whole() const {
  if (std::ranges::adjacent_find(parts, std::ranges::greater_equal(), &Part::receiver) != parts.end()) return false;
  std::uint64_t sum = 0;
  for (const Part& part : parts) sum += part.bytes;
  return sum == all;
}

std::uint64_t CollectiveShares::Given::to(std::int32_t receiver) const {
  const auto part = std::ranges::lower_bound(parts, receiver, {}, &Part::receiver);
  return part == parts.end() || part->receiver != receiver ? 0 : part->bytes;
}

void CollectiveShares::keep_complete() {
  for (auto& [key, all] : given_) std::ranges::sort(all, {}, &Given::sender);
  std::erase_if(given_, [](const auto& call) {
    std::int32_t next = 0;
    return !std::ranges::all_of(call.second,
                                [&](const Given& given) { return given.sender == next++ && given.is_whole(); });
  });
}

/// Null: of some process the parts are unknown.
const std::vector<CollectiveShares::Given>* CollectiveShares::complete(const trace::Object& comm,
                                                                       std::uint32_t number) const {
  const auto found = given_.find({comm.identity, number});
  if (found == given_.end() || std::ssize(found->second) != comm.size) return nullptr;
  return comm.rank >= 0 && comm.rank < comm.size ? &found->second : nullptr;
}

std::vector<std::uint64_t> CollectiveShares::given(const trace::Object& comm, std::uint32_t number) const {
  const std::vector<Given>* const all = complete(comm, number);
  if (all == nullptr) return {};
  std::vector<std::uint64_t> bytes(all->size());
  for (const Part& part : (*all)[static_cast<std::size_t>(comm.rank)].parts)
    if (part.receiver < comm.size) bytes[static_cast<std::size_t>(part.receiver)] = part.bytes;
  return bytes;
}

std::vector<std::uint64_t> CollectiveShares::got(const trace::Object& comm, std::uint32_t number) const {
  const std::vector<Given>* const all = complete(comm, number);
  std::vector<std::uint64_t> bytes;
  if (all != nullptr)
    for (const Given& given : *all) bytes.push_back(given.to(comm.rank));
  return bytes;
}

std::vector<std::uint64_t> CollectiveShares::of(const trace::Object& comm, std::uint32_t number) const {
  const auto found = shares_.find({comm.identity, number});
  if (found != shares_.end()) return found->second;
  return std::vector<std::uint64_t>(static_cast<std::size_t>(std::max(comm.size, 0)), unknown);
}

// ---------------------------------------------------------------- collective calls

std::string ReplayCalls::reduction(const trace::Record& record) const {
  const trace::Datatype* const type = process_.file.definitions().types.find(record.type);
  return type != nullptr && has_sum(type->name) ? "MPI_SUM" : "keep";
}

void ReplayCalls::together(const Call& call) {
  const std::string comm = comm_text(call);
  const std::string name = blocking(call.name);
  int slot = -1;
  std::string request;
  if (name != call.name) request = ", " + new_request(call, rank_.calls.size(), slot);
  std::string arguments = has_shares(name) || name == "MPI_Alltoall" ? share_arguments(call, name, slot)
                                                                     : collective_arguments(call, name, slot);
  if (!arguments.empty()) arguments += ", ";
  std::string made_name = call.name;  // a replay has one datatype for all
  if (made_name.ends_with("lltoallw")) made_name.back() = 'v';
  add(fmt::format("{}({}{}{}){}", made_name, arguments, comm, request,
                  made_name == call.name ? "" : fmt::format(" /* {} */", call.name)));
}

/// All but communicator and request.
std::string ReplayCalls::collective_arguments(const Call& call, std::string_view name, int slot) {
  const trace::Record& record = call.record;
  const std::uint64_t bytes = process_.file.bytes(record);
  if (name == "MPI_Barrier") return "";
  if (name == "MPI_Bcast") return fmt::format("{}, {}, {}", in(slot, bytes), amount(record), record.peer);
  if (has_parts(std::string(name))) return part_arguments(call, slot);
  const std::string reduced =
      fmt::format("{}, {}, {}, {}", out(bytes), in(slot, bytes), amount(record), reduction(record));
  return name == "MPI_Reduce" ? fmt::format("{}, {}", reduced, record.peer) : reduced;
}

std::uint64_t ReplayCalls::sum_of(const std::vector<std::uint64_t>& bytes) const {
  const std::uint64_t all = std::accumulate(bytes.begin(), bytes.end(), std::uint64_t{0});
  if (all > INT_MAX) refuse(too_many);
  return all;
}

/// Where each gives each another part.
std::string ReplayCalls::part_arguments(const Call& call, int slot) {
  const trace::Object& comm = *process_.file.object(call.record);
  std::vector<std::uint64_t> given = shares_.given(comm, call.record.number);
  std::vector<std::uint64_t> got = shares_.got(comm, call.record.number);
  if (given.empty()) ++tables_.without_size;
  given.resize(static_cast<std::size_t>(std::max(comm.size, 0)));
  got.resize(given.size());
  const int to = tables_.amounts_of(given), from = tables_.amounts_of(got);
  return fmt::format("{}, n{}, at{}, MPI_BYTE, {}, n{}, at{}, MPI_BYTE", out(sum_of(given)), to, to,
                     in(slot, sum_of(got)), from, from);
}

/// Operands are bytes, as the trace does not have their type.
std::string ReplayCalls::scatter_arguments(const Call& call, std::string_view name,
                                           const std::vector<std::uint64_t>& bytes, int slot) {
  const trace::Object& comm = *process_.file.object(call.record);
  const std::uint64_t own =
      static_cast<std::size_t>(comm.rank) < bytes.size() ? bytes[static_cast<std::size_t>(comm.rank)] : 0;
  const std::string counts =
      name.ends_with("block") ? std::to_string(own) : fmt::format("n{}", tables_.amounts_of(bytes));
  return fmt::format("{}, {}, {}, MPI_BYTE, keep", out(sum_of(bytes)), in(slot, own), counts);
}

/// Where what one process gives says what another one gets.
std::string ReplayCalls::share_arguments(const Call& call, std::string_view name, int slot) {
  constexpr std::uint64_t unknown = CollectiveShares::unknown;
  const trace::Object& comm = *process_.file.object(call.record);
  const std::int32_t root = call.record.peer;
  std::vector<std::uint64_t> bytes = shares_.of(comm, call.record.number);
  const bool is_by_rank = name.ends_with("v") || name.starts_with("MPI_Reduce_scatter");
  const bool has_root = name.starts_with("MPI_Gather") || name.starts_with("MPI_Scatter");
  if (std::ranges::all_of(bytes, [](std::uint64_t one) { return one == unknown; })) ++tables_.without_size;
  const bool is_root = has_root && comm.rank == root;
  if (!is_by_rank) {  // what the root gives to all of them, or what any of those gives that do not keep theirs in place
    std::uint64_t each = 0;
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      const bool counts = name == "MPI_Scatter"  ? static_cast<std::int32_t>(i) == root
                          : name == "MPI_Gather" ? static_cast<std::int32_t>(i) != root || bytes.size() == 1
                                                 : true;
      if (counts && bytes[i] != unknown) each = std::max(each, bytes[i]);
    }
    if (each > INT_MAX) refuse(too_many);
    const std::uint64_t all = each * static_cast<std::uint64_t>(comm.size);
    const bool gives_all = name == "MPI_Alltoall" || (name == "MPI_Scatter" && is_root);
    const std::string text = fmt::format("{}, {}, MPI_BYTE, {}, {}, MPI_BYTE", out(gives_all ? all : each), each,
                                         in(slot, name == "MPI_Scatter" ? each : all), each);
    return has_root ? fmt::format("{}, {}", text, root) : text;
  }
  for (std::uint64_t& one : bytes)
    if (one == unknown) one = 0;
  if (name.starts_with("MPI_Reduce_scatter")) return scatter_arguments(call, name, bytes, slot);
  const std::uint64_t all = sum_of(bytes);
  const std::uint64_t own =
      static_cast<std::size_t>(comm.rank) < bytes.size() ? bytes[static_cast<std::size_t>(comm.rank)] : 0;
  const int number = tables_.amounts_of(bytes);
  if (name == "MPI_Scatterv")
    return fmt::format("{}, n{}, at{}, MPI_BYTE, {}, {}, MPI_BYTE, {}", out(all), number, number, in(slot, own), own,
                       root);
  const std::string text =
      fmt::format("{}, {}, MPI_BYTE, {}, n{}, at{}, MPI_BYTE", out(own), own, in(slot, all), number, number);
  return has_root ? fmt::format("{}, {}", text, root) : text;
}

// ---------------------------------------------------------------- communicators

/// The one whose identity follows from the call. Null: this process is not in it.
const trace::Object* ReplayCalls::made_by(const Call& call) {
  const trace::Object* const parent = process_.file.object(call.record);
  const bool by_tag = call.name == "MPI_Comm_create_group";
  if (parent == nullptr || parent->identity == 0) return nullptr;
  const std::uint64_t origin =
      by_tag ? identity::made_with(call.record.tag) : identity::made_from(parent->identity, call.record.number);
  std::vector<std::int32_t> world(static_cast<std::size_t>(std::max(process_.file.process().size, 0)));
  std::iota(world.begin(), world.end(), 0);
  for (const trace::Object& object : process_.file.definitions().objects.all()) {
    if (object.what != page::Object::communicator || object.identity == 0 || !object.members_known) continue;
    if (object.size < 1 || object.size > process_.file.process().size) continue;  // damaged
    const std::vector<std::int32_t>& members = object.members.empty() ? world : object.members;
    const std::uint64_t like =
        identity::of(origin, identity::of_members(members.data(), static_cast<std::int32_t>(members.size())),
                     page::Object::communicator);
    if (object.identity != (by_tag ? identity::repeated(like, repeats_[like]) : like)) continue;
    if (by_tag) ++repeats_[like];
    return &object;
  }
  return nullptr;
}

/// The program's own, if it has one: it is defined again with it.
std::string ReplayCalls::name_of_comm(const trace::Object& comm) const {
  std::string name;
  for (const trace::Object& object : process_.file.definitions().objects.all())
    if (object.what == comm.what && object.identity == comm.identity) name = object.name;
  return name.starts_with("MPI") ? "" : name;
}

void ReplayCalls::make_comm(const Call& call) {
  const std::string parent = comm_text(call);
  const trace::Object* const made = made_by(call);
  std::string place = "&no_comm";
  std::vector<std::int32_t> members;
  if (made != nullptr) {
    if (free_comms_.empty()) free_comms_.insert(comms_++);
    const int slot = *free_comms_.begin();
    free_comms_.erase(free_comms_.begin());
    comm_slots_[made->identity] = slot;
    place = fmt::format("&c[{}]", slot);
    members = made->members;
    if (members.empty()) {
      members.resize(static_cast<std::size_t>(made->size));
      std::iota(members.begin(), members.end(), 0);
    }
  }
  std::string naming;
  if (const std::string name = made == nullptr ? "" : name_of_comm(*made); !name.empty())
    naming = fmt::format("; MPI_Comm_set_name({}, {})", place.substr(1), c_text(name));
  std::string text;
  if (call.name.starts_with("MPI_Comm_dup")) text = fmt::format("MPI_Comm_dup({}, {})", parent, place);
  else if (call.name.starts_with("MPI_Comm_idup")) {
    int slot = -1;
    const std::string request = new_request(call, rank_.calls.size(), slot);
    text = fmt::format("MPI_Comm_idup({}, {}, {})", parent, place, request);
    if (slot >= 0) active_[call.record.other].back().then = naming;
  } else if (call.name.starts_with("MPI_Comm_create")) {
    const std::string group =
        members.empty() ? "MPI_GROUP_EMPTY" : fmt::format("group_of({}, {})", members.size(), fmt::join(members, ", "));
    const std::string tag = call.name == "MPI_Comm_create" ? "" : fmt::format("{}, ", call.record.tag);
    text = fmt::format("{}({}, {}, {}{})", call.name, parent, group, tag, place);
  } else {
    const std::string color = made == nullptr ? "MPI_UNDEFINED" : std::to_string(*std::ranges::min_element(members));
    text = fmt::format("MPI_Comm_split({}, {}, {}, {})", parent, color, made == nullptr ? 0 : made->rank, place);
    if (call.name != "MPI_Comm_split") text += fmt::format(" /* {} */", call.name);
  }
  add(call.name.starts_with("MPI_Comm_idup") ? text : text + naming);
}

void ReplayCalls::free_comm(const Call& call) {
  const trace::Object* const comm = process_.file.object(call.record);
  if (comm == nullptr || !comm_slots_.contains(comm->identity)) return leave_out(call);
  add(fmt::format("{}(&{})", call.name, comm_text(call)));
  free_comms_.insert(comm_slots_[comm->identity]);
  comm_slots_.erase(comm->identity);
}

void ReplayCalls::buffer(const Call& call) {
  if (call.name == "MPI_Buffer_attach") add("MPI_Buffer_attach(malloc(BUFFERED), BUFFERED)");
  else add("MPI_Buffer_detach(&buffer, &at); free(buffer)");
}

}  // namespace cairn::cli
