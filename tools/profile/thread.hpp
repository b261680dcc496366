// SPDX-License-Identifier: BSD-3-Clause
// thread.hpp - everything that one thread records: its call sites by region, its communicators, its transfers
#pragma once

#include <mpi.h>

#include <deque>
#include <vector>

#include "cairn/kit/regions.hpp"
#include "frames.hpp"
#include "record.hpp"
#include "shared/communicators.hpp"

namespace profile {

/// What calls on the communicators of one group have come to.
struct CommFigures {
  std::uint64_t calls = 0;
  std::uint64_t ticks = 0;
  std::uint64_t sent = 0;      // bytes
  std::uint64_t received = 0;  // bytes
};

/// A part of the program: a region, or a level of MPI_Pcontrol (cairn/kit/regions.hpp).
struct Part {
  cairn::Regions::Number region;
  std::uint64_t visits = 0;  // how often it began
  std::uint64_t ticks = 0;   // in it, and not in a region within it
  Sites sites;
};

/// A transfer that a call has completed, whose end is not measured yet.
struct Completed {
  Figures* figures;  // of the call that made it
  std::uint64_t begun;
};

class Thread {
 public:
  Totals totals;
  Frames frames;
  cairn::Regions::Thread regions;
  std::vector<Completed> completed;
  std::uint64_t started_bytes = 0;  // of persistent requests that the call under way starts

  Thread() = default;
  Thread(const Thread&) = delete;
  Thread& operator=(const Thread&) = delete;

  /// The part of a region, in which the thread is now.
  Part& part(cairn::Regions::Number region) {
    if (region != current_->region) [[unlikely]]
      enter(region, ticks_now());
    return *current_;
  }
  Part& part() { return *current_; }
  std::deque<Part>& parts() { return parts_; }
  const std::deque<Part>& parts() const { return parts_; }

  /// The time since the last change of region goes to the part; when the figures are wanted.
  void settle(std::uint64_t now) {
    if (since_ != 0) current_->ticks += now - since_;
    since_ = now;
  }
  /// The thread's first call of MPI has begun.
  void begin(std::uint64_t now) {
    if (since_ == 0) [[unlikely]]
      since_ = now;
  }

  CommFigures& on_communicator(MPI_Comm comm, shared::Communicators& all) {
    const std::uint32_t changes = all.changes();
    if (comm != last_comm_ || changes != last_changes_) [[unlikely]] {
      const shared::Communicators::Number number = all.number_of(comm);
      if (number >= comms_.size()) comms_.resize(number + 1);
      last_ = &comms_[number];
      last_comm_ = comm;
      last_changes_ = changes;
    }
    return *last_;
  }
  const std::deque<CommFigures>& communicators() const { return comms_; }

  /// The next thread that records here begins anew.
  void thread_ended() {
    regions = {};
    settle(ticks_now());
    since_ = 0;
  }

 private:
  void enter(cairn::Regions::Number region, std::uint64_t now) {
    settle(now);
    if (region >= by_region_.size()) by_region_.resize(region + 1);
    Part*& place = by_region_[region];
    if (region == cairn::Regions::outside) place = &parts_.front();
    if (place == nullptr) place = &add(region);
    current_ = place;
  }
  Part& add(cairn::Regions::Number region) { return parts_.emplace_back(Part{region, 0, 0, Sites(site_count_)}); }

  std::size_t site_count_ = 0;
  std::deque<Part> parts_;
  std::vector<Part*> by_region_;
  Part* current_ = &add(cairn::Regions::outside);
  std::uint64_t since_ = 0;
  std::deque<CommFigures> comms_;
  MPI_Comm last_comm_ = MPI_COMM_NULL;
  std::uint32_t last_changes_ = 0;
  CommFigures* last_ = nullptr;
};

}  // namespace profile
