// SPDX-License-Identifier: BSD-3-Clause
// variables.cc - reading the record by MPI_T while the program runs, naming phases, flushing

#include "variables.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <vector>

#include "output.hpp"
#include "variable_values.hpp"

namespace comm {

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
                      read_row(monitor_, monitor_.amounts(), kind, measure, worlds, values);
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
    return static_cast<Text*>(bound)->write(text_of(value)) ? CAIRN_DONE : CAIRN_NOT_NOW;
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
  const bool written = cairn::write_file(path, text);
  if (!written) self_.warn("'" + path + "' cannot be written: " + std::strerror(errno));
  return written;
}

void OwnVariables::offer() {
  offer_own(cairn::Variables(self_));
  offer_controls();
  offer_seed_names();
}

}  // namespace comm
