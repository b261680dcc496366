// SPDX-License-Identifier: BSD-3-Clause
// symbols.hpp - the service "cairn.symbols": function, file and line of an address in a file
//
// Offered by Cairn itself to every tool. Reads debug information with elfutils' libdw, which is loaded at the first
// query: ask at the end of a run and on one rank. Finds separate debug files by build id and debug link where the
// system keeps them. Takes a lock.
#pragma once

#include <cstdint>

namespace cairn {

struct SourcePlace {
  const char* function;  // the innermost function, even if inlined; "" if unknown
  const char* file;      // as in the debug information, absolute if that has the folder; "" if unknown
  int line;              // 0 if unknown
};

/// Where a thread has called a function that it is still in.
struct ThreadPlace {
  int pid;           // of its process, on this node
  std::uint64_t pc;  // return address of the call
  std::uint64_t sp;  // stack pointer before the call
  std::uint64_t fp;  // frame pointer there: rbp, x29
};

struct Symbols {
  static constexpr const char* service = "cairn.symbols";
  static constexpr std::uint32_t version = 3;

  /// `object`: path of a program or shared library. `address`: as in its symbol table (load address subtracted).
  /// The strings in `place` stay valid. 0: something was found; 1: nothing; 2: libdw is not available.
  int (*find)(const char* object, std::uint64_t address, SourcePlace* place);

  /// The same with inlined functions: first the result of `find`, then each function that the one before is inlined
  /// into, with the place of that call. Returns their number, at most `most`; 0: nothing was found.
  int (*find_inlined)(const char* object, std::uint64_t address, SourcePlace* places, int most);

  /// Return addresses in a process of the same user, `pc` first, the outermost last; the thread goes on meanwhile. Returns
  /// their number, at most `most`; 0: the process cannot be read, or libdw is not available.
  int (*walk_up)(const ThreadPlace* from, std::uint64_t* addresses, int most);
};

}  // namespace cairn
