// SPDX-License-Identifier: BSD-3-Clause
// symbols.hpp - the service "cairn.symbols": function, file and line of an address in a file
//
// Of Cairn itself. Reads debug information with elfutils' libdw, which is loaded into the process at the first
// question: ask at the end of a run and on one rank. Finds separate debug files by build id and debug link where the
// system keeps them. Takes a lock.
#pragma once

#include <cstdint>

namespace cairn {

struct SourcePlace {
  const char* function;  // the innermost function at the place, also one that was inlined; "" if unknown
  const char* file;      // as the compiler was told, absolute where it says so; "" if unknown
  int line;              // 0 if unknown
};

struct Symbols {
  static constexpr const char* service = "cairn.symbols";
  static constexpr std::uint32_t version = 2;

  /// `object`: path of a program or shared library. `address`: as in its symbol table (where it was loaded taken off).
  /// The texts of `place` stay valid. 0: something is known; 1: nothing is; 2: libdw is not to be had.
  int (*find)(const char* object, std::uint64_t address, SourcePlace* place);

  /// The same with the functions that the compiler has put into one another there: first what `find` gives, then each
  /// function that the one before is inlined in, with the place of that call. How many there are, at most `most`; 0:
  /// nothing is known.
  int (*find_inlined)(const char* object, std::uint64_t address, SourcePlace* places, int most);
};

}  // namespace cairn
