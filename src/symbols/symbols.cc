// SPDX-License-Identifier: BSD-3-Clause
// symbols.cc - libcairn-symbols.so: names of addresses by libdw, in a library of its own that is opened when first
// needed
//
// Compilers inline and split functions, so the name is that of the innermost scope at the address; Fortran's and C++'s
// names are given as the source has them, where the debug information does. Asked at exit too, at any place among the
// exit handlers, so nothing here is destroyed.

#include <cxxabi.h>
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <fcntl.h>

#include <cstdlib>
#include <map>
#include <mutex>
#include <set>
#include <string>

#include "cairn/services/symbols.hpp"

namespace {

std::mutex one_at_a_time;  // libdw is not for several threads

const Dwfl_Callbacks callbacks = {.find_elf = nullptr,
                                  .find_debuginfo = dwfl_standard_find_debuginfo,
                                  .section_address = dwfl_offline_section_address,
                                  .debuginfo_path = nullptr};

struct Object {
  Dwfl* session = nullptr;
  Dwfl_Module* module = nullptr;
  GElf_Addr bias = 0;  // of the address that libdw gave the file
};

Object open_object(const char* path) {
  Object object;
  object.session = dwfl_begin(&callbacks);
  if (object.session == nullptr) return object;
  dwfl_report_begin(object.session);
  object.module = dwfl_report_elf(object.session, path, path, -1, 0, true);
  dwfl_report_end(object.session, nullptr, nullptr);
  if (object.module != nullptr && dwfl_module_getelf(object.module, &object.bias) == nullptr) object.module = nullptr;
  return object;
}

const Object& object_of(const char* path) {
  static auto& objects = *new std::map<std::string, Object>;
  const auto place = objects.find(path);
  return place != objects.end() ? place->second : objects.emplace(path, open_object(path)).first->second;
}

const char* keep(const std::string& text) {
  static auto& texts = *new std::set<std::string>;
  return texts.insert(text).first->c_str();
}

std::string readable(const char* name) {
  int status = 0;
  char* plain = abi::__cxa_demangle(name, nullptr, nullptr, &status);
  if (plain == nullptr) return name;
  std::string text(plain);
  std::free(plain);
  return text;
}

bool is_function(int tag) {
  return tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine || tag == DW_TAG_entry_point;
}

/// What may contain functions without having code of its own: dwarf_getscopes does not look into these.
bool is_wrapping(int tag) {
  return tag == DW_TAG_module || tag == DW_TAG_namespace || tag == DW_TAG_structure_type || tag == DW_TAG_class_type;
}

/// The name of the innermost function below `parent` that has the address, inlined ones too; null if there is none.
const char* innermost_function(Dwarf_Die* parent, Dwarf_Addr address) {
  Dwarf_Die child;
  if (dwarf_child(parent, &child) != 0) return nullptr;
  do {
    const int tag = dwarf_tag(&child);
    const bool has_code = dwarf_haspc(&child, address) > 0;
    if (!has_code && !is_wrapping(tag)) continue;
    if (const char* name = innermost_function(&child, address)) return name;
    if (has_code && is_function(tag)) return dwarf_diename(&child);
  } while (dwarf_siblingof(&child, &child) == 0);
  return nullptr;
}

/// The function whose source code the address belongs to; null without debug information.
const char* scope_name(Dwfl_Module* module, GElf_Addr address) {
  Dwarf_Addr bias = 0;
  Dwarf_Die* const unit = dwfl_module_addrdie(module, address, &bias);
  return unit == nullptr ? nullptr : innermost_function(unit, address - bias);
}

int find(const char* path, std::uint64_t address, cairn::SourcePlace* place) {
  const std::lock_guard lock(one_at_a_time);
  *place = {"", "", 0};
  const Object& object = object_of(path);
  if (object.module == nullptr) return 1;
  const GElf_Addr there = address + object.bias;
  if (const char* name = scope_name(object.module, there)) place->function = keep(readable(name));
  else if (const char* symbol = dwfl_module_addrname(object.module, there)) place->function = keep(readable(symbol));
  if (Dwfl_Line* const line = dwfl_module_getsrc(object.module, there))
    if (const char* file = dwfl_lineinfo(line, nullptr, &place->line, nullptr, nullptr, nullptr))
      place->file = keep(file);
  return *place->function == '\0' && *place->file == '\0' ? 1 : 0;
}

}  // namespace

extern "C" __attribute__((visibility("default"))) const cairn::Symbols cairn_symbols = {find};
