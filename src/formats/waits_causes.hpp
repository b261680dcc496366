// SPDX-License-Identifier: BSD-3-Clause
// waits_causes.hpp - the part of waits.json on who waits for whom, and because of what
#pragma once

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "formats/text.hpp"

namespace cairn::formats::waits {

/// An MPI call in the program; start and end of the run are MPI_Init and MPI_Finalize.
struct Place {
  std::string function;  // "MPI_Send"
  SourcePosition at;     // keys file, line, caller, object, offset

  static void fields(auto& file, auto& place) {
    file("function", place.function);
    file.inlined(place.at);
  }
};

/// Waiting of one kind at a call site. `kind`: late_sender, wrong_order, late_receiver, late_completion,
/// late_fetch, wait_at_barrier, wait_at_n_to_n, wait_at_one_to_n, wait_at_n_to_one, early_reduce, wait_at_scan, wait_at_fence,
/// wait_at_neighbors, late_post, late_complete, lock_contention, io_collective, communicator_creation, wait_at_finalize.
struct Wait {
  std::string kind;
  Place place;
  std::string communicator;  // "MPI_COMM_WORLD"
  std::string region;        // "solve/halo"; "": outside
  double time = 0;
  std::uint64_t count = 0;  // of calls that waited
  double most = 0;          // of one rank
  int worst_rank = 0;       // that one
  std::vector<int> ranks;   // that waited

  static void fields(auto& file, auto& wait) {
    file("kind", wait.kind);
    file.inlined(wait.place);
    file("communicator", wait.communicator);
    file("region", wait.region);
    file("time_s", wait.time);
    file("count", wait.count);
    file("max_s", wait.most);
    file("max_rank", wait.worst_rank);
    file.ranks("ranks", wait.ranks);
  }
};

/// [waiter, who came late, seconds, times]
struct Pair {
  int waiter = 0;
  int culprit = 0;
  double time = 0;
  std::uint64_t count = 0;

  static void row(auto& file, auto& pair) { file.values(pair.waiter, pair.culprit, pair.time, pair.count); }
};

/// What a cause made others wait with: the same kind at the same place.
struct Symptom {
  std::string kind;  // as in Wait
  Place place;
  double cost = 0;

  static void fields(auto& file, auto& symptom) {
    file("kind", symptom.kind);
    file.inlined(symptom.place);
    file("cost_s", symptom.cost);
  }
};

/// Where ranks spend processor time: a function of the program or a library, at its dearest line.
struct Sampled {
  SourcePosition at;
  double time = 0;  // in the whole function

  static void fields(auto& file, auto& sampled) {
    file.inlined(sampled.at);
    file("time_s", sampled.time);
  }
};

/// What the chain of those who wait for each other ends in.
struct Cause {
  std::string kind;  // work: between two calls; communication: in the call `from`, which took longer than elsewhere;
      // start: until MPI_Init was over; usual_work: of other ranks, which idle ones wait for, and no loss
  std::vector<int> ranks;  // that cause it
  Place from;              // the call before the work
  Place to;                // the call after it
  std::string region;
  double cost = 0;          // seconds of waiting of all ranks, those who waited for waiting ranks included
  double share = 0;         // of all waiting
  double own = 0;           // seconds that these ranks spend there, sum
  double elsewhere = 0;     // what a mean other rank spends there, of those that have any of it to speak of
  std::uint64_t times = 0;  // that somebody waited for it
  std::vector<Symptom> symptoms;
  bool seldom = false;   // most of what they have more than others comes in a few of the times that they do it
  bool in_turn = false;  // these ranks have no more of it than others: what costs is that one comes after the other
  double predicted_run = NAN;    // run time if they spent as much there as the others do, or, in turn, if nobody waited
                                 // where they are waited for; not a number: unknown
  double error = 0;              // of that
  double sent_first_run = NAN;   // if what is sent after that work left before it; not a number: nothing is
  double sent_first_error = 0;   // of that
  std::vector<Sampled> samples;  // functions that fill it, if they were sampled; the dearest
  double other_samples = 0;      // in other functions
  std::uint64_t sample_count = 0;  // what these times are known from

  static void fields(auto& file, auto& cause) {
    file("kind", cause.kind);
    file.ranks("ranks", cause.ranks);
    file("from", cause.from);
    file("to", cause.to);
    file("region", cause.region);
    file("cost_s", cause.cost);
    file("share", cause.share);
    file("own_s", cause.own);
    file("elsewhere_s", cause.elsewhere);
    file("times", cause.times);
    file("symptoms", cause.symptoms);
    file.optional("seldom", cause.seldom, cause.seldom);
    file.optional("in_turn", cause.in_turn, cause.in_turn);
    file("predicted_run_s", cause.predicted_run);
    file("error_s", cause.error);
    file.optional("sent_first_run_s", cause.sent_first_run, !std::isnan(cause.sent_first_run));
    file.optional("sent_first_error_s", cause.sent_first_error, !std::isnan(cause.sent_first_run));
    file.optional("samples", cause.samples, !cause.samples.empty());
    file.optional("other_samples_s", cause.other_samples, cause.other_samples > 0);
    file.optional("sample_count", cause.sample_count, cause.sample_count != 0);
  }
};

}  // namespace cairn::formats::waits
