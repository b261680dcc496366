// SPDX-License-Identifier: BSD-3-Clause
// variable_list.hpp - what one MPI library offers by MPI_T, as vars-lists writes it: choosing, showing, comparing
//
// The document is described in tools/vars/README.md ("cairn-variables 1").
#pragma once

#include <string>
#include <vector>

#include "formats/readers.hpp"

namespace cairn::cli {

using formats::Json;

/// Throws Problem if the text is no such document; `from` says in messages where it came from.
Json parse_variable_list(const std::string& text, const std::string& from);

/// The same of a file that `option` names.
Json read_variable_list(const std::string& path, const std::string& option);

/// Leaves what has a name that matches one of the patterns (*, ?, [...]), whatever its case; none: everything.
void keep_matching(Json& list, const std::vector<std::string>& patterns);

/// The entry of that name in one of the arrays, or null.
const Json* find_named(const Json& entries, const std::string& name);
/// The values that a variable has names for, by its enumeration or else by its description; empty if it has none.
Json items_of(const Json& list, const Json& entry);
/// "a value of type int", "one of red, green": what the variable `entry` takes, whose enumeration has these items.
std::string kind_of_value(const Json& entry, const Json& items);

/// Why the library has no performance variables; "" if it has.
std::string why_no_performance_variables(const Json& list);

/// For people; `details` adds descriptions in full, enumerations and members of categories.
std::string variable_text(const Json& list, bool details);

/// {"format": "cairn-variables-diff 1", "only_a", "only_b", "changed"}; indices do not count.
Json compare_variables(const Json& a, const Json& b);

std::string difference_text(const Json& difference);

}  // namespace cairn::cli
