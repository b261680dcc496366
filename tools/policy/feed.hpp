// SPDX-License-Identifier: BSD-3-Clause
// feed.hpp - the inputs of a policy's expressions, each read once per look
#pragma once

#include <deque>
#include <vector>

#include "library.hpp"
#include "observed.hpp"
#include "policy/expression.hpp"

namespace policy {

/// One input, wherever the policy mentions it.
struct Slot {
  cairn::policy::Input input;
  Function function = Function::count;    // of calls and time
  Library::Variable* variable = nullptr;  // of a name
  Value value{};
};

class Feed {
 public:
  Feed(Library& library, Observed& observed) : library_(library), observed_(observed) {}

  /// After MPI_Init. The reference stays valid.
  Slot& slot(const cairn::policy::Input& input);
  void refresh(Slot& slot);

 private:
  Library& library_;
  Observed& observed_;
  std::deque<Slot> slots_;
};

}  // namespace policy
