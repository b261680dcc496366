// SPDX-License-Identifier: BSD-3-Clause
// stack_file.hpp - the layers of CAIRN_STACK where the program is started without the command
#pragma once

#include <string>
#include <vector>

#include "request/request.hpp"

namespace cairn {

/// Empty if the setting is; `source`: how it was asked. The file is read by the command, `cairn tools --stack FILE`, in a
/// process of its own: what reads stack files need not be in programs. Throws Problem.
std::vector<LayerRequest> layers_of_stack_file(const std::string& command, std::string& source);

}  // namespace cairn
