// SPDX-License-Identifier: BSD-3-Clause
// matrix_market.hpp - reading matrices of who sends how much to whom, as `comm` and other programs write them
// (https://math.nist.gov/MatrixMarket/formats.html)
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace cairn::formats {

struct MatrixEntry {
  int row = 0;  // from 0
  int column = 0;
  double value = 0;
};

/// A square matrix; entries in the file's order, of a symmetric one both halves.
struct Matrix {
  int size = 0;
  std::vector<MatrixEntry> entries;
};

/// Coordinates or an array of real or whole numbers, none of them negative. `name` is for messages, which have the
/// line: throws Problem.
Matrix read_matrix(std::string_view text, const std::string& name);
Matrix read_matrix_file(const std::string& path);

}  // namespace cairn::formats
