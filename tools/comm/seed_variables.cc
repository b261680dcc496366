// SPDX-License-Identifier: BSD-3-Clause
// seed_variables.cc - variables with the names and the ways of Open MPI's monitoring component, on every MPI

#include <cstdlib>
#include <cstring>
#include <vector>

#include "variable_values.hpp"
#include "variables.hpp"

namespace comm {

namespace {

struct SeedVariable {
  const char* name;
  FlowKind kind;
  Measure measure;
};

// The component's documents have both spellings of what is received.
constexpr SeedVariable seed_variables[] = {
    {"pml_monitoring_messages_count", p2p, Measure::messages},
    {"pml_monitoring_messages_size", p2p, Measure::bytes},
    {"osc_monitoring_messages_sent_count", put, Measure::messages},
    {"osc_monitoring_messages_sent_size", put, Measure::bytes},
    {"osc_monitoring_messages_recv_count", fetched, Measure::messages},
    {"osc_monitoring_messages_recv_size", fetched, Measure::bytes},
    {"osc_monitoring_messages_rcv_count", fetched, Measure::messages},
    {"osc_monitoring_messages_rcv_size", fetched, Measure::bytes},
    {"coll_monitoring_messages_count", coll, Measure::messages},
    {"coll_monitoring_messages_size", coll, Measure::bytes},
};

/// Whether the MPI library's own variables have these names.
bool has_component() {
  const char* const enabled = std::getenv("OMPI_MCA_pml_monitoring_enable");
  return enabled != nullptr && std::atoi(enabled) > 0;
}

}  // namespace

/// A handle counts while it is started; all begin anew when there is a flush.
struct SeedHandle {
  OwnVariables& owner;
  const SeedVariable& what;
  std::vector<int> worlds;
  std::vector<unsigned long> kept;
  std::vector<unsigned long> base;
  bool started = false;
  unsigned flushes = 0;

  std::vector<unsigned long> present(const Amounts& before) const {
    std::vector<unsigned long> values(worlds.size());
    const Amounts since = difference(owner.monitor_.amounts(), before);
    read_row(owner.monitor_, since, what.kind, what.measure, worlds, values.data());
    return values;
  }
  /// `kept` becomes what the handle shows now.
  void settle() {
    const std::lock_guard lock(owner.lock_);
    const bool anew = flushes != owner.flushes_;
    flushes = owner.flushes_;
    if (anew) kept.assign(worlds.size(), 0), base.assign(worlds.size(), 0);
    std::vector<unsigned long> now = present(owner.flushed_);
    for (std::size_t i = 0; i < now.size() && started; ++i) kept[i] += now[i] - base[i];
    base = std::move(now);
  }

  static SeedHandle& of(void* bound) { return *static_cast<SeedHandle*>(bound); }
  static int read(void* bound, void* value) {
    of(bound).settle();
    std::memcpy(value, of(bound).kept.data(), of(bound).kept.size() * sizeof(unsigned long));
    return CAIRN_DONE;
  }
  static int start(void* bound) { return of(bound).settle(), of(bound).started = true, CAIRN_DONE; }
  static int stop(void* bound) { return of(bound).settle(), of(bound).started = false, CAIRN_DONE; }
  static int reset(void* bound) {
    of(bound).settle();
    of(bound).kept.assign(of(bound).worlds.size(), 0);
    return CAIRN_DONE;
  }
  static void close(void* bound) { delete &of(bound); }
};

/// pml_monitoring_flush: begins anew when it is allocated and started, writes the file when it is stopped.
struct FlushHandle {
  OwnVariables& owner;
  std::string file;

  static FlushHandle& of(void* bound) { return *static_cast<FlushHandle*>(bound); }
  static int open(void* context, void* object, void** bound, int* count) {
    auto& owner = *static_cast<OwnVariables*>(context);
    if (object == nullptr || !is_running(owner.monitor_)) return CAIRN_REFUSED;
    *bound = new FlushHandle{owner, ""};
    *count = 0;  // the length of the file's name
    owner.reset();
    return CAIRN_DONE;
  }
  static int read(void* bound, void* value) {
    std::memcpy(value, of(bound).file.data(), of(bound).file.size());
    return CAIRN_DONE;
  }
  static int write(void* bound, const void* value) {
    of(bound).file = text_of(value);
    return CAIRN_DONE;
  }
  static int start(void* bound) { return of(bound).owner.reset(), CAIRN_DONE; }
  static int stop(void* bound) { return of(bound).owner.flush(of(bound).file) ? CAIRN_DONE : CAIRN_REFUSED; }
  static void close(void* bound) { delete &of(bound); }
};

void OwnVariables::offer_seed_names() {
  const auto* const service =
      static_cast<const cairn_variables*>(self_.raw().find(&self_.raw(), CAIRN_VARIABLES, CAIRN_VARIABLES_VERSION));
  if (service == nullptr) return;
  const int flags = has_component() || self_.instance() > 1 ? 0 : CAIRN_FULL_NAME;
  using Context = std::pair<OwnVariables*, const SeedVariable*>;
  for (const SeedVariable& what : seed_variables) {
    cairn_variable made = {};
    made.name = what.name;
    made.description = what.measure == Measure::messages ? "messages for each rank of the communicator"
                                                         : "bytes for each rank of the communicator";
    made.type = CAIRN_UNSIGNED_LONG;
    made.variable_class = CAIRN_SIZE;
    made.binding = CAIRN_BIND_COMM;
    made.flags = flags;
    made.context = new Context(this, &what);
    made.open = [](void* context, void* object, void** bound, int* count) -> int {
      auto& [owner, variable] = *static_cast<Context*>(context);
      if (object == nullptr || !is_running(owner->monitor_)) return CAIRN_REFUSED;
      auto* const handle =
          new SeedHandle{*owner, *variable, owner->monitor_.worlds(*static_cast<MPI_Comm*>(object)), {}, {}};
      handle->kept.resize(handle->worlds.size());
      *bound = handle;
      *count = static_cast<int>(handle->worlds.size());
      return CAIRN_DONE;
    };
    made.close = SeedHandle::close;
    made.read = SeedHandle::read;
    made.start = SeedHandle::start;
    made.stop = SeedHandle::stop;
    made.reset = SeedHandle::reset;
    service->add_performance(&self_.raw(), &made);
  }
  cairn_variable flush = {};
  flush.name = "pml_monitoring_flush";
  flush.description = "name of a file, FILE.RANK.prof, for what came from start to stop";
  flush.type = CAIRN_CHAR;
  flush.variable_class = CAIRN_GENERIC;
  flush.binding = CAIRN_BIND_COMM;
  flush.flags = flags;
  flush.context = this;
  flush.open = FlushHandle::open;
  flush.close = FlushHandle::close;
  flush.read = FlushHandle::read;
  flush.write = FlushHandle::write;
  flush.start = FlushHandle::start;
  flush.stop = FlushHandle::stop;
  service->add_performance(&self_.raw(), &flush);
  for (const CallVariable& which : call_variables) {
    const std::string stem = std::string("coll_monitoring_") + which.seed_name;
    offer_calls(cairn::Variables(self_), monitor_, which, stem + "_count", stem + "_size", {.flags = flags});
  }
}

}  // namespace comm
