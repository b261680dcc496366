// SPDX-License-Identifier: BSD-3-Clause
// entries.hpp - arrays of JSON objects as tables: known columns first, then whatever else the objects hold
#pragma once

#include <vector>

#include "cli/report/section.hpp"
#include "formats/part.hpp"
#include "formats/text.hpp"

namespace cairn::report {

/// The object's scalars, those of inner objects under joined names with the unit last: {"time_s": {"min": 1}} gives
/// "time_min_s". Arrays are left out.
Json flatten(const Json& object);

/// What the ending of a name tells: "_s" seconds, "bytes" in it bytes, and so on.
Kind kind_of(const std::string& key, const Json& value);

/// "longest_call_s" as "longest call"
std::string title_of(const std::string& key);

/// A table of the objects, with those of the known columns that occur, then the others. Not an array: no rows.
Table table_of(const std::string& name, const std::string& title, const Json& entries,
               const std::vector<Column>& known = {});

/// What is at `key`, or null: reading is lenient, since later versions add and earlier ones lack keys.
const Json& at(const Json& object, const std::string& key);
double number_at(const Json& object, const std::string& key);     // 0 if there is none
std::string text_at(const Json& object, const std::string& key);  // "" if there is none

/// How a rank has ended that left its part of a run; nothing for what is no such part.
void add_end(const formats::Part& part, std::vector<Line>& lines);

/// "heat3d.c:280 exchange_halo", or what is known in its place.
std::string place_of(const formats::SourcePosition& place);

}  // namespace cairn::report
