// SPDX-License-Identifier: BSD-3-Clause
// candidates.hpp - the settings that are tried: NAME=VALUES, and what is made of several of them
//
//   limit=1024,4096,65536     these values; a backslash takes a comma literally
//   limit=1024..65536*4       1024, 4096, 16384, 65536
//   threads=1..8              1, 2, … 8; with +2 behind it: 1, 3, 5, 7
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace cairn::tune {

/// One variable and the values to try.
struct Choice {
  std::string name;
  std::vector<std::string> values;
};

/// Throws Problem.
Choice parse_choice(const std::string& text);

/// Values of variables that are set together; empty: everything as it is.
using Candidate = std::vector<std::pair<std::string, std::string>>;

/// `base` and each value, or combination of values, of the choices on top of it. Throws Problem beyond `most`.
std::vector<Candidate> combinations(const Candidate& base, const std::vector<Choice>& choices, std::size_t most);

/// "a=1 b=2", or "(default)".
std::string text_of(const Candidate& candidate);

}  // namespace cairn::tune
