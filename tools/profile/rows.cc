// SPDX-License-Identifier: BSD-3-Clause
// rows.cc - making, merging and sending rows.

#include "rows.hpp"

#include <algorithm>

#include "cairn/kit/packing.hpp"

namespace profile {

namespace {

void merge(Row& into, const Row& other) {
  into.calls += other.calls;
  into.calls_max = std::max(into.calls_max, other.calls_max);
  into.sent += other.sent;
  into.received += other.received;
  into.in_vain += other.in_vain;
  into.time += other.time;
  into.least = std::min(into.least, other.least);
  into.most = std::max(into.most, other.most);
  into.rank_min = std::min(into.rank_min, other.rank_min);
  if (other.rank_max > into.rank_max) into.rank_of_max = other.rank_of_max;
  into.rank_max = std::max(into.rank_max, other.rank_max);
  into.ranks += other.ranks;
  into.transfers += other.transfers;
  into.under_way += other.under_way;
  into.waited += other.waited;
  for (std::size_t i = 0; i < bin_count; ++i) {
    into.by_time[i] += other.by_time[i];
    into.by_size[i] += other.by_size[i];
  }
}

}  // namespace

Row row_of(const Figures& figures, int rank) {
  const auto seconds = [](std::uint64_t ticks) { return run_clock.seconds(ticks); };
  Row row{};
  row.calls = row.calls_max = figures.calls;
  row.sent = figures.sent;
  row.received = figures.received;
  row.in_vain = figures.in_vain;
  row.time = row.rank_min = row.rank_max = seconds(figures.ticks);
  row.least = figures.calls == 0 ? 0 : seconds(figures.least_ticks);
  row.most = seconds(figures.most_ticks);
  row.rank_of_max = rank;
  row.ranks = 1;
  row.transfers = figures.transfers.completed;
  row.under_way = seconds(figures.transfers.under_way);
  row.waited = seconds(figures.transfers.waited);
  row.by_time = shared::narrow(figures.by_time);
  if (figures.by_size != nullptr) row.by_size = shared::narrow(*figures.by_size);
  return row;
}

void add(Rows& rows, const std::string& key, const Row& row) {
  const auto [place, is_new] = rows.try_emplace(key, row);
  if (!is_new) merge(place->second, row);
}

std::string pack(const Rows& rows) {
  std::string bytes;
  for (const auto& [key, row] : rows) {
    const auto length = static_cast<std::uint32_t>(key.size());
    bytes.append(reinterpret_cast<const char*>(&length), sizeof length);
    bytes += key;
    bytes.append(reinterpret_cast<const char*>(&row), sizeof row);
  }
  return bytes;
}

void unpack(Rows& rows, std::string_view bytes) {
  for (const char* at = bytes.data(); at != bytes.data() + bytes.size();) {
    std::uint32_t length = 0;
    std::memcpy(&length, at, sizeof length);
    const std::string key(at + sizeof length, length);
    at += sizeof length + length;
    Row row;
    std::memcpy(&row, at, sizeof row);
    at += sizeof row;
    add(rows, key, row);
  }
}

std::string pack(const Gathered& all) {
  const std::string times = cairn::pack(all.rank_times);
  const std::uint64_t length = times.size();
  return std::string(reinterpret_cast<const char*>(&length), sizeof length) + times + pack(all.rows);
}

void unpack(Gathered& into, const std::string& bytes) {
  std::uint64_t length = 0;
  std::memcpy(&length, bytes.data(), sizeof length);
  const std::string_view rest = std::string_view(bytes).substr(sizeof length);
  for (const auto& [function, times] : cairn::unpack<RankTimes>(rest.substr(0, length))) {
    auto& here = into.rank_times[function];
    here.insert(here.end(), times.begin(), times.end());
  }
  unpack(into.rows, rest.substr(length));
}

}  // namespace profile
