// SPDX-License-Identifier: BSD-3-Clause
// jobs.hpp - the pages on this node and in a run's folder, by job
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "where/page_reader.hpp"

namespace cairn::where {

/// Files that end in ".page"; nullopt: the folder cannot be listed.
std::optional<std::vector<std::string>> list_pages(const std::string& folder);
/// The same, none if it cannot be listed.
std::vector<std::string> pages_in(const std::string& folder);

/// The processes of one job, by rank.
struct JobPages {
  std::string name;  // run identity, or what the launcher calls the job
  std::vector<Process> processes;

  bool is_alive() const;
  /// For look_at_job.
  std::vector<const Process*> all() const;
  /// All processes were of this machine and are gone.
  bool is_over_here() const;
  /// Identity; "" if no process knows it yet.
  std::string run() const { return first(&Process::run); }
  /// Path of the run's folder; "" if unknown.
  std::string folder() const { return first(&Process::folder); }
  /// As of Process.
  std::string launcher() const { return first(&Process::launcher); }
  std::string nodes() const { return first(&Process::nodes); }

 private:
  /// Of the first process that has it.
  std::string first(std::string Process::*text) const;
};

/// The latest job first. `damaged` gets a message for each page that cannot be read. `sent`: more, of other
/// nodes; those of this one that are among the files are left out.
std::vector<JobPages> read_jobs(const std::vector<std::string>& paths, std::vector<std::string>& damaged,
                                std::size_t history = 4096, std::vector<Process> sent = {});

}  // namespace cairn::where
