// SPDX-License-Identifier: BSD-3-Clause
// record.cc - the threads' tables in a list that only grows; a table outlives its thread and is handed to the next one.

#include "record.hpp"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <ctime>

namespace profile {

namespace {

struct Table {
  std::atomic<bool> in_use{true};
  Table* next = nullptr;
  Row* rows = nullptr;
};

std::size_t row_count = 0;
std::uint64_t start_ticks = 0;
timespec start_time{};
std::atomic<Table*> tables{nullptr};
Row* spare_rows = nullptr;

/// Frees the table for another thread when its thread ends.
struct Lease {
  Table* table = nullptr;
  ~Lease() {
    if (table != nullptr) table->in_use.store(false, std::memory_order_release);
  }
};

thread_local Lease lease;

Table* take_free_table() {
  for (Table* table = tables.load(std::memory_order_acquire); table != nullptr; table = table->next) {
    bool expected = false;
    if (table->in_use.compare_exchange_strong(expected, true, std::memory_order_acquire)) return table;
  }
  return nullptr;
}

Table* add_table() {
  auto* table = new (std::nothrow) Table;
  if (table == nullptr) return nullptr;
  table->rows = static_cast<Row*>(std::calloc(row_count, sizeof(Row)));
  if (table->rows == nullptr) {
    delete table;
    return nullptr;
  }
  table->next = tables.load(std::memory_order_relaxed);
  while (!tables.compare_exchange_weak(table->next, table, std::memory_order_release)) {
  }
  return table;
}

/// The clock of the run starts with its first MPI call, which is also the first call of some thread.
void start_clock() {
  static std::atomic<bool> started{false};
  if (started.exchange(true)) return;
  clock_gettime(CLOCK_MONOTONIC, &start_time);
  start_ticks = ticks_now();
}

Row* make_thread_rows() {
  start_clock();
  Table* table = take_free_table();
  if (table == nullptr) table = add_table();
  lease.table = table;
  return table != nullptr ? table->rows : spare_rows;
}

}  // namespace

Row* thread_rows() {
  thread_local Row* rows = nullptr;
  if (rows == nullptr) [[unlikely]]
    rows = make_thread_rows();
  return rows;
}

void start_recording(std::size_t functions) {
  row_count = functions;
  spare_rows = static_cast<Row*>(std::calloc(functions, sizeof(Row)));
}

void sum_rows(Row* out) {
  std::fill_n(out, row_count, Row{});
  for (const Table* table = tables.load(std::memory_order_acquire); table != nullptr; table = table->next)
    for (std::size_t i = 0; i < row_count; ++i) {
      out[i].calls += table->rows[i].calls;
      out[i].ticks += table->rows[i].ticks;
      out[i].bytes += table->rows[i].bytes;
    }
}

std::uint64_t ticks_since_start() { return ticks_now() - start_ticks; }

/// The whole run is the calibration: the longer it took, the better the rate is known.
double ticks_to_seconds(std::uint64_t ticks) {
  static const double seconds_per_tick = [] {
    timespec now{};
    std::uint64_t elapsed_ticks = 0;
    double elapsed = 0;
    do {
      clock_gettime(CLOCK_MONOTONIC, &now);
      elapsed_ticks = ticks_since_start();
      elapsed = static_cast<double>(now.tv_sec - start_time.tv_sec) +
                static_cast<double>(now.tv_nsec - start_time.tv_nsec) * 1e-9;
    } while (elapsed < 1e-3);
    return elapsed / static_cast<double>(elapsed_ticks);
  }();
  return static_cast<double>(ticks) * seconds_per_tick;
}

}  // namespace profile
