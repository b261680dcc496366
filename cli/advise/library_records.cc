// SPDX-License-Identifier: BSD-3-Clause
// library_records.cc - what the MPI library has been told and could be told: algorithms of collective calls, rates, variables

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <optional>
#include <utility>

#include "cli/advise/record_writer.hpp"
#include "cli/settings/variable_query.hpp"
#include "policy/policy.hpp"
#include "request/mpi_family.hpp"

namespace cairn::advise {

namespace {

using policy::Value;

/// Of which both libraries have a choice of algorithms.
constexpr std::array chosen_calls =
    std::to_array<std::string_view>({"allgather", "allgatherv", "allreduce", "alltoall", "alltoallv", "barrier",
                                     "bcast", "exscan", "gather", "reduce", "reduce_scatter", "scan", "scatter"});

/// "coll_tuned_allreduce_algorithm", "MPIR_CVAR_ALLREDUCE_INTRA_ALGORITHM"; "": there is none.
std::string algorithm_of(const std::string& function, const std::string& family) {
  std::string call = function.starts_with("MPI_") ? function.substr(4) : "";
  std::ranges::transform(call, call.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (std::ranges::find(chosen_calls, call) == chosen_calls.end()) return "";
  if (family == "Open MPI") return "coll_tuned_" + call + "_algorithm";
  std::ranges::transform(call, call.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return family == "MPICH" ? "MPIR_CVAR_" + call + "_INTRA_ALGORITHM" : "";
}

bool is_blocking_message(const std::string& function) {
  return function == "MPI_Send" || function == "MPI_Ssend" || function == "MPI_Recv" || function == "MPI_Sendrecv";
}

/// 0 is the library's own choice.
bool is_choice(const Value& value) { return value.is_text ? value.text != "auto" : value.front() != 0; }

void add_choice(const Records& out, const std::string& kind, Record& record) {
  const std::string algorithm =
      algorithm_of(value_in(record, kind + ".function").text, value_in(out.run, "run.family").text);
  if (algorithm.empty()) return;
  record[kind + ".algorithm"] = Value::words(algorithm);
  const auto chosen = out.run.find("setting." + algorithm);
  if (chosen == out.run.end() || !is_choice(chosen->second)) return;
  record[kind + ".chosen"] = Value::words(policy::format_value(chosen->second));
  record[kind + ".is_chosen"] = Value::number(1);
}

std::optional<policy::Value> value_of(const report::Json& value) {
  if (value.is_string()) return Value::words(value.get<std::string>());
  if (value.is_boolean()) return Value::number(value.get<bool>() ? 1 : 0);
  if (value.is_number()) return Value::number(value.get<double>());
  return std::nullopt;
}

}  // namespace

void add_choices(Records& out) {
  constexpr double large = 65536;
  double best = NAN;
  for (const char* const kind : {"call", "site"})
    for (Record& record : out.by_kind[kind]) {
      const std::string prefix = std::string(kind) + ".";
      const double bytes = value_in(record, prefix + "mean_bytes").front();
      const double rate = bytes * value_in(record, prefix + "calls").front() / value_in(out.run, "run.ranks").front() /
                          value_in(record, prefix + "busy").front();
      Writer(record, kind).put("rate", rate);
      if (is_blocking_message(value_in(record, prefix + "function").text) && bytes >= large && std::isfinite(rate))
        best = std::fmax(best, rate);
      add_choice(out, kind, record);
    }
  Writer(out.run, "run").put("message_rate", best);
}

const Value* Library::find(const std::string& name) {
  if (const auto ask = std::exchange(ask_, nullptr)) {
    try {
      const report::Json list = ask();
      for (const report::Json& entry : list.at("control_variables"))
        values_[entry.at("name")] = value_of(entry.value("value", report::Json())).value_or(Value{});
    } catch (const std::exception&) {
      // There is no such library here: nothing is advised that needs it.
    }
  }
  const auto found = values_.find(name);
  return found == values_.end() ? nullptr : &found->second;
}

std::shared_ptr<Library> installed_library(const Record& run) {
  const std::string family = value_in(run, "run.family").text;
  return std::make_shared<Library>([family] {
    for (const MpiFamily& one : mpi_families())
      if (one.name == family) return cli::ask_variables({std::string(one.id), "", true, {}, true});
    return report::Json();
  });
}

std::shared_ptr<Library> listed_library(const std::string& path) {
  const report::Json list = cli::read_variable_list(path, "--variables");
  return std::make_shared<Library>([list] { return list; });
}

}  // namespace cairn::advise
