// SPDX-License-Identifier: BSD-3-Clause
// figures.hpp - what all parts of a summary are made from
#pragma once

#include "formats/waits.hpp"
#include "waits/causes.hpp"
#include "waits/path.hpp"
#include "waits/predictions.hpp"
#include "waits/samples.hpp"
#include "waits/summary.hpp"

namespace cairn::waits {

namespace formats = cairn::formats;
using formats::waits::Summary;

struct Figures {
  Figures(std::vector<RankRecords> records, const Naming& naming);

  formats::waits::Place place(Index site) const;
  double seconds(std::int64_t ns) const { return 1e-9 * static_cast<double>(ns); }

  Graph graph;
  Waits waits;
  std::vector<CauseSum> causes;
  std::vector<PathStep> path;
  WorkSums work;
  SampleSums samples;
  Predictions predictions;
  std::vector<formats::waits::Place> places;  // by site
};

void fill_waits(const Figures& figures, Summary& summary);       // waits, pairs, time by rank
void fill_causes(Figures& figures, Summary& summary);            // causes and what changes would bring
void fill_path(const Figures& figures, Summary& summary);        // the critical path
void fill_efficiency(const Figures& figures, Summary& summary);  // POP's figures, windows, the timeline

}  // namespace cairn::waits
