// SPDX-License-Identifier: BSD-3-Clause
// open_metrics.cc - what is known of the job, in the OpenMetrics text format, as Prometheus reads it
//
// Labels are bounded: functions are those of MPI, ranks are listed one by one up to History::most_lines, pairs of ranks
// and values of variables by rank up to 16 ranks, and no more than most_variables variables.

#include <cmath>

#include "formats/json_writer.hpp"
#include "formats/text.hpp"
#include "live/watched.hpp"

namespace cairn::live {

using formats::cat;
using formats::json_number;

namespace {

/// A value of a label, with quotes. Of JSON's escapes the format knows those of quotes and backslashes.
std::string quoted(std::string_view text) {
  std::string plain(text);
  for (char& letter : plain)
    if (static_cast<unsigned char>(letter) < ' ') letter = ' ';
  std::string out;
  formats::add_json_text(out, plain);
  return out;
}

void describe(std::string& out, std::string_view name, std::string_view type, std::string_view help) {
  formats::add(out, {"# TYPE ", name, " ", type, "\n# HELP ", name, " ", help, "\n"});
}

void add_functions(std::string& out, const History& history) {
  std::map<std::string, FunctionTotals> sums;
  for (const auto& [name, ranks] : history.totals())
    for (const auto& [rank, totals] : ranks) {
      sums[name].calls += totals.calls;
      sums[name].seconds += totals.seconds;
    }
  describe(out, "cairn_mpi_calls", "counter", "Completed calls of an MPI function, over all ranks, as last seen.");
  for (const auto& [name, totals] : sums)
    formats::add(out, {"cairn_mpi_calls_total{function=", quoted(name), "} ", totals.calls, "\n"});
  describe(out, "cairn_mpi_function_seconds", "counter",
           "Time in completed calls of an MPI function, over all ranks, as last seen.");
  for (const auto& [name, totals] : sums)
    formats::add(out,
                 {"cairn_mpi_function_seconds_total{function=", quoted(name), "} ", json_number(totals.seconds), "\n"});
}

void add_ranks(std::string& out, const std::map<int, RankTotals>& ranks) {
  describe(out, "cairn_rank_mpi_seconds", "counter",
           "Time in MPI calls, those under way included, by rank, as last seen; jobs of up to 64 ranks.");
  for (const auto& [rank, totals] : ranks)
    formats::add(out, {"cairn_rank_mpi_seconds_total{rank=\"", rank, "\"} ", json_number(totals.mpi_seconds()), "\n"});
}

void add_shares(std::string& out, const Point& point) {
  describe(out, "cairn_mpi_share", "gauge",
           "Share of time in MPI since the previous look: least, mean and greatest of all ranks.");
  const std::pair<std::string_view, std::optional<double>> all[] = {
      {"least", point.least}, {"mean", point.mean}, {"greatest", point.most}};
  for (const auto& [name, value] : all)
    if (value) formats::add(out, {"cairn_mpi_share{statistic=", quoted(name), "} ", json_number(*value), "\n"});
}

constexpr int most_paired = 16;  // ranks
constexpr int most_variables = 500;

void add_traffic(std::string& out, const Traffic& traffic, int ranks) {
  std::map<std::string, formats::comm::Volume> sums;  // by labels
  traffic.each([&](std::string_view kind, int from, int to, const formats::comm::Volume& volume) {
    std::string labels = cat({"kind=", quoted(kind)});
    if (ranks <= most_paired) formats::add(labels, {",from=\"", from, "\",to=\"", to, "\""});
    sums[labels].add(volume);
  });
  describe(out, "cairn_sent_messages", "counter", "Messages sent between ranks, as the tool 'comm' counts them.");
  for (const auto& [labels, volume] : sums)
    formats::add(out, {"cairn_sent_messages_total{", labels, "} ", volume.messages, "\n"});
  describe(out, "cairn_sent_bytes", "counter", "Bytes of these messages.");
  for (const auto& [labels, volume] : sums)
    formats::add(out, {"cairn_sent_bytes_total{", labels, "} ", volume.bytes, "\n"});
}

void add_variables(std::string& out, const Variables& variables) {
  static constexpr std::string_view statistics[] = {"least", "mean", "greatest"};
  describe(out, "cairn_variable", "unknown", "Performance variables of MPI_T, as last sampled by the tool 'vars'.");
  int left = most_variables;
  variables.each_latest([&](const std::string& name, const std::string& of_class, const std::vector<double>& values) {
    if (--left < 0) return;
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (!std::isfinite(values[i])) continue;
      const std::string which =
          variables.is_by_rank() ? cat({"rank=\"", i, "\""}) : cat({"statistic=", quoted(statistics[i])});
      formats::add(out, {"cairn_variable{name=", quoted(name), ",class=", quoted(of_class), ",", which, "} ",
                         json_number(values[i]), "\n"});
    }
  });
}

}  // namespace

std::string Watched::open_metrics() const {
  const std::lock_guard lock(lock_);
  std::string out;
  describe(out, "cairn_jobs_followed", "counter", "Jobs that this collector has followed so far.");
  formats::add(out, {"cairn_jobs_followed_total ", jobs_, "\n"});
  describe(out, "cairn_look_seconds", "gauge", "Time that the latest look at the job took.");
  formats::add(out, {"cairn_look_seconds ", json_number(look_s_), "\n"});
  if (jobs_ == 0) return out + "# EOF\n";
  describe(out, "cairn_job", "info", "The job that is followed.");
  formats::add(out, {"cairn_job_info{program=", quoted(formats::file_of(job_.program)), ",run=", quoted(job_.run),
                     ",mpi=", quoted(job_.mpi), ",host=", quoted(job_.host), "} 1\n"});
  describe(out, "cairn_job_ranks", "gauge", "Processes of MPI_COMM_WORLD.");
  formats::add(out, {"cairn_job_ranks ", job_.size, "\n"});
  describe(out, "cairn_job_ranks_seen", "gauge", "Ranks whose pages are seen.");
  formats::add(out, {"cairn_job_ranks_seen ", job_.is_over ? 0 : job_.seen, "\n"});
  describe(out, "cairn_job_state", "stateset", "State of the job, as 'cairn where' tells it.");
  using enum where::State;
  const where::State state = job_.is_over && job_.state != died ? over : job_.state;
  for (const where::State one : {moving, waiting, stuck, died, over})
    formats::add(out,
                 {"cairn_job_state{cairn_job_state=", quoted(where::name_of(one)), "} ", one == state ? 1 : 0, "\n"});
  add_functions(out, history_);
  if (job_.size <= History::most_lines) add_ranks(out, history_.ranks());
  if (history_.next() != 0) add_shares(out, history_.at(history_.next() - 1));
  if (traffic_.is_known()) add_traffic(out, traffic_, job_.size);
  if (variables_.is_known()) add_variables(out, variables_);
  return out + "# EOF\n";
}

}  // namespace cairn::live
