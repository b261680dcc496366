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

/// The same of a policy that a running job is to be given: of the text, and of what its run's folder tells of its
/// stack. Where that cannot be known, or the library not be asked, the ranks find out.
void check_policy_for_job(const std::string& name, const std::string& text, const std::string& folder,
                          const std::string& program);

}  // namespace cairn::cli
