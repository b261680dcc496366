// SPDX-License-Identifier: BSD-3-Clause
// other_nodes.hpp - asking `cairn where` on the job's other nodes for their pages, by the way its launcher goes
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "where/jobs.hpp"

namespace cairn::where {

/// Nodes of a job, by name: their ranks. From lines "HOST RANKS".
std::map<std::string, std::vector<int>> nodes_of(std::string_view text);

/// Whom to ask what.
struct Question {
  std::string launcher;  // as base/launcher.hpp has it
  /// With the ranks that each should have, where that is known. For Slurm those that should answer: all of the job are
  /// asked.
  std::map<std::string, std::vector<int>> nodes;
  std::string command;  // path of `cairn`, the same on all nodes
  std::string job;      // a word for `cairn where`; "": all that run
  std::size_t history = 4096;
  double limit_s = 10;
  double every_s = 0;         // 0: once
  bool takes_orders = false;  // on its standard input, if it is asked for more than once
  std::size_t fan_out = 16;   // how many nodes each node asks, again and again
};

struct NodeAnswers {
  std::vector<Process> processes;
  std::vector<std::string> damaged;           // a message for each page that cannot be read
  std::map<std::string, std::string> silent;  // hosts that have not answered, or not all: why
};

/// Asks up to 64 at the same time.
NodeAnswers ask_nodes(const Question& question);

/// To the nodes with ranks that have no page here; the command and the limit are left open. Of large jobs fewer calls are
/// asked for.
Question question_about(const JobPages& job);

}  // namespace cairn::where
