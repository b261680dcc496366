// SPDX-License-Identifier: BSD-3-Clause
// board.hpp - what a tool publishes about a process, as it lies in memory that other processes can read
//
// A board is a file beside the process's page (page.hpp), with the page's name and another ending: the tool's own
// figures, which it counts there instead of in memory of its own, so that publishing them costs it nothing.
//
// Layout: Header, then entries one after the other up to `end`. An entry begins with its size and what it is; what
// follows is the tool's own. Entries are never moved or removed; numbers in them change while they are read, each by
// one store. A board of another `version` has another layout. Every size must be checked: the file may be truncated.
// Nobody but the process writes there, except to mailboxes (src/formats/mailbox.hpp).
#pragma once

#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>

namespace cairn::board {

inline constexpr char magic[8] = {'C', 'A', 'I', 'R', 'N', 'B', 'D', '\n'};
inline constexpr std::uint32_t version = 1;

struct Header {
  char magic[8];
  std::uint32_t version;
  std::uint32_t header_size;        // where the first entry is
  std::atomic<std::uint64_t> end;   // of the entries that are whole
  std::atomic<std::uint64_t> lost;  // entries for which there was no room
  std::uint64_t reserved[4];
};
static_assert(sizeof(Header) == 64);

struct Entry {
  std::uint32_t size;  // with this, a multiple of `step`
  std::uint32_t what;  // the tool's number; 0: nothing
  std::uint64_t number;
};
static_assert(sizeof(Entry) == 16);
inline constexpr std::uint64_t step = 16;

/// Endings of boards' names.
inline constexpr std::string_view traffic = ".traffic";      // of `comm`: src/formats/comm_cells.hpp
inline constexpr std::string_view sites = ".sites";          // of `profile`: src/formats/profile_board.hpp
inline constexpr std::string_view variables = ".variables";  // of `vars`: src/formats/vars_board.hpp
inline constexpr std::string_view controls = ".controls";    // of `steer`: src/formats/steer_board.hpp
inline constexpr std::string_view policy = ".policy";        // of `policy`: src/formats/policy_board.hpp
inline constexpr std::string_view all[] = {traffic, sites, variables, controls, policy};

inline std::string beside(std::string_view page, std::string_view ending) {
  return std::string(page.substr(0, page.rfind('.'))).append(ending);
}

/// A page with all boards beside it. The page last: who is killed in between leaves something that the next run finds.
inline void remove_with_page(const std::string& page) {
  for (const std::string_view ending : all) unlink(beside(page, ending).c_str());
  unlink(page.c_str());
}

}  // namespace cairn::board
