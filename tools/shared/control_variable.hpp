// SPDX-License-Identifier: BSD-3-Clause
// control_variable.hpp - one control variable by name: its value as text, read and written (section 15.3.6 of MPI-4.0)
//
// MPI_T is initialized.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "shared/mpi_t.hpp"
#include "shared/named_values.hpp"

namespace mpi_t {

class ControlVariable {
 public:
  explicit ControlVariable(const std::string& name) {
    int index = 0;
    code_ = MPI_T_cvar_get_index(name.c_str(), &index);
    Description description;
    if (code_ == MPI_SUCCESS) code_ = describe_control(index, description);
    type_ = description.type;
    values_ = named_values(description);
    if (why_harmful_control(name) != nullptr)
      code_ = MPI_T_ERR_INVALID_INDEX;  // as of other components that are unloaded
    if (code_ == MPI_SUCCESS && description.binding != MPI_T_BIND_NO_OBJECT) code_ = MPI_T_ERR_INVALID_HANDLE;
    if (code_ == MPI_SUCCESS) code_ = MPI_T_cvar_handle_alloc(index, nullptr, &handle_, &count_);
  }
  ~ControlVariable() {
    if (code_ == MPI_SUCCESS) MPI_T_cvar_handle_free(&handle_);
  }
  ControlVariable(const ControlVariable&) = delete;
  ControlVariable& operator=(const ControlVariable&) = delete;

  /// MPI_SUCCESS, or why it cannot be used.
  int code() const { return code_; }

  /// As `cairn vars --json` shows it; none if it cannot be read or is not a single value.
  std::optional<std::string> read() const {
    std::vector<char> bytes = room();
    if (MPI_T_cvar_read(handle_, bytes.data()) != MPI_SUCCESS) return std::nullopt;
    if (type_ == MPI_CHAR) return std::string(bytes.data(), strnlen(bytes.data(), static_cast<std::size_t>(count_)));
    if (type_ == MPI_C_BOOL) return bytes[0] != 0 ? "true" : "false";
    std::optional<std::string> text;
    if (count_ == 1)
      with_number(type_, [&](auto number) {
        std::memcpy(&number, bytes.data(), sizeof number);
        char digits[64];
        text.emplace(digits, std::to_chars(digits, digits + sizeof digits, number).ptr);
      });
    return text;
  }

  /// The whole, elements with commas between them or one value for all; or one element. Empty, or why not.
  std::string write(const std::string& text, std::optional<std::size_t> element = {}) const {
    std::vector<char> bytes = room();
    if (element && (*element >= static_cast<std::size_t>(count_) || type_ == MPI_CHAR))
      return cairn::policy::no_element(type_ == MPI_CHAR ? 1 : static_cast<std::size_t>(count_));
    if (element) MPI_T_cvar_read(handle_, bytes.data());  // the others stay as they are
    if (type_ == MPI_CHAR) {
      if (text.size() >= static_cast<std::size_t>(count_))
        return "it has room for " + std::to_string(count_ - 1) + " characters";
      text.copy(bytes.data(), text.size());
    } else if (const std::string why = write_elements(text, element, bytes.data()); !why.empty()) {
      return why;
    }
    const int code = MPI_T_cvar_write(handle_, bytes.data());
    return code == MPI_SUCCESS ? "" : "writing it returned " + name_of_code(code);
  }

 private:
  /// With spare room, so that a library that miscounts does not overwrite other data.
  std::vector<char> room() const {
    return std::vector<char>(type_of(type_).size * static_cast<std::size_t>(count_) + 4096);
  }

  /// A value's name as its number; other texts unchanged.
  std::string number_of(const std::string& text) const {
    const auto named = std::ranges::find(values_, text, &EnumItem::name);
    return named == values_.end() ? text : std::to_string(named->value);
  }

  std::string write_elements(const std::string& text, std::optional<std::size_t> element, char* bytes) const {
    const auto count = static_cast<std::size_t>(count_);
    std::vector<std::string> values;
    for (const std::string_view value : cairn::split(text, ',')) values.emplace_back(value);
    if (values.size() != 1 && values.size() != count) return cairn::policy::not_so_many(count, values.size());
    const std::size_t size = type_of(type_).size;
    for (std::size_t i = element.value_or(0); i < (element ? *element + 1 : count); ++i) {
      const std::string& value = values[values.size() == 1 ? 0 : i];
      if (!write_number(number_of(value), bytes + i * size)) return refusal(value, values_);
    }
    return "";
  }

  bool write_number(const std::string& text, char* bytes) const {
    if (type_ == MPI_C_BOOL) {
      *bytes = text == "true" ? 1 : 0;
      return true;
    }
    bool good = false;
    with_number(type_, [&](auto number) {
      const char* const end = text.data() + text.size();
      const auto [rest, error] = std::from_chars(text.data(), end, number);
      good = rest == end && error == std::errc();
      if (good) std::memcpy(bytes, &number, sizeof number);
    });
    return good;
  }

  int code_ = MPI_SUCCESS;
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
  MPI_T_cvar_handle handle_ = MPI_T_CVAR_HANDLE_NULL;
  int count_ = 0;
  std::vector<EnumItem> values_;  // those that have a name
};

}  // namespace mpi_t
