// SPDX-License-Identifier: BSD-3-Clause
// policies.hpp - what the policy of a running job does, as the tool `policy` publishes it
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "formats/json_writer.hpp"
#include "formats/policy.hpp"
#include "where/jobs.hpp"

namespace cairn::live {

class Policies {
 public:
  void look(const where::JobPages& job, std::vector<std::string>& problems);

  bool is_known() const { return !ranks_.empty(); }
  /// Sums of the rules over the ranks, and the latest events: an object, of which the name is written already.
  void put(formats::JsonWriter& json) const;

 private:
  static constexpr std::size_t most_events = 50;
  using Event = formats::policy::Event;  // times are seconds since 1970
  struct Rank {
    std::string file;
    bool dry_run = false;
    std::vector<formats::policy::RuleFigures> rules;
    std::vector<Event> events;
  };

  static Rank read(const where::Process& process);
  std::vector<formats::policy::RuleFigures> rules() const;
  std::vector<Event> latest_events() const;

  std::map<int, Rank> ranks_;  // as they were seen last
};

}  // namespace cairn::live
