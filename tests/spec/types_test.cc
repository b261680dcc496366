// SPDX-License-Identifier: BSD-3-Clause
// types_test.cc - the types in the function table are those of one MPI's mpi.h
//
// Compiled once per MPI by compare.py, which defines CAIRN_FUNCTIONS as the part of the table to check. There is
// nothing to run.

#include <mpi.h>
#if __has_include(<mpi-ext.h>)
#include <mpi-ext.h>
#endif

#include <initializer_list>
#include <type_traits>

#include "cairn/roles.hpp"

#define CAIRN_FUNCTION(name, result, parameters, arguments, category, roles) \
  static_assert(std::is_same_v<decltype(&P##name), result(*) parameters>, #name ": the spec and mpi.h differ");
#define CAIRN_VARIADIC_FUNCTION CAIRN_FUNCTION
#include CAIRN_FUNCTIONS
#undef CAIRN_FUNCTION

// Every category and role of the table is one that roles.hpp knows.
namespace enumerators {
using enum cairn::Category;
constexpr std::initializer_list<cairn::Category> categories = {
#define CAIRN_FUNCTION(name, result, parameters, arguments, category, roles) category,
#include CAIRN_FUNCTIONS
#undef CAIRN_FUNCTION
};
}  // namespace enumerators

namespace enumerators::of_parameters {
using enum cairn::Role;
constexpr int count_roles(std::initializer_list<cairn::Role> roles) { return static_cast<int>(roles.size()); }
#define CAIRN_LIST(...) \
  { __VA_ARGS__ }
#define CAIRN_FUNCTION(name, result, parameters, arguments, category, roles) \
  static_assert(count_roles(CAIRN_LIST roles) >= 0);
#include CAIRN_FUNCTIONS
#undef CAIRN_FUNCTION
}  // namespace enumerators::of_parameters
