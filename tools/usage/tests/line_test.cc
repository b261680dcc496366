// SPDX-License-Identifier: BSD-3-Clause
// line_test.cc - the line of a job: bounded, and one line whatever names hold

#include "usage/line.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <cerrno>
#include <filesystem>

#include <nlohmann/json.hpp>

namespace usage {

TEST(UsageLine, KeepsTheFunctionsCalledMostAndCountsTheRest) {
  Job job{"/bin/a\nb\"" + std::string(5000, 'x'), "Some MPI 1", 3, 3, 1.5, {}};
  for (std::uint64_t i = 1; i <= 100; ++i) job.calls.emplace_back("MPI_Some_quite_long_name_" + std::to_string(i), i);
  const std::string line = line_of(job);
  EXPECT_LT(line.size(), 4096U);
  EXPECT_EQ(line.find('\n'), std::string::npos);
  const auto json = nlohmann::json::parse(line);
  EXPECT_EQ(json["calls"].size(), most_functions);
  EXPECT_EQ(json["calls"]["MPI_Some_quite_long_name_100"], 100);
  EXPECT_EQ(json["other_calls"], 36 * 37 / 2);
}

TEST(UsageLine, SaysHowManyRanksWereCountedWhereNotAllWere) {
  EXPECT_FALSE(nlohmann::json::parse(line_of({"a", "Some MPI 1", 3, 3, 1, {}})).contains("counted_ranks"));
  const auto json = nlohmann::json::parse(line_of({"a", "Some MPI 1", 3, 1, 1, {}}));
  EXPECT_EQ(json["ranks"], 3);
  EXPECT_EQ(json["counted_ranks"], 1);
}

TEST(UsageLine, ThatDoesNotFitOrHasNoReaderEndsNothing) {
  const std::string path = testing::TempDir() + "usage-line";
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  const rlimit nothing = {0, before.rlim_max};
  setrlimit(RLIMIT_FSIZE, &nothing);
  EXPECT_EQ(deliver(path, "line"), EFBIG);
  setrlimit(RLIMIT_FSIZE, &before);
  EXPECT_EQ(deliver(path, "line"), 0);
  std::filesystem::remove(path);
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  EXPECT_EQ(deliver(path, "line"), ENXIO);
  std::filesystem::remove(path);
  EXPECT_EQ(deliver("/dev/full", "line"), ENOSPC);
}

/// As /tmp is; what Linux refuses there it refuses root too.
TEST(UsageLine, IsAddedToAnothersFileInAFolderOfAll) {
  if (geteuid() != 0) GTEST_SKIP() << "only root gives files away";
  const std::string folder = testing::TempDir() + "usage-of-all";
  const std::string path = folder + "/jobs";
  std::filesystem::create_directory(folder);
  ASSERT_EQ(chmod(folder.c_str(), 01777), 0);
  ASSERT_EQ(deliver(path, "one"), 0);
  ASSERT_EQ(chown(path.c_str(), 65534, 65534), 0);
  EXPECT_EQ(deliver(path, "two"), 0);
  EXPECT_EQ(std::filesystem::file_size(path), 8U);
  std::filesystem::remove_all(folder);
}

TEST(UsageLine, HasTheLibrarysNameAndVersionAlone) {
  EXPECT_EQ(short_name("Open MPI v4.1.4, package: Debian OpenMPI, ident: 4.1.4"), "Open MPI 4.1.4");
  EXPECT_EQ(short_name("MPICH Version:\t4.0.2\nMPICH Release date: Thu"), "MPICH 4.0.2");
  EXPECT_EQ(short_name("Intel(R) MPI Library 2021.5 for Linux* OS\n"), "Intel(R) MPI Library 2021.5");
}

}  // namespace usage
