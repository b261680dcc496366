// SPDX-License-Identifier: BSD-3-Clause
// message_test.cc - the form of messages, and who of a job speaks.

#include "base/message.hpp"

#include <gtest/gtest.h>

#include "base/job.hpp"

namespace cairn {
namespace {

TEST(Message, HasWhatWhoAndRemedy) {
  EXPECT_EQ(format_message(Severity::error, "tool 'matrix' not loaded: it is empty", "--tools matrix", "cairn tools"),
            "cairn: error: tool 'matrix' not loaded: it is empty\n"
            "cairn:   asked for by: --tools matrix\n"
            "cairn:   try: cairn tools\n");
}

TEST(Message, LeavesOutWhatIsUnknown) {
  EXPECT_EQ(format_message(Severity::warning, "text"), "cairn: warning: text\n");
  EXPECT_EQ(format_message(Severity::note, "text", "", "that"), "cairn: note: text\ncairn:   try: that\n");
}

class Job : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* name : {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID"}) unsetenv(name);
  }
  void TearDown() override { SetUp(); }
};

TEST_F(Job, HasNoRankOutsideOfALauncher) {
  EXPECT_EQ(job_rank(), -1);
  EXPECT_TRUE(speaks_for_job());
}

TEST_F(Job, TakesTheRankFromAnyLauncher) {
  for (const char* name : {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID"}) {
    setenv(name, "12", 1);
    EXPECT_EQ(job_rank(), 12) << name;
    EXPECT_FALSE(speaks_for_job());
    unsetenv(name);
  }
}

TEST_F(Job, TrustsALauncherMoreThanTheBatchSystem) {
  setenv("SLURM_PROCID", "0", 1);
  setenv("PMI_RANK", "3", 1);
  EXPECT_EQ(job_rank(), 3);
}

TEST_F(Job, IgnoresARankThatIsNoNumber) {
  setenv("PMI_RANK", "-", 1);
  EXPECT_EQ(job_rank(), -1);
}

TEST(Setting, IsOnUnlessEmptyOrZero) {
  unsetenv("CAIRN_TEST");
  EXPECT_FALSE(setting_on("CAIRN_TEST"));
  for (const auto& [value, on] :
       std::vector<std::pair<const char*, bool>>{{"", false}, {"0", false}, {"1", true}, {"00", true}}) {
    setenv("CAIRN_TEST", value, 1);
    EXPECT_EQ(setting_on("CAIRN_TEST"), on) << value;
  }
  unsetenv("CAIRN_TEST");
}

}  // namespace
}  // namespace cairn
