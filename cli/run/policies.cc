// SPDX-License-Identifier: BSD-3-Clause
// policies.cc - what `cairn run` does with policies.

#include "cli/run/policies.hpp"

#include <algorithm>
#include <filesystem>

#include "base/message.hpp"
#include "cli/run/policy_check.hpp"
#include "cli/settings/setting_check.hpp"
#include "cli/settings/variable_query.hpp"
#include "request/filters.hpp"

namespace cairn::cli {

namespace {

constexpr const char* tool = "policy";

/// A rank whose calls pass the tool by now and then counts other calls than the rest, who would wait for it forever.
void check_filters(const LayerRequest& layer) {
  if (!layer.filters.empty())
    throw Problem("tool 'policy' takes no filters, here " + show_filters(layer.filters) +
                      ": ranks that agree must all see the same calls",
                  "in the policy, 'ranks 0-3', 'if phase == \"NAME\"' or 'if elapsed > 10 s'");
}

void check_one(const policy::Policy& policy, const std::vector<LayerRequest>& others, const std::string& program) {
  if (policy.rules.empty())
    throw Problem("policy '" + policy.file + "' has no rules", "findings are for 'cairn advise'");
  check_functions(policy);
  const std::string mpi = mpi_for({program}, {});
  // Which MPI a script will use nobody knows: the tool leaves out what is not there.
  if (mpi.empty() || !names_variables(policy)) return;
  check_policy(policy, ask_variables({.mpi = mpi,
                                      .tools = format_tools(others),
                                      .before_init = true,
                                      .environment = {{"CAIRN_SWITCHES", "1"}},
                                      .quiet = true}));
}

}  // namespace

LayerRequest policy_layer(const std::string& path) { return {tool, {{"file", path}}}; }

void check_policies(std::vector<LayerRequest>& layers, const std::string& program) {
  std::vector<LayerRequest> others;
  std::ranges::copy_if(layers, std::back_inserter(others),
                       [](const LayerRequest& layer) { return layer.tool != tool; });
  for (LayerRequest& layer : layers) {
    const auto path = std::ranges::find(layer.options, "file", &ToolOption::name);
    if (layer.tool != tool || path == layer.options.end()) continue;
    check_filters(layer);
    check_one(policy::read_policy(path->value), others, program);
    path->value = std::filesystem::absolute(path->value).lexically_normal().string();
  }
}

}  // namespace cairn::cli
