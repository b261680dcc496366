// SPDX-License-Identifier: BSD-3-Clause
// categories.hpp - what time in an MPI function means, by the category that the function table gives it
#pragma once

#include <string_view>

#include "formats/profile.hpp"

namespace cairn::report {

/// "Waits for the completion of transfers started earlier." For a function that no MPI knows: "".
std::string_view meaning_of(std::string_view function);

/// "point_to_point"; for a function that no MPI knows: "".
std::string_view category_name(std::string_view function);

/// What the time in such a function is, as far as its name tells; the tool `profile` splits it alike.
enum class TimeSpent { waiting, blocking, moving, rest };
TimeSpent spent_in(std::string_view function);
/// Where such time is added up.
double& part_of(formats::profile::Split& split, TimeSpent what);

/// MPI_Init, MPI_Finalize and the like: once per run.
bool is_start_or_end(std::string_view function);

/// Nearly all such functions return only when other ranks have made their call.
bool waits_for_others(std::string_view function);

/// Whether it sends, receives, probes for or completes messages; completions may be of other transfers, too.
bool is_point_to_point(std::string_view function);

}  // namespace cairn::report
