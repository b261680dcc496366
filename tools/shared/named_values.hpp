// SPDX-License-Identifier: BSD-3-Clause
// named_values.hpp - the values of a control variable that have names: of its enumeration, or else of its description
#pragma once

#include <string>
#include <vector>

#include "policy/named_values.hpp"
#include "shared/mpi_t.hpp"

namespace mpi_t {

inline std::vector<EnumItem> named_values(const Description& variable) {
  std::string unused;
  std::vector<EnumItem> values = items_of(variable.enumeration, unused);
  if (!values.empty() || (variable.type != MPI_INT && variable.type != MPI_UNSIGNED)) return values;
  for (const cairn::policy::NamedValue& value : cairn::policy::documented_values(variable.text))
    values.push_back({static_cast<int>(value.number), value.name});
  return values;
}

/// Why the text cannot be written: "'star' is not a valid value; try one of ring, tree".
inline std::string refusal(const std::string& text, const std::vector<EnumItem>& values) {
  std::vector<std::string> names;
  for (const EnumItem& value : values) names.push_back(value.name);
  const std::string why = cairn::policy::not_a_value(text);
  return names.empty() ? why : why + "; try " + cairn::policy::one_of(names);
}

}  // namespace mpi_t
