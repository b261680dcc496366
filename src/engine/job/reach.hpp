// SPDX-License-Identifier: BSD-3-Clause
// reach.hpp - whether the ranks can reach each other when MPI ends, so that nobody waits for one that cannot come
//
// A program that changes its user, whose first thread has ended, or that on MPICH uses
// up its address space, cannot send what its tools have. Where all ranks with Cairn are
// on one node they tell each other through a page; otherwise each looks at itself only.
#pragma once

#include <mpi.h>
#include <sys/types.h>

#include <string>

#include "job/node_page.hpp"
#include "job/roster.hpp"
#include "job/world.hpp"

namespace cairn::engine {

class Reach {
 public:
  /// As MPI starts.
  void start() { rights_ = Rights::now(); }
  NodePage& page() { return page_; }
  /// Those that have opened the page, and others with Cairn.
  void wait_for(const RankRanges& ranks) { ranks_ = ranks; }

  /// As MPI ends. A rank that waits for nobody tells those that do.
  void answer();
  /// Waits for all ranks' answers, while the library makes progress, as others may still need this rank for what the
  /// program has sent them. Why nothing can be gathered; "": it can.
  std::string why_apart(World& world);

 private:
  using Word = NodePage::Word;
  struct Rights {
    uid_t user;
    uid_t effective_user;
    gid_t group;
    gid_t effective_group;

    static Rights now();
    bool operator==(const Rights&) const = default;
  };

  Word own_word() const;
  bool is_on_one_node() const;
  Word common_word() const;

  Rights rights_{};
  RankRanges ranks_;
  NodePage page_;
  Word own_ = Word::runs;
};

}  // namespace cairn::engine
