// SPDX-License-Identifier: BSD-3-Clause
// results.cc - the results folder of a job that never was

#include "results.hpp"

#include <filesystem>
#include <numeric>
#include <vector>

#include "cairn/kit/result_file.hpp"
#include "comm/output.hpp"
#include "formats/profile.hpp"
#include "formats/run.hpp"
#include "rank_summary.hpp"
#include "records.hpp"
#include "reduction.hpp"
#include "waits/summary.hpp"

namespace cairn::scale {

namespace fs = std::filesystem;
namespace profile_format = formats::profile;

namespace {

constexpr double run_s = 0.155;  // as the records have it

void write(const std::string& path, std::string_view text) {
  if (!write_file(path, text)) throw std::runtime_error("cannot write " + path);
}

/// Each rank is bound to a core of its own.
formats::run::Summary run_of(const Job& job) {
  formats::run::Summary run;
  run.identity = identity;
  run.program = program;
  run.started = "2026-11-23T12:00:00+0000";
  run.host = Job::node_name(0);
  run.cores = job.per_node;
  run.ranks_on_host = std::min(job.ranks, job.per_node);
  run.mpi = "Open MPI 4.1.4";
  for (const char* tool : {"profile", "comm", "waits"}) run.tools.push_back({tool, {}, {}});
  if (job.nodes() > 1)
    for (int node = 0; node < job.nodes(); ++node)
      run.nodes.emplace_back(Job::node_name(node), job.ranks_of_node(node));
  for (int rank = 0; rank < job.ranks; ++rank)
    run.places.push_back(
        {Job::node_name(job.node_of(rank)), std::to_string(rank % job.per_node), std::to_string(rank)});
  return run;
}

profile_format::OverRanks over_ranks(const Job& job, std::uint64_t what, double mean) {
  profile_format::OverRanks over;
  over.min = 2 * mean;
  for (int rank = 0; rank < job.ranks; ++rank) {
    const double of_rank = mean * (0.5 + Job::chance(what * 1'000'003U + static_cast<unsigned>(rank)));
    over.total += of_rank;
    over.min = std::min(over.min, of_rank);
    over.max = std::max(over.max, of_rank);
    over.by_rank.push_back(of_rank);
  }
  over.mean = over.total / job.ranks;
  return over;
}

void fill(profile_format::Amounts& amounts, const Job& job, std::uint64_t what, double time, bool by_rank) {
  const auto ranks = static_cast<std::uint64_t>(job.ranks);
  amounts.calls = 1000 * ranks;
  amounts.calls_max = 1000;
  amounts.bytes_sent = 8'000'000 * ranks;
  amounts.time = over_ranks(job, what, time);
  if (!by_rank) amounts.time.by_rank.clear();
  amounts.most = 0.01;
  amounts.ranks = job.ranks;
  amounts.slowest_rank = job.late_rank();
  amounts.by_time = {{1e-6, 500 * ranks}, {1e-3, 500 * ranks}};
  amounts.by_size = {{8192, 1000 * ranks}};
}

profile_format::Summary profile_of(const Job& job) {
  profile_format::Summary profile;
  profile.run = identity;
  profile.program = program;
  profile.ranks = job.ranks;
  profile.threads = 1;
  profile.run_time = over_ranks(job, 1, run_s);
  profile.mpi_time = over_ranks(job, 2, 0.3 * run_s);
  profile.own_time = over_ranks(job, 3, 0.7 * run_s);
  profile.busiest_rank = job.late_rank();
  profile.split = {0.1 * run_s * job.ranks, 0.15 * run_s * job.ranks, 0.03 * run_s * job.ranks,
                   0.02 * run_s * job.ranks};
  const char* const functions[] = {"MPI_Allreduce", "MPI_Waitall", "MPI_Isend",  "MPI_Irecv",     "MPI_Bcast",
                                   "MPI_Barrier",   "MPI_Reduce",  "MPI_Gather", "MPI_Comm_rank", "MPI_Comm_size"};
  for (std::uint64_t i = 0; i < std::size(functions); ++i) {
    profile_format::FunctionSummary function;
    function.name = functions[i];
    fill(function, job, 10 + i, 0.1 * run_s / static_cast<double>(i + 1), true);
    profile.functions.push_back(std::move(function));
  }
  for (std::uint64_t i = 0; i < 40; ++i) {
    profile_format::CallSiteSummary site;
    site.function = functions[i % std::size(functions)];
    site.place = {"exchange", "halo.c", static_cast<int>(100 + i), program, 16 * i};
    fill(site, job, 100 + i, 0.1 * run_s / static_cast<double>(i + 1), false);
    profile.sites.push_back(std::move(site));
  }
  return profile;
}

formats::waits::Summary waits_of(const Job& job) {
  formats::waits::Summary summary = waits::summarize(records(job, {0, 5, 5}), name_place);
  summary.run = identity;
  summary.program = program;
  return summary;
}

comm::Summary communication_of(const Job& job) {
  const auto own = [&](int rank) { return rank_summary(job, rank); };
  const auto add = [](comm::Summary& into, comm::Summary& other) { merge(into, std::move(other)); };
  const auto as_it_is = [](comm::Summary& summary) { return std::move(summary); };
  comm::Summary all = Reduction(job.ranks, own, as_it_is, add).all();
  all.run = identity;
  all.program = program;
  all.ranks = job.ranks;
  return all;
}

}  // namespace

void write_results(const Job& job, const std::string& folder) {
  fs::create_directories(folder + "/comm");
  write(folder + "/run.json", file_text(run_of(job)));
  write(folder + "/profile.json", file_text(profile_of(job)));
  write(folder + "/waits.json", file_text(waits_of(job)));
  const comm::Summary communication = communication_of(job);
  write(folder + "/comm/comm.json", file_text(communication));
  std::string text;
  std::string name;
  const auto keep = [&] {
    if (!name.empty()) write(folder + "/comm/" + name, text);
    text.clear();
  };
  write_matrices(communication, [&](const std::string& file, std::string_view piece) {
    if (file != name) keep(), name = file;
    text += piece;
  });
  keep();
}

}  // namespace cairn::scale
