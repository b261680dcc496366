// SPDX-License-Identifier: BSD-3-Clause
// matrix_market.hpp - matrices of who sends how much to whom, as `comm` and other programs write them
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

/// The lines before the size of a matrix that Cairn writes. `what`: a comment; `run`: identity, "" if it is not known.
inline std::string matrix_head(const std::string& what, const std::string& run) {
  return "%%MatrixMarket matrix coordinate integer general\n% " + what +
         "; row: sender, column: receiver, world ranks from 1\n" + (run.empty() ? "" : "% run " + run + "\n");
}

/// Coordinates or an array of real or whole numbers, none of them negative. `name` is for messages, which have the
/// line: throws Problem.
Matrix read_matrix(std::string_view text, const std::string& name);
Matrix read_matrix_file(const std::string& path);

}  // namespace cairn::formats
