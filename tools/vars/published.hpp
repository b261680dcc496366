// SPDX-License-Identifier: BSD-3-Clause
// published.hpp - what was sampled last, for readers outside (cairn/board.hpp)
#pragma once

#include <cmath>
#include <cstring>
#include <limits>
#include <new>
#include <string>
#include <vector>

#include "formats/vars_board.hpp"
#include "shared/board.hpp"
#include "variable.hpp"

namespace vars {

class Published {
 public:
  /// After MPI_Init.
  void start() { board_.create(cairn::board::variables); }
  void finish() { board_.remove(); }

  /// One thread at a time.
  void take(const std::vector<Variable>& variables) {
    places_.resize(variables.size());
    for (std::size_t i = 0; i < variables.size(); ++i) {
      if (variables[i].present_handles == 0) continue;
      if (places_[i] == nullptr) places_[i] = add(variables[i]);
      if (places_[i] != nullptr) places_[i]->value.store(variables[i].present, std::memory_order_relaxed);
    }
  }

 private:
  using Figures = cairn::formats::vars::VariableFigures;

  Figures* add(const Variable& variable) {
    std::string texts;
    for (const std::string_view text :
         {std::string_view(variable.about.name), word_of(all_classes, variable.about.of_class),
          std::string_view(variable.about.text)}) {
      texts.append(text.substr(0, most_text));
      texts += '\0';
    }
    constexpr auto what = static_cast<std::uint32_t>(cairn::formats::vars::Published::variable);
    return static_cast<Figures*>(board_.add(what, 0, sizeof(Figures) + texts.size(), [&](void* room) {
      auto* const made = new (room) Figures;
      made->value.store(std::numeric_limits<double>::quiet_NaN(), std::memory_order_relaxed);
      made->of_tool = variable.of_tool ? 1 : 0;
      made->grows = variable.way == Way::sum ? 1 : 0;
      std::memcpy(static_cast<void*>(made + 1), texts.data(), texts.size());
    }));
  }

  static constexpr std::size_t most_text = 1000;
  shared::Board board_;
  std::vector<Figures*> places_;  // by variable; null: not there
};

}  // namespace vars
