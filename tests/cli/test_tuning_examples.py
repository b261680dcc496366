# SPDX-License-Identifier: BSD-3-Clause
# test_tuning_examples.py - the programs of docs/tuning.md run, and what memory does is what is said there. Nothing is timed.

import re

import pytest

from cli_testing import *

LESS_MEMORY = {"openmpi": "btl_vader_eager_limit=1024", "mpich": "env:UCX_RNDV_THRESH=1024"}


def example(mpi, name):
    return str(BUILD / "examples" / mpi.id / name)


def figure(result, form):
    assert (result.code, result.err) == (0, "")
    return float(re.fullmatch(form, result.out)[1])


@pytest.mark.parametrize("name, arguments", [("overlap", ["16384", "1"]), ("collective", ["allreduce", "16384", "1"]),
                                             ("collective", ["alltoall", "8", "1"])])
def test_they_tell_their_time(mpi, name, arguments):
    result = run(*mpi.mpirun(2), example(mpi, name), *arguments)
    assert figure(result, r"time: ([0-9.]+) us per (?:call|iteration)\n") > 0


def test_messages_that_nobody_asked_for_take_less_memory_below_a_smaller_eager_limit(mpi):
    form = r"memory: ([0-9.]+) MB more\n"
    before = figure(run(*mpi.mpirun(2), example(mpi, "unexpected")), form)
    after = figure(run(*mpi.mpirun(2), CAIRN, "run", "--set", LESS_MEMORY[mpi.id], example(mpi, "unexpected")), form)
    assert before > 2 * after
