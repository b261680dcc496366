// SPDX-License-Identifier: BSD-3-Clause
// output.cc - writing a summary

#include "output.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#define JSON_NO_IO
#include <nlohmann/json.hpp>

#define FMT_HEADER_ONLY
#define FMT_STATIC_THOUSANDS_SEPARATOR ','  // spares the tool the C++ library's locales, half its size
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "shared/figure.hpp"
#include "shared/histogram.hpp"

namespace comm {

namespace {

using shared::saturating_sum;

// ------------------------------------------------------------ JSON

/// As JSON has texts.
std::string quoted(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

using Out = std::back_insert_iterator<std::string>;

/// The items with commas and one per line between brackets.
template <class Items, class Each>
void add_list(std::string& out, const char* name, const Items& items, Each each) {
  if (items.empty()) return;
  fmt::format_to(Out(out), ",\n   \"{}\": [", name);
  const char* before = "\n    ";
  for (const auto& item : items) {
    out += before;
    each(item);
    before = ",\n    ";
  }
  out += ']';
}

/// Pairs of a limit, which no message's size reaches, and a number of messages.
std::string sizes_text(const Sizes& sizes) {
  std::string text;
  for (const auto& [bin, messages] : sizes)
    fmt::format_to(Out(text), "{}[{},{}]", text.empty() ? "" : ",", std::uint64_t{1} << bin, messages);
  return "[" + text + "]";
}

void add_phase(std::string& out, const Phase& phase) {
  fmt::format_to(Out(out), "  {{\"name\": {}", quoted(phase.name));
  for (std::size_t kind = 0; kind < flow_kinds; ++kind)
    add_list(out, flow_names[kind].data(), phase.flows[kind], [&](const Flow& flow) {
      fmt::format_to(Out(out), "[{},{},{},{},{}]", flow.from, flow.to, flow.messages, flow.bytes,
                     sizes_text(flow.sizes));
    });
  add_list(out, "coll_shared", phase.shares, [&](const Share& share) {
    fmt::format_to(Out(out), "[{},\"{}\",{},{},{},{}]", share.communicator,
                   reach_names[static_cast<std::size_t>(share.reach)], share.rank, share.messages, share.bytes,
                   sizes_text(share.sizes));
  });
  add_list(out, "collectives", phase.calls, [&](const Calls& calls) {
    fmt::format_to(Out(out), "[{},{},{},{},{},{},{},{}]", calls.communicator, calls.rank, calls.one_to_all.messages,
                   calls.one_to_all.bytes, calls.all_to_one.messages, calls.all_to_one.bytes, calls.all_to_all.messages,
                   calls.all_to_all.bytes);
  });
  add_list(out, "files", phase.files, [&](const Files& files) {
    fmt::format_to(Out(out), "[{},{},{},{},{}]", files.rank, files.read.messages, files.read.bytes,
                   files.written.messages, files.written.bytes);
  });
  out += '}';
}

}  // namespace

std::string format_json(const Summary& summary) {
  std::string out = fmt::format("{{\n \"format\": \"cairn-comm 1\",\n \"program\": {},\n \"ranks\": {}",
                                quoted(summary.program), summary.ranks);
  if (summary.rank >= 0) fmt::format_to(Out(out), ",\n \"rank\": {}", summary.rank);
  fmt::format_to(Out(out), ",\n \"saturated\": {},\n \"lost\": {}", summary.saturated, summary.lost);
  add_list(out, "nodes", summary.nodes, [&](const Node& node) {
    fmt::format_to(Out(out), R"({{"name": {}, "ranks": "{}"}})", quoted(node.name), ranks_text(node.ranks));
  });
  add_list(out, "communicators", summary.communicators, [&](const Communicator& one) {
    fmt::format_to(Out(out), R"({{"name": {}, "members": "{}", "remote": "{}", "number": {}}})", quoted(one.name),
                   one.members, one.remote, one.number);
  });
  out += ",\n \"phases\": [";
  const char* before = "\n";
  for (const Phase& phase : summary.phases) {
    out += before;
    add_phase(out, phase);
    before = ",\n";
  }
  return out + "\n ]\n}\n";
}

// ------------------------------------------------------------ matrices

namespace {

/// One sender's row of a matrix, with a place for every receiver.
class Row {
 public:
  explicit Row(int ranks) : volumes_(static_cast<std::size_t>(ranks)) {}

  void add(int to, const Volume& volume) {
    if (to < 0) return;
    Volume& place = volumes_[static_cast<std::size_t>(to)];
    if (place.messages == 0) used_.push_back(to);
    place.add(volume);
  }
  /// In ascending order; empties the row.
  template <class Visit>
  void take(Visit visit) {
    std::ranges::sort(used_);
    for (const int to : used_) visit(to, std::exchange(volumes_[static_cast<std::size_t>(to)], Volume{}));
    used_.clear();
  }

 private:
  std::vector<Volume> volumes_;
  std::vector<int> used_;
};

/// Shares as the flows that they stand for, row by row: kept as they are, since everybody to everybody is many pairs.
class SharedFlows {
 public:
  /// More pairs than this are not written one by one.
  static constexpr std::uint64_t most_pairs = 1U << 24U;

  explicit SharedFlows(const Summary& summary) : summary_(summary) {
    for (const Phase& phase : summary.phases)
      for (const Share& share : phase.shares) {
        Volume& sum = sums_[{share.rank, share.communicator, share.reach}];
        if (sum.messages == 0) pairs_ += members_of(share.communicator).size();
        sum.add(share);
      }
    if (!fit()) return;
    for (const auto& [key, sum] : sums_)
      if (key.reach == Reach::from_all) add_received(key, sum);
  }

  bool fit() const { return pairs_ <= most_pairs; }

  /// What `from` sends.
  void add_row(int from, Row& row) {
    if (!fit()) return;
    for (auto one = sums_.lower_bound({from, 0, Reach::to_all}); one != sums_.end() && one->first.rank == from; ++one)
      if (one->first.reach != Reach::from_all) add_sent(one->first, one->second, row);
    for (auto [one, end] = received_.equal_range(from); one != end; ++one)
      row.add(one->second.first, one->second.second);
  }

 private:
  struct Sum {
    int rank;
    std::uint32_t communicator;
    Reach reach;
    friend auto operator<=>(const Sum&, const Sum&) = default;
  };

  const std::vector<int>& members_of(std::uint32_t communicator) {
    auto& known = members_[communicator];
    if (known.empty()) known = ranks_of(summary_.communicators[communicator].members);
    return known;
  }

  void add_sent(const Sum& key, const Volume& volume, Row& row) {
    if (!summary_.communicators[key.communicator].remote.empty()) {
      for (const int to : partners(summary_.communicators[key.communicator], as_share(key))) row.add(to, volume);
      return;
    }
    bool later = key.reach == Reach::to_all;
    for (const int to : members_of(key.communicator)) {
      if (to == key.rank) later = true;
      else if (later) row.add(to, volume);
    }
  }
  void add_received(const Sum& key, const Volume& volume) {
    for (const int from : partners(summary_.communicators[key.communicator], as_share(key)))
      if (from >= 0) received_.emplace(from, std::pair(key.rank, volume));
  }
  static Share as_share(const Sum& key) {
    Share share;
    share.rank = key.rank;
    share.reach = key.reach;
    return share;
  }

  const Summary& summary_;
  std::map<Sum, Volume> sums_;
  std::map<std::uint32_t, std::vector<int>> members_;
  std::multimap<int, std::pair<int, Volume>> received_;
  std::uint64_t pairs_ = 0;
};

struct Matrix {
  const char* name;
  std::vector<FlowKind> kinds;
  bool with_shares;
};

/// Goes over the rows of a matrix; `visit(from, to, volume)` is called in order.
template <class Visit>
void for_each_pair(const Summary& summary, const Matrix& matrix, SharedFlows& shared_flows, Visit visit) {
  std::vector<std::vector<Flow>> flows;
  for (const FlowKind kind : matrix.kinds) flows.push_back(over_phases(summary, kind));
  std::vector<std::size_t> next(flows.size(), 0);
  for (std::size_t i = 0; i < flows.size(); ++i)
    while (next[i] < flows[i].size() && flows[i][next[i]].from < 0) ++next[i];
  Row row(summary.ranks);
  for (int from = 0; from < summary.ranks; ++from) {
    for (std::size_t i = 0; i < flows.size(); ++i)
      for (; next[i] < flows[i].size() && flows[i][next[i]].from == from; ++next[i])
        row.add(flows[i][next[i]].to, flows[i][next[i]]);
    if (matrix.with_shares) shared_flows.add_row(from, row);
    row.take([&](int to, const Volume& volume) { visit(from, to, volume); });
  }
}

void write_matrix(const Summary& summary, const Matrix& matrix, SharedFlows& shared_flows, const WritePiece& write) {
  std::uint64_t count = 0;
  for_each_pair(summary, matrix, shared_flows, [&](int, int, const Volume&) { ++count; });
  const bool whole = !matrix.with_shares || shared_flows.fit();
  for (const bool bytes : {true, false}) {
    const std::string file = fmt::format("{}.{}.mtx", matrix.name, bytes ? "bytes" : "messages");
    std::string text = fmt::format(
        "%%MatrixMarket matrix coordinate integer general\n% {} sent, {}; row: sender, column: receiver, world ranks "
        "from 1\n",
        bytes ? "bytes" : "messages", matrix.name);
    if (!whole) text += "% without the collective calls in which all partners get alike: see comm.json\n";
    fmt::format_to(Out(text), "{} {} {}\n", summary.ranks, summary.ranks, count);
    for_each_pair(summary, matrix, shared_flows, [&](int from, int to, const Volume& volume) {
      fmt::format_to(Out(text), "{} {} {}\n", from + 1, to + 1, bytes ? volume.bytes : volume.messages);
      if (text.size() < (1U << 20U)) return;
      write(file, text);
      text.clear();
    });
    write(file, text);
  }
}

}  // namespace

void write_matrices(const Summary& summary, const WritePiece& write) {
  SharedFlows shared_flows(summary);
  for (const Matrix& matrix : {Matrix{"p2p", {p2p}, false}, Matrix{"osc", {put, fetched}, false},
                               Matrix{"coll", {coll}, true}, Matrix{"total", {p2p, put, fetched, coll}, true}})
    write_matrix(summary, matrix, shared_flows, write);
}

// ------------------------------------------------------------ Open MPI's text

namespace {

constexpr std::size_t seed_bins = 66;

std::string bins_text(const Sizes& sizes) {
  std::array<std::uint64_t, seed_bins> bins{};
  for (const auto& [bin, messages] : sizes) bins[bin] = messages;
  return fmt::format("{}", fmt::join(bins, ","));
}

std::string row_text(char letter, int from, int to, const Volume& volume) {
  return fmt::format("{}\t{}\t{}\t{} bytes\t{} msgs sent", letter, from, to, volume.bytes, volume.messages);
}

void add_communicators(std::string& out, const Summary& summary) {
  std::map<std::uint32_t, Calls> sums;
  for (const Phase& phase : summary.phases)
    for (const Calls& calls : phase.calls) {
      Calls& sum = sums[calls.communicator];
      sum.one_to_all.add(calls.one_to_all);
      sum.all_to_one.add(calls.all_to_one);
      sum.all_to_all.add(calls.all_to_all);
    }
  for (std::uint32_t number = 0; number < summary.communicators.size(); ++number) {
    const Communicator& one = summary.communicators[number];
    const Calls& sum = sums[number];
    std::vector<int> ranks = ranks_of(one.members);
    for (const int rank : ranks_of(one.remote)) ranks.push_back(rank);
    fmt::format_to(Out(out), "D\t{}\tprocs: {}\n", one.name, fmt::join(ranks, ","));
    fmt::format_to(Out(out), "O2A\t{}\t{} bytes\t{} msgs sent\n", summary.rank, sum.one_to_all.bytes,
                   sum.one_to_all.messages);
    fmt::format_to(Out(out), "A2O\t{}\t{} bytes\t{} msgs sent\n", summary.rank, sum.all_to_one.bytes,
                   sum.all_to_one.messages);
    fmt::format_to(Out(out), "A2A\t{}\t{} bytes\t{} msgs sent\n", summary.rank, sum.all_to_all.bytes,
                   sum.all_to_all.messages);
  }
}

}  // namespace

std::string format_prof(const Summary& summary) {
  std::string out = "# POINT TO POINT\n";
  for (const Flow& flow : over_phases(summary, p2p))
    out += row_text('E', summary.rank, flow.to, flow) + "\t" + bins_text(flow.sizes) + "\n";
  out += "# OSC\n";
  for (const Flow& flow : over_phases(summary, put)) out += row_text('S', summary.rank, flow.to, flow) + "\n";
  for (const Flow& flow : over_phases(summary, fetched)) out += row_text('R', summary.rank, flow.from, flow) + "\n";
  out += "# COLLECTIVES\n";
  for (const auto& [to, volume] : row_of(summary, coll)) out += row_text('C', summary.rank, to, volume) + "\n";
  add_communicators(out, summary);
  return out;
}

// ------------------------------------------------------------ for people

namespace {

std::string human_bytes(std::uint64_t bytes) {
  if (bytes < 1000) return fmt::format("{} B", bytes);
  constexpr const char* units[] = {"kB", "MB", "GB", "TB", "PB", "EB"};
  double value = static_cast<double>(bytes) / 1000;
  std::size_t unit = 0;
  while (value >= 999.95 && unit + 1 < std::size(units)) value /= 1000, ++unit;
  return fmt::format("{:.1f} {}", value, units[unit]);
}

std::string volume_text(const char* what, const Volume& volume) {
  return fmt::format("  {:<16}{:>14} messages {:>12}\n", what, volume.messages, human_bytes(volume.bytes));
}

Volume sum_of(const std::vector<Flow>& flows) {
  Volume sum;
  for (const Flow& flow : flows) sum.add(flow);
  return sum;
}

std::uint64_t partner_count(const Summary& summary, const Share& share, std::map<std::uint32_t, std::uint64_t>& sizes) {
  const Communicator& one = summary.communicators[share.communicator];
  if (share.reach != Reach::to_all || !one.remote.empty()) return partners(one, share).size();
  const auto [known, is_new] = sizes.try_emplace(share.communicator, 0);
  if (is_new) known->second = ranks_of(one.members).size() - 1;
  return known->second;
}

/// Parts of collective calls, the shared ones for all their partners.
Volume collective_sum(const Summary& summary) {
  Volume sum = sum_of(over_phases(summary, coll));
  std::map<std::uint32_t, std::uint64_t> sizes;
  for (const Phase& phase : summary.phases)
    for (const Share& share : phase.shares) {
      const std::uint64_t count = partner_count(summary, share, sizes);
      std::uint64_t bytes = 0;
      if (__builtin_mul_overflow(share.bytes, count, &bytes)) bytes = UINT64_MAX;
      sum.add({share.messages * count, bytes});
    }
  return sum;
}

}  // namespace

bool sums_fit(const Summary& summary) {
  Volume sum = collective_sum(summary);
  for (const FlowKind kind : {p2p, put, fetched}) sum.add(sum_of(over_phases(summary, kind)));
  return !summary.saturated && sum.bytes != UINT64_MAX;
}

std::string format_text(const Summary& summary, unsigned top) {
  std::string out =
      fmt::format("cairn {}: {} on {} rank{}\n", summary.tool, summary.program.substr(summary.program.rfind('/') + 1),
                  summary.ranks, summary.ranks == 1 ? "" : "s");
  std::vector<Flow> messages = over_phases(summary, p2p);
  out += volume_text("point-to-point", sum_of(messages));
  Volume one_sided = sum_of(over_phases(summary, put));
  one_sided.add(sum_of(over_phases(summary, fetched)));
  out += volume_text("one-sided", one_sided);
  out += volume_text("collective", collective_sum(summary));
  std::ranges::stable_sort(messages, std::greater<>(), &Flow::bytes);
  for (std::size_t i = 0; i < std::min<std::size_t>(top, messages.size()); ++i)
    out += volume_text(fmt::format("{} to {}", messages[i].from, messages[i].to).c_str(), messages[i]);
  return out;
}

}  // namespace comm
