// SPDX-License-Identifier: BSD-3-Clause
// qmpi_functions.hpp - the functions that tools of both kinds of QMPI call.
#pragma once

#include <span>

#include "qmpi/qmpi.hpp"

namespace cairn {

/// The six of include/qmpi.h. To be called when the runtime is there.
std::span<const QmpiEntry> qmpi_functions();

/// The one that include/qmpi_thesis.h calls when something has gone wrong.
void tell_thesis_problem(const char* text);

}  // namespace cairn
