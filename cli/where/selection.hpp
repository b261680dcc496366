// SPDX-License-Identifier: BSD-3-Clause
// selection.hpp - which jobs are meant, and their pages on all nodes
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "where/jobs.hpp"
#include "where/other_nodes.hpp"

namespace cairn::cli {

struct Selection {
  std::string job;    // a run's folder, the beginning of a run's name, or a job of Slurm's; "": those that run
  std::string nodes;  // hosts to be asked, separated by commas; "": those that the job has
  double limit_s = 10;
  std::size_t history = 4096;  // calls per thread that are read

  bool names_folder() const;
  /// Of a run's folder that is written with a '/', the name is one also when there is no such folder.
  bool is_path() const { return job.find('/') != job.npos; }
};

/// The pages on this node. `damaged` gets a message for each that cannot be read.
/// `sent`: with these, of other nodes.
std::vector<where::JobPages> jobs_here(const Selection& wanted, std::vector<std::string>& damaged,
                                       std::vector<where::Process> sent = {});
std::vector<where::JobPages> jobs_here(const Selection& wanted);

/// Whom to ask for the rest of a job, or, where that is null, for the wanted one, which has no page here. Without a value:
/// nobody that is known.
std::optional<where::Question> question_about(const where::JobPages* job, const Selection& wanted);

/// Also those on other nodes; tells, once each, which of these do not answer.
std::vector<where::JobPages> jobs_everywhere(const Selection& wanted);

}  // namespace cairn::cli
