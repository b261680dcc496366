// SPDX-License-Identifier: BSD-3-Clause
// aborts.cc - libraries' calls of the launcher's function, and the MPI library's own calls of write(2)

#include "will/aborts.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string_view>

#include "loader/loaded_object.hpp"
#include "loader/loaded_snapshot.hpp"

namespace cairn {

namespace {

void (*tell)() = nullptr;

// ------------------------------------------------------------ by a function

/// PMIx's has four arguments, PMI's have the first two.
using Abort = int (*)(int status, const char* text, void* processes, size_t count);
constexpr std::array<std::string_view, 3> names = {"PMIx_Abort", "PMI2_Abort", "PMI_Abort"};
std::array<Abort, names.size()> called = {};  // by libraries, under these names

template <std::size_t which>
int abort_of_library(int status, const char* text, void* processes, size_t count) {
  tell();
  return called[which](status, text, processes, count);
}
constexpr std::array<Abort, names.size()> ours = {abort_of_library<0>, abort_of_library<1>, abort_of_library<2>};

void watch_functions() {
  LoadedSnapshot::of_nothing().for_each_newer([](const LoadedObject& object) {
    if (object.path().empty()) return;  // the program
    LoadedObject(object).redirect_bound_imports([](std::string_view name, void* now, bool /*is_call*/) -> void* {
      const auto which = static_cast<std::size_t>(std::ranges::find(names, name) - names.begin());
      if (which == names.size() || now == nullptr) return nullptr;
      if (called[which] == nullptr) called[which] = reinterpret_cast<Abort>(now);
      return reinterpret_cast<void*>(ours[which]);
    });
  });
}

// ------------------------------------------------------------ by what is written

int launcher = -1;  // descriptor

/// Behind at most the length of the message.
bool is_abort(const void* bytes, size_t size) {
  constexpr std::string_view words = "cmd=abort";
  constexpr std::size_t most_before = 8;
  const std::string_view text(static_cast<const char*>(bytes), size);
  return text.substr(0, most_before + words.size()).find(words) != std::string_view::npos;
}

ssize_t write_of_library(int file, const void* bytes, size_t size) {
  if (file == launcher && is_abort(bytes, size)) tell();
  return write(file, bytes, size);
}

void watch_writes(const void* in_library) {
  const char* const number = std::getenv("PMI_FD");
  const link_map* const library = number == nullptr || in_library == nullptr ? nullptr : object_at(in_library);
  if (library == nullptr) return;
  launcher = std::atoi(number);
  LoadedObject(library).redirect_imports(
      [](std::string_view name) { return name == "write" ? reinterpret_cast<void*>(write_of_library) : nullptr; });
}

}  // namespace

void watch_aborts(const void* in_library, void (*told)()) {
  tell = told;
  watch_functions();
  watch_writes(in_library);
}

}  // namespace cairn
