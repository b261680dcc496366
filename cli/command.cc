// SPDX-License-Identifier: BSD-3-Clause
// command.cc - the end of every rank by an error of Cairn's own.

#include "cli/command.hpp"

#include "base/last_words.hpp"
#include "base/message.hpp"

namespace cairn::cli {

void tell_last(const std::string& text, const std::string& asked_by, const std::string& remedy) {
  if (has_last_word()) tell(Severity::error, text, asked_by, remedy);
}

}  // namespace cairn::cli
