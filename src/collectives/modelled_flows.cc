// SPDX-License-Identifier: BSD-3-Clause
// modelled_flows.cc - the model's messages by pairs of ranks

#include "collectives/modelled_flows.hpp"

#include "collectives/model.hpp"
#include "formats/ranks.hpp"

namespace cairn::collectives {

using namespace formats::comm;

ModelledFlows::ModelledFlows(const Summary& summary) {
  for (const Phase& phase : summary.phases)
    for (const OperationCalls& calls : phase.operations) {
      Group& group = groups_[calls.communicator];
      if (group.members.empty()) {
        group.members = formats::ranks_of(summary.communicators[calls.communicator].processes);
        for (std::size_t i = 0; i < group.members.size(); ++i) group.places[group.members[i]] = static_cast<int>(i);
      }
      const Calls placed{&calls, group.places[calls.rank]};
      if (is_rooted(calls.what)) group.rooted.push_back(placed);
      else group.own[placed.place].push_back(placed);
      if (calls.what == Operation::alltoall || calls.what == Operation::reduce_scatter) pairs_ += group.members.size();
    }
}

void ModelledFlows::add_calls(const Group& group, const Calls& calls, int place, const Add& add) {
  const ModelledCalls modelled{calls.calls->what, static_cast<int>(group.members.size()), calls.calls->messages,
                               calls.calls->bytes};
  model(modelled, calls.place, place, [&](int to, std::uint64_t messages, std::uint64_t bytes) {
    add(group.members[static_cast<std::size_t>(to)], {messages, bytes});
  });
}

void ModelledFlows::for_each_of(int from, const Add& add) const {
  if (!fit()) return;
  for (const auto& [communicator, group] : groups_) {
    const auto place = group.places.find(from);
    if (place == group.places.end()) continue;
    for (const Calls& calls : group.rooted) add_calls(group, calls, place->second, add);
    const auto own = group.own.find(place->second);
    if (own == group.own.end()) continue;
    for (const Calls& calls : own->second) add_calls(group, calls, place->second, add);
  }
}

}  // namespace cairn::collectives
