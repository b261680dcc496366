// SPDX-License-Identifier: BSD-3-Clause
// elf_file.hpp - facts about an ELF file on disk, read with every bound checked: the file may be cut short or hostile.
//
// Only what the dynamic loader itself uses is read (program headers and the dynamic section), so stripped files do.
#pragma once

#include <elf.h>
#include <link.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace cairn {

/// The file is no ELF file, or one that the dynamic loader could not load safely. The text ends a sentence "FILE …".
struct ElfError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class ElfFile {
 public:
  /// Opens the file. Throws ElfError with the reason ("does not exist", "is not an ELF file", "is cut short …").
  static ElfFile read(const std::string& path);
  /// Takes the file's bytes. Throws ElfError.
  explicit ElfFile(std::vector<std::byte> bytes);

  bool for_this_machine() const { return header_.e_machine == this_machine; }
  std::string machine_name() const;
  bool is_shared_object() const { return header_.e_type == ET_DYN; }
  /// Has a dynamic section; a program without one is statically linked.
  bool is_dynamic() const { return !dynamic_.empty(); }
  /// The dynamic loader that a program asks for; empty for a library.
  std::string_view interpreter() const;

  std::string_view soname() const;
  std::vector<std::string_view> needed() const;
  std::string_view rpath() const;
  std::string_view runpath() const;
  bool uses_static_tls() const;

  /// Names of the functions it defines for others, in table order.
  std::vector<std::string_view> defined_functions() const;
  /// Names that it leaves to others to define.
  std::vector<std::string_view> undefined_symbols() const;
  /// The text of a NUL-terminated constant that the file exports under this name; if it does not, it is empty and has no
  /// data().
  std::string_view exported_text(std::string_view name) const;

  /// Throws ElfError if any table that the dynamic loader follows leaves the file. Call it before dlopen.
  void check_loadable() const;

  /// For private copies (module_copy.hpp): gives symbols that are unique per process an ordinary binding.
  void make_unique_symbols_ordinary();
  /// For private copies: `from`, wherever it names a library (its own name, needed, versions), becomes `to` of the same
  /// length.
  void rename_library(std::string_view from, std::string_view to);

  /// For private copies of what the program has loaded too: the copy's references to symbols that it defines lead to
  /// itself, whatever the program's scope holds. False where the file has no place to say so.
  bool prefer_own_symbols();
  bool prefers_own_symbols() const;
  /// The whole file, with the changes made.
  std::span<const std::byte> bytes() const { return bytes_; }
  /// For private copies in memory: says in the header that there are no sections, which only debuggers read.
  void drop_sections();
  /// What the dynamic loader needs of the file, with the changes made: everything up to the end of the last segment.
  std::span<const std::byte> loadable_bytes() const;

#if defined(__x86_64__)
  static constexpr int this_machine = EM_X86_64;
#elif defined(__aarch64__)
  static constexpr int this_machine = EM_AARCH64;
#endif

 private:
  struct Table {
    std::uint64_t offset = 0;
    std::uint64_t count = 0;
  };

  template <class T>
  T at(std::uint64_t offset, const char* what) const;
  std::uint64_t offset_of(std::uint64_t address, std::uint64_t size, const char* what) const;
  std::uint64_t dynamic_value(std::int64_t tag) const;
  bool has_dynamic(std::int64_t tag) const;
  std::string_view text_at(std::uint64_t string_offset) const;
  std::vector<std::string_view> dynamic_texts(std::int64_t tag) const;
  std::string_view dynamic_text(std::int64_t tag) const;  // the first, or nothing
  void read_program_headers();
  void read_dynamic();
  void read_symbol_table();
  std::uint64_t symbols_by_gnu_hash() const;
  Elf64_Sym symbol(std::uint64_t index) const;

  void check_segments() const;
  void check_relocations() const;
  void check_relocation_table(std::int64_t address_tag, std::int64_t size_tag) const;
  bool is_writable(std::uint64_t address) const;
  void check_array(std::int64_t address_tag, std::int64_t size_tag, const char* what) const;
  bool lies_in_loaded(const Elf64_Phdr& part) const;
  void check_arrays() const;
  void check_versions() const;
  template <class Visit>
  void for_each_needed_version(Visit visit) const;

  struct Unmap {
    std::size_t size;
    void operator()(std::byte* data) const;
  };

  ElfFile() = default;
  void parse();

  std::vector<std::byte> owned_;
  std::unique_ptr<std::byte, Unmap> mapped_;  // private: changes stay in this process
  std::span<std::byte> bytes_;                // one of the two
  Elf64_Ehdr header_{};
  std::vector<Elf64_Phdr> segments_;
  std::vector<Elf64_Dyn> dynamic_;
  Table strings_;
  Table symbols_;
};

}  // namespace cairn
