// SPDX-License-Identifier: BSD-3-Clause
// waits_job.hpp - records of runs that never were
#pragma once

#include <algorithm>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "waits/figures.hpp"
#include "waits/reduce.hpp"

namespace cairn::waits {

inline constexpr std::int64_t ms = 1'000'000;

/// Ranks of one node, each with a thread; its sites are numbers of lines.
class Job {
 public:
  explicit Job(int size) {
    for (int rank = 0; rank < size; ++rank) {
      RankRecords& one = ranks.emplace_back();
      one.rank = rank;
      one.size = size;
      one.node = "here";
      one.regions = {""};
      one.comms = {{}, {7, "MPI_COMM_WORLD", size, {}}};
      one.threads = {{}};
      call(rank, "MPI_Init", 1, 0, 0);
    }
  }

  Index call(int rank, const std::string& function, std::uint64_t line, std::int64_t entry, std::int64_t exit) {
    RankRecords& one = of(rank);
    const Site site{function, "app", line};
    auto found = std::ranges::find(one.sites, site);
    if (found == one.sites.end()) found = one.sites.insert(one.sites.end(), site);
    one.calls.push_back({entry, exit, static_cast<Index>(found - one.sites.begin())});
    ++one.threads.back().count;
    return static_cast<Index>(one.calls.size() - 1);
  }
  /// The rank's further calls are of another thread.
  void begin_thread(int rank) { of(rank).threads.push_back({static_cast<Index>(of(rank).calls.size()), 0}); }
  void message(int from, Index send, Index sent, int to, Index receive, Index received, std::uint64_t bytes = 8) {
    const std::uint64_t flow = ++flows_;
    of(from).messages.push_back({flow, bytes, 1, send, sent, true, Signal::message, mode_of(of(from), send)});
    of(to).messages.push_back({flow, bytes, 1, receive, received, false});
  }
  void together(int rank, std::uint32_t number, Index begin, Index end, int root = -1) {
    of(rank).together.push_back({1, number, root, begin, end});
  }
  /// All ranks in the same blocking call; `entries` by rank, and when it is over.
  void all(const std::string& function, std::uint64_t line, const std::vector<std::int64_t>& entries, std::int64_t exit,
           int root = no_root, int outsider = -1) {
    ++number_;
    for (int rank = 0; rank < static_cast<int>(ranks.size()); ++rank) {
      const Index node = call(rank, function, line, entries[static_cast<std::size_t>(rank)], exit);
      together(rank, number_, node, node, rank == outsider ? outside : root);
    }
  }
  void finalize(std::int64_t entry) {
    for (int rank = 0; rank < static_cast<int>(ranks.size()); ++rank) call(rank, "MPI_Finalize", 99, entry, entry);
  }

  RankRecords& of(int rank) { return ranks[static_cast<std::size_t>(rank)]; }

  std::vector<RankRecords> ranks;

 private:
  static SendMode mode_of(const RankRecords& records, Index call) {
    return send_mode({{}, records.sites[records.calls[call].site].function});
  }

  std::uint64_t flows_ = 0;
  std::uint32_t number_ = 0;
};

/// Each step all work 10 ms, rank 3 of four 30 ms, before a call of all.
inline Job late_rank(const std::string& function, int root = -1) {
  Job job(4);
  std::int64_t now = 0;
  for (int step = 0; step < 10; ++step) {
    std::vector<std::int64_t> entries(4, now + 10 * ms);
    entries[3] = now + 30 * ms;
    job.all(function, 20, entries, now + 31 * ms, root);
    now += 31 * ms;
  }
  job.finalize(now);
  return job;
}

/// Exchanges, rings and operations of all, each begun and ended at random.
inline Job random_job(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const int size = 2 + static_cast<int>(random() % 7);
  Job job(size);
  std::vector<std::int64_t> now(static_cast<std::size_t>(size));
  const auto later = [&](int rank) {
    return now[static_cast<std::size_t>(rank)] += 1 + static_cast<std::int64_t>(random() % 1000);
  };
  for (int step = 0; step < 60; ++step) {
    if (random() % 3 == 0) {
      static constexpr const char* functions[] = {"MPI_Barrier", "MPI_Allreduce", "MPI_Bcast", "MPI_Reduce",
                                                  "MPI_Scan"};
      const std::string function = functions[random() % 5];
      std::vector<std::int64_t> entries;
      for (int rank = 0; rank < size; ++rank) entries.push_back(later(rank));
      const std::int64_t exit = std::ranges::max(entries) + 5;
      const auto root = static_cast<int>(random() % static_cast<std::uint64_t>(size));
      const bool is_rooted = function == "MPI_Bcast" || function == "MPI_Reduce";
      job.all(function, random() % 8, entries, exit, root, is_rooted && random() % 2 == 0 ? (root + 1) % size : -1);
      for (std::int64_t& moment : now) moment = exit;
      continue;
    }
    const int from = static_cast<int>(random() % static_cast<std::uint64_t>(size));
    const int to = (from + 1 + static_cast<int>(random() % static_cast<std::uint64_t>(size - 1))) % size;
    const bool is_large = random() % 2 == 0;
    const std::int64_t sends = later(from);
    std::int64_t asks = later(to);
    if (random() % 3 == 0) {
      const Index probe = job.call(to, "MPI_Probe", 12, asks - 1, std::max(sends, asks));
      job.of(to).probes.push_back({probe, static_cast<Index>(job.of(to).messages.size())});
      now[static_cast<std::size_t>(to)] = asks = std::max(sends, asks);
    }
    const Index receive =
        job.call(to, random() % 2 == 0 ? "MPI_Recv" : "MPI_Irecv", 10, asks, std::max(sends, asks) + 7);
    now[static_cast<std::size_t>(to)] = std::max(sends, asks) + 7;
    const std::int64_t sent = is_large ? std::max(sends, asks) + 7 : sends + 3;
    const Index send = job.call(from, "MPI_Send", 11, sends, sent);
    now[static_cast<std::size_t>(from)] = sent;
    job.message(from, send, send, to, receive, receive, is_large ? 100'000 : 8);
    job.of(to).messages.back().of_any = static_cast<std::uint8_t>(step % 5 == 0 ? step : 0);
  }
  job.finalize(std::ranges::max(now) + 1);
  return job;
}

inline formats::SourcePosition line_of(const std::string& object, std::uint64_t offset) {
  return {"solve", "heat.c", static_cast<int>(offset), object, offset};
}

inline Summary summary_of(const Job& job) { return summarize(job.ranks, line_of); }

inline double predicted(const Summary& summary, const std::string& change) {
  return std::ranges::find(summary.what_if, change, &formats::waits::WhatIf::change)->predicted_run;
}

inline const formats::waits::Wait* find(const Summary& summary, std::string_view kind) {
  for (const auto& wait : summary.waits)
    if (wait.kind == kind) return &wait;
  return nullptr;
}

}  // namespace cairn::waits
