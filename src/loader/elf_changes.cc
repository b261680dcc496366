// SPDX-License-Identifier: BSD-3-Clause
// elf_changes.cc - what is changed in a file's private copy, in memory.

#include <algorithm>
#include <cstring>

#include "loader/elf_file.hpp"

namespace cairn {

void ElfFile::make_unique_symbols_ordinary() {
  for (std::uint64_t i = 1; i < symbols_.count; ++i) {
    Elf64_Sym entry = symbol(i);
    if (ELF64_ST_BIND(entry.st_info) != STB_GNU_UNIQUE) continue;
    entry.st_info = static_cast<unsigned char>(ELF64_ST_INFO(STB_WEAK, ELF64_ST_TYPE(entry.st_info)));
    std::memcpy(bytes_.data() + symbols_.offset + i * sizeof entry, &entry, sizeof entry);
  }
}

void ElfFile::drop_sections() {
  header_.e_shoff = 0;
  header_.e_shnum = 0;
  header_.e_shstrndx = 0;
  std::memcpy(bytes_.data(), &header_, sizeof header_);
}

std::span<const std::byte> ElfFile::loadable_bytes() const {
  std::uint64_t end = header_.e_phoff + segments_.size() * sizeof(Elf64_Phdr);
  for (const Elf64_Phdr& segment : segments_)
    if (segment.p_type == PT_LOAD) end = std::max(end, segment.p_offset + segment.p_filesz);
  return bytes_.first(std::min<std::uint64_t>(end, bytes_.size()));
}

/// The flag stands in the dynamic section. Where no entry holds flags, one that only saves time gives its place, or the
/// empty ones that linkers leave behind the end do.
bool ElfFile::prefer_own_symbols() {
  const auto segment = std::ranges::find(segments_, Elf64_Word{PT_DYNAMIC}, &Elf64_Phdr::p_type);
  const auto find = [&](std::int64_t tag) { return std::ranges::find(dynamic_, tag, &Elf64_Dyn::d_tag); };
  const std::uint64_t flags = dynamic_value(DT_FLAGS) | DF_SYMBOLIC;
  auto place = find(DT_FLAGS);
  if (place == dynamic_.end()) place = find(DT_RELACOUNT);
  if (place == dynamic_.end()) {
    if (dynamic_.size() * sizeof(Elf64_Dyn) + sizeof(Elf64_Dyn) > segment->p_filesz) return false;
    dynamic_.push_back(dynamic_.back());
    place = dynamic_.end() - 2;
  }
  place->d_tag = DT_FLAGS;
  place->d_un.d_val = flags;
  const std::uint64_t size = dynamic_.size() * sizeof(Elf64_Dyn);
  std::memcpy(bytes_.data() + offset_of(segment->p_vaddr, size, "dynamic section"), dynamic_.data(), size);
  return true;
}

bool ElfFile::prefers_own_symbols() const { return (dynamic_value(DT_FLAGS) & DF_SYMBOLIC) != 0; }

}  // namespace cairn
