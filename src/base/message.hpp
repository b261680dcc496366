// SPDX-License-Identifier: BSD-3-Clause
// message.hpp - what a user is told: what failed and why, who asked for it, what to try.
#pragma once

#include <stdexcept>
#include <string>

#include "base/standard_error.hpp"

namespace cairn {

/// Something that cannot be done as asked. The text says what failed and why; `remedy` what the user may try.
struct Problem : std::runtime_error {
  explicit Problem(const std::string& text, std::string what_to_try = {}, std::string who_asked = {})
      : std::runtime_error(text), remedy(std::move(what_to_try)), asked_by(std::move(who_asked)) {}
  std::string remedy;
  std::string asked_by;
};

enum class Severity { error, warning, note };

/// "cairn: error: TEXT", then "cairn:   asked for by: …" and "cairn:   try: …" where these are not empty.
std::string format_message(Severity severity, const std::string& text, const std::string& asked_by = {},
                           const std::string& remedy = {});

/// Takes the file that standard error was when the process started; words for a later one are dropped.
void set_standard_error(const StandardError& original);

/// From now on nothing is shown: nobody here has asked for what there is to say.
void be_silent();

/// Shows people a text, in one piece, so that ranks do not tear each other's lines.
void show(const std::string& text);

/// Shows the message.
void tell(Severity severity, const std::string& text, const std::string& asked_by = {}, const std::string& remedy = {});

/// A tool's warning, where there is no memory for more; allocates nothing.
void warn_without_memory(const char* tool, const char* text);

}  // namespace cairn
