// SPDX-License-Identifier: BSD-3-Clause
// ranged.cc - a tool of the C++ kit whose control variables take some values, none now, and none ever

#include <mpi.h>

#include <atomic>

#include "cairn/kit.hpp"
#include "cairn/kit/variables.hpp"

class Ranged {
 public:
  static constexpr std::string_view about = "control variables that refuse";

  explicit Ranged(cairn::Self self) {
    const cairn::Variables variables(self);
    variables.control("some", "from 1 to 10", some_, {.least = 1, .most = 10});
    variables.control("share", "from 0 to 1", share_, {.least = 0, .most = 1});
    variables.control("on", "off or on", on_);
    variables.control(
        "busy", "7, for now", [] { return 7; }, [](int /*wanted*/) { return CAIRN_NOT_NOW; });
    variables.control("locked", "3, as the user wants it", locked_, {.settable = false});
  }

  void finish() {}

 private:
  std::atomic<int> some_{1};
  std::atomic<double> share_{0.5};
  std::atomic<bool> on_{true};
  std::atomic<int> locked_{3};
};

CAIRN_TOOL(Ranged)
