// SPDX-License-Identifier: BSD-3-Clause
// mpi_t.hpp - MPI_T's constants in words, its types, and asking for descriptions (sections 15.3.1 to 15.3.7 of MPI-4.0)
//
// By the MPI_ names: in a program they are what it sees under a stack, in a tool without wrappers of MPI_T what lies
// below it. Either has the variables of tools among them.
#pragma once

#include <mpi.h>

#include <array>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace mpi_t {

/// A constant of mpi.h; their numbers differ from MPI to MPI.
struct Term {
  int number;
  std::string_view word;
};

inline constexpr std::array<Term, 10> classes = {{{MPI_T_PVAR_CLASS_STATE, "state"},
                                                  {MPI_T_PVAR_CLASS_LEVEL, "level"},
                                                  {MPI_T_PVAR_CLASS_SIZE, "size"},
                                                  {MPI_T_PVAR_CLASS_PERCENTAGE, "percentage"},
                                                  {MPI_T_PVAR_CLASS_HIGHWATERMARK, "highwatermark"},
                                                  {MPI_T_PVAR_CLASS_LOWWATERMARK, "lowwatermark"},
                                                  {MPI_T_PVAR_CLASS_COUNTER, "counter"},
                                                  {MPI_T_PVAR_CLASS_AGGREGATE, "aggregate"},
                                                  {MPI_T_PVAR_CLASS_TIMER, "timer"},
                                                  {MPI_T_PVAR_CLASS_GENERIC, "generic"}}};

inline constexpr std::array<Term, 11> bindings = {{{MPI_T_BIND_NO_OBJECT, "none"},
                                                   {MPI_T_BIND_MPI_COMM, "communicator"},
                                                   {MPI_T_BIND_MPI_DATATYPE, "datatype"},
                                                   {MPI_T_BIND_MPI_ERRHANDLER, "error handler"},
                                                   {MPI_T_BIND_MPI_FILE, "file"},
                                                   {MPI_T_BIND_MPI_GROUP, "group"},
                                                   {MPI_T_BIND_MPI_OP, "operation"},
                                                   {MPI_T_BIND_MPI_REQUEST, "request"},
                                                   {MPI_T_BIND_MPI_WIN, "window"},
                                                   {MPI_T_BIND_MPI_MESSAGE, "message"},
                                                   {MPI_T_BIND_MPI_INFO, "info"}}};

inline constexpr std::array<Term, 7> scopes = {{{MPI_T_SCOPE_CONSTANT, "constant"},
                                                {MPI_T_SCOPE_READONLY, "readonly"},
                                                {MPI_T_SCOPE_LOCAL, "local"},
                                                {MPI_T_SCOPE_GROUP, "group"},
                                                {MPI_T_SCOPE_GROUP_EQ, "group_eq"},
                                                {MPI_T_SCOPE_ALL, "all"},
                                                {MPI_T_SCOPE_ALL_EQ, "all_eq"}}};

/// For whom: from what every user should see to what only the library's developers want.
inline constexpr std::array<Term, 9> verbosities = {{{MPI_T_VERBOSITY_USER_BASIC, "user_basic"},
                                                     {MPI_T_VERBOSITY_USER_DETAIL, "user_detail"},
                                                     {MPI_T_VERBOSITY_USER_ALL, "user_all"},
                                                     {MPI_T_VERBOSITY_TUNER_BASIC, "tuner_basic"},
                                                     {MPI_T_VERBOSITY_TUNER_DETAIL, "tuner_detail"},
                                                     {MPI_T_VERBOSITY_TUNER_ALL, "tuner_all"},
                                                     {MPI_T_VERBOSITY_MPIDEV_BASIC, "mpidev_basic"},
                                                     {MPI_T_VERBOSITY_MPIDEV_DETAIL, "mpidev_detail"},
                                                     {MPI_T_VERBOSITY_MPIDEV_ALL, "mpidev_all"}}};

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

/// "" for a number that the standard does not know.
template <std::size_t N>
constexpr std::string_view word_of(const std::array<Term, N>& terms, int number) {
  for (const Term& term : terms)
    if (term.number == number) return term.word;
  return {};
}

inline std::string name_of_code(int code) {
  const std::string_view known = word_of(codes, code);
  return known.empty() ? "error code " + std::to_string(code) : std::string(known);
}

struct Type {
  std::string_view word;
  std::size_t size;  // 0: none that MPI_T allows
};

/// Without MPI_Type_size, which some libraries refuse before MPI_Init.
inline Type type_of(MPI_Datatype type) {
  if (type == MPI_INT) return {"int", sizeof(int)};
  if (type == MPI_UNSIGNED) return {"unsigned", sizeof(unsigned)};
  if (type == MPI_UNSIGNED_LONG) return {"unsigned long", sizeof(unsigned long)};
  if (type == MPI_UNSIGNED_LONG_LONG) return {"unsigned long long", sizeof(unsigned long long)};
  if (type == MPI_COUNT) return {"MPI_Count", sizeof(MPI_Count)};
  if (type == MPI_CHAR) return {"char", sizeof(char)};
  if (type == MPI_DOUBLE) return {"double", sizeof(double)};
  if (type == MPI_C_BOOL) return {"bool", sizeof(bool)};  // not in the standard's list, but in Open MPI's
  return {"", 0};
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

/// Performance variables that cannot be read without harm. Found by tools/vars/tests/bindings.c, which tries all of them with
/// all kinds of objects; its test fails where one is missing here.
struct Defect {
  std::string_view in_name;
  bool of_inter_communicators;  // only where it is bound to one
  const char* why;
};
inline constexpr auto defects = std::to_array<Defect>({
#ifdef OPEN_MPI
    {"mtl_psm2_", false, "Open MPI crashes when a handle is allocated while this transport is not in use"},
    {"osc_rdma_", false, "Open MPI reads beyond windows that another component made, such as shared ones"},
    {"pml_ob1_", true, "Open MPI crashes where an inter-communicator has fewer remote than local processes"},
#endif
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
