// SPDX-License-Identifier: BSD-3-Clause
// scripts.hpp - the completion scripts of this folder, with places (@commands@) for what the command line has
#pragma once

namespace cairn::cli {

extern const char* const cairn_bash;
extern const char* const cairn_zsh;
extern const char* const cairn_fish;

}  // namespace cairn::cli
