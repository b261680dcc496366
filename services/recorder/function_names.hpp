// SPDX-License-Identifier: BSD-3-Clause
// function_names.hpp - kind and name of each function, by number, as readers of a page get them
#pragma once

#include <array>
#include <string_view>
#include <utility>

#include "kinds.hpp"
#include "page_file.hpp"

namespace recorder {

constexpr std::size_t function_text_size() {
  std::size_t size = 0;
  for (const cairn::FunctionFacts& facts : cairn::function_facts) size += std::string_view(facts.name).size() + 2;
  return size;
}
static_assert(function_text_size() <= PageFile::functions_room && cairn::function_count <= page::most_functions);

template <std::size_t... I>
constexpr auto kinds_of(std::index_sequence<I...>) {
  return std::array<Kind, sizeof...(I)>{kind_of<static_cast<Function>(I)>()...};
}

inline void write_functions(char* text, page::Table& table) {
  constexpr auto kinds = kinds_of(std::make_index_sequence<cairn::function_count>());
  char* at = text;
  for (std::size_t i = 0; i < cairn::function_count; ++i) {
    const std::string_view name = cairn::function_facts[i].name;
    *at++ = static_cast<char>(kinds[i]);
    at += name.copy(at, name.size());
    *at++ = '\0';
  }
  table.count = static_cast<std::uint64_t>(at - text);
}

}  // namespace recorder
