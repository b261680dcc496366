// SPDX-License-Identifier: BSD-3-Clause
// handover.hpp - a policy that is given while the program runs: when all ranks have the same one
//
// `cairn live` writes it into a mailbox of each rank. The ranks tell each other in some of the program's joint calls
// (agreement.hpp) whether they have one, and take it in the same call.
#pragma once

#include <mpi.h>

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>

#include "cairn/kit/self.hpp"
#include "formats/policy_board.hpp"
#include "published.hpp"
#include "shared/agreement.hpp"

namespace policy {

class Handover {
 public:
  struct Given {
    std::string name;
    std::string text;
  };

  /// When MPI_Init has returned; collective over the ranks that have the tool. Where nobody can give one: what a
  /// user is told.
  std::string start(const cairn::Self& self, Published& published);
  /// Before MPI_Finalize; collective likewise.
  void finish();

  /// In a joint call on MPI_COMM_WORLD: whether the ranks ask each other in this one.
  bool is_due() { return is_open_.load(std::memory_order_relaxed) && ++joint_calls_ % every == 0; }
  /// Then, on all ranks. With a policy: refuse() or accept() comes next.
  std::optional<Given> take();
  /// Collective.
  bool any(bool here) const { return agreement_.any(here); }
  void accept(const std::string& name) { answer(cairn::formats::Outcome::set, name); }
  void refuse(const std::string& why) { answer(cairn::formats::Outcome::refused, why); }

 private:
  static constexpr std::uint64_t every = 32;
  using Mailbox = cairn::formats::policy::Mailbox;

  void answer(cairn::formats::Outcome outcome, const std::string& text);

  std::atomic<bool> is_open_{false};
  Mailbox* mailbox_ = nullptr;  // null: this rank is given none
  std::uint64_t joint_calls_ = 0;
  std::uint64_t order_ = 0;
  shared::Agreement agreement_{4};
};

}  // namespace policy
