# SPDX-License-Identifier: BSD-3-Clause
# traced_testing.py - runs of actions.c under the tool trace, and what `cairn trace` shows of a run.

import re

from cairn_testing import CAIRN, run, run_stacked


def trace(mpi, out, *arguments, tools="trace", ranks=2, **more):
    return run_stacked(mpi, ranks, [tools], mpi.program("actions"), *arguments, out=out, timeout=60, **more)


def shown(out, *words):
    result = run(CAIRN, "trace", out, *words)
    assert result.code == 0, result.err
    return result


def without_times(line):
    """Requests by letters, in the order of their first use, are for the caller: handles come back."""
    line = re.sub(r"^ *[\d.]+ +\d+\.\d+ +(([\d.]+ us|not over) +)?", "", line).strip()
    return re.sub(r"  \S+:\d+ (\w+)$", r" \1", line).removesuffix(" main")
