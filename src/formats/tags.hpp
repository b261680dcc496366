// SPDX-License-Identifier: BSD-3-Clause
// tags.hpp - what every JSON file of Cairn says of itself under the key "format"
#pragma once

#include <string>
#include <string_view>

namespace cairn::formats {

/// "cairn-profile 1". The number rises when a key changes its meaning or goes; a new key leaves it as it is.
struct Tag {
  std::string_view name;
  unsigned version;

  std::string text() const {
    std::string text(
        name);  // piece by piece: GCC 12 warns of a sum, wrongly, when it compiles several sources together
    text += ' ';
    return text += std::to_string(version);
  }
};

// Files of a run's folder (docs/run-folder.md).
inline constexpr Tag run_tag = {"cairn-run", 1};
inline constexpr Tag profile_tag = {"cairn-profile", 1};
inline constexpr Tag comm_tag = {"cairn-comm", 1};
inline constexpr Tag vars_tag = {"cairn-vars", 1};
inline constexpr Tag where_tag = {"cairn-where", 1};
inline constexpr Tag policy_tag = {"cairn-policy", 1};
inline constexpr Tag waits_tag = {"cairn-waits", 1};

// What commands write.
inline constexpr Tag report_tag = {"cairn-report", 2};
inline constexpr Tag advice_tag = {"cairn-advice", 1};
inline constexpr Tag placement_tag = {"cairn-placement", 1};
inline constexpr Tag tune_tag = {"cairn-tune", 1};
inline constexpr Tag live_tag = {"cairn-live", 1};
inline constexpr Tag recording_tag = {"cairn-live-recording", 1};
inline constexpr Tag variables_tag = {"cairn-variables", 1};
inline constexpr Tag variables_diff_tag = {"cairn-variables-diff", 1};

}  // namespace cairn::formats
