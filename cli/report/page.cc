// SPDX-License-Identifier: BSD-3-Clause
// page.cc - a report as one HTML page: the files of web/ and the report's JSON put together

#include "cli/report/web.hpp"
#include "cli/report/writing.hpp"

namespace cairn::report {

namespace {

/// More would make the page slow; the CSV files have all rows.
constexpr std::size_t rows_on_page = 2000;

Json page_data(const Report& report) {
  Json data = to_json(report);
  for (std::size_t i = 0; i < report.sections.size(); ++i) {
    data["sections"][i]["charts"] = report.sections[i].charts;
    for (auto& [name, table] : data["sections"][i]["tables"].items()) {
      Json& rows = table["rows"];
      if (rows.size() <= rows_on_page) continue;
      const std::size_t left_out = rows.size() - rows_on_page;
      rows.erase(rows.begin() + rows_on_page, rows.end());
      table["left_out"] = left_out;  // moves the rows
    }
  }
  return data;
}

/// JSON for a script element. '<' is escaped, so that nothing in the data can end the element.
std::string inside_script(const Json& data) {
  const std::string text = data.dump(-1, ' ', false, Json::error_handler_t::replace);
  std::string out;
  for (const char c : text) out += c == '<' ? std::string("\\u003c") : std::string(1, c);
  return out;
}

void put(std::string& page, const std::string& mark, const std::string& text) {
  page.replace(page.find(mark), mark.size(), text);
}

}  // namespace

std::string page(const Report& report) {
  std::string out = web::report_html;
  put(out, "/* style */", web::report_css);
  put(out, "/* script */",
      std::string(web::matrix_js) + web::rates_js + web::timeline_data_js + web::timeline_view_js + web::timeline_js +
          web::times_js + web::report_js);
  put(out, "{/* data */}", inside_script(page_data(report)));
  return out;
}

}  // namespace cairn::report
