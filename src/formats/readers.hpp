// SPDX-License-Identifier: BSD-3-Clause
// readers.hpp - result files as structures, from JSON; in the command
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <stdexcept>

#include "formats/comm.hpp"
#include "formats/policy.hpp"
#include "formats/profile.hpp"
#include "formats/run.hpp"
#include "formats/vars.hpp"
#include "formats/waits.hpp"
#include "formats/where.hpp"

namespace cairn::formats {

using Json = nlohmann::ordered_json;

/// The rest of "FILE is damaged: ".
struct Damaged : std::runtime_error {
  Damaged() : Damaged("a value has the wrong type") {}
  explicit Damaged(const std::string& what) : std::runtime_error(what) {}
};

// What the JSON does not have, or has of another kind, stays as it is in a new structure. They may throw Damaged.
run::Summary read_run(const Json& json);
profile::Summary read_profile(const Json& json);
/// A whole run's, or one rank's snapshot. Ranks and communicators that it names are there.
comm::Summary read_comm(const Json& json);
policy::Summary read_policy(const Json& json);
vars::Summary read_vars(const Json& json);
waits::Summary read_waits(const Json& json);
where::Summary read_where(const Json& json);
SourcePosition read_place(const Json& json);

/// Tables have as many rows as there are ranks: throws Damaged if they are more than the nodes can have.
void check_ranks(const comm::Summary& whole);

}  // namespace cairn::formats
