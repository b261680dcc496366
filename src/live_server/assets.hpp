// SPDX-License-Identifier: BSD-3-Clause
// assets.hpp - the files of the live page, which the build puts into the library (cmake/embed.cmake)
#pragma once

namespace cairn::web {

extern const char* const live_html;
extern const char* const live_css;
extern const char* const live_js;
extern const char* const player_js;
extern const char* const traffic_js;
extern const char* const variables_js;
extern const char* const controls_js;
extern const char* const chart_min_js;  // Chart.js, from Debian's package

}  // namespace cairn::web
