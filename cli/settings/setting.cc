// SPDX-License-Identifier: BSD-3-Clause
// setting.cc - reading settings, and where MPI libraries look for them

#include "cli/settings/setting.hpp"

#include <algorithm>
#include <charconv>

#include "base/message.hpp"
#include "base/text.hpp"

namespace cairn::cli {

namespace {

constexpr const char* syntax = "NAME=VALUE[@RANKS], as in btl_vader_eager_limit=65536@0-3";
constexpr std::string_view plain_mark = "env:";
constexpr std::string_view mpich_mark = "MPIR_CVAR_";

bool overlap(const Filters& a, const Filters& b) {
  if (a.ranks.empty() || b.ranks.empty()) return true;
  return std::ranges::any_of(a.ranks, [&](const Filters::Range& one) {
    return std::ranges::any_of(
        b.ranks, [&](const Filters::Range& other) { return one.first <= other.last && other.first <= one.last; });
  });
}

Filters ranks_of(const std::string& name, const std::string& ranks) {
  std::vector<std::string> values;
  for (const std::string_view part : split(ranks, ',')) values.emplace_back(part);
  try {
    return parse_filters({name, {}, {{"ranks", values}}});
  } catch (const Problem&) {
    throw Problem("the ranks of '" + name + "' cannot be '" + ranks + "'", "N or N-M, with commas between them");
  }
}

/// Takes the element off a name.
std::optional<std::size_t> take_element(std::string& name) {
  if (!name.ends_with(']') || name.starts_with(plain_mark)) return std::nullopt;
  const std::size_t open = name.find('[');
  std::size_t element = 0;
  const char* const end = name.data() + name.size() - 1;
  const char* const begin = open == std::string::npos ? end : name.data() + open + 1;
  if (const auto [rest, error] = std::from_chars(begin, end, element); rest != end || error != std::errc())
    throw Problem("'" + name + "' names no element of an array", "NAME[N]=VALUE, with N from 0");
  name.resize(open);
  return element;
}

}  // namespace

Setting make_setting(const std::string& name, const std::string& value, const std::string& ranks,
                     const std::string& origin) {
  if (name.empty() || name == plain_mark)
    throw Problem("a setting without a name: '" + name + "=" + value + "'", syntax);
  std::string whole = name;
  const auto element = take_element(whole);
  return {whole, value, ranks, origin, ranks.empty() ? Filters{} : ranks_of(name, ranks), element};
}

Setting parse_setting(const std::string& text, const std::string& origin) {
  const auto equals = text.find('=');
  if (equals == std::string::npos) throw Problem("'" + text + "' has no value", syntax);
  const auto parts = split_escaped(std::string_view(text).substr(equals + 1), '@');
  if (parts.size() > 2 || (parts.size() == 2 && parts[1].empty()))
    throw Problem("'" + text + "' has no ranks after its @", std::string(syntax) + "; write \\@ for an @ in the value");
  return make_setting(text.substr(0, equals), parts[0], parts.size() == 2 ? parts[1] : "", origin);
}

void refuse_contradictions(const std::vector<Setting>& settings) {
  for (auto one = settings.begin(); one != settings.end(); ++one)
    for (auto other = one + 1; other != settings.end(); ++other)
      if (one->target() == other->target() && overlap(one->on, other->on))
        throw Problem("'" + one->text() + "' and '" + other->text() + "' are for the same ranks",
                      "one value for each rank");
}

std::string environment_name(const std::string& name) {
  if (name.starts_with(plain_mark)) return name.substr(plain_mark.size());
  return name.starts_with(mpich_mark) ? name : "OMPI_MCA_" + name;
}

std::string mpi_of_name(const std::string& name) { return name.starts_with(mpich_mark) ? "mpich" : "openmpi"; }

}  // namespace cairn::cli
