// SPDX-License-Identifier: BSD-3-Clause
// whereabouts.cc - asks the system which processors share what

#include "whereabouts.hpp"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <optional>

#include "base/file_bytes.hpp"
#include "base/processes.hpp"
#include "formats/ranks.hpp"

namespace reorder {

namespace {

/// "0-3,8", as the system writes lists.
std::vector<int> processors_in(const std::string& path) {
  const std::optional<std::string> text = cairn::whole_file(path);
  return text ? cairn::formats::ranks_of(*text, cairn::most_processors) : std::vector<int>{};
}

std::vector<int> numa_node_of(const std::string& processor, const std::string& system) {
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator(processor, none)) {
    const std::string name = entry.path().filename();
    if (name.starts_with("node") && name.find_first_not_of("0123456789", 4) == std::string::npos)
      return processors_in(system + "/node/" + name + "/cpulist");
  }
  return {};
}

std::vector<int> cache_of(const std::string& processor, const std::string& level) {
  for (int i = 0; i < 10; ++i) {
    const std::string cache = processor + "/cache/index" + std::to_string(i);
    const std::optional<std::string> found = cairn::whole_file(cache + "/level");
    if (!found) break;
    if (found->starts_with(level)) return processors_in(cache + "/shared_cpu_list");
  }
  return {};
}

}  // namespace

std::array<int, kinds_of_parts> parts_with(const std::vector<int>& processors, const std::string& system) {
  std::array<int, kinds_of_parts> parts = {};
  if (processors.empty()) return parts;
  const std::string processor = system + "/cpu/cpu" + std::to_string(processors.front());
  std::array<std::vector<int>, kinds_of_parts> sets = {processors_in(processor + "/topology/package_cpus_list"),
                                                       numa_node_of(processor, system), cache_of(processor, "3"),
                                                       cache_of(processor, "2")};
  if (sets.front().empty())
    sets.front() = processors_in(processor + "/topology/core_siblings_list");  // before Linux 5.3
  std::ranges::stable_sort(sets, std::ranges::greater(), &std::vector<int>::size);
  for (std::size_t i = 0; i < parts.size(); ++i)
    if (std::ranges::includes(sets[i], processors)) parts[i] = sets[i].front() + 1;
  return parts;
}

}  // namespace reorder
