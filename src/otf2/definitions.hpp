// SPDX-License-Identifier: BSD-3-Clause
// definitions.hpp - what the events of all processes refer to: texts, functions with the places that call them,
// communicators
#pragma once

#include <otf2/otf2.h>

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "trace/otf2_library.hpp"

namespace cairn::otf2 {

/// In the place of a thread's number, in the location of a rank's variables.
inline constexpr std::uint32_t values_thread = 1U << 20U;

class Definitions {
 public:
  explicit Definitions(const trace::Otf2Run& run);

  /// Of a call: an MPI function, as it is called at one place.
  OTF2_RegionRef region(std::size_t process, const trace::Record& call);
  /// A region of the program: "solve/halo".
  OTF2_RegionRef region(const std::string& path);
  /// OTF2_UNDEFINED_COMM where its processes are unknown, or not of this job.
  OTF2_CommRef communicator(std::size_t process, std::uint32_t object);
  /// OTF2_UNDEFINED_RMA_WIN likewise.
  OTF2_RmaWinRef window(std::size_t process, std::uint32_t object);
  OTF2_IoHandleRef handle(std::size_t process, std::uint32_t object);
  /// Of ranks in the world; OTF2_UNDEFINED_GROUP where they are none of this job's.
  OTF2_GroupRef group(const std::vector<std::int32_t>& ranks);

  int ranks() const { return ranks_; }
  void count_events(OTF2_LocationRef location, std::uint64_t events) { events_[location] += events; }
  /// With the number of its events, of each thread.
  const std::map<OTF2_LocationRef, std::uint64_t>& locations() const { return events_; }
  void note_last(std::uint64_t time) { last_ = std::max(last_, time); }
  /// When all events are written.
  void write(OTF2_GlobalDefWriter* writer);

 private:
  struct Region {
    std::string name;
    trace::SourceLine place;
    OTF2_RegionRole role;
    std::string path{};  // of the program's own
  };
  /// Of one between groups: both, as far as they are known.
  struct Communicator {
    std::string name;
    OTF2_GroupRef group;
    bool is_between = false;
    OTF2_GroupRef other = OTF2_UNDEFINED_GROUP;
  };
  struct Window {
    std::string name;
    OTF2_CommRef communicator;
  };
  struct Handle {
    std::string name;
    OTF2_CommRef communicator;
  };

  OTF2_StringRef text(const std::string& text);
  OTF2_GroupRef group_of(const trace::Object& object);
  OTF2_CommRef define(const trace::Object& object);
  void add_to(Communicator& communicator, const trace::Object& object);
  void write_system(OTF2_GlobalDefWriter* writer);
  void write_regions(OTF2_GlobalDefWriter* writer);
  void write_communicators(OTF2_GlobalDefWriter* writer);
  void write_handles(OTF2_GlobalDefWriter* writer);
  void write_variables(OTF2_GlobalDefWriter* writer);
  /// The same number for the same object of all processes; its last name.
  template <class Made>
  std::uint32_t number_of(std::size_t process, std::uint32_t object, std::vector<Made>& all);

  const trace::Otf2Run& run_;
  int ranks_ = 0;
  std::uint64_t last_ = 0;
  std::map<OTF2_LocationRef, std::uint64_t> events_;
  std::map<std::string, OTF2_StringRef> texts_;
  OTF2_GlobalDefWriter* writer_ = nullptr;
  std::map<std::pair<std::size_t, std::pair<std::uint16_t, std::uint64_t>>, OTF2_RegionRef> sites_;
  std::map<std::tuple<std::string, std::string, int>, OTF2_RegionRef> regions_by_place_;
  std::vector<Region> regions_;
  std::map<std::pair<std::size_t, std::uint32_t>, OTF2_CommRef> objects_;
  std::map<std::uint64_t, OTF2_CommRef> shared_;  // by identity
  std::vector<Communicator> communicators_;
  std::map<std::vector<std::uint64_t>, OTF2_GroupRef> groups_;
  std::map<std::pair<std::size_t, std::uint32_t>, std::uint32_t> numbers_;  // of windows and files
  std::map<std::uint64_t, std::uint32_t> shared_numbers_;                   // by identity
  std::vector<Window> windows_;
  std::vector<Handle> handles_;
};

}  // namespace cairn::otf2
