// SPDX-License-Identifier: BSD-3-Clause
// mpi_t.hpp - MPI_T's error codes in words, its types, and descriptions of variables (sections 15.3.1 to 15.3.7 of MPI-4.0)
//
// Calls the MPI_ names: in a program under a stack they lead to its outermost layer, in a tool without wrappers of MPI_T
// to the layer below. Either way the variables of tools are included.
#pragma once

#include <link.h>
#include <mpi.h>

#include <array>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cairn/kit/mpi_t_terms.hpp"

namespace mpi_t {

using cairn::mpi_t::bindings;
using cairn::mpi_t::classes;
using cairn::mpi_t::scopes;
using cairn::mpi_t::Term;
using cairn::mpi_t::verbosities;
using cairn::mpi_t::word_of;

inline constexpr std::array<Term, 16> codes = {{{MPI_T_ERR_CANNOT_INIT, "MPI_T_ERR_CANNOT_INIT"},
                                                {MPI_T_ERR_NOT_INITIALIZED, "MPI_T_ERR_NOT_INITIALIZED"},
                                                {MPI_T_ERR_MEMORY, "MPI_T_ERR_MEMORY"},
                                                {MPI_T_ERR_INVALID_INDEX, "MPI_T_ERR_INVALID_INDEX"},
                                                {MPI_T_ERR_INVALID_ITEM, "MPI_T_ERR_INVALID_ITEM"},
                                                {MPI_T_ERR_INVALID_SESSION, "MPI_T_ERR_INVALID_SESSION"},
                                                {MPI_T_ERR_INVALID_HANDLE, "MPI_T_ERR_INVALID_HANDLE"},
                                                {MPI_T_ERR_INVALID_NAME, "MPI_T_ERR_INVALID_NAME"},
                                                {MPI_T_ERR_INVALID, "MPI_T_ERR_INVALID"},
                                                {MPI_T_ERR_OUT_OF_HANDLES, "MPI_T_ERR_OUT_OF_HANDLES"},
                                                {MPI_T_ERR_OUT_OF_SESSIONS, "MPI_T_ERR_OUT_OF_SESSIONS"},
                                                {MPI_T_ERR_CVAR_SET_NOT_NOW, "MPI_T_ERR_CVAR_SET_NOT_NOW"},
                                                {MPI_T_ERR_CVAR_SET_NEVER, "MPI_T_ERR_CVAR_SET_NEVER"},
                                                {MPI_T_ERR_PVAR_NO_STARTSTOP, "MPI_T_ERR_PVAR_NO_STARTSTOP"},
                                                {MPI_T_ERR_PVAR_NO_WRITE, "MPI_T_ERR_PVAR_NO_WRITE"},
                                                {MPI_T_ERR_PVAR_NO_ATOMIC, "MPI_T_ERR_PVAR_NO_ATOMIC"}}};

inline std::string name_of_code(int code) {
  const std::string_view known = word_of(codes, code);
  return known.empty() ? "error code " + std::to_string(code) : std::string(known);
}

/// A datatype's name and size; without a name and of size 0 if MPI_T does not allow it.
inline cairn::mpi_t::Type type_of(MPI_Datatype type) {
  for (const cairn::mpi_t::Type& known : cairn::mpi_t::types())
    if (known.type == type) return known;
  if (type == MPI_C_BOOL) return {"bool", type, sizeof(bool)};  // not in the standard's list, but in Open MPI's
  return {"", type, 0};
}

/// Calls work(T{}) with the C++ type of a number's; false for other types.
bool with_number(MPI_Datatype type, auto work) {
  if (type == MPI_INT) work(int{});
  else if (type == MPI_UNSIGNED) work(0U);
  else if (type == MPI_UNSIGNED_LONG) work(0UL);
  else if (type == MPI_UNSIGNED_LONG_LONG) work(0ULL);
  else if (type == MPI_COUNT) work(MPI_Count{});
  else if (type == MPI_DOUBLE) work(0.0);
  else return false;
  return true;
}

/// Whether ranks may only set it together, and to the same value: two algorithms in one MPI_Allreduce hang.
inline bool must_agree(int scope) {
  return scope == MPI_T_SCOPE_ALL || scope == MPI_T_SCOPE_ALL_EQ || scope == MPI_T_SCOPE_GROUP ||
         scope == MPI_T_SCOPE_GROUP_EQ;
}

/// Performance variables that cannot be read without harm. Found by tools/vars/tests/bindings.c, which tries all of them with
/// all kinds of objects; its test fails where one is missing here.
struct Defect {
  std::string_view in_name;
  bool of_inter_communicators;  // only where it is bound to one
  const char* why;
};
inline constexpr auto defects = std::to_array<Defect>({
    {"mtl_psm2_", false, "Open MPI crashes when a handle is allocated while this transport is not in use"},
    {"osc_rdma_", false, "Open MPI reads beyond windows that another component made, such as shared ones"},
    {"pml_ob1_", true, "Open MPI crashes where an inter-communicator has fewer remote than local processes"},
    {"monitoring_flush", false, "its handles are commands: they empty the record and write it to a file"},
});

/// Why no handle may be asked for. Null: it may. `is_inter()`: whether the object is an inter-communicator.
const char* why_harmful(std::string_view name, auto is_inter) {
  for (const Defect& defect : defects)
    if (name.find(defect.in_name) != std::string_view::npos && (!defect.of_inter_communicators || is_inter()))
      return defect.why;
  return nullptr;
}
inline const char* why_harmful(std::string_view name) {
  return why_harmful(name, [] { return false; });
}

/// "pml_ucx_verbose": of the component `mca_pml_ucx.so`, which Open MPI unloads in MPI_Init where it is not in use. If MPI_T
/// was started before, its control variables stay listed, with values in memory that has gone. Other components' answer
/// with an error. Where no component is a file of its own, none goes.
inline bool is_of_unloaded_component(std::string_view name) {
  constexpr std::string_view component = "_ucx_";
  constexpr std::string_view project = "opal_";
  const std::size_t end = name.find(component);
  if (end == std::string_view::npos) return false;
  name = name.substr(0, end + component.size() - 1);
  if (name.starts_with(project)) name.remove_prefix(project.size());
  if (name != "pml_ucx" && name != "osc_ucx" && name != "spml_ucx" && name != "common_ucx") return false;  // of a tool
  struct Search {
    std::string file;
    bool is_loaded = false;
    bool is_any_loaded = false;
  } search{(name.starts_with("common_") ? "/libmca_" : "/mca_") + std::string(name) + ".so"};
  dl_iterate_phdr(
      [](dl_phdr_info* object, std::size_t, void* data) {
        auto& wanted = *static_cast<Search*>(data);
        const std::string_view path = object->dlpi_name;
        if (path.find(wanted.file) != std::string_view::npos) wanted.is_loaded = true;
        if (path.find("/mca_") != std::string_view::npos) wanted.is_any_loaded = true;
        return 0;
      },
      &search);
  return search.is_any_loaded && !search.is_loaded;
}

/// The same of control variables.
inline const char* why_harmful_control(std::string_view name) {
  return is_of_unloaded_component(name)
             ? "Open MPI crashes when a variable of this component is read after it was unloaded"
             : why_harmful(name);
}

/// Texts of MPI_T come with their length, which includes the zero and is cut to the room that there is.
struct Words {
  static constexpr int room = 16384;  // not on the stack, which may be small
  Words() { *data() = '\0'; }         // and no more: there are many
  int length = room;

  char* data() const { return bytes_.get(); }
  std::string text() const { return length <= 1 ? std::string{} : std::string(data()); }

 private:
  std::unique_ptr<char[]> bytes_ = std::make_unique_for_overwrite<char[]>(room);
};

/// What MPI_T tells of a variable: `of_class` and the flags of performance variables, `scope` of control variables.
struct Description {
  std::string name;
  std::string text;
  int verbosity = 0;
  int of_class = 0;
  int binding = 0;
  int scope = 0;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_T_enum enumeration = MPI_T_ENUM_NULL;
  bool readonly = false;
  bool continuous = false;
  bool atomic = false;
};

/// The answer of MPI_T_cvar_get_info.
inline int describe_control(int index, Description& out) {
  Words name;
  Words text;
  const int code = MPI_T_cvar_get_info(index, name.data(), &name.length, &out.verbosity, &out.type, &out.enumeration,
                                       text.data(), &text.length, &out.binding, &out.scope);
  out.name = name.text();
  out.text = text.text();
  return code;
}

/// The answer of MPI_T_pvar_get_info.
inline int describe_performance(int index, Description& out) {
  Words name;
  Words text;
  int flags[3] = {};
  const int code =
      MPI_T_pvar_get_info(index, name.data(), &name.length, &out.verbosity, &out.of_class, &out.type, &out.enumeration,
                          text.data(), &text.length, &out.binding, &flags[0], &flags[1], &flags[2]);
  out.name = name.text();
  out.text = text.text();
  out.readonly = flags[0] != 0;
  out.continuous = flags[1] != 0;
  out.atomic = flags[2] != 0;
  return code;
}

struct EnumItem {
  int value = 0;
  std::string name;
};

inline std::vector<EnumItem> items_of(MPI_T_enum enumeration, std::string& name) {
  std::vector<EnumItem> items;
  if (enumeration == MPI_T_ENUM_NULL) return items;
  Words words;
  int count = 0;
  if (MPI_T_enum_get_info(enumeration, &count, words.data(), &words.length) != MPI_SUCCESS) return items;
  name = words.text();
  for (int i = 0; i < count; ++i) {
    Words item;
    int value = 0;
    if (MPI_T_enum_get_item(enumeration, i, &value, item.data(), &item.length) == MPI_SUCCESS)
      items.push_back({value, item.text()});
  }
  return items;
}

}  // namespace mpi_t
