// SPDX-License-Identifier: BSD-3-Clause
// modelled_flows.hpp - who sends how much to whom when MPI's algorithms carry the collective calls out, by the model
#pragma once

#include <map>
#include <vector>

#include "matrix_row.hpp"
#include "summary.hpp"

namespace comm {

class ModelledFlows {
 public:
  explicit ModelledFlows(const Summary& summary);

  bool fit() const { return pairs_ <= most_pairs; }
  /// What `from` sends.
  void add_row(int from, Row& row) const;

 private:
  struct Calls {
    const OperationCalls* calls;
    int place;  // of the process that has told them
  };
  struct Group {
    std::vector<int> members;
    std::map<int, int> places;                // by world rank
    std::vector<Calls> rooted;                // concern all
    std::map<int, std::vector<Calls>> own{};  // by place
  };

  void add_calls(const Group& group, const Calls& calls, int place, Row& row) const;

  std::map<std::uint32_t, Group> groups_;  // by communicator
  std::uint64_t pairs_ = 0;
};

}  // namespace comm
