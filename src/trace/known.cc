// SPDX-License-Identifier: BSD-3-Clause
// known.cc - reading the tables of the process's own page while it changes

#include "trace/known.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cstring>

#include "base/text.hpp"

namespace cairn::trace {

/// In the page's file, at a place that is not mapped; where the page has no file, in this process's memory.
void KnownObjects::read_members(const page::Object& from, std::uint64_t made_at, Object& object) const {
  object.members_known = from.members_known != 0;
  if (!object.members_known || from.members_at == 0) return;
  object.members.resize(static_cast<std::size_t>(from.peers));
  const std::size_t size = object.members.size() * sizeof(std::int32_t);
  if (*recorder_.path() == '\0') {
    const std::uint64_t place = from.members_at;
    std::atomic_thread_fence(std::memory_order_acquire);
    object.members_known =
        from.state.load(std::memory_order_relaxed) != page::Object::absent && from.made_at == made_at;
    if (!object.members_known) return object.members.clear();
    std::memcpy(object.members.data(), reinterpret_cast<const void*>(place), size);
    return;
  }
  const int file = open(recorder_.path(), O_RDONLY | O_CLOEXEC);
  object.members_known = file >= 0 && pread(file, object.members.data(), size, static_cast<off_t>(from.members_at)) ==
                                          static_cast<ssize_t>(size);
  if (file >= 0) close(file);
  if (!object.members_known) object.members.clear();
}

void KnownObjects::refresh_object(const page::Object& from, Place<Object>& place, std::string& content) {
  const std::uint32_t state = from.state.load(std::memory_order_acquire);
  if (state == page::Object::absent) return place.lose();
  const std::uint64_t made_at = from.made_at;
  Object& known = place.definition;
  if (place.is_known && place.made_at == made_at && known.identity == from.identity && known.size == from.size &&
      known.what == from.what && known.name == text_in(from.name))
    return;
  Object found;
  found.what = static_cast<page::Object::What>(from.what);
  found.identity = from.identity;
  found.rank = from.rank;
  found.size = from.size;
  found.remote_size = from.remote_size;
  found.peers = from.peers;
  found.name = text_in(from.name);
  read_members(from, made_at, found);
  const bool is_still_there = from.state.load(std::memory_order_acquire) != page::Object::absent;
  if (!is_still_there || from.made_at != made_at) return place.lose();  // just being replaced: the next time
  if (expects_cuts_) object_numbers_.retire(place.number, std::move(known));
  place = {object_numbers_.take(), true, std::move(found), made_at};
  if (place.number != 0) define(content, place.number, place.definition);
}

void KnownObjects::refresh_type(const page::Datatype& from, Place<Datatype>& place, std::string& content) {
  if (from.handle.load(std::memory_order_acquire) == 0) return place.lose();
  const std::uint64_t made_at = from.made_at;
  const Datatype found{from.size, text_in(from.name)};
  if (place.is_known && place.made_at == made_at && place.definition == found) return;
  std::atomic_thread_fence(std::memory_order_acquire);
  if (from.handle.load(std::memory_order_relaxed) == 0 || from.made_at != made_at) return place.lose();
  if (expects_cuts_) type_numbers_.retire(place.number, std::move(place.definition));
  place = {type_numbers_.take(), true, found, made_at};
  if (place.number != 0) define(content, place.number, found);
}

std::string KnownObjects::refresh() {
  std::string content;
  for (std::uint32_t i = 1; const page::Object* const object = recorder_.object(i); ++i)
    refresh_object(*object, place_of(objects_, i), content);
  for (std::uint32_t i = 1; const page::Datatype* const type = recorder_.datatype(i); ++i)
    refresh_type(*type, place_of(types_, i), content);
  return content;
}

std::string KnownObjects::all(std::uint64_t since_ns) {
  std::string content = mapped();
  for (const Place<Object>& place : objects_)
    if (place.number != 0) define(content, place.number, place.definition);
  for (const Place<Datatype>& place : types_)
    if (place.number != 0) define(content, place.number, place.definition);
  object_numbers_.define_retired(since_ns, content);
  type_numbers_.define_retired(since_ns, content);
  return content;
}

std::string KnownObjects::mapped() const {
  std::string content;
  const page::PageHeader& header = *recorder_.page();
  const auto* const table =
      reinterpret_cast<const page::Mapped*>(reinterpret_cast<const char*>(&header) + header.mapped.at);
  for (std::size_t i = 0; i < header.mapped.count; ++i) {
    const page::Mapped& from = table[i];
    if (from.end > from.begin) define(content, Mapped{from.begin, from.end, from.bias, text_in(from.path)});
  }
  return content;
}

}  // namespace cairn::trace
