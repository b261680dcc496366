// SPDX-License-Identifier: BSD-3-Clause
// page_file.cc - creating, extending and removing the file of a page

#include "page_file.hpp"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <new>

#include "base/host_name.hpp"
#include "base/job.hpp"
#include "base/launched.hpp"
#include "base/launcher.hpp"
#include "base/processes.hpp"
#include "cairn/board.hpp"
#include "cairn/kit/clock.hpp"
#include "cairn/kit/held_signals.hpp"
#include "open_requests.hpp"
#include "shared/node_file.hpp"

namespace recorder {

using shared::NodeFile;

namespace {

constexpr std::size_t object_count = Entries<page::Object>::part_size;
constexpr std::size_t datatype_count = Entries<page::Datatype>::part_size;
constexpr std::size_t mapped_count = 32;
constexpr std::size_t system_page = 4096;

/// See page::Life.
void hold(page::Life& life) {
  static_assert(sizeof(pthread_mutex_t) <= sizeof(page::Life));
  auto* const mutex = new (static_cast<void*>(&life)) pthread_mutex_t;
  pthread_mutexattr_t how;
  pthread_mutexattr_init(&how);
  pthread_mutexattr_setpshared(&how, PTHREAD_PROCESS_SHARED);
  pthread_mutexattr_setrobust(&how, PTHREAD_MUTEX_ROBUST);
  pthread_mutex_init(mutex, &how);
  pthread_mutexattr_destroy(&how);
  pthread_mutex_lock(mutex);
}

void* private_memory(std::size_t size) {
  void* const memory = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return memory == MAP_FAILED ? nullptr : memory;
}

}  // namespace

bool PageFile::give_up(const std::string& what, int error) {
  problem_ = what + (error == 0 ? "" : std::string(": ") + std::strerror(error));
  if (!path_.empty()) unlink(path_.c_str());
  path_.clear();
  return false;
}

bool PageFile::find_folder(std::string& folder) {
  folder = page::folder();
  if (mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST)
    return give_up("folder '" + folder + "' cannot be created", errno);
  if (!cairn::is_private_folder(folder)) return give_up("folder '" + folder + "' is open to other users", 0);
  return true;
}

bool PageFile::create_file(std::size_t size) {
  if (!find_folder(folder_)) return false;
  const std::string path =
      folder_ + "/" + std::to_string(getpid()) + "-" + std::to_string(cairn::facts_of_task("self").start) + ".page";
  const NodeFile file(path, O_RDWR | O_CREAT | O_EXCL);
  if (file.number() < 0) return give_up("file '" + path + "' cannot be created", errno);
  path_ = path;
  if (const int error = file.allocate(0, size); error != 0) return give_up("no room in '" + folder_ + "'", error);
  header_ = static_cast<page::PageHeader*>(file.map(0, size));
  return header_ != nullptr || give_up("file '" + path + "' cannot be mapped", errno);
}

void PageFile::create(std::uint32_t ring_size) {
  const std::size_t size = page::header_room + functions_room + object_count * sizeof(page::Object) +
                           datatype_count * sizeof(page::Datatype) + OpenRequests::size * sizeof(page::Request) +
                           mapped_count * sizeof(page::Mapped);
  if (!create_file(size)) header_ = static_cast<page::PageHeader*>(private_memory(size));
  if (header_ != nullptr) lay_out(ring_size, size);
}

void PageFile::lay_out(std::uint32_t ring_size, std::size_t size) {
  page::PageHeader& header = *header_;
  std::uint64_t at = page::header_room;
  const auto place = [&](page::Table& table, std::size_t count, std::size_t bytes) {
    table = {at, count};
    at += count * bytes;
  };
  place(header.functions, functions_room, 1);
  place(header.objects, object_count, sizeof(page::Object));
  place(header.datatypes, datatype_count, sizeof(page::Datatype));
  place(header.requests, OpenRequests::size, sizeof(page::Request));
  place(header.mapped, mapped_count, sizeof(page::Mapped));
  objects_.add(table<page::Object>(header.objects));
  datatypes_.add(table<page::Datatype>(header.datatypes));
  header.header_size = page::header_room;
  header.file_size = size;
  header.ring_size = ring_size;
  header.pid = getpid();
  header.uid = geteuid();
  header.process_start = cairn::facts_of_task("self").start;
  header.pid_space = cairn::space_of_process_numbers();
  const cairn::ClockAnchor now = cairn::ClockAnchor::now();
  header.first = header.last = {now.ticks, now.nanoseconds};
  header.rank = static_cast<std::int32_t>(cairn::job_rank());
  header.size = static_cast<std::int32_t>(cairn::job_size());
  put(header.boot, cairn::boot_id());
  put(header.host, cairn::host_name());
  put(header.job, cairn::name_of_own_job());  // ranks that wait in MPI_Init know of each other by this only
  put(header.launcher, cairn::launcher_of_environment());
  if (gettid() == getpid())  // another thread may end before the process
    for (page::Life& life : header.lives) hold(life);
  header.version = page::version;
  std::atomic_thread_fence(std::memory_order_release);
  std::memcpy(header.magic, page::magic, sizeof page::magic);  // last: from here on it is a page
}

/// From the next whole page of the system on.
std::uint64_t PageFile::extend(std::size_t size) {
  const std::lock_guard lock(end_lock_);  // threads begin while others make communicators
  const std::uint64_t at = (header_->file_size + system_page - 1) / system_page * system_page;
  const NodeFile file(path_, O_RDWR);
  if (file.number() < 0 || file.allocate(at, size) != 0) return 0;
  header_->file_size = at + size;
  return at;
}

std::pair<void*, std::uint64_t> PageFile::add_part(std::size_t size) {
  const std::uint64_t at = path_.empty() ? 0 : extend(size);
  return {at == 0 ? private_memory(size) : NodeFile(path_, O_RDWR).map(at, size), at};
}

std::string PageFile::why_no_thread() const {
  return thread_count_ == page::PageHeader::most_threads
             ? "a process has room for " + std::to_string(page::PageHeader::most_threads)
             : "there is no memory for them";
}

page::Thread* PageFile::add_thread() {
  if (thread_count_ == page::PageHeader::most_threads) return nullptr;
  const auto [memory, at] = add_part(page::thread_head + header_->ring_size * sizeof(page::Record));
  auto* const thread = static_cast<page::Thread*>(memory);
  if (thread == nullptr) return nullptr;
  header_->threads[thread_count_].store(at, std::memory_order_release);
  threads_[thread_count_++].store(thread, std::memory_order_release);
  return thread;
}

bool PageFile::write_bytes(Room& room, const void* bytes, std::size_t size) {
  if (size == 0) return false;
  if (size > room.size) {
    const std::uint64_t at = path_.empty() ? reinterpret_cast<std::uint64_t>(private_memory(size)) : extend(size);
    if (at == 0) return false;
    room = {at, (size + system_page - 1) / system_page * system_page};
  }
  if (path_.empty()) {
    std::memcpy(reinterpret_cast<void*>(room.at), bytes, size);
    return true;
  }
  const NodeFile file(path_, O_WRONLY);
  const cairn::HeldSignals held;
  return pwrite(file.number(), bytes, size, static_cast<off_t>(room.at)) == static_cast<ssize_t>(size);
}

int PageFile::change_count(int by, bool has_folder) {
  const std::string path = folder_ + "/" + page::run_name(run_);
  const NodeFile file(path, O_RDWR | O_CREAT);
  if (file.number() < 0 || file.allocate(0, sizeof(page::RunFile)) != 0) return 1;
  auto* const run = static_cast<page::RunFile*>(file.map(0, sizeof(page::RunFile)));
  if (run == nullptr) return 1;
  if (has_folder) run->has_folder = 1;
  const int now = run->processes.fetch_add(by) + by;
  munmap(run, sizeof *run);
  return now;
}

void PageFile::join(const std::string& run, const std::string& nodes, bool has_folder) {
  put(header_->run, run);
  run_ = run;
  if (path_.empty() || run.empty() || change_count(1, has_folder) != 1) return;
  Room room;
  if (write_bytes(room, nodes.data(), nodes.size())) header_->nodes = {room.at, nodes.size()};
}

void PageFile::end_as(page::Phase phase, const std::string& how) {
  put(header_->end, how);
  header_->ended_at = cairn::ticks_now();
  const cairn::ClockAnchor now = cairn::ClockAnchor::now();
  header_->last = {now.ticks, now.nanoseconds};
  header_->phase.store(phase, std::memory_order_release);
}

void PageFile::leave() {
  if (path_.empty()) return;
  if (run_.empty()) cairn::board::remove_with_page(path_);
  else if (change_count(-1) == 0) remove_all();
}

namespace {

bool is_of_run(const std::string& path, const std::string& run) {
  const NodeFile file(path, O_RDONLY);
  std::array<char, sizeof(page::PageHeader::run)> text{};
  return pread(file.number(), text.data(), text.size() - 1, offsetof(page::PageHeader, run)) > 0 && run == text.data();
}

}  // namespace

void PageFile::remove_all() const {
  DIR* const folder = opendir(folder_.c_str());
  if (folder == nullptr) return;
  while (const dirent* const entry = readdir(folder)) {
    const std::string path = folder_ + "/" + entry->d_name;
    if (path.ends_with(".page") && is_of_run(path, run_)) cairn::board::remove_with_page(path);
  }
  closedir(folder);
  unlink((folder_ + "/" + page::run_name(run_)).c_str());
  unlink((folder_ + "/" + page::watch_name(header_->job)).c_str());
}

}  // namespace recorder
