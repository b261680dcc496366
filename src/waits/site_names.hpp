// SPDX-License-Identifier: BSD-3-Clause
// site_names.hpp - where in the program's source the sites of calls and samples are
#pragma once

#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "formats/waits.hpp"
#include "waits/records.hpp"
#include "waits/summary.hpp"

namespace cairn::waits {

/// Those of a function on one line are one, as where the compiler has copied a loop's body: the first one stands for all.
class SiteNames {
 public:
  /// Names what is new, and puts into the records what stands for their sites.
  void unite(std::vector<RankRecords>& records, const Naming& naming);
  /// Of one that stands for others.
  formats::waits::Place place(const Site& site) const;

 private:
  using Line = std::tuple<std::string, std::string, std::string, int, std::string>;  // MPI function, object, file, line
  const Site& name(const Site& site, const Naming& naming);

  std::map<Site, Site> united_;
  std::map<Line, Site> first_;
  std::map<Site, formats::SourcePosition> positions_;
};

}  // namespace cairn::waits
