// SPDX-License-Identifier: BSD-3-Clause
// record.hpp - what one process of the conformance program writes down: a log of results and how often it called what
//
// The log holds only what must be the same in every run: no addresses, handles or times. Both files lie in the folder
// that the test gives, `log.PART.RANK` and `calls.PART.RANK`; the latter has lines "rank pid function count".

#pragma once

#include <mpi.h>
#if __has_include(<mpi-ext.h>)
#include <mpi-ext.h>
#endif

#include <cstddef>
#include <string>
#include <string_view>

#include "cairn/roles.hpp"

namespace conformance {

/// Opens the files; before the first call.
void open_record(const std::string& folder, const std::string& part);

/// Writes the counts; at the very end, or before a call that does not return.
void write_counts();

const std::string& folder();

/// The rank that the launcher gave this process, known before MPI_Init.
int launch_rank();

void note(const std::string& line);

/// Takes back the line noted last: of a question that is asked until the answer is yes, only the last time is logged.
void retract();

/// A line with a label, and a checksum or the elements of an array.
void note_sum(const std::string& label, const int* values, std::size_t count);
void note_numbers(const std::string& label, const int* values, std::size_t count);

/// Counts a call. A function without a table entry is called by hand after this.
void count_call(std::string_view name);

/// Where a call may have written something.
struct Output {
  enum class Kind { nothing, status, text, small_number, large_number };
  Kind kind = Kind::nothing;
  const void* where = nullptr;
};

struct FinishedCall {
  const char* name;
  cairn::Category category;
  const char* parameters;  // "(buf, count, …)"
  const cairn::Role* roles;
  const Output* outputs;
  std::size_t count;
};

/// Logs the class of an error code (or, for MPI_T, the code) and what the call wrote. Without: there is no error code.
void note_call(const FinishedCall& call, int code);
void note_call(const FinishedCall& call);

}  // namespace conformance
