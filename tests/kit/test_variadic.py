# SPDX-License-Identifier: BSD-3-Clause
# test_variadic.py - MPI_Pcontrol's arguments, of which a C++ tool knows nothing, arrive below it.

from cairn_testing import *

EXPECTED = """1:
2: -1 2 3 2147483647
3: 0.25 1.25 2.25 3.25 4.25 5.25 6.25 -7.25
4: 1 0.50 2 1.50 3 2.50 4 3.50
5: text 1 2 3 4 5 6 7 8 9 10 11 12
"""


@pytest.mark.parametrize("layers", [0, 1, 8])
def test_ints_doubles_and_texts_arrive_through_layers(mpi, layers):
    empty = BUILD / "examples" / mpi.id / "empty.so"
    result = run_stacked(mpi, 1, [empty] * layers + [mpi.tool("kit/prints_pcontrol")], mpi.program("kit/pcontrol"))
    assert (result.code, result.err) == (0, EXPECTED)
