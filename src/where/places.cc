// SPDX-License-Identifier: BSD-3-Clause
// places.cc - asking the symbols library, once for each place

#include "where/places.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <optional>
#include <sstream>
#include <utility>

#include "base/file_bytes.hpp"
#include "where/build_id.hpp"

namespace cairn::where {

using formats::cat;

namespace {

/// Another one after the file has been compiled again; "": there is none.
std::string stamp_of(const std::string& path) {
  struct stat about {};
  if (stat(path.c_str(), &about) != 0) return "";
  return cat(
      {about.st_dev, ":", about.st_ino, ":", about.st_size, ":", about.st_mtim.tv_sec, ".", about.st_mtim.tv_nsec});
}

}  // namespace

const formats::SourcePosition& Places::of(const std::vector<Mapped>& mapped, std::uint64_t site) {
  static const formats::SourcePosition& unknown = *new formats::SourcePosition;
  if (site == 0) return unknown;
  const std::uint64_t call = site - 1;
  const auto object =
      std::ranges::find_if(mapped, [call](const Mapped& one) { return one.begin <= call && call < one.end; });
  if (object == mapped.end()) return unknown;
  const std::uint64_t offset = call - object->bias;
  const Build build{object->path, object->build_id.empty() ? stamp_of(object->path) : object->build_id};
  const auto [place, is_new] = known_.try_emplace({build, offset});
  formats::SourcePosition& position = place->second;
  if (!is_new) return position;
  position.object = object->path;
  position.offset = offset;
  const bool is_another = has_changed(*object);
  if (is_another) position.object += " (which has changed)";
  SourcePlace found{};
  if (!is_another && symbols_ != nullptr && symbols_->find(object->path.c_str(), offset, &found) == 0) {
    position.caller = found.function;
    position.file = found.file;
    position.line = found.line;
  }
  return position;
}

/// Whether the file is another one than the process had, so that it cannot tell what its addresses mean.
bool Places::has_changed(const Mapped& object) {
  if (object.build_id.empty()) return false;
  File& file = files_[object.path];
  if (std::string stamp = stamp_of(object.path); stamp.empty() || stamp != file.stamp)
    file = {std::move(stamp), build_id_of(object.path)};
  return !file.build_id.empty() && file.build_id != object.build_id;
}

namespace {

/// Where a thread has called the system, which it is still in. Its frame pointer is not told: the way up ends at the first
/// caller that needs it.
std::optional<ThreadPlace> blocked_at(const Process& process, const Thread& thread) {
  if (thread.state != 'S' && thread.state != 'D') return std::nullopt;
  const std::string path = cat({"/proc/", process.pid, "/task/", thread.id, "/syscall"});
  std::istringstream text(whole_file(path).value_or(""));
  std::vector<std::string> words;
  for (std::string word; text >> word;) words.push_back(word);
  if (words.size() < 3) return std::nullopt;  // "running"
  const auto number = [&](std::size_t from_end) {
    return std::strtoull(words[words.size() - from_end].c_str(), nullptr, 16);
  };
  return ThreadPlace{process.pid, number(1), number(2), 0};
}

/// The C library's, where its names are known.
bool is_before_main(const std::string& function) {
  return function == "_start" || function.starts_with("__libc_start_");
}

}  // namespace

std::vector<std::string> Places::callers(const Process& process, const Thread& thread) {
  std::vector<std::string> texts;
  if (symbols_ == nullptr || !process.is_here || !process.is_alive) return texts;
  if (thread.inside && of(process, thread.inside->site).caller == "main") return texts;
  const std::optional<ThreadPlace> from =
      thread.inside ? ThreadPlace{process.pid, thread.pc, thread.sp, thread.fp} : blocked_at(process, thread);
  if (!from) return texts;
  constexpr int most = 64;
  std::array<std::uint64_t, most> addresses{};
  const std::uint64_t* const end = addresses.data() + symbols_->walk_up(&*from, addresses.data(), most);
  const std::uint64_t* at = addresses.data();
  if (thread.inside) at = std::find(at, end, thread.inside->site);  // below are tools and bindings of MPI
  if (thread.inside && at != end) ++at;
  for (; at != end; ++at) {
    const formats::SourcePosition& position = of(process, *at);
    if (position.caller.empty() && thread.inside) break;
    if (position.caller.empty()) continue;       // the system's own
    if (is_before_main(position.caller)) break;  // another function may have been compiled into main
    texts.push_back(formats::place_text(position));
    if (position.caller == "main") break;
  }
  return texts;
}

}  // namespace cairn::where
