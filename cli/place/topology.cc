// SPDX-License-Identifier: BSD-3-Clause
// topology.cc - reads SwitchName=… Nodes=… and SwitchName=… Switches=… and makes a tree of them
//
// Nodes that hang on a switch above others' are treated as behind a leaf switch of their own there.

#include "cli/place/topology.hpp"

#include <fmt/format.h>
#include <strings.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <sstream>
#include <utility>

#include "base/file_bytes.hpp"
#include "base/message.hpp"
#include "base/text.hpp"
#include "cli/place/hosts.hpp"

namespace cairn::place {

namespace {

constexpr const char* form = "SwitchName=NAME Nodes=LIST, or SwitchName=NAME Switches=LIST";

constexpr const char* no_circles = "switches that do not contain each other";

struct Switch {
  std::string name;
  std::vector<std::string> nodes;
  std::vector<std::string> switches;
  int line = 0;
  bool is_below_another = false;
  bool is_reached = false;  // from a root
};

class Reader {
 public:
  Reader(std::string_view text, const std::string& name) : name_(name) {
    std::string whole;
    int first = 1;
    int number = 0;
    for (const std::string_view line : split(text, '\n')) {
      ++number;
      std::string_view words = line.substr(0, line.find('#'));
      while (!words.empty() && (words.back() == '\r' || words.back() == ' ')) words.remove_suffix(1);
      const bool goes_on = words.ends_with('\\');
      whole += goes_on ? words.substr(0, words.size() - 1) : words;
      if (goes_on) continue;
      line_ = first;
      read_line(whole);
      whole.clear();
      first = number + 1;
    }
    line_ = first;
    read_line(whole);  // of a last line that ends as if another followed
    if (all_.empty()) {
      line_ = number;
      fail("no switch", form);
    }
  }

  Topology take() {
    connect();
    for (Switch& one : all_)
      if (!one.is_below_another) descend(one, {});
    if (topology_.nodes.empty()) {
      line_ = all_.front().line;
      fail("no node behind any switch that is a root of the tree", no_circles);
    }
    check_reached();
    make_even();
    return std::move(topology_);
  }

 private:
  [[noreturn]] void fail(const std::string& what, const std::string& remedy) const {
    throw Problem(fmt::format("'{}', line {}: {}", name_, line_, harmless(what)), harmless(remedy));
  }

  void read_line(const std::string& line) {
    Switch one;
    one.line = line_;
    bool any = false;
    std::istringstream words(line);
    for (std::string word; words >> word; any = true) {
      const std::size_t equals = word.find('=');
      const std::string key = word.substr(0, equals);
      const std::string value = equals == std::string::npos ? "" : word.substr(equals + 1);
      if (strcasecmp(key.c_str(), "SwitchName") == 0) one.name = value;
      else if (strcasecmp(key.c_str(), "Nodes") == 0) one.nodes = list_of(value);
      else if (strcasecmp(key.c_str(), "Switches") == 0) one.switches = list_of(value);
      else if (strcasecmp(key.c_str(), "LinkSpeed") != 0) fail(fmt::format("'{}' is not known", word), form);
    }
    if (!any) return;
    if (one.name.empty()) fail("a switch without a name", form);
    if (one.nodes.empty() == one.switches.empty())
      fail(fmt::format("switch '{}' has neither nodes nor switches, or both", one.name), form);
    if (!place_of_.emplace(one.name, all_.size()).second)
      fail(fmt::format("switch '{}' is listed twice", one.name), "a name for each");
    all_.push_back(std::move(one));
  }

  std::vector<std::string> list_of(const std::string& value) const {
    try {
      return expand_hosts(value);
    } catch (const Problem& problem) {
      fail(problem.what(), problem.remedy);
    }
  }

  void connect() {
    for (const Switch& one : all_)
      for (const std::string& below : one.switches) {
        line_ = one.line;
        const auto found = place_of_.find(below);
        if (found == place_of_.end()) fail(fmt::format("switch '{}' is not described", below), form);
        Switch& other = all_[found->second];
        if (std::exchange(other.is_below_another, true))
          fail(fmt::format("switch '{}' is below two others", below), "a tree of switches");
      }
  }

  void check_reached() {
    const auto lost = std::ranges::find(all_, false, &Switch::is_reached);
    if (lost == all_.end()) return;
    line_ = lost->line;
    fail(fmt::format("switch '{}' is behind no root of the tree", lost->name), no_circles);
  }

  void descend(Switch& one, std::vector<int> path) {
    one.is_reached = true;
    path.push_back(next_++);
    deepest_ = std::max(deepest_, path.size());
    line_ = one.line;
    for (const std::string& node : one.nodes) {
      if (!topology_.path_of.emplace(node, path).second)
        fail(fmt::format("node '{}' is behind two switches", node), "a tree of switches");
      topology_.nodes.push_back(node);
    }
    for (const std::string& below : one.switches) descend(all_[place_of_.at(below)], path);
  }

  void make_even() {
    for (auto& [node, path] : topology_.path_of) path.resize(deepest_, path.back());
  }

  const std::string& name_;
  int line_ = 0;
  std::vector<Switch> all_;
  std::map<std::string, std::size_t> place_of_;
  Topology topology_;
  int next_ = 0;
  std::size_t deepest_ = 0;
};

}  // namespace

Topology read_topology(std::string_view text, const std::string& name) { return Reader(text, name).take(); }

Topology read_topology_file(const std::string& path) {
  const std::optional<std::string> text = whole_file(path);
  if (!text)
    throw Problem(fmt::format("'{}' cannot be read: {}", path, std::strerror(errno)), "Slurm's topology.conf",
                  "--topology " + path);
  return read_topology(*text, path);
}

}  // namespace cairn::place
