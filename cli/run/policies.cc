// SPDX-License-Identifier: BSD-3-Clause
// policies.cc - what `cairn run` does with policies.

#include "cli/run/policies.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>

#include "base/message.hpp"
#include "cli/run/policy_check.hpp"
#include "cli/settings/setting_check.hpp"
#include "cli/settings/variable_query.hpp"
#include "formats/run.hpp"
#include "request/filters.hpp"

namespace cairn::cli {

namespace {

constexpr const char* policy_tool = "policy";

/// A rank whose calls pass the tool by now and then counts other calls than the rest, who would wait for it forever.
void check_filters(const LayerRequest& layer) {
  if (!std::ranges::all_of(layer.filters, [](const LayerFilter& filter) { return filter.name == "active"; }))
    throw Problem("tool 'policy' takes no filters but 'active', here " + show_filters(layer.filters) +
                      ": ranks that agree must all see the same calls",
                  "in the policy, 'ranks 0-3', 'if phase == \"NAME\"' or 'if elapsed > 10 s'");
}

void check_text(const policy::Policy& policy) {
  if (policy.rules.empty())
    throw Problem("policy '" + policy.file + "' has no rules", "findings are for 'cairn advise'");
  check_functions(policy);
}

Json variables_beside(const std::string& mpi, const std::vector<LayerRequest>& others) {
  return ask_variables({.mpi = mpi,
                        .tools = format_tools(others),
                        .before_init = true,
                        .environment = {{"CAIRN_SWITCHES", "1"}},
                        .quiet = true});
}

void check_one(const policy::Policy& policy, const std::vector<LayerRequest>& others, const std::string& program) {
  check_text(policy);
  const std::string mpi = mpi_for({program}, {});
  // Which MPI a script will use nobody knows: the tool leaves out what is not there.
  if (!mpi.empty() && names_variables(policy)) check_policy(policy, variables_beside(mpi, others));
}

/// What `cairn live` gives a policy to is found by the pages of `where`.
void check_that_one_can_come(const std::vector<LayerRequest>& layers) {
  if (std::ranges::find(layers, "where", &LayerRequest::tool) == layers.end())
    throw Problem("tool 'policy' has no policy, and without the tool 'where' it cannot be given one",
                  "policy=file:PATH, or 'where' in the stack and a policy from the page of 'cairn live'");
}

}  // namespace

LayerRequest policy_layer(const std::string& path) { return {policy_tool, {{"file", path}}}; }

void check_policies(std::vector<LayerRequest>& layers, const std::string& program) {
  std::vector<LayerRequest> others;
  std::ranges::copy_if(layers, std::back_inserter(others),
                       [](const LayerRequest& layer) { return layer.tool != policy_tool; });
  for (LayerRequest& layer : layers) {
    const auto path = std::ranges::find(layer.options, "file", &ToolOption::name);
    if (layer.tool != policy_tool) continue;
    check_filters(layer);
    if (path == layer.options.end()) {
      check_that_one_can_come(layers);
      continue;
    }
    check_one(policy::read_policy(path->value), others, program);
    path->value = std::filesystem::absolute(path->value).lexically_normal().string();
  }
}

namespace {

/// As they were asked for.
std::vector<LayerRequest> others_of_run(const std::string& folder) {
  std::vector<LayerRequest> layers;
  for (const formats::run::Layer& one : formats::run::of_folder(folder).tools) {
    if (one.tool == policy_tool) continue;
    LayerRequest& layer = layers.emplace_back(LayerRequest{one.tool, {}, {}});
    for (const auto& [name, value] : one.options) layer.options.push_back({name, value});
    for (const auto& [name, values] : one.filters) layer.filters.push_back({name, values});
  }
  return layers;
}

std::optional<Json> variables_of_job(const std::string& folder, const std::string& program) try {
  const std::vector<LayerRequest> others = others_of_run(folder);
  const std::string mpi = others.empty() ? "" : mpi_for({program}, {});
  if (mpi.empty()) return std::nullopt;
  return variables_beside(mpi, others);
} catch (const Problem&) {
  return std::nullopt;
}

}  // namespace

void check_policy_for_job(const std::string& name, const std::string& text, const std::string& folder,
                          const std::string& program) {
  const policy::Policy policy = policy::parse_policy(text, name);
  check_text(policy);
  if (!names_variables(policy)) return;
  if (const std::optional<Json> list = variables_of_job(folder, program)) check_policy(policy, *list);
}

}  // namespace cairn::cli
