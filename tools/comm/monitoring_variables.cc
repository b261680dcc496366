// SPDX-License-Identifier: BSD-3-Clause
// monitoring_variables.cc - variables with the names and the behaviour of Open MPI's monitoring component, on every MPI

#include <cstdlib>
#include <cstring>
#include <new>
#include <vector>

#include "variable_values.hpp"
#include "variables.hpp"

namespace comm {

namespace {

struct MonitoringVariable {
  const char* name;
  FlowKind kind;
  Measure measure;
};

// The component's documents have both spellings of what is received.
constexpr MonitoringVariable monitoring_variables[] = {
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
struct MonitoringHandle {
  OwnVariables& owner;
  const MonitoringVariable& what;
  std::vector<int> worlds;
  std::vector<unsigned long> kept;
  std::vector<unsigned long> base;
  bool started = false;
  unsigned flushes = 0;

  /// Since the last flush.
  std::vector<unsigned long> present() const {
    std::vector<unsigned long> values(worlds.size());
    const Row& before = owner.flushed_rows_[what.kind];
    owner.monitor_.sums.read_row(what.kind, worlds, [&](std::size_t i, const Volume& volume) {
      values[i] = in(what.measure, volume) - in(what.measure, RunningSums::volume_in(before, worlds[i]));
    });
    return values;
  }
  /// `kept` becomes what the handle shows now.
  void settle() {
    const std::lock_guard lock(owner.lock_);
    const bool anew = flushes != owner.flushes_;
    if (anew) {
      kept.assign(worlds.size(), 0);
      base.assign(worlds.size(), 0);
    }
    flushes = owner.flushes_;
    std::vector<unsigned long> now = present();
    for (std::size_t i = 0; i < now.size() && started; ++i) kept[i] += now[i] - base[i];
    base = std::move(now);
  }

  int switch_to(bool on) {
    settle();
    started = on;
    return CAIRN_DONE;
  }

  static MonitoringHandle& of(void* bound) { return *static_cast<MonitoringHandle*>(bound); }
  /// Without memory it shows what it has shown before, and the next reading the rest.
  static int read(void* bound, void* value) {
    MonitoringHandle& handle = of(bound);
    try {
      handle.settle();
    } catch (const std::bad_alloc&) {
      if (handle.kept.empty()) std::memset(value, 0, handle.worlds.size() * sizeof(unsigned long));
    }
    std::memcpy(value, handle.kept.data(), handle.kept.size() * sizeof(unsigned long));
    return CAIRN_DONE;
  }
  static int start(void* bound) { return of(bound).switch_to(true); }
  static int stop(void* bound) { return of(bound).switch_to(false); }
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
  static int start(void* bound) {
    of(bound).owner.reset();
    return CAIRN_DONE;
  }
  static int stop(void* bound) { return of(bound).owner.flush(of(bound).file) ? CAIRN_DONE : CAIRN_REFUSED; }
  static void close(void* bound) { delete &of(bound); }
};

void OwnVariables::offer_monitoring_names() {
  const auto* const service =
      static_cast<const cairn_variables*>(self_.raw().find(&self_.raw(), CAIRN_VARIABLES, CAIRN_VARIABLES_VERSION));
  if (service == nullptr) return;
  const int flags = has_component() || self_.instance() > 1 ? 0 : CAIRN_FULL_NAME;
  using Context = std::pair<OwnVariables*, const MonitoringVariable*>;
  for (const MonitoringVariable& what : monitoring_variables) {
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
          new MonitoringHandle{*owner, *variable, owner->monitor_.worlds(*static_cast<MPI_Comm*>(object)), {}, {}};
      handle->kept.resize(handle->worlds.size());
      *bound = handle;
      *count = static_cast<int>(handle->worlds.size());
      return CAIRN_DONE;
    };
    made.close = MonitoringHandle::close;
    made.read = MonitoringHandle::read;
    made.start = MonitoringHandle::start;
    made.stop = MonitoringHandle::stop;
    made.reset = MonitoringHandle::reset;
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
    const std::string stem = std::string("coll_monitoring_") + which.short_name;
    offer_calls(cairn::Variables(self_), monitor_, which, stem + "_count", stem + "_size", {.flags = flags});
  }
}

}  // namespace comm
