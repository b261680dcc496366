// SPDX-License-Identifier: BSD-3-Clause
// pages.cc - the pages that the recorder keeps of a running job, of a job that never was

#include "pages.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <utility>

#include "base/file_bytes.hpp"
#include "base/processes.hpp"
#include "cairn/kit/clock.hpp"
#include "services/recorder/page_file.hpp"

namespace cairn::scale {

namespace fs = std::filesystem;
using page::Kind;

namespace {

constexpr std::uint32_t ring_size = 4096;  // as the recorder has it
constexpr std::uint64_t calls = 320;       // as many as go to another node of a job of this size
constexpr std::size_t block = 4096;

struct Named {
  Kind kind;
  const char* name;
};
constexpr Named functions[] = {{Kind::init, "MPI_Init"},
                               {Kind::send, "MPI_Send"},
                               {Kind::receive, "MPI_Recv"},
                               {Kind::wait, "MPI_Waitall"},
                               {Kind::collective, "MPI_Allreduce"}};
enum Function : std::uint16_t { init, send, receive, wait, reduce };

/// One page as the recorder makes it, from which all others differ in a few places.
class Template {
 public:
  Template(const Job& job, const std::string& folder, Shape shape) : job_(job), shape_(shape) {
    setenv("CAIRN_PAGES", folder.c_str(), 1);
    file_.create(ring_size);
    page::PageHeader& header = *file_.header();
    add_functions(header);
    fill(header);
    fill(file_.table<page::Object>(header.objects)[1]);
    base_size_ = header.file_size;
    thread_ = file_.add_thread();
    if (thread_ == nullptr) throw std::runtime_error("no room for a page in " + folder);
    ring_ = reinterpret_cast<page::Record*>(reinterpret_cast<char*>(thread_) + page::thread_head);
    thread_->in_use = 1;
    thread_->count = calls;
  }
  ~Template() { fs::remove(file_.path()); }
  Template(const Template&) = delete;
  Template& operator=(const Template&) = delete;

  /// `nodes`: of the first rank on a node.
  void write(int rank, const std::string& path, const std::string& nodes) {
    page::PageHeader& header = *file_.header();
    header.rank = rank;
    recorder::put(header.host, Job::node_name(job_.node_of(rank)));
    file_.table<page::Object>(header.objects)[1].rank = rank;
    call(rank);
    header.nodes = {nodes.empty() ? 0 : header.file_size, nodes.size()};
    const int out = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (out < 0) throw std::runtime_error("cannot write " + path);
    put_blocks(out, 0, {reinterpret_cast<const char*>(&header), base_size_});
    put_blocks(out, header.threads[0],
               {reinterpret_cast<const char*>(thread_), page::thread_head + ring_size * sizeof(page::Record)});
    const bool done = ftruncate(out, static_cast<off_t>(header.file_size + nodes.size())) == 0 &&
                      pwrite(out, nodes.data(), nodes.size(), static_cast<off_t>(header.file_size)) ==
                          static_cast<ssize_t>(nodes.size());
    close(out);
    if (!done) throw std::runtime_error("cannot write " + path);
  }

 private:
  void add_functions(page::PageHeader& header) {
    char* text = file_.table<char>(header.functions);
    for (const auto& [kind, name] : functions) {
      *text++ = static_cast<char>(kind);
      text = stpcpy(text, name) + 1;
    }
    header.functions.count = static_cast<std::uint64_t>(text - file_.table<char>(header.functions));
  }
  void fill(page::PageHeader& header) const {
    header.pid = getppid();
    header.process_start = facts_of_task(std::to_string(getppid())).start;
    header.size = job_.ranks;
    header.any_source = header.any_tag = -1;
    header.proc_null = -2;
    header.first.ticks -= ticks_in(60);  // begun a minute ago
    header.first.nanoseconds -= 60'000'000'000;
    header.phase = page::Phase::running;
    recorder::put(header.run, identity);
    recorder::put(header.program, program);
    recorder::put(header.job, "scale");
    recorder::put(header.launcher, "agent " + fs::path(file_.path()).parent_path().string() + "/agent");
  }
  void fill(page::Object& world) const {
    world.handle = 99;
    world.identity = 7;
    world.size = world.peers = job_.ranks;
    world.members_known = 1;
    recorder::put(world.name, "MPI_COMM_WORLD");
    world.state = page::Object::present;
  }
  static std::uint64_t ticks_in(double seconds) {
    static const double per_second = [] {
      Clock clock;
      clock.anchor();
      return 1 / clock.seconds_per_tick();
    }();
    return static_cast<std::uint64_t>(seconds * per_second);
  }
  bool is_in_reduction() const { return shape_ != Shape::chain && shape_ != Shape::ring; }
  bool is_late(int rank) const {
    switch (shape_) {
      case Shape::late:
        return rank == job_.late_rank();
      case Shape::half:
        return rank >= job_.ranks / 2;
      case Shape::chain:
        return rank + 1 == job_.ranks;
      default:
        return false;
    }
  }
  /// Steps of a message each way and a reduction; all but those that are late are in the last call of these, which began
  /// 10 s ago, so that they count as waiting.
  void call(int rank) {
    const std::uint64_t last = ticks_now() - ticks_in(10);
    const std::uint64_t took = ticks_in(10);
    const bool is_outside = is_late(rank);
    std::uint32_t collectives = shape_ == Shape::apart ? static_cast<std::uint32_t>(rank) : 0;
    for (std::uint64_t i = 0; i < calls; ++i) {
      page::Record& record = ring_[i];
      record = {};
      record.function = i == 0 ? init : i % 4 == 3 ? reduce : i % 4 == 1 ? send : i % 4 == 2 ? receive : wait;
      if (i + 1 == calls && !is_in_reduction()) record.function = receive;
      record.entry = last - took * (calls - i) / calls;
      record.exit = record.entry + 1000;
      record.site = 4096 + 16 * record.function;
      record.object = 1;
      record.peer = (rank + 1) % job_.ranks;
      if (record.function == send || record.function == receive) record.flags = page::has_peer | page::has_tag;
      if (record.function == reduce) record.number = ++collectives;
    }
    if (!is_outside) ring_[calls - 1].exit = 0;
    else collectives -= ring_[calls - 1].number != 0, ring_[calls - 1] = {};
    thread_->count = is_outside ? calls - 1 : calls;
    thread_->inside = is_outside ? 0 : calls;
    thread_->in_mpi = static_cast<std::uint64_t>(Job::chance(static_cast<unsigned>(rank)) * 1e9);
    file_.table<page::Object>(file_.header()->objects)[1].collectives = collectives;
    auto* const figures = reinterpret_cast<page::Figures*>(reinterpret_cast<char*>(thread_) + page::figures_at);
    for (std::size_t i = 0; i < std::size(functions); ++i) figures[i].calls = calls / 4, figures[i].ticks = 1'000'000;
  }
  static void put_blocks(int out, std::uint64_t place, std::string_view bytes) {
    static const std::string empty(block, '\0');
    for (std::size_t at = 0; at < bytes.size(); at += block) {
      const std::string_view one = bytes.substr(at, block);
      if (std::memcmp(one.data(), empty.data(), one.size()) == 0) continue;
      if (pwrite(out, one.data(), one.size(), static_cast<off_t>(place + at)) != static_cast<ssize_t>(one.size()))
        throw std::runtime_error("no room for the pages");
    }
  }

  const Job& job_;
  Shape shape_;
  recorder::PageFile file_;
  std::uint64_t base_size_ = 0;
  page::Thread* thread_ = nullptr;
  page::Record* ring_ = nullptr;
};

std::string nodes_text(const Job& job) {
  std::string text;
  for (int node = 0; node < job.nodes(); ++node) text += Job::node_name(node) + " " + job.ranks_of_node(node) + "\n";
  return text;
}

/// The second word is the command; on each node the folder of pages is another. With SCALE_SENDER, the path of `scale`,
/// that sends for the node, and for those that the node is to ask.
void write_agent(const std::string& folder) {
  const std::string path = folder + "/agent";
  std::ofstream(path) << "#!/bin/sh\n"
                         "command=${2#env CAIRN_PAGES=* }\n"
                         "export CAIRN_PAGES="
                      << folder << "/$1\n[ -z \"$SCALE_SENDER\" ] || exec \"$SCALE_SENDER\" send " << folder
                      << " $1 \"$command\"\neval \"exec $command\"\n";
  chmod(path.c_str(), 0700);
}

}  // namespace

Shape shape_of(std::string_view name) {
  constexpr std::pair<std::string_view, Shape> all[] = {{"late", Shape::late},
                                                        {"half", Shape::half},
                                                        {"chain", Shape::chain},
                                                        {"ring", Shape::ring},
                                                        {"apart", Shape::apart}};
  for (const auto& [known, shape] : all)
    if (known == name) return shape;
  throw std::runtime_error("no such shape: " + std::string(name));
}

void write_pages(const Job& job, const std::string& folder, Shape shape) {
  fs::create_directories(folder);
  chmod(folder.c_str(), 0700);
  Template pages(job, folder, shape);
  const std::string nodes = job.nodes() > 1 ? nodes_text(job) : "";
  for (int rank = 0; rank < job.ranks; ++rank) {
    const std::string here = folder + "/" + Job::node_name(job.node_of(rank));
    const bool is_first = rank % job.per_node == 0;
    if (is_first && mkdir(here.c_str(), 0700) != 0) throw std::runtime_error("cannot make " + here);
    pages.write(rank, here + "/" + std::to_string(rank) + ".page", is_first ? nodes : "");
  }
  write_agent(folder);
}

}  // namespace cairn::scale
