// SPDX-License-Identifier: BSD-3-Clause
// library.cc - MPI_T's handles, and its types as numbers and texts

#include "library.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "policy/policy.hpp"
#include "shared/named_values.hpp"

namespace policy {

namespace {

MPI_Comm world = MPI_COMM_WORLD;  // MPI_T takes addresses of handles

/// The object to bind a handle to: none or MPI_COMM_WORLD. False: the variable needs another kind.
bool object_for(int binding, void*& object) {
  object = binding == MPI_T_BIND_MPI_COMM ? &world : nullptr;
  return binding == MPI_T_BIND_NO_OBJECT || binding == MPI_T_BIND_MPI_COMM;
}

/// The numbers of mpi_t::with_number, and bool.
bool with_element(MPI_Datatype type, auto work) {
  if (type == MPI_C_BOOL) {
    work(false);
    return true;
  }
  return mpi_t::with_number(type, work);
}

template <class T>
bool fits(double value) {
  if constexpr (std::is_same_v<T, double>) return true;
  else if constexpr (std::is_same_v<T, bool>) return value == 0 || value == 1;
  else
    return value == std::floor(value) && value >= static_cast<double>(std::numeric_limits<T>::min()) &&
           value < std::ldexp(1.0, std::numeric_limits<T>::digits);
}

}  // namespace

bool Library::Variable::fail(const char* function, int code) {
  fault_ = std::string(function) + " returned " + mpi_t::name_of_code(code);
  return false;
}

bool Library::Variable::refuse(const std::string& why) {
  fault_ = why;
  return false;
}

/// With spare room, so that a library that miscounts does not overwrite other data.
void Library::Variable::make_room(int count) {
  count_ = static_cast<std::size_t>(std::max(count, 1));
  bytes_.assign(mpi_t::type_of(about_.type).size * count_ + 4096, std::byte{});
  value_.is_text = about_.type == MPI_CHAR;
}

void Library::Variable::to_value() {
  if (value_.is_text) {
    const auto* const text = reinterpret_cast<const char*>(bytes_.data());
    value_.text.assign(text, strnlen(text, bytes_.size()));
    return;
  }
  value_.numbers.resize(count_);
  const std::byte* at = bytes_.data();
  with_element(about_.type, [&]<class T>(T element) {
    for (double& number : value_.numbers) {
      std::memcpy(&element, at, sizeof element);
      number = static_cast<double>(element);
      at += sizeof element;
    }
  });
}

Value Library::Variable::as_read(const Value& value) const {
  const auto item = std::ranges::find(items_, value.text, &mpi_t::EnumItem::name);
  return value.is_text && item != items_.end() ? Value::number(item->value) : value;
}

bool Library::Variable::from_value(const Value& given) {
  const Value value = as_read(given);
  if (value.is_text != (about_.type == MPI_CHAR))
    return refuse(value.is_text ? mpi_t::refusal(value.text, items_) : "it takes a string, not a number");
  if (value.is_text) {
    if (value.text.size() >= count_) return refuse("the string is too long for it");
    std::memcpy(bytes_.data(), value.text.c_str(), value.text.size() + 1);
    return true;
  }
  if (value.numbers.size() != 1 && value.numbers.size() != count_)
    return refuse(cairn::policy::not_so_many(count_, value.numbers.size()));
  bool all_fit = true;
  std::byte* at = bytes_.data();
  with_element(about_.type, [&]<class T>(T) {
    for (std::size_t i = 0; i < count_; ++i, at += sizeof(T)) {
      const double number = value.numbers[value.numbers.size() == 1 ? 0 : i];
      all_fit = all_fit && fits<T>(number);
      const T element = all_fit ? static_cast<T>(number) : T{};
      std::memcpy(at, &element, sizeof element);
    }
  });
  return all_fit || refuse(format_value(value) + " is no " + std::string(mpi_t::type_of(about_.type).word));
}

const Value& Library::Variable::read(MPI_T_pvar_session session) {
  const int code =
      is_control() ? MPI_T_cvar_read(control_, bytes_.data()) : MPI_T_pvar_read(session, performance_, bytes_.data());
  if (code == MPI_SUCCESS) {
    to_value();
  } else {
    fail(is_control() ? "MPI_T_cvar_read" : "MPI_T_pvar_read", code);
    value_.numbers.clear();
    value_.text.clear();
  }
  return value_;
}

bool Library::Variable::write(const Value& value) {
  if (!is_control()) return refuse(fault_.empty() ? "it is not a control variable" : fault_);
  if (!from_value(value)) return false;
  const int code = MPI_T_cvar_write(control_, bytes_.data());
  return code == MPI_SUCCESS || fail("MPI_T_cvar_write", code);
}

std::string Library::Variable::why_no_element(std::size_t element) const {
  const std::size_t count = value_.is_text ? 1 : count_;
  return element < count && count > 1 ? "" : cairn::policy::no_element(count);
}

bool Library::Variable::write_element(std::size_t element, const Value& value, Value present) {
  const Value number = as_read(value);
  if (number.is_text) return write(number);                     // which says why not
  if (present.numbers.size() != count_) return refuse(fault_);  // it could not be read
  present.numbers[element] = number.front();
  return write(present);
}

int Library::start() {
  int level = MPI_THREAD_SINGLE;
  int provided = 0;
  PMPI_Query_thread(&level);  // others may use MPI_T on the program's threads
  if (const int code = MPI_T_init_thread(level, &provided); code != MPI_SUCCESS) return code;
  return MPI_T_pvar_session_create(&session_);
}

Library::Variable& Library::find(std::string_view name) {
  const auto known = std::ranges::find(variables_, name, &Variable::name);
  if (known != variables_.end()) return *known;
  Variable& variable = variables_.emplace_back(std::string(name));
  look_for(variable);
  return variable;
}

const Value& Library::read(Variable& variable) {
  static const Value& unknown = *new Value;
  if (!variable.is_known() && std::has_single_bit(++variable.searches_)) look_for(variable);
  return variable.is_known() ? variable.read(session_) : unknown;
}

void Library::look_for(Variable& variable) {
  variable.fault_.clear();
  int index = 0;
  if (const char* why = mpi_t::why_harmful_control(variable.name_)) {
    variable.refuse(why);
    return;
  }
  if (MPI_T_cvar_get_index(variable.name_.c_str(), &index) == MPI_SUCCESS) return open_control(variable, index);
  for (const mpi_t::Term& term : mpi_t::classes)
    if (MPI_T_pvar_get_index(variable.name_.c_str(), term.number, &index) == MPI_SUCCESS)
      return open_performance(variable, index);
  variable.refuse("there is no variable of that name");
}

/// Whether a handle can be allocated, given what the library answered about the variable; if so, for which object.
bool Library::Variable::can_be_opened(const char* asked, int answer, void*& object) {
  if (answer != MPI_SUCCESS) return fail(asked, answer);
  return (object_for(about_.binding, object) && mpi_t::type_of(about_.type).size != 0) ||
         refuse("it belongs to an object other than a communicator, or has no type that MPI_T knows");
}

void Library::open_control(Variable& variable, int index) {
  void* object = nullptr;
  int count = 0;
  if (!variable.can_be_opened("MPI_T_cvar_get_info", mpi_t::describe_control(index, variable.about_), object)) return;
  const int code = MPI_T_cvar_handle_alloc(index, object, &variable.control_, &count);
  if (code != MPI_SUCCESS) {
    variable.control_ = MPI_T_CVAR_HANDLE_NULL;
    variable.fail("MPI_T_cvar_handle_alloc", code);
    return;
  }
  variable.items_ = mpi_t::named_values(variable.about_);
  variable.make_room(count);
}

void Library::open_performance(Variable& variable, int index) {
  void* object = nullptr;
  int count = 0;
  if (!variable.can_be_opened("MPI_T_pvar_get_info", mpi_t::describe_performance(index, variable.about_), object))
    return;
  int code = MPI_T_pvar_handle_alloc(session_, index, object, &variable.performance_, &count);
  if (code != MPI_SUCCESS) {
    variable.performance_ = MPI_T_PVAR_HANDLE_NULL;
    variable.fail("MPI_T_pvar_handle_alloc", code);
    return;
  }
  variable.make_room(count);
  if (!variable.about_.continuous) code = MPI_T_pvar_start(session_, variable.performance_);
  if (code != MPI_SUCCESS) variable.fail("MPI_T_pvar_start", code);
}

void Library::finish() {
  for (Variable& variable : variables_) {
    if (variable.is_control()) MPI_T_cvar_handle_free(&variable.control_);
    if (variable.performance_ != MPI_T_PVAR_HANDLE_NULL) MPI_T_pvar_handle_free(session_, &variable.performance_);
    variable.control_ = MPI_T_CVAR_HANDLE_NULL;
    variable.performance_ = MPI_T_PVAR_HANDLE_NULL;
  }
  MPI_T_pvar_session_free(&session_);
}

}  // namespace policy
