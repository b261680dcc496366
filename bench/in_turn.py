#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# in_turn.py - what tools cost a stencil, to a fraction of a percent, on a machine that is not that steady; README.md. `./dev bench loop` runs it.
#
# Times of two runs differ by several percent for where their memory lies alone. So steps with the tools and steps without take turns within one run
# (programs/in_turn.c), and eight blocks, four of each kind, are one sample. What the machine does to both kinds is no difference then.

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent

from bench import machine, versions  # noqa: E402
from runs import LAUNCHERS, environment, read_json  # noqa: E402

BLOCKS, SAMPLE = 2408, 8  # the first sample is not counted: pages are new, the network is set up


def parse_arguments():
    parser = argparse.ArgumentParser(prog="./dev bench loop", description="Measures what tools cost a stencil, steps with them and without in turn.")
    parser.add_argument("--quick", action="store_true", help="a tenth of the steps")
    parser.add_argument("--tools", action="append", metavar="TOOLS", help="as for cairn run; may be repeated; default: waits")
    parser.add_argument("--ranks", type=int, default=2, metavar="N", help="default: 2")
    parser.add_argument("--steps", type=int, default=50, metavar="N", help="of a block; default: 50, some 15 ms where each rank has a core")
    parser.add_argument("--rounds", type=int, default=3, metavar="N", help="runs of each kind, in turn; default: 3")
    parser.add_argument("--mpi", action="append", choices=LAUNCHERS, help="only this one; may be repeated")
    parser.add_argument("--build", default=HERE.parent / "build", type=Path, metavar="FOLDER", help="the build folder; default: build")
    parser.add_argument("--json", type=Path, metavar="FILE", help="where the figures go; default: bench-loop.json in the build folder")
    return parser.parse_args()


def samples(build, mpi, ranks, tools, blocks, steps):
    """[(seconds with the tools, seconds without)] of one run; tools None: of the program alone."""
    with tempfile.TemporaryDirectory(prefix="cairn-bench-") as folder:
        under = [build / "bin/cairn", "run", "--strict", "--tools", tools, "--out", f"{folder}/out", "--"] if tools else []
        command = [*LAUNCHERS[mpi][:-1], ranks, *under, build / "bench" / mpi / "in_turn", blocks, steps]
        done = subprocess.run([str(word) for word in command], env=environment(build / "bench" / mpi), stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=3600)
    if done.returncode != 0:
        raise RuntimeError(done.stderr[-600:])
    seconds = read_json(done.stdout)["seconds"][SAMPLE:]
    eights = [seconds[i:i + SAMPLE] for i in range(0, len(seconds) - SAMPLE + 1, SAMPLE)]
    return [tuple(sum(s for with_tools, s in eight if with_tools == kind) for kind in (1, 0)) for eight in eights]


def percent_more(pairs):
    return 100 * (sum(a for a, _ in pairs) / sum(b for _, b in pairs) - 1)


def summary(pairs):
    """How much longer steps with the tools take, and where 95 % of the samples' means lie (bootstrap, 4,000 times)."""
    chance = random.Random(1)
    means = sorted(percent_more(chance.choices(pairs, k=len(pairs))) for _ in range(4000))
    return {"percent": percent_more(pairs), "from": means[100], "to": means[-101], "samples": len(pairs), "loop_s": sum(a + b for a, b in pairs)}


def main():
    arguments = parse_arguments()
    build = arguments.build.resolve()
    kinds = [None, *(arguments.tools or ["waits"])]
    blocks = BLOCKS // 10 // SAMPLE * SAMPLE if arguments.quick else BLOCKS
    results = {}
    for mpi in arguments.mpi or [mpi for mpi in LAUNCHERS if (build / "bench" / mpi / "in_turn").exists()]:
        pairs = {kind: [] for kind in kinds}
        for turn in range(arguments.rounds):
            for kind in kinds:
                print(f"loop: {mpi}, round {turn + 1}, {kind or 'no tools'}", file=sys.stderr, flush=True)
                pairs[kind] += samples(build, mpi, arguments.ranks, kind, blocks, arguments.steps)
        results[mpi] = {kind or "": summary(pairs[kind]) for kind in kinds}
        print(f"{mpi}, {arguments.ranks} ranks: steps by MPI_ names take longer than by PMPI_ names by")
        for kind, one in results[mpi].items():
            print(f"  {kind or 'no tools':<24}{one['percent']:+6.2f} %   95 %: {one['from']:+.2f} to {one['to']:+.2f} %   {one['samples']:,} samples, {one['loop_s']:.0f} s")
    about = machine()
    print(f"\nload {about['load']:.1f} to {os.getloadavg()[0]:.1f}")
    target = arguments.json or build / "bench-loop.json"
    target.write_text(json.dumps({"machine": about, "versions": versions(build), "ranks": arguments.ranks, "results": results}, indent=1) + "\n")
    print(f"written: {target}")


if __name__ == "__main__":
    main()
