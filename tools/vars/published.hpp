// SPDX-License-Identifier: BSD-3-Clause
// published.hpp - what was sampled last, and rows, for readers outside (cairn/board.hpp): they outlive the process
#pragma once

#include <algorithm>
#include <cmath>
#include <cstring>
#include <initializer_list>
#include <limits>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "formats/vars_board.hpp"
#include "rows.hpp"
#include "shared/board.hpp"
#include "variable.hpp"

namespace vars {

class Published {
 public:
  /// After MPI_Init. Whether anybody can read.
  bool start(unsigned instance) {
    board_.create(cairn::board::variables, instance);
    return board_.is_there();
  }
  /// When results are elsewhere.
  void finish() { board_.remove(); }

  /// Cells of a row. `variables`: at least as many; `region`: its path.
  Cell* cells(const Row& row, const std::string& region, const std::vector<Variable>& variables, std::size_t count) {
    for (; told_ < count; ++told_) tell(told_, variables[told_]);
    const std::string_view path = std::string_view(region).substr(0, most_text);
    Cell* made = nullptr;
    board_.add(static_cast<std::uint32_t>(What::row), static_cast<std::uint64_t>(row.function),
               sizeof(RowHead) + count * sizeof(Cell) + path.size() + 1, [&](void* room) {
                 auto* const head = new (room) RowHead{reinterpret_cast<std::uintptr_t>(row.place),
                                                       static_cast<std::uint32_t>(count), sizeof(Cell)};
                 made = reinterpret_cast<Cell*>(head + 1);
                 std::uninitialized_default_construct_n(made, count);
                 *std::ranges::copy(path, reinterpret_cast<char*>(made + count)).out = '\0';
               });
    return made;
  }

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
  using What = cairn::formats::vars::Published;
  using RowHead = cairn::formats::vars::RowHead;
  using VariableAbout = cairn::formats::vars::VariableAbout;
  using Sampled = cairn::formats::vars::VariableFigures;

  /// One after the other, each with a 0.
  static std::string joined(std::initializer_list<std::string_view> texts) {
    std::string all;
    for (const std::string_view text : texts) all.append(text.substr(0, most_text)) += '\0';
    return all;
  }

  void tell(std::size_t number, const Variable& variable) {
    const std::string texts = joined({variable.about.name, word_of(all_classes, variable.about.of_class)});
    board_.add(static_cast<std::uint32_t>(What::about), number, sizeof(VariableAbout) + texts.size(), [&](void* room) {
      auto* const made =
          new (room) VariableAbout{variable.of_tool ? 1U : 0U, is_sum_of_changes(variable.way) ? 1U : 0U};
      std::memcpy(static_cast<void*>(made + 1), texts.data(), texts.size());
    });
  }

  Sampled* add(const Variable& variable) {
    const std::string texts =
        joined({variable.about.name, word_of(all_classes, variable.about.of_class), variable.about.text});
    constexpr auto what = static_cast<std::uint32_t>(What::variable);
    return static_cast<Sampled*>(board_.add(what, 0, sizeof(Sampled) + texts.size(), [&](void* room) {
      auto* const made = new (room) Sampled;
      made->value.store(std::numeric_limits<double>::quiet_NaN(), std::memory_order_relaxed);
      made->of_tool = variable.of_tool ? 1 : 0;
      made->grows = variable.way == Way::sum ? 1 : 0;
      std::memcpy(static_cast<void*>(made + 1), texts.data(), texts.size());
    }));
  }

  static constexpr std::size_t most_text = 1000;
  shared::Board board_;
  std::vector<Sampled*> places_;  // by variable; null: not there
  std::size_t told_ = 0;          // variables
};

}  // namespace vars
