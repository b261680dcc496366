// SPDX-License-Identifier: BSD-3-Clause
// report.cc - the table on the terminal and the JSON file

#include "report.hpp"

#include <algorithm>
#include <cstdio>
#include <iterator>
#define JSON_NO_IO
#include <nlohmann/json.hpp>

#define FMT_HEADER_ONLY
#define FMT_STATIC_THOUSANDS_SEPARATOR ','  // spares the tool the C++ library's locales, half its size
#include <fmt/format.h>

namespace profile {

namespace {

double percent(double part, double whole) { return whole > 0 ? 100 * part / whole : 0; }

std::string human_bytes(std::uint64_t bytes) {
  if (bytes < 1000) return fmt::format("{} B", bytes);
  constexpr const char* units[] = {"kB", "MB", "GB", "TB", "PB", "EB"};
  double value = static_cast<double>(bytes) / 1000;
  std::size_t unit = 0;
  while (value >= 999.95 && unit + 1 < std::size(units)) {
    value /= 1000;
    ++unit;
  }
  return fmt::format("{:.1f} {}", value, units[unit]);
}

std::string_view file_of(std::string_view path) { return path.substr(path.rfind('/') + 1); }

std::string heading(const Summary& summary) {
  return fmt::format("cairn {}: {} on {} rank{}, {:.3f} s, {:.1f} % of it in MPI (imbalance {:.1f} %)\n", summary.tool,
                     file_of(summary.program), summary.ranks, summary.ranks == 1 ? "" : "s", summary.run_time.max,
                     percent(summary.mpi_time.total, summary.run_time.total), 100 * imbalance(summary.mpi_time));
}

std::string row(const FunctionSummary& function, double run_time) {
  return fmt::format("  {:<28} {:>12} {:>10} {:>7.2f} {:>12.6f} {:>12.6f} {:>12.6f} {:>8.1f}\n", function.name,
                     function.calls, human_bytes(function.bytes_sent), percent(function.time.total, run_time),
                     function.time.mean, function.time.min, function.time.max, 100 * imbalance(function.time));
}

/// Minimum and maximum of a sum are not known from those of its parts, so the rest has a mean only.
std::string rest(const std::vector<FunctionSummary>& functions, std::size_t from, double run_time) {
  std::uint64_t calls = 0;
  std::uint64_t bytes = 0;
  double total = 0;
  double mean = 0;
  for (std::size_t i = from; i < functions.size(); ++i) {
    calls += functions[i].calls;
    bytes += functions[i].bytes_sent;
    total += functions[i].time.total;
    mean += functions[i].time.mean;
  }
  const std::size_t number = functions.size() - from;
  return fmt::format("  {:<28} {:>12} {:>10} {:>7.2f} {:>12.6f}\n",
                     fmt::format("{} other function{}", number, number == 1 ? "" : "s"), calls, human_bytes(bytes),
                     percent(total, run_time), mean);
}

nlohmann::ordered_json to_json(const OverRanks& quantity) {
  return {{"total", quantity.total}, {"mean", quantity.mean}, {"min", quantity.min}, {"max", quantity.max}};
}

}  // namespace

double imbalance(const OverRanks& quantity) { return quantity.mean > 0 ? quantity.max / quantity.mean - 1 : 0; }

std::string format_table(const Summary& summary, unsigned top) {
  std::string out = heading(summary);
  out += fmt::format("  {:<28} {:>12} {:>10} {:>7} {:>12} {:>12} {:>12} {:>8}\n", "function", "calls", "sent", "% run",
                     "mean s", "min s", "max s", "imbal %");
  const std::size_t shown = std::min<std::size_t>(top, summary.functions.size());
  for (std::size_t i = 0; i < shown; ++i) out += row(summary.functions[i], summary.run_time.total);
  if (shown < summary.functions.size()) out += rest(summary.functions, shown, summary.run_time.total);
  return out;
}

std::string format_json(const Summary& summary) {
  nlohmann::ordered_json out;
  out["format"] = "cairn-profile 1";
  out["program"] = summary.program;
  out["ranks"] = summary.ranks;
  out["run_time_s"] = to_json(summary.run_time);
  out["mpi_time_s"] = to_json(summary.mpi_time);
  out["functions"] = nlohmann::ordered_json::array();
  for (const FunctionSummary& function : summary.functions)
    out["functions"].push_back({{"name", function.name},
                                {"calls", function.calls},
                                {"bytes_sent", function.bytes_sent},
                                {"time_s", to_json(function.time)},
                                {"imbalance", imbalance(function.time)}});
  return out.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

bool write_file(const std::string& path, const std::string& text, const char* mode) {
  std::FILE* out = std::fopen(path.c_str(), mode);
  if (out == nullptr) return false;
  const bool written = std::fwrite(text.data(), 1, text.size(), out) == text.size();
  return std::fclose(out) == 0 && written;
}

}  // namespace profile
