// SPDX-License-Identifier: BSD-3-Clause
// call_text.hpp - what a record says of its call, in words
#pragma once

#include <string>
#include <vector>

#include "trace/events.hpp"
#include "trace/file.hpp"

namespace cairn::cli {

struct CallArgument {
  std::string name;   // "to"
  std::string value;  // "1"
  std::string words;  // "to 1"
  bool is_number = true;
};

std::vector<CallArgument> arguments_of(const trace::File& file, const trace::Record& record);
/// "to 1, tag 7, 8 bytes, MPI_COMM_WORLD"
std::string arguments_text(const trace::File& file, const trace::Record& record);
/// "completed request 0x5 from 0, tag 3, 16 bytes"
std::string detail_text(const trace::File& file, const trace::Record& detail);
/// "sends 8 bytes, receives 16 bytes"
std::string moved_text(trace::Moved bytes);
/// "transferred 8 bytes": of a file
std::string transferred_text(std::uint64_t bytes);
/// "MPI_Send"; "?" if it is unknown.
std::string name_of(const trace::File& file, const trace::Record& call);
/// "failed", "in vain" or "".
std::string outcome_of(const trace::Record& call);

}  // namespace cairn::cli
