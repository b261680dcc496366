# SPDX-License-Identifier: BSD-3-Clause
# test_conformance_reordered.py - the conformance program, which calls every MPI function, gets the same results with reversed ranks.

import tempfile

from cairn_testing import *

def logs(mpi, *stack, **env):
    """(exit code, file name -> lines, standard error)"""
    with tempfile.TemporaryDirectory(prefix="cairn-reorder.") as name:
        folder = pathlib.Path(name)
        with last_lines_told(folder, "log.*"):
            result = (run if stack else run_that_spawns)(*mpi.mpirun(2), *stack, mpi.program("conformance"), "all", folder, timeout=120, **env)
        return result.code, {path.name: path.read_text().splitlines() for path in folder.glob("log.*")}, result.err


def test_every_function_has_the_same_results(mpi, tmp_path):
    code, bare, _ = logs(mpi)
    assert code == 0 and len(bare) >= 2
    for order, settings in (("0\n1\n", {}), ("1\n0\n", {"CONFORMANCE_REVERSED": "1"})):
        (tmp_path / "order").write_text(order)
        code, reordered, err = logs(mpi, CAIRN, "run", "--tools", f"reorder=file:{tmp_path}/order", "--", **settings)
        assert (code, err) == (0, "")
        assert sorted(reordered) == sorted(bare)
        for name, lines in bare.items():
            assert reordered[name] == lines, name
