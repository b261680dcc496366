// SPDX-License-Identifier: BSD-3-Clause
// web.hpp - the files of web/, which the build puts into the command (cmake/embed.cmake)
#pragma once

namespace cairn::web {

extern const char* const report_html;
extern const char* const report_css;
extern const char* const matrix_js;
extern const char* const rates_js;
extern const char* const overview_js;
extern const char* const ranks_js;
extern const char* const report_js;
extern const char* const strips_js;
extern const char* const timeline_data_js;
extern const char* const timeline_js;
extern const char* const timeline_view_js;
extern const char* const times_js;

}  // namespace cairn::web
