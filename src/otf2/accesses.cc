// SPDX-License-Identifier: BSD-3-Clause
// accesses.cc - windows and files by the names of the functions that use them

#include "otf2/accesses.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace cairn::otf2 {

namespace {

constexpr std::int32_t everybody = -1;
constexpr std::uint64_t only_lock = 0;

bool has(const trace::Record& record, page::Flag flag) { return (record.flags & flag) != 0; }

bool contains(const std::string& name, const char* part) { return name.find(part) != std::string::npos; }

bool is_one_of(const std::string& name, std::initializer_list<const char*> names) {
  return std::ranges::find(names, name) != names.end();
}

/// Its amounts are known when it is over.
bool returns_old_values(const std::string& name) {
  return is_one_of(name, {"MPI_Get_accumulate", "MPI_Rget_accumulate", "MPI_Fetch_and_op", "MPI_Compare_and_swap"});
}

std::uint32_t target_of(const trace::Record& call) {
  return has(call, page::has_peer) ? static_cast<std::uint32_t>(call.peer) : OTF2_UNDEFINED_UINT32;
}
OTF2_LockType lock_of(const trace::Record& call) {
  return has(call, page::exclusive) ? OTF2_LOCK_EXCLUSIVE : OTF2_LOCK_SHARED;
}

OTF2_IoAccessMode mode_of(std::int32_t access) {
  return access == page::reads    ? OTF2_IO_ACCESS_MODE_READ_ONLY
         : access == page::writes ? OTF2_IO_ACCESS_MODE_WRITE_ONLY
                                  : OTF2_IO_ACCESS_MODE_READ_WRITE;
}

}  // namespace

void check(OTF2_ErrorCode code) {
  if (code != OTF2_SUCCESS) throw std::runtime_error(OTF2_Error_GetDescription(code));
}

std::string Accesses::name_of(const trace::Record& call) const {
  const trace::Function* const function = file_.function(call);
  return function == nullptr ? "" : trace::without_large(function->name);
}

/// Null: it is none, or it is not known which.
const trace::Object* Accesses::object_of(const trace::Record& call, page::Object::What what) const {
  const trace::Object* const object = file_.object(call);
  return object != nullptr && object->what == what ? object : nullptr;
}

void Accesses::enter(EventPlace at, std::uint32_t thread, const trace::Record& call) {
  Thread& its = of(thread);
  its = {};
  if (has(call, page::failed)) return;
  if (object_of(call, page::Object::window) != nullptr) {
    const OTF2_RmaWinRef window = definitions_.window(process_, call.object);
    if (window != OTF2_UNDEFINED_RMA_WIN) enter_window(at, window, its, call);
  } else if (object_of(call, page::Object::file) != nullptr) {
    enter_file(at, definitions_.handle(process_, call.object), its, call);
  }
}

void Accesses::leave(EventPlace at, std::uint32_t thread, const trace::Record& call) {
  Thread& its = of(thread);
  if (has(call, page::failed) || call.exit == 0) return;
  if (its.made && object_of(*its.made, page::Object::window) != nullptr) {
    const OTF2_RmaWinRef window = definitions_.window(process_, its.made->object);
    if (window != OTF2_UNDEFINED_RMA_WIN) check(OTF2_EvtWriter_RmaWinCreate(at.to, nullptr, at.time, window));
  } else if (its.made && object_of(*its.made, page::Object::file) != nullptr) {
    check(OTF2_EvtWriter_IoCreateHandle(at.to, nullptr, at.time, definitions_.handle(process_, its.made->object),
                                        mode_of(its.made->tag), OTF2_IO_CREATION_FLAG_NONE, OTF2_IO_STATUS_FLAG_NONE));
  } else if (object_of(call, page::Object::window) != nullptr) {
    const OTF2_RmaWinRef window = definitions_.window(process_, call.object);
    if (window != OTF2_UNDEFINED_RMA_WIN) leave_window(at, window, its, call);
  } else if (object_of(call, page::Object::file) != nullptr) {
    leave_file(at, definitions_.handle(process_, call.object), its, call);
  }
}

/// By a request that its call has made, or a file's by the call itself.
void Accesses::access(EventPlace at, std::uint32_t thread, const trace::Access& access) {
  if (access.request == 0) {
    of(thread).bytes = access.bytes;
    return;
  }
  if (!access.is_over) {
    of_requests_[access.request] = of(thread).operation;
    return;
  }
  const auto found = of_requests_.find(access.request);
  if (found == of_requests_.end()) return;
  const std::uint64_t number = found->second;
  of_requests_.erase(found);
  if (object_of(*access.call, page::Object::file) != nullptr) {
    check(OTF2_EvtWriter_IoOperationComplete(at.to, nullptr, at.time,
                                             definitions_.handle(process_, access.call->object),
                                             access.bytes.value_or(OTF2_UNDEFINED_UINT64), number));
    return;
  }
  const OTF2_RmaWinRef window = definitions_.window(process_, access.call->object);
  if (window == OTF2_UNDEFINED_RMA_WIN || file_.is_with_nobody(*access.call)) return;
  for (Operation& one : windows_[window].open)
    if (one.number == number) one.is_over = true;
  check(OTF2_EvtWriter_RmaOpCompleteNonBlocking(at.to, nullptr, at.time, window, number));
}

// ------------------------------------------------------------ windows

void Accesses::enter_window(EventPlace at, OTF2_RmaWinRef window, Thread& its, const trace::Record& call) {
  const std::string name = name_of(call);
  if (is_one_of(name, {"MPI_Win_fence", "MPI_Win_free"}))
    return check(OTF2_EvtWriter_RmaCollectiveBegin(at.to, nullptr, at.time));
  if (is_one_of(name, {"MPI_Win_lock", "MPI_Win_lock_all"}))
    return check(
        OTF2_EvtWriter_RmaRequestLock(at.to, nullptr, at.time, window, target_of(call), only_lock, lock_of(call)));
  const bool is_operation = has(call, page::has_peer) && !name.starts_with("MPI_Win_");
  if (!is_operation || file_.is_with_nobody(call)) return;
  its.operation = ++operations_;
  windows_[window].open.push_back({its.operation, call.peer});
  const std::uint64_t bytes = file_.bytes(call);
  if (is_one_of(name, {"MPI_Put", "MPI_Rput"}))
    check(OTF2_EvtWriter_RmaPut(at.to, nullptr, at.time, window, target_of(call), bytes, its.operation));
  else if (is_one_of(name, {"MPI_Get", "MPI_Rget"}))
    check(OTF2_EvtWriter_RmaGet(at.to, nullptr, at.time, window, target_of(call), bytes, its.operation));
  else if (!returns_old_values(name))
    check(OTF2_EvtWriter_RmaAtomic(at.to, nullptr, at.time, window, target_of(call), OTF2_RMA_ATOMIC_TYPE_ACCUMULATE,
                                   bytes, 0, its.operation));
}

void Accesses::leave_window(EventPlace at, OTF2_RmaWinRef window, Thread& its, const trace::Record& call) {
  const std::string name = name_of(call);
  const std::int32_t target = has(call, page::has_peer) ? call.peer : everybody;
  if (returns_old_values(name) && its.operation != 0) {
    const OTF2_RmaAtomicType type = name == "MPI_Compare_and_swap" ? OTF2_RMA_ATOMIC_TYPE_COMPARE_AND_SWAP
                                                                   : OTF2_RMA_ATOMIC_TYPE_FETCH_AND_ACCUMULATE;
    check(OTF2_EvtWriter_RmaAtomic(at.to, nullptr, at.time, window, target_of(call), type, its.moved.sent,
                                   its.moved.received, its.operation));
  } else if (is_one_of(name, {"MPI_Win_fence", "MPI_Win_free"})) {
    complete(at, window, everybody);
    if (name == "MPI_Win_free") check(OTF2_EvtWriter_RmaWinDestroy(at.to, nullptr, at.time, window));
    check(OTF2_EvtWriter_RmaCollectiveEnd(at.to, nullptr, at.time, OTF2_COLLECTIVE_OP_BARRIER,
                                          OTF2_RMA_SYNC_LEVEL_PROCESS | OTF2_RMA_SYNC_LEVEL_MEMORY, window,
                                          OTF2_UNDEFINED_UINT32, 0, 0));
  } else if (is_one_of(name, {"MPI_Win_lock", "MPI_Win_lock_all"})) {
    check(OTF2_EvtWriter_RmaAcquireLock(at.to, nullptr, at.time, window, target_of(call), only_lock, lock_of(call)));
  } else if (is_one_of(name, {"MPI_Win_unlock", "MPI_Win_unlock_all"})) {
    complete(at, window, target);
    check(OTF2_EvtWriter_RmaReleaseLock(at.to, nullptr, at.time, window, target_of(call), only_lock));
  } else if (contains(name, "_flush") || name == "MPI_Win_sync") {
    if (contains(name, "_local")) complete_locally(at, window, target);
    else if (name != "MPI_Win_sync") complete(at, window, target);
    check(OTF2_EvtWriter_RmaSync(at.to, nullptr, at.time, window, target_of(call), OTF2_RMA_SYNC_TYPE_MEMORY));
  } else {
    synchronize_group(at, window, its, name);
  }
}

/// A test that asked in vain has ended nothing.
void Accesses::synchronize_group(EventPlace at, OTF2_RmaWinRef window, const Thread& its, const std::string& name) {
  Window& state = windows_[window];
  const bool begins = is_one_of(name, {"MPI_Win_post", "MPI_Win_start"});
  if (!begins && !is_one_of(name, {"MPI_Win_complete", "MPI_Win_wait", "MPI_Win_test"})) return;
  OTF2_GroupRef& group = is_one_of(name, {"MPI_Win_start", "MPI_Win_complete"}) ? state.accessed : state.exposed;
  if (begins) group = definitions_.group(its.partners);
  if (name == "MPI_Win_complete") complete(at, window, everybody);
  if (group == OTF2_UNDEFINED_GROUP) return;
  check(OTF2_EvtWriter_RmaGroupSync(at.to, nullptr, at.time, OTF2_RMA_SYNC_LEVEL_PROCESS | OTF2_RMA_SYNC_LEVEL_MEMORY,
                                    window, group));
  if (!begins) group = OTF2_UNDEFINED_GROUP;
}

void Accesses::complete(EventPlace at, OTF2_RmaWinRef window, std::int32_t target) {
  std::vector<Operation>& open = windows_[window].open;
  const auto is_meant = [target](const Operation& one) { return target == everybody || one.target == target; };
  for (const Operation& one : open)
    if (is_meant(one)) check(OTF2_EvtWriter_RmaOpCompleteRemote(at.to, nullptr, at.time, window, one.number));
  std::erase_if(open, is_meant);
}

void Accesses::complete_locally(EventPlace at, OTF2_RmaWinRef window, std::int32_t target) {
  for (Operation& one : windows_[window].open) {
    if (one.is_over || (target != everybody && one.target != target)) continue;
    check(OTF2_EvtWriter_RmaOpCompleteNonBlocking(at.to, nullptr, at.time, window, one.number));
    one.is_over = true;
  }
}

// ------------------------------------------------------------ files

void Accesses::enter_file(EventPlace at, OTF2_IoHandleRef file, Thread& its, const trace::Record& call) {
  const std::string name = name_of(call);
  const bool reads = contains(name, "read");
  const bool flushes = name == "MPI_File_sync";
  if ((!reads && !contains(name, "write") && !flushes) || name.ends_with("_end")) return;
  const bool is_blocking = !has(call, page::nonblocking) && !name.ends_with("_begin");
  OTF2_IoOperationFlag flags = OTF2_IO_OPERATION_FLAG_NONE;
  if (!is_blocking) flags |= OTF2_IO_OPERATION_FLAG_NON_BLOCKING;
  if (call.number != 0) flags |= OTF2_IO_OPERATION_FLAG_COLLECTIVE;
  its.operation = ++operations_;
  if (name.ends_with("_begin")) split_[file] = its.operation;
  check(OTF2_EvtWriter_IoOperationBegin(at.to, nullptr, at.time, file,
                                        flushes ? OTF2_IO_OPERATION_MODE_FLUSH
                                        : reads ? OTF2_IO_OPERATION_MODE_READ
                                                : OTF2_IO_OPERATION_MODE_WRITE,
                                        flags, flushes ? OTF2_UNDEFINED_UINT64 : file_.bytes(call), its.operation));
}

void Accesses::leave_file(EventPlace at, OTF2_IoHandleRef file, Thread& its, const trace::Record& call) {
  const std::string name = name_of(call);
  if (name == "MPI_File_close") return check(OTF2_EvtWriter_IoDestroyHandle(at.to, nullptr, at.time, file));
  if (const auto split = split_.find(file); name.ends_with("_end") && split != split_.end()) {
    its.operation = split->second;
    split_.erase(split);
  }
  if (its.operation == 0) return;
  const bool goes_on = name.ends_with("_begin") || (has(call, page::nonblocking) && call.other != 0);
  if (goes_on) check(OTF2_EvtWriter_IoOperationIssued(at.to, nullptr, at.time, file, its.operation));
  else
    check(OTF2_EvtWriter_IoOperationComplete(at.to, nullptr, at.time, file, its.bytes.value_or(OTF2_UNDEFINED_UINT64),
                                             its.operation));
}

}  // namespace cairn::otf2
