// SPDX-License-Identifier: BSD-3-Clause
// common.cc - the file of what traces have in common

#include "trace/common.hpp"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <optional>
#include <utility>

#include "base/file_bytes.hpp"
#include "base/message.hpp"
#include "trace/blocks.hpp"

namespace cairn::trace {

namespace {

constexpr const char* try_whole_folder = "copying the whole folder of the traces, as it was";

/// FNV-1a.
std::uint64_t identity_of(std::string_view content) {
  std::uint64_t hash = 14695981039346656037U;
  for (const char byte : content) hash = (hash ^ static_cast<unsigned char>(byte)) * 1099511628211U;
  return hash;
}

/// The content of its only block.
std::string content_in(const std::string& file) {
  if (file.size() < head_size + BlockHead::size || !file.starts_with(magic)) throw Damaged("it is no file of Cairn's");
  const std::string_view block = std::string_view(file).substr(head_size);
  const BlockHead head = head_of(block);
  if (head.kind != BlockKind::common) throw Damaged("it is no file of Cairn's");
  return unpacked(head, block.substr(BlockHead::size));
}

}  // namespace

Common::Common(std::string content, std::uint64_t bytes)
    : content_(std::move(content)), identity_(identity_of(content_)), bytes_(bytes) {}

std::string Common::path_beside(const std::string& trace) {
  return std::filesystem::path(trace).replace_filename("common").string();
}

std::shared_ptr<const Common> Common::of(const std::string& trace, std::uint64_t identity) {
  static std::string last_path;
  static std::weak_ptr<const Common> last;
  const std::string path = path_beside(trace);
  std::shared_ptr<const Common> known = path == last_path ? last.lock() : nullptr;
  if (known == nullptr) {
    known = std::make_shared<const Common>(read_common(path));
    last_path = path;
    last = known;
  }
  if (known->identity() != identity) throw Problem("'" + trace + "' was packed with another '" + path + "'", try_whole_folder);
  return known;
}

Common read_common(const std::string& path) {
  const std::optional<std::string> file = whole_file(path);
  const std::string failed = "'" + path + "', which packed traces need, ";
  if (!file) throw Problem(failed + "cannot be read: " + std::strerror(errno), try_whole_folder);
  try {
    return Common(content_in(*file), file->size());
  } catch (const Damaged& why) {
    throw Problem(failed + "is damaged: " + why.what(), try_whole_folder);
  }
}

std::string file_of(const Common& common) {
  return file_head() + BlockWriter().block(BlockKind::common, common.content());
}

}  // namespace cairn::trace
