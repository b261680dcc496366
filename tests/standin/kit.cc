// SPDX-License-Identifier: BSD-3-Clause
// kit.cc - a tool of the C++ kit that counts every call, compiled with the header of the standard ABI.

#include <mpi.h>

#include <array>
#include <cstdio>
#include <string>

#include "cairn/kit.hpp"

class Kit {
 public:
  static constexpr std::string_view about = "counts every call";
  explicit Kit(cairn::Self /*self*/) {}

  template <cairn::Function F>
  auto on(cairn::Call<F>& call) {
    ++calls_[static_cast<std::size_t>(F)];
    return call.proceed();
  }

  void finish() {
    std::string line = "kit 0";
    for (std::size_t i = 0; i < calls_.size(); ++i)
      if (calls_[i] != 0) line += " " + std::string(cairn::function_facts[i].name) + "=" + std::to_string(calls_[i]);
    std::fprintf(stderr, "%s\n", line.c_str());
  }

 private:
  std::array<unsigned long, cairn::function_count> calls_{};
};

CAIRN_TOOL(Kit)
