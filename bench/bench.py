#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# bench.py - measures what Cairn costs, next to the bare program and the least that is possible; see README.md.

import argparse
import datetime
import json
import os
import platform
import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.dont_write_bytecode = True

import heat  # noqa: E402
from figures import Figures, summarise, targets  # noqa: E402
from runs import CannotRun, Runner  # noqa: E402
from setups import all_setups, heat_setups  # noqa: E402
from table import page  # noqa: E402

METHOD = {
    "ns": "least of all blocks of all processes; setups take turns, so that a slow minute of the machine meets all of them",
    "instructions": "callgrind, one turn of the loop around MPI_Comm_rank, from the difference of two loop lengths",
    "ms": "least of all processes; growth per layer between one layer and several",
    "KiB": "VmRSS after the first MPI call less VmRSS before it, least of all processes",
}


def parse_arguments():
    parser = argparse.ArgumentParser(description="Measures what Cairn costs.")
    parser.add_argument("--quick", action="store_true", help="a hundredth of the measurements, without the largest stacks")
    parser.add_argument("--heat", action="store_true", help="only what the tool 'comm' costs by call and size")
    parser.add_argument("--mpi", action="append", metavar="MPI", help="only this one: openmpi or mpich; may be repeated")
    parser.add_argument("--build", default=Path(__file__).resolve().parent.parent / "build", type=Path, metavar="FOLDER",
                        help="the build folder; default: build")
    parser.add_argument("--json", type=Path, metavar="FILE", help="where the figures go; default: bench.json in the build folder")
    return parser.parse_args()


def first_line(*command):
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()[0]
    except (OSError, subprocess.CalledProcessError, IndexError):
        return "not found"


def machine():
    cpu = re.search(r"model name\s*: (.*)", Path("/proc/cpuinfo").read_text())
    return {"cpu": cpu.group(1) if cpu else platform.processor(), "cores": os.cpu_count(), "system": platform.platform(),
            "load": os.getloadavg()[0]}


def versions(build):
    cache = (build / "CMakeCache.txt").read_text()
    compiler = re.search(r"CMAKE_C_COMPILER:\w+=(.*)", cache).group(1)
    return {"cairn": first_line(str(build / "bin" / "cairn"), "--version"), "compiler": first_line(compiler, "--version"),
            "build": re.search(r"CMAKE_BUILD_TYPE:\w+=(.*)", cache).group(1), "valgrind": first_line("valgrind", "--version")}


def add_sums(sample):
    """What the table needs and no program prints."""
    if "bind_ms" in sample:
        sample["bound_kib"] = sample["rss_bound_kib"] - sample["rss_before_kib"]
    return sample


def show_progress(text):
    if sys.stderr.isatty():
        print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)


class Measurement:
    """All samples of one MPI; what could not run is reported and noted, and the rest goes on."""

    def __init__(self, runner, setups):
        self.runner = runner
        self.setups = setups
        self.samples = {setup.id: [] for setup in setups}
        self.failed = {}

    def attempt(self, setup, what, measure):
        if setup.id in self.failed:
            return
        show_progress(f"{self.runner.mpi}: {what}: {setup.title}")
        try:
            self.samples[setup.id].append(add_sums(measure()))
        except (CannotRun, OSError, subprocess.TimeoutExpired) as error:
            self.failed[setup.id] = str(error)
            print(f"bench: cannot run '{setup.title}' on {self.runner.mpi}: {error}", file=sys.stderr)

    def take_times(self, repeats):
        for turn in range(repeats):
            for setup in self.setups:
                if setup.repeats == 0 or turn < setup.repeats:
                    self.attempt(setup, f"times, turn {turn + 1} of {repeats}", lambda: self.runner.times(setup))

    def take_pingpongs(self, repeats, blocks):
        for turn in range(repeats):
            for setup in self.setups:
                if setup.pingpong:
                    self.attempt(setup, f"ping-pong, turn {turn + 1} of {repeats}", lambda: self.runner.pingpong(setup, blocks))

    def take_sizes(self, repeats, blocks):
        for turn in range(repeats):
            for setup in self.setups:
                self.attempt(setup, f"sizes, turn {turn + 1} of {repeats}", lambda: self.runner.sizes(setup, blocks))

    def count_instructions(self):
        """On all cores at once: a count does not depend on what else runs."""
        def count(setup):
            self.attempt(setup, "instructions", lambda: {"instructions": self.runner.instructions(setup)})

        with ThreadPoolExecutor(os.cpu_count()) as pool:
            list(pool.map(count, [setup for setup in self.setups if setup.counted]))

    def library(self):
        return next((s["library"] for s in self.samples["native"] if "library" in s), self.runner.mpi)

    def results(self):
        return {id: summarise(samples) for id, samples in self.samples.items() if samples and id not in self.failed}


def measure(build, mpi, quick):
    measurement = Measurement(Runner(build, mpi), [setup for setup in all_setups(quick) if setup.mpi in ("", mpi)])
    measurement.take_times(1 if quick else 10)
    measurement.take_pingpongs(1 if quick else 6, 20 if quick else 200)
    if shutil.which("valgrind"):
        measurement.count_instructions()
    show_progress("")
    return measurement


def report(mpi, measurement):
    """Prints one MPI's page and returns its part of the JSON file."""
    figures = Figures(measurement.results())
    marks = []
    try:
        marks = targets(figures)
        print(page(measurement.library(), figures, measurement.setups, marks), flush=True)
    except KeyError as missing:
        print(f"bench: no table for {mpi}: {missing} could not be measured", file=sys.stderr)
    return {"library": measurement.library(), "results": figures.results, "failed": measurement.failed,
            "targets": [{"target": t.text, "measured": t.measured, "mark": t.mark} for t in marks]}


def heat_map(build, mpi, quick):
    """Prints the table, writes the SVG, and returns the figures."""
    setups = [setup for setup in heat_setups() if setup.mpi in ("", mpi)]
    measurement = Measurement(Runner(build, mpi), setups)
    measurement.take_sizes(1 if quick else 10, 20 if quick else 100)
    show_progress("")
    figures = {id: heat.least_of(samples) for id, samples in measurement.samples.items() if id not in measurement.failed}
    if "native" not in figures:
        return {"failed": measurement.failed}
    print(heat.table(mpi, figures, setups), flush=True)
    picture = build / f"bench-heat-{mpi}.svg"
    picture.write_text(heat.svg(mpi, figures, setups))
    print(f"written: {picture}")
    return {"figures": figures, "failed": measurement.failed}


def built_mpis(build):
    return [mpi for mpi in ("openmpi", "mpich") if (build / "bench" / mpi / "rank_loop").exists()]


def main():
    arguments = parse_arguments()
    build = arguments.build.resolve()
    mpis = arguments.mpi or built_mpis(build)
    if not mpis:
        sys.exit(f"bench: nothing to run in {build}: build Cairn first")
    data = {"date": datetime.datetime.now().astimezone().isoformat(timespec="seconds"), "machine": machine(),
            "versions": versions(build), "method": METHOD, "quick": arguments.quick, "mpi": {}}
    for mpi in mpis:
        part = {"failed": {}, "results": {}} if arguments.heat else report(mpi, measure(build, mpi, arguments.quick))
        part["heat"] = heat_map(build, mpi, arguments.quick)
        data["mpi"][mpi] = part
    out = arguments.json or build / ("bench-heat.json" if arguments.heat else "bench.json")
    out.write_text(json.dumps(data, indent=1) + "\n")
    print(f"written: {out}")
    return 1 if any(part["failed"] or part["heat"]["failed"] or not (part["results"] or arguments.heat)
                    for part in data["mpi"].values()) else 0


if __name__ == "__main__":
    sys.exit(main())
