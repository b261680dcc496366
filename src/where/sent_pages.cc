// SPDX-License-Identifier: BSD-3-Clause
// sent_pages.cc - a page as words and those of its blocks that are not empty; base 64

#include "where/sent_pages.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <new>
#include <optional>
#include <utility>

#include "base/file_bytes.hpp"
#include "base/message.hpp"
#include "base/text.hpp"
#include "cairn/board.hpp"
#include "formats/text.hpp"
#include "where/threads.hpp"

namespace cairn::where {

using formats::cat;

namespace {

constexpr std::string_view sign = "cairn-pages 1 ";
constexpr std::size_t block_size = 512;
constexpr std::size_t largest_page = std::size_t{1} << 30U;
constexpr std::size_t most_senders = std::size_t{1} << 15U;
constexpr std::size_t most_bytes = std::size_t{1} << 32U;  // of a node at once

// ------------------------------------------------------------ base 64

constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

std::string encoded(std::string_view bytes) {
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t three = 0;
    for (std::size_t j = 0; j < 3; ++j)
      three = three << 8U | (i + j < bytes.size() ? static_cast<unsigned char>(bytes[i + j]) : 0U);
    for (std::size_t j = 0; j < 4; ++j) text += i + j <= bytes.size() ? digits[three >> (18U - 6U * j) & 63U] : '=';
  }
  return text;
}

std::string decoded(std::string_view text) {
  static const auto values = [] {
    std::array<int, 256> table{};
    table.fill(-1);
    for (std::size_t i = 0; i < digits.size(); ++i) table[static_cast<unsigned char>(digits[i])] = static_cast<int>(i);
    return table;
  }();
  std::string bytes;
  std::uint32_t known = 0;
  unsigned bits = 0;
  for (const char letter : text) {
    const int value = values[static_cast<unsigned char>(letter)];
    if (value < 0) break;
    known = known << 6U | static_cast<std::uint32_t>(value);
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    bytes += static_cast<char>(known >> bits & 255U);
  }
  return bytes;
}

// ------------------------------------------------------------ sending

std::string bytes_of_file(const std::string& path) {
  try {
    const FileBytes file(path);
    std::string bytes(static_cast<std::size_t>(std::min<std::uint64_t>(file.size(), largest_page)), '\0');
    bytes.resize(file.read(0, bytes.data(), bytes.size()));
    return bytes;
  } catch (const Problem&) {
    return "";  // its process has ended meanwhile
  }
}

/// Of records only the latest, with some more that come meanwhile.
void empty_old_records(std::string& bytes, std::size_t history) {
  if (bytes.size() < page::header_room) return;
  const auto& header = *reinterpret_cast<const page::PageHeader*>(bytes.data());
  constexpr std::uint64_t reserve = 256;
  const std::uint64_t ring_size = header.ring_size;
  const std::size_t block = page::thread_head + ring_size * sizeof(page::Record);
  for (const auto& place : header.threads) {
    const std::uint64_t at = place.load();
    if (at == 0 || at > bytes.size() || block > bytes.size() - at) continue;
    std::uint64_t count = 0;
    std::memcpy(&count, bytes.data() + at + offsetof(page::Thread, count), sizeof count);
    for (std::uint64_t age = history + reserve; age + reserve < ring_size; ++age)
      std::memset(bytes.data() + at + page::thread_head + (count - age) % ring_size * sizeof(page::Record), 0,
                  sizeof(page::Record));
  }
}

/// Those blocks that are not as they were before, which `before` then has.
std::string blocks_of(std::string_view bytes, SparseBytes& before) {
  std::string text;
  for (std::size_t at = 0; at < bytes.size(); at += block_size) {
    const std::string_view block = bytes.substr(at, block_size);
    if (block == before.text().substr(at, block.size())) continue;
    const bool is_empty = block.find_first_not_of('\0') == block.npos;
    text += cat({is_empty ? "empty " : "at ", at, " ", block.size(), "\n"});
    if (!is_empty) text += block;
    before.write(at, block);
  }
  return text;
}

// ------------------------------------------------------------ receiving

/// Takes lines and bytes off the front of what a node has sent.
class Unpacking {
 public:
  explicit Unpacking(std::string_view bytes) : rest_(bytes) {}

  std::vector<std::string_view> line() {
    const std::size_t end = rest_.find('\n');
    if (end == rest_.npos) rest_ = {};
    if (rest_.empty()) return {};
    const std::string_view text = rest_.substr(0, end);
    rest_.remove_prefix(end + 1);
    return split(text, ' ');
  }
  bool is_at_end() const { return rest_.empty(); }
  std::string_view bytes(std::size_t size) {
    const std::string_view taken = rest_.substr(0, size);
    rest_.remove_prefix(taken.size());
    return taken;
  }

 private:
  std::string_view rest_;
};

/// 0 for what is no number.
template <class Number = std::uint64_t>
Number number(std::string_view text) {
  Number value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

void resize(std::shared_ptr<SparseBytes>& bytes, std::uint64_t size) {
  if (bytes == nullptr) bytes = std::make_shared<SparseBytes>();
  bytes->resize(size);
}

/// False: it is damaged.
bool take_block(Unpacking& in, const std::vector<std::string_view>& words, SparseBytes& bytes) {
  const std::uint64_t at = number(words[1]);
  const std::uint64_t size = number(words[2]);
  if (at > bytes.size() || size > bytes.size() - at) return false;
  if (words[0] == "empty") bytes.clear(at, size);
  else bytes.write(at, in.bytes(size));
  return true;
}

/// With what was known of it before. Without a value: nothing more, or it is damaged.
std::optional<SentPage> next_page(Unpacking& in, const std::string& host, const std::vector<SentPage>& before) {
  const auto first = in.line();
  if (first.size() != 7 || first[0] != "page" || number(first[2]) > largest_page) return std::nullopt;
  SentPage page;
  const std::string name = cat({host, "/", first[1]});
  if (const auto known = std::ranges::find(before, name, &SentPage::name); known != before.end()) page = *known;
  page.name = name;
  resize(page.bytes, number(first[2]));
  page.history = number(first[3]);
  page.seen = {number(first[4]) != 0, false, {number(first[5]), number(first[6])}, {}};
  SparseBytes* bytes = page.bytes.get();
  for (auto words = in.line(); !words.empty(); words = in.line()) {
    if (words[0] == "end") return page;
    if (words[0] == "thread" && words.size() == 4 && !words[2].empty())
      page.seen.threads[number<int>(words[1])] = {words[2].front(), number(words[3])};
    if (words[0] == "beside") page.seen.runs_beside = true;
    if (words.size() != 3) continue;
    if ((words[0] == "at" || words[0] == "empty") && !take_block(in, words, *bytes)) return std::nullopt;
    if (words[0] != "board" || number(words[2]) > largest_page) continue;
    std::shared_ptr<SparseBytes>& board = page.boards[std::string(words[1])];
    resize(board, number(words[2]));
    bytes = board.get();
  }
  return std::nullopt;
}

}  // namespace

// ------------------------------------------------------------ what is sent

std::string PageSender::changes(const std::string& path, std::string_view bytes) {
  File& file = sent_[path];
  file.is_there = true;
  file.bytes.resize(bytes.size());
  return blocks_of(bytes, file.bytes);
}

/// What can be seen is looked at after the copy is made.
std::string PageSender::packed(const std::string& path) {
  std::string bytes = bytes_of_file(path);
  const Process process = reader_.read(path, 1);
  if (!process.is_alive) bytes = bytes_of_file(path);  // it may have told its end since
  empty_old_records(bytes, history_);
  const ClockAnchor now = ClockAnchor::now();
  std::string text = cat({"page ", file_of(path), " ", bytes.size(), " ", history_, " ", process.is_alive ? 1 : 0, " ",
                          now.ticks, " ", now.nanoseconds, "\n"});
  for (const Thread& thread : process.threads)
    text += cat({"thread ", thread.id, " ", std::string(1, thread.state), " ", thread.count, "\n"});
  if (runs_beside(process)) text += "beside\n";
  text += changes(path, bytes);
  for (const std::string_view ending : boards_) {
    const std::string beside = board::beside(path, ending);
    const std::string board = bytes_of_file(beside);
    if (board.empty()) continue;
    text += cat({"board ", ending, " ", board.size(), "\n"});
    text += changes(beside, board);
  }
  return text + "end\n";
}

std::string PageSender::page(const std::string& path) try {
  const std::string bytes = packed(path);
  size_ += bytes.size();
  constexpr std::size_t part = 600;  // Slurm carries lines of less than 1,024 letters whole
  std::string lines;
  for (std::size_t at = 0; at < bytes.size(); at += part)
    lines += cat({sign, host_, " ", encoded(std::string_view(bytes).substr(at, part)), "\n"});
  return lines;
} catch (const Problem&) {
  return "";
}

/// Files that did not come this time are forgotten.
std::string PageSender::end() {
  std::erase_if(sent_, [](const auto& file) { return !file.second.is_there; });
  for (auto& [path, file] : sent_) file.is_there = false;
  return cat({sign, host_, " . ", std::exchange(size_, 0), "\n"});
}

std::string PageSender::lines(const std::vector<std::string>& paths) {
  std::string lines;
  for (const std::string& path : paths) lines += page(path);
  return lines + end();
}

// ------------------------------------------------------------ what has come

void SentPages::add_line(std::string_view line) {
  if (!line.starts_with(sign)) return;
  const auto words = split(line.substr(sign.size()), ' ');
  if (words.size() < 2) return;
  const std::string host(words[0]);
  if (senders_.size() >= most_senders && !senders_.contains(host)) return;
  Sender& sender = senders_[host];
  if (pass_on_ && words[1] != "!") pass_on_(line);
  if (words[1] == "!") {
    sender.silence = words.size() == 3 ? harmless(decoded(words[2])) : "";
    return;
  }
  if (sender.is_damaged) return;
  heard_ = std::chrono::steady_clock::now();
  if (words[1] != ".") {
    if (!pass_on_) sender.bytes += decoded(words[1]);
    if (sender.bytes.size() > most_bytes) damage(sender);
    return;
  }
  const std::uint64_t size = words.size() == 3 ? number(words[2]) : 0;
  sender.is_damaged = words.size() != 3 || (!pass_on_ && size != sender.bytes.size());
  if (sender.is_damaged) return;
  ++sender.times;
  sender.last = heard_;
  sender.has_pages = size != 0;
  sender.silence.clear();
  if (pass_on_ || !again_) return;
  std::vector<SentPage> pages;
  Unpacking in(sender.bytes);
  while (std::optional<SentPage> page = next_page(in, host, sender.pages)) pages.push_back(*std::move(page));
  if (!in.is_at_end()) return damage(sender);
  sender.pages = std::move(pages);
  sender.bytes = {};  // what comes next is much less
}

void SentPages::damage(Sender& sender) {
  sender = {};
  sender.is_damaged = true;
}

std::string line_of_silence(const std::string& host, const std::string& why) {
  return cat({sign, host, " ! ", encoded(std::string_view(why).substr(0, 600)), "\n"});
}

/// Without memory for it, what comes from a node is damaged.
void SentPages::add(std::string_view text) {
  lines_.add(text, [this](std::string_view line) {
    try {
      add_line(line);
    } catch (const std::bad_alloc&) {
      for (auto& [host, sender] : senders_)
        if (!sender.bytes.empty()) damage(sender);
    }
  });
}

void SentPages::for_each_page(const std::string& host, std::string_view bytes,
                              const std::function<void(const SentPage&)>& visit) {
  Unpacking in(bytes);
  while (const std::optional<SentPage> page = next_page(in, host, {})) visit(*page);
}

}  // namespace cairn::where
