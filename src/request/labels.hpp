// SPDX-License-Identifier: BSD-3-Clause
// labels.hpp - what a user wants to know a run by later: "commit=1a2b3c,case=large"
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cairn {

using Labels = std::vector<std::pair<std::string, std::string>>;

inline constexpr const char* labels_variable = "CAIRN_LABELS";

/// Adds "NAME=VALUE", in place of an earlier one of that name. The name has letters, digits, '_', '-' and '.'; the value
/// has no comma and no control characters. False if the text has another form.
bool add_label(Labels& labels, std::string_view text);

/// Of a list with commas. Parts of another form are left out.
Labels labels_of(std::string_view list);
std::string list_of(const Labels& labels);

}  // namespace cairn
