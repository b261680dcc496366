// SPDX-License-Identifier: BSD-3-Clause
// trace_pack_test.cc - traces that are packed hold what they held, and need the file of what they have in common

#include <gtest/gtest.h>

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>

#include "base/file_bytes.hpp"
#include "base/message.hpp"
#include "base/writing.hpp"
#include "cli/trace/run_traces.hpp"
#include "cli/trace/views.hpp"
#include "formats/numbers.hpp"
#include "trace/blocks.hpp"
#include "trace/common.hpp"
#include "trace/file.hpp"
#include "trace/record_coder.hpp"

namespace cairn::trace {
namespace {

namespace fs = std::filesystem;

class Pack : public testing::Test {
 protected:
  Pack() {
    char name[] = "/dev/shm/cairn-trace-pack.XXXXXX";
    folder_ = mkdtemp(name);
    fs::create_directories(folder_ + "/run/trace");
  }
  ~Pack() override { fs::remove_all(folder_); }

  std::string path(int rank, const std::string& of = "run") const {
    return folder_ + "/" + of + "/trace/rank-" + std::to_string(rank) + ".trace";
  }
  std::string common(const std::string& of = "packed") const { return folder_ + "/" + of + "/trace/common"; }
  /// What is told, and warnings.
  std::string pack(const std::string& from = "run", const std::string& to = "packed",
                   const std::string& ranks = "") const {
    const cli::RunTraces run = cli::read_traces(folder_ + "/" + from, ranks);
    testing::internal::CaptureStderr();
    std::string told;
    try {
      told = cli::write_packed(run, folder_ + "/" + from, folder_ + "/" + to);
    } catch (const Problem&) {
      testing::internal::GetCapturedStderr();
      throw;
    }
    return told + testing::internal::GetCapturedStderr();
  }
  std::string refused(const std::string& to, const std::string& from = "run") const try {
    pack(from, to);
    return "";
  } catch (const Problem& problem) {
    return std::string(problem.what()) + "|" + problem.remedy + "|" + problem.asked_by;
  }
  std::uintmax_t bytes_in(const std::string& of) const {
    std::uintmax_t sum = 0;
    for (const auto& entry : fs::directory_iterator(folder_ + "/" + of + "/trace")) sum += entry.file_size();
    return sum;
  }

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
  std::string held(int rank, const std::string& of = "run") const {
    const File file(path(rank, of));
    EXPECT_TRUE(file.damages().empty());
    std::string all =
        std::to_string(file.process().rank) + file.process().program + std::to_string(file.definitions().types.count());
    for (const Function& function : file.process().functions) all += function.name;
    if (file.end() != nullptr) all += "end" + std::to_string(file.end()->records);
    for (Records records(file); records.now() != nullptr; records.step())
      all.append(reinterpret_cast<const char*>(records.now()), sizeof(Record));
    return all;
  }
  std::string problem(int rank) const try {
    const File file(path(rank, "packed"));
    return "";
  } catch (const Problem& problem) {
    return std::string(problem.what()) + "|" + problem.remedy;
  }

  std::string folder_;
};

TEST_F(Pack, KeepsWhatTracesHoldInLessRoom) {
  write_all(8);
  std::ofstream(folder_ + "/run/report.txt") << "a report";
  const std::string told = pack();
  EXPECT_TRUE(told.starts_with(folder_ + "/packed: 8 traces in ")) << told;
  for (int rank = 0; rank < 8; ++rank) EXPECT_EQ(held(rank, "packed"), held(rank));
  EXPECT_LT(2 * bytes_in("packed"), bytes_in("run"));
  EXPECT_EQ(whole_file(folder_ + "/packed/report.txt"), "a report");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_ + "/packed/trace"), fs::directory_iterator()), 9);
}

TEST_F(Pack, MayBeRepeated) {
  write_all(4);
  pack();
  const std::string told = pack("packed", "again");
  const std::string size = formats::human_bytes(bytes_in("again"));
  EXPECT_NE(told.find(" in " + size + ", not " + size + "; "), std::string::npos) << told;
  EXPECT_EQ(whole_file(common("again")), whole_file(common()));
  for (int rank = 0; rank < 4; ++rank) EXPECT_EQ(whole_file(path(rank, "again")), whole_file(path(rank, "packed")));
}

TEST_F(Pack, CopiesWhatIsDamagedAlsoWhereItWasPackedBefore) {
  write_all(4);
  write(1, false);  // as long as it is written
  std::ofstream(path(2), std::ios::binary | std::ios::app) << "C";
  const std::string told = pack();
  EXPECT_TRUE(told.ends_with("warning: 1 trace is copied as it is, such as '" + path(2) +
                             "': damaged, still written, or of an earlier version\n"))
      << told;
  EXPECT_EQ(whole_file(path(2, "packed")), whole_file(path(2)));
  EXPECT_EQ(held(1, "packed"), held(1));
  std::string damaged = *whole_file(path(3, "packed"));
  damaged.back() ^= 1;
  std::ofstream(path(3, "packed"), std::ios::binary) << damaged;
  pack("packed", "again");
  EXPECT_EQ(whole_file(path(3, "again")), damaged);
  EXPECT_EQ(File(path(3, "again")).process().rank, 3);
  EXPECT_EQ(held(0, "again"), held(0));
}

TEST_F(Pack, TakesSomeOfManyRanks) {
  for (int rank = 0; rank < 200; ++rank) write(rank, true, 50);
  pack();
  EXPECT_LT(3 * bytes_in("packed"), bytes_in("run"));
  EXPECT_EQ(held(199, "packed"), held(199));
  pack("run", "some", "7-9");
  EXPECT_EQ(held(8, "some"), held(8));
  EXPECT_FALSE(fs::exists(path(6, "some")));
}

TEST_F(Pack, NeedsItsOwnCommonFile) {
  write_all(4);
  pack();
  const std::string remedy = "|the folder of the traces as 'cairn trace --pack' wrote it";
  const std::string needed = "; the packed traces beside it need it" + remedy;
  const std::string file = *whole_file(common());
  std::ofstream(common(), std::ios::binary) << file_of(Common("another one"));
  EXPECT_EQ(problem(0), "'" + common() + "' is not what the traces beside it were packed with" + remedy);
  std::string later = file;
  later[magic.size()] = 100;
  std::ofstream(common(), std::ios::binary) << later;
  EXPECT_EQ(problem(0), "'" + common() + "' is damaged: it was written by a later Cairn" + needed);
  for (std::size_t cut : {std::size_t{0}, std::size_t{5}, head_size, head_size + 10, file.size() - 1}) {
    std::ofstream(common(), std::ios::binary) << file.substr(0, cut);
    EXPECT_TRUE(problem(0).starts_with("'" + common() + "' is damaged: ")) << cut << problem(0);
  }
  fs::remove(common());
  EXPECT_EQ(problem(0), "'" + common() + "' cannot be read: No such file or directory" + needed);
  ASSERT_EQ(mkfifo(common().c_str(), 0600), 0);
  EXPECT_EQ(problem(0), "'" + common() + "' is damaged: it is no file of Cairn's" + needed);
  fs::remove(common());
  std::ofstream(common(), std::ios::binary) << file;
  EXPECT_EQ(problem(0), "");
}

TEST_F(Pack, DamageOfWhatNamesTheCommonFileIsTold) {
  write_all(2);
  pack();
  const std::string trace = *whole_file(path(1, "packed"));
  for (std::size_t at = head_size + BlockHead::size; at < head_size + BlockHead::size + 16; ++at) {
    std::string changed = trace;
    changed[at] ^= 4;
    std::ofstream(path(1, "packed"), std::ios::binary) << changed;
    const File file(path(1, "packed"));
    ASSERT_EQ(file.damages().size(), 1U);
    EXPECT_EQ(file.damages().begin()->second.lost, "the file beside it is taken for that with which it was packed");
    EXPECT_EQ(file.process().rank, 1);
  }
}

TEST_F(Pack, IsReadWhateverTheFilesHold) {
  write_all(3);
  pack();
  const std::string trace = *whole_file(path(1, "packed")), file = *whole_file(common());
  std::mt19937 random(7);
  for (int i = 0; i < 400; ++i) {
    std::string changed = i % 2 == 0 ? trace : file;
    for (int count = 0; count < 1 + i % 5; ++count) changed[random() % changed.size()] = static_cast<char>(random());
    std::ofstream(i % 2 == 0 ? path(1, "packed") : common(), std::ios::binary) << changed;
    try {
      const File read(path(1, "packed"));
      for (Records records(read); records.now() != nullptr; records.step()) continue;
    } catch (const Problem&) {
    }
    std::ofstream(i % 2 == 0 ? path(1, "packed") : common(), std::ios::binary) << (i % 2 == 0 ? trace : file);
  }
  EXPECT_EQ(problem(1), "");
}

TEST_F(Pack, WritesOnlyWhereNothingIs) {
  write_all(2);
  fs::create_directory(folder_ + "/full");
  std::ofstream(folder_ + "/full/file") << "x";
  const auto asked = [&](const std::string& to) { return "|--pack " + folder_ + "/" + to; };
  EXPECT_EQ(refused("full"), "'" + folder_ + "/full' already exists|another folder" + asked("full"));
  EXPECT_EQ(refused("run/new"),
            "'" + folder_ + "/run/new' lies in the run's folder|a folder beside it" + asked("run/new"));
  EXPECT_EQ(refused("full/file/new"), "'" + folder_ + "/full/file/new' cannot be written: Not a directory|" +
                                          remedy_for_file(ENOTDIR) + asked("full/file/new"));
  EXPECT_EQ(whole_file(folder_ + "/full/file"), "x");
  std::ofstream(folder_ + "/nothing");
  EXPECT_EQ(refused("nothing"), "'" + folder_ + "/nothing' already exists|another folder" + asked("nothing"));
  EXPECT_EQ(whole_file(folder_ + "/nothing"), "");
  fs::create_directory(folder_ + "/empty");
  EXPECT_EQ(refused("empty"), "");
}

}  // namespace
}  // namespace cairn::trace
