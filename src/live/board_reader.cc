// SPDX-License-Identifier: BSD-3-Clause
// board_reader.cc - the bytes of a board

#include "live/board_reader.hpp"

#include <unistd.h>

#include <algorithm>

#include "base/message.hpp"

namespace cairn::live {

namespace {

/// Of a board from another node.
class Copy {
 public:
  explicit Copy(std::string_view bytes) : bytes_(bytes) {}
  std::uint64_t size() const { return bytes_.size(); }
  std::size_t read(std::uint64_t at, void* to, std::size_t bytes) const {
    if (at > bytes_.size()) return 0;
    return bytes_.copy(static_cast<char*>(to), bytes, static_cast<std::size_t>(at));
  }

 private:
  std::string_view bytes_;
};

}  // namespace

template <class Bytes>
void BoardReader::read(const Bytes& file, const std::string& path) {
  constexpr std::uint64_t most = 64U << 20U;
  alignas(board::Header) char raw[sizeof(board::Header)] = {};
  if (file.read(0, raw, sizeof raw) != sizeof raw) return;
  const auto& header = *reinterpret_cast<const board::Header*>(raw);
  if (std::memcmp(header.magic, board::magic, sizeof board::magic) != 0) return;
  if (header.version != board::version)
    throw Problem("'" + path + "' was written by another version of Cairn (layout " + std::to_string(header.version) +
                  ", this one reads " + std::to_string(board::version) + ")");
  lost_ = header.lost.load(std::memory_order_relaxed);
  end_ = header.end.load(std::memory_order_acquire);
  bytes_.resize(static_cast<std::size_t>(std::min({end_, file.size(), most})));
  bytes_.resize(file.read(0, bytes_.data(), bytes_.size()));
}

void BoardReader::read_file(const std::string& path) {
  if (access(path.c_str(), R_OK) == 0) read(FileBytes(path), path);
}

BoardReader::BoardReader(const std::string& path) { read_file(path); }

BoardReader::BoardReader(const where::Process& process, std::string_view ending) {
  const std::string path = board::beside(process.path, ending);
  const auto sent = process.boards.find(ending);
  if (sent != process.boards.end()) read(Copy(sent->second->text()), path);
  else read_file(path);
}

bool BoardReader::is_whole() const {
  return walk([](std::uint32_t, std::uint64_t, std::span<const char>) {}) == end_;
}

}  // namespace cairn::live
