// SPDX-License-Identifier: BSD-3-Clause
// guards.cc - filling the table of guards.

#include "stack/guards.hpp"

#include <algorithm>
#include <cctype>
#include <string>

extern "C" {
extern cairn::Guard cairn_guard_table[CAIRN_GUARDS];
extern char cairn_guard_entries[];
}

namespace cairn {

namespace {

constexpr std::size_t entry_size = 16;
int guards_used = 0;

std::string lower(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

bool contains(std::initializer_list<std::string_view> list, std::string_view word) {
  return std::ranges::find(list, word) != list.end();
}

}  // namespace

bool is_fortran_binding(std::string_view symbol, std::string_view function) {
  const std::string name = lower(function.substr(function.find('_') + 1));  // "comm_size"
  const std::string whole = lower(symbol);
  const auto place = whole.find("_" + name);
  if (place == std::string::npos) return false;
  const std::string_view before = std::string_view(whole).substr(0, place);
  const std::string_view after = std::string_view(whole).substr(place + 1 + name.size());
  return contains({"mpi", "pmpi", "ompi", "pompi", "mpir", "pmpir"}, before) &&
         contains({"", "_", "__", "_f", "_f08", "_f08_", "_f08ts_"}, after);
}

void* make_guard(const LoadedObject& glue, std::string_view function, void* program, void* itself) {
  for (int i = 0; i < guards_used; ++i)  // the glue is linked again when something was unloaded
    if (cairn_guard_table[i].program == program && cairn_guard_table[i].object.begin == glue.begin())
      return cairn_guard_entries + entry_size * static_cast<std::size_t>(i);
  if (guards_used == CAIRN_GUARDS) return program;
  Guard guard{};
  std::size_t count = 0;
  glue.for_each_function([&](std::string_view name, void* address, std::size_t size) {
    const auto begin = reinterpret_cast<std::uintptr_t>(address);
    const auto known =
        std::ranges::any_of(guard.ranges, [&](const Guard::Range& range) { return range.begin == begin; });
    if (!known && count < CAIRN_GUARD_RANGES && is_fortran_binding(name, function))
      guard.ranges[count++] = {begin, size + 1};  // a call may be the last instruction
  });
  if (count == 0) return program;
  guard.program = program;
  guard.itself = itself;
  guard.object = {glue.begin(), glue.end() - glue.begin()};
  cairn_guard_table[guards_used] = guard;
  return cairn_guard_entries + entry_size * static_cast<std::size_t>(guards_used++);
}

}  // namespace cairn
