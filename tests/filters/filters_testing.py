# SPDX-License-Identifier: BSD-3-Clause
# filters_testing.py - running the program of these tests under layers with filters.

import re

import cairn_testing
from cairn_testing import *  # noqa: F401,F403  (for the tests' star import)

mpi = cairn_testing.mpi  # the fixture


def layer(mpi, text):
    """`seen` and `leads` at the beginning of a layer are these tests' tools."""
    return re.sub(r"^(seen|leads)\b", lambda name: mpi.tool(f"filters/{name[1]}"), text)


def steps(mpi, *layers, do, ranks=1, launched=True, options=(), **more):
    """Runs the steps under layers such as "seen@functions:MPI_Comm_rank", outermost first."""
    tools = ["--tools", ",".join(layer(mpi, text) for text in layers)] if layers else []
    launcher = mpi.mpirun(ranks) if launched else []
    return run(*launcher, CAIRN, "run", *tools, *options, "--", mpi.program("filters/steps"), *do.split(), **more)


def seen(result, *functions):
    """What each layer `seen` of rank 0 counted of the functions, outermost first; without functions of all."""
    return seen_by_rank(result, *functions)[0]


def seen_by_rank(result, *functions):
    assert result.code == 0, result.err
    counts = {}
    for rank, words in re.findall(r"^seen (-?\d+): (.*)$", result.err, re.MULTILINE):
        calls = {name: int(number) for name, _, number in (word.partition("=") for word in words.split())}
        kept = tuple(calls[name] for name in functions) if functions else calls
        counts.setdefault(int(rank), []).insert(0, kept[0] if len(functions) == 1 else kept)  # the innermost ends first
    return counts


def said(result):
    """Cairn's own words."""
    return "".join(line for line in result.err.splitlines(keepends=True) if line.startswith("cairn: "))
