// SPDX-License-Identifier: BSD-3-Clause
// accesses.hpp - one-sided calls and calls that read and write files, of one process, as events of OTF2
#pragma once

#include <otf2/otf2.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "otf2/definitions.hpp"
#include "trace/events.hpp"

namespace cairn::otf2 {

/// Where and when an event is.
struct EventPlace {
  OTF2_EvtWriter* to;
  std::uint64_t time;
};

class Accesses {
 public:
  Accesses(Definitions& definitions, std::size_t process, const trace::File& file)
      : definitions_(definitions), process_(process), file_(file) {}

  void enter(EventPlace at, std::uint32_t thread, const trace::Record& call);
  void leave(EventPlace at, std::uint32_t thread, const trace::Record& call);
  void access(EventPlace at, std::uint32_t thread, const trace::Access& access);

  // Of the call that the thread is about to leave.
  void made(std::uint32_t thread, const trace::Record& detail) { of(thread).made = detail; }
  void partner(std::uint32_t thread, std::int32_t rank) { of(thread).partners.push_back(rank); }
  void moved(std::uint32_t thread, trace::Moved bytes) { of(thread).moved = bytes; }

 private:
  struct Thread {
    std::optional<trace::Record> made;
    std::vector<std::int32_t> partners;
    trace::Moved moved;
    std::optional<std::uint64_t> bytes;  // of a file
    std::uint64_t operation = 0;         // the last that the thread has begun
  };
  struct Operation {
    std::uint64_t number;
    std::int32_t target;
    bool is_over = false;  // as far as this process is concerned
  };
  struct Window {
    std::vector<Operation> open;  // whose end at the target is not known
    OTF2_GroupRef exposed = OTF2_UNDEFINED_GROUP;
    OTF2_GroupRef accessed = OTF2_UNDEFINED_GROUP;
  };

  Thread& of(std::uint32_t thread) {
    if (threads_.size() <= thread) threads_.resize(thread + 1);
    return threads_[thread];
  }
  const trace::Object* object_of(const trace::Record& call, page::Object::What what) const;
  std::string name_of(const trace::Record& call) const;

  void enter_window(EventPlace at, OTF2_RmaWinRef window, Thread& its, const trace::Record& call);
  void leave_window(EventPlace at, OTF2_RmaWinRef window, Thread& its, const trace::Record& call);
  void synchronize_group(EventPlace at, OTF2_RmaWinRef window, const Thread& its, const std::string& name);
  void complete(EventPlace at, OTF2_RmaWinRef window, std::int32_t target);
  void complete_locally(EventPlace at, OTF2_RmaWinRef window, std::int32_t target);
  void enter_file(EventPlace at, OTF2_IoHandleRef file, Thread& its, const trace::Record& call);
  void leave_file(EventPlace at, OTF2_IoHandleRef file, Thread& its, const trace::Record& call);

  Definitions& definitions_;
  std::size_t process_;
  const trace::File& file_;
  std::vector<Thread> threads_;
  std::map<OTF2_RmaWinRef, Window> windows_;
  std::map<std::uint64_t, std::uint64_t> of_requests_;  // operations
  std::map<OTF2_IoHandleRef, std::uint64_t> split_;     // operations begun by MPI_File_…_begin
  std::uint64_t operations_ = 0;
};

/// Throws std::runtime_error.
void check(OTF2_ErrorCode code);

}  // namespace cairn::otf2
