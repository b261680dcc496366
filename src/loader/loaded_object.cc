// SPDX-License-Identifier: BSD-3-Clause
// loaded_object.cc - reading the tables of a loaded object and storing into its import slots.
//
// Free of the C++ library: part of libcairn.so too.

#include "loader/loaded_object.hpp"

#include <dlfcn.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>

namespace cairn {

namespace {

#if defined(__x86_64__)
constexpr std::uint32_t relocation_plt = R_X86_64_JUMP_SLOT;
constexpr std::uint32_t relocation_got = R_X86_64_GLOB_DAT;
constexpr std::uint32_t relocation_pointer = R_X86_64_64;
#elif defined(__aarch64__)
constexpr std::uint32_t relocation_plt = R_AARCH64_JUMP_SLOT;
constexpr std::uint32_t relocation_got = R_AARCH64_GLOB_DAT;
constexpr std::uint32_t relocation_pointer = R_AARCH64_ABS64;
#endif

std::span<const Elf64_Phdr> program_headers(const link_map* map) {
  if (map->l_name == nullptr || *map->l_name == '\0')
    return {reinterpret_cast<const Elf64_Phdr*>(getauxval(AT_PHDR)), getauxval(AT_PHNUM)};
  const auto* header =
      reinterpret_cast<const Elf64_Ehdr*>(map->l_addr);  // libraries are mapped from their first byte on
  return {reinterpret_cast<const Elf64_Phdr*>(map->l_addr + header->e_phoff), header->e_phnum};
}

std::uint32_t count_by_gnu_hash(const std::uint32_t* table) {
  const std::uint32_t buckets = table[0];
  const std::uint32_t first = table[1];
  const std::uint32_t* bucket = table + 4 + std::size_t{table[2]} * 2;
  const std::uint32_t* chain = bucket + buckets;
  std::uint32_t last = 0;
  for (std::uint32_t i = 0; i < buckets; ++i) last = std::max(last, bucket[i]);
  if (last < first || last == 0) return first;
  while ((chain[last - first] & 1U) == 0) ++last;
  return last + 1;
}

}  // namespace

LoadedObject::LoadedObject(const link_map* map) : base_(map->l_addr), path_(map->l_name != nullptr ? map->l_name : "") {
  read_dynamic(map->l_ld);
  read_program_headers(program_headers(map));
}

LoadedObject::LoadedObject(const dl_phdr_info& info)
    : base_(info.dlpi_addr), path_(info.dlpi_name != nullptr ? info.dlpi_name : "") {
  const std::span headers(info.dlpi_phdr, info.dlpi_phnum);
  for (const Elf64_Phdr& segment : headers)
    if (segment.p_type == PT_DYNAMIC) read_dynamic(reinterpret_cast<const Elf64_Dyn*>(base_ + segment.p_vaddr));
  read_program_headers(headers);
}

void LoadedObject::read_dynamic(const Elf64_Dyn* entry) {
  dynamic_ = const_cast<Elf64_Dyn*>(entry);
  Elf64_Xword values[DT_RUNPATH + 1] = {};  // by tag, of those that are small numbers
  for (; entry->d_tag != DT_NULL; ++entry) {
    if (entry->d_tag == DT_GNU_HASH) gnu_hash_ = table<const std::uint32_t>(entry->d_un.d_ptr);
    if (entry->d_tag > DT_NULL && entry->d_tag <= DT_RUNPATH) values[entry->d_tag] = entry->d_un.d_val;
  }
  const auto place = [&]<class T>(const T*& known, Elf64_Sxword tag) {
    if (values[tag] != 0) known = table<const T>(values[tag]);
  };
  place(strings_, DT_STRTAB);
  place(symbols_, DT_SYMTAB);
  place(sysv_hash_, DT_HASH);
  place(relocations_.begin, DT_RELA);
  place(plt_relocations_.begin, DT_JMPREL);
  relocations_.end = relocations_.begin + values[DT_RELASZ] / sizeof(Elf64_Rela);
  plt_relocations_.end = plt_relocations_.begin + values[DT_PLTRELSZ] / sizeof(Elf64_Rela);
  soname_ = values[DT_SONAME];
  rpath_ = values[DT_RPATH];
  runpath_ = values[DT_RUNPATH];
}

LoadedObject LoadedObject::of_handle(void* handle) {
  const link_map* map = nullptr;
  dlinfo(handle, RTLD_DI_LINKMAP, static_cast<void*>(&map));
  return LoadedObject(map);
}

/// The C library has turned most addresses of the dynamic section into pointers, but not those of the kernel's vdso.
template <class T>
T* LoadedObject::table(Elf64_Addr value) const {
  return reinterpret_cast<T*>(value < base_ ? base_ + value : value);
}

void LoadedObject::read_program_headers(std::span<const Elf64_Phdr> headers) {
  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  for (const Elf64_Phdr& segment : headers) {
    const std::uintptr_t start = base_ + segment.p_vaddr;
    if (segment.p_type == PT_LOAD) {
      begin_ = begin_ == 0 ? start : std::min(begin_, start);
      end_ = std::max(end_, start + segment.p_memsz);
    }
    if (segment.p_type == PT_GNU_RELRO) {
      read_only_begin_ = start & ~(page - 1);
      read_only_end_ = (start + segment.p_memsz) & ~(page - 1);  // the loader leaves a last, partial page writable
    }
  }
}

std::string_view LoadedObject::file_name() const {
  std::string_view name = path();
  name.remove_prefix(name.rfind('/') + 1);  // none: of nothing
  return name;
}

std::string_view LoadedObject::soname() const { return soname_ == 0 ? file_name() : strings_ + soname_; }

bool LoadedObject::contains(const void* address) const {
  const auto value = reinterpret_cast<std::uintptr_t>(address);
  return value >= begin_ && value < end_;
}

bool LoadedObject::is_import(const Elf64_Rela& place) {
  const auto type = static_cast<std::uint32_t>(ELF64_R_TYPE(place.r_info));
  return type == relocation_plt || type == relocation_got || type == relocation_pointer;
}

bool LoadedObject::is_call(const Elf64_Rela& place) { return ELF64_R_TYPE(place.r_info) == relocation_plt; }

bool LoadedObject::is_function(const Elf64_Sym& symbol) {
  const int type = ELF64_ST_TYPE(symbol.st_info);
  return symbol.st_shndx != SHN_UNDEF && (type == STT_FUNC || type == STT_GNU_IFUNC) &&
         ELF64_ST_BIND(symbol.st_info) != STB_LOCAL;
}

std::uint32_t LoadedObject::symbol_count() const {
  if (sysv_hash_ != nullptr) return sysv_hash_[1];
  return gnu_hash_ != nullptr ? count_by_gnu_hash(gnu_hash_) : 0;
}

void* LoadedObject::variable(std::string_view name) const {
  for (std::uint32_t i = 1, end = symbol_count(); i < end; ++i)
    if (symbols_[i].st_shndx != SHN_UNDEF && ELF64_ST_TYPE(symbols_[i].st_info) == STT_OBJECT &&
        name_of(symbols_[i]) == name)
      return reinterpret_cast<void*>(base_ + symbols_[i].st_value);
  return nullptr;
}

void* LoadedObject::address_of(const Elf64_Sym& symbol) const {
  void* address = reinterpret_cast<void*>(base_ + symbol.st_value);
  if (ELF64_ST_TYPE(symbol.st_info) == STT_GNU_IFUNC) return reinterpret_cast<void* (*)()>(address)();
  return address;
}

void LoadedObject::store(const Elf64_Rela& place, void* target) {
  const std::uintptr_t address = base_ + place.r_offset;
  auto** slot = reinterpret_cast<void**>(address);
  const bool is_data = ELF64_R_TYPE(place.r_info) == relocation_pointer;
  if (is_data) target = static_cast<char*>(target) + place.r_addend;
  if (__atomic_load_n(slot, __ATOMIC_RELAXED) == target) return;  // when layers are switched, most stay as they are
  open_for(address);
  __atomic_store_n(slot, target, __ATOMIC_RELEASE);
}

void LoadedObject::open_for(std::uintptr_t address) {
  if (address >= read_only_begin_ && address < read_only_end_) open_protection();
}

/// The dynamic loader reads these entries when it calls finalisers: a length of none, and a function that does nothing.
void LoadedObject::drop_finalisers() {
  static constexpr auto nothing = +[] {};
  for (Elf64_Dyn* entry = dynamic_; entry->d_tag != DT_NULL; ++entry) {
    if (entry->d_tag != DT_FINI && entry->d_tag != DT_FINI_ARRAYSZ) continue;
    open_for(reinterpret_cast<std::uintptr_t>(entry));
    if (entry->d_tag == DT_FINI_ARRAYSZ) entry->d_un.d_val = 0;
    if (entry->d_tag == DT_FINI) entry->d_un.d_ptr = reinterpret_cast<std::uintptr_t>(nothing) - base_;
  }
  restore_protection();
}

void LoadedObject::open_protection() {
  if (opened_) return;
  mprotect(reinterpret_cast<void*>(read_only_begin_), read_only_end_ - read_only_begin_, PROT_READ | PROT_WRITE);
  opened_ = true;
}

void LoadedObject::restore_protection() {
  if (!opened_) return;
  mprotect(reinterpret_cast<void*>(read_only_begin_), read_only_end_ - read_only_begin_, PROT_READ);
  opened_ = false;
}

const link_map* object_at(const void* address) {
  Dl_info unused;
  void* map = nullptr;
  return dladdr1(address, &unused, &map, RTLD_DL_LINKMAP) != 0 ? static_cast<const link_map*>(map) : nullptr;
}

}  // namespace cairn
