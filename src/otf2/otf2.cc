// SPDX-License-Identifier: BSD-3-Clause
// otf2.cc - libcairn-otf2.so: writes a run's traces as an OTF2 archive, process by process

#include <otf2/otf2.h>
#include <sys/statvfs.h>

#include <algorithm>
#include <cerrno>
#include <cstdarg>
#include <cstring>
#include <exception>
#include <stdexcept>

#include "otf2/accesses.hpp"
#include "otf2/collectives.hpp"
#include "otf2/definitions.hpp"
#include "trace/events.hpp"
#include "trace/open_regions.hpp"
#include "trace/otf2_library.hpp"

namespace cairn::otf2 {

namespace {

using trace::Message;
using trace::Transfer;

OTF2_LocationRef location_of(int rank, std::uint32_t thread) {
  return static_cast<OTF2_LocationRef>(thread) << 32U | static_cast<std::uint32_t>(rank);
}

/// The errors are given back, and nothing is printed.
OTF2_ErrorCode keep_quiet(void* /*data*/, const char* /*file*/, uint64_t /*line*/, const char* /*function*/,
                          OTF2_ErrorCode code, const char* /*format*/, va_list /*more*/) {
  return code;
}

/// Where the last of what is buffered cannot be written, OTF2 3.0 reads freed memory. So before files are closed there has
/// to be room for its buffers, and an archive with an error is not closed.
class Archive {
 public:
  explicit Archive(const std::string& folder) : folder_(folder) {
    constexpr std::uint64_t chunk = 1U << 20U;
    archive_ = OTF2_Archive_Open(folder.c_str(), "traces", OTF2_FILEMODE_WRITE, chunk, 4 * chunk, OTF2_SUBSTRATE_POSIX,
                                 OTF2_COMPRESSION_NONE);
    if (archive_ == nullptr) throw std::runtime_error("the archive cannot be created there");
    static const OTF2_FlushCallbacks flush = {.otf2_pre_flush = [](void*, OTF2_FileType, OTF2_LocationRef, void*,
                                                                   bool) -> OTF2_FlushType { return OTF2_FLUSH; },
                                              .otf2_post_flush = nullptr};
    check(OTF2_Archive_SetFlushCallbacks(archive_, &flush, nullptr));
    check(OTF2_Archive_SetSerialCollectiveCallbacks(archive_));
    check(OTF2_Archive_SetCreator(archive_, "Cairn"));
    check(OTF2_Archive_OpenEvtFiles(archive_));
  }
  Archive(const Archive&) = delete;
  Archive& operator=(const Archive&) = delete;

  OTF2_Archive* get() const { return archive_; }
  void close() { check(OTF2_Archive_Close(archive_)); }
  void expect_room() const {
    constexpr std::uint64_t buffers = 8U << 20U;  // one of 4 MiB, chunks of 1 MiB
    struct statvfs disk {};
    if (statvfs(folder_.c_str(), &disk) == 0 && std::uint64_t{disk.f_bavail} * disk.f_frsize < buffers)
      throw std::runtime_error(std::strerror(ENOSPC));
  }

 private:
  std::string folder_;
  OTF2_Archive* archive_ = nullptr;
};

// ------------------------------------------------------------ events

class Writer : public trace::EventSink {
 public:
  Writer(Definitions& definitions, OTF2_Archive* archive, const trace::Otf2Run& run, std::size_t process)
      : definitions_(definitions),
        archive_(archive),
        run_(run),
        process_(process),
        file_(*run.processes[process].file),
        accesses_(definitions, process, file_) {}

  void enter(std::uint32_t thread, std::int64_t ns, const trace::Record& call) override {
    OTF2_EvtWriter* const to = writer(thread);
    check(OTF2_EvtWriter_Enter(to, nullptr, time(ns), definitions_.region(process_, call)));
    if (is_together(call)) check(OTF2_EvtWriter_MpiCollectiveBegin(to, nullptr, time(ns)));
    regions_[thread].enter_call();
    moved_[thread] = {};
    accesses_.enter({to, time(ns)}, thread, call);
  }
  void leave(std::uint32_t thread, std::int64_t ns, const trace::Record& call) override {
    OTF2_EvtWriter* const to = writer(thread);
    accesses_.leave({to, time(ns)}, thread, call);
    if (is_together(call)) {
      const Collective of = collective_of(file_, call, moved_[thread]);
      check(OTF2_EvtWriter_MpiCollectiveEnd(
          to, nullptr, time(ns), of.op, definitions_.communicator(process_, call.object), of.root, of.given, of.got));
    }
    check(OTF2_EvtWriter_Leave(to, nullptr, time(ns), definitions_.region(process_, call)));
    regions_[thread].leave_call(ns, telling_regions(to));
  }
  void region(std::uint32_t thread, std::int64_t ns, const trace::Record& detail) override {
    const std::string* const path = file_.region(detail);
    if (path == nullptr) return;  // of another tool
    OTF2_EvtWriter* const to = writer(thread);
    regions_[thread].come_to(*path, ns, telling_regions(to));
  }
  void message(std::uint32_t thread, std::int64_t ns, const Message& message) override;
  void tested(std::uint32_t thread, std::int64_t ns, std::uint64_t request) override {
    check(OTF2_EvtWriter_MpiRequestTest(writer(thread), nullptr, time(ns), request));
  }
  void moved(std::uint32_t thread, const trace::Record& /*call*/, trace::Moved bytes) override {
    moved_[thread] = bytes;
    accesses_.moved(thread, bytes);
  }
  void made(std::uint32_t thread, const trace::Record& /*call*/, const trace::Record& detail) override {
    accesses_.made(thread, detail);
  }
  void partner(std::uint32_t thread, const trace::Record& /*call*/, const trace::Record& detail) override {
    if (detail.function == page::partner) accesses_.partner(thread, detail.peer);
  }
  void access(std::uint32_t thread, std::int64_t ns, const trace::Access& access) override {
    accesses_.access({writer(thread), time(ns)}, thread, access);
  }

  void write_values() {
    const trace::Otf2Run::OfProcess& process = run_.processes[process_];
    const OTF2_LocationRef location = location_of(file_.process().rank, values_thread);
    if (process.values.empty()) return;
    OTF2_EvtWriter* const to = OTF2_Archive_GetEvtWriter(archive_, location);
    if (to == nullptr) throw std::runtime_error("a file for events cannot be created");
    for (const trace::Otf2Run::Value& one : process.values) {
      const OTF2_Type type = OTF2_TYPE_DOUBLE;
      OTF2_MetricValue value{};
      value.floating_point = one.value;
      check(OTF2_EvtWriter_Metric(to, nullptr, time(one.ns), one.variable, 1, &type, &value));
    }
    definitions_.count_events(location, process.values.size());
    check(OTF2_Archive_CloseEvtWriter(archive_, to));
  }

  /// No more events come.
  void close() {
    for (std::uint32_t thread = 0; thread < writers_.size(); ++thread) {
      if (writers_[thread] == nullptr) continue;
      regions_[thread].close(telling_regions(writers_[thread]));
      std::uint64_t events = 0;
      check(OTF2_EvtWriter_GetNumberOfEvents(writers_[thread], &events));
      definitions_.count_events(location_of(file_.process().rank, thread), events);
      check(OTF2_Archive_CloseEvtWriter(archive_, writers_[thread]));
    }
  }

 private:
  OTF2_EvtWriter* writer(std::uint32_t thread) {
    if (writers_.size() <= thread) {
      writers_.resize(thread + 1);
      moved_.resize(thread + 1);
      regions_.resize(thread + 1);
    }
    if (writers_[thread] == nullptr)
      writers_[thread] = OTF2_Archive_GetEvtWriter(archive_, location_of(file_.process().rank, thread));
    if (writers_[thread] == nullptr) throw std::runtime_error("a file for events cannot be created");
    return writers_[thread];
  }
  trace::OpenRegions::Tell telling_regions(OTF2_EvtWriter* to) {
    return [this, to](bool is_begin, const std::string& path, std::int64_t ns) {
      const OTF2_RegionRef region = definitions_.region(path);
      check(is_begin ? OTF2_EvtWriter_Enter(to, nullptr, time(ns), region)
                     : OTF2_EvtWriter_Leave(to, nullptr, time(ns), region));
    };
  }
  std::uint64_t time(std::int64_t ns) {
    const std::int64_t since = ns + run_.processes[process_].shift_ns - run_.first_ns;
    const auto time = static_cast<std::uint64_t>(std::max<std::int64_t>(since, 0));
    definitions_.note_last(time);
    return time;
  }
  bool is_together(const trace::Record& call) {
    const trace::Function* const function = file_.function(call);
    return function != nullptr && function->kind == page::Kind::collective && call.exit != 0 &&
           definitions_.communicator(process_, call.object) != OTF2_UNDEFINED_COMM;
  }
  Definitions& definitions_;
  OTF2_Archive* archive_;
  const trace::Otf2Run& run_;
  std::size_t process_;
  const trace::File& file_;
  std::vector<OTF2_EvtWriter*> writers_;
  std::vector<trace::OpenRegions> regions_;
  std::vector<std::optional<trace::Moved>> moved_;  // by the call that each thread is about to leave
  Accesses accesses_;
};

void Writer::message(std::uint32_t thread, std::int64_t ns, const Message& message) {
  const OTF2_CommRef comm = definitions_.communicator(process_, message.object);
  if (comm == OTF2_UNDEFINED_COMM) return;
  OTF2_EvtWriter* const to = writer(thread);
  const auto peer = static_cast<std::uint32_t>(message.peer);
  const auto tag = static_cast<std::uint32_t>(message.tag);
  switch (message.what) {
    case Transfer::send:
      return check(OTF2_EvtWriter_MpiSend(to, nullptr, time(ns), peer, comm, tag, message.bytes));
    case Transfer::receive:
      return check(OTF2_EvtWriter_MpiRecv(to, nullptr, time(ns), peer, comm, tag, message.bytes));
    case Transfer::begin_send:
      return check(OTF2_EvtWriter_MpiIsend(to, nullptr, time(ns), peer, comm, tag, message.bytes, message.request));
    case Transfer::end_send:
      if (message.is_cancelled)
        return check(OTF2_EvtWriter_MpiRequestCancelled(to, nullptr, time(ns), message.request));
      return check(OTF2_EvtWriter_MpiIsendComplete(to, nullptr, time(ns), message.request));
    case Transfer::begin_receive:
      return check(OTF2_EvtWriter_MpiIrecvRequest(to, nullptr, time(ns), message.request));
    case Transfer::end_receive:
      return check(OTF2_EvtWriter_MpiIrecv(to, nullptr, time(ns), peer, comm, tag, message.bytes, message.request));
    case Transfer::no_receive:
      if (message.is_cancelled) check(OTF2_EvtWriter_MpiRequestCancelled(to, nullptr, time(ns), message.request));
      return;
    case Transfer::found:
    case Transfer::ready:
    case Transfer::hidden_receive:
      return;
    case Transfer::begin_together:
      return check(OTF2_EvtWriter_NonBlockingCollectiveRequest(to, nullptr, time(ns), message.request));
    case Transfer::end_together: {
      const Collective of = collective_of(file_, *message.call, message.moved);
      return check(OTF2_EvtWriter_NonBlockingCollectiveComplete(to, nullptr, time(ns), of.op, comm, of.root, of.given,
                                                                of.got, message.request));
    }
  }
}

/// Ranks without a trace have a place without events, so that others can name them.
void add_missing(Definitions& definitions, OTF2_Archive* archive, std::vector<bool>& is_there) {
  is_there.resize(static_cast<std::size_t>(definitions.ranks()));
  for (int rank = 0; rank < definitions.ranks(); ++rank) {
    definitions.count_events(location_of(rank, 0), 0);
    if (is_there[static_cast<std::size_t>(rank)]) continue;
    OTF2_EvtWriter* const none = OTF2_Archive_GetEvtWriter(archive, location_of(rank, 0));
    if (none != nullptr) check(OTF2_Archive_CloseEvtWriter(archive, none));
  }
}

/// Readers expect a file of each location, also where it defines nothing.
void write_local_definitions(const Definitions& definitions, OTF2_Archive* archive) {
  check(OTF2_Archive_OpenDefFiles(archive));
  for (const auto& [location, events] : definitions.locations()) {
    OTF2_DefWriter* const writer = OTF2_Archive_GetDefWriter(archive, location);
    if (writer == nullptr) throw std::runtime_error("a file for definitions cannot be created");
    check(OTF2_Archive_CloseDefWriter(archive, writer));
  }
  check(OTF2_Archive_CloseDefFiles(archive));
}

void write_run(const trace::Otf2Run& run) {
  OTF2_Error_RegisterCallback(keep_quiet, nullptr);
  Definitions definitions(run);
  Archive archive(run.folder);
  if (!run.clocks.empty()) check(OTF2_Archive_SetProperty(archive.get(), "CAIRN::CLOCKS", run.clocks.c_str(), true));
  std::vector<bool> is_there(static_cast<std::size_t>(definitions.ranks()));
  for (std::size_t i = 0; i < run.processes.size(); ++i) {
    Writer writer(definitions, archive.get(), run, i);
    trace::Player(*run.processes[i].file, writer).play();
    writer.write_values();
    archive.expect_room();
    writer.close();
    const int rank = run.processes[i].file->process().rank;
    if (rank >= 0 && rank < definitions.ranks()) is_there[static_cast<std::size_t>(rank)] = true;
  }
  archive.expect_room();
  add_missing(definitions, archive.get(), is_there);
  check(OTF2_Archive_CloseEvtFiles(archive.get()));
  write_local_definitions(definitions, archive.get());
  OTF2_GlobalDefWriter* const writer = OTF2_Archive_GetGlobalDefWriter(archive.get());
  if (writer == nullptr) throw std::runtime_error("the file for definitions cannot be created");
  definitions.write(writer);
  check(OTF2_Archive_CloseGlobalDefWriter(archive.get(), writer));
  archive.close();
}

std::string write(const trace::Otf2Run& run) try {
  write_run(run);
  return "";
} catch (const std::exception& error) {
  return error.what();
}

}  // namespace

}  // namespace cairn::otf2

extern "C" __attribute__((visibility("default"))) const cairn::trace::Otf2Library cairn_otf2 = {cairn::otf2::write};
