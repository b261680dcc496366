// SPDX-License-Identifier: BSD-3-Clause
// watched.hpp - the job that the collector follows: which it is, what it has done since, and how that is reported
//
// One thread looks, others ask for answers.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "cairn/kit/clock.hpp"
#include "live/controls.hpp"
#include "live/history.hpp"
#include "live/policies.hpp"
#include "live/traffic.hpp"
#include "live/variables.hpp"
#include "where/places.hpp"
#include "where/verdict.hpp"

namespace cairn::live {

class Watched {
 public:
  /// `symbols`: null if names cannot be looked up. `patience_s` as for `cairn where`.
  Watched(const Symbols* symbols, double interval_s, double patience_s)
      : places_(symbols), interval_s_(interval_s), patience_s_(patience_s) {}

  /// Of these jobs, the latest first, the one that is followed is looked at: as long as it runs it stays the same, then
  /// the next one that runs takes its place. `problems`: pages that cannot be read, and why. `time`: seconds since 1970.
  /// `began_ns`: when reading the pages began (nanoseconds_now). `all_heard`: no other node is to be heard of yet, or
  /// again; else the job is not taken to be over.
  void look(const std::vector<where::JobPages>& jobs, std::vector<std::string> problems, double time,
            std::uint64_t began_ns = nanoseconds_now(), bool all_heard = true);
  /// The one that look() will follow; null: none of them.
  const where::JobPages* next_of(const std::vector<where::JobPages>& jobs) const;

  /// Of the job that is followed. False: there was none yet.
  bool has_job() const;
  bool is_over() const;
  /// Its name, as of JobPages.
  std::string job() const;
  std::pair<std::string, std::string> program_and_folder() const;

  /// For the page: what is now, the points from number `after` on, at most most_points_at_once, and how soon there will
  /// be something new.
  std::string state_json(std::uint64_t after) const;
  static constexpr std::uint64_t most_points_at_once = 600;
  /// For Prometheus.
  std::string open_metrics() const;
  /// For a terminal.
  std::string text() const;
  /// Who has sent how much to whom: what has changed after the matrix's look number `after`.
  std::string matrix_json(std::uint64_t after) const;
  /// Performance variables, from number `first` on with what they are; and one of them over time (variables.hpp).
  std::string variables_json(std::uint64_t first) const;
  std::string series_json(std::uint64_t variable, std::uint64_t after) const;

  /// Control variables; an order to set one, or to follow a policy (controls.hpp).
  std::string controls_json() const;
  std::string order(const std::string& name, const std::string& value, const std::string& ranks);
  std::string give_policy(const std::string& name, const std::string& text);
  /// What ranks on other nodes are to be told, by host.
  std::map<std::string, std::string> orders_under_way() const;

  /// How far a recording (saving.hpp) has come.
  struct Saved {
    std::uint64_t next = 0;       // point
    std::uint64_t matrix = 0;     // look
    std::uint64_t look = 0;       // at variables
    std::uint64_t variables = 0;  // that were told
  };
  /// One line of it, with what has come since.
  std::string recording_line(Saved& saved) const;

 private:
  const where::JobPages* choose(const std::vector<where::JobPages>& jobs) const;
  void begin();
  void end();
  bool is_same(const where::JobPages& job) const;
  void take(const where::JobPages& job, double time, std::vector<std::string>& problems, bool all_heard);
  void lose_sight();
  void hear_problems(const std::vector<std::string>& problems);
  void follow(const std::vector<where::JobPages>& jobs, std::vector<std::string>& problems, double time,
              bool all_heard);
  double due_s() const;
  bool takes_policies() const;
  std::string state_json_locked(std::uint64_t after) const;
  std::string text_locked() const;
  std::string job_json() const;
  std::string points_json(std::uint64_t after) const;
  std::string rates_text() const;

  struct Job {
    std::string name;
    std::string launched;  // what the launcher calls it, which is all its name before MPI_Init has returned
    std::string program, run, host, mpi, folder;
    int size = 0;
    int seen = 0;
    double running_s = 0;
    bool is_over = false;
    where::State state = where::State::moving;
    std::string where_json;  // as `cairn where` has it
    std::string where_text;
  };

  mutable std::mutex lock_;
  where::Places places_;
  double interval_s_;
  double patience_s_;
  Job job_;
  History history_;
  Traffic traffic_;
  Variables variables_;
  Controls controls_;
  Policies policies_;
  double since_ = 0;                     // seconds since 1970: of the first look
  double time_ = 0;                      // and of the latest
  std::uint64_t jobs_ = 0;               // followed so far
  double look_s_ = 0;                    // that the latest look took
  std::uint64_t looked_ns_ = 0;          // when it was over (nanoseconds_now); 0: there was none yet
  std::vector<std::string> others_;      // further jobs that run
  std::map<std::string, int> problems_;  // looks in a row that have met it
};

}  // namespace cairn::live
