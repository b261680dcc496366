// SPDX-License-Identifier: BSD-3-Clause
// output.hpp - a summary in its other forms: Matrix Market, the text of Open MPI's monitoring, a few lines for people
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "summary.hpp"

namespace comm {

/// "p2p.bytes.mtx" and so on with their contents, piece by piece. A file is done when the next name comes.
using WritePiece = std::function<void(const std::string& file, std::string_view text)>;
void write_matrices(const Summary& summary, const WritePiece& write);

/// What one rank did, as Open MPI's monitoring component writes it: a summary of that rank alone.
std::string format_prof(const Summary& summary);

/// Whether the bytes of all messages together can be told; else those of a pair may not be right either.
bool sums_fit(const Summary& summary);

/// For the terminal.
std::string format_text(const Summary& summary, unsigned top);

}  // namespace comm
