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
  /// The records with what stands for their sites; what is new is named.
  std::vector<RankRecords> unite(std::vector<RankRecords> records, const Naming& naming);
  /// Of those that stand for others.
  std::vector<formats::waits::Place> places(const std::vector<Site>& sites) const;

 private:
  using Line = std::tuple<std::string, std::string, std::string, int, std::string>;  // function, object, place
  struct Named {
    Site stands_for_it;
    formats::SourcePosition at;  // its own
  };
  const Site& name(const Site& site, const Naming& naming);

  std::map<Site, Named> all_;
  std::map<Line, Site> first_;
};

}  // namespace cairn::waits
