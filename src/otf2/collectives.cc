// SPDX-License-Identifier: BSD-3-Clause
// collectives.cc - collective calls by the names of their functions

#include "otf2/collectives.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

namespace cairn::otf2 {

namespace {

/// How much a rank gives and gets, in multiples of what the call's count says.
enum class Share : std::uint8_t { none, one, all, all_at_root, one_at_root };

struct Operation {
  std::string_view name;
  OTF2_CollectiveOp op;
  Share given;
  Share got;
};
constexpr std::array operations{
    Operation{"barrier", OTF2_COLLECTIVE_OP_BARRIER, Share::none, Share::none},
    Operation{"bcast", OTF2_COLLECTIVE_OP_BCAST, Share::all_at_root, Share::one},
    Operation{"gather", OTF2_COLLECTIVE_OP_GATHER, Share::one, Share::all_at_root},
    Operation{"gatherv", OTF2_COLLECTIVE_OP_GATHERV, Share::one, Share::none},
    Operation{"scatter", OTF2_COLLECTIVE_OP_SCATTER, Share::all_at_root, Share::one_at_root},
    Operation{"scatterv", OTF2_COLLECTIVE_OP_SCATTERV, Share::none, Share::one},
    Operation{"allgather", OTF2_COLLECTIVE_OP_ALLGATHER, Share::one, Share::all},
    Operation{"allgatherv", OTF2_COLLECTIVE_OP_ALLGATHERV, Share::one, Share::none},
    Operation{"alltoall", OTF2_COLLECTIVE_OP_ALLTOALL, Share::all, Share::all},
    Operation{"alltoallv", OTF2_COLLECTIVE_OP_ALLTOALLV, Share::none, Share::none},
    Operation{"alltoallw", OTF2_COLLECTIVE_OP_ALLTOALLW, Share::none, Share::none},
    Operation{"allreduce", OTF2_COLLECTIVE_OP_ALLREDUCE, Share::one, Share::one},
    Operation{"reduce", OTF2_COLLECTIVE_OP_REDUCE, Share::one, Share::one_at_root},
    Operation{"reduce_scatter", OTF2_COLLECTIVE_OP_REDUCE_SCATTER, Share::none, Share::none},
    Operation{"reduce_scatter_block", OTF2_COLLECTIVE_OP_REDUCE_SCATTER_BLOCK, Share::all, Share::one},
    Operation{"scan", OTF2_COLLECTIVE_OP_SCAN, Share::one, Share::one},
    Operation{"exscan", OTF2_COLLECTIVE_OP_EXSCAN, Share::one, Share::one},
    Operation{"comm_free", OTF2_COLLECTIVE_OP_DESTROY_HANDLE, Share::none, Share::none},
    Operation{"comm_disconnect", OTF2_COLLECTIVE_OP_DESTROY_HANDLE, Share::none, Share::none},
};
constexpr Operation other{"", OTF2_COLLECTIVE_OP_CREATE_HANDLE, Share::none, Share::none};

std::string without(std::string_view beginning, std::string name) {
  if (name.starts_with(beginning)) name.erase(0, beginning.size());
  return name;
}

/// "iallreduce": without what tells nothing of the operation.
std::string plain_name(const std::string& function) {
  constexpr std::string_view persistent = "_init";
  std::string name;
  for (const char letter : without("MPI_", trace::without_large(function)))
    name += static_cast<char>(letter >= 'A' && letter <= 'Z' ? letter - 'A' + 'a' : letter);
  if (name.ends_with(persistent)) name.resize(name.size() - persistent.size());
  return name;
}

/// By the name of its function, as "MPI_Iallreduce", "MPI_Bcast_init_c", "MPI_Ineighbor_alltoall".
const Operation& operation_of(const std::string& function) {
  const std::string name = plain_name(function);
  for (const std::string& wanted : {name, without("i", name)})
    for (const Operation& operation : operations)
      if (operation.name == without("neighbor_", wanted)) return operation;
  return other;
}

/// Between two groups the root says so itself, with MPI_ROOT, and the others of its group with MPI_PROC_NULL.
std::uint32_t root_of(const trace::File& file, const trace::Object& object, const trace::Record& call) {
  if ((call.flags & page::has_root) == 0) return OTF2_COLLECTIVE_ROOT_NONE;
  if (call.peer >= 0) return static_cast<std::uint32_t>(call.peer);
  if (object.remote_size == 0) return OTF2_COLLECTIVE_ROOT_NONE;
  return call.peer == file.process().proc_null ? OTF2_COLLECTIVE_ROOT_THIS_GROUP : OTF2_COLLECTIVE_ROOT_SELF;
}

std::uint64_t amount(Share share, std::uint64_t bytes, const trace::Object& object, std::uint32_t root) {
  const bool is_between = object.remote_size != 0;
  const auto size = static_cast<std::uint64_t>(std::max(is_between ? object.remote_size : object.size, 0));
  const bool is_root = is_between ? root == OTF2_COLLECTIVE_ROOT_SELF : root == static_cast<std::uint32_t>(object.rank);
  if (root == OTF2_COLLECTIVE_ROOT_THIS_GROUP) return 0;
  switch (share) {
    case Share::one:
      return is_between && is_root ? 0 : bytes;
    case Share::all:
      return bytes * size;
    case Share::all_at_root:
      return is_root ? bytes * size : 0;
    case Share::one_at_root:
      return is_root ? bytes : 0;
    default:
      return 0;
  }
}

}  // namespace

Collective collective_of(const trace::File& file, const trace::Record& call, const std::optional<trace::Moved>& moved) {
  const trace::Function* const function = file.function(call);
  const trace::Object& object = *file.object(call);
  const Operation& operation = operation_of(function == nullptr ? "" : function->name);
  const std::uint32_t root = root_of(file, object, call);
  const std::uint64_t bytes = file.bytes(call);
  return {operation.op, root, moved ? moved->sent : amount(operation.given, bytes, object, root),
          moved ? moved->received : amount(operation.got, bytes, object, root)};
}

}  // namespace cairn::otf2
