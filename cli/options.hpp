// SPDX-License-Identifier: BSD-3-Clause
// options.hpp - how a command describes its options, without the command-line library's headers, which take seconds to
// compile.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace cairn::cli {

/// One option of a command. It can be copied, and lives as long as the command line it belongs to.
class OptionEntry {
 public:
  OptionEntry() = default;
  explicit OptionEntry(CLI::Option* option) : option_(option) {}

  OptionEntry& type_name(const char* name);  // shown in the help
  OptionEntry& required();
  OptionEntry& expected(int least, int most);  // values
  OptionEntry& repeatable();                   // may be given again, one value each time
  OptionEntry& range(int least, int most);
  OptionEntry& range(double least, double most);
  OptionEntry& positive();
  bool given() const;

 private:
  CLI::Option* option_ = nullptr;
};

/// The options of a command. A name without dashes is a word's place on the command line.
class OptionAdder {
 public:
  explicit OptionAdder(CLI::App& app) : app_(app) {}

  OptionEntry option(const char* name, std::string& value, const char* description);
  OptionEntry option(const char* name, std::vector<std::string>& value, const char* description);
  OptionEntry option(const char* name, unsigned& value, const char* description);
  OptionEntry option(const char* name, std::size_t& value, const char* description);
  OptionEntry option(const char* name, double& value, const char* description);
  void flag(const char* name, bool& value, const char* description);

 private:
  CLI::App& app_;
};

}  // namespace cairn::cli
