# SPDX-License-Identifier: BSD-3-Clause
# linking_runs.py - runs a program under tools and reads what each tool said it saw; used by the tests of this folder.

import subprocess
from dataclasses import dataclass

from cairn_testing import run, run_stacked

LIMIT = 30  # seconds for one run, of which nearly all take less than one
RING_OUTPUT = "ok ring_c: 2 ranks, 10 rounds, rank sum 1, errors 0\n"


def ring_calls(above=0, **changes):
    """What the program ring_c lets a tool see under `above` others, each of which asks for its rank at the end."""
    calls = {"MPI_Init": 1, "MPI_Comm_rank": 1 + above, "MPI_Comm_size": 1, "MPI_Send": 10, "MPI_Recv": 10,
             "MPI_Bcast": 1, "MPI_Barrier": 1, "MPI_Allreduce": 1}
    return calls | changes


@dataclass
class Watched:
    """A finished run and the lines of its tools."""

    code: int
    out: str
    err: str
    lines: list

    def seen(self, rank):
        """(tool, {function: calls}) of one rank in the order in which the tools came to MPI_Finalize."""
        said = [line.split() for line in self.lines]
        return [(words[0], {k: int(v) for k, v in (word.split("=") for word in words[2:])})
                for words in said if words[1] == str(rank) and all("=" in word for word in words[2:])]

    def assert_clean(self, out=RING_OUTPUT):
        assert (self.err, self.code, self.out) == ("", 0, out)

    def assert_each_saw_the_ring(self, *tools):
        """Every tool saw every call once, the outermost reported first."""
        self.assert_clean()
        for rank in (0, 1):
            assert self.seen(rank) == [(tool, ring_calls(above)) for above, tool in enumerate(tools)]


class Watcher:
    """Runs programs of one MPI; tools are named as they lie below tests/<mpi>/linking, without the ending."""

    def __init__(self, mpi, folder):
        self.mpi = mpi
        self.folder = folder
        self.runs = 0

    def path(self, name):
        return str(self.mpi.folder / "linking" / name)

    def tool(self, name):
        return self.path(name + ".so")

    def program(self, name):
        return self.path(name) if "/" in name else self.mpi.program(name)

    def run_with(self, start, env):
        self.runs += 1
        log = self.folder / f"said.{self.runs}"
        result = start(TEST_TOOL_LOG=log, timeout=LIMIT, **env)
        lines = log.read_text().splitlines() if log.exists() else []
        return Watched(result.code, result.out, result.err, lines)

    def __call__(self, tools, program="ring_c", *arguments, ranks=2, options=(), **env):
        """The program under these tools."""
        paths = [self.tool(tool) for tool in tools]
        return self.run_with(lambda **more: run_stacked(self.mpi, ranks, paths, self.program(program), *arguments,
                                                        options=options, **more), env)

    def bare(self, program, *arguments, ranks=2, **env):
        """The program without Cairn."""
        command = [*self.mpi.mpirun(ranks), self.program(program), *arguments]
        return self.run_with(lambda **more: run(*command, **more), env)


def readelf(option, path):
    return subprocess.run(["readelf", "--wide", option, path], check=True, capture_output=True, text=True).stdout
