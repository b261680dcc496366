// SPDX-License-Identifier: BSD-3-Clause
// advice_test.cc - what `cairn advise` finds in results that are written here

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "base/message.hpp"
#include "cli/advise/advice.hpp"

namespace {

using cairn::advise::Result;
using nlohmann::json;

class Advice : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / ("cairn-advice-" + std::to_string(getpid()));
    std::filesystem::create_directories(folder_ / "comm");
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  void write(const std::string& file, const json& content) { std::ofstream(folder_ / file) << content; }

  void write_run(const std::string& mpi, int cores, int ranks) {
    write("run.json",
          {{"format", "cairn-run 1"}, {"program", "/x/app"}, {"mpi", mpi}, {"cores", cores}, {"ranks_on_host", ranks}});
  }

  static json over(double total, double ranks) {
    return {{"total", total}, {"mean", total / ranks}, {"min", 0}, {"max", total / ranks}};
  }

  /// A run of 100 s on 4 ranks with one call site.
  static json profile(const std::string& function, double calls, double seconds, double bytes, const json& more = {}) {
    json entry = {{"calls", calls},
                  {"time_s", over(4 * seconds, 4)},
                  {"bytes_sent", bytes},
                  {"bytes_received", 0},
                  {"imbalance", 0}};
    if (!more.is_null()) entry.update(more);
    json name = entry;
    name["name"] = function;
    json site = entry;
    site.update(
        {{"function", function}, {"file", "a.c"}, {"line", 7}, {"caller", "f"}, {"object", "app"}, {"offset", 1}});
    return {{"format", "cairn-profile 1"},
            {"ranks", 4},
            {"threads", 1},
            {"run_time_s", over(400, 4)},
            {"mpi_time_s", over(200, 4)},
            {"own_time_s", over(200, 4)},
            {"functions", json::array({name})},
            {"callsites", json::array({site})}};
  }

  Result find(const std::string& rules = "", std::size_t most = 10) {
    const cairn::policy::Policy policy =
        cairn::policy::parse_policy(rules.empty() ? cairn::advise::built_in_rules() : rules, "r");
    cairn::advise::check_fields(policy);
    records_ = cairn::advise::read_records(folder_);
    return cairn::advise::find_advice(policy, records_, most);
  }

  static std::vector<std::string> titles(const Result& result) {
    std::vector<std::string> all;
    for (const auto& advice : result.advice) all.push_back(advice.title);
    return all;
  }
  using Titles = std::vector<std::string>;

  std::filesystem::path folder_;
  cairn::advise::Records records_;
};

TEST_F(Advice, nothing_is_said_of_a_run_that_does_well) {
  write_run("Open MPI 4.1.4", 8, 4);
  write("profile.json", profile("MPI_Allreduce", 4000, 0.5, 32000));
  EXPECT_EQ(titles(find()), Titles{});
}

TEST_F(Advice, small_reductions) {
  write_run("Open MPI 4.1.4", 8, 4);
  write("profile.json", profile("MPI_Allreduce", 4000, 20, 32000));
  const Result result = find();
  ASSERT_EQ(titles(result), Titles{"Small reductions"});
  EXPECT_DOUBLE_EQ(result.advice[0].gain_s, 10);
  EXPECT_DOUBLE_EQ(result.advice[0].gain_share, 0.1);
  EXPECT_EQ(result.advice[0].evidence,
            "MPI_Allreduce at a.c:7 f: 1000 calls per rank of 8 B, 20 ms each, 20 % of the run");
}

TEST_F(Advice, ranks_that_outnumber_processors) {
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
}

TEST_F(Advice, transfers_beyond_the_eager_limit) {
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
  EXPECT_DOUBLE_EQ(result.advice[0].gain_s, 16);  // 80 % of 20 s per rank
  EXPECT_EQ(result.advice[0].settings.size(), 3U);
}

TEST_F(Advice, late_ranks_barriers_blocking_messages_polling_packing) {
  write_run("Open MPI 4.1.4", 8, 4);
  json late = profile("MPI_Barrier", 4000, 10, 0);
  late["waiting"] = {{"compared", 100}, {"time_s", 40}, {"last_ranks", {{2, 90}}}};
  write("profile.json", late);
  EXPECT_EQ(titles(find()), (Titles{"Waiting for a late rank", "Barriers"}));
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

TEST_F(Advice, messages_that_are_a_collective) {
  write_run("Open MPI 4.1.4", 8, 4);
  write("profile.json", profile("MPI_Send", 4, 0, 0));
  json all = json::array();
  for (int from = 0; from < 4; ++from)
    for (int to = 0; to < 4; ++to)
      if (from != to) all.push_back({from, to, 4e6, 4e9, json::array()});
  write("comm/comm.json", traffic(all, {{{"name", "a"}, {"ranks", "0-3"}}}));
  const Result result = find();
  ASSERT_EQ(titles(result), Titles{"Messages that are a collective"});
  EXPECT_EQ(result.advice[0].evidence,
            "all 4 ranks exchange equally many messages, 4000000 rounds of what MPI_Alltoall does (root -1; -1: none), "
            "44.7 GiB in all");
}

TEST_F(Advice, tiny_messages_and_heavy_partners_far_apart) {
  write_run("Open MPI 4.1.4", 8, 4);
  write("profile.json", profile("MPI_Send", 4, 0, 0));
  write("comm/comm.json", traffic({{0, 3, 1e7, 8e7, json::array()}},
                                  {{{"name", "a"}, {"ranks", "0-1"}}, {{"name", "b"}, {"ranks", "2-3"}}}));
  EXPECT_EQ(titles(find()), (Titles{"Heavy partners far apart", "Many tiny messages to one rank"}));
}

TEST_F(Advice, messages_that_nobody_expects) {
  write_run("Open MPI 4.1.4", 8, 4);
  write("profile.json", profile("MPI_Send", 4, 0, 0));
  write("vars.json",
        {{"format", "cairn-vars 1"},
         {"variables",
          json::array({{{"name", "pml_ob1_unexpected_msgq_length"}, {"class", "size"}, {"value", {{"max", 5000}}}}})},
         {"changes", json::array()}});
  EXPECT_EQ(titles(find()), Titles{"Messages that nobody expects"});
}

TEST_F(Advice, what_the_run_does_not_tell_is_said) {
  write("profile.json", profile("MPI_Send", 4, 0, 0));
  const Result result = find();
  EXPECT_EQ(result.not_looked_at, (Titles{"Many tiny messages to one rank", "Messages that are a collective",
                                          "Messages that nobody expects", "Heavy partners far apart"}));
}

TEST_F(Advice, messages_to_oneself_are_no_collective) {
  write_run("Open MPI 4.1.4", 8, 4);
  write("profile.json", profile("MPI_Send", 4, 0, 0));
  json all = json::array();
  for (int to = 0; to < 3; ++to) all.push_back({0, to, 4e8, 4e9, json::array()});
  write("comm/comm.json", traffic(all, {{{"name", "a"}, {"ranks", "0-3"}}}));
  EXPECT_TRUE(std::ranges::count(titles(find()), "Messages that are a collective") == 0);
  all.push_back({0, 3, 4e8, 4e9, json::array()});
  write("comm/comm.json", traffic(all, {{{"name", "a"}, {"ranks", "0-3"}}}));
  EXPECT_TRUE(std::ranges::count(titles(find()), "Messages that are a collective") == 1);
}

TEST_F(Advice, own_rules_the_best_record_and_no_more_than_wanted) {
  json all = profile("MPI_Send", 4, 3, 0);
  all["functions"].push_back(all["functions"][0]);
  all["functions"][1]["time_s"] = over(20, 4);
  write("profile.json", all);
  const std::string rule =
      "finding \"a\"\n for each call\n if call.time > 1\n gain call.time\n do \"{call.time:time}\"\n";
  const Result result = find(rule + "finding \"b\"\n if 1\n gain 1\n do \"x\"\n", 1);
  ASSERT_EQ(titles(result), Titles{"a"});
  EXPECT_EQ(result.advice[0].remedy, "5 s");
  EXPECT_EQ(result.advice[0].others, 1U);
}

std::string refusal(const std::string& rules) {
  try {
    cairn::advise::check_fields(cairn::policy::parse_policy(rules, "r"));
  } catch (const cairn::Problem& problem) {
    return problem.what() + (" | " + problem.remedy);
  }
  return "accepted";
}

TEST(advice, fields_that_there_are_not) {
  EXPECT_EQ(refusal("finding \"a\"\n for each site\n if site.tim > 1\n gain 1\n do \"x\""),
            "policy 'r', line 3, column 5: 'site.tim' is no field that finding 'a' can see | cairn advise --fields");
  EXPECT_EQ(refusal("finding \"a\"\n if run.timme > 1\n gain 1\n do \"x\""),
            "policy 'r', line 2, column 5: 'run.timme' is no field that finding 'a' can see | run.time");
  EXPECT_EQ(refusal("finding \"a\"\n for each sight\n if 1\n gain 1\n do \"x\""),
            "policy 'r', line 1, column 1: there are no records 'sight' | cairn advise --fields");
  EXPECT_EQ(refusal("finding \"a\"\n for each pair\n if call.time > 1\n gain 1\n do \"x\""),
            "policy 'r', line 3, column 5: 'call.time' is no field that finding 'a' can see | cairn advise --fields");
}

TEST_F(Advice, settings_are_in_full_or_left_out) {
  write("profile.json", profile("MPI_Send", 4, 0, 0));
  const Result result = find(
      "finding \"a\"\n if 1\n gain 1\n do \"x\"\n set A = 0.123456\n set B = run.cores\n set C = \"yes\"\n set D = 1 / "
      "0\n");
  EXPECT_EQ(result.advice.at(0).settings,
            (std::vector<std::pair<std::string, std::string>>{{"A", "0.123456"}, {"C", "yes"}}));
}

TEST(advice, what_only_a_running_program_tells) {
  EXPECT_EQ(refusal("finding \"a\"\n if elapsed > 1\n gain 1\n do \"x\""),
            "policy 'r', line 2, column 5: only a rule for a running program can ask for this | cairn advise --fields");
  EXPECT_EQ(refusal("finding \"a\"\n if change(run.time) > 1\n gain 1\n do \"x\""),
            "policy 'r', line 2, column 5: a finding is looked at once: there is no change | cairn advise --fields");
}

TEST_F(Advice, an_empty_folder) {
  try {
    find();
    FAIL();
  } catch (const cairn::Problem& problem) {
    EXPECT_EQ(problem.what(), "no advice: '" + folder_.string() + "' has no results of profile, comm or vars");
  }
}

}  // namespace
