// SPDX-License-Identifier: BSD-3-Clause
// variables.cc - reading the record by MPI_T while the program runs, naming phases, flushing

#include "variables.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <vector>

#include "output.hpp"
#include "variable_values.hpp"

namespace comm {

// ------------------------------------------------------------ our own set

void OwnVariables::offer_own(const cairn::Variables& variables) {
  constexpr const char* words[own_kinds] = {"sent to each rank", "sent to each rank by one-sided calls",
                                            "fetched from each rank by one-sided calls",
                                            "for each rank in collective calls"};
  const auto open = [this](FlowKind kind, Measure measure) {
    return [this, kind, measure](MPI_Comm comm) {
      if (!is_running(monitor_)) return Values{0, {}};
      const std::vector<int> worlds = monitor_.worlds(comm);
      return Values{static_cast<int>(worlds.size()), [this, kind, measure, worlds](unsigned long* values) {
                      monitor_.sums.read_row(
                          kind, worlds, [&](std::size_t i, const Volume& volume) { values[i] = in(measure, volume); });
                    }};
    };
  };
  for (std::size_t i = 0; i < own_kinds; ++i) {
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
                                 [this](unsigned long* values) { std::ranges::copy(monitor_.sums.sizes(), values); });
  variables.bound<MPI_Comm>(CAIRN_BIND_COMM, CAIRN_COUNTER, "p2p_sizes_to",
                            "the bins of p2p_sizes for each rank of the communicator", [this](MPI_Comm comm) {
                              if (!is_running(monitor_)) return Values{0, {}};
                              std::vector<int> worlds = monitor_.worlds(comm);
                              const auto count = static_cast<int>(worlds.size() * bin_count);
                              return Values{count, [this, worlds = std::move(worlds)](unsigned long* values) {
                                              for (const int world : worlds)
                                                values = std::ranges::copy(monitor_.sums.sizes_to(world), values).out;
                                            }};
                            });
  variables.aggregate("read_bytes", "bytes read from files", [this] { return file_bytes(Kind::read); });
  variables.aggregate("written_bytes", "bytes written to files", [this] { return file_bytes(Kind::written); });
}

// ------------------------------------------------------------ controls

void OwnVariables::offer_controls(const cairn::Variables& variables) {
  const auto kept = [this](const auto& value) {
    return [this, &value] {
      const std::lock_guard lock(lock_);
      return value;
    };
  };
  variables.text("phase", "name of the phase that what lies outside of all regions belongs to, on this process",
                 longest_text, kept(phase_), [this](const std::string& name) { return name_phase(name); });
  const cairn::VariableDetails details{.settable = writes_files_};
  variables.text(
      "flush",
      "with files:on, writing FILE puts what this process did since the last flush into FILE.RANK.prof; nothing: "
      "nowhere",
      longest_text, kept(flushed_to_), [this](const std::string& file) { return flush_to(file); }, details);
  variables.control(
      "snapshot",
      "with files:on, writing a number makes this process write all that it has counted into the run's folder",
      kept(snapshot_), [this](int number) { return take_snapshot(number); }, details);
}

cairn_answer OwnVariables::name_phase(const std::string& name) {
  if (name.size() > cairn::Regions::longest_name) return CAIRN_REFUSED;
  const std::lock_guard lock(lock_);
  phase_ = name;
  monitor_.regions.lie_in(phase_);
  return CAIRN_DONE;
}

cairn_answer OwnVariables::flush_to(const std::string& file) {
  if (!is_running(monitor_)) return CAIRN_NOT_NOW;
  if (!flush(file)) return CAIRN_REFUSED;
  const std::lock_guard lock(lock_);
  flushed_to_ = file;
  return CAIRN_DONE;
}

cairn_answer OwnVariables::take_snapshot(int number) {
  if (!is_running(monitor_)) return CAIRN_NOT_NOW;
  if (!write_snapshot()) return CAIRN_REFUSED;
  const std::lock_guard lock(lock_);
  snapshot_ = number;
  return CAIRN_DONE;
}

unsigned long OwnVariables::file_bytes(Kind kind) { return monitor_.sums.of({kind, 0}).bytes; }

void OwnVariables::reset() {
  const std::lock_guard lock(lock_);
  start_anew(monitor_.amounts());
}

void OwnVariables::start_anew(Amounts now) {
  flushed_ = std::move(now);
  flushed_rows_ = monitor_.sums.rows();
  ++flushes_;
}

std::string OwnVariables::take_prof() {
  if (is_running(monitor_)) monitor_.find_world();
  const std::lock_guard lock(lock_);
  Amounts now = monitor_.amounts();
  const Summary summary = monitor_.summary(difference(now, flushed_));
  start_anew(std::move(now));
  return format_prof(summary);
}

bool OwnVariables::flush(const std::string& file) {
  if (monitor_.place().rank < 0) return false;
  const std::string text = take_prof();
  return file.empty() || write_file(file + "." + std::to_string(monitor_.place().rank) + ".prof", text);
}

bool OwnVariables::write_file(const std::string& path, const std::string& text) const {
  const bool written = cairn::write_file(path, text);
  if (!written) self_.not_written(path);
  return written;
}

void OwnVariables::offer() {
  const cairn::Variables variables(self_);
  offer_own(variables);
  offer_controls(variables);
  offer_monitoring_names();
  offer_monitoring_controls(variables);
}

}  // namespace comm
