// SPDX-License-Identifier: BSD-3-Clause
// own_services.hpp - the services that Cairn itself offers to every tool (include/cairn/services/).
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "contracts/ends.hpp"
#include "runtime/instances.hpp"
#include "runtime/run_folder.hpp"
#include "stack/stack.hpp"

namespace cairn {

struct OwnPlaces {
  const RunFolder& results;
  const std::string& folder;  // where the runtime's libraries lie
  Ends& ends;
  std::ptrdiff_t tool_calls;  // as the service has it (cairn/services/tool_calls.hpp)
};

/// Everything given outlives the tools.
void offer_own_services(Instances& instances, Stack& stack, const std::vector<LayerRequest>& layers,
                        const OwnPlaces& places);

}  // namespace cairn
