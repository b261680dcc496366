// SPDX-License-Identifier: BSD-3-Clause
// monitoring_variables.cc - variables with the names and the behaviour of Open MPI's monitoring component, on every MPI

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string_view>
#include <vector>

#include "variable_values.hpp"
#include "variables.hpp"

namespace comm {

struct MonitoringVariable {
  const char* name;
  FlowKind kind;
  Measure measure;
};

namespace {

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

/// As `mpirun --mca NAME VALUE` passes them on.
constexpr const char* enable = "OMPI_MCA_pml_monitoring_enable";
constexpr const char* enable_output = "OMPI_MCA_pml_monitoring_enable_output";
constexpr const char* filename = "OMPI_MCA_pml_monitoring_filename";
const char* setting(const char* variable) {
  const char* const value = std::getenv(variable);
  return value == nullptr ? "" : value;
}
const char* name_of(const char* variable) { return variable + std::string_view("OMPI_MCA_").size(); }

/// The library does then itself what is asked for at the end.
bool has_component() {
#ifdef OPEN_MPI
  return std::atoi(setting(enable)) > 0;
#else
  return false;
#endif
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
  static void close(void* bound) { delete &of(bound); }
};

/// pml_monitoring_flush: begins anew when it is allocated and started, writes the file when it is stopped.
struct FlushHandle {
  OwnVariables& owner;
  std::size_t room;  // elements, as the program was told

  static FlushHandle& of(void* bound) { return *static_cast<FlushHandle*>(bound); }
  static int open(void* context, void* object, void** bound, int* count) {
    auto& owner = *static_cast<OwnVariables*>(context);
    if (object == nullptr || !is_running(owner.monitor_)) return CAIRN_REFUSED;
    const std::size_t length = owner.monitoring_file().size();
    *bound = new FlushHandle{owner, length};
    *count = static_cast<int>(length);
    owner.reset();
    return CAIRN_DONE;
  }
  static int read(void* bound, void* value) {
    std::string file = of(bound).owner.monitoring_file();
    file.resize(of(bound).room);
    std::memcpy(value, file.data(), file.size());
    return CAIRN_DONE;
  }
  static int write(void* bound, const void* value) {
    of(bound).owner.set_monitoring_file(text_of(value));
    return CAIRN_DONE;
  }
  static int start(void* bound) {
    of(bound).owner.reset();
    return CAIRN_DONE;
  }
  static int stop(void* bound) {
    OwnVariables& owner = of(bound).owner;
    return owner.flush(owner.monitoring_file()) ? CAIRN_DONE : CAIRN_REFUSED;
  }
  static void close(void* bound) { delete &of(bound); }
};

void OwnVariables::offer_monitoring_names() {
  const auto* const service =
      static_cast<const cairn_variables*>(self_.raw().find(&self_.raw(), CAIRN_VARIABLES, CAIRN_VARIABLES_VERSION));
  if (service == nullptr) return;
  const int flags = monitoring_flags();
  using Context = std::pair<OwnVariables*, const MonitoringVariable*>;
  for (const MonitoringVariable& what : monitoring_variables) {
    cairn_variable made = {};
    made.name = what.name;
    made.description = what.measure == Measure::messages ? "messages for each rank of the communicator"
                                                         : "bytes for each rank of the communicator";
    made.type = CAIRN_UNSIGNED_LONG;
    made.variable_class = CAIRN_SIZE;
    made.binding = CAIRN_BIND_COMM;
    made.flags = flags | CAIRN_READONLY;
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
    offer_calls(cairn::Variables(self_), monitor_, which, stem + "_count", stem + "_size",
                {.flags = flags | CAIRN_READONLY});
  }
}

// ------------------------------------------------------------ what is written at the end

int OwnVariables::monitoring_flags() const { return self_.instance() > 1 ? 0 : CAIRN_FULL_NAME | CAIRN_YIELD_NAME; }

std::string OwnVariables::monitoring_file() {
  const std::lock_guard lock(lock_);
  return monitoring_file_;
}

void OwnVariables::set_monitoring_file(std::string file) {
  const std::lock_guard lock(lock_);
  monitoring_file_ = std::move(file);
}

void OwnVariables::offer_monitoring_controls(const cairn::Variables& variables) {
  monitoring_file_ = setting(filename);
  output_ = has_component() ? 0 : std::atoi(setting(enable_output));
  cairn::VariableDetails details{.flags = monitoring_flags(), .settable = false};
  const int on = *setting(enable) == '\0' ? 2 : std::atoi(setting(enable));
  variables.setting(
      name_of(enable), "always on: 1 and above as long as the tool is in the stack", [on] { return on; }, details);
  details.settable = writes_files_;
  variables.control(
      name_of(enable_output),
      "what each process does with what came since the last flush when MPI is finalized: 0 nothing, 1 prints it, 2 "
      "prints it on standard error, 3 and above writes it into the file of pml_monitoring_filename",
      output_, {.least = 0}, details);
  variables.text(
      name_of(filename), "FILE of FILE.RANK.prof", longest_text, [this] { return monitoring_file(); },
      [this](const std::string& file) {
        set_monitoring_file(file);
        return true;
      },
      details);
}

void OwnVariables::write_output() {
  const int output = output_.load(std::memory_order_relaxed);
  if (output < 1 || monitor_.place().rank < 0) return;
  if (output >= 3) {
    flush(monitoring_file());
    return;
  }
  std::FILE* const stream = output == 1 ? stdout : stderr;
  const std::string text = take_prof();
  std::fwrite(text.data(), 1, text.size(), stream);
  std::fflush(stream);
}

}  // namespace comm
