# SPDX-License-Identifier: BSD-3-Clause
# waits_testing.py - what tests of the tool `waits` share: programs with one problem of known size, and what is found in them

import json
import re

import cairn_testing
from cairn_testing import *  # noqa: F401,F403  (for the tests' star import)

mpi = cairn_testing.mpi  # the fixture

LATE = 10 * 0.036  # ten steps in which one rank comes 36 ms after the others
STEPS = 10 * 0.04


def line_of(mark, program="planted.c"):
    lines = (SOURCE / "tools" / "waits" / "tests" / program).read_text().splitlines()
    return next(i for i, line in enumerate(lines, 1) if f"/* {mark} */" in line)


def work_of(job):
    """Of each rank: seconds that it was at work, and that it was to be (work.h)."""
    return [(float(worked), float(asked)) for worked, asked in re.findall(r"^worked +([\d.]+) s instead of ([\d.]+) s$", job.out, re.M)]


def planted_run(*arguments, **options):
    """Once more where the machine has made ranks late that were not to be."""
    for _ in range(5):
        job = run_stacked(*arguments, timeout=60, TELL_WORK="1", **options)
        if all(worked - asked < LATE / 10 for worked, asked in work_of(job)):
            break
    return job


def is_seen(seconds, planted, job):
    """Where other work keeps ranks from running, less or more than was planted. To the nanosecond: unit.Waits; to a tenth, on an idle machine: tests/planted."""
    worked, asked = max(work_of(job), key=lambda one: one[1])
    return abs(seconds) < 1e-3 if planted == 0 else 0.5 * planted < seconds < 1.5 * planted * worked / asked


def waits(mpi, out, *arguments, ranks=3, code=0, tools=("waits",)):
    result = planted_run(mpi, ranks, tools, mpi.program("planted"), *arguments, out=out)
    assert code is None or result.code == code, result.err
    return result


def found_in(out):
    """Where both ends of all messages and all members of collective calls are known, no time is unknown."""
    found = json.loads((out / "waits.json").read_text())
    coverage = found["coverage"]
    if coverage["sends"] == coverage["receives"] == coverage["matched"] and coverage["incomplete_collectives"] == 0:
        assert "unknown" not in found["time_s"], found
    return found


def kinds_of(found):
    sums = {}
    for wait in found["waits"]:
        sums[wait["kind"]] = sums.get(wait["kind"], 0) + wait["time_s"]
    return sums
