// SPDX-License-Identifier: BSD-3-Clause
// gather.cc - rows of figures under keys that mean the same on every rank, merged pairwise in a tree

#include <dlfcn.h>
#include <link.h>
#include <mpi.h>

#include "gather.hpp"

#include <algorithm>
#include <cstring>
#include <map>

#include "cairn/kit/ranks.hpp"

namespace profile {

namespace {

/// What travels of a function or site. Zeros stand for ranks that made no such call.
struct Row {
  std::uint64_t calls;
  std::uint64_t sent;
  std::uint64_t received;
  double time;
  double least;
  double most;
  double rank_min;
  double rank_max;
  int rank_of_max;
  int ranks;
  Histogram by_time;
  Histogram by_size;
};

/// Rows by key: the function's number, then offset and path of each place. The same text on every rank.
using Rows = std::map<std::string, Row>;

template <class T>
void put(std::string& out, const T& value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof value);
}

template <class T>
T take(const char*& place) {
  T value;
  std::memcpy(&value, place, sizeof value);
  place += sizeof value;
  return value;
}

struct ObjectPlace {
  std::string path;
  std::uint64_t offset;  // of the call itself, as in the file's symbol table
};

ObjectPlace object_place(const void* return_address, const std::string& program) {
  const auto* call = static_cast<const char*>(return_address) - 1;
  Dl_info info;
  link_map* map = nullptr;
  if (dladdr1(call, &info, reinterpret_cast<void**>(&map), RTLD_DL_LINKMAP) == 0 || map == nullptr)
    return {"", reinterpret_cast<std::uintptr_t>(call)};
  const std::string path = *map->l_name == '\0' ? program : map->l_name;
  return {path, reinterpret_cast<std::uintptr_t>(call) - map->l_addr};
}

std::string key_of(const RankTotal& total, const std::string& program) {
  std::string key;
  put(key, total.function);
  for (std::size_t i = 0; i < total.chain.length; ++i) {
    const ObjectPlace place = object_place(total.chain.addresses[i], program);
    put(key, place.offset);
    put(key, static_cast<std::uint32_t>(place.path.size()));
    key += place.path;
  }
  return key;
}

Row row_of(const Figures& figures, int rank) {
  const double unit = seconds_per_tick();
  const double time = static_cast<double>(figures.ticks) * unit;
  return {figures.calls,
          figures.sent,
          figures.received,
          time,
          figures.calls == 0 ? 0 : static_cast<double>(figures.least_ticks) * unit,
          static_cast<double>(figures.most_ticks) * unit,
          time,
          time,
          rank,
          1,
          figures.by_time,
          figures.by_size == nullptr ? Histogram{} : *figures.by_size};
}

void merge(Row& into, const Row& other) {
  into.calls += other.calls;
  into.sent += other.sent;
  into.received += other.received;
  into.time += other.time;
  into.least = std::min(into.least, other.least);
  into.most = std::max(into.most, other.most);
  into.rank_min = std::min(into.rank_min, other.rank_min);
  if (other.rank_max > into.rank_max) into.rank_of_max = other.rank_of_max;
  into.rank_max = std::max(into.rank_max, other.rank_max);
  into.ranks += other.ranks;
  for (std::size_t i = 0; i < bin_count; ++i) {
    into.by_time[i] += other.by_time[i];
    into.by_size[i] += other.by_size[i];
  }
}

void add(Rows& rows, const std::string& key, const Row& row) {
  const auto [place, is_new] = rows.try_emplace(key, row);
  if (!is_new) merge(place->second, row);
}

std::string packed(const Rows& rows) {
  std::string out;
  for (const auto& [key, row] : rows) {
    put(out, static_cast<std::uint32_t>(key.size()));
    out += key;
    put(out, row);
  }
  return out;
}

void unpack(Rows& rows, const std::string& text) {
  for (const char* place = text.data(); place != text.data() + text.size();) {
    const auto length = take<std::uint32_t>(place);
    const std::string key(place, length);
    place += length;
    add(rows, key, take<Row>(place));
  }
}

Amounts amounts_of(const Row& row, int ranks) {
  Amounts amounts;
  amounts.calls = row.calls;
  amounts.bytes_sent = row.sent;
  amounts.bytes_received = row.received;
  amounts.time = {row.time, row.time / ranks, row.ranks < ranks ? 0 : row.rank_min, row.rank_max};
  amounts.least = row.least;
  amounts.most = row.most;
  amounts.ranks = row.ranks;
  amounts.slowest_rank = row.rank_of_max;
  amounts.by_time = row.by_time;
  amounts.by_size = row.by_size;
  return amounts;
}

std::vector<SourcePosition> places_of(const char* place, const char* end, const cairn::Symbols* symbols) {
  std::vector<SourcePosition> positions;
  while (place != end) {
    SourcePosition& position = positions.emplace_back();
    position.offset = take<std::uint64_t>(place);
    const auto length = take<std::uint32_t>(place);
    position.object.assign(place, length);
    place += length;
    cairn::SourcePlace source;
    if (symbols == nullptr || symbols->find(position.object.c_str(), position.offset, &source) != 0) continue;
    position.caller = source.function;
    position.file = source.file;
    position.line = source.line;
  }
  return positions;
}

void fill(Summary& summary, const Rows& rows, const cairn::Symbols* symbols) {
  for (const auto& [key, row] : rows) {
    const char* place = key.data();
    const char* const name = cairn::facts(take<cairn::Function>(place)).name;
    const bool is_total = *place++ == 't';
    if (is_total) {
      summary.functions.push_back({amounts_of(row, summary.ranks), name});
      continue;
    }
    summary.sites.push_back({amounts_of(row, summary.ranks), name, places_of(place, key.data() + key.size(), symbols)});
  }
  const auto longest_first = [](const Amounts& one, const Amounts& other) { return one.time.total > other.time.total; };
  std::ranges::stable_sort(summary.functions, longest_first);
  std::ranges::stable_sort(summary.sites, longest_first);
}

OverRanks over_ranks(const cairn::World& world, double value) {
  const double total = world.sum(value);
  return {total, total / world.size(), world.min(value), world.max(value)};
}

/// The key of a total has 't' after the function's number, that of a site 's'.
void add_all(Rows& rows, const std::vector<RankTotal>& totals, char kind, const std::string& program, int rank) {
  for (const RankTotal& total : totals) {
    std::string key = key_of(total, program);
    key.insert(key.begin() + sizeof(cairn::Function), kind);
    add(rows, key, row_of(*total.figures, rank));
  }
}

double time_of(const std::vector<RankTotal>& functions) {
  double time = 0;
  for (const RankTotal& total : functions) time += static_cast<double>(total.figures->ticks) * seconds_per_tick();
  return time;
}

}  // namespace

Summary gather(const std::vector<RankTotal>& functions, const std::vector<RankTotal>& sites, std::uint64_t merged_calls,
               const cairn::Symbols* symbols, Summary heading) {
  const cairn::World world;
  heading.run_time = over_ranks(world, static_cast<double>(ticks_since_start()) * seconds_per_tick());
  heading.mpi_time = over_ranks(world, time_of(functions));
  heading.merged_calls = world.sum(merged_calls);

  Rows rows;
  add_all(rows, functions, 't', heading.program, world.rank());
  add_all(rows, sites, 's', heading.program, world.rank());
  world.merge([&] { return packed(rows); }, [&](const std::string& other) { unpack(rows, other); });
  if (world.rank() != 0) return heading;
  heading.ranks = world.size();
  heading.seconds_per_tick = seconds_per_tick();
  fill(heading, rows, symbols);
  return heading;
}

}  // namespace profile
