# SPDX-License-Identifier: BSD-3-Clause
# conftest.py - the fixtures of this folder's tests: `mpi`, one MPI after the other, and `watch`, a runner.

import pytest

pytest.register_assert_rewrite("linking_runs")

from cairn_testing import mpi  # noqa: E402, F401
from linking_runs import Watcher  # noqa: E402


@pytest.fixture
def watch(mpi, tmp_path):  # noqa: F811
    return Watcher(mpi, tmp_path)
