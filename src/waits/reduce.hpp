// SPDX-License-Identifier: BSD-3-Clause
// reduce.hpp - from the trace of a process to the records that wait states are found in
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "trace/file.hpp"
#include "waits/records.hpp"

namespace cairn::waits {

/// Of a call that sends, or makes a request that does.
inline SendMode send_mode(const trace::Function& function) {
  switch (trace::mode_letter(function)) {
    case 's':
      return SendMode::synchronous;
    case 'b':
      return SendMode::buffered;
    default:
      return SendMode::standard;
  }
}

/// Regions as the tool in a layer has numbered them.
struct RegionNames {
  std::int32_t layer = -1;
  std::function<std::string(std::uint32_t)> path;
};

/// MPI_Finalize, of which there is no record while it is under way.
struct LastCall {
  std::uint64_t ticks = 0;  // when the program entered it; 0: it has not
  std::uint64_t site = 0;   // where it returns to; 0: unknown
};

/// Of the whole run, as one section.
RankRecords reduce(const trace::File& file, const RegionNames& regions = {}, LastCall last = {});

/// A call after which all processes know that all have come to it: the `number`-th on a communicator of all.
struct Meeting {
  std::uint64_t communicator = 0;  // its identity; 0: none
  std::uint64_t number = 0;
};
/// Where a section ends: in each process after that meeting, or if there is none, after its last call that was over at
/// that time of day; `no_end`: with the run.
struct SectionEnd {
  Meeting meeting;
  std::int64_t time_ns = no_end;
};

/// The records of a process, section by section.
class Reduction {
 public:
  /// `file` and what `regions` needs must be there as long as this.
  Reduction(const trace::File& file, RegionNames regions, LastCall last);
  ~Reduction();
  Reduction(const Reduction&) = delete;
  Reduction& operator=(const Reduction&) = delete;

  /// Whose clock it is (cut.hpp).
  std::uint64_t clock() const;
  /// All processes have that one: moments are on it from now on, no longer of the time of day.
  void use_clock();
  /// Moment from which on not all calls of this process are known.
  std::int64_t known_until() const;
  /// Later calls are only counted, since not all processes' are known.
  void end_at(std::int64_t time_ns);
  /// Goes on until there are so many calls, or to the end: true.
  bool fill(std::size_t calls);
  /// Of what has been filled: the communicator on which most meetings are.
  std::uint64_t meeting_place() const;
  /// The first and the last one there; number 0: none.
  std::pair<std::uint64_t, std::uint64_t> meetings(std::uint64_t communicator) const;
  /// Moment at which the last call was over that has been filled.
  std::int64_t filled_until() const;
  /// What lies before; the rest stays for the next section.
  RankRecords take(const SectionEnd& end);

 private:
  class Of;
  std::unique_ptr<Of> of_;
};

}  // namespace cairn::waits
