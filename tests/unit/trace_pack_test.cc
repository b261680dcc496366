// SPDX-License-Identifier: BSD-3-Clause
// trace_pack_test.cc - traces that are packed hold what they held, and need the file of what they have in common

#include <gtest/gtest.h>

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>

#include "base/file_bytes.hpp"
#include "base/message.hpp"
#include "trace/blocks.hpp"
#include "trace/common.hpp"
#include "trace/file.hpp"
#include "trace/pack.hpp"
#include "trace/record_coder.hpp"

namespace cairn::trace {
namespace {

namespace fs = std::filesystem;

class Pack : public testing::Test {
 protected:
  Pack() {
    char name[] = "/dev/shm/cairn-trace-pack.XXXXXX";
    folder_ = mkdtemp(name);
  }
  ~Pack() override { fs::remove_all(folder_); }

  std::string path(int rank) const { return folder_ + "/rank-" + std::to_string(rank) + ".trace"; }
  std::string common() const { return folder_ + "/common"; }

  /// Ranks call the same functions at different times.
  void write(int rank, bool has_end = true, std::uint64_t calls = 2000) const {
    Process process;
    process.rank = rank;
    process.size = 16;
    process.program = "/bin/app";
    std::string functions;
    for (int i = 0; i < 300; ++i) functions.append("\1MPI_Function_" + std::to_string(i * i)).push_back('\0');
    BlockWriter writer;
    std::string bytes = file_head() + writer.block(BlockKind::process, content_of(process, functions));
    std::string defined;
    define(defined, 1, Datatype{8, "MPI_DOUBLE"});
    define_region(defined, {0, 1}, "solve");
    bytes += writer.block(BlockKind::definitions, defined);
    std::mt19937 random(static_cast<unsigned>(rank));
    RecordEncoder encoder;
    std::uint64_t now = 1000;
    for (std::uint64_t i = 0; i < calls; ++i) {
      Record record{};
      record.function = static_cast<std::uint16_t>(i % 7);
      record.site = 0x1000 + i % 7;
      record.flags = page::has_count | page::has_tag;
      record.count = 100;
      record.type = 1;
      record.tag = static_cast<std::int32_t>(i / 7 * 12345 % 1000);
      record.entry = now += 1000 + random() % 8;
      record.exit = now += 100;
      encoder.add(record, i);
    }
    const BlockHead head = encoder.head(0);
    bytes += writer.block(BlockKind::records, encoder.take(), head);
    bytes += writer.block(BlockKind::clock, content_of(Moment{5, 5, 5}));
    if (has_end) bytes += writer.block(BlockKind::end, content_of(End{.records = calls, .how = ""}));
    std::ofstream(path(rank), std::ios::binary) << bytes;
  }
  void write_all(int ranks) const {
    for (int rank = 0; rank < ranks; ++rank) write(rank);
  }

  /// All that a trace holds, without how.
  std::string held(int rank) const {
    const File file(path(rank));
    EXPECT_TRUE(file.damages().empty());
    std::string all = std::to_string(file.process().rank) + file.process().program + std::to_string(file.definitions().types.count());
    for (const Function& function : file.process().functions) all += function.name;
    if (file.end() != nullptr) all += "end" + std::to_string(file.end()->records);
    for (Records records(file); records.now() != nullptr; records.step())
      all.append(reinterpret_cast<const char*>(records.now()), sizeof(Record));
    return all;
  }
  std::string problem(int rank) const try {
    const File file(path(rank));
    return "";
  } catch (const Problem& problem) {
    return std::string(problem.what()) + "|" + problem.remedy;
  }

  std::string folder_;
};

TEST_F(Pack, KeepsWhatTracesHoldInLessRoom) {
  write_all(8);
  std::vector<std::string> before;
  std::uintmax_t bytes_before = 0;
  for (int rank = 0; rank < 8; ++rank) {
    before.push_back(held(rank));
    bytes_before += fs::file_size(path(rank));
  }
  const Packed done = pack(files_in(folder_));
  EXPECT_EQ(done.files, 8U);
  EXPECT_EQ(done.already, 0U);
  EXPECT_TRUE(done.left_as.empty());
  EXPECT_EQ(done.before, bytes_before);
  EXPECT_EQ(done.common, fs::file_size(common()));
  std::uintmax_t bytes_after = 0;
  for (int rank = 0; rank < 8; ++rank) {
    EXPECT_EQ(held(rank), before[static_cast<std::size_t>(rank)]);
    bytes_after += fs::file_size(path(rank));
  }
  EXPECT_EQ(done.after, bytes_after);
  EXPECT_LT(2 * (bytes_after + done.common), bytes_before);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()), 9) << "nothing else is left";
  const Packed again = pack(files_in(folder_));
  EXPECT_EQ(again.files, 0U);
  EXPECT_EQ(again.already, 8U);
  EXPECT_EQ(held(3), before[3]);
}

TEST_F(Pack, OfLaterTracesUsesWhatIsThere) {
  write_all(4);
  pack(files_in(folder_));
  const std::optional<std::string> common_before = whole_file(common());
  write(4);
  const std::string before = held(4);
  const Packed done = pack(files_in(folder_));
  EXPECT_EQ(done.files, 1U);
  EXPECT_EQ(done.already, 4U);
  EXPECT_EQ(done.common, 0U);
  EXPECT_EQ(whole_file(common()), common_before);
  EXPECT_EQ(held(4), before);
}

TEST_F(Pack, LeavesWhatIsNotWhole) {
  write_all(4);
  write(1, false);  // it may still be written
  std::ofstream(path(2), std::ios::binary | std::ios::app) << "C";
  std::ofstream(path(5), std::ios::binary) << "something else";
  const std::optional<std::string> first = whole_file(path(1)), second = whole_file(path(2));
  const Packed done = pack(files_in(folder_));
  EXPECT_EQ(done.files, 2U);
  EXPECT_EQ(done.left_as, (std::vector<std::string>{path(1), path(2), path(5)}));
  EXPECT_EQ(whole_file(path(1)), first);
  EXPECT_EQ(whole_file(path(2)), second);
}

TEST_F(Pack, StaysAwayWhereItBringsNothing) {
  write(0);
  const std::optional<std::string> before = whole_file(path(0));
  const Packed done = pack(files_in(folder_));
  EXPECT_EQ(done.files, 0U);
  EXPECT_GE(done.after + done.common, done.before);
  EXPECT_EQ(whole_file(path(0)), before);
  EXPECT_FALSE(fs::exists(common()));
  EXPECT_EQ(pack({}).before, 0U);
}

TEST_F(Pack, TakesOneRankOfMany) {  // of hundreds not each is compared; all are packed
  for (int rank = 0; rank < 200; ++rank) write(rank, true, 50);
  const std::string before = held(199);
  const Packed done = pack(files_in(folder_));
  EXPECT_EQ(done.files, 200U);
  EXPECT_LT(3 * (done.after + done.common), done.before);
  EXPECT_EQ(held(199), before);
}

TEST_F(Pack, NeedsItsOwnCommonFile) {
  write_all(4);
  pack(files_in(folder_));
  const std::string remedy = "|copying the whole folder of the traces, as it was";
  const std::string file = *whole_file(common());
  std::ofstream(common(), std::ios::binary) << file_of(Common("another one"));
  EXPECT_EQ(problem(0), "'" + path(0) + "' was packed with another '" + common() + "'" + remedy);
  const std::string bad = "'" + common() + "', which packed traces need, ";
  for (std::size_t cut : {std::size_t{0}, std::size_t{5}, head_size, head_size + 10, file.size() - 1}) {
    std::ofstream(common(), std::ios::binary) << file.substr(0, cut);
    EXPECT_TRUE(problem(0).starts_with(bad + "is damaged: ")) << cut << problem(0);
  }
  fs::remove(common());
  EXPECT_EQ(problem(0), bad + "cannot be read: No such file or directory" + remedy);
  std::ofstream(common(), std::ios::binary) << file;
  EXPECT_EQ(problem(0), "");
}

TEST_F(Pack, IsReadWhateverTheFilesHold) {
  write_all(3);
  pack(files_in(folder_));
  const std::string trace = *whole_file(path(1)), file = *whole_file(common());
  std::mt19937 random(7);
  for (int i = 0; i < 400; ++i) {
    std::string changed = i % 2 == 0 ? trace : file;
    for (int count = 0; count < 1 + i % 5; ++count) changed[random() % changed.size()] = static_cast<char>(random());
    std::ofstream(i % 2 == 0 ? path(1) : common(), std::ios::binary) << changed;
    try {
      const File read(path(1));
      for (Records records(read); records.now() != nullptr; records.step()) continue;
    } catch (const Problem&) {
    }
    std::ofstream(i % 2 == 0 ? path(1) : common(), std::ios::binary) << (i % 2 == 0 ? trace : file);
  }
  EXPECT_EQ(problem(1), "");
}

TEST_F(Pack, KeepsTracesThatCannotBeReplaced) {
  write_all(3);
  fs::create_directory(path(2) + ".new");  // a file of this name cannot be made
  const std::string before = held(0);
  try {
    pack(files_in(folder_));
    FAIL();
  } catch (const Problem& problem) {
    EXPECT_STREQ(problem.what(), ("'" + path(2) + ".new' cannot be written: Is a directory").c_str());
  }
  EXPECT_EQ(held(0), before);
  EXPECT_FALSE(fs::exists(common()));
  EXPECT_FALSE(fs::exists(path(0) + ".new"));
}

}  // namespace
}  // namespace cairn::trace
