// SPDX-License-Identifier: BSD-3-Clause
// variables.cc - values of ranks' boards put side by side, and how they are reported

#include "live/variables.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "base/message.hpp"
#include "formats/json_writer.hpp"
#include "formats/vars_board.hpp"
#include "live/board_reader.hpp"

namespace cairn::live {

namespace {

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

void put_value(formats::JsonWriter& json, double value) {
  if (std::isfinite(value)) json.put_number(value);
  else json.put(nullptr);
}

bool same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

std::string on_one_line(auto members) {
  formats::JsonWriter json(0);
  json.on_one_line([&] { json.object([&] { members(json); }); });
  std::string text = json.take();
  text.erase(text.find_last_not_of('\n') + 1);
  return text;
}

void put_about(formats::JsonWriter& json, const auto& all, std::uint64_t first) {
  json.name("variables");
  json.array([&] {
    for (std::uint64_t i = first; i < all.size(); ++i)
      json.object([&] {
        json("name", all[i].name);
        json("class", all[i].of_class);
        json("text", all[i].text);
        json("of_tool", all[i].of_tool);
        json("grows", all[i].grows);
      });
  });
}

}  // namespace

std::size_t Variables::number_of(const Variable& found) {
  const auto [known, is_new] = by_name_.try_emplace(found.name, all_.size());
  if (is_new && all_.size() < most_variables) all_.push_back(found);
  return known->second;
}

void Variables::read(const where::Process& process, std::vector<ByRank>& values) {
  const BoardReader reader(process, board::variables);
  constexpr auto variable = static_cast<std::uint32_t>(formats::vars::Published::variable);
  reader.for_each([&](std::uint32_t what, std::uint64_t /*number*/, std::span<const char> content) {
    if (what != variable || content.size() <= sizeof(formats::vars::VariableFigures)) return;
    alignas(formats::vars::VariableFigures) char raw[sizeof(formats::vars::VariableFigures)];
    std::memcpy(raw, content.data(), sizeof raw);
    const auto& figures = *reinterpret_cast<const formats::vars::VariableFigures*>(raw);
    content = content.subspan(sizeof raw);
    Variable found;
    for (std::string* const text : {&found.name, &found.of_class, &found.text}) *text = next_text(content);
    found.of_tool = figures.of_tool != 0;
    found.grows = figures.grows != 0;
    const std::size_t number = number_of(found);
    if (number >= all_.size()) return;
    if (values.size() <= number) values.resize(number + 1);
    if (const double value = figures.value.load(std::memory_order_relaxed); std::isfinite(value))
      values[number][process.rank] = value;
  });
}

Variables::Values Variables::values_of(const ByRank& by_rank) const {
  if (is_by_rank()) {
    Values values(static_cast<std::size_t>(std::max(size_, 0)), unknown);
    for (const auto& [rank, value] : by_rank)
      if (rank >= 0 && rank < size_) values[static_cast<std::size_t>(rank)] = value;
    return values;
  }
  double least = unknown;
  double most = unknown;
  double sum = 0;
  for (const auto& [rank, value] : by_rank) {
    least = std::fmin(least, value);
    most = std::fmax(most, value);
    sum += value;
  }
  return {least, by_rank.empty() ? unknown : sum / static_cast<double>(by_rank.size()), most};
}

void Variables::keep(Variable& variable, Values values, double time) const {
  if (!variable.changes.empty() && std::ranges::equal(variable.changes.back().values, values, same)) return;
  const std::size_t room = most_values / (all_.size() * std::max<std::size_t>(values.size(), 1));
  variable.changes.push_back({looks_, time, std::move(values)});
  if (variable.changes.size() > std::clamp<std::size_t>(room, 2, most_changes)) variable.changes.pop_front();
}

void Variables::look(const where::JobPages& job, int size, double time, std::vector<std::string>& problems) {
  if (size != size_) *this = {};
  size_ = size;
  ++looks_;
  std::vector<ByRank> values;
  for (const where::Process& process : job.processes) try {
      read(process, values);
    } catch (const Problem& problem) {
      problems.emplace_back(problem.what());
    }
  for (std::size_t i = 0; i < values.size(); ++i)
    if (!values[i].empty()) keep(all_[i], values_of(values[i]), time);
}

std::string Variables::list_json(std::uint64_t first) const {
  return on_one_line([&](formats::JsonWriter& json) {
    json("ranks", size_);
    json("by_rank", is_by_rank());
    put_about(json, all_, first);
    json.array("values", all_, [&](const Variable& one) {
      json.array(one.changes.empty() ? Values{} : one.changes.back().values,
                 [&](double value) { put_value(json, value); });
    });
  });
}

std::string Variables::series_json(std::uint64_t variable, std::uint64_t after) const {
  return on_one_line([&](formats::JsonWriter& json) {
    json("look", looks_);
    json.name("points");
    json.array([&] {
      if (variable >= all_.size()) return;
      for (const Change& change : all_[variable].changes)
        if (change.look > after)
          json.array([&] {
            json.put_number(change.time);
            for (const double value : change.values) put_value(json, value);
          });
    });
  });
}

std::string Variables::news_json(std::uint64_t first, std::uint64_t after) const {
  return on_one_line([&](formats::JsonWriter& json) {
    json("ranks", size_);
    json("by_rank", is_by_rank());
    put_about(json, all_, first);
    json.name("changes");
    json.array([&] {
      for (std::size_t i = 0; i < all_.size(); ++i) {
        if (all_[i].changes.empty() || all_[i].changes.back().look <= after) continue;
        json.array([&] {
          json.put(i);
          for (const double value : all_[i].changes.back().values) put_value(json, value);
        });
      }
    });
  });
}

}  // namespace cairn::live
