// SPDX-License-Identifier: BSD-3-Clause
// watch.hpp - looking from time to time whether the job still moves, without MPI
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "cairn/services/recorder.hpp"
#include "cairn/services/symbols.hpp"
#include "where/other_nodes.hpp"
#include "where/patience.hpp"
#include "where/report.hpp"
#include "where/threads.hpp"

namespace where_tool {

/// What was seen of a job that does not move.
struct Sight {
  std::string title;  // for people, as is the text
  std::string text;
  std::string json;
  bool is_hopeless = false;  // as of Verdict
};

class Watch {
 public:
  /// Nothing may have happened for that long; looked is at such intervals. `symbols` may be null. `to_the_end`: also after the first sight, until one
  /// is hopeless.
  Watch(const cairn::Recorder& recorder, const cairn::Symbols* symbols, double hang_s, double interval_s,
        bool to_the_end)
      : recorder_(recorder),
        symbols_(symbols),
        hang_s_(hang_s),
        to_the_end_(to_the_end),
        stops_(interval_s),
        ask_after_s_(hang_s) {}
  ~Watch();
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

  /// Of the job's processes on this node one looks; a process that dies leaves that to another one. Nothing if it is
  /// another's turn, or all is well. Reads no more than the own page as long as this process moves. Of a job on several
  /// nodes, the one with the first rank asks the others, and only that one tells what it has seen.
  std::optional<Sight> look();

 private:
  std::optional<Sight> look_at_job();
  std::string beside_page(const std::string& name) const;
  std::string watch_file() const;
  bool is_run_over() const;
  bool is_own_turn();
  void be_done() const;
  double idle_s() const;
  void look_at_threads();
  bool note_processors(cairn::where::Job& job) const;
  std::optional<cairn::where::JobPages> own_job(std::vector<cairn::where::Process> sent,
                                                std::size_t history = 4096) const;
  std::optional<cairn::where::JobPages> whole_job(std::string& silent);

  const cairn::Recorder& recorder_;
  const cairn::Symbols* symbols_;
  double hang_s_;
  bool to_the_end_;
  bool has_told_ = false;
  cairn::where::Stops stops_;
  cairn::where::ProcessorTimes times_;
  double ask_after_s_;  // without an event; it costs the other nodes something, so it is done ever less often
  int turn_ = -1;       // descriptor of the locked file
};

}  // namespace where_tool
