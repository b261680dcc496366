# SPDX-License-Identifier: BSD-3-Clause
# harness.py - running programs under stacks in turn, and what all experiments say about the machine.

import datetime
import os
import shutil
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from bench import add_sums, machine, show_progress, versions
from runs import Runner, read_json
from setups import Setup

NAMES = {"openmpi": "Open MPI", "mpich": "MPICH"}
LAUNCHERS = {"openmpi": ("mpirun.openmpi", "--oversubscribe"), "mpich": ("mpirun.mpich",)}


class Missing(Exception):
    """Something that an experiment needs is not installed."""


@dataclass
class Claim:
    """A row of what a paper says and what came out here; `holds` None: nothing to compare with."""

    what: str
    paper: str
    ours: str
    holds: bool = None
    noisy: bool = False  # it would be decided, were the machine quieter

    @property
    def verdict(self):
        return {True: "holds", False: "does not hold", None: "lost in noise" if self.noisy else "stated"}[self.holds]


@dataclass
class Result:
    """What the document shows of an experiment's figures."""

    claims: list
    tables: str  # Markdown


class Place(Runner):
    """Programs of one MPI, with any number of ranks, and the folders that their tools write."""

    def __init__(self, build, mpi):
        super().__init__(build, mpi)
        self.examples = Path(build) / "examples" / mpi
        self.env["CAIRN_TOOL_PATH"] += f":{self.examples}"

    def words(self, program, *arguments):
        """A program of the benchmarks or of the examples."""
        path = next(folder / program for folder in (self.folder, self.examples) if (folder / program).exists())
        return [str(path), *map(str, arguments)]

    def launched(self, setup, words, ranks=2):
        """What a program prints; one rank is started without a launcher."""
        command = self.under(setup, words)
        if ranks > 1:
            command = [*LAUNCHERS[self.mpi], "-n", str(ranks), *command]
        return self.run(command, alone=ranks == 1)

    def figures(self, setup, words, ranks=2):
        """The line of JSON that it prints, and how long all of it took."""
        begin = time.monotonic()
        figures = add_sums(read_json(self.launched(setup, words, ranks)))
        return figures | {"wall_s": time.monotonic() - begin}

    def times_of_one_call(self):
        return self.times(Setup("", "", blocks=1, calls=1))

    def result_folder(self):
        """Where the tools of the last run have written."""
        return max(Path(self.scratch.name).iterdir(), key=lambda folder: folder.stat().st_mtime_ns)


class Lab:
    """Where experiments run: which MPIs, and how long to look."""

    def __init__(self, build, mpis, quick):
        self.build = Path(build)
        self.quick = quick
        self.places = {mpi: Place(build, mpi) for mpi in mpis}
        self.scratch = Path(tempfile.mkdtemp(prefix="cairn-experiments-"))

    def close(self):
        shutil.rmtree(self.scratch, ignore_errors=True)
        for place in self.places.values():
            place.scratch.cleanup()

    def pick(self, full, quick):
        return quick if self.quick else full

    def counts(self, place):
        """Whether instructions are counted; the quick form spares the longer of two starts."""
        return shutil.which("valgrind") is not None and not (self.quick and place.mpi == "openmpi")

    def turns(self, what, rounds, ways, measure, seconds, least=3):
        """Samples {way: [figures]}: in each round every way once, alternately forwards and backwards, so that a slow minute meets all alike.
        No more rounds begin after `seconds`, but there are at least so many."""
        samples = {way: [] for way in ways}
        begin = time.monotonic()
        for turn in range(self.pick(rounds, 1)):
            if turn >= least and time.monotonic() - begin > seconds:
                break
            for way in list(ways)[::1 if turn % 2 == 0 else -1]:
                show_progress(f"{what}: round {turn + 1} of {rounds}: {way}")
                samples[way].append(measure(way))
        show_progress("")
        return samples


def tools(*names, **more):
    """A stack, for Place.launched; without names Cairn without tools."""
    return Setup("", "", tuple(names), **more)


BARE = Setup("", "")


def circumstances(build):
    """When, where and with what."""
    return {"date": datetime.datetime.now().astimezone().isoformat(timespec="minutes"), "machine": machine(), "versions": versions(build),
            "loads": [os.getloadavg()[0]]}


def values(samples, key):
    """Of one way, one figure."""
    return [sample[key] for sample in samples]
