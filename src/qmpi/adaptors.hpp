// SPDX-License-Identifier: BSD-3-Clause
// adaptors.hpp - private copies of the module that stands between PMPI and a QMPI layer (contracts/qmpi_adaptor.h).
#pragma once

#include <string>
#include <vector>

#include "contracts/preload.hpp"
#include "contracts/qmpi_adaptor.h"
#include "stack/functions.hpp"
#include "stack/layer.hpp"

namespace cairn {

class QmpiAdaptors {
 public:
  /// `path`: of the module. All outlive this.
  QmpiAdaptors(const Preload& preload, const Functions& functions, std::string path)
      : preload_(preload), functions_(functions), path_(std::move(path)) {}

  /// A copy of its own for a layer; stays for ever. Throws Problem.
  const cairn_adaptor& open();

  static constexpr std::size_t none = CAIRN_ADAPTOR_NO_ROW;
  /// The row of a function in every copy's tables, or none. After the first open().
  std::size_t row(FunctionIndex function) const { return function == Functions::none ? none : rows_[function]; }
  FunctionIndex function(std::size_t row) const { return indices_[row]; }

 private:
  void number_rows(const cairn_adaptor& adaptor);

  const Preload& preload_;
  const Functions& functions_;
  const std::string path_;
  std::vector<std::size_t> rows_;
  std::vector<FunctionIndex> indices_;
};

}  // namespace cairn
