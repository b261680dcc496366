// SPDX-License-Identifier: BSD-3-Clause
// build_id.cc - reading the notes of an ELF file, which may be anything

#include "where/build_id.hpp"

#include <elf.h>
#include <link.h>

#include <algorithm>
#include <cstring>
#include <string_view>

#include "base/file_bytes.hpp"
#include "base/message.hpp"

namespace cairn::where {

namespace {

constexpr std::size_t most_notes = 1 << 16;

std::size_t padded(std::size_t size) { return (size + 3) / 4 * 4; }

std::string build_id_in(std::string_view notes) {
  ElfW(Nhdr) note{};
  while (notes.size() >= sizeof note) {
    std::memcpy(&note, notes.data(), sizeof note);
    notes.remove_prefix(sizeof note);
    const std::size_t name = padded(note.n_namesz);
    const std::size_t size = name + padded(note.n_descsz);
    if (size > notes.size()) break;
    if (note.n_type == NT_GNU_BUILD_ID && notes.starts_with(std::string_view("GNU\0", 4)))
      return std::string(notes.substr(name, note.n_descsz));
    notes.remove_prefix(size);
  }
  return "";
}

}  // namespace

std::string build_id_of(const std::string& path) try {
  const FileBytes file(path);
  ElfW(Ehdr) head{};
  if (file.read(0, &head, sizeof head) != sizeof head || std::memcmp(head.e_ident, ELFMAG, SELFMAG) != 0) return "";
  for (std::size_t i = 0; i < head.e_phnum; ++i) {
    ElfW(Phdr) part{};
    if (file.read(head.e_phoff + i * sizeof part, &part, sizeof part) != sizeof part) break;
    if (part.p_type != PT_NOTE) continue;
    std::string notes(std::min<std::size_t>(part.p_filesz, most_notes), '\0');
    notes.resize(file.read(part.p_offset, notes.data(), notes.size()));
    if (std::string found = build_id_in(notes); !found.empty()) return found;
  }
  return "";
} catch (const Problem&) {
  return "";
}

}  // namespace cairn::where
