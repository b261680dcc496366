// SPDX-License-Identifier: BSD-3-Clause
// site_names.cc - each site is looked up once

#include "waits/site_names.hpp"

namespace cairn::waits {

std::vector<RankRecords> SiteNames::unite(std::vector<RankRecords> records, const Naming& naming) {
  for (RankRecords& one : records)
    for (Site& site : one.sites) site = name(site, naming);
  return records;
}

const Site& SiteNames::name(const Site& site, const Naming& naming) {
  const auto [place, is_new] = all_.try_emplace(site, Named{site, {}});
  auto& [stands_for_it, at] = place->second;
  if (!is_new) return stands_for_it;
  if (naming && !site.object.empty()) at = naming(site.object, site.offset);
  at.object = site.object;
  at.offset = site.offset;
  if (!at.file.empty() && at.line > 0)
    stands_for_it = first_.try_emplace({site.function, site.object, at.file, at.line, at.caller}, site).first->second;
  return stands_for_it;
}

std::vector<formats::waits::Place> SiteNames::places(const std::vector<Site>& sites) const {
  std::vector<formats::waits::Place> all;
  for (const Site& site : sites) all.push_back({site.function, all_.at(site).at});
  return all;
}

}  // namespace cairn::waits
