// SPDX-License-Identifier: BSD-3-Clause
// variable_values.cc - what variables read of the record

#include "variable_values.hpp"

#include "cairn/kit/own_work.hpp"

namespace comm {

bool is_running(const Monitor& monitor) {
  const cairn::OwnWork own;
  int finalized = 0;
  PMPI_Finalized(&finalized);
  return monitor.place().rank >= 0 && finalized == 0;
}

std::string text_of(const void* value) {
  const auto* const text = static_cast<const char*>(value);
  return {text, strnlen(text, longest_text)};
}

void offer_calls(const cairn::Variables& variables, Monitor& monitor, const CallVariable& which,
                 const std::string& count, const std::string& size, cairn::VariableDetails details) {
  const auto open = [&monitor, kind = which.kind](Measure measure) {
    return [&monitor, kind, measure](MPI_Comm comm) {
      const Known* const known = is_running(monitor) ? monitor.communicators.find(comm) : nullptr;
      if (known == nullptr || known->is_merged) return Values{0, {}};
      return Values{1, [&monitor, key = Key{kind, known->slot}, measure](unsigned long* value) {
                      *value = in(measure, monitor.sums.of(key));
                    }};
    };
  };
  const std::string what = std::string(which.name) + " collective calls in the communicator";
  variables.bound<MPI_Comm>(CAIRN_BIND_COMM, CAIRN_COUNTER, count.c_str(), what.c_str(), open(Measure::messages),
                            details);
  variables.bound<MPI_Comm>(CAIRN_BIND_COMM, CAIRN_AGGREGATE, size.c_str(), ("bytes of " + what).c_str(),
                            open(Measure::bytes), details);
}

}  // namespace comm
