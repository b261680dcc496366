// SPDX-License-Identifier: BSD-3-Clause
// places.cc - asking the symbols library, once for each place

#include "where/places.hpp"

#include <algorithm>
#include <array>

#include "where/build_id.hpp"

namespace cairn::where {

const formats::SourcePosition& Places::of(const std::vector<Mapped>& mapped, std::uint64_t site) {
  static const formats::SourcePosition& unknown = *new formats::SourcePosition;
  if (site == 0) return unknown;
  const std::uint64_t call = site - 1;
  const auto object =
      std::ranges::find_if(mapped, [call](const Mapped& one) { return one.begin <= call && call < one.end; });
  if (object == mapped.end()) return unknown;
  const std::uint64_t offset = call - object->bias;
  const auto [place, is_new] = known_.try_emplace({object->path, offset});
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
  const auto [known, is_new] = build_ids_.try_emplace(object.path);
  if (is_new) known->second = build_id_of(object.path);
  return !known->second.empty() && known->second != object.build_id;
}

std::vector<std::string> Places::callers(const Process& process, const Thread& thread) {
  std::vector<std::string> texts;
  if (symbols_ == nullptr || !process.is_here || !process.is_alive || !thread.inside) return texts;
  if (of(process, thread.inside->site).caller == "main") return texts;
  constexpr int most = 64;
  std::array<std::uint64_t, most> addresses{};
  const ThreadPlace from{process.pid, thread.pc, thread.sp, thread.fp};
  const std::uint64_t* const end = addresses.data() + symbols_->walk_up(&from, addresses.data(), most);
  const std::uint64_t* at = addresses.data();
  at = std::find(at, end, thread.inside->site);  // below are tools and bindings of MPI
  while (at != end && ++at != end) {
    const formats::SourcePosition& position = of(process, *at);
    if (position.caller.empty()) break;
    texts.push_back(formats::place_text(position));
    if (position.caller == "main") break;
  }
  return texts;
}

}  // namespace cairn::where
