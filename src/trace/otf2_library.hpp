// SPDX-License-Identifier: BSD-3-Clause
// otf2_library.hpp - what libcairn-otf2.so does, the one that knows OTF2; it is opened when somebody asks for it
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "trace/file.hpp"

namespace cairn::trace {

struct SourceLine {
  std::string file;
  int line = 0;
  std::string function;
};

struct Otf2Run {
  /// A variable that was sampled while the program ran.
  struct Variable {
    std::string name;
    std::string description;
    bool is_sum = false;  // of all so far, which only grows
  };
  /// From that moment on.
  struct Value {
    std::int64_t ns;
    std::uint32_t variable;
    double value;
  };
  struct OfProcess {
    const File* file;
    std::int64_t shift_ns;      // added to its moments, so that those of all processes can be compared
    std::vector<Value> values;  // in the order of time
  };
  std::string folder;  // new, or empty
  std::vector<OfProcess> processes;
  std::vector<Variable> variables;
  std::int64_t first_ns = 0;  // of all moments
  std::string clocks;         // what these are of, in words
  std::function<SourceLine(std::size_t process, std::uint64_t site)> place;
};

struct Otf2Library {
  /// "": done; otherwise why not, as no exception leaves the library.
  std::string (*write)(const Otf2Run& run);
};

/// The library's one symbol.
inline constexpr const char* otf2_symbol = "cairn_otf2";

}  // namespace cairn::trace
