# SPDX-License-Identifier: BSD-3-Clause
# test_off.py - where a layer is off, nothing of it or of Cairn lies between the layers around it.

from filters_testing import *


def leads(mpi, below):
    """Where the calls of the layer above `below` lead: {function: file}."""
    result = steps(mpi, "leads", below, do="size=1")
    assert result.code == 0, result.err
    line = next(line for line in result.err.splitlines() if line.startswith("leads: "))
    return dict(pair.split() for pair in line.removeprefix("leads: ").split(", "))


def test_a_layer_that_is_on_is_called_directly(mpi):
    assert leads(mpi, "seen") == {"rank": "seen.so", "version": "seen.so", "free": "seen.so", "finalize": "seen.so"}


def test_a_layer_that_is_off_is_passed_by(mpi):
    library = mpi.library
    for off in ("active:off", "ranks:7", "from:1000h", "until:0s", "phase:2"):
        assert leads(mpi, f"seen@{off}") == {"rank": library, "version": library, "free": library, "finalize": "seen.so"}, off


def test_a_function_that_is_filtered_out_is_passed_by(mpi):
    assert leads(mpi, "seen@functions:MPI_Comm_rank") == \
        {"rank": "seen.so", "version": mpi.library, "free": mpi.library, "finalize": "seen.so"}


def test_only_calls_with_a_communicator_meet_the_gate(mpi):
    gate = f"gate-{mpi.id}.so"
    assert leads(mpi, "seen@comms:world") == {"rank": gate, "version": "seen.so", "free": gate, "finalize": "seen.so"}


def test_a_gate_that_is_off_only_sees_communicators_go(mpi):
    assert leads(mpi, "seen@comms:world:active:off") == \
        {"rank": mpi.library, "version": mpi.library, "free": f"gate-{mpi.id}.so", "finalize": "seen.so"}
