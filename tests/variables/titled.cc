// SPDX-License-Identifier: BSD-3-Clause
// titled.cc - a tool of the C++ kit with a text of up to eight bytes as a control variable, which refuses "no"

#include <mpi.h>

#include <string>

#include "cairn/kit.hpp"
#include "cairn/kit/variables.hpp"

class Titled {
 public:
  static constexpr std::string_view about = "a text as a control variable";

  explicit Titled(cairn::Self self) {
    cairn::Variables(self).text(
        "title", "a text", 8, [this] { return title_; },
        [this](const std::string& wanted) {
          if (wanted == "no") return false;
          title_ = wanted;
          return true;
        });
  }

  void finish() {}

 private:
  std::string title_ = "longer than eight bytes";
};

CAIRN_TOOL(Titled)
