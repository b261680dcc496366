// SPDX-License-Identifier: BSD-3-Clause
// output_file.hpp - writing what an option asked for
#pragma once

#include <string>

namespace cairn::cli {

/// "-" is standard output. Throws Problem, with who asked, if the file cannot be written.
void write_output(const std::string& path, const std::string& text, const std::string& asked_by);

}  // namespace cairn::cli
