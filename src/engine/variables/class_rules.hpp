// SPDX-License-Identifier: BSD-3-Clause
// class_rules.hpp - what MPI_T requires of the performance variables of each class (section 15.3.7 of MPI-4.0)
#pragma once

#include <array>

#include "cairn/variables.h"

namespace cairn::engine {

constexpr unsigned type_bit(cairn_type type) { return 1U << static_cast<unsigned>(type); }

/// What the standard calls non-negative numbers.
inline constexpr unsigned whole =
    type_bit(CAIRN_UNSIGNED) | type_bit(CAIRN_UNSIGNED_LONG) | type_bit(CAIRN_UNSIGNED_LONG_LONG);

struct ClassRule {
  unsigned types;  // a bit for each cairn_type that is allowed
  bool adds_up;    // a total: a handle shows how much it grew while the handle was started
};

/// By cairn_class.
inline constexpr std::array<ClassRule, 10> class_rules = {{
    {type_bit(CAIRN_INT), false},             // state
    {whole | type_bit(CAIRN_DOUBLE), false},  // level
    {whole | type_bit(CAIRN_DOUBLE), false},  // size
    {type_bit(CAIRN_DOUBLE), false},          // percentage
    {whole | type_bit(CAIRN_DOUBLE), false},  // highwatermark
    {whole | type_bit(CAIRN_DOUBLE), false},  // lowwatermark
    {whole, true},                            // counter
    {whole | type_bit(CAIRN_DOUBLE), true},   // aggregate
    {whole | type_bit(CAIRN_DOUBLE), true},   // timer
    {~0U, false},                             // generic
}};

}  // namespace cairn::engine
