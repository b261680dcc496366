// SPDX-License-Identifier: BSD-3-Clause
// elf_mutation_test.cc - fuzzing the ELF reader: damaged copies of a real library, the same ones in every run.
//
// The reader must answer or throw ElfError; the sanitizer build turns any read out of bounds into a failure.

#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <iterator>
#include <random>

#include "loader/elf_file.hpp"

namespace cairn {
namespace {

using Bytes = std::vector<std::byte>;

Bytes sample() {
  std::ifstream in(SAMPLE_LIBRARY, std::ios::binary);
  const std::vector<char> text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  Bytes bytes(text.size());
  std::memcpy(bytes.data(), text.data(), text.size());
  return bytes;
}

/// Every question that the reader answers; true if it took the file for a good one.
bool ask_everything(Bytes bytes) {
  try {
    ElfFile file(std::move(bytes));
    file.machine_name();
    file.interpreter();
    file.soname();
    file.needed();
    file.rpath();
    file.runpath();
    file.uses_static_tls();
    file.defined_functions();
    file.undefined_symbols();
    file.exported_text("cairn_tool_about");
    file.check_loadable();
    file.make_unique_symbols_ordinary();
    file.rename_library("libc.so.6", "#00000001");
    file.drop_sections();
    file.loadable_bytes();
    return true;
  } catch (const ElfError&) {
    return false;
  }
}

/// Where the tables are that the reader follows, so that damage hits them and not code.
std::size_t table_bytes(const Bytes& bytes) {
  Elf64_Ehdr header;
  std::memcpy(&header, bytes.data(), sizeof header);
  return header.e_phoff + header.e_phnum * sizeof(Elf64_Phdr);
}

TEST(ElfMutation, SingleBytesOfTheHeadersAreSurvived) {
  const Bytes good = sample();
  int refused = 0;
  for (std::size_t place = 0; place < table_bytes(good); ++place)
    for (const unsigned value : {0x00U, 0x01U, 0x7fU, 0x80U, 0xffU}) {
      Bytes bad = good;
      bad[place] = static_cast<std::byte>(value);
      refused += ask_everything(std::move(bad)) ? 0 : 1;
    }
  EXPECT_GT(refused, 100);
}

TEST(ElfMutation, RandomDamageAnywhereIsSurvived) {
  const Bytes good = sample();
  std::mt19937_64 random(20261120);
  for (int round = 0; round < 4000; ++round) {
    Bytes bad = good;
    const auto hits = 1 + random() % 16;
    for (std::uint64_t i = 0; i < hits; ++i) bad[random() % 0x1400 % bad.size()] = static_cast<std::byte>(random());
    if (random() % 4 == 0) bad.resize(random() % bad.size());
    ask_everything(std::move(bad));
  }
  EXPECT_TRUE(ask_everything(good));
}

TEST(ElfMutation, HugeNumbersInTheDynamicSectionAreSurvived) {
  const Bytes good = sample();
  Elf64_Ehdr header;
  std::memcpy(&header, good.data(), sizeof header);
  for (unsigned i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment;
    std::memcpy(&segment, good.data() + header.e_phoff + i * sizeof segment, sizeof segment);
    if (segment.p_type != PT_DYNAMIC) continue;
    for (std::uint64_t entry = 0; entry < segment.p_filesz; entry += sizeof(Elf64_Dyn))
      for (const std::uint64_t value :
           {std::uint64_t{0}, std::uint64_t{1}, ~std::uint64_t{0}, ~std::uint64_t{0} / 24, std::uint64_t{1} << 40}) {
        Bytes bad = good;
        std::memcpy(bad.data() + segment.p_offset + entry + 8, &value, sizeof value);
        ask_everything(std::move(bad));
      }
  }
  EXPECT_TRUE(ask_everything(good));
}

}  // namespace
}  // namespace cairn
