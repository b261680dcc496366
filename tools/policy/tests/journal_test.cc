// SPDX-License-Identifier: BSD-3-Clause
// journal_test.cc - policy.json is read as it was written

#include "policy/journal.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "formats/readers.hpp"

namespace policy {
namespace {

TEST(PolicyJson, IsReadAsItWasWritten) {
  Journal journal;
  journal.run = "00aa";
  journal.tool = "policy";
  journal.policy = "/etc/site.policy";
  journal.dry_run = true;
  journal.ranks = 4;
  journal.part = {3, "SIGTERM"};
  journal.run_s = 2.5;
  journal.rules = {{"eager limit", 10, 5, 2, 1, 0.25}};
  journal.events_left_out = 6;
  journal.add({"set", "eager limit", "limit", "1", "2", "because", 0.5, 1.5, 3, {0, 1, 2, 7}, 1});
  journal.add({"note", "eager limit", "", "", "", "text", 0.25, 0.25, 1, {2}, 2});
  for (const double cost : {0.0, 1.0}) {
    journal.timed_calls = cost;
    const std::string text = format_json(journal);
    EXPECT_EQ(file_text(cairn::formats::read_policy(cairn::formats::Json::parse(text))), text);
    journal.timing.mean = 100;
    journal.timing.squares = 50;
    journal.timing.count = 9;
  }
}

TEST(PolicyJson, TimingCallsTakesAtMostTheWholeRun) {
  Journal journal;
  journal.run_s = 1e-3;
  journal.timed_calls = 1000;
  journal.timing.add(0);
  journal.timing.add(4000);  // nanoseconds per call: the thread was interrupted
  const auto share = cairn::formats::Json::parse(format_json(journal))["timing_share"];
  EXPECT_EQ(share["mean"], 1);
  EXPECT_EQ(share["high"], 1);
  EXPECT_LT(share["low"], 0);
}

}  // namespace
}  // namespace policy
