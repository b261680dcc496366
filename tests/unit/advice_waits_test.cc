// SPDX-License-Identifier: BSD-3-Clause
// advice_waits_test.cc - what `cairn advise` makes of the waiting that `waits` has measured

#include <filesystem>

#include "advice_run.hpp"

namespace {

using cairn::advise::Result;
using nlohmann::json;
using AdviceOfWaits = cairn::AdvisedRun;

/// waits.json of a run of 100 s on 4 ranks with one cause.
json waits(const char* wait, const char* ranks, double own, double elsewhere, bool in_turn = false) {
  const json felt = {{"kind", wait}, {"function", "MPI_Recv"}, {"file", "b.c"},
                     {"line", 9},    {"caller", "g"},          {"cost_s", 40}};
  const json from = {{"function", "MPI_Bcast"}, {"file", "b.c"}, {"line", 3}, {"caller", "g"}};
  const json to = {{"function", "MPI_Send"}, {"file", "b.c"}, {"line", 5}, {"caller", "g"}};
  return {{"format", "cairn-waits 1"},
          {"ranks", 4},
          {"run_s", 110},
          {"replayed_s", 111},
          {"time_s", {{"waiting", 44}, {"start", 40}}},
          {"causes", json::array({{{"kind", "work"},
                                   {"ranks", ranks},
                                   {"from", from},
                                   {"to", to},
                                   {"cost_s", 40},
                                   {"share", 0.9},
                                   {"own_s", own},
                                   {"elsewhere_s", elsewhere},
                                   {"symptoms", json::array({felt})},
                                   {"in_turn", in_turn},
                                   {"predicted_run_s", 96},
                                   {"error_s", 0.5}}})}};
}

TEST_F(AdviceOfWaits, CausesOfWaitingAreOfTheKindThatRanksAndWorkMakeThem) {
  const auto found = [&](const char* wait, const char* ranks, double own, double elsewhere, bool in_turn = false) {
    write("waits.json", waits(wait, ranks, own, elsewhere, in_turn));
    return cairn::advise::advice_json(find(), records_)["findings"].at(0);
  };
  const json late = found("late_sender", "1", 30, 0);
  EXPECT_EQ(late["kind"], "late_sender");
  EXPECT_EQ(late["place"], (json{{"file", "b.c"}, {"line", 9}, {"function", "g"}}));
  EXPECT_EQ(late["ranks"], json{1});
  EXPECT_EQ(late["cost_s"], 10);
  EXPECT_EQ(late["gain_s"], 15);  // of the replay
  EXPECT_EQ(late["predicted_run_s"], 85);
  EXPECT_EQ(late["predicted_error_s"], 0.5);
  EXPECT_EQ(late["measured"], true);
  EXPECT_EQ(
      late["evidence"],
      "messages of rank 1 are sent late because of work between MPI_Bcast at b.c:3 g and MPI_Send at b.c:5 g, 30 s, "
      "where another rank needs 0 us; an average rank waits 10 s for that, 90 % of all waiting, most of it in MPI_Recv "
      "at b.c:9 g");
  EXPECT_EQ(found("late_receiver", "1", 30, 0)["kind"], "late_receiver");
  EXPECT_EQ(found("wait_at_n_to_n", "1", 30, 5)["kind"], "late_rank");
  EXPECT_EQ(found("wait_at_n_to_n", "1", 30, 15)["kind"], "uneven_work");
  EXPECT_EQ(found("late_sender", "1", 30, 15)["kind"], "uneven_work");
  EXPECT_EQ(found("late_sender", "0-3", 120, 30, true)["kind"], "serial_chain");
  EXPECT_EQ(found("wait_at_barrier", "0-3", 120, 30, true)["kind"], "needless_barrier");
  EXPECT_EQ(found("wait_at_barrier", "0-3", 120, 30, true)["gain_s"], 15) << "of the replay, too";
  EXPECT_EQ(found("wait_at_barrier", "0-3", 120, 30, true)["predicted_run_s"], 85);
  EXPECT_EQ(found("wait_at_barrier", "0-2", 90, 10)["kind"], "uneven_work") << "most of the ranks have more of it";
  const std::string of_all = found("wait_at_n_to_n", "0-3", 120, 30)["evidence"];
  EXPECT_NE(of_all.find(", 30 s on the average rank, with another rank last each time; "), std::string::npos) << of_all;
  EXPECT_EQ(found("wait_at_fence", "1", 30, 0)["kind"], "one_sided_sync");
}

TEST_F(AdviceOfWaits, RanksThatHaveMoreOfTheWorkNowAndThenAreLate) {
  json all = waits("wait_at_n_to_n", "1", 30, 15);
  all["causes"][0]["seldom"] = true;
  write("waits.json", all);
  const json found = cairn::advise::advice_json(find(), records_)["findings"].at(0);
  EXPECT_EQ(found["kind"], "late_rank");
  const std::string evidence = found["evidence"];
  EXPECT_NE(evidence.find(", 30 s, where another rank needs 15 s; most of what is more comes in few of the times; "),
            std::string::npos)
      << evidence;
}

/// A late partner in MPI_Sendrecv is late to send and to receive; a chain may end at a barrier, where all wait once more.
TEST_F(AdviceOfWaits, WhatIsFeltInTwoWaysIsOfTheKindThatExplainsBoth) {
  const auto found = [&](const char* one, double cost, const char* other, double other_cost, bool in_turn) {
    json all = waits(one, in_turn ? "0-3" : "1", 30, 0, in_turn);
    json& symptoms = all["causes"][0]["symptoms"];
    symptoms.push_back(symptoms[0]);
    symptoms[0]["cost_s"] = cost;
    symptoms[1]["cost_s"] = other_cost;
    symptoms[1]["kind"] = other;
    write("waits.json", all);
    return cairn::advise::advice_json(find(), records_)["findings"].at(0)["kind"].get<std::string>();
  };
  EXPECT_EQ(found("late_receiver", 21, "late_sender", 19, false), "late_sender");
  EXPECT_EQ(found("late_receiver", 25, "late_sender", 15, false), "late_receiver");
  EXPECT_EQ(found("wait_at_barrier", 28, "late_sender", 12, true), "serial_chain");
  EXPECT_EQ(found("wait_at_barrier", 35, "late_sender", 5, true), "needless_barrier");
}

/// 10 s of 40 s in messages are those of tiny ones, of two pairs alike; without any calls there the run is 20 s shorter.
TEST_F(AdviceOfWaits, TinyMessagesOfAllPairsAreCombinedTogether) {
  json all = waits("late_sender", "1", 0.1, 0);
  all["causes"] = json::array();
  all["time_s"]["waiting"] = 0;
  all["free_calls"] = json::array({{{"function", "MPI_Send"}, {"file", "a.c"}, {"line", 7}, {"predicted_run_s", 91}}});
  write("waits.json", all);
  write("profile.json", profile("MPI_Send", 400, 40, 400));
  json pairs = json::array();
  for (int from = 0; from < 2; ++from) pairs.push_back({from, 2, 1e7, 8e7, json::array()});
  pairs.push_back({0, 3, 6e7, 6e13, json::array()});
  write("comm/comm.json", traffic(pairs, {{{"name", "a"}, {"ranks", "0-3"}}}));
  const cairn::advise::Result result = find();
  const auto tiny = std::ranges::find(result.advice, "Many tiny messages to one rank", &cairn::advise::Advice::title);
  ASSERT_NE(tiny, result.advice.end());
  EXPECT_DOUBLE_EQ(tiny->cost_s, 10);
  EXPECT_DOUBLE_EQ(tiny->gain_s, 5);
}

/// By the wait that most of the cost is.
TEST_F(AdviceOfWaits, WhatToDoDependsOnWhatIsWaitedFor) {
  for (const auto& [wait, title] : {std::pair{"late_sender", "Late sender"},
                                    {"wrong_order", "Messages that are received in another order"},
                                    {"wait_at_fence", "Late in one-sided communication"},
                                    {"lock_contention", "Locks that are held for long"},
                                    {"late_post", "Late to post or to complete"},
                                    {"late_complete", "Late to post or to complete"}}) {
    write("waits.json", waits(wait, "1", 30, 0));
    EXPECT_EQ(titles(find()), Titles{title}) << wait;
  }
}

/// Each has its own place, and may be mended without the other.
TEST_F(AdviceOfWaits, EachCauseIsAFinding) {
  json all = waits("late_sender", "1", 30, 0);
  json other = all["causes"][0];
  other["ranks"] = "2";
  other["cost_s"] = 60;
  other["symptoms"][0]["line"] = 20;
  all["causes"].push_back(other);
  other["cost_s"] = 1;  // not worth it
  all["causes"].push_back(other);
  write("waits.json", all);
  const Result found = find();
  ASSERT_EQ(titles(found), (Titles{"Late sender", "Late sender"}));
  EXPECT_EQ(found.advice[0].line, 20);
  EXPECT_EQ(found.advice[0].cost_s, 15);
  EXPECT_EQ(found.advice[1].line, 9);
  EXPECT_EQ(found.advice[0].others + found.advice[1].others, 0U);
}

/// Of a function that sends and is inlined in two places, all calls are combined where its line is.
TEST_F(AdviceOfWaits, CallsOfOneLineAreFreedTogether) {
  const json site = {{"function", "MPI_Send"}, {"file", "a.c"}, {"line", 7}, {"predicted_run_s", 101}};
  json all = waits("late_sender", "1", 30, 0);
  all["free_calls"] = json::array({site, site});
  write("waits.json", all);
  write("profile.json", profile("MPI_Send", 400, 1, 400.0 * 64));
  const auto told =
      find("finding \"a\"\n for each site\n if 1\n gain 1\n do \"{site.freed:time}\"\n").advice.at(0).remedy;
  EXPECT_EQ(told, "20 s");
  all["free_calls"][1]["function"] = "MPI_Barrier";  // another one, as where one line makes several calls
  write("waits.json", all);
  EXPECT_EQ(find("finding \"a\"\n for each site\n if 1\n gain 1\n do \"{site.freed:time}\"\n").advice.at(0).remedy,
            "10 s");
}

/// waits.json tells the time from the first rank's start on, here 150 s; profile.json that of an average rank, 100 s.
TEST_F(AdviceOfWaits, WhereRanksStartAtDifferentTimesTheGainIsWhatTheReplayGains) {
  json all = waits("late_sender", "1", 30, 0);
  all["run_s"] = 150;
  write("waits.json", all);
  write("profile.json", profile("MPI_Recv", 40, 1, 0));
  const json late = cairn::advise::advice_json(find(), records_)["findings"].at(0);
  EXPECT_EQ(late["gain_s"], 15);
  EXPECT_EQ(late["predicted_run_s"], 85);
}

/// As where one writes results while the others are in MPI_Finalize, on average for 20 s.
TEST_F(AdviceOfWaits, TheRunIsOverWhenTheLastRankIsInFinalize) {
  json all = waits("wait_at_finalize", "1", 30, 0);
  all["waits"] = json::array({{{"kind", "wait_at_finalize"}, {"function", "MPI_Finalize"}, {"time_s", 80}}});
  write("waits.json", all);
  write("profile.json", profile("MPI_Recv", 40, 1, 0));
  const json found = cairn::advise::advice_json(find(), records_);
  EXPECT_EQ(found["run_s"], 120);
  EXPECT_EQ(found["findings"].at(0)["predicted_run_s"], 120 - 15);
}

TEST_F(AdviceOfWaits, ACauseThatCostsMuchIsToldAlsoIfNothingIsPredictedToBeGained) {
  json all = waits("wait_at_n_to_n", "1", 30, 15);
  all["causes"][0]["predicted_run_s"] = all["replayed_s"];
  write("waits.json", all);
  const json found = cairn::advise::advice_json(find(), records_)["findings"].at(0);
  EXPECT_EQ(found["kind"], "uneven_work");
  EXPECT_EQ(found["cost_s"], 10);
  EXPECT_EQ(found["gain_s"], 0);
}

TEST_F(AdviceOfWaits, WhatOtherRanksHaveNothingOfIsNotTheRestOfARounding) {
  write("waits.json", waits("late_sender", "1", 30, 3e-18));
  const json late = cairn::advise::advice_json(find(), records_)["findings"].at(0);
  EXPECT_NE(late["evidence"].get<std::string>().find("30 s, where another rank needs 0 us; "), std::string::npos)
      << late;
}

/// Calls that take long, and what is not predicted: not less of a finding.
TEST_F(AdviceOfWaits, CausesThatAreNoWorkAreFindingsWhetherTheyArePredictedOrNot) {
  json all = waits("wait_at_barrier", "1", 30, 10);
  json& cause = all["causes"][0];
  cause["kind"] = "communication";
  for (const auto& [function, kind] : {std::pair{"MPI_Comm_dup", "communicator_creation"},
                                       {"MPI_File_write", "file_access"},
                                       {"MPI_Allreduce", "late_rank"},
                                       {"MPI_Send", "late_rank"}}) {
    cause["from"]["function"] = function;
    for (const bool is_predicted : {true, false}) {
      cause["predicted_run_s"] = is_predicted ? json(96) : json();
      write("waits.json", all);
      const json found = cairn::advise::advice_json(find(), records_)["findings"];
      ASSERT_EQ(found.size(), 1U) << function;
      EXPECT_EQ(found[0]["kind"], kind);
      EXPECT_EQ(found[0]["cost_s"], 10);
      EXPECT_EQ(found[0]["gain_s"], is_predicted ? 15 : 10);
      EXPECT_EQ(found[0]["predicted_run_s"], is_predicted ? json(85) : json());
    }
  }
  for (const char* const no_loss : {"start", "usual_work"}) {
    cause["kind"] = no_loss;
    write("waits.json", all);
    EXPECT_TRUE(find().advice.empty());
  }
}

/// An average one of 4 ranks searches 5 s, and waits 10 s for the rank that does.
TEST_F(AdviceOfWaits, SearchingForMessagesIsToldWithWhatOthersWaitForIt) {
  json all = waits("wait_at_barrier", "1", 20, 0);
  json& cause = all["causes"][0];
  cause["kind"] = "communication";
  const json place = {{"function", "MPI_Recv"}, {"file", "a.c"}, {"line", 7}, {"caller", "f"}};
  cause["from"] = place;
  json searches = place;
  searches.update(
      {{"ranks", "1"}, {"receives", 4000}, {"longest_queue", 2000}, {"time_s", 20}, {"predicted_run_s", 96}});
  all["searches"] = json::array({searches});
  write("waits.json", all);
  const json found = cairn::advise::advice_json(find(), records_)["findings"];
  ASSERT_EQ(found.size(), 1U) << found;
  EXPECT_EQ(found[0]["kind"], "unexpected_messages");
  EXPECT_EQ(found[0]["place"]["line"], 7);
  EXPECT_EQ(found[0]["ranks"], json::array({1}));
  EXPECT_EQ(found[0]["cost_s"], 15);
  EXPECT_EQ(found[0]["gain_s"], 15);
  EXPECT_EQ(found[0]["predicted_run_s"], 85);
  EXPECT_EQ(found[0]["evidence"],
            "MPI_Recv at a.c:7 f receives 4000 messages that had come before, with up to 2000 in the queue: rank 1 "
            "searches 20 s longer than where few lie there; with those who wait for that, an average rank loses 15 s");

  all["searches"][0]["time_s"] = 4;  // a fifth of what others wait for
  write("waits.json", all);
  const json less = cairn::advise::advice_json(find(), records_)["findings"];
  ASSERT_EQ(less.size(), 2U) << less;
  EXPECT_EQ(less[0]["kind"], "late_rank");
  EXPECT_EQ(less[1]["cost_s"], 3);
}

/// The call may have waited for a rank without records.
TEST_F(AdviceOfWaits, CallsCauseNothingWhereTheirTimeIsUnknown) {
  json all = waits("wait_at_barrier", "1", 30, 10);
  all["time_s"]["unknown"] = 1;
  write("waits.json", all);
  EXPECT_EQ(find().advice.size(), 1U) << "work is known";
  all["causes"][0]["kind"] = "communication";
  all["causes"][0]["from"]["function"] = "MPI_Recv";
  write("waits.json", all);
  EXPECT_TRUE(find().advice.empty());
}

/// Two places wait for their transfers, one of them for late partners only.
TEST_F(AdviceOfWaits, WaitingForTransfersIsThatOfEachPlace) {
  const json transfers = {{"completed", 400}, {"under_way_s", 100}, {"waited_s", 80}};
  json all = profile("MPI_Irecv", 400, 1, 400.0 * 64, {{"transfers", transfers}});
  all["callsites"].push_back(all["callsites"][0]);
  all["callsites"][1]["line"] = 8;
  json wait = all["functions"][0];
  wait.erase("transfers");
  wait.update({{"name", "MPI_Waitall"}, {"time_s", over(160, 4)}});
  all["functions"].push_back(wait);
  write("profile.json", all);
  json of_waits = waits("late_sender", "1", 30, 0);
  of_waits["waits"] = json::array(
      {{{"kind", "late_sender"}, {"function", "MPI_Waitall"}, {"file", "a.c"}, {"line", 9}, {"time_s", 100}}});
  of_waits["transfers"] = json::array({{{"function", "MPI_Irecv"}, {"file", "a.c"}, {"line", 8}, {"time_s", 48}}});
  write("waits.json", of_waits);
  const auto told = [&](const std::string& line) {
    return find("finding \"a\"\n for each site\n if site.line == " + line + "\n gain 1\n do \"{site.waited:time}\"\n")
        .advice.at(0)
        .remedy;
  };
  EXPECT_EQ(told("8"), "12 s");
  EXPECT_EQ(told("7"), "1.1 s") << "not listed: less than a hundredth of the run";
}

/// What `waits` knows of a part is told, and not compared with what profile has of the whole run.
TEST_F(AdviceOfWaits, WaitingInAPartOfTheRunPredictsNothing) {
  const std::string figures =
      "finding \"a\"\n for each site\n if 1\n gain 1\n"
      " because \"{run.time} {run.waiting} {run.unexpected} {run.busy_time} {run.message_time} {site.busy} "
      "{site.freed} "
      "{site.overlapped} {site.eager}\"\n do \"x\"\n";
  json all = waits("late_sender", "0-3", 30, 0, true);
  const json place = {{"function", "MPI_Recv"}, {"file", "a.c"}, {"line", 7}, {"caller", "f"}};
  const auto with = [&](const json& more) {
    json one = place;
    one.update(more);
    return json::array({one});
  };
  all["waits"] = with({{"kind", "late_sender"}, {"time_s", 40}, {"count", 1}});
  all["free_calls"] = with({{"predicted_run_s", 110}});
  all["transfers"] = with({{"overlapped_run_s", 109}, {"eager_run_s", 108}});
  all["what_if"] = json::array({{{"change", "expected_messages"}, {"predicted_run_s", 107}}});
  write("profile.json", profile("MPI_Recv", 400, 20, 0));
  write("waits.json", all);
  EXPECT_EQ(find(figures).advice.at(0).evidence, "100 11 4 39 10 10 1 2 3");
  EXPECT_TRUE(records_.warnings.empty());

  all["coverage"] = {{"analysed_s", 110}, {"whole_run_s", 440}};
  write("waits.json", all);
  EXPECT_EQ(find(figures).advice.at(0).evidence, "100 ? ? 50 20 20 ? ? ?");
  ASSERT_EQ(records_.warnings.size(), 1U);
  EXPECT_STREQ(records_.warnings[0].what(),
               "causes of waiting: these figures cover the first 110 s of the run's 440 s; the last 75.0 % is left "
               "out: not all ranks' calls are known there; nothing is predicted");
  EXPECT_EQ(records_.warnings[0].remedy, "cairn run --tools waits=calls:1048576:memory:0 PROGRAM");
  std::filesystem::remove(folder_ / "profile.json");
  const json found = cairn::advise::advice_json(find(), records_);
  EXPECT_EQ(found["run_s"], 430);
  ASSERT_EQ(found["findings"].size(), 1U);
  EXPECT_EQ(found["findings"][0]["kind"], "serial_chain");
  EXPECT_EQ(found["findings"][0]["cost_s"], 10);
  EXPECT_EQ(found["findings"][0]["gain_s"], 10);
  EXPECT_TRUE(found["findings"][0]["predicted_run_s"].is_null());
}

TEST_F(AdviceOfWaits, OfSeveralTransfersOnALineTheGreatestGainCounts) {
  const auto transfers = [](double overlapped, double eager) {
    return json{{"function", "MPI_Irecv"},        {"file", "a.c"},       {"line", 7}, {"caller", "f"},
                {"overlapped_run_s", overlapped}, {"eager_run_s", eager}};
  };
  json all = waits("late_sender", "1", 30, 0);
  all["transfers"] = json::array({transfers(91, 110), transfers(101, 81), transfers(110, 109)});
  write("profile.json", profile("MPI_Irecv", 400, 20, 0));
  write("waits.json", all);
  EXPECT_EQ(find("finding \"a\"\n for each site\n if 1\n gain 1\n do \"{site.overlapped} {site.eager}\"\n")
                .advice.at(0)
                .remedy,
            "20 30");
}

}  // namespace
