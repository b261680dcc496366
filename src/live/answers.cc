// SPDX-License-Identifier: BSD-3-Clause
// answers.cc - what is known of the job, for the page and for a terminal

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "formats/json_writer.hpp"
#include "formats/tags.hpp"
#include "formats/text.hpp"
#include "live/watched.hpp"

namespace cairn::live {

using formats::cat;

namespace {

/// Shares and rates need no more than four digits.
void put(formats::JsonWriter& json, const std::optional<double>& value) {
  if (value) json.put_number(std::round(*value * 1e4) / 1e4);
  else json.put(nullptr);
}

std::string text_of(const char* form, double value) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), form, value);
  return text.data();
}

/// The functions with the most calls in a point come first.
std::vector<std::size_t> most_called(const Point& point, std::size_t most) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < point.calls.size(); ++i)
    if (point.calls[i] > 0) order.push_back(i);
  std::ranges::stable_sort(order, std::greater(), [&](std::size_t i) { return point.calls[i]; });
  order.resize(std::min(order.size(), most));
  return order;
}

}  // namespace

std::string Watched::job_json() const {
  formats::JsonWriter json(0);
  json.object([&] {
    json("program", formats::file_of(job_.program));
    json("path", job_.program);
    json("run", job_.run);
    json("host", job_.host);
    json("mpi", job_.mpi);
    json("folder", job_.folder);
    json("ranks", job_.size);
    json("seen", job_.seen);
    json("running_s", job_.running_s);
    json("is_over", job_.is_over);
  });
  return json.take();
}

std::string Watched::points_json(std::uint64_t after) const {
  formats::JsonWriter json(0);
  const std::uint64_t first = std::clamp(after, history_.first(), history_.next());
  const std::uint64_t last = std::min(history_.next(), first + most_points_at_once);
  json.on_one_line([&] {
    json.array([&] {
      for (std::uint64_t number = first; number < last; ++number) {
        const Point& point = history_.at(number);
        json.object([&] {
          json("number", number);
          json("time", point.time);
          json.array("share", std::array{point.least, point.mean, point.most},
                     [&](const auto& one) { put(json, one); });
          json.array("shares", point.shares, [&](const auto& one) { put(json, one); });
          json.array("calls", point.calls, [&](double one) { put(json, one); });
        });
      }
    });
  });
  return json.take();
}

std::string Watched::state_json(std::uint64_t after) const {
  const std::lock_guard lock(lock_);
  std::string text = state_json_locked(after);
  text.resize(text.rfind('}'));
  return text + cat({",\"due_s\":", formats::json_number(due_s()), "}\n"});
}

/// Until the next look is likely to be over.
double Watched::due_s() const {
  const double since_s = looked_ns_ == 0 ? 0 : 1e-9 * static_cast<double>(nanoseconds_now() - looked_ns_);
  return std::max(interval_s_ + look_s_ - since_s, 0.0);
}

std::string Watched::state_json_locked(std::uint64_t after) const {
  formats::JsonWriter json(0);
  json.object([&] {
    json("format", formats::live_tag.text());
    json("since", since_);
    json("time", time_);
    json("jobs", jobs_);
    json("interval_s", interval_s_);
    json("next", history_.next());
    json("has_matrix", traffic_.is_known());
    json("has_variables", variables_.is_known());
    json("has_controls", controls_.is_known());
    json("takes_policies", takes_policies());
    json.name("changes");
    controls_.put_changes(json);
    if (policies_.is_known()) {
      json.name("policy");
      policies_.put(json);
    }
    json.values("functions", history_.functions());
    json.values("others", others_);
    json.array("problems", problems_, [&](const auto& one) {
      if (one.second > 1) json.put(one.first);
    });
  });
  std::string text = json.take();
  text.resize(text.rfind('}'));
  if (jobs_ != 0) text += cat({",\"job\":", job_json(), ",\"where\":", job_.where_json});
  return text + cat({",\"points\":", points_json(after), "}\n"});
}

namespace {

/// JSON without its line breaks and the spaces that begin lines: texts in it have none.
std::string on_one_line(std::string_view json) {
  std::string line;
  bool is_indent = false;
  for (const char letter : json) {
    is_indent = letter == '\n' || (is_indent && letter == ' ');
    if (!is_indent) line += letter;
  }
  return line;
}

}  // namespace

std::string Watched::matrix_json(std::uint64_t after) const {
  const std::lock_guard lock(lock_);
  return traffic_.json(after);
}

std::string Watched::controls_json() const {
  const std::lock_guard lock(lock_);
  return controls_.json();
}

std::string Watched::variables_json(std::uint64_t first) const {
  const std::lock_guard lock(lock_);
  return variables_.list_json(first);
}

std::string Watched::series_json(std::uint64_t variable, std::uint64_t after) const {
  const std::lock_guard lock(lock_);
  return variables_.series_json(variable, after);
}

std::string Watched::recording_line(Saved& saved) const {
  const std::lock_guard lock(lock_);
  std::string line = "{\"text\":";
  formats::add_json_text(line, text_locked());
  if (traffic_.is_known()) line += ",\"matrix\":" + traffic_.json(saved.matrix);
  if (variables_.is_known()) line += ",\"variables\":" + variables_.news_json(saved.variables, saved.look);
  line += "," + on_one_line(state_json_locked(saved.next)).substr(1) + "\n";
  saved = {history_.next(), traffic_.looks(), variables_.looks(), variables_.count()};
  return line;
}

// ------------------------------------------------------------ a terminal

std::string Watched::rates_text() const {
  if (history_.next() == 0) return "";
  const Point& point = history_.at(history_.next() - 1);
  std::string text;
  if (point.mean)
    text += cat({"time in MPI, by rank: ", text_of("%.0f", 100 * *point.mean), " % on average, ",
                 text_of("%.0f", 100 * *point.least), " to ", text_of("%.0f", 100 * *point.most), " %\n"});
  constexpr std::size_t lines = 10;
  for (const std::size_t i : most_called(point, lines))
    text +=
        cat({"  ", formats::right(text_of("%.0f", point.calls[i]), 10), "  calls/s  ", history_.functions()[i], "\n"});
  return text;
}

std::string Watched::text() const {
  const std::lock_guard lock(lock_);
  return text_locked();
}

std::string Watched::text_locked() const {
  std::string text;
  for (const auto& [problem, looks] : problems_)
    if (looks > 1) text += "cairn: warning: " + problem + "\n";
  if (jobs_ == 0) return text + "no job yet: one started with 'cairn run --tools where' will show up\n";
  if (job_.is_over) text += "the job is over; last seen of it:\n";
  text += job_.where_text;
  const std::string rates = rates_text();
  if (!rates.empty()) text += "\n" + rates;
  if (!others_.empty()) text += cat({"\n", formats::plural(others_.size(), "more job"), " of yours here\n"});
  return text;
}

}  // namespace cairn::live
