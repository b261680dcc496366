# SPDX-License-Identifier: BSD-3-Clause
# test_function_pointers.py - tools that keep the addresses of MPI functions in their data.

import pytest

from linking_runs import ring_calls


@pytest.mark.parametrize("storage", ["writable", "read_only", "read_only_now"])
def test_pointers_in_data_lead_to_the_layer_below_or_the_own_wrapper(watch, storage):
    tool = f"function_pointers/{storage}"
    watched = watch(["plain/counter", tool, tool, "plain/counter"])
    watched.assert_clean()
    for rank in (0, 1):
        upper, lower = ring_calls(2), ring_calls(4)
        del upper["MPI_Comm_size"], lower["MPI_Comm_size"]  # these tools have no wrapper of it
        assert watched.seen(rank) == [
            ("counter", ring_calls(0)), ("table", upper), ("table", lower), ("counter", ring_calls(5, MPI_Comm_size=3))]
