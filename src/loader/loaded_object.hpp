// SPDX-License-Identifier: BSD-3-Clause
// loaded_object.hpp - a library or program as it lies in this process: its functions, and the imports that can be
// redirected.
//
// The dynamic loader has checked and relocated these tables already, so they are read without further checks. No MPI
// here.
#pragma once

#include <link.h>

#include <cstdint>
#include <span>
#include <string_view>

namespace cairn {

class LoadedObject {
 public:
  /// An entry of the dynamic loader's list, which keeps it as long as the object stays loaded.
  explicit LoadedObject(const link_map* map);
  /// What dl_iterate_phdr tells of an object.
  explicit LoadedObject(const dl_phdr_info& info);
  /// The object that a handle of dlopen stands for.
  static LoadedObject of_handle(void* handle);

  /// Where it was loaded, which tells objects of one time apart.
  std::uintptr_t base() const { return base_; }
  /// The path it was loaded from; empty for the program itself.
  std::string_view path() const { return path_; }
  /// The last part of the path.
  std::string_view file_name() const;
  /// The name it gives itself, else its file name.
  std::string_view soname() const;
  std::string_view rpath() const { return rpath_ == 0 ? std::string_view{} : strings_ + rpath_; }
  std::string_view runpath() const { return runpath_ == 0 ? std::string_view{} : strings_ + runpath_; }
  /// Calls visit(std::string_view name) for each library that it needs.
  template <class Visit>
  void for_each_needed(Visit visit) const {
    for (const Elf64_Dyn* entry = dynamic_; entry->d_tag != DT_NULL; ++entry)
      if (entry->d_tag == DT_NEEDED) visit(std::string_view(strings_ + entry->d_un.d_val));
  }
  bool contains(const void* address) const;
  /// The memory it occupies.
  std::uintptr_t begin() const { return begin_; }
  std::uintptr_t end() const { return end_; }

  /// Calls visit(std::string_view name, void* address, std::size_t size) for each function that it defines for others.
  template <class Visit>
  void for_each_function(Visit visit) const {
    for (std::uint32_t i = 1, end = symbol_count(); i < end; ++i)
      if (is_function(symbols_[i])) visit(name_of(symbols_[i]), address_of(symbols_[i]), symbols_[i].st_size);
  }

  /// The address of a variable that it defines for others, or null.
  void* variable(std::string_view name) const;

  /// Calls decide(std::string_view name) -> void* for every place that holds the address of a function the object
  /// imports or calls by name; where the answer is not null, the place holds it afterwards. Places that the loader has
  /// made read-only are opened for the store. Safe while other threads call through these places.
  template <class Decide>
  void redirect_imports(Decide decide) {
    redirect_bound_imports([&](std::string_view name, void* /*now*/, bool /*is_call*/) { return decide(name); });
  }

  /// The same with decide(std::string_view name, void* now, bool is_call), which is told what the place holds: null where
  /// the loader has found nothing; in calls by name that were never made an address in the object itself.
  template <class Decide>
  void redirect_bound_imports(Decide decide) {
    for_each_import([&](const Elf64_Rela& place) {
      if (void* target = decide(name_of(symbols_[ELF64_R_SYM(place.r_info)]), held(place), is_call(place)))
        store(place, target);
    });
    restore_protection();
  }

  /// For an object whose constructor crashed: what it would do at the end of the process is not done.
  void drop_finalisers();

  /// Whether some import's name satisfies `test`.
  template <class Test>
  bool any_import(Test test) const {
    bool found = false;
    for_each_import(
        [&](const Elf64_Rela& place) { found = found || test(name_of(symbols_[ELF64_R_SYM(place.r_info)])); });
    return found;
  }

 private:
  struct Relocations {
    const Elf64_Rela* begin = nullptr;
    const Elf64_Rela* end = nullptr;
  };

  template <class Visit>
  void for_each_import(Visit visit) const {
    for (const Relocations& table : {relocations_, plt_relocations_})
      for (const Elf64_Rela* place = table.begin; place != table.end; ++place)
        if (is_import(*place)) visit(*place);
  }

  static bool is_import(const Elf64_Rela& place);
  static bool is_call(const Elf64_Rela& place);
  static bool is_function(const Elf64_Sym& symbol);
  std::uint32_t symbol_count() const;
  std::string_view name_of(const Elf64_Sym& symbol) const { return strings_ + symbol.st_name; }
  void* address_of(const Elf64_Sym& symbol) const;
  template <class T>
  T* table(Elf64_Addr value) const;
  void read_program_headers(std::span<const Elf64_Phdr> headers);
  void read_dynamic(const Elf64_Dyn* entry);
  void open_for(std::uintptr_t address);
  void* held(const Elf64_Rela& place) const {
    return __atomic_load_n(reinterpret_cast<void**>(base_ + place.r_offset), __ATOMIC_RELAXED);
  }
  void store(const Elf64_Rela& place, void* target);
  void open_protection();
  void restore_protection();

  std::uintptr_t base_;
  const char* path_;
  Elf64_Dyn* dynamic_ = nullptr;
  const char* strings_ = nullptr;
  const Elf64_Sym* symbols_ = nullptr;
  const std::uint32_t* gnu_hash_ = nullptr;
  const std::uint32_t* sysv_hash_ = nullptr;
  Elf64_Xword soname_ = 0;
  Elf64_Xword rpath_ = 0;
  Elf64_Xword runpath_ = 0;
  Relocations relocations_;
  Relocations plt_relocations_;
  std::uintptr_t begin_ = 0;
  std::uintptr_t end_ = 0;
  std::uintptr_t read_only_begin_ = 0;  // whole pages that the loader protected after relocation
  std::uintptr_t read_only_end_ = 0;
  bool opened_ = false;
};

/// The loaded object in which an address lies; null if in none.
const link_map* object_at(const void* address);

}  // namespace cairn
