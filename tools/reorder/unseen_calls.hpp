// SPDX-License-Identifier: BSD-3-Clause
// unseen_calls.hpp - whether the program calls what reaches no tool, and would see the launcher's ranks there
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "cairn/services/callers.hpp"

namespace reorder {

/// The name of such a function: PMPI_X for one of `functions` ("MPI_X"), or Fortran's functions that make or set
/// attributes of communicators. "" if the program and its libraries, as far as they are loaded, import none.
std::string find_unseen_call(std::span<const char* const> functions, const cairn::Callers& callers);

/// Whether an import's name is one of them.
bool is_unseen(std::string_view import, std::span<const char* const> functions);

}  // namespace reorder
