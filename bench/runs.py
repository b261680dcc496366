# SPDX-License-Identifier: BSD-3-Clause
# runs.py - running the benchmark programs under a stack: times, instructions, messages between two ranks.

import json
import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

from setups import PLACES

LAUNCHERS = {"openmpi": ("mpirun.openmpi", "--oversubscribe", "-n", "2"), "mpich": ("mpirun.mpich", "-n", "2")}
LOOPS = {"rank_loop": "rank_calls", "message_loop": "messages", "recorded_loop": "pairs"}  # the function with a program's loop


class CannotRun(Exception):
    """A program of the benchmark failed; the text says which and why."""


def environment(folder):
    """Without anything of Cairn's left over; one Open MPI process alone starts no daemon; root may run."""
    env = {k: v for k, v in os.environ.items() if not k.startswith("CAIRN_") and k not in ("LD_PRELOAD", "TOOLS")}
    env.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", CAIRN_TOOL_PATH=str(folder), LC_ALL="C.UTF-8")
    return env


class Runner:
    """Runs programs of one MPI."""

    def __init__(self, build, mpi):
        self.mpi = mpi
        self.folder = Path(build) / "bench" / mpi
        self.cairn = str(Path(build) / "bin" / "cairn")
        self.scratch = tempfile.TemporaryDirectory(prefix="cairn-bench-")
        self.env = environment(self.folder)

    def under(self, setup, words):
        """The command `words` under a setup's stack."""
        if setup.environment:
            words = ["env", *setup.environment, *words]
        if setup.tools is None:
            return words
        tools = ("--tools", ",".join(setup.tools)) if setup.tools else ()
        return [self.cairn, "run", "--strict", "--out", tempfile.mkdtemp(dir=self.scratch.name), *tools, "--", *words]

    def program(self, setup, blocks, calls):
        if setup.chain:
            words = ["chain_loop", str(self.links(setup)), setup.chain, str(setup.layers)]
        else:
            words = [setup.program]
        return [str(self.folder / words[0]), *words[1:], str(blocks), str(calls)]

    def links(self, setup):
        """The folder with a chain's links. The dynamic loader opens a file once, so a longer chain needs more files."""
        if setup.layers <= PLACES:
            return self.folder
        folder = Path(self.scratch.name) / setup.id
        if not folder.exists():
            folder.mkdir()
            for i in range(setup.layers):
                place = 0 if setup.alike else i % PLACES
                shutil.copyfile(self.folder / f"link_{setup.chain}{place}.so", folder / f"link_{setup.chain}{i}.so")
        return folder

    def run(self, command, alone=True):
        env = dict(self.env, **({"OMPI_MCA_ess_singleton_isolated": "1"} if alone else {}))
        done = subprocess.run(command, env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=600)
        if done.returncode != 0:
            shown = " ".join(command)
            raise CannotRun(f"{shown[:200]}: exit code {done.returncode}\n{done.stderr.strip()[-600:]}")
        return done.stdout

    def times(self, setup):
        """One process's figures, as rank_loop or chain_loop prints them."""
        command = self.under(setup, self.program(setup, setup.blocks, setup.calls))
        if setup.ranks == 1:
            return read_json(self.run(command))
        return read_json(self.run([*LAUNCHERS[self.mpi], *command], alone=False))

    def pingpong(self, setup, blocks):
        """What two ranks measure: there and back, and one after the other."""
        figures = {}
        for program, count in (("pingpong", blocks), ("stream", 20 * blocks)):
            words = self.under(setup, [str(self.folder / program), str(count)])
            figures |= read_json(self.run([*LAUNCHERS[self.mpi], *words], alone=False))
        return figures

    def sizes(self, setup, blocks):
        """Times of two ranks by call and size."""
        words = self.under(setup, [str(self.folder / "sizes"), str(blocks)])
        return read_json(self.run([*LAUNCHERS[self.mpi], *words], alone=False))

    def instructions(self, setup, calls=1000):
        """Instructions of one turn of the program's loop: of two loop lengths in one process, so that only the turns count."""
        with tempfile.TemporaryDirectory(dir=self.scratch.name) as folder:
            loop = LOOPS[setup.program]
            tool = ["valgrind", "--tool=callgrind", f"--toggle-collect={loop}", f"--dump-after={loop}", f"--callgrind-out-file={folder}/out"]
            self.run(self.under(setup, [*tool, *self.program(setup, 0, calls)]))
            short, long = (count_in(Path(folder) / f"out.{dump}") for dump in (2, 3))
        return (long - short) / (2 * calls)


def count_in(dump):
    return int(re.search(r"^(?:summary|totals): (\d+)", dump.read_text(), re.MULTILINE).group(1))


def read_json(text):
    """The program's own line; a tool's report may stand around it."""
    for line in text.splitlines():
        if line.startswith('{"'):
            return json.loads(line)
    raise CannotRun("no result in the output of a benchmark program:\n" + text[-600:])
