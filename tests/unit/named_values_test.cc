// SPDX-License-Identifier: BSD-3-Clause
// named_values_test.cc - names of values, read from descriptions as MPI libraries write them

#include "policy/named_values.hpp"

#include <gtest/gtest.h>

#include "base/text.hpp"

namespace cairn::policy {
namespace {

std::string names_in(std::string_view description) {
  std::vector<std::string> texts;
  for (const NamedValue& value : documented_values(description))
    texts.push_back(std::to_string(value.number) + "=" + value.name);
  return join(texts, " ");
}

TEST(NamedValues, AreReadFromNumberedLists) {
  EXPECT_EQ(names_in("Algorithm of reduce, 1: binomial, 2: in_order_binomial, 3: binary, 4: pipeline"),
            "1=binomial 2=in_order_binomial 3=binary 4=pipeline");
  EXPECT_EQ(names_in("Locking used by the component.  0: auto (default), 1: skip locking, 2: always lock entire file"),
            "0=auto 1=skip locking 2=always lock entire file");
  EXPECT_EQ(names_in("Option 1: by volume 2: by size 3: simple"), "1=by volume 2=by size 3=simple");
}

TEST(NamedValues, AreReadFromColumnsWhoseLinesAreJoined) {
  EXPECT_EQ(
      names_in("Variable to select bcast algorithm"
               "auto - Internal algorithm selection (can be overridden with MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE)"
               "binomial                                - Force Binomial Tree"
               "nb                                      - Force nonblocking algorithm"
               "smp                                     - Force smp algorithm"
               "scatter_recursive_doubling_allgather    - Force Scatter Recursive-Doubling Allgather"
               "scatter_ring_allgather                  - Force Scatter Ring"),
      "0=auto 1=binomial 2=nb 3=smp 4=scatter_recursive_doubling_allgather 5=scatter_ring_allgather");
  EXPECT_EQ(names_in("Variable to select gather algorithm"
                     "auto - Internal algorithm selection (can be overridden with A_FILE)"
                     "sched_auto - Internal algorithm selection for sched-based algorithms"
                     "sched_binomial     - Force binomial algorithm"
                     "tsp_tree           - Force generic transport based tree algorithm"),
            "0=auto 1=sched_auto 2=sched_binomial 3=tsp_tree");
  EXPECT_EQ(names_in("Variable to select algorithm for intra-node reduce"
                     "mpir           - Fallback to MPIR collectives"
                     "release_gather - Force shm optimized algo using release, gather primitives"
                     "auto - Internal algorithm selection"),
            "0=mpir 1=release_gather 2=auto");
}

TEST(NamedValues, AreNotReadIntoOtherTexts) {
  EXPECT_EQ(names_in(""), "");
  EXPECT_EQ(names_in("Maximum size of a message - in bytes - that is sent eagerly"), "");
  EXPECT_EQ(names_in("Level of detail: 3: much"), "");
  EXPECT_EQ(names_in("1: one, 3: three"), "");
  EXPECT_EQ(names_in("auto - the only one there is"), "");
}

TEST(NamedValues, AreRefusedInTheSameWordsEverywhere) {
  EXPECT_EQ(not_a_value("star"), "'star' is not a valid value");
  EXPECT_EQ(one_of({"ring", "tree"}), "one of ring, tree");
}

}  // namespace
}  // namespace cairn::policy
