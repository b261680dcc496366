// SPDX-License-Identifier: BSD-3-Clause
// advice_test.cc - what `cairn advise` finds in results that are written here

#include <algorithm>

#include "advice_run.hpp"
#include "base/message.hpp"

namespace {

using cairn::advise::Result;
using nlohmann::json;
using Advice = cairn::AdvisedRun;

TEST_F(Advice, NothingIsSaidOfARunThatDoesWell) {
  write_run("Open MPI 4.1.4", 8, 4);
  write("profile.json", profile("MPI_Allreduce", 4000, 0.5, 32000));
  EXPECT_EQ(titles(find()), Titles{});
}

TEST_F(Advice, SmallReductions) {
  write_run("Open MPI 4.1.4", 8, 4);
  write("profile.json", profile("MPI_Allreduce", 4000, 20, 32000));
  const Result result = find();
  ASSERT_EQ(titles(result), Titles{"Small reductions"});
  EXPECT_DOUBLE_EQ(result.advice[0].gain_s, 20);
  EXPECT_DOUBLE_EQ(result.advice[0].gain_share, 0.2);
  EXPECT_EQ(result.advice[0].evidence,
            "MPI_Allreduce at a.c:7 f: 1,000 calls per rank of 8 B, 20 ms each, 20 % of the run");
}

TEST_F(Advice, ReductionsInTheNetworkWhereTheLibraryHasASwitch) {
  const auto has = [](const char* name, const json& value) {
    return nlohmann::ordered_json{{"control_variables", {{{"name", name}, {"value", value}}}}};
  };
  write_run("MPICH 4.0.2", 8, 2);
  write("profile.json", profile("MPI_Allreduce", 4000, 20, 32000));
  EXPECT_EQ(titles(find()), Titles{"Small reductions"});
  library_ = has("MPIR_CVAR_ENABLE_SHARP", 0);
  const Result result = find();
  ASSERT_EQ(titles(result), (Titles{"Small reductions", "Reductions that the network can do"}));
  EXPECT_EQ(result.advice[1].settings,
            (std::vector<std::pair<std::string, std::string>>{{"MPIR_CVAR_ENABLE_SHARP", "1"}}));
  library_ = has("MPIR_CVAR_ENABLE_SHARP", 1);
  EXPECT_EQ(titles(find()), Titles{"Small reductions"});
  library_ = has("coll_hcoll_enable", false);
  EXPECT_EQ(titles(find()), (Titles{"Small reductions", "Collective calls that the network can do"}));
  asked_ = 0;
  write_run("MPICH 4.0.2", 8, 4);  // all on one node
  EXPECT_EQ(titles(find()), Titles{"Small reductions"});
  EXPECT_EQ(asked_, 0);
}

TEST_F(Advice, AlgorithmsOfCollectiveCalls) {
  write_run("Open MPI 4.1.4", 8, 4);
  json all = profile("MPI_Bcast", 4000, 20, 4000.0 * 1048576);
  json message = all["callsites"][0];
  message.update({{"function", "MPI_Recv"}, {"bytes_received", 4000.0 * 1048576}, {"time_s", over(4, 4)}});
  all["callsites"].push_back(message);
  write("profile.json", all);
  const Result slow = find();
  ASSERT_EQ(titles(slow), Titles{"Collective calls slower than messages"});
  EXPECT_EQ(
      slow.advice[0].evidence,
      "MPI_Bcast at a.c:7 f: 1,000 calls per rank of 1 MiB, 50 MiB/s, where messages from rank to rank reach 1000 "
      "MiB/s in the same run; 20 % of the run");
  EXPECT_TRUE(slow.advice[0].remedy.find("coll_tuned_bcast_algorithm") != std::string::npos);
  EXPECT_DOUBLE_EQ(slow.advice[0].gain_s, 16);
  write("run.json", {{"format", "cairn-run 1"},
                     {"mpi", "Open MPI 4.1.4"},
                     {"settings", {{"coll_tuned_use_dynamic_rules", "1"}, {"coll_tuned_bcast_algorithm", "1"}}}});
  const Result chosen = find();
  ASSERT_EQ(titles(chosen), Titles{"A collective algorithm that was chosen by hand"});
  EXPECT_TRUE(chosen.advice[0].evidence.ends_with("with coll_tuned_bcast_algorithm = 1"));
}

TEST_F(Advice, TransportsWithoutSharedMemory) {
  json all = profile("MPI_Recv", 400, 40, 0);
  write("profile.json", all);
  write("comm/comm.json", {{"format", "cairn-comm 1"},
                           {"ranks", 2},
                           {"nodes", {{{"name", "a"}, {"ranks", "0-1"}}}},
                           {"phases", {{{"name", ""}, {"p2p", {{0, 1, 400, 4000000, json::array()}}}}}}});
  const auto with = [&](const char* name, const char* value) {
    write("run.json", {{"format", "cairn-run 1"}, {"mpi", "Open MPI 4.1.4"}, {"settings", {{name, value}}}});
    return find();
  };
  const Result result = with("btl", "tcp,self");
  ASSERT_EQ(titles(result), Titles{"Messages within a node through the network"});
  EXPECT_EQ(result.advice[0].settings, (std::vector<std::pair<std::string, std::string>>{{"btl", "self,vader,tcp"}}));
  EXPECT_EQ(titles(with("btl", "tcp,self,vader")), Titles{});
  EXPECT_EQ(titles(with("UCX_TLS", "tcp")), Titles{"Messages within a node through the network (UCX)"});
}

TEST_F(Advice, RanksThatOutnumberProcessors) {
  write("profile.json", profile("MPI_Bcast", 4, 1, 0));
  write_run("Open MPI 4.1.4", 2, 4);
  Result result = find();
  ASSERT_EQ(titles(result), Titles{"Ranks outnumber processors"});
  EXPECT_EQ(result.advice[0].settings,
            (std::vector<std::pair<std::string, std::string>>{{"mpi_yield_when_idle", "1"}}));
  write_run("MPICH 4.0.2", 2, 4);
  result = find();
  ASSERT_EQ(titles(result), Titles{"Ranks outnumber the processors of a node"});
  EXPECT_TRUE(result.advice[0].settings.empty());
  write_run("MPICH 4.0.2", 399, 400);
  EXPECT_TRUE(find().advice.empty()) << "less than 2 % of the run";
}

TEST_F(Advice, TransfersBeyondTheEagerLimit) {
  write_run("Open MPI 4.1.4", 8, 4);
  json all = profile("MPI_Isend", 4000, 1, 4000.0 * 16384,
                     {{"transfers", {{"completed", 4000}, {"under_way_s", 100}, {"waited_s", 80}, {"overlap", 0.2}}}});
  json wait = all["functions"][0];
  wait["name"] = "MPI_Waitall";
  wait["time_s"] = over(160, 4);
  wait.erase("transfers");
  all["functions"].push_back(wait);
  write("profile.json", all);
  const Result result = find();
  ASSERT_EQ(titles(result), Titles{"Messages above the eager limit are waited for"});
  EXPECT_DOUBLE_EQ(result.advice[0].gain_s, 20);  // per rank
  EXPECT_EQ(result.advice[0].settings.size(), 3U);
  json run = {{"format", "cairn-run 1"}, {"mpi", "MPICH 4.0.2"}, {"cores", 8}, {"ranks_on_host", 4}};
  for (const auto& [threshold, said] : {std::pair{"8192", 1U}, {"20000", 0U}, {"inf", 0U}}) {
    run["settings"] = {{"UCX_RNDV_THRESH", threshold}};
    write("run.json", run);
    EXPECT_EQ(find().advice.size(), said) << threshold;
  }
}

TEST_F(Advice, LateRanksBarriersBlockingMessagesPollingPacking) {
  write_run("Open MPI 4.1.4", 8, 4);
  json late = profile("MPI_Barrier", 4000, 10, 0);
  late["waiting"] = {{"compared", 100}, {"time_s", 40}, {"late_rank", 2}, {"time_s_by_last_rank", {{1, 4}, {2, 36}}}};
  write("profile.json", late);
  const Result found = find();
  ASSERT_EQ(titles(found), (Titles{"Barriers", "Waiting for a late rank"}));
  EXPECT_EQ(found.advice[1].evidence,
            "an average rank waits 10 s in collective calls for late ranks, 90 % of it for rank 2");
  EXPECT_DOUBLE_EQ(found.advice[1].gain_s, 9);
  late["waiting"].erase("late_rank");
  write("profile.json", late);
  EXPECT_EQ(titles(find()), Titles{"Barriers"});
  write("profile.json", profile("MPI_Recv", 40000, 30, 0));
  EXPECT_EQ(titles(find()), Titles{"Blocking messages in a loop"});
  write("profile.json", profile("MPI_Test", 4e6, 30, 0));
  EXPECT_EQ(titles(find()), Titles{"Polling for completion"});
  write("profile.json", profile("MPI_Pack", 4000, 30, 0));
  EXPECT_EQ(titles(find()), Titles{"Packing"});
}

json traffic(const json& p2p, const json& nodes) {
  return {{"format", "cairn-comm 1"},
          {"ranks", 4},
          {"nodes", nodes},
          {"communicators", json::array()},
          {"phases", json::array({{{"name", ""}, {"p2p", p2p}}})}};
}

TEST_F(Advice, MessagesThatAreACollective) {
  write_run("Open MPI 4.1.4", 8, 4);
  write("profile.json", profile("MPI_Send", 4, 9, 0));
  json all = json::array();
  for (int from = 0; from < 4; ++from)
    for (int to = 0; to < 4; ++to)
      if (from != to) all.push_back({from, to, 4e6, 4e9, json::array()});
  write("comm/comm.json", traffic(all, {{{"name", "a"}, {"ranks", "0-3"}}}));
  const Result result = find();
  ASSERT_EQ(titles(result), Titles{"Messages that are a collective"});
  EXPECT_DOUBLE_EQ(result.advice[0].gain_s, 3);  // of what sending them took: a tree has two steps in place of three
  EXPECT_EQ(result.advice[0].evidence,
            "the messages between 4 ranks are equally many, 4000000 rounds of what MPI_Alltoall does, "
            "44.7 GiB in all");
}

TEST_F(Advice, TinyMessagesAndHeavyPartnersFarApart) {
  write_run("Open MPI 4.1.4", 8, 4);
  write("profile.json", profile("MPI_Send", 4, 3, 0));
  write("comm/comm.json", traffic({{0, 3, 1e7, 8e7, json::array()}},
                                  {{{"name", "a"}, {"ranks", "0-1"}}, {{"name", "b"}, {"ranks", "2-3"}}}));
  const Result result = find();
  ASSERT_EQ(titles(result), (Titles{"Many tiny messages to one rank", "Heavy partners far apart"}));
  EXPECT_DOUBLE_EQ(result.advice[0].gain_s, 3);  // as long as the calls took, however many there were
  EXPECT_DOUBLE_EQ(result.advice[1].gain_s, 3);  // with both on one node
  EXPECT_EQ(result.advice[1].evidence,
            "76.3 MiB of point-to-point messages went between 2 nodes, 0 B within them; with other places for the "
            "ranks it would be 0 B between nodes");
  write("profile.json", profile("MPI_Send", 4, 1, 0));
  EXPECT_EQ(titles(find()), Titles{});  // not worth it
}

TEST_F(Advice, BytesBetweenNodesAreUnknownWhereANodeIs) {
  write("comm/comm.json", traffic({{0, 3, 10, 8e7, json::array()}, {0, 1, 10, 8e7, json::array()}},
                                  {{{"name", "a"}, {"ranks", "0-1"}}, {{"name", "b"}, {"ranks", "2"}}}));
  const auto figure = [this](const char* name) {
    return cairn::advise::value_in(cairn::advise::read_records(folder_.string()).run, std::string("run.") + name)
        .front();
  };
  for (const char* const name : {"nodes", "bytes_between", "bytes_within"}) EXPECT_TRUE(std::isnan(figure(name)));
  write("run.json", {{"format", "cairn-run 1"}, {"places", {{{"node", "b"}, {"processors", ""}, {"ranks", "2-3"}}}}});
  EXPECT_EQ(figure("nodes"), 2);
  EXPECT_EQ(figure("bytes_between"), 8e7);
  EXPECT_EQ(figure("bytes_within"), 8e7);
}

TEST_F(Advice, PartnersThatCannotBeNearer) {
  write_run("Open MPI 4.1.4", 8, 4);
  write("profile.json", profile("MPI_Send", 4, 30, 0));
  write("comm/comm.json",
        traffic({{0, 1, 10, 8e7, json::array()}, {1, 2, 10, 8e7, json::array()}, {2, 0, 10, 8e7, json::array()}},
                {{{"name", "a"}, {"ranks", "0-1"}}, {{"name", "b"}, {"ranks", "2-3"}}}));
  const std::vector<std::string> all = titles(find());
  EXPECT_EQ(std::ranges::count(all, "Heavy partners far apart"), 0);
}

TEST_F(Advice, MessagesThatNobodyExpects) {
  write_run("Open MPI 4.1.4", 8, 4);
  write("profile.json", profile("MPI_Send", 4, 0, 0));
  write("vars.json",
        {{"format", "cairn-vars 1"},
         {"variables",
          json::array({{{"name", "pml_ob1_unexpected_msgq_length"}, {"class", "size"}, {"value", {{"max", 5000}}}}})},
         {"changes", json::array()}});
  const Result result = find();
  ASSERT_EQ(titles(result), Titles{"Messages that nobody expects"});
  EXPECT_TRUE(std::isnan(result.advice[0].cost_s) && std::isnan(result.advice[0].gain_s)) << "only waits can tell";
  EXPECT_EQ(figures_of(result.advice[0]), Titles{"cost and gain: not known; sure: medium, a guess"});
  const json one = advice_json(result.advice[0]);
  for (const char* key : {"cost_s", "cost_share", "gain_s", "gain_share", "predicted_run_s"})
    EXPECT_TRUE(one[key].is_null()) << key;
}

TEST_F(Advice, WhatTheRunDoesNotTellIsSaid) {
  write("profile.json", profile("MPI_Send", 4, 0, 0));
  const Result result = find();
  EXPECT_EQ(result.not_looked_at,
            (Titles{"Late sender", "Messages that are received in another order", "Late receiver", "Late rank",
                    "Work that is uneven", "Ranks that work one after the other", "A barrier that makes ranks wait",
                    "Locks that are held for long", "Late to post or to complete", "Late in one-sided communication",
                    "Waiting while communicators are made", "Waiting for file access",
                    "Messages that lie in a long queue", "Many tiny messages to one rank",
                    "Messages that are a collective", "Messages that nobody expects", "Heavy partners far apart",
                    "Messages within a node through the network", "Messages within a node through the network (UCX)"}));
}

TEST_F(Advice, MessagesToOneselfAreNoCollective) {
  write_run("Open MPI 4.1.4", 8, 4);
  write("profile.json", profile("MPI_Send", 4, 10, 0));
  json all = json::array();
  for (int to = 0; to < 3; ++to) all.push_back({0, to, 4e8, 4e9, json::array()});
  write("comm/comm.json", traffic(all, {{{"name", "a"}, {"ranks", "0-3"}}}));
  EXPECT_TRUE(std::ranges::count(titles(find()), "Messages that are a collective") == 0);
  all.push_back({0, 3, 4e8, 4e9, json::array()});
  write("comm/comm.json", traffic(all, {{{"name", "a"}, {"ranks", "0-3"}}}));
  EXPECT_TRUE(std::ranges::count(titles(find()), "Messages that are a collective") == 1);
}

TEST_F(Advice, NothingThatIsInForce) {
  write("profile.json", profile("MPI_Bcast", 4, 1, 0));
  json run = {{"format", "cairn-run 1"}, {"mpi", "Open MPI 4.1.4"}, {"cores", 2}, {"ranks_on_host", 4}};
  for (const auto& [name, value] :
       {std::pair{"mpi_yield_when_idle", "1"}, {"mpi_yield_when_idle", "true"}, {"mpi_oversubscribe", "1"}}) {
    run["settings"] = {{name, value}};
    write("run.json", run);
    const Result result = find();
    ASSERT_EQ(titles(result), Titles{"Ranks outnumber the processors of a node"});
    EXPECT_TRUE(result.advice[0].settings.empty());
    EXPECT_EQ(result.advice[0].remedy, "at most as many ranks per node as it has processors");
  }
  run["settings"] = {{"A", "64k"}, {"B", "x"}};
  write("run.json", run);
  using Settings = std::vector<std::pair<std::string, std::string>>;
  const std::string begin = "finding \"a\"\n if 1\n gain 1\n do \"x\"\n set A = 65536\n set B = \"";
  EXPECT_EQ(find(begin + "y\"\n").advice.at(0).settings, (Settings{{"B", "y"}}));
  EXPECT_TRUE(find(begin + "x\"\n").advice.empty());
  const auto event = [](const char* kind, const char* to, double at) {
    return json{{"kind", kind}, {"variable", "B"}, {"from", ""}, {"to", to}, {"last_s", at}};
  };
  write("policy.json", {{"format", "cairn-policy 1"}, {"events", {event("taken back", "z", 9), event("set", "y", 5)}}});
  EXPECT_EQ(find(begin + "y\"\n").advice.at(0).settings, (Settings{{"B", "y"}}));  // no longer
  EXPECT_TRUE(find(begin + "z\"\n").advice.empty());
}

TEST_F(Advice, TheStartIsNoPartOfTheRun) {
  write_run("Open MPI 4.1.4", 2, 4);
  json all = profile("MPI_Init", 4, 90, 0);
  all["start_time_s"] = over(360, 4);
  all["mpi_time_s"] = over(364, 4);
  write("profile.json", all);
  const Result result = find(
      "finding \"a\"\n if 1\n gain run.mpi_time\n do \"{run.time:time}\"\n"
      "finding \"b\"\n for each site\n if 1\n gain site.time\n do \"x\"\n");
  ASSERT_EQ(titles(result), Titles{"a"});
  EXPECT_DOUBLE_EQ(result.advice[0].gain_s, 1);
  EXPECT_DOUBLE_EQ(result.advice[0].gain_share, 0.1);
  EXPECT_EQ(result.advice[0].remedy, "10 s");
}

TEST_F(Advice, CallsOfTheRanksThatMakeThem) {
  const auto calls = [&](double most, double ranks) {
    write("profile.json",
          profile("MPI_Recv", 400000, 30, 0, {{"calls_max", most}, {"ranks", ranks}, {"slowest_rank", 3}}));
    const Result result = find();
    return result.advice.at(0).evidence.substr(0, result.advice.at(0).evidence.find(", 300"));
  };
  EXPECT_EQ(calls(400000, 1), "MPI_Recv at a.c:7 f: 400,000 calls on rank 3");
  EXPECT_EQ(calls(100000, 4), "MPI_Recv at a.c:7 f: 100,000 calls per rank");
  EXPECT_EQ(calls(399990, 4), "MPI_Recv at a.c:7 f: up to 399,990 calls per rank");
}

TEST_F(Advice, UnevenWorkHasARankAndAPlaceUnlessTheMachineIsLoaded) {
  write_run("Open MPI 4.1.4", 8, 4);
  json all = profile("MPI_Barrier", 4, 1, 0);
  all["own_time_s"] = {{"total", 260}, {"mean", 65}, {"min", 60}, {"max", 80}};
  all["busiest_rank"] = 2;
  write("profile.json", all);
  Result result = find();
  ASSERT_EQ(titles(result), Titles{"Uneven work"});
  EXPECT_EQ(result.advice[0].evidence,
            "rank 2 works 80 s outside MPI, the average one 65 s; it is waited for most in MPI_Barrier at a.c:7 f");
  EXPECT_EQ(result.advice[0].remedy, "give rank 2 less work");
  all["run_delay_s"] = {{"total", 14}, {"mean", 3.5}, {"min", 0}, {"max", 14}};
  all["busiest_run_delay_s"] = 14;
  all["involuntary_switches"] = {{"total", 3000}};
  write("profile.json", all);
  result = find();
  ASSERT_EQ(titles(result), Titles{"The machine has other work"});
  EXPECT_EQ(
      result.advice[0].evidence,
      "for 14 s of 100 s the rank that works longest was ready to run and had no processor, an average rank for 3.5 "
      "s; 3000 involuntary context switches in all");
}

TEST_F(Advice, NoRankIsLateWhereTheMachineMayHaveMadeItSo) {
  write_run("Open MPI 4.1.4", 8, 4);
  json all = profile("MPI_Barrier", 4, 1, 0);
  all["waiting"] = {{"compared", 4}, {"time_s", 40}, {"late_rank", 2}, {"time_s_by_last_rank", {{1, 4}, {2, 36}}}};
  all["own_time_s"] = {{"total", 180}, {"mean", 45}, {"min", 30}, {"max", 81}};
  all["busiest_rank"] = 2;
  const auto with_delay = [&](double seconds) {
    all["run_delay_s"] = {{"total", seconds}, {"mean", seconds / 4}, {"min", 0}, {"max", seconds}};
    all["busiest_run_delay_s"] = seconds;
    write("profile.json", all);
    return titles(find());
  };
  EXPECT_EQ(with_delay(0), Titles{"Waiting for a late rank"});
  EXPECT_EQ(with_delay(7.9), (Titles{"Waiting for a late rank", "The machine has other work"}));
  EXPECT_EQ(with_delay(8.1), Titles{"The machine has other work"}) << "less than 2 % of the run is the rank's own";
}

TEST_F(Advice, WhatIsWaitedForIsTheReceiveNotTheSmallSend) {
  write_run("Open MPI 4.1.4", 8, 4);
  const json transfers = {{"completed", 4000}, {"under_way_s", 100}, {"waited_s", 80}, {"overlap", 0.2}};
  json all = profile("MPI_Isend", 4000, 1, 4000.0 * 64, {{"transfers", transfers}});
  json receive = all["callsites"][0];
  receive.update({{"function", "MPI_Irecv"}, {"line", 8}, {"bytes_sent", 0}});
  all["callsites"].push_back(receive);
  receive["name"] = "MPI_Irecv";
  all["functions"].push_back(receive);
  json wait = all["functions"][0];
  wait["name"] = "MPI_Waitall";
  wait["time_s"] = over(160, 4);
  wait.erase("transfers");
  all["functions"].push_back(wait);
  write("profile.json", all);
  const Result result = find();
  ASSERT_EQ(titles(result), Titles{"Transfers are waited for"});
  EXPECT_TRUE(result.advice[0].evidence.starts_with("MPI_Irecv at a.c:8 f: 20 s of waiting"));
  EXPECT_EQ(result.advice[0].others, 0U);
}

TEST_F(Advice, AFindingHasKindPlaceRanksAndCostForPrograms) {
  write_run("Open MPI 4.1.4", 8, 4);
  write("profile.json", profile("MPI_Comm_dup", 4000, 20, 0));
  const json found = cairn::advise::advice_json(find(), records_);
  EXPECT_EQ(found["run_s"], 100);
  const json& dup = found["findings"].at(0);
  EXPECT_EQ(dup["kind"], "communicator_creation");
  EXPECT_EQ(dup["place"], (json{{"file", "a.c"}, {"line", 7}, {"function", "f"}}));
  EXPECT_TRUE(dup["ranks"].is_null() && dup["predicted_run_s"].is_null());
  EXPECT_EQ(dup["cost_s"], 20);
  EXPECT_EQ(dup["cost_share"], 0.2);
  EXPECT_EQ(dup["measured"], true);
  const std::string text = cairn::advise::advice_text(find(), records_);
  EXPECT_NE(text.find("\n   gain: up to 20 s (20 % of the run); sure: high, measured\n"), std::string::npos) << text;
}

TEST_F(Advice, AnEmptyFolder) {
  try {
    find();
    FAIL();
  } catch (const cairn::Problem& problem) {
    EXPECT_EQ(problem.what(), "no advice: '" + folder_.string() + "' has no results of profile, waits, comm or vars");
  }
}

}  // namespace
