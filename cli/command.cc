// SPDX-License-Identifier: BSD-3-Clause
// command.cc - the end of every rank by an error of Cairn's own.

#include "cli/command.hpp"

#include "base/job.hpp"
#include "base/last_words.hpp"
#include "base/message.hpp"

namespace cairn::cli {

void tell_last(const std::string& text, const std::string& asked_by, const std::string& remedy) {
  if (speaks_for_job()) tell(Severity::error, text, asked_by, remedy);
  else wait_for_speaker();
}

}  // namespace cairn::cli
