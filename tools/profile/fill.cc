// SPDX-License-Identifier: BSD-3-Clause
// fill.cc - reading keys, naming places, sorting

#include "fill.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <iterator>
#include <map>
#include <stdexcept>

#include "cairn/functions.hpp"
#include "chains.hpp"

namespace profile {

namespace {

/// Bins are of powers of two, times the unit.
Bins bins_of(const Histogram& histogram, double unit) {
  Bins bins;
  for (std::size_t i = 0; i < histogram.size(); ++i)
    if (histogram[i] != 0) bins.emplace_back(std::ldexp(unit, static_cast<int>(i)), histogram[i]);
  return bins;
}

Amounts amounts_of(const Row& row, int ranks) {
  Amounts amounts;
  amounts.calls = row.calls;
  amounts.calls_max = row.calls_max;
  amounts.bytes_sent = row.sent;
  amounts.bytes_received = row.received;
  amounts.in_vain = row.in_vain;
  amounts.time = {row.time, row.time / ranks, row.ranks < ranks ? 0 : row.rank_min, row.rank_max, {}};
  amounts.least = row.least;
  amounts.most = row.most;
  amounts.ranks = row.ranks;
  amounts.slowest_rank = row.rank_of_max;
  amounts.by_time = bins_of(row.by_time, run_clock.seconds_per_tick());
  amounts.by_size = bins_of(row.by_size, 1);
  amounts.transfers = {row.transfers, row.under_way, row.waited};
  return amounts;
}

const char* name_of(cairn::Function function) { return cairn::facts(function).name; }

const std::string& function_of(const FunctionSummary& function) { return function.name; }
const std::string& function_of(const RegionFunction& function) { return function.name; }
const std::string& function_of(const CallSiteSummary& site) { return site.function; }
const std::string& function_of(const CommunicatorSummary& communicator) { return communicator.name; }

class Filler {
 public:
  Filler(Summary& summary, const cairn::Symbols* symbols, bool inlined)
      : summary_(summary), symbols_(symbols), inlined_(inlined) {}

  void add(const std::string& key, const Row& row) {
    KeyReader reader(key);
    switch (reader.kind()) {
      case RowKind::function:
        add_function(reader.take<cairn::Function>(), row);
        break;
      case RowKind::site:
        add_site(reader, row);
        break;
      case RowKind::region_calls:
        static_cast<Amounts&>(regions_[reader.take_text()]) = amounts(row);
        break;
      case RowKind::region_visits:
        add_visits(regions_[reader.take_text()], row);
        break;
      case RowKind::region_function: {
        RegionSummary& region = regions_[reader.take_text()];
        region.functions.push_back({amounts(row), name_of(reader.take<cairn::Function>())});
        break;
      }
      case RowKind::communicator:
        static_cast<Amounts&>(communicators_[key.substr(1)]) = amounts(row);
        break;
      case RowKind::communicators:
        add_communicators(communicators_[key.substr(1)], reader, row);
        break;
    }
  }

  void add(const RankTimes& by_function) {
    const auto of = [&](const std::string& function) {
      std::vector<double> times;
      const auto found = by_function.find(function);
      if (found == by_function.end()) return times;
      times.resize(static_cast<std::size_t>(summary_.ranks));
      for (const auto& [rank, seconds] : found->second) times[static_cast<std::size_t>(rank)] = seconds;
      return times;
    };
    for (FunctionSummary& function : summary_.functions) function.time.by_rank = of(function.name);
    summary_.mpi_time.by_rank = of("");
  }

  void finish(double threshold, Order order) {
    split_collectives();
    settle_calls_under_way();
    if (regions_.size() == 1 && regions_.begin()->first.empty()) regions_.clear();  // the program names none
    for (auto& [path, region] : regions_) {
      region.path = path;
      sort(region.functions);
      summary_.regions.push_back(std::move(region));
    }
    for (auto& [key, communicator] : communicators_) summary_.communicators.push_back(std::move(communicator));
    const double least = summary_.mpi_time.total * threshold / 100;
    summary_.sites_left_out =
        std::erase_if(summary_.sites, [&](const CallSiteSummary& site) { return site.time.total < least; });
    sort(summary_.functions, order);
    sort(summary_.sites, order);
    sort(summary_.communicators);
    std::ranges::stable_sort(summary_.regions, std::greater{}, [](const auto& one) { return one.in_region.total; });
  }

 private:
  Amounts amounts(const Row& row) const { return amounts_of(row, summary_.ranks); }

  template <class Entries>
  static void sort(Entries& entries, Order order = Order::time) {
    std::ranges::stable_sort(entries, [order](const auto& one, const auto& other) {
      switch (order) {
        case Order::calls:
          return one.calls > other.calls;
        case Order::sent:
          return one.bytes_sent > other.bytes_sent;
        case Order::name:
          return function_of(one) < function_of(other);
        case Order::time:
          break;
      }
      return one.time.total > other.time.total;
    });
  }

  void add_function(cairn::Function function, const Row& row) {
    summary_.functions.push_back({amounts(row), name_of(function)});
    part_of_split(function) += row.time;
  }

  double& part_of_split(cairn::Function function) {
    using enum cairn::Category;
    const cairn::Category category = cairn::facts(function).category;
    if (category == completion || category == completion_nonblocking || category == probe ||
        category == probe_nonblocking || category == one_sided_synchronization || is_barrier(function))
      return summary_.split.waiting;
    if (category == point_to_point || category == collective || category == neighborhood)
      return summary_.split.blocking;
    return cairn::moves_data(category) ? summary_.split.moving : summary_.split.rest;
  }

  static bool is_barrier(cairn::Function function) { return std::string_view(name_of(function)) == "MPI_Barrier"; }

  /// What collective calls are known to have waited is in their time.
  void split_collectives() {
    for (const auto& [name, time] : summary_.waiting.functions) {
      if (name == "MPI_Barrier") continue;
      const double waited = std::min(time, summary_.split.blocking);
      summary_.split.blocking -= waited;
      summary_.split.waiting += waited;
    }
  }

  /// A call that did not come to its end was waiting, whatever it was for.
  void settle_calls_under_way() {
    for (InCall& call : summary_.part.in_calls) {
      call.place = place_of(call.place.object, call.place.offset);
      const auto function = std::ranges::find(cairn::function_facts, call.function, &cairn::FunctionFacts::name);
      if (function == cairn::function_facts.end()) continue;
      double& part = part_of_split(static_cast<cairn::Function>(function - cairn::function_facts.begin()));
      const double waited = std::min(call.time, part);
      part -= waited;
      summary_.split.waiting += waited;
    }
  }

  void add_site(KeyReader& reader, const Row& row) {
    CallSiteSummary& site = summary_.sites.emplace_back();
    static_cast<Amounts&>(site) = amounts(row);
    site.function = name_of(reader.take<cairn::Function>());
    std::vector<SourcePosition> places;
    while (!reader.at_end()) {
      const auto offset = reader.take<std::uint64_t>();
      add_places(places, reader.take_text(), offset);
    }
    if (places.empty()) return;
    site.place = std::move(places.front());
    site.callers.assign(std::make_move_iterator(places.begin() + 1), std::make_move_iterator(places.end()));
  }

  void add_places(std::vector<SourcePosition>& places, const std::string& object, std::uint64_t offset) const {
    std::array<cairn::SourcePlace, deepest> found;
    const int count = symbols_ == nullptr || !inlined_ ? 0
                                                       : symbols_->find_inlined(object.c_str(), offset, found.data(),
                                                                                static_cast<int>(found.size()));
    if (count == 0) places.push_back(place_of(object, offset));
    for (int i = 0; i < count; ++i) {
      const cairn::SourcePlace& source = found[static_cast<std::size_t>(i)];
      places.push_back({source.function, source.file, source.line, object, offset});
    }
  }

  SourcePosition place_of(std::string object, std::uint64_t offset) const {
    SourcePosition place;
    place.object = std::move(object);
    place.offset = offset;
    cairn::SourcePlace source;
    if (symbols_ == nullptr || symbols_->find(place.object.c_str(), offset, &source) != 0) return place;
    place.caller = source.function;
    place.file = source.file;
    place.line = source.line;
    return place;
  }

  void add_visits(RegionSummary& region, const Row& row) {
    region.visits = row.calls;
    region.in_region = amounts(row).time;
  }

  static void add_communicators(CommunicatorSummary& communicator, KeyReader& reader, const Row& row) {
    communicator.name = reader.take_text();
    communicator.processes = reader.take_text();
    reader.take<std::uint64_t>();
    communicator.size = reader.take<int>();
    communicator.remote_size = reader.take<int>();
    communicator.communicators = row.calls;
    communicator.members = row.ranks;
  }

  Summary& summary_;
  const cairn::Symbols* symbols_;
  bool inlined_;
  std::map<std::string, RegionSummary> regions_;
  std::map<std::string, CommunicatorSummary> communicators_;
};

}  // namespace

Order order_of(std::string_view name) {
  constexpr std::array<std::string_view, 4> names = {"time", "calls", "sent", "name"};
  const auto place = std::ranges::find(names, name);
  if (place != names.end()) return static_cast<Order>(place - names.begin());
  throw std::runtime_error("option 'sort' is '" + std::string(name) + "', but can be time, calls, sent or name");
}

void fill(Summary& summary, const Gathered& all, const cairn::Symbols* symbols, const GatherOptions& options) {
  Filler filler(summary, symbols, options.inlined);
  for (const auto& [key, row] : all.rows) filler.add(key, row);
  filler.add(all.rank_times);
  filler.finish(options.threshold, options.order);
}

}  // namespace profile
