// SPDX-License-Identifier: BSD-3-Clause
// record.cc - the log and the counts of one process; calls PMPI_ functions only, which no layer sees

#include "record.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <utility>

namespace conformance {
namespace {

using cairn::Role;

struct Record {
  std::string folder;
  std::string part;
  std::FILE* log = nullptr;
  std::string pending;  // the line noted last, which may still be retracted
  std::map<std::string_view, unsigned long> calls;
  bool trace = std::getenv("CONFORMANCE_TRACE") != nullptr;  // each call on stderr before it is made, to find a crash
};

Record record;

std::string path_of(const char* what) {
  return record.folder + "/" + what + "." + record.part + "." + std::to_string(launch_rank());
}

void write_pending() {
  if (record.log == nullptr || record.pending.empty()) return;
  std::fprintf(record.log, "%s\n", record.pending.c_str());
  std::fflush(record.log);
  record.pending.clear();
}

// What is the same in every run, if the call writes it.
constexpr std::array number_roles = {Role::flag,
                                     Role::rank_result,
                                     Role::ranks_result,
                                     Role::size_result,
                                     Role::completed_index,
                                     Role::completed_count,
                                     Role::completed_indices,
                                     Role::comparison,
                                     Role::version,
                                     Role::provided_thread_level,
                                     Role::topology_status,
                                     Role::dimension_count,
                                     Role::dimensions,
                                     Role::coordinates,
                                     Role::periods,
                                     Role::neighbors,
                                     Role::neighbor_count,
                                     Role::neighbor_rank,
                                     Role::graph_size,
                                     Role::graph,
                                     Role::weights,
                                     Role::status_elements,
                                     Role::status_field,
                                     Role::detached_size,
                                     Role::layout,
                                     Role::type_size,
                                     Role::combiner,
                                     Role::packed_size,
                                     Role::packed_position,
                                     Role::file_size,
                                     Role::file_offset_result,
                                     Role::access_mode,
                                     Role::window_size,
                                     Role::displacement_unit,
                                     Role::info_key_count,
                                     Role::text_length,
                                     Role::process_set_count,
                                     Role::tool_count,
                                     Role::tool_index,
                                     Role::tool_indices,
                                     Role::tool_property,
                                     Role::error_class,
                                     Role::error_code,
                                     Role::error_codes};

constexpr std::array text_roles = {
    Role::name, Role::text, Role::info_key, Role::info_value, Role::process_set_name, Role::data_representation};

template <std::size_t Count>
bool is_one_of(const std::array<Role, Count>& roles, Role role) {
  return std::find(roles.begin(), roles.end(), role) != roles.end();
}

std::string quoted(const char* text) {
  std::string result = "'";
  for (; *text != '\0'; ++text) result += *text == '\n' ? ' ' : *text;
  return result + "'";
}

bool is_file_access(cairn::Category category) {
  using enum cairn::Category;
  return category == io || category == io_nonblocking || category == io_collective ||
         category == io_collective_nonblocking;
}

/// Source and tag mean nothing after an access to a file.
std::string status_text(const FinishedCall& call, const MPI_Status* status) {
  if (status == MPI_STATUS_IGNORE || status == MPI_STATUSES_IGNORE) return "ignored";
  int count = 0;
  if (is_file_access(call.category)) {
    PMPI_Get_count(status, MPI_BYTE, &count);
    return std::to_string(count) + " bytes";
  }
  return std::to_string(status->MPI_SOURCE) + "/" + std::to_string(status->MPI_TAG);
}

std::string shown(const FinishedCall& call, std::size_t i) {
  const Role role = call.roles[i];
  const Output& output = call.outputs[i];
  if (output.where == nullptr) return "";
  switch (output.kind) {
    case Output::Kind::status:
      return status_text(call, static_cast<const MPI_Status*>(output.where));
    case Output::Kind::text:
      return is_one_of(text_roles, role) ? quoted(static_cast<const char*>(output.where)) : "";
    case Output::Kind::small_number:
      return is_one_of(number_roles, role) ? std::to_string(*static_cast<const int*>(output.where)) : "";
    case Output::Kind::large_number:
      return is_one_of(number_roles, role) ? std::to_string(*static_cast<const long long*>(output.where)) : "";
    default:
      return "";
  }
}

/// Takes the first name off "(buf, count, …)".
std::string_view next_name(std::string_view& names) {
  names.remove_prefix(names.find_first_not_of("(, "));
  const std::size_t end = names.find_first_of(",)");
  const std::string_view name = names.substr(0, end);
  names.remove_prefix(end);
  return name;
}

std::string outputs_text(const FinishedCall& call) {
  std::string text;
  std::string_view names = call.parameters;
  for (std::size_t i = 0; i < call.count; ++i) {
    const std::string_view name = next_name(names);
    const std::string value = shown(call, i);
    if (!value.empty()) text.append(" ").append(name).append("=").append(value);
  }
  return text;
}

bool mpi_is_active() {
  int started = 0;
  int ended = 0;
  PMPI_Initialized(&started);
  PMPI_Finalized(&ended);
  return started != 0 && ended == 0;
}

/// MPI_T has codes that are no error classes, and small; MPICH lets some of its functions return codes as others have
/// them.
int class_of(const FinishedCall& call, int code) {
  int error_class = code;
  const bool from_tool_interface = call.category == cairn::Category::tool_interface && code < 1000;
  if (code == MPI_SUCCESS || from_tool_interface || !mpi_is_active()) return code;
  return PMPI_Error_class(code, &error_class) == MPI_SUCCESS ? error_class : -1;
}

}  // namespace

int launch_rank() {
  static const bool is_reversed = std::getenv("CONFORMANCE_REVERSED") != nullptr;  // under the tool `reorder`
  for (const auto& [rank_name, size_name] : {std::pair("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"),
                                             std::pair("PMI_RANK", "PMI_SIZE"), std::pair("PMIX_RANK", "")}) {
    const char* const rank = std::getenv(rank_name);
    const char* const size = std::getenv(size_name);
    if (rank != nullptr)
      return is_reversed && size != nullptr ? std::atoi(size) - 1 - std::atoi(rank) : std::atoi(rank);
  }
  return 0;
}

const std::string& folder() { return record.folder; }

void open_record(const std::string& folder, const std::string& part) {
  record.folder = folder;
  record.part = part;
  record.log = std::fopen(path_of("log").c_str(), "w");
  if (record.log == nullptr) std::perror(path_of("log").c_str());
}

void write_counts() {
  write_pending();
  std::FILE* file = std::fopen(path_of("calls").c_str(), "w");
  if (file == nullptr) return;
  for (const auto& [name, count] : record.calls)
    std::fprintf(file, "%d %d %.*s %lu\n", launch_rank(), static_cast<int>(getpid()), static_cast<int>(name.size()),
                 name.data(), count);
  std::fclose(file);
}

void note(const std::string& line) {
  write_pending();
  record.pending = line;
}

void retract() { record.pending.clear(); }

void note_sum(const std::string& label, const int* values, std::size_t count) {
  unsigned long sum = 0;
  for (std::size_t i = 0; i < count; ++i) sum = sum * 31 + static_cast<unsigned>(values[i]);
  note(label + " sum=" + std::to_string(sum));
}

void note_numbers(const std::string& label, const int* values, std::size_t count) {
  std::string line = label;
  for (std::size_t i = 0; i < count; ++i) line.append(" ").append(std::to_string(values[i]));
  note(line);
}

void count_call(std::string_view name) {
  if (record.trace) std::fprintf(stderr, "%d %.*s\n", launch_rank(), static_cast<int>(name.size()), name.data());
  ++record.calls[name];
}

void note_call(const FinishedCall& call, int code) {
  note(std::string(call.name) + " rc=" + std::to_string(class_of(call, code)) + outputs_text(call));
}

void note_call(const FinishedCall& call) { note(std::string(call.name) + outputs_text(call)); }

}  // namespace conformance
