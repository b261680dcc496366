// SPDX-License-Identifier: BSD-3-Clause
// pnmpi_file.hpp - PnMPI's configuration files, read as stack files.
//
//   module sample1         # outermost first; sample1.so in PNMPI_LIB_PATH, or a tool of that name
//   argument size 4        # an option of the module above
//   pcontrol on            # it gets MPI_Pcontrol; without the line, only the first module does
//   stack other            # what follows is another stack, which modules can send calls to
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "request/request.hpp"

namespace cairn::cli {

/// Whether a file with this text is PnMPI's: its first line that is no comment starts with one of PnMPI's commands.
bool is_pnmpi_file(std::string_view text);

/// The layers of all stacks. `remark` gets what PnMPI would do and Cairn does not, with its line. `folders`: where
/// modules are looked for, by colons.
std::vector<LayerRequest> read_pnmpi_file(std::string_view text, std::string_view folders,
                                          const std::function<void(const std::string&)>& remark);

}  // namespace cairn::cli
