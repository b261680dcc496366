#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# traced.py - what a trace takes on disk, and what it costs to write, read and convert; README.md. `./dev bench trace` runs it.
#
# Two ranks of programs/traced.c make so many calls each. What a call costs in the program is in `./dev bench`.

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent

from bench import machine, versions  # noqa: E402
from runs import LAUNCHERS, environment, read_json  # noqa: E402
from scale import measured, megabytes, number, table  # noqa: E402

KINDS = ("stencil", "irregular", "equal")
CALLS = 1_000_000
QUICK_CALLS = 20_000
OPTIONS = "calls:1048576"  # room for bursts


def parse_arguments():
    parser = argparse.ArgumentParser(prog="./dev bench trace", description="Measures what traces take on disk, and what writing and converting them costs.")
    parser.add_argument("--quick", action="store_true", help=f"{QUICK_CALLS:,} calls only")
    parser.add_argument("--calls", type=int, metavar="N", help=f"of each rank; default: {CALLS:,}")
    parser.add_argument("--kind", action="append", choices=KINDS, help="only this one; may be repeated")
    parser.add_argument("--mpi", action="append", choices=LAUNCHERS, help="only this one; may be repeated")
    parser.add_argument("--build", default=HERE.parent / "build", type=Path, metavar="FOLDER", help="the build folder; default: build")
    parser.add_argument("--json", type=Path, metavar="FILE", help="where the figures go; default: bench-trace.json in the build folder")
    return parser.parse_args()


def record(build, mpi, kind, calls, out, options):
    """What `cairn trace` says of it."""
    program = [build / "bench" / mpi / "traced", kind, calls]
    command = [*LAUNCHERS[mpi], build / "bin/cairn", "run", "--tools", f"trace={options}", "--out", out, "--", *program]
    done = subprocess.run([str(word) for word in command], env=environment(build / "bench" / mpi), stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=3600)
    if done.returncode != 0:
        raise RuntimeError(done.stderr[-600:])
    made = read_json(done.stdout)
    summary = subprocess.run([str(build / "bin/cairn"), "trace", str(out)], capture_output=True, text=True, timeout=3600)
    kept = int(re.search(r"^  (\d+) calls of ", summary.stdout, re.M)[1])
    writing = float(re.search(r"^  writing took ([\d.]+) s", summary.stdout, re.M)[1])
    return {"run_s": made["s"], "calls": kept, "made": made["calls"], "writing_s": writing, "mb": megabytes(out / "trace"), "warnings": summary.stderr}


def measure(build, mpi, kind, calls):
    with tempfile.TemporaryDirectory(prefix="cairn-bench-") as place:
        folder = Path(place)
        figures = record(build, mpi, kind, calls, folder / "exact", OPTIONS)
        figures["binned"] = record(build, mpi, kind, calls, folder / "binned", OPTIONS + ":precision:10us")
        exact, cairn = folder / "exact", build / "bin/cairn"
        for name, words, target in (("summary", (), None), ("otf2", ("--otf2", folder / "archive"), folder / "archive"),
                                    ("perfetto", ("--perfetto", folder / "trace.json"), folder / "trace.json"),
                                    ("replay", ("--replay", folder / "replay.c"), folder / "replay.c")):
            figures[name] = measured(cairn, "trace", exact, *words, accepted=(0, 125))  # a replay needs all calls
            if target and target.exists():
                figures[name]["to_mb"] = megabytes(target)
        figures["report"] = measured(cairn, "report", exact)
        figures["report"]["to_mb"] = megabytes(exact / "report.html")
        return figures


def rows(results):
    """What is on disk, and what converting it costs."""
    disk, cost = [], []
    for name, one in results.items():
        binned = one["binned"]
        per_call = [1e6 * mb / calls for mb, calls in ((one["mb"], one["calls"]), (binned["mb"], binned["calls"]), (one["otf2"]["to_mb"], one["calls"]))]
        disk.append([name, f"{one['calls']:,}", f"{number(one['made'] / one['run_s'] / 1000)} / ms", *(f"{number(bytes_)} B" for bytes_ in per_call),
                     f"{number(per_call[2] / per_call[0])}", f"{number(1e9 * one['writing_s'] / one['calls'])} ns"])
        cost.append([name, *(f"{number(one[what]['own_s'])} s, {number(one[what]['mb'])} MB" + (f", to {number(one[what]['to_mb'])} MB" if "to_mb" in one[what] else "")
                             for what in ("summary", "otf2", "perfetto", "replay", "report"))])
    return disk, cost


def show(results):
    disk, cost = rows(results)
    print(table(["", "calls kept, both ranks", "a rank's rate", "exact times", "precision:10us", "OTF2", "OTF2 / exact", "writing a call"], disk), end="\n\n")
    print(table(["", "cairn trace", "--otf2", "--perfetto", "--replay", "cairn report"], cost))


def main():
    arguments = parse_arguments()
    build = arguments.build.resolve()
    calls = arguments.calls or (QUICK_CALLS if arguments.quick else CALLS)
    results = {}
    for mpi in arguments.mpi or [mpi for mpi in LAUNCHERS if (build / "bench" / mpi / "traced").exists()]:
        for kind in arguments.kind or KINDS:
            print(f"trace: {kind}, {mpi}", file=sys.stderr, flush=True)
            results[f"{kind}, {mpi}"] = measure(build, mpi, kind, calls)
    show(results)
    for name, one in results.items():
        print(*(f"{name}: {line}" for line in one["warnings"].splitlines()), sep="\n", end="\n" if one["warnings"] else "")
    about = machine()
    print(f"\nload {about['load']:.1f} to {os.getloadavg()[0]:.1f}")
    target = arguments.json or build / "bench-trace.json"
    target.write_text(json.dumps({"machine": about, "versions": versions(build), "calls": calls, "results": results}, indent=1) + "\n")
    print(f"written: {target}")


if __name__ == "__main__":
    main()
