// SPDX-License-Identifier: BSD-3-Clause
// travel.hpp - results as bytes, for the way from rank to rank (cairn/kit/ranks.hpp, World::merge)
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace shared {

/// For types that nlohmann::json knows, as by NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE.
template <class Results>
std::string to_bytes(const Results& results) {
  std::string bytes;
  nlohmann::json::to_cbor(nlohmann::json(results), nlohmann::detail::output_adapter<char>(bytes));
  return bytes;
}

template <class Results>
Results from_bytes(const std::string& bytes) {
  return nlohmann::json::from_cbor(bytes).get<Results>();
}

}  // namespace shared
