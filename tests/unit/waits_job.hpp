// SPDX-License-Identifier: BSD-3-Clause
// waits_job.hpp - records of runs that never were
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "waits/figures.hpp"

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
    of(from).messages.push_back({flow, bytes, 1, send, sent, true});
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
  std::uint64_t flows_ = 0;
  std::uint32_t number_ = 0;
};

inline formats::SourcePosition line_of(const std::string& object, std::uint64_t offset) {
  return {"solve", "heat.c", static_cast<int>(offset), object, offset};
}

inline Summary summary_of(const Job& job) { return summarize(job.ranks, line_of); }

inline const formats::waits::Wait* find(const Summary& summary, std::string_view kind) {
  for (const auto& wait : summary.waits)
    if (wait.kind == kind) return &wait;
  return nullptr;
}

}  // namespace cairn::waits
