// SPDX-License-Identifier: BSD-3-Clause
// wording.hpp - waits.json in words
#pragma once

#include <string>

#include "formats/waits.hpp"

namespace cairn::waits {

/// "MPI_Send at heat.c:120"
std::string call_text(const formats::waits::Place& place);
/// "between MPI_Send at heat.c:120 and MPI_Recv at heat.c:131"; if it is no work, "in MPI_Send at heat.c:120"
std::string piece_text(bool is_work, const formats::waits::Place& from, const formats::waits::Place& to);
/// The same of a cause, or "in the start of MPI".
std::string work_text(const formats::waits::Cause& cause);
/// "work of rank 3 between … and … costs the others 4.2 s, 61 % of all waiting"
std::string cause_text(const formats::waits::Cause& cause);
/// "62.0 % solve.c:88 relax, 11.0 % halo.c:40 pack, 3.0 % other functions": parts of its seconds, or of the processor
/// time where several threads work; "" without samples.
std::string sampled_text(const formats::waits::Cause& cause);
/// "these figures cover the first 2.1 s of the run's 5.3 s; …", of a run whose end is left out.
std::string analysed_text(const formats::waits::Coverage& coverage);
/// Ends of messages whose other end is not known: "sends without a known receive", how many, of all.
struct Unmatched {
  const char* what;
  std::uint64_t count;
  std::uint64_t all;
};
/// Why it is unknown whether time is waiting or transfer.
inline constexpr const char* unknown_text = "there are no records of what was needed";
std::vector<Unmatched> unmatched(const formats::waits::Coverage& coverage);
/// Of the whole, in lines.
std::string text_of(const formats::waits::Summary& summary);

}  // namespace cairn::waits
