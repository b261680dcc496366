// SPDX-License-Identifier: BSD-3-Clause
// elf_file_test.cc - what the ELF reader says of good files and of each kind of bad one.

#include "loader/elf_file.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>

namespace cairn {
namespace {

using Bytes = std::vector<std::byte>;

Bytes bytes_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  const std::vector<char> text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  Bytes bytes(text.size());
  std::memcpy(bytes.data(), text.data(), text.size());
  return bytes;
}

std::string refusal(Bytes bytes) {
  try {
    ElfFile(std::move(bytes)).check_loadable();
  } catch (const ElfError& error) {
    return error.what();
  }
  return "none";
}

template <class T, class Change>
Bytes changed(Bytes bytes, std::size_t offset, Change change) {
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  change(value);
  std::memcpy(bytes.data() + offset, &value, sizeof value);
  return bytes;
}

bool contains(const std::vector<std::string_view>& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

TEST(ElfFile, TellsWhatALibraryDefinesAndNeeds) {
  const ElfFile file = ElfFile::read(SAMPLE_LIBRARY);
  EXPECT_TRUE(file.for_this_machine());
  EXPECT_TRUE(file.is_shared_object());
  EXPECT_TRUE(file.interpreter().empty());
  EXPECT_EQ(file.soname(), "libunit_sample.so");
  EXPECT_EQ(file.runpath(), "$ORIGIN");
  EXPECT_TRUE(contains(file.needed(), "libc.so.6"));
  EXPECT_TRUE(contains(file.defined_functions(), "MPI_Send"));
  EXPECT_FALSE(contains(file.defined_functions(), "hidden_function"));
  EXPECT_TRUE(contains(file.undefined_symbols(), "PMPI_Send"));
  EXPECT_EQ(file.exported_text("cairn_tool_about"), "abi 1\nsummary a sample\n");
  EXPECT_EQ(file.exported_text("nothing"), "");
  EXPECT_NO_THROW(file.check_loadable());
}

TEST(ElfFile, AcceptsTheLibrariesOfThisProcess) {
  for (const std::string path :
       {"/proc/self/exe", "/lib/x86_64-linux-gnu/libc.so.6", "/lib/x86_64-linux-gnu/libm.so.6"}) {
    std::ifstream there(path);
    if (!there) continue;
    EXPECT_NO_THROW(ElfFile::read(path).check_loadable()) << path;
  }
  EXPECT_FALSE(ElfFile::read("/proc/self/exe").interpreter().empty());
}

TEST(ElfFile, NamesWhatIsNoElfFile) {
  EXPECT_EQ(refusal({}), "is not an ELF file");
  EXPECT_EQ(refusal(Bytes(100, std::byte{'a'})), "is not an ELF file");
  EXPECT_THROW(ElfFile::read("/nonexistent"), ElfError);
}

TEST(ElfFile, SaysWhyAFileCannotBeRead) {
  const auto why = [](const std::string& path) {
    try {
      ElfFile::read(path);
    } catch (const ElfError& error) {
      return std::string(error.what());
    }
    return std::string("none");
  };
  EXPECT_EQ(why("/nonexistent"), "does not exist");
  EXPECT_EQ(why("/"), "is a folder");
  EXPECT_EQ(why("/dev/null"), "is not a regular file");
}

TEST(ElfFile, NamesAnotherMachine) {
  const Bytes good = bytes_of(SAMPLE_LIBRARY);
  const ElfFile other(changed<Elf64_Ehdr>(good, 0, [](Elf64_Ehdr& header) { header.e_machine = EM_S390; }));
  EXPECT_FALSE(other.for_this_machine());
  EXPECT_EQ(other.machine_name(), "s390");
  EXPECT_EQ(refusal(changed<Elf64_Ehdr>(good, 0, [](Elf64_Ehdr& header) { header.e_ident[EI_CLASS] = ELFCLASS32; })),
            "is built for another kind of machine (not 64-bit little-endian)");
}

TEST(ElfFile, RefusesEveryCutThroughItsSegments) {
  const Bytes good = bytes_of(SAMPLE_LIBRARY);
  const std::size_t loaded = ElfFile(good).loadable_bytes().size();
  for (std::size_t size = 0; size < loaded; size += 97)
    EXPECT_NE(refusal(Bytes(good.begin(), good.begin() + static_cast<long>(size))), "none") << size;
  EXPECT_EQ(refusal(Bytes(good.begin(), good.begin() + 40)), "is cut short");
}

TEST(ElfFile, IsLoadableWithoutItsSections) {
  ElfFile file = ElfFile::read(SAMPLE_LIBRARY);
  file.drop_sections();
  const auto loadable = file.loadable_bytes();
  EXPECT_EQ(refusal(Bytes(loadable.begin(), loadable.end())), "none");
}

TEST(ElfFile, CanPreferItsOwnSymbols) {
  ElfFile file = ElfFile::read(SAMPLE_LIBRARY);
  ASSERT_TRUE(file.prefer_own_symbols());
  const auto changed = file.bytes();
  ElfFile after(Bytes(changed.begin(), changed.end()));
  EXPECT_NO_THROW(after.check_loadable());
  EXPECT_TRUE(after.prefers_own_symbols());
  EXPECT_FALSE(ElfFile::read(SAMPLE_LIBRARY).prefers_own_symbols());
}

TEST(ElfFile, GivesUniqueSymbolsAnOrdinaryBinding) {
  ElfFile file = ElfFile::read(SAMPLE_LIBRARY);
  file.make_unique_symbols_ordinary();
  const auto after = file.loadable_bytes();
  const auto before = bytes_of(SAMPLE_LIBRARY);
  int changes = 0;
  for (std::size_t i = 0; i < after.size(); ++i) changes += after[i] != before[i] ? 1 : 0;
  EXPECT_GE(changes, 1);
  EXPECT_NO_THROW(file.check_loadable());
}

TEST(ElfFile, RenamesALibraryWhereverItIsNamed) {
  ElfFile file = ElfFile::read(SAMPLE_LIBRARY);
  const std::string unique = "#00000001";
  ASSERT_EQ(std::string("libc.so.6").size(), unique.size());
  file.rename_library("libc.so.6", unique);
  EXPECT_TRUE(contains(file.needed(), unique));
  EXPECT_FALSE(contains(file.needed(), "libc.so.6"));
  EXPECT_NO_THROW(file.check_loadable());
}

}  // namespace
}  // namespace cairn
