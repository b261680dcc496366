# SPDX-License-Identifier: BSD-3-Clause
# expected.py - what the stand-in's programs print and how often they call what; reading what counting tools said.

# How Cairn names the stand-in: 0.1 is the stand-in's own version.
DESCRIPTION = "an MPI with the standard ABI 0.1"

OUTPUT = """rank 0 of 1, MPI 5.0, ABI 1.0, initialized 0 then 1, a double has 8 bytes
received 42 43 from 0 with tag 7
received 43 (code 0, request gone) and 42
sums 0.5 0.25 3
time passed well
finalized 1 with code 0
"""
PCONTROL_LINE = "pcontrol 3 1:1.5 -2:2.5 3:-3.5 4:4.5 5:5.5 6:6.5 7:7.5 8:8.5 9:9.5 2147483647:1e+300 end\n"
CALLS = {"MPI_Init": 1, "MPI_Initialized": 2, "MPI_Comm_rank": 1, "MPI_Comm_size": 1, "MPI_Send": 2, "MPI_Recv": 1,
         "MPI_Irecv": 1, "MPI_Wait": 1, "MPI_Sendrecv": 1, "MPI_Bcast": 1, "MPI_Barrier": 1, "MPI_Allreduce": 2,
         "MPI_Op_create": 1, "MPI_Op_free": 1, "MPI_Comm_dup": 1, "MPI_Comm_free": 1}

FORTRAN_OUTPUT = "sum 30, error 0, time runs\n"
FORTRAN_CALLS = {"MPI_Init": 1, "MPI_Comm_rank": 1, "MPI_Send": 3, "MPI_Recv": 3, "MPI_Barrier": 1}

# Some of what a tool that wraps every function sees.
KIT_CALLS = {"MPI_Send": 2, "MPI_Sendrecv": 1, "MPI_Abi_get_version": 1, "MPI_Wtime": 2, "MPI_Barrier": 1, "MPI_Allreduce": 2}


def counted(text):
    """(tool, {function: calls}) of each line of a counting tool, the outermost first."""
    lines = [line.split() for line in text.splitlines()]
    return [(words[0], {k: int(v) for k, v in (word.split("=") for word in words[2:])}) for words in lines]


def calls_under(layers, calls=CALLS):
    """What a counting tool under this many others sees: each of them asks for its rank at the end."""
    return calls | {"MPI_Comm_rank": calls["MPI_Comm_rank"] + layers}
