// SPDX-License-Identifier: BSD-3-Clause
// functions.hpp - the functions of one MPI at compile time: a number, a name, a category, and the roles of the
// parameters
//
// Include it after <mpi.h> with CAIRN_FUNCTIONS defined to the table of this MPI's functions, which the CMake function
// cairn_mpi_functions writes. facts(F) has a function's name and category, roles<F> its parameters' roles, and
// argument<F, Role::dest>(arguments) takes an argument by its role. Nothing here exists at run time but the names.

#pragma once

#include <array>
#include <cstddef>
#include <utility>

#include "cairn/roles.hpp"

namespace cairn {

/// Numbers the functions of this MPI's table: Function::MPI_Send_, … (the names themselves are macros in some mpi.h)
enum class Function : unsigned short {
#define CAIRN_FUNCTION(name, result, parameters, arguments, category, roles) name##_,
#define CAIRN_VARIADIC_FUNCTION CAIRN_FUNCTION
#include CAIRN_FUNCTIONS
#undef CAIRN_FUNCTION
  count
};

inline constexpr std::size_t function_count = static_cast<std::size_t>(Function::count);

struct FunctionFacts {
  const char* name;
  Category category;
  bool variadic = false;
};

inline constexpr std::array<FunctionFacts, function_count> function_facts = {{
#define CAIRN_FUNCTION(name, result, parameters, arguments, category, roles) {#name, Category::category},
#undef CAIRN_VARIADIC_FUNCTION
#define CAIRN_VARIADIC_FUNCTION(name, result, parameters, arguments, category, roles) {#name, Category::category, true},
#include CAIRN_FUNCTIONS
#undef CAIRN_FUNCTION
#undef CAIRN_VARIADIC_FUNCTION
#define CAIRN_VARIADIC_FUNCTION CAIRN_FUNCTION
}};

constexpr const FunctionFacts& facts(Function function) { return function_facts[static_cast<std::size_t>(function)]; }

template <class... Roles>
constexpr std::array<Role, sizeof...(Roles)> list_roles(Roles... roles) {
  return {roles...};
}

namespace role_lists {
using enum Role;
#define CAIRN_FUNCTION(name, result, parameters, arguments, category, roles) \
  inline constexpr auto of_##name = list_roles roles;
#include CAIRN_FUNCTIONS
#undef CAIRN_FUNCTION
}  // namespace role_lists

template <Function F>
inline constexpr std::array<Role, 0> roles = {};
#define CAIRN_FUNCTION(name, result, parameters, arguments, category, role_list) \
  template <>                                                                    \
  inline constexpr auto roles<Function::name##_> = role_lists::of_##name;
#include CAIRN_FUNCTIONS
#undef CAIRN_FUNCTION
#undef CAIRN_VARIADIC_FUNCTION

/// The position of the first parameter with a role, or -1.
template <Function F>
constexpr int position(Role role) {
  for (std::size_t i = 0; i < roles<F>.size(); ++i)
    if (roles<F>[i] == role) return static_cast<int>(i);
  return -1;
}

template <Function F>
constexpr bool has(Role role) {
  return position<F>(role) >= 0;
}

/// The argument with a role, which the function must have.
template <Function F, Role R, class Arguments>
const auto& argument(const Arguments& arguments) {
  static_assert(has<F>(R), "the function has no parameter of this role: test cairn::has<F>(role) first");
  using std::get;  // of a std::tuple; of a call's arguments otherwise
  return get<static_cast<std::size_t>(position<F>(R))>(arguments);
}

}  // namespace cairn
