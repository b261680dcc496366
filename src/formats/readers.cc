// SPDX-License-Identifier: BSD-3-Clause
// readers.cc - the readers of all result files

#include "formats/readers.hpp"

#include <bit>
#include <cmath>

#include "formats/field_reader.hpp"

namespace cairn::formats {

// ------------------------------------------------------------ scalars

namespace {

/// `number` as far as `Integer` goes.
template <class Integer>
Integer whole(double number) {
  constexpr double least = std::numeric_limits<Integer>::min();
  constexpr double beyond = std::is_signed_v<Integer> ? 0x1p63 : 0x1p64;
  if (std::isnan(number)) return 0;
  if (number >= beyond) return std::numeric_limits<Integer>::max();
  return number <= least ? std::numeric_limits<Integer>::min() : static_cast<Integer>(number);
}

}  // namespace

bool FieldReader::read_scalar(const Json& json, std::string& value) {
  if (!json.is_string()) return false;
  value = json.get_ref<const std::string&>();
  return true;
}

bool FieldReader::read_scalar(const Json& json, bool& value) {
  if (!json.is_boolean()) return false;
  value = json.get<bool>();
  return true;
}

bool FieldReader::read_scalar(const Json& json, double& value) {
  if (!json.is_number()) return false;
  value = json.get<double>();
  return true;
}

bool FieldReader::read_scalar(const Json& json, std::int64_t& value) {
  if (!json.is_number()) return false;
  if (json.is_number_float()) value = whole<std::int64_t>(json.get<double>());
  else if (json.is_number_unsigned())
    value = static_cast<std::int64_t>(std::min<std::uint64_t>(json.get<std::uint64_t>(), INT64_MAX));
  else value = json.get<std::int64_t>();
  return true;
}

bool FieldReader::read_scalar(const Json& json, std::uint64_t& value) {
  if (!json.is_number()) return false;
  if (json.is_number_float()) value = whole<std::uint64_t>(json.get<double>());
  else if (json.is_number_unsigned()) value = json.get<std::uint64_t>();
  else value = static_cast<std::uint64_t>(std::max<std::int64_t>(json.get<std::int64_t>(), 0));
  return true;
}

// ------------------------------------------------------------ members and rows

const Json* FieldReader::find(std::string_view key) const {
  const auto found = json_.find(std::string(key));
  return found == json_.end() ? nullptr : &*found;
}

void FieldReader::ranks(std::string_view key, std::vector<int>& all) {
  std::string text;
  (*this)(key, text);
  all = ranks_of(text, most_ranks_);
}

const Json& FieldReader::next() {
  if (!json_.is_array() || place_ == json_.size()) throw Damaged();
  return json_[place_++];
}

std::string FieldReader::next_word() {
  std::string word;
  read_next(word);
  return word;
}

bool FieldReader::is_next(std::string_view word) {
  const bool is_it = json_.is_array() && place_ < json_.size() && json_[place_] == word;
  if (is_it) ++place_;
  return is_it;
}

void FieldReader::power_of_two(std::uint8_t& exponent) {
  std::uint64_t power = 0;
  read_next(power);
  if (!std::has_single_bit(power)) throw Damaged();
  exponent = static_cast<std::uint8_t>(std::countr_zero(power));
}

void FieldReader::microseconds(std::uint64_t& value) {
  double seconds = 0;
  read_next(seconds);
  value = whole<std::uint64_t>(std::round(1e6 * seconds));
}

// ------------------------------------------------------------ files

namespace {

constexpr int most_ranks = 1 << 24;  // of any job

template <class File>
File file_of(const Json& json, int ranks = most_ranks) {
  File file;
  FieldReader(json, ranks).read(json, file);
  return file;
}

void check_ranks(int ranks, std::size_t nodes) {
  constexpr double most_on_node = 65'536;
  nodes = std::max<std::size_t>(nodes, 1);
  if (ranks >= 0 && ranks <= most_on_node * static_cast<double>(nodes)) return;
  throw Damaged(cat({"it says ", ranks, " ranks on ", plural(nodes, "node")}));
}

/// What tells how much there can be in a file, before the rest is read.
struct Extent {
  struct Node {
    static void fields(auto& /*file*/, auto& /*node*/) {}
  };
  int ranks = 0;
  int rank = -1;
  std::vector<Node> nodes;

  static void fields(auto& file, auto& extent) {
    file("ranks", extent.ranks);
    file("rank", extent.rank);
    file("nodes", extent.nodes);
  }
};

/// Of what the file names by number, there is none beyond.
void check_numbers(const comm::Summary& summary) {
  const auto check_rank = [&](int rank) {
    if (rank >= summary.ranks) throw Damaged();
  };
  const auto check = [&](const auto& one) {
    check_rank(one.rank);
    if constexpr (requires { one.communicator; })
      if (one.communicator >= summary.communicators.size()) throw Damaged();
  };
  for (const comm::Phase& phase : summary.phases) {
    for (const std::vector<comm::Flow>& flows : phase.flows)
      for (const comm::Flow& flow : flows) check_rank(std::max(flow.from, flow.to));
    std::ranges::for_each(phase.shares, check);
    std::ranges::for_each(phase.calls, check);
    std::ranges::for_each(phase.operations, check);
    for (const comm::Files& files : phase.files)
      if (check(files); files.rank < 0) throw Damaged();
  }
}

}  // namespace

profile::Summary read_profile(const Json& json) { return file_of<profile::Summary>(json); }
policy::Summary read_policy(const Json& json) { return file_of<policy::Summary>(json); }
vars::Summary read_vars(const Json& json) { return file_of<vars::Summary>(json); }
SourcePosition read_place(const Json& json) { return file_of<SourcePosition>(json); }

comm::Summary read_comm(const Json& json) {
  const auto extent = file_of<Extent>(json);
  if (extent.rank < 0) check_ranks(extent.ranks, extent.nodes.size());
  auto summary = file_of<comm::Summary>(json, std::min(extent.ranks, most_ranks));
  check_numbers(summary);
  return summary;
}

void check_ranks(const comm::Summary& whole) { check_ranks(whole.ranks, whole.nodes.size()); }

}  // namespace cairn::formats
