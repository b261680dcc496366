// SPDX-License-Identifier: BSD-3-Clause
// wording.hpp - the phrases of findings and tables
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "where/actors.hpp"
#include "where/places.hpp"

namespace cairn::where {

/// "rank 3", "ranks 0-2,5"
std::string ranks_phrase(const std::vector<int>& ranks);
/// "MPI_Recv (halo.c:88 exchange)"
std::string call_phrase(const Process& process, const Call& call, Places& places);
/// " (halo.c:88 exchange)"; "" where the place is unknown
std::string place_phrase(const Process& process, const Call& call, Places& places);
/// "a message with tag 7", "a message with any tag from any rank"
std::string message_phrase(const Call& call, int tag);
/// "63 s", "1.5 s", "2 h 5 min"
std::string time_phrase(double seconds);
/// "40 B"
std::string amount_phrase(const Call& call);
/// Of a thread outside MPI, as proc(5) has its state: "running", "stopped".
std::string_view state_phrase(char state);
/// What a rank is doing, as a sentence's end: "is in MPI_Finalize (main.c:9)", "has finalized MPI".
std::string doing_phrase(const Actor& actor, Places& places);

}  // namespace cairn::where
