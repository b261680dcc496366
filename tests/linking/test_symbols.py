# SPDX-License-Identifier: BSD-3-Clause
# test_symbols.py - tools whose symbol tables are not what the ordinary compiler run gives.

import os

import pytest

from linking_runs import readelf

KINDS = ["weak", "stripped", "sysv_hash", "gnu_hash", "versioned", "gold", "gold_now", "lld", "lld_now"]


@pytest.mark.parametrize("kind", KINDS)
def test_instances_are_linked_whatever_the_symbol_table(watch, kind):
    tool = f"symbols/{kind}"
    if not os.path.exists(watch.tool(tool)):
        pytest.skip(f"linker {kind.split('_')[0]} is not installed")
    name = "weak" if kind == "weak" else "counter"
    watch([tool, "plain/counter", tool, tool]).assert_each_saw_the_ring(name, "counter", name, name)


def test_the_options_made_the_difference_they_are_for(watch):
    symbols = readelf("--dyn-syms", watch.tool("symbols/weak")).splitlines()
    assert " WEAK " in next(line for line in symbols if " MPI_Send" in line)
    assert ".symtab" not in readelf("--sections", watch.tool("symbols/stripped"))
    assert "(GNU_HASH)" not in readelf("--dynamic", watch.tool("symbols/sysv_hash"))
    assert "(HASH)" not in readelf("--dynamic", watch.tool("symbols/gnu_hash"))
    assert "MPI_Send@@TOOL_1.0" in readelf("--dyn-syms", watch.tool("symbols/versioned"))
