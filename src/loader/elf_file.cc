// SPDX-License-Identifier: BSD-3-Clause
// elf_file.cc - reading and checking ELF files; every access goes through at() or offset_of(), which throw.

#include "loader/elf_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace cairn {

namespace {

[[noreturn]] void damaged(const char* what) {
  throw ElfError(std::string("is damaged: its ") + what + " lies outside the file");
}

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() { close(fd_); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }

 private:
  int fd_;
};

std::string why_not_open(int error) {
  if (error == ENOENT || error == ENOTDIR) return "does not exist";
  return std::string("cannot be read: ") + std::strerror(error);
}

}  // namespace

ElfFile ElfFile::read(const std::string& path) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) throw ElfError(why_not_open(errno));
  const Descriptor file(fd);
  struct stat facts {};
  if (fstat(file.get(), &facts) != 0) throw ElfError(why_not_open(errno));
  if (S_ISDIR(facts.st_mode)) throw ElfError("is a folder");
  if (!S_ISREG(facts.st_mode)) throw ElfError("is not a regular file");

  if (facts.st_size == 0) throw ElfError("is empty");

  const auto size = static_cast<std::size_t>(facts.st_size);
  void* data = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE, file.get(), 0);
  if (data == MAP_FAILED) throw ElfError(why_not_open(errno));
  ElfFile image;
  image.mapped_ = {static_cast<std::byte*>(data), Unmap{size}};
  image.bytes_ = {image.mapped_.get(), size};
  image.parse();
  return image;
}

ElfFile::ElfFile(std::vector<std::byte> bytes) : owned_(std::move(bytes)), bytes_(owned_) { parse(); }

void ElfFile::Unmap::operator()(std::byte* data) const { munmap(data, size); }

void ElfFile::parse() {
  if (bytes_.size() < SELFMAG || std::memcmp(bytes_.data(), ELFMAG, SELFMAG) != 0) throw ElfError("is not an ELF file");
  if (bytes_.size() < sizeof(Elf64_Ehdr)) throw ElfError("is cut short");
  const auto* ident = reinterpret_cast<const unsigned char*>(bytes_.data());
  if (ident[EI_CLASS] != ELFCLASS64 || ident[EI_DATA] != ELFDATA2LSB)
    throw ElfError("is built for another kind of machine (not 64-bit little-endian)");
  header_ = at<Elf64_Ehdr>(0, "header");
  read_program_headers();
  read_dynamic();
  read_symbol_table();
}

template <class T>
T ElfFile::at(std::uint64_t offset, const char* what) const {
  if (offset > bytes_.size() || bytes_.size() - offset < sizeof(T)) damaged(what);
  T value;
  std::memcpy(&value, bytes_.data() + offset, sizeof(T));
  return value;
}

/// Where `size` bytes at a load address stand in the file.
std::uint64_t ElfFile::offset_of(std::uint64_t address, std::uint64_t size, const char* what) const {
  for (const Elf64_Phdr& segment : segments_) {
    if (segment.p_type != PT_LOAD || address < segment.p_vaddr) continue;
    const std::uint64_t inside = address - segment.p_vaddr;
    if (inside > segment.p_filesz || segment.p_filesz - inside < size) continue;
    const std::uint64_t offset = segment.p_offset + inside;
    if (offset < inside || offset > bytes_.size() || bytes_.size() - offset < size) damaged(what);
    return offset;
  }
  damaged(what);
}

void ElfFile::read_program_headers() {
  if (header_.e_phnum != 0 && header_.e_phentsize != sizeof(Elf64_Phdr)) damaged("program header table");
  for (unsigned i = 0; i < header_.e_phnum; ++i) {
    const std::uint64_t inside = std::uint64_t{i} * sizeof(Elf64_Phdr);
    if (header_.e_phoff > bytes_.size()) damaged("program header table");
    segments_.push_back(at<Elf64_Phdr>(header_.e_phoff + inside, "program header table"));
  }
}

void ElfFile::read_dynamic() {
  for (const Elf64_Phdr& segment : segments_) {
    if (segment.p_type != PT_DYNAMIC) continue;
    const std::uint64_t start = offset_of(segment.p_vaddr, segment.p_filesz, "dynamic section");
    for (std::uint64_t inside = 0; inside + sizeof(Elf64_Dyn) <= segment.p_filesz; inside += sizeof(Elf64_Dyn)) {
      const auto entry = at<Elf64_Dyn>(start + inside, "dynamic section");
      dynamic_.push_back(entry);
      if (entry.d_tag == DT_NULL) return;
    }
    throw ElfError("is damaged: its dynamic section has no end");
  }
}

void ElfFile::read_symbol_table() {
  if (!is_dynamic() || !has_dynamic(DT_STRTAB)) return;
  strings_.count = dynamic_value(DT_STRSZ);
  strings_.offset = offset_of(dynamic_value(DT_STRTAB), strings_.count, "string table");
  if (strings_.count == 0 || at<char>(strings_.offset + strings_.count - 1, "string table") != '\0')
    throw ElfError("is damaged: its string table has no end");
  if (!has_dynamic(DT_SYMTAB)) return;
  if (has_dynamic(DT_SYMENT) && dynamic_value(DT_SYMENT) != sizeof(Elf64_Sym)) damaged("symbol table");

  if (has_dynamic(DT_GNU_HASH)) symbols_.count = symbols_by_gnu_hash();
  if (has_dynamic(DT_HASH)) {
    const std::uint64_t table = offset_of(dynamic_value(DT_HASH), 8, "symbol hash table");
    symbols_.count = at<std::uint32_t>(table + 4, "symbol hash table");
  }
  symbols_.offset = offset_of(dynamic_value(DT_SYMTAB), symbols_.count * sizeof(Elf64_Sym), "symbol table");
}

/// The GNU hash table does not hold the number of symbols: it is one more than the last symbol of the last chain. A
/// table of undefined symbols alone has no chain; then the symbols end where the string table starts (linkers lay it
/// out so).
std::uint64_t ElfFile::symbols_by_gnu_hash() const {
  constexpr const char* what = "symbol hash table";
  const std::uint64_t table = offset_of(dynamic_value(DT_GNU_HASH), 16, what);
  const auto buckets = at<std::uint32_t>(table, what);
  const auto first = at<std::uint32_t>(table + 4, what);
  const auto bloom_words = at<std::uint32_t>(table + 8, what);
  const std::uint64_t bucket_table = table + 16 + std::uint64_t{bloom_words} * 8;
  const std::uint64_t chains = bucket_table + std::uint64_t{buckets} * 4;

  std::uint64_t last = 0;
  for (std::uint32_t i = 0; i < buckets; ++i)
    last = std::max<std::uint64_t>(last, at<std::uint32_t>(bucket_table + std::uint64_t{i} * 4, what));
  if (last != 0 && last < first) damaged(what);
  if (last == 0) {
    const std::uint64_t symbols = dynamic_value(DT_SYMTAB);
    const std::uint64_t strings = dynamic_value(DT_STRTAB);
    return strings > symbols ? (strings - symbols) / sizeof(Elf64_Sym) : first;
  }
  while ((at<std::uint32_t>(chains + (last - first) * 4, what) & 1U) == 0) ++last;
  return last + 1;
}

Elf64_Sym ElfFile::symbol(std::uint64_t index) const {
  if (index >= symbols_.count) damaged("symbol");
  return at<Elf64_Sym>(symbols_.offset + index * sizeof(Elf64_Sym), "symbol table");
}

std::uint64_t ElfFile::dynamic_value(std::int64_t tag) const {
  for (const Elf64_Dyn& entry : dynamic_)
    if (entry.d_tag == tag) return entry.d_un.d_val;
  return 0;
}

bool ElfFile::has_dynamic(std::int64_t tag) const {
  return std::ranges::find(dynamic_, tag, &Elf64_Dyn::d_tag) != dynamic_.end();
}

std::string_view ElfFile::text_at(std::uint64_t string_offset) const {
  if (string_offset >= strings_.count) damaged("name");
  return reinterpret_cast<const char*>(bytes_.data() + strings_.offset + string_offset);  // the table ends in a NUL
}

std::vector<std::string_view> ElfFile::dynamic_texts(std::int64_t tag) const {
  std::vector<std::string_view> texts;
  for (const Elf64_Dyn& entry : dynamic_)
    if (entry.d_tag == tag) texts.push_back(text_at(entry.d_un.d_val));
  return texts;
}

std::string ElfFile::machine_name() const {
  switch (header_.e_machine) {
    case EM_X86_64:
      return "x86-64";
    case EM_AARCH64:
      return "aarch64";
    case EM_PPC64:
      return "ppc64";
    case EM_RISCV:
      return "riscv";
    case EM_S390:
      return "s390";
    default:
      return "machine type " + std::to_string(header_.e_machine);
  }
}

std::string_view ElfFile::interpreter() const {
  for (const Elf64_Phdr& segment : segments_) {
    if (segment.p_type != PT_INTERP || segment.p_filesz == 0) continue;
    if (segment.p_offset > bytes_.size() || bytes_.size() - segment.p_offset < segment.p_filesz) damaged("interpreter");
    const auto* text = reinterpret_cast<const char*>(bytes_.data() + segment.p_offset);
    return {text, strnlen(text, segment.p_filesz)};
  }
  return {};
}

std::string_view ElfFile::dynamic_text(std::int64_t tag) const {
  const auto texts = dynamic_texts(tag);
  return texts.empty() ? std::string_view{} : texts.front();
}

std::string_view ElfFile::soname() const { return dynamic_text(DT_SONAME); }

std::vector<std::string_view> ElfFile::needed() const { return dynamic_texts(DT_NEEDED); }

std::string_view ElfFile::rpath() const { return dynamic_text(DT_RPATH); }

std::string_view ElfFile::runpath() const { return dynamic_text(DT_RUNPATH); }

bool ElfFile::uses_static_tls() const { return (dynamic_value(DT_FLAGS) & DF_STATIC_TLS) != 0; }

std::vector<std::string_view> ElfFile::defined_functions() const {
  std::vector<std::string_view> names;
  for (std::uint64_t i = 1; i < symbols_.count; ++i) {
    const Elf64_Sym entry = symbol(i);
    const int type = ELF64_ST_TYPE(entry.st_info);
    const int binding = ELF64_ST_BIND(entry.st_info);
    if (entry.st_shndx == SHN_UNDEF || binding == STB_LOCAL || (type != STT_FUNC && type != STT_GNU_IFUNC)) continue;
    names.push_back(text_at(entry.st_name));
  }
  return names;
}

std::vector<std::string_view> ElfFile::undefined_symbols() const {
  std::vector<std::string_view> names;
  for (std::uint64_t i = 1; i < symbols_.count; ++i)
    if (const Elf64_Sym entry = symbol(i); entry.st_shndx == SHN_UNDEF) names.push_back(text_at(entry.st_name));
  return names;
}

std::string_view ElfFile::exported_text(std::string_view name) const {
  for (std::uint64_t i = 1; i < symbols_.count; ++i) {
    const Elf64_Sym entry = symbol(i);
    if (entry.st_shndx == SHN_UNDEF || ELF64_ST_TYPE(entry.st_info) != STT_OBJECT || entry.st_size == 0) continue;
    if (text_at(entry.st_name) != name) continue;
    const std::uint64_t offset = offset_of(entry.st_value, entry.st_size, "exported text");
    const auto* text = reinterpret_cast<const char*>(bytes_.data() + offset);
    return {text, strnlen(text, entry.st_size)};
  }
  return {};
}

void ElfFile::check_loadable() const {
  if (!is_dynamic()) throw ElfError("has no dynamic section");
  check_segments();
  for (std::uint64_t i = 1; i < symbols_.count; ++i) text_at(symbol(i).st_name);
  for (const std::int64_t tag : {DT_NEEDED, DT_SONAME, DT_RPATH, DT_RUNPATH}) dynamic_texts(tag);
  check_relocations();
  check_arrays();
  check_versions();
}

bool ElfFile::lies_in_loaded(const Elf64_Phdr& part) const {
  constexpr std::uint64_t page = 4096;
  for (const Elf64_Phdr& segment : segments_)
    if (segment.p_type == PT_LOAD && part.p_vaddr >= segment.p_vaddr && part.p_memsz <= segment.p_memsz + page &&
        part.p_vaddr - segment.p_vaddr <= segment.p_memsz + page - part.p_memsz)
      return true;
  return false;
}

void ElfFile::check_segments() const {
  // What lies behind the table is read as if it were segments: real ones have types that are known.
  for (const Elf64_Phdr& segment : segments_)
    if (segment.p_type > PT_TLS && segment.p_type < PT_LOOS) damaged("program header table");
  int dynamic_sections = 0;
  for (const Elf64_Phdr& segment : segments_) dynamic_sections += segment.p_type == PT_DYNAMIC ? 1 : 0;
  if (dynamic_sections != 1) damaged("program header table");

  bool any = false;
  for (const Elf64_Phdr& segment : segments_) {
    if (segment.p_type != PT_LOAD && segment.p_type != PT_TLS && segment.p_type != PT_GNU_RELRO) continue;
    if (segment.p_memsz < segment.p_filesz || segment.p_memsz > (std::uint64_t{1} << 40)) damaged("segment");
    if (segment.p_offset > bytes_.size() || bytes_.size() - segment.p_offset < segment.p_filesz) {
      if (segment.p_type == PT_LOAD) throw ElfError("is cut short");
      damaged("segment");
    }
    if (segment.p_type == PT_LOAD && (segment.p_vaddr - segment.p_offset) % 4096 != 0) damaged("segment");
    any = any || segment.p_type == PT_LOAD;
    if (segment.p_type == PT_GNU_RELRO && !lies_in_loaded(segment)) damaged("segment");
  }
  if (!any) throw ElfError("has nothing to load");
}

void ElfFile::check_relocations() const {
  if (has_dynamic(DT_RELAENT) && dynamic_value(DT_RELAENT) != sizeof(Elf64_Rela)) damaged("relocation table");
  if (has_dynamic(DT_RELA) != has_dynamic(DT_RELASZ) || has_dynamic(DT_JMPREL) != has_dynamic(DT_PLTRELSZ))
    damaged("relocation table");
  if (has_dynamic(DT_JMPREL) && dynamic_value(DT_PLTREL) != DT_RELA) damaged("relocation table");
  check_relocation_table(DT_RELA, DT_RELASZ);
  check_relocation_table(DT_JMPREL, DT_PLTRELSZ);
  if (has_dynamic(DT_RELR)) offset_of(dynamic_value(DT_RELR), dynamic_value(DT_RELRSZ), "relocation table");
}

void ElfFile::check_relocation_table(std::int64_t address_tag, std::int64_t size_tag) const {
  if (!has_dynamic(address_tag)) return;
  const std::uint64_t size = dynamic_value(size_tag);
  const std::uint64_t table = offset_of(dynamic_value(address_tag), size, "relocation table");
  const bool text_relocations = has_dynamic(DT_TEXTREL);
  for (std::uint64_t inside = 0; inside + sizeof(Elf64_Rela) <= size; inside += sizeof(Elf64_Rela)) {
    const auto entry = at<Elf64_Rela>(table + inside, "relocation table");
    if (const std::uint64_t index = ELF64_R_SYM(entry.r_info); index != 0) symbol(index);
    if (!text_relocations && !is_writable(entry.r_offset)) damaged("relocation");
  }
}

/// Whether a pointer at this load address lies in memory that the program may write.
bool ElfFile::is_writable(std::uint64_t address) const {
  for (const Elf64_Phdr& segment : segments_)
    if (segment.p_type == PT_LOAD && (segment.p_flags & PF_W) != 0 && address >= segment.p_vaddr &&
        segment.p_memsz >= 8 && address - segment.p_vaddr <= segment.p_memsz - 8)
      return true;
  return false;
}

void ElfFile::check_array(std::int64_t address_tag, std::int64_t size_tag, const char* what) const {
  if (has_dynamic(address_tag) != has_dynamic(size_tag) || dynamic_value(size_tag) % 8 != 0) damaged(what);
  if (has_dynamic(address_tag)) offset_of(dynamic_value(address_tag), dynamic_value(size_tag), what);
}

void ElfFile::check_arrays() const {
  check_array(DT_INIT_ARRAY, DT_INIT_ARRAYSZ, "initialisers");
  check_array(DT_FINI_ARRAY, DT_FINI_ARRAYSZ, "finalisers");
  if (has_dynamic(DT_INIT)) offset_of(dynamic_value(DT_INIT), 1, "initialiser");
  if (has_dynamic(DT_FINI)) offset_of(dynamic_value(DT_FINI), 1, "finaliser");
  if (has_dynamic(DT_PLTGOT)) offset_of(dynamic_value(DT_PLTGOT), 8, "procedure linkage table");
}

/// Visits the file offset of each record that names a needed library's versions.
template <class Visit>
void ElfFile::for_each_needed_version(Visit visit) const {
  if (!has_dynamic(DT_VERNEED)) return;
  constexpr const char* what = "version table";
  std::uint64_t address = dynamic_value(DT_VERNEED);
  for (std::uint64_t i = 0; i < dynamic_value(DT_VERNEEDNUM); ++i) {
    const std::uint64_t offset = offset_of(address, sizeof(Elf64_Verneed), what);
    visit(offset);
    const auto next = at<Elf64_Verneed>(offset, what).vn_next;
    if (next == 0) return;
    address += next;
  }
}

void ElfFile::check_versions() const {
  constexpr const char* what = "version table";
  if (has_dynamic(DT_VERSYM)) offset_of(dynamic_value(DT_VERSYM), symbols_.count * 2, what);
  for_each_needed_version([&](std::uint64_t offset) {
    const auto record = at<Elf64_Verneed>(offset, what);
    text_at(record.vn_file);
    std::uint64_t version = offset + record.vn_aux;
    for (unsigned i = 0; i < record.vn_cnt; ++i) {
      const auto entry = at<Elf64_Vernaux>(version, what);
      text_at(entry.vna_name);
      version += entry.vna_next;
    }
  });
  std::uint64_t address = dynamic_value(DT_VERDEF);
  for (std::uint64_t i = 0; i < dynamic_value(DT_VERDEFNUM) && address != 0; ++i) {
    const std::uint64_t offset = offset_of(address, sizeof(Elf64_Verdef), what);
    const auto record = at<Elf64_Verdef>(offset, what);
    if (record.vd_cnt != 0) text_at(at<Elf64_Verdaux>(offset + record.vd_aux, what).vda_name);
    if (record.vd_next == 0) break;
    address += record.vd_next;
  }
}

void ElfFile::rename_library(std::string_view from, std::string_view to) {
  std::vector<std::uint64_t> places;
  for (const Elf64_Dyn& entry : dynamic_)
    if ((entry.d_tag == DT_NEEDED || entry.d_tag == DT_SONAME) && text_at(entry.d_un.d_val) == from)
      places.push_back(entry.d_un.d_val);
  for_each_needed_version([&](std::uint64_t offset) {
    const auto record = at<Elf64_Verneed>(offset, "version table");
    if (text_at(record.vn_file) == from) places.push_back(record.vn_file);
  });
  for (const std::uint64_t place : places) std::memcpy(bytes_.data() + strings_.offset + place, to.data(), to.size());
}

}  // namespace cairn
