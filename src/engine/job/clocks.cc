// SPDX-License-Identifier: BSD-3-Clause
// clocks.cc - who has which clock, up and down the tree of ranks; then round trips along a binomial tree of the clocks

#include "job/clocks.hpp"

#include <sys/stat.h>

#include <array>
#include <ctime>
#include <functional>
#include <string>

#include "base/host_name.hpp"
#include "base/own_files.hpp"
#include "base/processes.hpp"
#include "cairn/kit/clock.hpp"
#include "job/clock_table.hpp"
#include "job/messages.hpp"

namespace cairn::engine {

namespace {

constexpr int round_trips = 16;

/// The running system has one, without such an identity the host; and so has each of its time namespaces.
std::uint64_t own_clock() {
  std::string system = boot_id();
  if (system.empty()) system = host_name();
  struct stat about {};
  const auto space = stat(own_file("ns/time").c_str(), &about) == 0 ? static_cast<std::uint64_t>(about.st_ino) : 0;
  const std::uint64_t hash = std::hash<std::string>{}(system + ' ' + std::to_string(space));
  return hash == 0 ? 1 : hash;
}

std::int64_t now_ns() { return static_cast<std::int64_t>(nanoseconds_now()); }

std::int64_t time_of_day_ns() {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  return std::int64_t{1'000'000'000} * now.tv_sec + now.tv_nsec;
}

ClockTable share(ClockTable table, const Neighbours& near, MPI_Comm comm) {
  for (const int child : near.children) table.add(ClockTable::from_bytes(receive_bytes(child, comm)));
  if (!near.is_first) {
    send_bytes(table.to_bytes(), near.parent, comm);
    table = ClockTable::from_bytes(receive_bytes(near.parent, comm));
  }
  for (const int child : near.children) send_bytes(table.to_bytes(), child, comm);
  return table;
}

/// What a process learns of its clock from the one that asks it.
struct Found {
  std::int64_t offset_ns;
  std::int64_t error_ns;
};

Found ask(int child, MPI_Comm comm, const Found& own) {
  RoundTrips trips;
  for (int i = 0; i < round_trips; ++i) {
    const std::int64_t asked = now_ns();
    send_word(child, comm);
    std::int64_t answered = 0;
    library.Recv(&answered, sizeof answered, MPI_BYTE, child, job_tag, comm, MPI_STATUS_IGNORE);
    trips.add(asked, answered, now_ns());
  }
  return {own.offset_ns + trips.offset_ns(), own.error_ns + trips.error_ns()};
}

Found answer(int parent, MPI_Comm comm) {
  for (int i = 0; i < round_trips; ++i) {
    receive_word(parent, comm);
    const std::int64_t now = now_ns();
    library.Send(&now, sizeof now, MPI_BYTE, parent, job_tag, comm);
  }
  Found found{};
  library.Recv(&found, sizeof found, MPI_BYTE, parent, job_tag, comm, MPI_STATUS_IGNORE);
  return found;
}

/// Of the process that speaks for the clock in that place of the table.
Found along_the_tree(const ClockTable& table, std::size_t place, std::int64_t offset_of_first, MPI_Comm comm) {
  const auto rank = [&](std::size_t of) { return static_cast<int>(table.rows()[of].rank); };
  std::size_t step = 1;
  while (step < table.size() && place % (2 * step) == 0) step *= 2;
  const Found own = place == 0 ? Found{offset_of_first, 0} : answer(rank(place - step), comm);
  for (step /= 2; step > 0; step /= 2)
    if (place + step < table.size()) {
      const Found found = ask(rank(place + step), comm, own);
      library.Send(&found, sizeof found, MPI_BYTE, rank(place + step), job_tag, comm);
    }
  return own;
}

/// The first process tells all which clock is the reference.
void share_reference(ClockComparison& own, const Neighbours& near, MPI_Comm comm) {
  std::array<std::uint64_t, 2> told = {own.reference, static_cast<std::uint64_t>(own.day_ns)};
  if (!near.is_first) library.Recv(told.data(), sizeof told, MPI_BYTE, near.parent, job_tag, comm, MPI_STATUS_IGNORE);
  for (const int child : near.children) library.Send(told.data(), sizeof told, MPI_BYTE, child, job_tag, comm);
  own.reference = told[0];
  own.day_ns = static_cast<std::int64_t>(told[1]);
}

}  // namespace

ClockComparison compare_clocks(const JobRanks& ranks, const Neighbours& near, const ClockComparison& before) {
  ClockComparison own = before;
  own.clock = own_clock();
  if (own.reference == 0) {
    own.reference = own.clock;
    own.day_ns = time_of_day_ns() - now_ns();
  }
  ClockTable table;
  table.add({own.clock, ranks.rank});
  table = share(std::move(table), near, ranks.comm);
  own.clocks = static_cast<std::int64_t>(table.size());
  own.at_ns = now_ns();
  if (table.size() < 2) return own;
  share_reference(own, near, ranks.comm);
  ClockTable compared;
  if (const ClockRow* const row = table.of(own.clock); row != nullptr && row->rank == ranks.rank) {
    const auto place = static_cast<std::size_t>(row - table.rows().data());
    const Found found = along_the_tree(table, place, before.offset_ns, ranks.comm);
    compared.add({own.clock, ranks.rank, found.offset_ns, found.error_ns});
  }
  own.at_ns = now_ns();
  compared = share(std::move(compared), near, ranks.comm);
  if (const ClockRow* const row = compared.of(own.clock)) {
    own.offset_ns = row->offset_ns;
    own.error_ns = row->error_ns;
  }
  return own;
}

}  // namespace cairn::engine
