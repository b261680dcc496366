// SPDX-License-Identifier: BSD-3-Clause
// options.cc - descriptions of options, passed on to CLI11.

#include "cli/options.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <cmath>
#include <cstdint>
#include <functional>

namespace cairn::cli {

namespace {

bool is_finite(double number) { return std::isfinite(number); }
bool is_finite(std::int64_t /*number*/) { return true; }

/// Without showing in the help what is checked. CLI11's own check compares, which "nan" passes.
template <class Number>
CLI::Validator number(const std::function<bool(Number)>& is_fine, const std::string& what) {
  return CLI::Validator(
      [=](const std::string& text) {
        Number number = 0;
        const bool is_number = CLI::detail::lexical_cast(text, number) && is_finite(number);
        return is_number && is_fine(number) ? std::string() : "'" + text + "' is not " + what;
      },
      "");
}

}  // namespace

OptionEntry& OptionEntry::type_name(const char* name) {
  option_->type_name(name);
  return *this;
}

OptionEntry& OptionEntry::required() {
  option_->required();
  return *this;
}

OptionEntry& OptionEntry::expected(int least, int most) {
  option_->expected(least, most);
  return *this;
}

OptionEntry& OptionEntry::repeatable() {
  option_->expected(1)->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  return *this;
}

OptionEntry& OptionEntry::range(int least, int most) {
  option_->check(number<std::int64_t>([=](std::int64_t number) { return number >= least && number <= most; },
                                      fmt::format("a whole number from {} to {}", least, most)));
  return *this;
}

OptionEntry& OptionEntry::range(double least, double most) {
  option_->check(number<double>([=](double number) { return number >= least && number <= most; },
                                fmt::format("a number from {} to {}", least, most)));
  return *this;
}

OptionEntry& OptionEntry::positive() {
  option_->check(number<double>([](double number) { return number > 0; }, "a positive number"));
  return *this;
}

bool OptionEntry::given() const { return option_->count() > 0; }

OptionEntry OptionAdder::option(const char* name, std::string& value, const char* description) {
  return OptionEntry(app_.add_option(name, value, description));
}

OptionEntry OptionAdder::option(const char* name, std::vector<std::string>& value, const char* description) {
  return OptionEntry(app_.add_option(name, value, description));
}

OptionEntry OptionAdder::option(const char* name, unsigned& value, const char* description) {
  return OptionEntry(app_.add_option(name, value, description));
}

OptionEntry OptionAdder::option(const char* name, std::size_t& value, const char* description) {
  return OptionEntry(app_.add_option(name, value, description));
}

OptionEntry OptionAdder::option(const char* name, double& value, const char* description) {
  return OptionEntry(app_.add_option(name, value, description));
}

void OptionAdder::flag(const char* name, bool& value, const char* description) {
  app_.add_flag(name, value, description);
}

}  // namespace cairn::cli
