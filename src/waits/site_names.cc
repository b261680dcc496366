// SPDX-License-Identifier: BSD-3-Clause
// site_names.cc - each site is looked up once

#include "waits/site_names.hpp"

namespace cairn::waits {

void SiteNames::unite(std::vector<RankRecords>& records, const Naming& naming) {
  for (RankRecords& one : records)
    for (Site& site : one.sites) site = name(site, naming);
}

const Site& SiteNames::name(const Site& site, const Naming& naming) {
  const auto [place, is_new] = united_.try_emplace(site, site);
  if (!is_new) return place->second;
  formats::SourcePosition at;
  if (naming && !site.object.empty()) at = naming(site.object, site.offset);
  at.object = site.object;
  at.offset = site.offset;
  if (!at.file.empty() && at.line > 0)
    place->second = first_.try_emplace({site.function, site.object, at.file, at.line, at.caller}, site).first->second;
  if (place->second == site) positions_.emplace(site, std::move(at));
  return place->second;
}

formats::waits::Place SiteNames::place(const Site& site) const {
  formats::waits::Place place;
  place.function = site.function;
  if (const auto found = positions_.find(site); found != positions_.end()) place.at = found->second;
  return place;
}

}  // namespace cairn::waits
