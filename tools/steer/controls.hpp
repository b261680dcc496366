// SPDX-License-Identifier: BSD-3-Clause
// controls.hpp - the control variables that may be set now, and orders to set them
#pragma once

#include <mpi.h>

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "cairn/kit/clock.hpp"
#include "cairn/kit/per_thread.hpp"
#include "cairn/kit/self.hpp"
#include "formats/steer_board.hpp"
#include "shared/agreement.hpp"
#include "shared/board.hpp"
#include "shared/control_variable.hpp"

namespace steer {

class Controls {
 public:
  /// `every`: joint calls from one agreement to the next.
  explicit Controls(unsigned every) : every_(every) {}

  /// When MPI_Init has returned; collective over the ranks that have the tool. What cannot be done, or "".
  std::string start(const cairn::Self& self);
  /// Before MPI_Finalize; collective likewise.
  void finish();

  /// At a safe point. Unless there is an order, two words are read, and now and then the clock: no word is written that
  /// other threads use.
  void pass() {
    if (mailbox_.load(std::memory_order_acquire)->asked.load(std::memory_order_acquire) !=
        seen_.load(std::memory_order_relaxed)) [[unlikely]]
      look();
    if (++passed_.mine().calls % passes_to_clock == 0 &&
        cairn::ticks_now() - refreshed_.load(std::memory_order_relaxed) >
            refresh_ticks_.load(std::memory_order_relaxed)) [[unlikely]]
      refresh();
  }
  /// In a call that all ranks make together.
  void pass_together() {
    if (agrees_.load(std::memory_order_relaxed) && ++joint_calls_ % every_ == 0) [[unlikely]]
      agree();
  }

 private:
  using Figures = cairn::formats::steer::ControlFigures;
  using Mailbox = cairn::formats::steer::Mailbox;
  using Outcome = cairn::formats::steer::Outcome;
  using Order = cairn::formats::OrderCopy;
  struct Control {
    std::string name;
    bool only_together;
    std::unique_ptr<const mpi_t::ControlVariable> variable;
    std::string shown;  // on the board: what lies there is never read, since others can write it
    Figures* figures;
  };
  struct Passed {
    unsigned calls = 0;
  };
  /// A variable has been written.
  struct Written {
    std::string before;
    std::string why_not;  // "": it is done
  };

  void offer(int index);
  void look();
  void agree();
  void refresh();
  static void show(Control& control);
  static Written write(const Control& control, const std::string& value);
  void carry_out(const Order& order);
  void carry_out_together(const Order& order);
  void answer(const Order& order, Outcome outcome, const std::string& text);
  void lock();
  void unlock() { is_busy_.store(false, std::memory_order_release); }

  static constexpr unsigned passes_to_clock = 8;
  static constexpr double refresh_s = 0.05;
  static constexpr std::size_t refreshed_at_once = 32;  // variables in that time

  unsigned every_;
  shared::Board& board_ = *new shared::Board;  // never destroyed: its memory is used until the process has ended
  Mailbox& nobody_ = *new Mailbox{};
  std::atomic<Mailbox*> mailbox_{&nobody_};
  std::atomic<std::uint64_t> seen_{0};  // order
  std::atomic<bool> is_busy_{false};
  Order pending_;  // that all ranks must carry out together; number 0: none. Under is_busy_, as all about controls_
  cairn::PerThread<Passed> passed_;
  std::atomic<std::uint64_t> refreshed_{0};  // ticks
  std::atomic<std::uint64_t> refresh_ticks_{UINT64_MAX};
  std::size_t next_refreshed_ = 0;
  cairn::Clock clock_;
  std::atomic<bool> agrees_{false};
  std::uint64_t joint_calls_ = 0;
  std::vector<Control> controls_;
  shared::Agreement agreement_{3};
};

}  // namespace steer
