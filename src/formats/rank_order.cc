// SPDX-License-Identifier: BSD-3-Clause
// rank_order.cc - one rank on a line

#include "formats/rank_order.hpp"

#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <memory>

#include "base/message.hpp"
#include "base/text.hpp"

namespace cairn::formats {

namespace {

std::string_view without_comment(std::string_view line) { return trimmed(line.substr(0, line.find('#'))); }

struct Line {
  int rank = 0;
  int number = 0;
};

[[noreturn]] void fail(const std::string& name, int line, const std::string& why) {
  throw Problem("'" + name + "', line " + std::to_string(line) + ": " + why);
}

std::vector<Line> read_lines(std::string_view text, const std::string& name) {
  std::vector<Line> lines;
  int number = 0;
  for (const std::string_view whole : split(text, '\n')) {
    ++number;
    const std::string_view line = without_comment(whole);
    if (line.empty()) continue;
    Line& one = lines.emplace_back(Line{0, number});
    const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), one.rank);
    if (error != std::errc{} || end != line.data() + line.size() || one.rank < 0)
      fail(name, number, std::string("'").append(line).append("' is no rank"));
  }
  return lines;
}

}  // namespace

std::string rank_order_text(const RankOrder& order) {
  std::string text = "# The new rank of each process, in the order in which they are started.\n";
  for (const int rank : order) text += std::to_string(rank) + "\n";
  return text;
}

RankOrder read_rank_order(std::string_view text, const std::string& name) {
  const std::vector<Line> lines = read_lines(text, name);
  if (lines.empty()) throw Problem("'" + name + "' has no ranks");
  RankOrder order;
  std::vector<int> line_of(lines.size(), 0);
  for (const Line& line : lines) {
    if (line.rank >= static_cast<int>(lines.size()))
      fail(name, line.number,
           "there is no rank " + std::to_string(line.rank) + " among " + std::to_string(lines.size()));
    int& before = line_of[static_cast<std::size_t>(line.rank)];
    if (before != 0)
      fail(name, line.number, "rank " + std::to_string(line.rank) + " is in line " + std::to_string(before) + " too");
    before = line.number;
    order.push_back(line.rank);
  }
  return order;
}

RankOrder read_rank_order_file(const std::string& path) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "re"), &std::fclose);
  std::string text;
  char some[4096];
  std::size_t length = 0;
  while (file && (length = std::fread(some, 1, sizeof some, file.get())) > 0) text.append(some, length);
  if (!file || std::ferror(file.get()) != 0) throw Problem("'" + path + "' cannot be read: " + std::strerror(errno));
  return read_rank_order(text, path);
}

}  // namespace cairn::formats
