// SPDX-License-Identifier: BSD-3-Clause
// variable_values.hpp - what variables read of the record
#pragma once

#include <mpi.h>

#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "cairn/kit/variables.hpp"
#include "monitor.hpp"

namespace comm {

using Values = cairn::Elements<unsigned long>;
enum class Measure { messages, bytes };

/// Whether MPI can be asked about objects.
bool is_running(const Monitor& monitor);

inline constexpr int longest_text = 1024;
/// As a variable of type char is written.
std::string text_of(const void* value);

/// What amounts of this process say that it has sent to each of some processes, or fetched from it.
void read_row(Monitor& monitor, const Amounts& amounts, FlowKind kind, Measure measure, const std::vector<int>& worlds,
              unsigned long* values);

/// The sum of the cells with one key.
unsigned long read_cells(Monitor& monitor, Key key, Measure measure);

/// Sizes of messages by bin; `place` tells for a world rank which of `count` groups of bins is its.
void read_sizes(Monitor& monitor, std::size_t count, const std::function<std::size_t(int)>& place,
                unsigned long* values);

/// A sort of collective calls.
struct CallVariable {
  const char* name;
  const char* seed_name;
  Kind kind;
};
inline constexpr CallVariable call_variables[] = {{"one_to_all", "o2a", Kind::one_to_all},
                                                  {"all_to_one", "a2o", Kind::all_to_one},
                                                  {"all_to_all", "a2a", Kind::all_to_all}};

/// Two variables of the collective calls of one sort in a communicator.
void offer_calls(const cairn::Variables& variables, Monitor& monitor, const CallVariable& which,
                 const std::string& count, const std::string& size, cairn::VariableDetails details);

}  // namespace comm
