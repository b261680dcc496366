// SPDX-License-Identifier: BSD-3-Clause
// board_reader.cc - the bytes of a board

#include "live/board_reader.hpp"

#include <unistd.h>

#include <algorithm>

#include "base/file_bytes.hpp"
#include "base/message.hpp"

namespace cairn::live {

BoardReader::BoardReader(const std::string& path) {
  constexpr std::uint64_t most = 64U << 20U;
  if (access(path.c_str(), R_OK) != 0) return;
  const FileBytes file(path);
  alignas(board::Header) char raw[sizeof(board::Header)] = {};
  if (file.read(0, raw, sizeof raw) != sizeof raw) return;
  const auto& header = *reinterpret_cast<const board::Header*>(raw);
  if (std::memcmp(header.magic, board::magic, sizeof board::magic) != 0) return;
  if (header.version != board::version)
    throw Problem("'" + path + "' was written by another version of Cairn (layout " + std::to_string(header.version) +
                  ", this one reads " + std::to_string(board::version) + ")");
  lost_ = header.lost.load(std::memory_order_relaxed);
  bytes_.resize(static_cast<std::size_t>(std::min({header.end.load(std::memory_order_acquire), file.size(), most})));
  bytes_.resize(file.read(0, bytes_.data(), bytes_.size()));
}

}  // namespace cairn::live
