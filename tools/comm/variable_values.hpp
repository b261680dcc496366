// SPDX-License-Identifier: BSD-3-Clause
// variable_values.hpp - what variables read of the record
#pragma once

#include <mpi.h>

#include <cstring>
#include <string>

#include "cairn/kit/variables.hpp"
#include "monitor.hpp"

namespace comm {

using Values = cairn::Elements<unsigned long>;
enum class Measure { messages, bytes };

/// Whether MPI can be asked about objects.
bool is_running(const Monitor& monitor);

inline constexpr int longest_text = 1024;
inline unsigned long in(Measure measure, const Volume& volume) {
  return measure == Measure::messages ? volume.messages : volume.bytes;
}

/// As a variable of type char is written.
std::string text_of(const void* value);

/// A sort of collective calls.
struct CallVariable {
  const char* name;
  const char* short_name;  // in the names of Open MPI's monitoring
  Kind kind;
};
inline constexpr CallVariable call_variables[] = {{"one_to_all", "o2a", Kind::one_to_all},
                                                  {"all_to_one", "a2o", Kind::all_to_one},
                                                  {"all_to_all", "a2a", Kind::all_to_all}};

/// Two variables of the collective calls of one sort in a communicator.
void offer_calls(const cairn::Variables& variables, Monitor& monitor, const CallVariable& which,
                 const std::string& count, const std::string& size, cairn::VariableDetails details);

}  // namespace comm
