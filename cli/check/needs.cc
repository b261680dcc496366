// SPDX-License-Identifier: BSD-3-Clause
// needs.cc - looks for services where the runtime does: in the layers below, in Cairn itself, in its modules.

#include "cli/check/needs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/message.hpp"
#include "cairn/services/callers.hpp"
#include "cairn/services/symbols.hpp"
#include "cairn/services/tool_calls.hpp"
#include "cairn/stack.h"
#include "cairn/variables.h"

namespace cairn::cli {

namespace {

using Service = ToolAbout::Need;

/// Who says to offer a service, and the version.
struct Offer {
  std::string giver;
  std::string tool;
  std::uint32_t version;
};

const Service* find_service(const std::vector<Service>& services, const std::string& name) {
  const auto found = std::ranges::find(services, name, &Service::service);
  return found == services.end() ? nullptr : &*found;
}

/// In the order in which they are asked.
std::vector<Offer> offers_of(const std::string& service, std::span<const KnownLayer> below, const TargetMpi& mpi,
                             const std::string& bundled) {
  static const std::vector<Service> own = {{Callers::service, Callers::version},
                                           {Symbols::service, Symbols::version},
                                           {ToolCalls::service, ToolCalls::version},
                                           {CAIRN_STACK, CAIRN_STACK_VERSION},
                                           {CAIRN_VARIABLES, CAIRN_VARIABLES_VERSION}};
  std::vector<Offer> offers;
  for (const KnownLayer& layer : below)
    if (const Service* found = find_service(layer.about.offers, service))
      offers.push_back({fmt::format("layer {}, {}", layer.number, layer.tool), layer.tool, found->version});
  if (const Service* found = find_service(own, service)) offers.push_back({"Cairn itself", "cairn", found->version});
  const std::string module = service_module(service, *mpi.family, bundled);
  if (module.empty()) return offers;
  const ToolFile tool = examine_tool(module, mpi);
  if (const Service* found = find_service(tool.about.offers, service))
    offers.push_back({fmt::format("Cairn's module {}", service), service, found->version});
  return offers;
}

/// A tool that publishes need not say so in its description.
bool may_offer_unsaid(const KnownLayer& layer) { return layer.about.abi != 0 && layer.about.offers.empty(); }

std::string show_need(const Service& need, const std::vector<Offer>& offers, std::span<const KnownLayer> below) {
  const std::string shown = fmt::format("needs {} {}: ", need.service, need.version);
  const auto fitting = std::ranges::find(offers, need.version, &Offer::version);
  if (fitting != offers.end()) return shown + "from " + fitting->giver;
  if (std::ranges::any_of(below, may_offer_unsaid))
    return shown + "a layer below must offer it; none declares that it does";
  const std::string wanted = fmt::format("it needs the service '{}' version {}, ", need.service, need.version);
  if (offers.empty())
    throw Problem(wanted + "which no layer below it offers",
                  "a tool that offers '" + need.service + "', named after it");
  throw Problem(fmt::format("{}but tool '{}' offers version {}", wanted, offers.front().tool, offers.front().version),
                "a tool that offers that version, named after it");
}

}  // namespace

std::vector<std::string> show_needs(const ToolAbout& about, std::span<const KnownLayer> below, const TargetMpi& mpi,
                                    const std::string& bundled) {
  std::vector<std::string> lines;
  for (const Service& need : about.needs)
    lines.push_back(show_need(need, offers_of(need.service, below, mpi, bundled), below));
  return lines;
}

}  // namespace cairn::cli
