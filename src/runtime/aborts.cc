// SPDX-License-Identifier: BSD-3-Clause
// aborts.cc - libraries' calls of the launcher's function, and the MPI library's own calls of write(2)

#include "runtime/aborts.hpp"

#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdlib>
#include <string_view>

#include "loader/loaded_object.hpp"
#include "runtime/runtime.hpp"
#include "stack/heard_functions.hpp"

namespace cairn {

namespace {

void (*on_abort)() = nullptr;

// ------------------------------------------------------------ by a function

/// PMIx's has four arguments, PMI's have the first two.
using Abort = int (*)(int status, const char* text, void* processes, size_t count);

template <std::size_t which>
std::atomic<void*> real{nullptr};

template <std::size_t which>
int abort_of_library(int status, const char* text, void* processes, size_t count) {
  on_abort();
  return reinterpret_cast<Abort>(real<which>.load())(status, text, processes, count);
}

template <std::size_t which>
HeardFunction heard(const char* name) {
  return {name, reinterpret_cast<void*>(abort_of_library<which>), &real<which>};
}

void watch_functions(const Runtime& runtime) {
  const std::array functions = {heard<0>("PMIx_Abort"), heard<1>("PMI2_Abort"), heard<2>("PMI_Abort")};
  link_heard_functions(functions, runtime.preload, runtime.stack, LoadedSnapshot::of_program());
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
  if (file == launcher && is_abort(bytes, size)) on_abort();
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

void watch_aborts(void (*told)()) {
  if (on_abort == nullptr) {
    on_abort = told;
    watch_writes(runtime().mpi.own_function("MPI_Abort"));
  }
  watch_functions(runtime());
}

}  // namespace cairn
