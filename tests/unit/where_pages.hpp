// SPDX-License-Identifier: BSD-3-Clause
// where_pages.hpp - pages of a job as the recorder would have written them, for tests of what reads them
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>
#include <string>
#include <vector>

#include "cairn/kit/clock.hpp"
#include "recorder/page_file.hpp"
#include "where/dead_pages.hpp"
#include "where/jobs.hpp"
#include "where/report.hpp"

namespace cairn::where {

namespace fs = std::filesystem;

enum Number : std::uint16_t {
  init,
  receive,
  send,
  barrier,
  finalize,
  probe,
  bcast,
  lock,
  unlock,
  complete,
  waitall,
  post,
  win_wait,
  rput,
  send_init,
  ibarrier,
  iallreduce,
};
struct Named {
  Kind kind;
  const char* name;
};
inline constexpr Named functions[] = {
    {Kind::init, "MPI_Init"},          {Kind::receive, "MPI_Recv"},      {Kind::send, "MPI_Ssend"},
    {Kind::collective, "MPI_Barrier"}, {Kind::finalize, "MPI_Finalize"}, {Kind::test, "MPI_Iprobe"},
    {Kind::collective, "MPI_Bcast"},   {Kind::sync, "MPI_Win_lock"},     {Kind::sync, "MPI_Win_unlock"},
    {Kind::sync, "MPI_Win_complete"},  {Kind::wait, "MPI_Waitall"},      {Kind::sync, "MPI_Win_post"},
    {Kind::sync, "MPI_Win_wait"},      {Kind::begin, "MPI_Rput"},        {Kind::begin, "MPI_Send_init"},
    {Kind::begin, "MPI_Ibarrier"},     {Kind::begin, "MPI_Iallreduce"}};

/// Pages of a job whose processes are all this one; each is what the recorder would have written.
class Where : public testing::Test {
 protected:
  Where() {
    char pattern[] = "/tmp/cairn-where-test.XXXXXX";
    folder_ = mkdtemp(pattern);
    setenv("CAIRN_PAGES", folder_.c_str(), 1);
  }
  ~Where() override {
    unsetenv("CAIRN_PAGES");
    fs::remove_all(folder_);
  }

  struct Page {
    recorder::PageFile file;
    page::Thread* thread = nullptr;
    page::Record* ring = nullptr;

    page::PageHeader& header() { return *file.header(); }
    page::Object& world() { return file.table<page::Object>(header().objects)[1]; }
    page::Record& add(Number function, int peer, int tag, bool is_over) {
      const std::uint64_t index = thread->count.load();
      page::Record& record = ring[index % header().ring_size];
      record = {};
      record.entry = ticks_now() - ticks_in(10);
      record.exit = is_over ? record.entry + 1 : 0;
      record.object = 1;
      record.function = function;
      record.peer = peer;
      record.tag = tag;
      if (function == lock) record.flags = page::has_peer | page::exclusive;
      if (function == unlock) record.flags = page::has_peer;
      if (function == receive || function == send || function == probe) record.flags = page::has_peer | page::has_tag;
      if (function == barrier || function == bcast) record.number = ++world().collectives;
      if (!is_over) thread->inside = index + 1;
      thread->count = index + 1;
      return record;
    }
    /// Later than anyone looks, on however busy a machine: what lies ahead counts as now.
    std::uint64_t just_now() { return ticks_now() + ticks_in(3600); }
    std::uint64_t ticks_in(double seconds) {
      static const double per_second = [] {
        Clock clock;
        clock.anchor();
        return 1 / clock.seconds_per_tick();
      }();
      return static_cast<std::uint64_t>(seconds * per_second);
    }
  };

  /// A rank that has begun a minute ago; it lies under its own name when it is done.
  void make(int rank, int size, const std::function<void(Page&)>& fill, std::uint32_t ring_size = 16) {
    Page made;
    made.file.create(ring_size);
    page::PageHeader& header = made.header();
    char* text = made.file.table<char>(header.functions);
    for (const auto& function : functions) {
      *text++ = static_cast<char>(function.kind);
      text = stpcpy(text, function.name) + 1;
    }
    header.functions.count = static_cast<std::uint64_t>(text - made.file.table<char>(header.functions));
    header.rank = rank;
    header.size = size;
    header.any_source = header.any_tag = -1;
    header.proc_null = -2;
    header.first.ticks -= made.ticks_in(60);
    header.first.nanoseconds -= 60'000'000'000U;
    header.phase = page::Phase::running;
    std::strcpy(header.run, "abc");
    std::strcpy(header.program, "/bin/app");
    made.world().handle = 99;
    made.world().identity = 7;
    made.world().rank = rank;
    made.world().size = made.world().peers = size;
    made.world().members_known = 1;
    std::strcpy(made.world().name, "MPI_COMM_WORLD");
    made.world().state = page::Object::present;
    made.thread = made.file.add_thread();
    made.ring = reinterpret_cast<page::Record*>(reinterpret_cast<char*>(made.thread) + page::thread_head);
    made.thread->in_use = 1;
    fill(made);
    fs::rename(made.file.path(), folder_ + "/" + std::to_string(rank) + ".page");
  }

  struct Answer {
    Verdict verdict;
    std::string text;
    std::string json;
  };
  Answer answer() {
    std::vector<std::string> damaged;
    jobs_ = read_jobs(pages_in(folder_), damaged);
    EXPECT_EQ(damaged.size(), 0U);
    EXPECT_EQ(jobs_.size(), 1U);
    const Job job = look_at_job(jobs_.front().all());
    Places places(nullptr);
    const Verdict verdict = judge(job, places, 1);
    return {verdict, report_text(job, verdict, places), report_json(job, verdict, places)};
  }

  std::string read(const std::string& path) {
    std::ostringstream bytes;
    bytes << std::ifstream(path, std::ios::binary).rdbuf();
    return bytes.str();
  }
  void write(const std::string& path, const std::string& bytes) { std::ofstream(path, std::ios::binary) << bytes; }

  std::string folder_;
  std::vector<JobPages> jobs_;
};

/// An active one, in the table of the page.
inline page::Request& add_request(auto& page, std::size_t index, Number function, int peer, int tag) {
  page::Request& request = page.file.template table<page::Request>(page.header().requests)[index];
  request.handle = index;
  request.state = page::Request::active;
  request.function = function;
  request.object = 1;
  request.peer = peer;
  request.tag = tag;
  request.flags = page::has_peer | page::has_tag | page::nonblocking;
  return request;
}

}  // namespace cairn::where
