// SPDX-License-Identifier: BSD-3-Clause
// pcontrol_delivery.cc - MPI_Pcontrol to layers past those above them, as PnMPI does it: to each, or to those that the
// program addresses (include/pnmpi_modules/pnmpi.h).

#include <array>
#include <bit>
#include <cstdarg>
#include <cstddef>
#include <utility>

#include "pnmpi.h"
#include "runtime/hooks.hpp"
#include "runtime/pcontrol_entry.hpp"
#include "runtime/runtime.hpp"

namespace cairn {

namespace {

constexpr int with_errors = 4;  // of `type`, beside those of pnmpi.h: `int *errors` stands behind the modules
constexpr std::size_t most_words = 32;
constexpr std::size_t most_doubles = 8;

using Pcontrol = int (*)(int level, ...);

/// What stands behind the level, whatever types it has: as many of those in registers and on the stack as there may be.
struct Arguments {
  std::array<long, most_words> words{};
  std::array<double, most_doubles> doubles{};

  int pass(void* function, int level) const {
    return pass(reinterpret_cast<Pcontrol>(function), level, std::make_index_sequence<most_words>(),
                std::make_index_sequence<most_doubles>());
  }

 private:
  template <std::size_t... Word, std::size_t... Double>
  int pass(Pcontrol function, int level, std::index_sequence<Word...> /*all*/,
           std::index_sequence<Double...> /*all*/) const {
    return function(level, words[Word]..., doubles[Double]...);
  }
};

void* wrapper_of(const Layer* layer) {
  return layer == nullptr ? nullptr : layer->wrapper(runtime().mpi.functions().find("MPI_Pcontrol"));
}

/// To each layer that hears by itself, the outermost first, and then to the others.
int deliver_to_each(int level, ...) {
  Arguments arguments;
  std::va_list values;
  va_start(values, level);
  for (double& value : arguments.doubles) value = va_arg(values, double);
  for (long& word : arguments.words) word = va_arg(values, long);
  va_end(values);
  const Runtime& self = runtime();
  for (std::size_t handle = 0; handle < self.pnmpi.handle_count(); ++handle) {
    const Layer* const layer = self.pnmpi.layer_of(static_cast<int>(handle));
    if (layer == nullptr || !self.switching.hears_by_itself(layer->id())) continue;
    if (void* const wrapper = wrapper_of(layer)) arguments.pass(wrapper, level);
  }
  return arguments.pass(__atomic_load_n(&cairn_pcontrol_next, __ATOMIC_ACQUIRE), level);
}

/// False if there are too many.
bool read_words(int bytes, const long* from, std::va_list& values, Arguments& arguments) {
  const std::size_t count = (static_cast<std::size_t>(bytes) + sizeof(long) - 1) / sizeof(long);
  if (bytes < 0 || count > most_words) return false;
  for (std::size_t i = 0; i < count; ++i) {
    arguments.words[i] = from != nullptr ? from[i] : va_arg(values, long);
    if (i < most_doubles) arguments.doubles[i] = std::bit_cast<double>(arguments.words[i]);
  }
  return true;
}

int call_module(int handle, int level, const Arguments& arguments) {
  if (!runtime().pnmpi.is_module(handle)) return PNMPI_ERROR;
  void* const wrapper = wrapper_of(runtime().pnmpi.layer_of(handle));
  return wrapper == nullptr ? 0 : arguments.pass(wrapper, level);
}

/// To the modules that the arguments name.
int deliver_to_addressed(int first, ...) {
  std::va_list values;
  va_start(values, first);
  const int level = va_arg(values, int);
  const int type = va_arg(values, int);
  int one = 0;
  const bool is_list = (type & PNMPI_PCONTROL_MULTIPLE) != 0;
  const int count = is_list ? va_arg(values, int) : 1;
  if (!is_list) one = va_arg(values, int);
  const int* const handles = is_list ? va_arg(values, int*) : &one;
  int* const errors = is_list && (type & with_errors) != 0 ? va_arg(values, int*) : nullptr;
  const int bytes = va_arg(values, int);
  const long* const from = (type & PNMPI_PCONTROL_PTR) != 0 ? va_arg(values, const long*) : nullptr;
  Arguments arguments;
  const bool fits = read_words(bytes, from, values, arguments);
  va_end(values);
  int result = fits ? 0 : PNMPI_ERROR;
  for (int i = 0; fits && i < count; ++i) {
    const int error = call_module(handles[i], level, arguments);
    if (error != 0) result = error;
    if (errors != nullptr) errors[i] = error;
  }
  return result;
}

}  // namespace

void* pcontrol_delivery(int level) {
  const Switching& switching = runtime().switching;
  if (level == PNMPI_PCONTROL_LEVEL && switching.lets_address_layers())
    return reinterpret_cast<void*>(deliver_to_addressed);
  return switching.delivers_to_each() ? reinterpret_cast<void*>(deliver_to_each) : nullptr;
}

}  // namespace cairn
