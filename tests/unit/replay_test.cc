// SPDX-License-Identifier: BSD-3-Clause
// replay_test.cc - whatever a trace says, a replay is written or refused

#include <gtest/gtest.h>

#include <unistd.h>

#include <algorithm>
#include <array>
#include <climits>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <set>

#include "base/message.hpp"
#include "cairn/object_identity.hpp"
#include "cli/trace/views.hpp"
#include "trace/blocks.hpp"
#include "trace/record_coder.hpp"

namespace cairn::trace {
namespace {

using page::Kind;

struct Named {
  Kind kind;
  const char* name;
};
constexpr std::array functions{Named{Kind::init, "MPI_Init"},
                               Named{Kind::send, "MPI_Send"},
                               Named{Kind::send, "MPI_Bsend"},
                               Named{Kind::begin, "MPI_Isend"},
                               Named{Kind::begin, "MPI_Irecv"},
                               Named{Kind::begin, "MPI_Send_init"},
                               Named{Kind::begin, "MPI_Recv_init"},
                               Named{Kind::receive, "MPI_Recv"},
                               Named{Kind::receive, "MPI_Mrecv"},
                               Named{Kind::begin, "MPI_Imrecv"},
                               Named{Kind::exchange, "MPI_Sendrecv"},
                               Named{Kind::exchange, "MPI_Sendrecv_replace"},
                               Named{Kind::probe, "MPI_Probe"},
                               Named{Kind::probe, "MPI_Mprobe"},
                               Named{Kind::test, "MPI_Iprobe"},
                               Named{Kind::test, "MPI_Improbe"},
                               Named{Kind::wait, "MPI_Wait"},
                               Named{Kind::wait, "MPI_Waitall"},
                               Named{Kind::wait, "MPI_Waitany"},
                               Named{Kind::wait, "MPI_Waitsome"},
                               Named{Kind::test, "MPI_Test"},
                               Named{Kind::test, "MPI_Testall"},
                               Named{Kind::test, "MPI_Testany"},
                               Named{Kind::test, "MPI_Testsome"},
                               Named{Kind::start, "MPI_Start"},
                               Named{Kind::start, "MPI_Startall"},
                               Named{Kind::other, "MPI_Request_free"},
                               Named{Kind::other, "MPI_Cancel"},
                               Named{Kind::collective, "MPI_Barrier"},
                               Named{Kind::collective, "MPI_Bcast"},
                               Named{Kind::collective, "MPI_Gather"},
                               Named{Kind::collective, "MPI_Gatherv"},
                               Named{Kind::collective, "MPI_Scatter"},
                               Named{Kind::collective, "MPI_Scatterv"},
                               Named{Kind::collective, "MPI_Allgather"},
                               Named{Kind::collective, "MPI_Allgatherv"},
                               Named{Kind::collective, "MPI_Alltoall"},
                               Named{Kind::collective, "MPI_Alltoallv"},
                               Named{Kind::collective, "MPI_Alltoallw"},
                               Named{Kind::begin, "MPI_Ialltoallv"},
                               Named{Kind::collective, "MPI_Reduce"},
                               Named{Kind::collective, "MPI_Allreduce"},
                               Named{Kind::begin, "MPI_Iallreduce"},
                               Named{Kind::collective, "MPI_Reduce_scatter"},
                               Named{Kind::collective, "MPI_Reduce_scatter_block"},
                               Named{Kind::collective, "MPI_Exscan"},
                               Named{Kind::collective, "MPI_Comm_dup"},
                               Named{Kind::begin, "MPI_Comm_idup"},
                               Named{Kind::collective, "MPI_Comm_split"},
                               Named{Kind::other, "MPI_Comm_create_group"},
                               Named{Kind::collective, "MPI_Comm_free"},
                               Named{Kind::other, "MPI_Buffer_attach"},
                               Named{Kind::collective, "MPI_Win_fence"},
                               Named{Kind::abort, "MPI_Abort"},
                               Named{Kind::finalize, "MPI_Finalize"}};
constexpr std::array details{
    page::message_found, page::message_taken,   page::partition_ready,  page::object_made, page::share,
    page::moved,         page::region_changed,  page::partner,          page::neighbor,    page::message_received,
    page::request_freed, page::request_started, page::request_completed};

std::uint16_t place_of(std::string_view name) {
  return static_cast<std::uint16_t>(
      std::ranges::find_if(functions, [&](const Named& one) { return name == one.name; }) - functions.begin());
}

/// Traces of two ranks, of calls as they can be, and of others.
class Writer {
 public:
  explicit Writer(std::uint64_t seed) : random_(seed), wildness_(seed % 4 == 0 ? 0 : 4 + random_() % 200) {}

  std::string file(int rank, int size = 2) {
    Process process;
    process.rank = rank;
    process.size = size;
    process.any_source = process.any_tag = -1;
    process.proc_null = -2;
    process.program = "/bin/*app\n";
    std::string names;
    for (const Named& one : functions) (names += static_cast<char>(one.kind)).append(one.name).push_back('\0');
    std::string definitions;
    define_objects(definitions, rank);
    std::uint32_t number = 0;
    for (const char* name : {"MPI_INT", "MPI_BYTE", "MPI_DOUBLE_INT", "own\"*/"})
      define(definitions, ++number, Datatype{is_wild() ? random_() : 1 + random_() % 16, name});
    define_thread(definitions, 0, 4711);
    BlockWriter writer;
    const std::size_t count = 1 + random_() % 120;
    RecordEncoder encoder;
    for (std::size_t i = 0; i < count; ++i) encoder.add(record(i), i);
    const BlockHead head{.count = static_cast<std::uint32_t>(count), .first = 0};
    return file_head() + writer.block(BlockKind::process, content_of(process, names)) +
           writer.block(BlockKind::definitions, definitions) +
           writer.block(BlockKind::clock, content_of(Moment{0, 0, 7})) +
           writer.block(BlockKind::clock, content_of(Moment{1'000'000'000, 1'000'000'000, 8})) +
           writer.block(BlockKind::records, encoder.take(), head) +
           writer.block(BlockKind::end, content_of(End{.records = count, .how = ""}));
  }

 private:
  bool is_wild() { return wildness_ != 0 && random_() % wildness_ == 0; }
  std::int32_t small(std::int32_t from, std::int32_t to) {
    if (is_wild()) return static_cast<std::int32_t>(random_());
    return from + static_cast<std::int32_t>(random_() % static_cast<std::uint64_t>(to - from + 1));
  }

  void define_objects(std::string& definitions, int rank) {
    const std::array<std::int32_t, 2> all{0, 1};
    const std::uint64_t world = identity::of(identity::world, identity::of_members(all.data(), 2), 0);
    const std::uint64_t self = identity::of(identity::self, identity::of_members(&rank, 1), 0);
    const std::uint64_t twin = identity::of(identity::made_from(world, 1), identity::of_members(all.data(), 2), 0);
    std::uint32_t number = 0;
    for (const std::uint64_t identity : {world, self, twin}) {
      Object object;
      object.identity = is_wild() ? random_() : identity;
      object.rank = rank;
      object.size = object.peers = 2;
      object.members_known = !is_wild();
      object.what = is_wild() ? page::Object::window : page::Object::communicator;
      if (identity == self) {
        object.rank = 0;
        object.size = object.peers = 1;
        object.members = {rank};
      }
      if (is_wild()) object.rank = small(-1, 3);
      if (is_wild()) object.size = small(-1, 3);
      if (is_wild()) object.members = {small(-2, 5), small(-2, 5), small(-2, 5)};
      object.name = is_wild() ? "*/\"\\\n?"
                                "?/"
                              : "";
      define(definitions, ++number, object);
    }
  }

  Record record(std::size_t i) {
    Record made{};
    const bool is_detail = i > 1 && random_() % 3 == 0;
    made.count = is_wild() ? random_() : random_() % 40;
    made.other = is_wild() ? random_() : 1 + random_() % 5;
    made.object = static_cast<std::uint32_t>(small(1, 2));
    made.peer = small(-2, 1);
    made.tag = small(-1, 9);
    made.flags = static_cast<std::uint16_t>(random_() & 0x7cf);
    if (is_detail) {
      made.function = details[random_() % details.size()];
      made.entry = is_wild() ? random_() % (i + 1) : last_call_ + 1;
      made.exit = 1;
      return made;
    }
    last_call_ = i;
    made.function = static_cast<std::uint16_t>(i == 0 ? 0 : random_() % functions.size());
    if (i == 1) {
      made.function = place_of("MPI_Comm_dup");
      made.object = 1;
    }
    if (made.function == place_of("MPI_Comm_free")) made.object = 3;  // the one that was made
    if (functions[made.function].kind == Kind::begin) made.flags |= page::nonblocking;
    if (!is_wild()) made.flags &= static_cast<std::uint16_t>(~page::failed);
    if (functions[made.function].kind == Kind::collective) made.number = ++collectives_;
    if (is_wild()) made.number = static_cast<std::uint32_t>(random_());
    made.type = static_cast<std::uint32_t>(small(0, 4));
    made.entry = now_ += 1 + random_() % 1000;
    made.exit = now_ += 1 + random_() % 1000;
    if (is_wild()) made.exit = random_() % 2 == 0 ? 0 : random_();
    if (made.exit == 0) made.flags |= unfinished;
    return made;
  }

  std::mt19937_64 random_;
  std::uint64_t wildness_;  // one of so many values is any; 0: none
  std::uint64_t now_ = 1000;
  std::size_t last_call_ = 0;
  std::uint32_t collectives_ = 0;
};

/// CAIRN_REPLAYS: where they stay, to be compiled; CAIRN_REPLAY_COUNT: how many are tried.
TEST(Replay, OfAnyTraceIsWrittenOrRefused) {
  namespace fs = std::filesystem;
  char temporary[] = "/dev/shm/cairn-replay-test.XXXXXX";
  const char* const kept = std::getenv("CAIRN_REPLAYS");
  const fs::path folder = kept != nullptr ? kept : mkdtemp(temporary);
  const char* const wanted = std::getenv("CAIRN_REPLAY_COUNT");
  const std::uint64_t count = wanted == nullptr ? 400 : std::strtoull(wanted, nullptr, 10);
  std::size_t written = 0;
  std::set<std::string> why;
  testing::internal::CaptureStderr();  // what is left out
  for (std::uint64_t seed = 0; seed < count; ++seed) {
    Writer writer(seed);
    cli::RunTraces run;
    for (int rank = 0; rank < 2; ++rank) {
      const fs::path path = folder / ("rank-" + std::to_string(rank) + ".trace");
      std::ofstream(path, std::ios::binary) << writer.file(rank);
      run.processes.push_back(std::make_unique<cli::ProcessTrace>(path.string()));
    }
    const fs::path source = folder / ("replay-" + std::to_string(kept != nullptr ? seed : 0) + ".c");
    try {
      cli::write_replay(run, source.string());
      ++written;
      std::ifstream file(source);
      const std::string text{std::istreambuf_iterator<char>(file), {}};
      EXPECT_NE(text.find("int main("), text.npos) << seed;
    } catch (const Problem& problem) {
      why.insert(problem.what());
    }
  }
  testing::internal::GetCapturedStderr();
  if (kept == nullptr) fs::remove_all(folder);
  EXPECT_GT(written, count / 10);
  EXPECT_TRUE(why.contains("the run cannot be replayed: rank 0 has calls with more than 16777216 requests"));
  EXPECT_TRUE(why.contains("the run cannot be replayed: rank 0 has calls with more elements than an int can tell"));
}

TEST(Replay, OfTracesOfDifferentJobsIsRefused) {
  char folder[] = "/dev/shm/cairn-replay-test.XXXXXX";
  ASSERT_NE(mkdtemp(folder), nullptr);
  cli::RunTraces run;
  for (int rank = 0; rank < 2; ++rank) {
    const std::string path = std::string(folder) + "/" + std::to_string(rank);
    std::ofstream(path, std::ios::binary) << Writer(0).file(rank, 2 + rank);
    run.processes.push_back(std::make_unique<cli::ProcessTrace>(path));
  }
  std::string why;
  try {
    cli::write_replay(run, std::string(folder) + "/replay.c");
  } catch (const Problem& problem) {
    why = std::string(problem.what()) + "|" + problem.remedy;
  }
  std::filesystem::remove_all(folder);
  EXPECT_EQ(
      why,
      "a replay needs the traces of one job: that of rank 1 has another number of ranks|the folder of one run, as "
      "'cairn run' has left it");
}

}  // namespace
}  // namespace cairn::trace
