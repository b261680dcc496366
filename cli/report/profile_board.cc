// SPDX-License-Identifier: BSD-3-Clause
// profile_board.cc - adding up the entries of the board of `profile`

#include "cli/report/profile_board.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <map>
#include <span>
#include <vector>

#include "base/message.hpp"
#include "cairn/board.hpp"
#include "cli/program.hpp"
#include "cli/report/categories.hpp"
#include "formats/profile_board.hpp"
#include "live/board_reader.hpp"
#include "where/places.hpp"

namespace cairn::report {

namespace profile = formats::profile;

namespace {

using Addresses = std::vector<std::uint64_t>;

struct SiteKey {
  std::uint64_t function;
  Addresses addresses;
  friend auto operator<=>(const SiteKey&, const SiteKey&) = default;
};

void add(profile::SiteFigures& sum, const profile::SiteFigures& more) {
  const bool is_first = sum.calls == 0;
  sum.calls += more.calls;
  sum.ticks += more.ticks;
  sum.least_ticks = is_first ? more.least_ticks : std::min(sum.least_ticks, more.least_ticks);
  sum.most_ticks = std::max(sum.most_ticks, more.most_ticks);
  sum.sent += more.sent;
  sum.received += more.received;
  sum.in_vain += more.in_vain;
  sum.transfers += more.transfers;
  sum.under_way += more.under_way;
  sum.waited += more.waited;
  for (std::size_t i = 0; i < sum.by_time.size(); ++i) sum.by_time[i] += more.by_time[i];
}

using Sites = std::map<SiteKey, profile::SiteFigures>;

/// Each thread has had sites of its own in each region.
void add_site(Sites& sites, std::uint64_t function, std::span<const char> content) {
  constexpr std::uint32_t deepest = 16;
  profile::SiteFigures figures{};
  if (content.size() < sizeof figures) return;
  std::memcpy(&figures, content.data(), sizeof figures);
  if (figures.calls == 0 || figures.depth > deepest || figures.addresses_at > content.size()) return;
  SiteKey key{function, Addresses(figures.depth)};
  const std::span<const char> addresses = content.subspan(figures.addresses_at);
  if (addresses.size() < figures.depth * sizeof key.addresses[0]) return;
  std::memcpy(key.addresses.data(), addresses.data(), figures.depth * sizeof key.addresses[0]);
  add(sites[key], figures);
}

profile::OverRanks of_one(double value) { return {value, value, value, value, {}}; }

profile::Amounts amounts_of(const profile::SiteFigures& figures, const where::Process& killed) {
  const auto seconds = [&](std::uint64_t ticks) { return killed.time.seconds(ticks); };
  profile::Amounts amounts;
  amounts.calls = amounts.calls_max = figures.calls;
  amounts.bytes_sent = figures.sent;
  amounts.bytes_received = figures.received;
  amounts.in_vain = figures.in_vain;
  amounts.time = of_one(seconds(figures.ticks));
  amounts.least = seconds(figures.least_ticks);
  amounts.most = seconds(figures.most_ticks);
  amounts.ranks = 1;
  amounts.slowest_rank = killed.rank;
  for (std::size_t i = 0; i < figures.by_time.size(); ++i)
    if (figures.by_time[i] != 0)
      amounts.by_time.emplace_back(std::ldexp(killed.time.seconds_per_tick, static_cast<int>(i)), figures.by_time[i]);
  amounts.transfers = {figures.transfers, seconds(figures.under_way), seconds(figures.waited)};
  return amounts;
}

/// From the first call to the last moment that is known of it.
double run_time_of(const where::Process& killed) {
  std::uint64_t last = killed.started;
  for (const where::Thread& thread : killed.threads)
    for (const where::Call& call : thread.calls) last = std::max({last, call.entry, call.exit});
  return killed.time.seconds(last - killed.started);
}

constexpr const char* damaged = "the memory of call sites is damaged";

/// What is recorded of all calls, once each, is a bound for what is counted of them; a call that is just coming back may be
/// in one and not yet in the other.
void check(const profile::SiteFigures& figures, const where::Figures& recorded, const where::Process& killed) {
  if (recorded.calls == 0) return;  // the function is not recorded
  const double most_s = 2 * killed.time.seconds(recorded.ticks) + 1;
  if (figures.calls > recorded.calls + killed.threads.size() || killed.time.seconds(figures.ticks) > most_s)
    throw Problem(damaged);
}

/// Returns how many seconds MPI had been started when the recorder, further in, came to it.
double add_functions(const Sites& sites, const where::Process& killed, profile::Summary& summary) {
  std::map<std::uint64_t, profile::SiteFigures> sums;
  for (const auto& [key, figures] : sites) add(sums[key.function], figures);
  std::map<const where::Function*, where::Figures> recorded = killed.recorded();
  double before_s = 0;
  for (const auto& [number, figures] : sums) {
    const where::Figures& seen = recorded[&(*killed.functions)[number]];
    check(figures, seen, killed);
    profile::FunctionSummary& function = summary.functions.emplace_back();
    static_cast<profile::Amounts&>(function) = amounts_of(figures, killed);
    function.name = (*killed.functions)[number].name;
    summary.mpi_time.total += function.time.total;
    part_of(summary.split, spent_in(function.name)) += function.time.total;
    if (!is_start_or_end(function.name)) continue;
    summary.start_time.total += function.time.total;
    before_s += std::max(0.0, function.time.total - killed.time.seconds(seen.ticks));
  }
  return before_s;
}

void add_sites(const Sites& sites, const where::Process& killed, profile::Summary& summary) {
  if (std::ranges::all_of(sites, [](const auto& site) { return site.first.addresses.empty(); })) return;  // depth:0
  where::Places places(cli::symbols());
  for (const auto& [key, figures] : sites) {
    profile::CallSiteSummary& site = summary.sites.emplace_back();
    static_cast<profile::Amounts&>(site) = amounts_of(figures, killed);
    site.function = (*killed.functions)[key.function].name;
    for (std::size_t i = 0; i < key.addresses.size(); ++i) {
      const formats::SourcePosition& place = places.of(killed, key.addresses[i]);
      if (i == 0) site.place = place;
      else site.callers.push_back(place);
    }
  }
}

}  // namespace

std::optional<ProfileOnBoard> profile_on_board(const where::Process& killed) {
  const live::BoardReader board(killed, board::sites);
  if (!board.is_there() || killed.functions == nullptr) return std::nullopt;
  if (!board.is_whole()) throw Problem(damaged);
  Sites sites;
  board.for_each([&](std::uint32_t what, std::uint64_t number, auto content) {
    if (what == static_cast<std::uint32_t>(profile::Published::site) && number < killed.functions->size())
      add_site(sites, number, content);
  });
  ProfileOnBoard found{{}, board.lost()};
  profile::Summary& summary = found.summary;
  summary.run = killed.run;
  summary.program = killed.program;
  summary.ranks = 1;
  summary.threads = std::max(1, static_cast<int>(killed.threads.size()));
  const double before_s = add_functions(sites, killed, summary);
  add_sites(sites, killed, summary);
  const auto by_time = [](const auto& amounts) { return amounts.time.total; };
  std::ranges::stable_sort(summary.functions, std::greater<>(), by_time);
  std::ranges::stable_sort(summary.sites, std::greater<>(), by_time);
  summary.run_time = of_one(before_s + run_time_of(killed));
  summary.mpi_time = of_one(summary.mpi_time.total);
  summary.start_time = of_one(summary.start_time.total);
  summary.own_time = of_one(std::max(0.0, summary.run_time.total - summary.mpi_time.total));
  return found;
}

}  // namespace cairn::report
