// SPDX-License-Identifier: BSD-3-Clause
// named_values.hpp - names for the numbers that a control variable takes, where the library gives them in words only
//
// Open MPI describes most such variables by an MPI_T enumeration, MPICH 4.0 none: it names the values in the variable's
// description. Settings, `cairn tune` and policies take both from here, and refuse a wrong one in the same words.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace cairn::policy {

struct NamedValue {
  std::int64_t number = 0;
  std::string name;
};

/// The values that a description names; empty if it names none. Two forms are known:
///   Open MPI: "Algorithm of reduce, 1: binomial, 2: in_order_binomial"
///   MPICH: "…auto - Internal selectionbinomial - Force Binomial Treenb       - Force nonblocking": lines joined
///   without a separator; each number is one more than the one before
std::vector<NamedValue> documented_values(std::string_view description);

/// "'star' is not a valid value".
std::string not_a_value(std::string_view value);
/// "it has 4 elements, 0 to 3": why another one cannot be set.
std::string no_element(std::size_t count);
/// "it has 4 elements, not 3".
std::string not_so_many(std::size_t count, std::size_t given);
/// "one of ring, tree"; by name, the numbers are accepted too.
std::string one_of(const std::vector<std::string>& names);

}  // namespace cairn::policy
