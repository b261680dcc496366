// SPDX-License-Identifier: BSD-3-Clause
// hosts.cc - reads lists and files of nodes

#include "cli/place/hosts.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cstring>
#include <fstream>
#include <optional>

#include "base/message.hpp"
#include "base/text.hpp"

namespace cairn::place {

namespace {

constexpr const char* blanks = " \t\r";
constexpr const char* form_of_host = "NAME, NAME:CORES or NAME slots=CORES";
constexpr int most_cores = 1 << 20;
constexpr std::size_t most_hosts = 1U << 20U;

std::optional<int> number_of(std::string_view text) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size() || number < 0) return std::nullopt;
  return number;
}

[[noreturn]] void refuse(std::string_view list) {
  throw Problem(fmt::format("'{}' is not a list of nodes", harmless(list)), "names as in n1,n[2-8] or n1:16,n2:8");
}

/// At commas outside of brackets.
std::vector<std::string_view> members(std::string_view list) {
  std::vector<std::string_view> parts;
  std::size_t begin = 0;
  bool inside = false;
  for (std::size_t i = 0; i <= list.size(); ++i) {
    if (i < list.size() && list[i] == '[') inside = true;
    if (i < list.size() && list[i] == ']') inside = false;
    if (i < list.size() && (inside || list[i] != ',')) continue;
    parts.push_back(list.substr(begin, i - begin));
    begin = i + 1;
  }
  return parts;
}

/// "02-04" is 02, 03, 04.
std::vector<std::string> expand_range(std::string_view range, std::string_view list) {
  const std::size_t dash = range.find('-');
  const std::string_view first = range.substr(0, dash);
  const auto low = number_of(first);
  const auto high = dash == std::string_view::npos ? low : number_of(range.substr(dash + 1));
  if (!low || !high || *high < *low || static_cast<std::size_t>(*high - *low) >= most_hosts) refuse(list);
  std::vector<std::string> numbers;
  for (int i = *low; i <= *high; ++i) numbers.push_back(fmt::format("{:0{}}", i, first.size()));
  return numbers;
}

std::vector<std::string> expand_one(std::string_view word, std::string_view list) {
  const std::size_t open = word.find('[');
  if (open == std::string_view::npos) {
    if (word.empty() || word.find_first_of("] \t=") != std::string_view::npos) refuse(list);
    return {std::string(word)};
  }
  const std::size_t close = word.find(']', open);
  if (close == std::string_view::npos) refuse(list);
  const std::string_view rest = word.substr(close + 1);
  const std::vector<std::string> ends = rest.empty() ? std::vector<std::string>{""} : expand_one(rest, list);
  std::vector<std::string> names;
  for (const std::string_view range : split(word.substr(open + 1, close - open - 1), ','))
    for (const std::string& number : expand_range(range, list))
      for (const std::string& end : ends) {
        if (names.size() == most_hosts) refuse(list);
        names.push_back(std::string(word.substr(0, open)) + number + end);
      }
  return names;
}

/// Of "slots=16 max_slots=32", 16.
std::optional<std::string_view> slots_in(std::string_view words) {
  constexpr std::string_view key = "slots=";
  while (!words.empty()) {
    const std::size_t begin = std::min(words.find_first_not_of(blanks), words.size());
    const std::size_t end = std::min(words.find_first_of(blanks, begin), words.size());
    if (const std::string_view word = words.substr(begin, end - begin); word.starts_with(key))
      return word.substr(key.size());
    words.remove_prefix(end);
  }
  return std::nullopt;
}

/// "NAMES" or "NAMES:CORES"
void add_hosts(std::string_view word, std::string_view list, std::vector<Host>& hosts) {
  const std::size_t colon = word.rfind(':');
  int cores = 0;
  if (colon != std::string_view::npos) {
    const auto number = number_of(word.substr(colon + 1));
    if (!number || *number == 0 || *number > most_cores) refuse(list);
    cores = *number;
  }
  for (std::string& name : expand_one(word.substr(0, colon), list)) hosts.push_back({std::move(name), cores});
}

}  // namespace

std::vector<std::string> expand_hosts(std::string_view list) {
  std::vector<std::string> names;
  for (const std::string_view word : members(list))
    for (std::string& name : expand_one(word, list)) names.push_back(std::move(name));
  return names;
}

std::vector<Host> hosts_of(std::string_view list) {
  std::vector<Host> hosts;
  for (const std::string_view word : members(list)) add_hosts(word, list, hosts);
  return hosts;
}

std::vector<Host> hosts_in_file(const std::string& path) {
  std::ifstream in(path);
  if (!in)
    throw Problem(fmt::format("'{}' cannot be read: {}", path, std::strerror(errno)),
                  "a file with a node in each line");
  std::vector<Host> hosts;
  int number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    std::string text = line.substr(0, line.find('#'));
    const std::size_t begin = text.find_first_not_of(blanks);
    if (begin == std::string::npos) continue;
    const std::size_t end = std::min(text.find_first_of(blanks, begin), text.size());
    std::string word = text.substr(begin, end - begin);
    if (const auto cores = slots_in(std::string_view(text).substr(end))) word += ":" + std::string(*cores);
    try {
      add_hosts(word, word, hosts);
    } catch (const Problem&) {
      throw Problem(fmt::format("'{}', line {}: '{}' is not a node", path, number, harmless(text.substr(begin))),
                    form_of_host);
    }
  }
  if (hosts.empty())
    throw Problem(fmt::format("'{}' names no node", path), std::string("a line for each: ") + form_of_host);
  return hosts;
}

}  // namespace cairn::place
