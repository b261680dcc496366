// SPDX-License-Identifier: BSD-3-Clause
// common.cc - the file of what traces have in common

#include "trace/common.hpp"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "base/file_bytes.hpp"
#include "base/message.hpp"
#include "cairn/page.hpp"
#include "trace/blocks.hpp"

namespace cairn::trace {

namespace {

constexpr const char* try_whole_folder = "the folder of the traces as 'cairn trace --pack' wrote it";

/// The content of its only block.
std::string content_in(const std::string& file) {
  if (!file.starts_with(magic) || file.size() < head_size + BlockHead::size) throw Damaged("it is no file of Cairn's");
  if (Bytes(std::string_view(file).substr(magic.size())).fixed<std::uint32_t>() > version)
    throw Damaged("it was written by a later Cairn");
  const std::string_view rest = std::string_view(file).substr(head_size);
  const BlockHead head = head_of(rest);
  if (head.kind != BlockKind::common || head.raw > most_common) throw Damaged("it is no file of Cairn's");
  return unpacked(head, rest.substr(BlockHead::size));
}

Common read_common(const std::string& path) {
  constexpr std::uint64_t most_bytes = 2 * most_common;
  const std::string needed = "; the packed traces beside it need it";
  try {
    const FileBytes file(path);
    std::string bytes(std::min(file.size(), most_bytes), '\0');
    bytes.resize(file.read(0, bytes.data(), bytes.size()));
    return Common(content_in(bytes), file.size());
  } catch (const Damaged& why) {
    throw Problem("'" + path + "' is damaged: " + why.what() + needed, try_whole_folder);
  } catch (const Problem& why) {
    throw Problem(why.what() + needed, try_whole_folder);
  }
}

}  // namespace

Common::Common(std::string content, std::uint64_t bytes)
    : content_(std::move(content)), identity_(page::hash_of(content_)), bytes_(bytes) {}

std::shared_ptr<const Common> Common::of(const std::string& trace, std::optional<std::uint64_t> identity,
                                         std::shared_ptr<const Common> known) {
  const std::string path = std::filesystem::path(trace).replace_filename(common_name).string();
  if (known == nullptr) known = std::make_shared<const Common>(read_common(path));
  if (identity && known->identity() != *identity)
    throw Problem("'" + path + "' is not what the traces beside it were packed with", try_whole_folder);
  return known;
}

std::string file_of(const Common& common) {
  return file_head() + BlockWriter().block(BlockKind::common, common.content());
}

/// Twice, as no checksum is on it.
std::string content_of_use(const Common& common) {
  std::string content;
  put_fixed(content, common.identity());
  put_fixed(content, ~common.identity());
  return content;
}
std::optional<std::uint64_t> identity_in(std::string_view content) try {
  Bytes in(content);
  const auto identity = in.fixed<std::uint64_t>();
  return in.fixed<std::uint64_t>() == ~identity ? std::optional(identity) : std::nullopt;
} catch (const Damaged&) {
  return std::nullopt;
}

}  // namespace cairn::trace
