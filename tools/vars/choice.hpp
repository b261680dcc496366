// SPDX-License-Identifier: BSD-3-Clause
// choice.hpp - which variables the user wants to see: names, classes, verbosity
#pragma once

#include <fnmatch.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "shared/mpi_t.hpp"

namespace vars {

using namespace mpi_t;

/// Events are read as counters are, and are a class of their own.
inline constexpr int event_class = -1;
inline constexpr auto all_classes = [] {
  std::array<Term, classes.size() + 1> all{};
  std::ranges::copy(classes, all.begin());
  all.back() = {event_class, "event"};
  return all;
}();

class Choice {
 public:
  /// Lists of names, joined by '+'; names may have *, ? and [...]. Throws what the user is told of a wrong word.
  Choice(std::string_view names, std::string_view of_classes, std::string_view verbosity)
      : names_(split(names)), classes_(split(of_classes)), most_(rank_of(verbosities, verbosity, "verbosity")) {
    for (const std::string& one : classes_)
      if (one != "*") rank_of(all_classes, one, "classes");
  }

  bool includes(const Description& variable) const {
    const std::string_view of_class = word_of(all_classes, variable.of_class);
    const auto fits = [&](const std::string& pattern) {
      return fnmatch(pattern.c_str(), variable.name.c_str(), 0) == 0;
    };
    return std::ranges::any_of(names_, fits) &&
           std::ranges::any_of(classes_, [&](const std::string& one) { return one == "*" || one == of_class; }) &&
           is_for_us(variable.verbosity);
  }

 private:
  static std::vector<std::string> split(std::string_view list) {
    std::vector<std::string> parts;
    for (std::size_t at = 0, end = 0; at <= list.size(); at = end + 1) {
      end = std::min(list.find('+', at), list.size());
      parts.emplace_back(list.substr(at, end - at));
    }
    return parts;
  }

  template <std::size_t N>
  static std::size_t rank_of(const std::array<Term, N>& terms, std::string_view word, const char* option) {
    std::string known;
    for (std::size_t i = 0; i < N; ++i) {
      if (terms[i].word == word) return i;
      known += (i == 0 ? "" : ", ") + std::string(terms[i].word);
    }
    throw std::runtime_error("option '" + std::string(option) + "' cannot be '" + std::string(word) + "'; it knows " +
                             known);
  }

  /// A verbosity that the standard does not know is nobody's to leave out.
  bool is_for_us(int verbosity) const {
    const auto found = std::ranges::find(verbosities, verbosity, &Term::number);
    return found == verbosities.end() || static_cast<std::size_t>(found - verbosities.begin()) <= most_;
  }

  std::vector<std::string> names_;
  std::vector<std::string> classes_;
  std::size_t most_;
};

}  // namespace vars
