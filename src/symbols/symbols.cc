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
#include <pthread.h>
#include <signal.h>
#include <sys/stat.h>

#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "cairn/services/symbols.hpp"
#include "symbols/call_chain.hpp"
#include "symbols/local_files.hpp"

namespace {

std::mutex one_at_a_time;  // libdw is not for several threads

const Dwfl_Callbacks callbacks = {.find_elf = nullptr,
                                  .find_debuginfo = cairn::find_local_debuginfo,
                                  .section_address = dwfl_offline_section_address,
                                  .debuginfo_path = nullptr};

struct Object {
  Dwfl* session = nullptr;
  Dwfl_Module* module = nullptr;
  GElf_Addr bias = 0;  // of the address that libdw gave the file
  struct stat file {};
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

/// Whether it is another file, or has been written since.
bool differ(const struct stat& one, const struct stat& other) {
  return one.st_dev != other.st_dev || one.st_ino != other.st_ino || one.st_size != other.st_size ||
         one.st_mtim.tv_sec != other.st_mtim.tv_sec || one.st_mtim.tv_nsec != other.st_mtim.tv_nsec;
}

/// Opened again after the file has been compiled again; one that is gone is still read. What callers got of it is kept
/// apart (keep).
const Object& object_of(const char* path) {
  static auto& objects = *new std::map<std::string, Object>;
  struct stat file {};
  const bool is_there = stat(path, &file) == 0;
  const auto [place, is_new] = objects.try_emplace(path);
  Object& object = place->second;
  if (is_new || (is_there && differ(object.file, file))) {
    if (object.session != nullptr) dwfl_end(object.session);
    object = open_object(path);
    object.file = file;
  }
  return object;
}

const char* keep(const std::string& text) {
  static auto& texts = *new std::set<std::string>;
  return texts.insert(text).first->c_str();
}

/// Only what begins so is a mangled name: "f" alone would be read as the type float.
std::string readable(const char* name) {
  if (std::strncmp(name, "_Z", 2) != 0) return name;
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

/// Adds the functions below `parent` that have the address: the inlined ones, the innermost first, then that whose code
/// they are in. False if there is none.
bool add_functions(Dwarf_Die* parent, Dwarf_Addr address, std::vector<Dwarf_Die>& functions) {
  Dwarf_Die child;
  if (dwarf_child(parent, &child) != 0) return false;
  do {
    const int tag = dwarf_tag(&child);
    const bool has_code = dwarf_haspc(&child, address) > 0;
    if (!has_code && !is_wrapping(tag)) continue;
    const bool found = add_functions(&child, address, functions);
    const bool is_one = has_code && is_function(tag);
    if (is_one) functions.push_back(child);
    if (is_one || found) return true;
  } while (dwarf_siblingof(&child, &child) == 0);
  return false;
}

/// None without debug information.
std::vector<Dwarf_Die> functions_at(Dwfl_Module* module, GElf_Addr address) {
  std::vector<Dwarf_Die> functions;
  Dwarf_Addr bias = 0;
  if (Dwarf_Die* const unit = dwfl_module_addrdie(module, address, &bias))
    add_functions(unit, address - bias, functions);
  return functions;
}

const char* name_of(Dwarf_Die& function) {
  const char* const name = dwarf_diename(&function);
  return name == nullptr ? "" : keep(readable(name));
}

/// Where an inlined function is called.
void find_call(Dwarf_Die& inlined, cairn::SourcePlace& place) {
  Dwarf_Attribute attribute;
  Dwarf_Word value = 0;
  if (dwarf_formudata(dwarf_attr(&inlined, DW_AT_call_line, &attribute), &value) == 0)
    place.line = static_cast<int>(value);
  Dwarf_Die unit;
  Dwarf_Files* files = nullptr;
  std::size_t count = 0;
  if (dwarf_formudata(dwarf_attr(&inlined, DW_AT_call_file, &attribute), &value) != 0) return;
  if (dwarf_diecu(&inlined, &unit, nullptr, nullptr) == nullptr || dwarf_getsrcfiles(&unit, &files, &count) != 0)
    return;
  if (const char* const file = dwarf_filesrc(files, value, nullptr, nullptr)) place.file = keep(file);
}

int look_up(const char* path, std::uint64_t address, cairn::SourcePlace* places, int most) {
  *places = {"", "", 0};
  const Object& object = object_of(path);
  if (object.module == nullptr) return 0;
  const GElf_Addr there = address + object.bias;
  std::vector<Dwarf_Die> functions = functions_at(object.module, there);
  if (!functions.empty()) places->function = name_of(functions.front());
  else if (const char* symbol = dwfl_module_addrname(object.module, there)) places->function = keep(readable(symbol));
  if (Dwfl_Line* const line = dwfl_module_getsrc(object.module, there))
    if (const char* file = dwfl_lineinfo(line, nullptr, &places->line, nullptr, nullptr, nullptr))
      places->file = keep(file);
  if (*places->function == '\0' && *places->file == '\0') return 0;
  int count = 1;
  for (; count < most && static_cast<std::size_t>(count) < functions.size(); ++count) {
    places[count] = {name_of(functions[static_cast<std::size_t>(count)]), "", 0};
    find_call(functions[static_cast<std::size_t>(count) - 1], places[count]);
  }
  return count;
}

/// On a stack of its own, without the program's signals: libdw takes tens of kilobytes of it, and the caller's may be
/// small. On the caller's if there can be no thread.
template <class Question>
void answer_apart(Question& question) {
  constexpr std::size_t room = std::size_t{1} << 20U;
  const auto answer = [](void* data) -> void* {
    (*static_cast<Question*>(data))();
    return nullptr;
  };
  const std::lock_guard lock(one_at_a_time);
  pthread_attr_t attributes;
  if (pthread_attr_init(&attributes) != 0) return question();
  pthread_attr_setstacksize(&attributes, room);
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_t thread{};
  const bool started = pthread_create(&thread, &attributes, answer, &question) == 0;
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  pthread_attr_destroy(&attributes);
  if (started) pthread_join(thread, nullptr);
  else question();
}

int find_inlined(const char* path, std::uint64_t address, cairn::SourcePlace* places, int most) {
  int count = 0;
  auto question = [&] { count = look_up(path, address, places, most); };
  answer_apart(question);
  return count;
}

int find(const char* path, std::uint64_t address, cairn::SourcePlace* place) {
  return find_inlined(path, address, place, 1) == 0 ? 1 : 0;
}

int walk_up(const cairn::ThreadPlace* from, std::uint64_t* addresses, int most) {
  int count = 0;
  auto question = [&] { count = cairn::walk_up(*from, addresses, most); };
  answer_apart(question);
  return count;
}

}  // namespace

extern "C" __attribute__((visibility("default"))) const cairn::Symbols cairn_symbols = {find, find_inlined, walk_up};
