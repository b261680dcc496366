#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# watched.py - what `cairn live` takes from a job that it watches once a second; docs/live.md. `./dev bench live` runs it.
#
# In one run of the job, `cairn live` is stopped and goes on by turns, second by second, so that both halves of a pair are of the same seconds of the
# machine. Of each half the fastest tenth of its milliseconds counts, in which nothing else ran; what `cairn live` takes while it looks is its
# processor time, which comes on top. A second comparison is of runs in turn: without Cairn, and with the tool `where` and `cairn live`.

import argparse
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from random import Random
from statistics import median

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent

from bench import machine, versions  # noqa: E402
from runs import LAUNCHERS, environment  # noqa: E402

PROGRAMS = ("pingpong", "heat")


def parse_arguments():
    parser = argparse.ArgumentParser(prog="./dev bench live", description="Measures what 'cairn live' takes from a job.")
    parser.add_argument("--quick", action="store_true", help="only whether it runs: one pair of each")
    parser.add_argument("--pairs", type=int, default=30, metavar="N", help="pairs of seconds; default: 30; of runs a third")
    parser.add_argument("--mpi", action="append", metavar="MPI", help="only this one: openmpi or mpich; may be repeated")
    parser.add_argument("--build", default=HERE.parent / "build", type=Path, metavar="FOLDER", help="the build folder; default: build")
    parser.add_argument("--json", type=Path, metavar="FILE", help="where the figures go; default: bench-live.json in the build folder")
    return parser.parse_args()


class Job:
    """One that lasts for so many seconds; with pages, the tool `where` is in its stack."""

    def __init__(self, build, mpi, program, seconds, pages=None, folder=None):
        words = [build / "bench" / mpi / "watched", program, seconds]
        self.environment = environment(build / "bench" / mpi)
        if pages:
            self.environment["CAIRN_PAGES"] = str(pages)
            words = [build / "bin/cairn", "run", "--tools", "where", "--out", tempfile.mkdtemp(dir=folder), "--", *words]
        self.process = subprocess.Popen([*LAUNCHERS[mpi], *map(str, words)], env=self.environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, text=True)

    def slices(self):
        """(seconds of the clock, ns per step), when it has ended."""
        out, complaint = self.process.communicate(timeout=600)
        if self.process.returncode != 0:
            raise RuntimeError(complaint[-600:])
        return [(int(now) / 1e9, float(ns)) for now, ns in re.findall(r"^(\d+) ([\d.]+)$", out, re.M)]


class Watcher:
    """`cairn live` at its usual interval."""

    def __init__(self, build, pages):
        self.process = subprocess.Popen([build / "bin/cairn", "live"], env=dict(os.environ, CAIRN_PAGES=str(pages)), stdout=subprocess.PIPE, text=True)
        self.process.stdout.readline()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()

    def stop(self, yes):
        os.kill(self.process.pid, signal.SIGSTOP if yes else signal.SIGCONT)

    def processor_s(self):
        fields = Path(f"/proc/{self.process.pid}/schedstat").read_text().split()
        return int(fields[0]) / 1e9 + sum(int((task / "schedstat").read_text().split()[0]) / 1e9
                                          for task in Path(f"/proc/{self.process.pid}/task").iterdir() if task.name != str(self.process.pid))


def fast_step(slices, begin=0.0, end=float("inf")):
    """ns of a step in the fastest tenth of the slices within these moments; None: there were too few."""
    inside = sorted(ns for moment, ns in slices if begin <= moment <= end)
    return inside[len(inside) // 10] if len(inside) >= 20 else None


def by_turns(build, mpi, program, pairs, folder):
    """Times of a step with `cairn live` over those with it stopped, pair by pair; and its processor time per second of watching."""
    pages = Path(tempfile.mkdtemp(dir=folder))
    phases, watched, processor = [], 0.0, 0.0
    job = Job(build, mpi, program, 2.2 * pairs + 8, pages, folder)
    with Watcher(build, pages) as live:
        time.sleep(4)
        for pair in range(pairs):
            for on in ((True, False) if pair % 2 == 0 else (False, True)):
                live.stop(not on)
                begin, before = time.monotonic(), live.processor_s()
                time.sleep(1)
                phases.append((on, begin, time.monotonic()))
                if on:
                    watched += time.monotonic() - begin
                    processor += live.processor_s() - before
        live.stop(False)
        slices = job.slices()
    times = [(on, fast_step(slices, begin, end)) for on, begin, end in phases]
    both = [dict(pair) for pair in zip(times[::2], times[1::2])]
    return [pair[True] / pair[False] for pair in both if pair[True] and pair[False]], processor / watched


def in_turn(build, mpi, program, pairs, folder):
    """Times of a step with `where` and `cairn live` over those without Cairn, of runs of two seconds one after the other."""
    pages = Path(tempfile.mkdtemp(dir=folder))
    ratios = []
    with Watcher(build, pages):
        for _ in range(pairs):
            bare, watched = (fast_step(Job(build, mpi, program, 2, place, folder).slices()) for place in (None, pages))
            if bare and watched:
                ratios.append(watched / bare)
    return ratios


def interval(ratios):
    """95 % of medians of the pairs, drawn again and again."""
    random = Random(1)
    drawn = sorted(median(random.choices(ratios, k=len(ratios))) for _ in range(2000))
    return drawn[50], drawn[1949]


def words(ratios):
    low, high = interval(ratios)
    return f"{median(ratios):.4f} ({low:.4f} to {high:.4f})"


def main():
    arguments = parse_arguments()
    build = arguments.build.resolve()
    pairs = 2 if arguments.quick else arguments.pairs
    figures = {"machine": machine(), "versions": versions(build), "pairs": pairs, "results": {}}
    print("| | with `cairn live` : with it stopped | its processor time | with `where` and `cairn live` : without Cairn |\n|---|---|---|---|")
    for mpi in arguments.mpi or [mpi for mpi in LAUNCHERS if (build / "bench" / mpi / "watched").exists()]:
        for program in PROGRAMS:
            with tempfile.TemporaryDirectory(prefix="cairn-bench-") as folder:
                ratios, processor = by_turns(build, mpi, program, pairs, folder)
                whole = in_turn(build, mpi, program, max(1, pairs // 3), folder)
            figures["results"][f"{mpi} {program}"] = {"by_turns": ratios, "processor": processor, "in_turn": whole, "load": os.getloadavg()[0]}
            print(f"| {program}, {mpi} | {words(ratios)} | {100 * processor:.2f} % of one core | {words(whole)} |", flush=True)
    print(f"\nload {figures['machine']['load']:.1f} to {os.getloadavg()[0]:.1f}")
    target = arguments.json or build / "bench-live.json"
    target.write_text(json.dumps(figures, indent=1) + "\n")
    print(f"written: {target}")


if __name__ == "__main__":
    main()
