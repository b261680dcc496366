// SPDX-License-Identifier: BSD-3-Clause
// mapped.hpp - the program and its libraries in the page: what addresses of code mean, also after the process's death
#pragma once

#include <elf.h>
#include <link.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "page_file.hpp"

namespace recorder {

class MappedObjects {
 public:
  void use(page::Mapped* table, std::size_t count, std::string program) {
    table_ = table;
    count_ = count;
    program_ = std::move(program);
    refresh();
  }

  /// What is loaded now; what comes when the table is full is unknown.
  void refresh() {
    used_ = 0;
    dl_iterate_phdr(
        [](dl_phdr_info* info, std::size_t, void* self) {
          static_cast<MappedObjects*>(self)->add(*info);
          return 0;
        },
        this);
  }

 private:
  void add(const dl_phdr_info& info) {
    if (used_ == count_ || table_ == nullptr) return;
    page::Mapped made{};
    made.begin = UINT64_MAX;
    made.bias = info.dlpi_addr;
    for (int i = 0; i < info.dlpi_phnum; ++i) {
      const ElfW(Phdr)& part = info.dlpi_phdr[i];
      const std::uint64_t at = info.dlpi_addr + part.p_vaddr;
      if (part.p_type == PT_NOTE) read_build_id(made, reinterpret_cast<const char*>(at), part.p_memsz);
      if (part.p_type != PT_LOAD || (part.p_flags & PF_X) == 0) continue;
      made.begin = std::min(made.begin, at);
      made.end = std::max(made.end, at + part.p_memsz);
    }
    const bool is_program = info.dlpi_name == nullptr || *info.dlpi_name == '\0';
    const std::string_view name = is_program ? std::string_view(program_) : info.dlpi_name;
    put(made.path, name);
    std::memcpy(&table_[used_++], &made, sizeof made);
  }

  static void read_build_id(page::Mapped& made, const char* at, std::size_t size) {
    const char* const end = at + size;
    while (static_cast<std::size_t>(end - at) >= sizeof(ElfW(Nhdr))) {
      const auto& note = *reinterpret_cast<const ElfW(Nhdr)*>(at);
      const char* const name = at + sizeof note;
      const char* const value = name + (note.n_namesz + 3U) / 4 * 4;
      if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && note.n_descsz <= sizeof made.build_id) {
        made.build_id_size = note.n_descsz;
        std::memcpy(made.build_id, value, note.n_descsz);
        return;
      }
      at = value + (note.n_descsz + 3U) / 4 * 4;
    }
  }

  page::Mapped* table_ = nullptr;
  std::size_t count_ = 0;
  std::size_t used_ = 0;
  std::string program_;
};

}  // namespace recorder
