// SPDX-License-Identifier: BSD-3-Clause
// status_bytes.hpp - the number of bytes in a status, mostly without an MPI call
//
// MPI libraries store the number in the status, at a place that only they know. MPI_Status_set_elements_x writes it, so
// statuses with known numbers reveal the place. If they do not, and for large numbers, MPI is asked.
#pragma once

#include <mpi.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>

#include "cairn/kit/own_work.hpp"

namespace cairn {

class StatusBytes {
 public:
  /// Once MPI has started; before that, MPI is asked each time.
  static void learn() {
    std::ptrdiff_t place = 0;
    while (place <= last && !is_place(place)) place += static_cast<std::ptrdiff_t>(sizeof(int));
    place_.store(place <= last ? place : nowhere, std::memory_order_relaxed);
  }

  /// 0 if the status has none.
  static std::uint64_t of(const MPI_Status& status) {
    const std::ptrdiff_t place = place_.load(std::memory_order_relaxed);
    if (place >= 0) [[likely]]
      if (const std::uint64_t bytes = load(status, place); bytes <= greatest) [[likely]]
        return bytes;
    return ask(status);
  }
  /// The same added to `sum`, in fewer instructions.
  static void add_to(std::uint64_t& sum, const MPI_Status& status) {
    const std::ptrdiff_t place = place_.load(std::memory_order_relaxed);
    const std::uint64_t bytes = place >= 0 ? load(status, place) : ~std::uint64_t{0};
    if (bytes > greatest) [[unlikely]]
      return ask_and_add(status, sum);
    sum += bytes;
  }

 private:
  static constexpr std::ptrdiff_t nowhere = -1;
  static constexpr auto last = static_cast<std::ptrdiff_t>(sizeof(MPI_Status) - sizeof(std::uint64_t));
  static constexpr std::uint64_t greatest = 0x7FFFFFFF;  // above, some libraries store other facts in the same word

  static std::uint64_t load(const MPI_Status& status, std::ptrdiff_t place) {
    std::uint64_t bytes = 0;
    std::memcpy(&bytes, reinterpret_cast<const std::byte*>(&status) + place, sizeof bytes);
    return bytes;
  }
  static bool is_place(std::ptrdiff_t place) {
    const OwnWork own;
    for (const MPI_Count bytes : {MPI_Count{0x5A17C3E9}, MPI_Count{1}, MPI_Count{0}, MPI_Count{0x7FFFFFFF}}) {
      MPI_Status status{};
      if (PMPI_Status_set_elements_x(&status, MPI_BYTE, bytes) != MPI_SUCCESS) return false;
      if (load(status, place) != static_cast<std::uint64_t>(bytes)) return false;
    }
    return true;
  }
  [[gnu::noinline, gnu::cold]] static std::uint64_t ask(const MPI_Status& status) {
    const OwnWork own;
    MPI_Count bytes = 0;
    if (PMPI_Get_elements_x(&status, MPI_BYTE, &bytes) != MPI_SUCCESS || bytes < 0) return 0;
    return static_cast<std::uint64_t>(bytes);
  }
  [[gnu::noinline, gnu::cold]] static void ask_and_add(const MPI_Status& status, std::uint64_t& sum) {
    sum += ask(status);
  }

  static inline std::atomic<std::ptrdiff_t> place_{nowhere};
};

}  // namespace cairn
