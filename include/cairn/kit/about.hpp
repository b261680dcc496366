// SPDX-License-Identifier: BSD-3-Clause
// about.hpp - a tool's options, described once: default values, parsing, and what `cairn tools` prints
//
//   struct Options {
//     unsigned top = 10;
//     bool table = true;
//     template <class Visit> constexpr void describe(Visit visit) {
//       visit("top", top, "functions shown in the table");
//       visit("table", table, "whether the table is shown: on or off");
//     }
//   };
//   static constexpr std::string_view about = "…";
//   Tool(cairn::Self self, const Options& options);
//
// Services that the tool cannot work without are listed too; its constructor gets them with self.need<…>():
//
//   using Needs = cairn::ServiceList<cairn::Datatypes, cairn::Ranks>;
//
// and, for `cairn check`, those that it publishes: using Offers = cairn::ServiceList<mine::Numbers>;
//
// A tool that changes what the program sees of MPI must see all of the program's calls, and no other tool's: with
// `static constexpr bool is_outermost = true` it is accepted only as the first one, without filters.
//
// With `static constexpr bool obeys_levels = true`, MPI_Pcontrol(0) switches the layer off and MPI_Pcontrol(1) on, as
// the standard requests, unless the user gives it a filter `pcontrol` or `phase`; RunResults::hear() has level 2.
//
// With `static constexpr bool knows_handles = true`, what the tool offers goes by MPI's handles. PMPI tools may give the
// program handles of their own, so tools above these get a layer of the service's module that is above them, too.
//
// An option is a bool (on, off), an unsigned number, a cairn::EveryNth, a double or a cairn::Percent (both with an
// integral default), a cairn::Duration (kit/duration.hpp), or a std::string_view, which stays valid. If a value is invalid, the user is told which values
// are valid, and the default is used.
#pragma once

#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

#include "cairn/functions.hpp"
#include "cairn/kit/duration.hpp"
#include "cairn/kit/self.hpp"
#include "cairn/tool.h"

namespace cairn {

/// Services, as types that Self::find takes.
template <class... Services>
struct ServiceList {};

/// As an option of a tool: a number that is not negative.
struct Percent {
  double value = 0;
};

/// As an option of a tool: something is done in every n-th case; a whole number, not 0.
struct EveryNth {
  unsigned n = 1;
};

}  // namespace cairn

namespace cairn::kit {

template <class T>
constexpr bool has_options() {
  return requires { typename T::Options; };
}

template <class T>
constexpr bool has_needs() {
  return requires { typename T::Needs; };
}

template <class T>
constexpr bool has_offers() {
  return requires { typename T::Offers; };
}

template <class T>
constexpr bool obeys_levels() {
  if constexpr (requires { T::obeys_levels; }) return T::obeys_levels;
  return false;
}

template <class T>
constexpr bool is_outermost() {
  if constexpr (requires { T::is_outermost; }) return T::is_outermost;
  return false;
}

template <class T>
constexpr bool knows_handles() {
  if constexpr (requires { T::knows_handles; }) return T::knows_handles;
  return false;
}

inline bool parse(std::string_view text, bool& value) {
  value = text == "on";
  return text == "on" || text == "off";
}

inline bool parse(std::string_view text, std::string_view& value) {
  value = text;
  return true;
}

inline bool parse(std::string_view text, Duration& value) { return parse_duration(text, value); }

template <class Number>
requires(std::is_arithmetic_v<Number>) bool parse(std::string_view text, Number& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if constexpr (std::is_floating_point_v<Number>)
    if (!std::isfinite(value)) return false;
  return error == std::errc{} && end == text.data() + text.size();
}

inline bool parse(std::string_view text, Percent& percent) { return parse(text, percent.value) && percent.value >= 0; }

inline bool parse(std::string_view text, EveryNth& every) { return parse(text, every.n) && every.n != 0; }

/// Which values are valid; for types that refuse some.
template <class Value>
constexpr const char* accepted() {
  if (std::is_same_v<Value, bool>) return "it is on or off";
  if (std::is_same_v<Value, Duration>) return "it is a time such as 500us, 20ms, 2s or 0.5 (seconds), or off";
  if (std::is_same_v<Value, EveryNth>) return "it is a whole number, 1 or more";
  if (std::is_same_v<Value, Percent>) return "it is a number of percent, 0 or more";
  return std::is_integral_v<Value> ? "it is a whole number" : "it is a number";
}

template <class Options>
Options read_options(Self self) {
  Options options;
  options.describe([&](const char* name, auto& value, const char* /*help*/) {
    const char* text = self.option(name);
    if (text == nullptr) return;
    const auto before = value;
    if (parse(text, value)) return;
    value = before;
    self.warn("option '" + std::string(name) + "' cannot be '" + text + "'; " +
              accepted<std::remove_reference_t<decltype(value)>>() + "; its default is used");
  });
  return options;
}

/// Text built at compile time; without `out` only its length is computed.
struct Text {
  char* out = nullptr;
  std::size_t length = 0;

  constexpr void add(std::string_view text) {
    for (const char character : text) {
      if (out != nullptr) out[length] = character;
      ++length;
    }
  }
  constexpr void add_number(std::uint64_t number) {
    char digits[20] = {};
    std::size_t first = sizeof digits;
    do {
      digits[--first] = static_cast<char>('0' + number % 10);
      number /= 10;
    } while (number != 0);
    add({digits + first, sizeof digits - first});
  }
  constexpr void add_value(bool value) { add(value ? "on" : "off"); }
  constexpr void add_value(std::string_view value) { add(value); }
  constexpr void add_value(Duration value) {
    if (value.seconds == 0) return add("off");
    const auto milliseconds = static_cast<std::uint64_t>(value.seconds * 1e3 + 0.5);
    const bool is_whole = milliseconds % 1000 == 0;
    add_number(is_whole ? milliseconds / 1000 : milliseconds);
    add(is_whole ? "s" : "ms");
  }
  constexpr void add_value(EveryNth every) { add_number(every.n); }
  constexpr void add_value(Percent percent) { add_number(static_cast<std::uint64_t>(percent.value)); }
  template <class Number>
  requires(std::is_arithmetic_v<Number> && !std::is_same_v<Number, bool>) constexpr void add_value(Number value) {
    add_number(static_cast<std::uint64_t>(value));
  }
};

template <class... Services>
constexpr void write_services(Text& text, [[maybe_unused]] std::string_view kind,
                              ServiceList<Services...> /*services*/) {
  ((text.add("\n"), text.add(kind), text.add(" "), text.add(Services::service), text.add(" "),
    text.add_number(Services::version)),
   ...);
}

template <class T, class Wrapped>
constexpr std::size_t write_about(char* out, const Wrapped& wrapped) {
  Text text{out};
  text.add("abi ");
  text.add_number(CAIRN_TOOL_ABI);
  text.add("\nsummary ");
  text.add(T::about);
  if constexpr (has_options<T>()) {
    typename T::Options defaults;
    defaults.describe([&](const char* name, const auto& value, const char* help) {
      text.add("\noption ");
      text.add(name);
      text.add(" ");
      text.add_value(value);
      text.add(" ");
      text.add(help);
    });
  }
  if constexpr (has_needs<T>()) write_services(text, "needs", typename T::Needs{});
  if constexpr (has_offers<T>()) write_services(text, "offers", typename T::Offers{});
  if constexpr (is_outermost<T>()) text.add("\noutermost");
  if constexpr (obeys_levels<T>()) text.add("\nlevels");
  if constexpr (knows_handles<T>()) text.add("\nhandles");
  text.add("\nwraps");
  for (const Function function : wrapped) {
    text.add(" ");
    text.add(facts(function).name);
  }
  text.add("\n");
  return text.length;
}

/// cairn_tool_about (tool.h), zero-terminated.
template <class T, const auto& Wrapped>
consteval auto about_text() {
  std::array<char, write_about<T>(nullptr, Wrapped) + 1> text{};
  write_about<T>(text.data(), Wrapped);
  return text;
}

}  // namespace cairn::kit
