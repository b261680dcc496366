// SPDX-License-Identifier: BSD-3-Clause
// threads.hpp - threads of a process that have never called MPI: one that works may be what the others wait for
#pragma once

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "where/page_reader.hpp"

namespace cairn::where {

struct OtherThread {
  int id = 0;
  bool runs = false;       // or is in the operating system, for a file
  std::uint64_t used = 0;  // processor time, in the kernel's clock
};

/// Without those of Cairn's and the calling one; none of processes that cannot be seen from here.
std::vector<OtherThread> other_threads(const Process& process);

/// At this moment.
bool runs_beside(const Process& process);

/// Which of these threads use processor time, from look to look, and for how long those that call MPI get none.
class ProcessorTimes {
 public:
  void look(const Process& process, double now_s);
  /// Whether one has used some in so many seconds; nothing: it has not been looked at for so long yet.
  std::optional<bool> has_worked(const Process& process, double now_s, double within_s) const;
  /// For how long a thread that has called MPI was ready to run and got no processor, since the first look.
  double delayed_s(const Process& process) const;
  void forget() { known_.clear(); }

 private:
  struct Known {
    std::uint64_t used;
    double since_s;
  };
  struct OfProcess {
    double since_s = 0;
    std::map<int, Known> threads;
    std::map<int, double> delays;  // until the first look, of threads that had called MPI
  };
  std::map<int, OfProcess> known_;  // by number
};

}  // namespace cairn::where
