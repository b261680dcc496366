// SPDX-License-Identifier: BSD-3-Clause
// mpi_t_terms.hpp - the constants and datatypes of MPI_T in this MPI, with their names
//
//   cairn::mpi_t::classes[CAIRN_COUNTER].number          // MPI_T_PVAR_CLASS_COUNTER; its number differs between MPIs
//   cairn::mpi_t::word_of(cairn::mpi_t::scopes, scope)   // "all_eq"
//
// Each table has the order of its enumeration in cairn/variables.h. Include it after <mpi.h>.
#pragma once

#include <mpi.h>

#include <array>
#include <climits>
#include <cstddef>
#include <string_view>

#include "cairn/variables.h"

namespace cairn::mpi_t {

struct Term {
  int number;
  std::string_view word;
};

inline constexpr int not_in_this_mpi = INT_MIN;

/// Of performance variables, by cairn_class.
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

#ifdef CAIRN_HAS_BIND_SESSION
inline constexpr int bind_session = MPI_T_BIND_MPI_SESSION;
#else
inline constexpr int bind_session = not_in_this_mpi;
#endif

/// What a variable is bound to, by cairn_binding.
inline constexpr std::array<Term, 12> bindings = {{{MPI_T_BIND_NO_OBJECT, "none"},
                                                   {MPI_T_BIND_MPI_COMM, "communicator"},
                                                   {MPI_T_BIND_MPI_DATATYPE, "datatype"},
                                                   {MPI_T_BIND_MPI_ERRHANDLER, "error handler"},
                                                   {MPI_T_BIND_MPI_FILE, "file"},
                                                   {MPI_T_BIND_MPI_GROUP, "group"},
                                                   {MPI_T_BIND_MPI_OP, "operation"},
                                                   {MPI_T_BIND_MPI_REQUEST, "request"},
                                                   {MPI_T_BIND_MPI_WIN, "window"},
                                                   {MPI_T_BIND_MPI_MESSAGE, "message"},
                                                   {MPI_T_BIND_MPI_INFO, "info"},
                                                   {bind_session, "session"}}};

/// Where a control variable can be set, by cairn_scope.
inline constexpr std::array<Term, 7> scopes = {{{MPI_T_SCOPE_CONSTANT, "constant"},
                                                {MPI_T_SCOPE_READONLY, "readonly"},
                                                {MPI_T_SCOPE_LOCAL, "local"},
                                                {MPI_T_SCOPE_GROUP, "group"},
                                                {MPI_T_SCOPE_GROUP_EQ, "group_eq"},
                                                {MPI_T_SCOPE_ALL, "all"},
                                                {MPI_T_SCOPE_ALL_EQ, "all_eq"}}};

/// Who a variable is meant for, from all users to the library's developers, by cairn_verbosity.
inline constexpr std::array<Term, 9> verbosities = {{{MPI_T_VERBOSITY_USER_BASIC, "user_basic"},
                                                     {MPI_T_VERBOSITY_USER_DETAIL, "user_detail"},
                                                     {MPI_T_VERBOSITY_USER_ALL, "user_all"},
                                                     {MPI_T_VERBOSITY_TUNER_BASIC, "tuner_basic"},
                                                     {MPI_T_VERBOSITY_TUNER_DETAIL, "tuner_detail"},
                                                     {MPI_T_VERBOSITY_TUNER_ALL, "tuner_all"},
                                                     {MPI_T_VERBOSITY_MPIDEV_BASIC, "mpidev_basic"},
                                                     {MPI_T_VERBOSITY_MPIDEV_DETAIL, "mpidev_detail"},
                                                     {MPI_T_VERBOSITY_MPIDEV_ALL, "mpidev_all"}}};

/// "" for a number that the table does not have.
template <std::size_t N>
constexpr std::string_view word_of(const std::array<Term, N>& terms, int number) {
  for (const Term& term : terms)
    if (term.number == number) return term.word;
  return "";
}

struct Type {
  std::string_view word;
  MPI_Datatype type;
  std::size_t size;
};

/// The datatypes that MPI_T allows, by cairn_type. A function, as handles of some MPIs are addresses that the loader
/// fills in; with sizes, as some libraries refuse MPI_Type_size before MPI_Init.
inline std::array<Type, 7> types() {
  return {{{"int", MPI_INT, sizeof(int)},
           {"unsigned", MPI_UNSIGNED, sizeof(unsigned)},
           {"unsigned long", MPI_UNSIGNED_LONG, sizeof(unsigned long)},
           {"unsigned long long", MPI_UNSIGNED_LONG_LONG, sizeof(unsigned long long)},
           {"MPI_Count", MPI_COUNT, sizeof(MPI_Count)},
           {"char", MPI_CHAR, sizeof(char)},
           {"double", MPI_DOUBLE, sizeof(double)}}};
}

}  // namespace cairn::mpi_t
