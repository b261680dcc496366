// SPDX-License-Identifier: BSD-3-Clause
// page.cc - a report as one HTML page: the files of web/ and the report's JSON put together

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>

#include "cli/report/chart.hpp"
#include "cli/report/web.hpp"
#include "cli/report/wording.hpp"
#include "cli/report/writing.hpp"
#include "formats/ranks.hpp"

namespace cairn::report {

namespace {

/// More would make the page slow; the CSV files have all rows.
constexpr std::size_t rows_on_page = 2000;

/// What the first page needs beyond the report's JSON.
Json overview_data(const Overview& overview) {
  Json efficiency = Json::array();
  bool of_two = overview.strips.size() > 1;
  for (const Efficiency& one : overview.efficiency) {
    of_two = of_two || !std::isnan(one.before);
    efficiency.push_back({{"title", one.title},
                          {"meaning", one.meaning},
                          {"depth", one.depth},
                          {"value", known(one.value)},
                          {"before", known(one.before)},
                          {"unknown", one.unknown}});
  }
  return {{"efficiency", efficiency},
          {"of_two", of_two},
          {"is_advised", overview.is_advised},
          {"not_checked", overview.not_checked},
          {"strips", overview.strips}};
}

/// A number for each rank; digits that nobody can see would make the page large.
Json by_rank_data(const Report& report) {
  Json columns = Json::array();
  for (const Section& section : report.sections) {
    if (section.instance != 1 || !section.part.empty()) continue;
    for (const RankFigures& figures : section.by_rank) {
      Json values = Json::array();
      for (const double value : figures.values)
        values.push_back(std::isnan(value) ? Json() : Json(std::strtod(fmt::format("{:.4g}", value).c_str(), nullptr)));
      if (!values.empty())
        columns.push_back(
            {{"title", figures.column.title}, {"kind", kind_name(figures.column.kind)}, {"values", values}});
    }
  }
  return {{"columns", columns}};
}

void describe_findings(const Overview& overview, Json& findings) {
  for (std::size_t i = 0; i < overview.findings.size(); ++i) {
    const advise::Advice& advice = overview.findings[i].advice;
    findings[i]["figures"] = figures_of(advice);
    findings[i]["command"] = command_of(advice);
    findings[i]["ranks_text"] = formats::ranks_text(advice.ranks);
    findings[i].erase("ranks");
  }
}

Json page_data(const Report& report) {
  Json data = to_json(report, rows_on_page);
  data["questions"] = Json::array();
  for (const Question question : questions)
    data["questions"].push_back({{"key", key_of(question)}, {"title", title_of(question)}});
  data["overview"] = overview_data(report.overview);
  describe_findings(report.overview, data["findings"]);
  data["by_rank"] = by_rank_data(report);
  for (std::size_t i = 0; i < report.sections.size(); ++i) data["sections"][i]["charts"] = report.sections[i].charts;
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
          web::times_js + web::strips_js + web::overview_js + web::ranks_js + web::report_js);
  put(out, "{/* data */}", inside_script(page_data(report)));
  return out;
}

}  // namespace cairn::report
