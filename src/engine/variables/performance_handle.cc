// SPDX-License-Identifier: BSD-3-Clause
// performance_handle.cc - starting values, starting, stopping, reading, writing and resetting of our variables.

#include "variables/performance_handle.hpp"

#include "variables/class_rules.hpp"

namespace cairn::engine {

PerformanceHandle::PerformanceHandle(const Variable& variable, MPI_T_pvar_session session, void* bound, int elements)
    : variable_(&variable),
      session_(session),
      bound_(bound),
      values_(variable.starts_by_itself ? HandleValues()
                                        : HandleValues(static_cast<std::size_t>(elements) * variable.element_size)),
      started_(is_continuous()) {}

bool PerformanceHandle::adds_up() const { return class_rules[variable_->facts.variable_class].adds_up; }

int PerformanceHandle::present(void* value) const {
  return code_of(variable_->facts.read(bound_, value), MPI_T_ERR_INVALID);
}

/// The result of the tool's function, or of MPI_T if it has none.
int PerformanceHandle::ask(int (*function)(void*), int without) const {
  return function == nullptr ? without : code_of(function(bound_), without);
}

int PerformanceHandle::begin() {
  if (variable_->starts_by_itself) return MPI_SUCCESS;
  return present(adds_up() ? values_.base() : values_.kept());
}

void PerformanceHandle::close() const {
  if (variable_->facts.close != nullptr) variable_->facts.close(bound_);
}

int PerformanceHandle::read(void* value) {
  if (variable_->starts_by_itself) return present(value);
  if (!started_) {
    std::memcpy(value, values_.kept(), values_.size());
    return MPI_SUCCESS;
  }
  const int code = present(value);
  if (code == MPI_SUCCESS && adds_up())
    add_up(variable_->facts.type, values_.size(), value, values_.kept(), value, values_.base());
  return code;
}

int PerformanceHandle::start() {
  if (is_continuous()) return MPI_T_ERR_PVAR_NO_STARTSTOP;
  if (variable_->starts_by_itself) return ask(variable_->facts.start, MPI_T_ERR_PVAR_NO_STARTSTOP);
  if (started_) return MPI_SUCCESS;
  const int code = adds_up() ? present(values_.base()) : static_cast<int>(MPI_SUCCESS);
  started_ = code == MPI_SUCCESS;
  return code;
}

int PerformanceHandle::stop() {
  if (is_continuous()) return MPI_T_ERR_PVAR_NO_STARTSTOP;
  if (variable_->starts_by_itself) return ask(variable_->facts.stop, MPI_T_ERR_PVAR_NO_STARTSTOP);
  if (!started_) return MPI_SUCCESS;
  HandleValues now(values_.size());
  if (!now.is_open()) return MPI_T_ERR_MEMORY;
  const int code = read(now.kept());
  if (code != MPI_SUCCESS) return code;
  values_ = std::move(now);
  started_ = false;
  return code;
}

/// What adds up starts at zero, the others at what there is.
int PerformanceHandle::reset() {
  if (is_read_only()) return MPI_T_ERR_PVAR_NO_WRITE;
  if (variable_->starts_by_itself) return ask(variable_->facts.reset, MPI_T_ERR_PVAR_NO_WRITE);
  if (!adds_up()) return present(values_.kept());
  const int code = present(values_.base());
  if (code == MPI_SUCCESS) std::memset(values_.kept(), 0, values_.size());
  return code;
}

int PerformanceHandle::read_and_reset(void* value) {
  if ((variable_->facts.flags & CAIRN_ATOMIC) == 0) return MPI_T_ERR_PVAR_NO_ATOMIC;
  if (is_read_only()) return MPI_T_ERR_PVAR_NO_WRITE;
  if (variable_->starts_by_itself || !adds_up() || !started_) {
    const int code = read(value);
    return code == MPI_SUCCESS ? reset() : code;
  }
  const int code = present(value);  // one reading serves both, so that nothing is lost in between
  if (code != MPI_SUCCESS) return code;
  HandleValues now(values_.size());
  if (!now.is_open()) return MPI_T_ERR_MEMORY;
  std::memcpy(now.base(), value, values_.size());
  add_up(variable_->facts.type, values_.size(), value, values_.kept(), value, values_.base());
  values_ = std::move(now);
  return code;
}

/// A total cannot be changed for other handles: what is written is where this one goes on from.
int PerformanceHandle::write(const void* value) {
  if (is_read_only()) return MPI_T_ERR_PVAR_NO_WRITE;
  if (value == nullptr && variable_->facts.type == CAIRN_CHAR) value = "";
  if (value == nullptr) return MPI_T_ERR_INVALID;
  if (variable_->starts_by_itself || !adds_up()) {
    if (variable_->facts.write == nullptr) return MPI_T_ERR_PVAR_NO_WRITE;
    return code_of(variable_->facts.write(bound_, value), MPI_T_ERR_PVAR_NO_WRITE);
  }
  const int code = present(values_.base());
  if (code == MPI_SUCCESS) std::memcpy(values_.kept(), value, values_.size());
  return code;
}

}  // namespace cairn::engine
