// SPDX-License-Identifier: BSD-3-Clause
// options.hpp - what the user may set
#pragma once

#include <string>

#include "cairn/tool.h"
#include "summary.hpp"

namespace profile {

struct Options {
  unsigned top = 10;
  bool table = true;
};

/// Takes the known options; tells the user of a value that makes no sense and keeps the default then.
Options read_options(const cairn_tool_instance& instance);

/// A summary's heading: program and tool filled in, figures empty.
Summary describe(const cairn_tool_instance& instance);

/// "profile.json", "profile.2.json", …
std::string file_name(unsigned instance);

}  // namespace profile
