// SPDX-License-Identifier: BSD-3-Clause
// library.hpp - opening libcairn-pnmpi.so (contracts/pnmpi_host.h).
#pragma once

#include <string>

#include "contracts/pnmpi_host.h"
#include "contracts/preload.hpp"

namespace cairn {

/// The first one, for all to see, of no module.
void open_pnmpi_names(const Preload& preload, const std::string& path, const cairn_pnmpi_host& host);

/// A copy of its own for a module; stays for ever. Throws Problem.
void* open_pnmpi_copy(const Preload& preload, const std::string& path, const cairn_pnmpi_host& host,
                      PNMPI_modHandle_t self);

}  // namespace cairn
