# SPDX-License-Identifier: BSD-3-Clause
# test_conformance_reordered.py - the conformance program, which calls every MPI function, gets the same results with reversed ranks.

import sys
import tempfile

from cairn_testing import *

ORDERS = {"as_launched": "0\n1\n", "reversed": "1\n0\n"}


def logs(mpi, part, *stack, **env):
    """(exit code, file name -> lines, standard error)"""
    with tempfile.TemporaryDirectory(prefix="cairn-reorder.") as folder:
        result = run(*mpi.mpirun(2), *stack, mpi.program("conformance"), part, folder, timeout=120, **env)
        return result.code, {path.name: path.read_text().splitlines() for path in pathlib.Path(folder).glob("log.*")}, result.err


@pytest.mark.parametrize("order", ORDERS)
def test_every_function_has_the_same_results(mpi, order, tmp_path):
    (tmp_path / "order").write_text(ORDERS[order])
    reversed_ranks = {"CONFORMANCE_REVERSED": "1"} if order == "reversed" else {}
    for part in ("all", "threads"):
        code, bare, _ = logs(mpi, part)
        assert code == 0 and len(bare) >= 2
        code, reordered, err = logs(mpi, part, CAIRN, "run", "--tools", f"reorder=file:{tmp_path}/order", "--", **reversed_ranks)
        assert (code, err) == (0, "")
        assert sorted(reordered) == sorted(bare)
        for name, lines in bare.items():
            assert reordered[name] == lines, name
