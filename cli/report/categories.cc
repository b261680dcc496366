// SPDX-License-Identifier: BSD-3-Clause
// categories.cc - what time in an MPI function means

#include "cli/report/categories.hpp"

#include <map>
#include <optional>

#include "cairn/roles.hpp"

namespace cairn::report {

namespace {

std::optional<Category> category_of(std::string_view function) {
  static const std::map<std::string_view, Category> categories = {
#define CAIRN_FUNCTION(name, result, parameters, arguments, category, roles) {#name, Category::category},
#define CAIRN_VARIADIC_FUNCTION CAIRN_FUNCTION
#include "cairn/generated/functions.inc"
#undef CAIRN_VARIADIC_FUNCTION
#undef CAIRN_FUNCTION
  };
  const auto found = categories.find(function);
  if (found == categories.end()) return std::nullopt;
  return found->second;
}

std::string_view meaning_of(Category category) {
  switch (category) {
    using enum Category;
    case point_to_point:
      return "Returns when the message has arrived, or its buffer can be reused.";
    case completion:
      return "Waits for the completion of transfers started earlier.";
    case probe:
      return "Waits for a message.";
    case collective:
    case neighborhood:
    case window_creation:
      return "All ranks take part: early ones wait for the last.";
    case communicator_creation:
      return "All ranks take part; most of it is the library's own work.";
    case one_sided_synchronization:
      return "Waits for the completion of one-sided transfers.";
    case probe_nonblocking:
    case completion_nonblocking:
      return "Checks without waiting: time spent polling.";
    case point_to_point_nonblocking:
    case collective_nonblocking:
    case neighborhood_nonblocking:
    case start:
    case one_sided:
      return "Starts a transfer without waiting for it: the library's own work.";
    case io:
    case io_collective:
    case io_nonblocking:
    case io_collective_nonblocking:
    case file:
      return "Time in the file system.";
    case lifecycle:
    case session:
      return "Paid once per run: matters less in longer runs.";
    default:
      return "Work of the library in the calling process.";
  }
}

}  // namespace

std::string_view category_name(std::string_view function) {
  static const std::map<std::string_view, std::string_view> names = {
#define CAIRN_FUNCTION(name, result, parameters, arguments, category, roles) {#name, #category},
#define CAIRN_VARIADIC_FUNCTION CAIRN_FUNCTION
#include "cairn/generated/functions.inc"
#undef CAIRN_VARIADIC_FUNCTION
#undef CAIRN_FUNCTION
  };
  const auto found = names.find(function);
  return found == names.end() ? std::string_view() : found->second;
}

std::string_view meaning_of(std::string_view function) {
  const auto category = category_of(function);
  return category ? meaning_of(*category) : std::string_view();
}

double& part_of(formats::profile::Split& split, TimeSpent what) {
  switch (what) {
    case TimeSpent::waiting:
      return split.waiting;
    case TimeSpent::blocking:
      return split.blocking;
    case TimeSpent::moving:
      return split.moving;
    default:
      return split.rest;
  }
}

TimeSpent spent_in(std::string_view function) {
  const std::optional<Category> category = category_of(function);
  if (!category) return TimeSpent::rest;
  switch (*category) {
    using enum Category;
    case completion:
    case completion_nonblocking:
    case probe:
    case probe_nonblocking:
    case one_sided_synchronization:
      return TimeSpent::waiting;
    case point_to_point:
    case collective:
    case neighborhood:
      return function == "MPI_Barrier" ? TimeSpent::waiting : TimeSpent::blocking;
    default:
      return moves_data(*category) ? TimeSpent::moving : TimeSpent::rest;
  }
}

bool is_start_or_end(std::string_view function) { return category_of(function) == Category::lifecycle; }

bool waits_for_others(std::string_view function) {
  const auto category = category_of(function);
  return category == Category::collective || category == Category::neighborhood ||
         category == Category::window_creation;
}

bool is_point_to_point(std::string_view function) {
  switch (category_of(function).value_or(Category::lifecycle)) {
    using enum Category;
    case point_to_point:
    case point_to_point_nonblocking:
    case start:
    case probe:
    case probe_nonblocking:
    case completion:
    case completion_nonblocking:
      return true;
    default:
      return false;
  }
}

}  // namespace cairn::report
