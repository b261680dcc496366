// SPDX-License-Identifier: BSD-3-Clause
// rank_figures.hpp - one rank's figures, added up over its threads, under keys that mean the same on every rank
#pragma once

#include <map>
#include <string>

#include "cairn/functions.hpp"
#include "chains.hpp"
#include "record.hpp"
#include "rows.hpp"
#include "shared/communicators.hpp"

namespace profile {

class RankFigures {
 public:
  /// `program`: its path.
  explicit RankFigures(std::string program) : program_(std::move(program)) {}

  void add_function(cairn::Function function, const Figures& figures);
  /// Places are told apart by file and address in the file, wherever they were loaded.
  void add_site(cairn::Function function, const Chain& chain, const Figures& figures);
  /// How often and how long a thread was in a region.
  void add_visits(const std::string& region, std::uint64_t visits, std::uint64_t ticks);
  /// Calls in a region.
  void add_region(const std::string& region, cairn::Function function, const Figures& figures);
  /// `communicators`: how many there were in the group.
  void add_communicators(const shared::CommGroup& group, std::uint64_t communicators);
  void add_communicator(const shared::CommGroup& group, const Figures& figures);

  /// In all functions, or in one.
  std::uint64_t ticks() const;
  std::uint64_t ticks_in(cairn::Function function) const;
  /// visit(function, figures)
  template <class Visit>
  void for_each_function(Visit visit) const {
    for (const auto& [key, figures] : all_)
      if (KeyReader reader(key); reader.kind() == RowKind::function) visit(reader.take<cairn::Function>(), figures);
  }
  Rows rows(int rank) const;

 private:
  void add(const KeyWriter& key, const Figures& figures) { all_[key.key()].add(figures); }

  std::string program_;
  std::map<std::string, Figures> all_;
};

}  // namespace profile
