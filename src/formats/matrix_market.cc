// SPDX-License-Identifier: BSD-3-Clause
// matrix_market.cc - reads Matrix Market files line by line

#include "formats/matrix_market.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>
#include <optional>

#include "base/file_bytes.hpp"
#include "base/message.hpp"

namespace cairn::formats {

namespace {

constexpr int most_ranks = 1 << 24;
constexpr const char* first_line = "a first line '%%MatrixMarket matrix coordinate integer general'";

std::string lower(std::string_view word) {
  std::string text(word);
  std::ranges::transform(text, text.begin(), [](unsigned char letter) { return std::tolower(letter); });
  return text;
}

std::vector<std::string_view> words_of(std::string_view line) {
  constexpr std::string_view blanks = " \t\r";
  std::vector<std::string_view> words;
  for (std::size_t begin = line.find_first_not_of(blanks); begin != std::string_view::npos;) {
    const std::size_t end = std::min(line.find_first_of(blanks, begin), line.size());
    words.push_back(line.substr(begin, end - begin));
    begin = line.find_first_not_of(blanks, end);
  }
  return words;
}

template <class Number>
std::optional<Number> number_of(std::string_view word) {
  Number number{};
  if (word.starts_with('+')) word.remove_prefix(1);
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  if (error != std::errc{} || end != word.data() + word.size()) return std::nullopt;
  return number;
}

class Reader {
 public:
  Reader(std::string_view text, const std::string& name) : rest_(text), name_(name) {}

  Matrix read() {
    read_header();
    read_sizes();
    while (std::optional<std::vector<std::string_view>> words = next_line()) read_entry(*words);
    if (met_ != wanted_)
      fail(std::to_string(met_) + " entries where line " + std::to_string(sizes_at_) + " says " +
               std::to_string(wanted_),
           "the whole file");
    return std::move(matrix_);
  }

 private:
  [[noreturn]] void fail(const std::string& what, const std::string& remedy) const {
    throw Problem("'" + name_ + "', line " + std::to_string(line_) + ": " + what, remedy);
  }

  std::string_view take_line() {
    ++line_;
    const std::size_t end = std::min(rest_.find('\n'), rest_.size());
    const std::string_view line = rest_.substr(0, end);
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
    return line;
  }

  /// Without comments and empty lines.
  std::optional<std::vector<std::string_view>> next_line() {
    while (!rest_.empty()) {
      const std::string_view line = take_line();
      if (line.starts_with('%')) continue;
      if (std::vector<std::string_view> words = words_of(line); !words.empty()) return words;
    }
    return std::nullopt;
  }

  void read_header() {
    std::vector<std::string> words;
    for (const std::string_view word : words_of(take_line())) words.push_back(lower(word));
    if (words.size() != 5 || words[0] != "%%matrixmarket" || words[1] != "matrix")
      fail("not a Matrix Market file", first_line);
    is_array_ = words[2] == "array";
    if (!is_array_ && words[2] != "coordinate") fail("unknown layout '" + words[2] + "'", "coordinate");
    is_pattern_ = words[3] == "pattern";
    if (!is_pattern_ && words[3] != "integer" && words[3] != "real")
      fail("values of type '" + words[3] + "' are no amounts of data", "integer, or real");
    is_symmetric_ = words[4] == "symmetric";
    if (!is_symmetric_ && words[4] != "general")
      fail("a matrix that is '" + words[4] + "' has no meaning here", "general");
    if (is_array_ && (is_pattern_ || is_symmetric_)) fail("an array is 'general' and has values", first_line);
  }

  void read_sizes() {
    const std::optional<std::vector<std::string_view>> words = next_line();
    sizes_at_ = line_;
    const std::size_t count = is_array_ ? 2 : 3;
    if (!words || words->size() != count) fail("no line with the matrix's size", "RANKS RANKS ENTRIES");
    const auto rows = number_of<int>((*words)[0]);
    const auto columns = number_of<int>((*words)[1]);
    const auto entries = is_array_ ? std::optional<long long>(0) : number_of<long long>(words->back());
    if (!rows || !columns || !entries || *rows < 0 || *columns < 0 || *entries < 0 || *rows > most_ranks)
      fail("no line with the matrix's size", "RANKS RANKS ENTRIES");
    if (*rows != *columns)
      fail("the matrix has " + std::to_string(*rows) + " rows and " + std::to_string(*columns) + " columns",
           "a matrix with a row and a column for each rank");
    if (*rows == 0) fail("the matrix is empty", "the matrix of a run with at least one rank");
    matrix_.size = *rows;
    wanted_ = is_array_ ? static_cast<long long>(*rows) * *rows : *entries;
  }

  int index_of(std::string_view word) const {
    const auto index = number_of<int>(word);
    if (!index) fail("'" + std::string(word) + "' is no rank", "ROW COLUMN VALUE, with ranks from 1");
    if (*index < 1 || *index > matrix_.size)
      fail("rank " + std::string(word) + " in a matrix of " + std::to_string(matrix_.size),
           "ranks from 1 to " + std::to_string(matrix_.size));
    return *index - 1;
  }

  double value_of(std::string_view word) const {
    const auto value = number_of<double>(word);
    if (!value) fail("'" + std::string(word) + "' is no number", "ROW COLUMN VALUE, with ranks from 1");
    if (!std::isfinite(*value)) fail("'" + std::string(word) + "' is no amount of data", "a finite number");
    if (*value < 0) fail("'" + std::string(word) + "' is negative", "amounts of data from 0");
    return *value;
  }

  void read_entry(const std::vector<std::string_view>& words) {
    if (met_ == wanted_)
      fail("more entries than the " + std::to_string(wanted_) + " that line " + std::to_string(sizes_at_) + " says",
           "the number of entries in that line");
    const std::size_t count = is_array_ ? 1 : is_pattern_ ? 2 : 3;
    if (words.size() != count)
      fail("an entry of " + std::to_string(words.size()) + " words", is_array_     ? "one value a line"
                                                                     : is_pattern_ ? "ROW COLUMN"
                                                                                   : "ROW COLUMN VALUE");
    MatrixEntry entry{static_cast<int>(met_ % matrix_.size), static_cast<int>(met_ / matrix_.size), 1};
    if (!is_array_) entry = {index_of(words[0]), index_of(words[1]), 1};
    if (!is_pattern_) entry.value = value_of(words.back());
    ++met_;
    if (is_symmetric_ && entry.row < entry.column)
      fail("an entry above the diagonal of a matrix that is declared symmetric",
           "the entry (" + std::string(words[1]) + ", " + std::string(words[0]) +
               ") in its place, or 'general' in line 1");
    if (entry.value == 0) return;
    matrix_.entries.push_back(entry);
    if (is_symmetric_ && entry.row != entry.column) matrix_.entries.push_back({entry.column, entry.row, entry.value});
  }

  std::string_view rest_;
  const std::string& name_;
  long long line_ = 0;
  long long sizes_at_ = 0;
  bool is_array_ = false;
  bool is_pattern_ = false;
  bool is_symmetric_ = false;
  long long wanted_ = 0;
  long long met_ = 0;
  Matrix matrix_;
};

}  // namespace

Matrix read_matrix(std::string_view text, const std::string& name) { return Reader(text, name).read(); }

Matrix read_matrix_file(const std::string& path) {
  const std::optional<std::string> text = whole_file(path);
  if (!text)
    throw Problem("'" + path + "' cannot be read: " + std::strerror(errno), "a run's folder or a Matrix Market file");
  return read_matrix(*text, path);
}

}  // namespace cairn::formats
