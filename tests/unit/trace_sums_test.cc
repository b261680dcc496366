// SPDX-License-Identifier: BSD-3-Clause
// trace_sums_test.cc - what is told of calls: how many there are, their bytes and arguments, as far as they are known

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "base/message.hpp"
#include "cli/trace/call_text.hpp"
#include "cli/trace/run_traces.hpp"
#include "cli/trace/sums.hpp"
#include "cli/trace/views.hpp"
#include "trace/blocks.hpp"
#include "trace/record_coder.hpp"

namespace cairn::trace {
namespace {

namespace fs = std::filesystem;

enum Number : std::uint16_t { test, send, bcast };

class TraceSums : public testing::Test {
 protected:
  TraceSums() {
    char name[] = "/dev/shm/cairn-trace-sums.XXXXXX";
    folder_ = mkdtemp(name);
    fs::create_directories(folder_ + "/trace");
  }
  ~TraceSums() override { fs::remove_all(folder_); }

  Record call(Number function, std::uint64_t begin, std::uint64_t end, std::uint16_t flags = 0) {
    Record made{};
    made.function = function;
    made.entry = begin;
    made.exit = end;
    made.flags = flags;
    return made;
  }
  /// Of rank 0 of three; a tick is a nanosecond.
  void write(const std::vector<Record>& records) {
    Process process;
    process.rank = 0;
    process.size = 3;
    process.proc_null = -2;
    process.any_source = process.any_tag = -1;
    process.program = "/bin/app";
    std::string functions;
    const std::pair<page::Kind, const char*> all[] = {
        {page::Kind::test, "MPI_Test"}, {page::Kind::send, "MPI_Send"}, {page::Kind::collective, "MPI_Bcast"}};
    for (const auto& [kind, name] : all) (functions += static_cast<char>(kind)).append(name).push_back('\0');
    BlockWriter writer;
    std::string defined;
    define(defined, 1, Datatype{8, "MPI_DOUBLE"});
    RecordEncoder encoder;
    for (std::size_t i = 0; i < records.size(); ++i) encoder.add(records[i], i);
    const BlockHead head = encoder.head(0);
    std::ofstream(folder_ + "/trace/rank-0.trace", std::ios::binary)
        << file_head() + writer.block(BlockKind::process, content_of(process, functions)) +
               writer.block(BlockKind::definitions, defined) +
               writer.block(BlockKind::clock, content_of(Moment{0, 0, 7})) +
               writer.block(BlockKind::clock, content_of(Moment{1'000'000'000, 1'000'000'000, 8})) +
               writer.block(BlockKind::records, encoder.take(), head) +
               writer.block(BlockKind::end, content_of(End{.records = records.size(), .how = ""}));
  }
  std::string folder_;
};

TEST_F(TraceSums, ATestThatStandsForSeveralCountsAsMany) {
  Record tests = call(test, 1000, 301'000, page::in_vain);
  tests.number = 261;
  tests.count = 169'000;  // outside of them
  write({tests, call(test, 400'000, 401'000)});
  const cli::TraceSums sums = cli::sums_of(cli::read_traces(folder_, ""));
  const cli::FunctionSum& found = sums.functions.at("MPI_Test");
  EXPECT_EQ(found.calls, 263U);
  EXPECT_EQ(sums.calls, 263U);
  EXPECT_NEAR(found.seconds, 132e-6, 1e-9);
  EXPECT_NEAR(found.longest, 1e-6, 1e-9);
}

TEST_F(TraceSums, BytesOfAnUnknownDatatypeAreUnknown) {
  Record known = call(send, 1000, 2000, page::has_count);
  known.count = 5;
  known.type = 1;
  Record unknown = call(bcast, 3000, 4000, page::has_count);
  unknown.count = 7;
  Record both = call(send, 5000, 6000, page::has_count);
  both.count = 7;
  write({known, unknown, both});
  const cli::RunTraces run = cli::read_traces(folder_, "");
  const cli::TraceSums sums = cli::sums_of(run);
  EXPECT_EQ(sums.unknown, 2U);
  EXPECT_EQ(sums.functions.at("MPI_Send").bytes, 40U);
  EXPECT_EQ(sums.functions.at("MPI_Send").unknown, 1U);
  const std::string text = cli::summary_text(run);
  EXPECT_NE(text.find("       >= 40 B\n"), std::string::npos) << text;
  EXPECT_NE(text.find("       unknown\n"), std::string::npos) << text;
}

TEST_F(TraceSums, ARootBetweenTwoGroupsIsItselfOrNobody) {
  Record root = call(bcast, 1000, 2000, page::has_root);
  const auto text_of = [&](std::int32_t rank) {
    root.peer = rank;
    write({root});
    return cli::arguments_text(cli::read_traces(folder_, "").processes.front()->file, root);
  };
  EXPECT_EQ(text_of(-4), "root itself");
  EXPECT_EQ(text_of(-2), "root nobody");
  EXPECT_EQ(text_of(2), "root 2");
}

TEST_F(TraceSums, RanksThatAreNotThereAreTold) {
  write({call(send, 1000, 2000)});
  try {
    cli::read_traces(folder_, "7");
    FAIL();
  } catch (const Problem& problem) {
    EXPECT_EQ(problem.what(), "none of these ranks has a trace in '" + folder_ + "'");
    EXPECT_EQ(problem.asked_by, "--ranks 7");
    EXPECT_EQ(problem.remedy, "'cairn trace " + folder_ + "', for all ranks");
  }
  const cli::RunTraces run = cli::read_traces(folder_, "0,7");
  ASSERT_EQ(run.warnings.size(), 1U);
  EXPECT_STREQ(run.warnings[0].what(), "rank 7: there is no trace");
}

}  // namespace
}  // namespace cairn::trace
