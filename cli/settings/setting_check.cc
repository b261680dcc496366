// SPDX-License-Identifier: BSD-3-Clause
// setting_check.cc - asks the library with the settings in force, and says why one of them was not taken
//
// Scope and type alone do not tell: Open MPI calls variables constant that it takes from the environment, and MPICH
// wants names for some that it shows as numbers.

#include "cli/settings/setting_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>
#include <utility>

#include "base/message.hpp"
#include "base/text.hpp"
#include "cli/program.hpp"
#include "cli/settings/variable_query.hpp"
#include "policy/named_values.hpp"

namespace cairn::cli {

namespace {

/// What the user may have meant: up to three names.
std::string near_names(const std::string& wanted, const Json& variables) {
  constexpr std::size_t shown = 3;
  std::vector<std::pair<std::size_t, std::string>> near;
  for (const Json& entry : variables) {
    const auto name = entry["name"].get<std::string>();
    const std::size_t far = edit_distance(wanted, name);
    if (far <= 2 + wanted.size() / 4 || (wanted.size() > 3 && name.find(wanted) != std::string::npos))
      near.emplace_back(far, name);
  }
  std::ranges::sort(near);
  if (near.size() > shown) near.resize(shown);
  std::vector<std::string> names;
  for (const auto& [far, name] : near) names.push_back(name);
  return names.empty() ? "'cairn vars --before-init', which lists all names" : join(names, ", ");
}

template <class Number>
std::optional<Json> read_number(std::string_view text) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

/// With k, m or g behind it, as Open MPI takes it.
std::optional<Json> read_whole(std::string_view text, bool with_sign) {
  unsigned shift = 0;
  if (!text.empty())
    for (const auto& [letters, bits] : {std::pair{"kK", 10U}, {"mM", 20U}, {"gG", 30U}})
      if (std::string_view(letters).find(text.back()) != std::string_view::npos) shift = bits;
  if (shift != 0) text.remove_suffix(1);
  const auto number = with_sign ? read_number<std::int64_t>(text) : read_number<std::uint64_t>(text);
  if (!number || shift == 0) return number;
  return with_sign ? Json(number->get<std::int64_t>() * (std::int64_t{1} << shift))
                   : Json(number->get<std::uint64_t>() << shift);
}

std::optional<Json> read_switch(std::string_view text) {
  for (const char* word : {"1", "t", "true", "y", "yes", "enabled"})
    if (text == word) return true;
  for (const char* word : {"0", "f", "false", "n", "no", "disabled"})
    if (text == word) return false;
  return std::nullopt;
}

/// The text as a value of the variable; none if it cannot be one.
std::optional<Json> meaning(const std::string& text, const Json& entry, const Json& items) {
  const auto type = entry["type"].get<std::string>();
  if (type == "char") return text;
  if (type == "bool") return read_switch(text);
  for (const Json& item : items)
    if (item["name"] == text) return item["value"];
  if (type == "double") return read_number<double>(text);
  return read_whole(text, !type.starts_with("unsigned"));
}

/// Strings have no elements; of a variable that can be read only later it is not known how many it has.
std::size_t count_of(const Setting& setting, const Json& entry) {
  if (!entry.contains("value") && setting.element) return std::numeric_limits<std::size_t>::max();
  const Json value = entry.value("value", Json());
  return value.is_array() ? value.size() : 1;
}

/// Of an array: a number for each element, or one for all.
std::optional<Json> list_meaning(const std::string& text, const Json& entry, const Json& items) {
  Json list = Json::array();
  for (const std::string_view part : split(text, ',')) {
    const auto number = meaning(std::string(part), entry, items);
    if (!number) return std::nullopt;
    list.push_back(*number);
  }
  return list;
}

std::string seen_text(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (!value.is_array()) return value.dump();
  std::vector<std::string> elements;
  for (const Json& element : value) elements.push_back(element.dump());
  return join(elements, ",");
}

/// Of the layers, each of which has a category in the category "cairn".
bool is_of_tool(const std::string& name, const Json& list) {
  const Json categories = list.value("categories", Json::array());
  const Json* const cairn = find_named(categories, "cairn");
  if (cairn == nullptr) return false;
  for (const Json& layer : (*cairn)["categories"])
    if (const Json* const category = find_named(categories, layer))
      for (const Json& variable : (*category)["control_variables"])
        if (variable == name) return true;
  return false;
}

[[noreturn]] void refuse(const Setting& setting, const std::string& why, const std::string& remedy) {
  throw Problem("'" + setting.target() + "' cannot be set: " + why, remedy, setting.origin);
}

void check_ranks(const Setting& setting, const Json& entry) {
  const auto scope = entry["scope"].get<std::string>();
  if (!setting.ranks.empty() && (scope == "all_eq" || scope == "group_eq"))
    refuse(setting, "it must have one value on all ranks (its scope is " + scope + ")",
           setting.target() + "=" + setting.value);
}

void check_after_init(const Setting& setting, const Json& entry, const std::optional<Json>& wanted, const Json& items,
                      std::size_t count) {
  const auto scope = entry["scope"].get<std::string>();
  if (scope == "constant" || scope == "readonly")
    refuse(setting, "it can only be read (its scope is " + scope + ")", "");
  if (!wanted) refuse(setting, policy::not_a_value(setting.value), kind_of_value(entry, items));
  if (wanted->is_array() && wanted->size() > 1 && wanted->size() != count)
    refuse(setting, policy::not_so_many(count, wanted->size()), "a value for each of them, or one for all");
}

void check_of_library(const Setting& setting, const Json& entry, const std::optional<Json>& wanted, const Json& items) {
  // MPICH, which takes names that MPI_T does not tell, has started with it.
  if (!wanted && mpi_of_name(setting.name) == "mpich") return;
  if (!wanted) refuse(setting, policy::not_a_value(setting.value), kind_of_value(entry, items));
  if (*wanted == entry.value("value", Json())) return;
  refuse(setting,
         "the MPI library keeps " + seen_text(entry.value("value", Json())) +
             (entry["scope"] == "constant" ? " (it is a constant)" : ""),
         kind_of_value(entry, items));
}

/// Values that have a name as the library's environment takes them: MPICH takes names only; Open MPI numbers only, but
/// of an enumeration both.
std::vector<Setting> as_library_takes(const std::vector<Setting>& settings, const Json& list) {
  std::vector<Setting> spelled = settings;
  for (Setting& setting : spelled) {
    const Json* const entry = find_named(list["control_variables"], setting.name);
    if (entry == nullptr || entry->contains("enumeration")) continue;
    const bool by_name = mpi_of_name(setting.name) == "mpich";
    for (const Json& item : items_of(list, *entry)) {
      const auto name = item["name"].get<std::string>();
      const std::string number = item["value"].dump();
      if (setting.value == (by_name ? number : name)) setting.value = by_name ? name : number;
    }
  }
  return spelled;
}

/// Of a library that did not start with it.
void refuse_what_has_no_name(const Setting& setting, const Json& list) {
  const Json* const entry = find_named(list["control_variables"], setting.name);
  const Json items = entry == nullptr ? Json::array() : items_of(list, *entry);
  const bool is_named = std::ranges::any_of(
      items, [&](const Json& item) { return item["name"] == setting.value || item["value"].dump() == setting.value; });
  if (!items.empty() && !is_named) refuse(setting, policy::not_a_value(setting.value), kind_of_value(*entry, items));
}

/// The n-th setting of each name: ranks may have different values, a process that is asked has one.
std::vector<Setting> turn_of(const std::vector<Setting>& settings, std::size_t turn) {
  std::vector<Setting> chosen;
  for (auto one = settings.begin(); one != settings.end(); ++one) {
    const auto earlier =
        std::count_if(settings.begin(), one, [&](const Setting& s) { return s.target() == one->target(); });
    if (static_cast<std::size_t>(earlier) == turn && !one->is_plain()) chosen.push_back(*one);
  }
  return chosen;
}

Json ask_in_force(const std::vector<Setting>& settings, const std::string& mpi, const std::string& tools) {
  VariableQuestion question{mpi, tools, true, {}, true};
  for (const Setting& setting : settings)
    if (!setting.element) question.environment.emplace_back(environment_name(setting.name), setting.value);
  try {
    return ask_variables(question);
  } catch (const Problem&) {
    question.environment.clear();
    const Json list = ask_variables(question);  // the library itself is well
    for (const Setting& setting : settings)
      if (find_named(list["control_variables"], setting.name) == nullptr) check_setting(setting, list);
    for (const Setting& setting : settings) refuse_what_has_no_name(setting, list);
    std::vector<std::string> texts;
    for (const Setting& setting : settings) texts.push_back(setting.text());
    throw Problem("the MPI library does not start with " + join(texts, ", "),
                  "cairn vars --details " + settings.front().name, settings.front().origin);
  }
}

std::vector<CheckedSetting> check_in_force(const std::vector<Setting>& settings, const std::string& mpi,
                                           const std::string& tools) {
  const Json list = ask_in_force(settings, mpi, tools);
  std::vector<CheckedSetting> checked;
  for (const Setting& setting : settings) checked.push_back(check_setting(setting, list));
  return checked;
}

/// First as they are given: to ask the library what it takes costs as much again.
std::vector<CheckedSetting> check_or_respell(const std::vector<Setting>& settings, const std::string& mpi,
                                             const std::string& tools) {
  try {
    return check_in_force(settings, mpi, tools);
  } catch (const Problem&) {
    const std::vector<Setting> spelled = as_library_takes(settings, ask_variables({mpi, tools, true, {}, true}));
    if (std::ranges::equal(spelled, settings, {}, &Setting::value, &Setting::value)) throw;
    return check_in_force(spelled, mpi, tools);
  }
}

}  // namespace

CheckedSetting check_setting(const Setting& setting, const Json& list) {
  const Json& variables = list["control_variables"];
  const Json* const entry = find_named(variables, setting.name);
  if (entry == nullptr)
    refuse(setting, "there is no control variable of this name", near_names(setting.name, variables));
  check_ranks(setting, *entry);
  const std::size_t count = count_of(setting, *entry);
  if (setting.element && count <= std::max<std::size_t>(*setting.element, 1))
    refuse(setting, policy::no_element(count), "");
  const Json items = items_of(list, *entry);
  const bool is_whole_array = count > 1 && !setting.element;
  const std::optional<Json> wanted =
      is_whole_array ? list_meaning(setting.value, *entry, items) : meaning(setting.value, *entry, items);
  // How an array would be written in the environment is each library's own matter.
  const bool is_elements = setting.element || (is_whole_array && wanted);
  CheckedSetting checked{setting, is_elements || is_of_tool(setting.name, list), ""};
  if (checked.after_init) check_after_init(setting, *entry, wanted, items, count);
  else check_of_library(setting, *entry, wanted, items);
  checked.seen = seen_text(checked.after_init ? *wanted : entry->value("value", Json()));
  return checked;
}

std::string mpi_for(const std::vector<std::string>& command, const std::vector<Setting>& settings) {
  for (const std::string& word : command) {
    try {
      int code = 0;
      if (const auto mpi = linked_mpi(find_program(word, code))) return std::string(mpi->family->id);
    } catch (const Problem&) {  // an argument, not a program
    }
  }
  const std::string of_launcher = mpi_of_launcher();
  if (!of_launcher.empty() || settings.empty()) return of_launcher;
  return mpi_of_name(settings.front().name);
}

std::vector<CheckedSetting> check_settings(const std::vector<Setting>& settings, const std::string& mpi,
                                           const std::string& tools) {
  std::vector<CheckedSetting> checked;
  for (const Setting& setting : settings)
    if (setting.is_plain()) checked.push_back({setting, false, ""});
  for (std::size_t turn = 0;; ++turn) {
    const std::vector<Setting> chosen = turn_of(settings, turn);
    if (chosen.empty()) return checked;
    for (CheckedSetting& setting : check_or_respell(chosen, mpi, tools)) checked.push_back(std::move(setting));
  }
}

}  // namespace cairn::cli
