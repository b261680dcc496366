// SPDX-License-Identifier: BSD-3-Clause
// runs.hpp - several runs side by side, and conditions that a run is held to: `cairn report DIR... --fail-if CONDITION`
#pragma once

#include <string>
#include <vector>

#include "cli/report/section.hpp"
#include "policy/expression.hpp"

namespace cairn::report {

/// A row for each run, in the order given; what a run does not tell is left empty. Throws Problem for a folder without results.
Report table_of_runs(const std::vector<std::string>& folders);

/// `mpi_share > 1.1 * baseline`: figures of a run (`cairn advise --fields`, kind `run`, whose "run." may be left out) and of the run it
/// is compared with: `baseline.mpi_share`, or `baseline` where the condition names one figure only.
class RunCondition {
 public:
  /// Throws Problem, with the column, for what cannot be understood.
  explicit RunCondition(const std::string& text);

  /// For each run in which it holds, what it says there: "mpi_share 0.31, baseline.mpi_share 0.25". The first of several folders is the
  /// baseline of the others; one alone has none. Throws Problem if a run does not tell a figure that is named.
  std::vector<std::pair<std::string, std::string>> broken_in(const std::vector<std::string>& folders) const;

 private:
  struct Figure {
    std::string name;  // "run.mpi_share"
    bool of_baseline = false;
  };
  void understand(const policy::Input& input);

  std::string text_;
  policy::Expression expression_;
  std::vector<Figure> figures_;  // by the expression's inputs
};

}  // namespace cairn::report
