// SPDX-License-Identifier: BSD-3-Clause
// comm_matrices.hpp - matrices of a run that comm itself cannot write, or that other programs want in another form
#pragma once

#include <string>
#include <vector>

namespace cairn::report {

struct MatrixFile {
  std::string path;
  std::string text;
};

/// comm/inner.bytes.mtx and .messages.mtx, which `cairn place` takes too, from the files that Open MPI's monitoring
/// component has written after comm had gathered its results; none if there are no such files.
std::vector<MatrixFile> inner_matrices(const std::string& run);

/// PREFIX_size_all.mat, _msg_, _avg_; _external, _internal, _osc, _coll: the names and the form of profile2mat.pl, which
/// comes with Open MPI. Throws Problem if the run has no results of comm.
std::vector<MatrixFile> symmetric_matrices(const std::string& run, const std::string& prefix);

}  // namespace cairn::report
