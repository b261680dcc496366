// SPDX-License-Identifier: BSD-3-Clause
// published.hpp - what the policy does, in memory of the node, for `cairn live`
//
// For one thread at a time, as the rules are looked at.
#pragma once

#include <map>
#include <string>

#include "cairn/kit/self.hpp"
#include "formats/policy.hpp"
#include "formats/policy_board.hpp"
#include "shared/board.hpp"

namespace policy {

class Published {
 public:
  using LookFigures = cairn::formats::policy::LookFigures;

  using Mailbox = cairn::formats::policy::Mailbox;

  /// When MPI_Init has returned.
  void begin(const cairn::Self& self) { board_.create(cairn::board::policy, self.instance()); }
  /// Rules that come now are of this policy.
  void begin_policy(const std::string& file, bool dry_run);
  /// For policies that come later. Null: nobody can write to it.
  Mailbox* add_mailbox();
  /// Before MPI_Finalize.
  void end() { board_.remove(); }

  /// Null: nobody can read it.
  LookFigures* add_rule(const std::string& title);
  static void show(LookFigures& shown, const cairn::formats::policy::RuleFigures& figures);
  /// The same again is counted.
  void add(const cairn::formats::policy::Event& event);

 private:
  using EventFigures = cairn::formats::policy::EventFigures;

  shared::Board& board_ =
      *new shared::Board;  // never destroyed: threads may use its memory until the process has ended
  std::map<std::string, EventFigures*> events_;
};

}  // namespace policy
