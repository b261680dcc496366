// SPDX-License-Identifier: BSD-3-Clause
// policies.hpp - policies of a run: the layer that follows one, and checking it before the program starts
#pragma once

#include <string>
#include <vector>

#include "request/request.hpp"

namespace cairn::cli {

/// The layer `policy` that follows the policy of that path.
LayerRequest policy_layer(const std::string& path);

/// Of every layer `policy`, wherever it was asked for: its path is made absolute, and the policy is read and compared
/// with what the program's MPI library and the other layers offer. Throws Problem.
void check_policies(std::vector<LayerRequest>& layers, const std::string& program);

}  // namespace cairn::cli
