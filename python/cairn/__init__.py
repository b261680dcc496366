# SPDX-License-Identifier: BSD-3-Clause
"""Results of runs under Cairn's tools, as pandas data frames.

    import cairn
    run = cairn.open("results")
    run.functions.head()
    run.matrix().sum(axis=1)
    cairn.compare([cairn.open(folder) for folder in folders])

What is in a run's folder is read by the command ``cairn report``, which alone knows the formats: parts of ranks that died, traces
and memory of killed ranks included. See docs/python.md.
"""

from .runs import Error, Run, compare, open, write_extrap

__all__ = ["Error", "Run", "compare", "open", "write_extrap"]
