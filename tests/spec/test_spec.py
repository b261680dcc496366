# SPDX-License-Identifier: BSD-3-Clause
# test_spec.py - the spec against what is generated from it, each MPI's header and each MPI's library.

import sys

from cairn_testing import *
from generate_test import *  # the generator's own tests run with these


def test_generated_files_are_those_of_the_spec():
    result = run(sys.executable, SOURCE / "spec/generate.py", "--check")
    assert result.code == 0, result.out + result.err


def test_header_and_library_differ_from_the_spec_only_as_listed(mpi):
    result = run(sys.executable, SOURCE / "tests/spec/compare.py", mpi.library_path(), *mpi.include_folders(), timeout=500)
    assert result.code == 0, result.out + result.err
