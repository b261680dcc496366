// SPDX-License-Identifier: BSD-3-Clause
// variables.cc - reading the record by MPI_T while the program runs, naming phases, flushing

#include "variables.hpp"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "output.hpp"

namespace comm {

namespace {

using Values = cairn::Elements<unsigned long>;

bool is_running(const Monitor& monitor) {
  int finalized = 0;
  PMPI_Finalized(&finalized);
  return monitor.place().rank >= 0 && finalized == 0;
}

std::string text_of(const void* value, std::size_t longest) {
  const auto* const text = static_cast<const char*>(value);
  return {text, strnlen(text, longest)};
}

enum class Measure { messages, bytes };

/// What this process has sent to each of some processes, or fetched from it.
void read_row(Monitor& monitor, FlowKind kind, Measure measure, const std::vector<int>& worlds, unsigned long* values) {
  const std::map<int, Volume> row = row_of(monitor.summary(monitor.amounts()), kind);
  for (const int world : worlds) {
    const auto found = row.find(world < 0 ? outside : world);
    const Volume volume = found == row.end() ? Volume{} : found->second;
    *values++ = measure == Measure::messages ? volume.messages : volume.bytes;
  }
}

/// The sum of the cells with one key.
unsigned long read_cells(Monitor& monitor, Key key, Measure measure) {
  Volume sum;
  monitor.for_each_cell([&](std::uint32_t /*phase*/, const Cell& cell) {
    if (cell.key == key) sum.add({cell.messages, cell.bytes});
  });
  return measure == Measure::messages ? sum.messages : sum.bytes;
}

/// Message sizes by bin, of messages to those processes whose number `place` tells; bins of the first come first.
template <class PlaceOf>
void read_sizes(Monitor& monitor, std::size_t count, PlaceOf place, unsigned long* values) {
  std::fill_n(values, count * bin_count, 0UL);
  monitor.for_each_cell([&](std::uint32_t /*phase*/, const Cell& cell) {
    if (cell.key.kind != Kind::p2p) return;
    const std::size_t at = place(cell.key.number);
    for (std::size_t bin = 0; at < count && bin < bin_count; ++bin) values[at * bin_count + bin] += cell.sizes[bin];
  });
}

struct CallVariable {
  const char* name;
  const char* seed_name;
  Kind kind;
};
constexpr CallVariable call_variables[] = {{"one_to_all", "o2a", Kind::one_to_all},
                                           {"all_to_one", "a2o", Kind::all_to_one},
                                           {"all_to_all", "a2a", Kind::all_to_all}};

/// Two variables of the collective calls of one sort in a communicator.
void offer_calls(const cairn::Variables& variables, Monitor& monitor, const CallVariable& which,
                 const std::string& count, const std::string& size, cairn::VariableDetails details) {
  const auto open = [&monitor, kind = which.kind](Measure measure) {
    return [&monitor, kind, measure](MPI_Comm comm) {
      const Known* const known = is_running(monitor) ? monitor.communicators.find(comm) : nullptr;
      if (known == nullptr) return Values{0, {}};
      return Values{1, [&monitor, key = Key{kind, known->slot}, measure](unsigned long* value) {
                      *value = read_cells(monitor, key, measure);
                    }};
    };
  };
  const std::string what = std::string(which.name) + " collective calls in the communicator";
  variables.bound<MPI_Comm>(CAIRN_BIND_COMM, CAIRN_COUNTER, count.c_str(), what.c_str(), open(Measure::messages),
                            details);
  variables.bound<MPI_Comm>(CAIRN_BIND_COMM, CAIRN_AGGREGATE, size.c_str(), ("bytes of " + what).c_str(),
                            open(Measure::bytes), details);
}

}  // namespace

// ------------------------------------------------------------ our own set

void OwnVariables::offer_own(const cairn::Variables& variables) {
  constexpr const char* words[flow_kinds] = {"sent to each rank", "sent to each rank by one-sided calls",
                                             "fetched from each rank by one-sided calls",
                                             "for each rank in collective calls"};
  const auto open = [this](FlowKind kind, Measure measure) {
    return [this, kind, measure](MPI_Comm comm) {
      if (!is_running(monitor_)) return Values{0, {}};
      const std::vector<int> worlds = monitor_.worlds(comm);
      return Values{static_cast<int>(worlds.size()), [this, kind, measure, worlds](unsigned long* values) {
                      read_row(monitor_, kind, measure, worlds, values);
                    }};
    };
  };
  for (std::size_t i = 0; i < flow_kinds; ++i) {
    const auto kind = static_cast<FlowKind>(i);
    const std::string name(flow_names[i]);
    variables.bound<MPI_Comm>(CAIRN_BIND_COMM, CAIRN_COUNTER, (name + "_messages").c_str(),
                              (std::string("messages ") + words[i]).c_str(), open(kind, Measure::messages));
    variables.bound<MPI_Comm>(CAIRN_BIND_COMM, CAIRN_AGGREGATE, (name + "_bytes").c_str(),
                              (std::string("bytes ") + words[i]).c_str(), open(kind, Measure::bytes));
  }
  for (const CallVariable& which : call_variables)
    offer_calls(variables, monitor_, which, std::string(which.name) + "_calls", std::string(which.name) + "_bytes", {});
  variables.array<unsigned long>(CAIRN_COUNTER, "p2p_sizes",
                                 "messages by size: empty ones, below 2, below 4, ... bytes", bin_count,
                                 [this](unsigned long* values) {
                                   read_sizes(
                                       monitor_, 1, [](int) { return 0; }, values);
                                 });
  variables.bound<MPI_Comm>(
      CAIRN_BIND_COMM, CAIRN_COUNTER, "p2p_sizes_to", "the bins of p2p_sizes for each rank of the communicator",
      [this](MPI_Comm comm) {
        if (!is_running(monitor_)) return Values{0, {}};
        const std::vector<int> worlds = monitor_.worlds(comm);
        const auto count = static_cast<int>(worlds.size() * bin_count);
        return Values{count, [this, worlds](unsigned long* values) {
                        const auto place = [&](int world) {
                          return static_cast<std::size_t>(std::ranges::find(worlds, world) - worlds.begin());
                        };
                        read_sizes(monitor_, worlds.size(), place, values);
                      }};
      });
  variables.aggregate("read_bytes", "bytes read from files", [this] {
    return read_cells(monitor_, {Kind::read, 0}, Measure::bytes);
  });
  variables.aggregate("written_bytes", "bytes written to files", [this] {
    return read_cells(monitor_, {Kind::written, 0}, Measure::bytes);
  });
}

// ------------------------------------------------------------ controls

namespace {

constexpr int longest_text = 1024;

/// A control variable that is a text; what is written goes to a function, which says whether it was good.
struct Text {
  std::function<std::string()> read;
  std::function<bool(const std::string&)> write;
};

void offer_text(cairn::Self self, const char* name, const char* description, Text text) {
  const auto* const service =
      static_cast<const cairn_variables*>(self.raw().find(&self.raw(), CAIRN_VARIABLES, CAIRN_VARIABLES_VERSION));
  if (service == nullptr) return;
  cairn_variable made = {};
  made.name = name;
  made.description = description;
  made.type = CAIRN_CHAR;
  made.count = longest_text;
  made.scope = CAIRN_SCOPE_LOCAL;
  made.context = new Text(std::move(text));
  made.read = [](void* bound, void* value) -> int {
    auto* const out = static_cast<char*>(value);
    out[static_cast<Text*>(bound)->read().copy(out, longest_text - 1)] = '\0';
    return CAIRN_DONE;
  };
  made.write = [](void* bound, const void* value) -> int {
    return static_cast<Text*>(bound)->write(text_of(value, longest_text)) ? CAIRN_DONE : CAIRN_NOT_NOW;
  };
  service->add_control(&self.raw(), &made);
}

}  // namespace

void OwnVariables::offer_controls() {
  offer_text(self_, "phase", "name of the phase that what lies outside of all regions belongs to, on this process",
             {[this] {
                const std::lock_guard lock(lock_);
                return phase_;
              },
              [this](const std::string& name) {
                const std::lock_guard lock(lock_);
                phase_ = name.substr(0, cairn::Regions::longest_name);
                monitor_.regions.lie_in(phase_);
                return true;
              }});
  offer_text(self_, "flush",
             "writing FILE puts what this process did since the last flush into FILE.RANK.prof; nothing: nowhere",
             {[] { return std::string(); }, [this](const std::string& file) { return flush(file); }});
  const cairn::Variables variables(self_);
  variables.control(
      "snapshot", "writing any number makes this process write all that it has counted into the run's folder",
      [] { return 0; }, [this](int /*any*/) { return write_snapshot(); });
}

void OwnVariables::reset() {
  const std::lock_guard lock(lock_);
  flushed_ = monitor_.amounts();
  ++flushes_;
}

bool OwnVariables::flush(const std::string& file) {
  if (monitor_.place().rank < 0) return false;
  if (is_running(monitor_)) monitor_.communicators.find(MPI_COMM_WORLD);  // is listed in any case
  const std::lock_guard lock(lock_);
  Amounts now = monitor_.amounts();
  const Summary summary = monitor_.summary(difference(now, flushed_));
  flushed_ = std::move(now);
  ++flushes_;
  return file.empty() || write_file(file + "." + std::to_string(monitor_.place().rank) + ".prof", format_prof(summary));
}

bool OwnVariables::write_file(const std::string& path, const std::string& text) const {
  std::FILE* const out = std::fopen(path.c_str(), "w");
  bool written = out != nullptr && std::fwrite(text.data(), 1, text.size(), out) == text.size();
  if (out != nullptr) written = std::fclose(out) == 0 && written;
  if (!written) self_.warn("'" + path + "' cannot be written: " + std::strerror(errno));
  return written;
}

// ------------------------------------------------------------ names of Open MPI's monitoring component

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
    const std::map<int, Volume> row = row_of(owner.monitor_.summary(since), what.kind);
    for (std::size_t i = 0; i < worlds.size(); ++i)
      if (const auto found = row.find(worlds[i] < 0 ? outside : worlds[i]); found != row.end())
        values[i] = what.measure == Measure::messages ? found->second.messages : found->second.bytes;
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
    of(bound).file = text_of(value, longest_text);
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

void OwnVariables::offer() {
  offer_own(cairn::Variables(self_));
  offer_controls();
  offer_seed_names();
}

}  // namespace comm
