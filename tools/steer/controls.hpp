// SPDX-License-Identifier: BSD-3-Clause
// controls.hpp - the control variables that may be set now, and orders to set them
#pragma once

#include <mpi.h>

#include <atomic>
#include <string>
#include <vector>

#include "cairn/kit/self.hpp"
#include "formats/steer_board.hpp"
#include "shared/agreement.hpp"
#include "shared/board.hpp"

namespace steer {

class Controls {
 public:
  /// `every`: joint calls from one agreement to the next.
  explicit Controls(unsigned every) : every_(every) {}

  /// When MPI_Init has returned; collective over the ranks that have the tool. What cannot be done, or "".
  std::string start(const cairn::Self& self);
  /// Before MPI_Finalize; collective likewise.
  void finish();

  /// At a safe point. No more than two words are read unless there is an order.
  void pass() {
    if (mailbox_.load(std::memory_order_acquire)->asked.load(std::memory_order_acquire) !=
        seen_.load(std::memory_order_relaxed)) [[unlikely]]
      look();
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
  struct Control {
    std::string name;
    Figures* figures;
  };

  void offer(int index);
  void look();
  void agree();
  void carry_out(std::uint64_t order);
  void answer(std::uint64_t order, Outcome outcome, const std::string& text);

  unsigned every_;
  shared::Board& board_ = *new shared::Board;  // never destroyed: its memory is used until the process has ended
  Mailbox& nobody_ = *new Mailbox{};
  std::atomic<Mailbox*> mailbox_{&nobody_};
  std::atomic<std::uint64_t> seen_{0};     // order
  std::atomic<std::uint64_t> pending_{0};  // an order that all ranks must carry out together; 0: none
  std::atomic<bool> is_busy_{false};
  std::atomic<bool> agrees_{false};
  std::uint64_t joint_calls_ = 0;
  std::vector<Control> controls_;
  shared::Agreement agreement_{3};
};

}  // namespace steer
