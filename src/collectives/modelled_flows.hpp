// SPDX-License-Identifier: BSD-3-Clause
// modelled_flows.hpp - who sends how much to whom when MPI's algorithms carry the collective calls out, by the model
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <vector>

#include "formats/comm.hpp"

namespace cairn::collectives {

/// More pairs than this are not told one by one.
inline constexpr std::uint64_t most_pairs = 1U << 24U;

class ModelledFlows {
 public:
  explicit ModelledFlows(const formats::comm::Summary& summary);

  bool fit() const { return pairs_ <= most_pairs; }
  /// What `from` sends; a partner may come more than once.
  using Add = std::function<void(int to, const formats::comm::Volume& volume)>;
  void for_each_of(int from, const Add& add) const;

 private:
  struct Calls {
    const formats::comm::OperationCalls* calls;
    int place;  // of the process that has told them
  };
  struct Group {
    std::vector<int> members;
    std::map<int, int> places;                // by world rank
    std::vector<Calls> rooted;                // concern all
    std::map<int, std::vector<Calls>> own{};  // by place
  };

  static void add_calls(const Group& group, const Calls& calls, int place, const Add& add);

  std::map<std::uint32_t, Group> groups_;  // by communicator
  std::uint64_t pairs_ = 0;
};

}  // namespace cairn::collectives
