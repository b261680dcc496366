// SPDX-License-Identifier: BSD-3-Clause
// library.hpp - the variables that a policy names, read and written through MPI_T
//
// MPI_T is started here and never finalized: others may use it, and some libraries crash when it is finalized. For one
// thread at a time. Reading a variable that was read before allocates nothing.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "policy/expression.hpp"
#include "shared/mpi_t.hpp"

namespace policy {

using cairn::policy::Value;

class Library {
 public:
  /// A control or performance variable; performance variables of communicators are those of MPI_COMM_WORLD.
  class Variable {
   public:
    explicit Variable(std::string name) : name_(std::move(name)) {}

    const std::string& name() const { return name_; }
    bool is_known() const { return is_control() || performance_ != MPI_T_PVAR_HANDLE_NULL; }
    bool is_control() const { return control_ != MPI_T_CVAR_HANDLE_NULL; }
    int scope() const { return about_.scope; }
    /// "MPI_T_cvar_read returned MPI_T_ERR_INVALID_INDEX"; why it is unknown, or the last error.
    const std::string& fault() const { return fault_; }
    std::size_t count() const { return count_; }
    /// Why there is no such element to set; "": there is.
    std::string why_no_element(std::size_t element) const;

    /// The value now; without elements if the library returns an error.
    const Value& read(MPI_T_pvar_session session);
    /// The name of a value as the number that reading returns for it; other values unchanged.
    Value as_read(const Value& value) const;
    /// A single number goes to every element. False: the library or the type does not allow it; fault() says why.
    bool write(const Value& value);
    /// One element; the others stay as they are in `present`, which was read before.
    bool write_element(std::size_t element, const Value& value, Value present);

   private:
    friend Library;
    bool can_be_opened(const char* asked, int answer, void*& object);
    bool fail(const char* function, int code);
    bool refuse(const std::string& why);
    void make_room(int count);
    void to_value();
    bool from_value(const Value& value);

    std::string name_;
    mpi_t::Description about_;
    std::vector<mpi_t::EnumItem> items_;
    MPI_T_cvar_handle control_ = MPI_T_CVAR_HANDLE_NULL;
    MPI_T_pvar_handle performance_ = MPI_T_PVAR_HANDLE_NULL;
    std::size_t count_ = 0;
    std::vector<std::byte> bytes_;
    Value value_;
    std::string fault_;
    unsigned searches_ = 0;
  };

  /// After MPI_Init; an error code of MPI_T.
  int start();
  /// The variable of that name, known or not. The reference stays valid.
  Variable& find(std::string_view name);
  /// The present value. Variables that did not exist are looked up again, at growing intervals.
  const Value& read(Variable& variable);
  void finish();

 private:
  void look_for(Variable& variable);
  void open_control(Variable& variable, int index);
  void open_performance(Variable& variable, int index);

  MPI_T_pvar_session session_ = MPI_T_PVAR_SESSION_NULL;
  std::deque<Variable> variables_;
};

}  // namespace policy
