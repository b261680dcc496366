// SPDX-License-Identifier: BSD-3-Clause
// variable_values.cc - what variables read of the record

#include "variable_values.hpp"

#include <algorithm>
#include <map>

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

void read_row(Monitor& monitor, const Amounts& amounts, FlowKind kind, Measure measure, const std::vector<int>& worlds,
              unsigned long* values) {
  const std::map<int, Volume> row = row_of(monitor.summary(amounts), kind);
  for (const int world : worlds) {
    const auto found = row.find(world < 0 ? outside : world);
    const Volume volume = found == row.end() ? Volume{} : found->second;
    *values++ = measure == Measure::messages ? volume.messages : volume.bytes;
  }
}

unsigned long read_cells(Monitor& monitor, Key key, Measure measure) {
  Volume sum;
  monitor.for_each_cell([&](std::uint32_t /*phase*/, const Cell& cell) {
    if (cell.key == key) sum.add({cell.messages, cell.bytes});
  });
  return measure == Measure::messages ? sum.messages : sum.bytes;
}

void read_sizes(Monitor& monitor, std::size_t count, const std::function<std::size_t(int)>& place,
                unsigned long* values) {
  std::fill_n(values, count * bin_count, 0UL);
  monitor.for_each_cell([&](std::uint32_t /*phase*/, const Cell& cell) {
    if (cell.key.kind != Kind::p2p) return;
    const std::size_t at = place(cell.key.number);
    for (std::size_t bin = 0; at < count && bin < bin_count; ++bin) values[at * bin_count + bin] += cell.sizes[bin];
  });
}

void offer_calls(const cairn::Variables& variables, Monitor& monitor, const CallVariable& which,
                 const std::string& count, const std::string& size, cairn::VariableDetails details) {
  const auto open = [&monitor, kind = which.kind](Measure measure) {
    return [&monitor, kind, measure](MPI_Comm comm) {
      const Known* const known = is_running(monitor) ? monitor.communicators.find(comm) : nullptr;
      if (known == nullptr || known->is_merged) return Values{0, {}};
      return Values{1, [&monitor, key = Key{kind, known->slot}, measure](unsigned long* value) {
                      *value = read_cells(monitor, key, measure);
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
