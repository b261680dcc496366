#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# simulate_placement.py - what mappings of `cairn place` would gain on a cluster, simulated by SimGrid's SMPI; see README.md.

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from placement import grid, permuted, tree, write_matrix

HERE = Path(__file__).resolve().parent

# What is assumed: one switch that is never the bottleneck, a link of 10 Gbit/s and 1 µs for each node in each direction, and copying at 10 GB/s within
# one. Messages have 256 KiB, nothing is computed.
PLATFORM = """<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <cluster id="c" prefix="n" suffix="" radical="0-{last}" speed="10Gf" core="{cores}" bw="1.25GBps" lat="1us" loopback_bw="10GBps" loopback_lat="300ns"/>
</platform>
"""
BYTES, STEPS = 1 << 18, 20

# name, ranks, pairs, nodes, cores of each
PATTERNS = [
    ("plane 8 x 8", 64, lambda: list(grid([8, 8])), 8, 8),
    ("plane 8 x 8, shuffled", 64, lambda: permuted(64, grid([8, 8])), 8, 8),
    ("cube of 4", 64, lambda: list(grid([4, 4, 4])), 8, 8),
    ("cube of 4, shuffled", 64, lambda: permuted(64, grid([4, 4, 4])), 8, 8),
    ("tree of 127", 127, lambda: list(tree(127)), 8, 16),
    ("cube of 8", 512, lambda: list(grid([8, 8, 8])), 32, 16),
]


def simulated(folder, cores, cores_of_rank, words, *options):
    """What a program prints when SMPI runs it on the cluster in `folder`."""
    (folder / "hosts").write_text("".join(f"n{core // cores}\n" for core in cores_of_rank))
    done = subprocess.run(
        ["smpirun", "-np", str(len(cores_of_rank)), "-hostfile", folder / "hosts", "-platform", folder / "cluster.xml", "--cfg=smpi/simulate-computation:no",
         "--cfg=smpi/host-speed:10Gf", *options, "--log=root.thresh:warning", *words], capture_output=True, text=True, check=True, cwd=folder)
    return float(done.stdout.split()[-1])


def prepare(folder, source, nodes, cores):
    """The cluster, and a program for SMPI; returns its path."""
    subprocess.run(["smpicc", "-O2", source, "-o", folder / source.stem], check=True)
    (folder / "cluster.xml").write_text(PLATFORM.format(last=nodes - 1, cores=cores))
    return folder / source.stem


def mappings_of(build, measured, folder, nodes, cores):
    """{name: cores by rank} by `cairn place`, of a matrix or a run's folder."""
    subprocess.run([build / "bin/cairn", "place", measured, "--nodes", str(nodes), "--machine", f"core:{cores}", "--json", folder / "a.json"],
                   check=True, stdout=subprocess.DEVNULL)
    return {one["name"]: one["cores"] for one in json.loads((folder / "a.json").read_text())["mappings"]}


def step_times(build, ranks, make, nodes, cores):
    """{mapping: ms of a step} of a pattern."""
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        program = prepare(folder, HERE / "simulation/exchange.c", nodes, cores)
        write_matrix(folder / "a.mtx", ranks, make())
        mappings = mappings_of(build, folder / "a.mtx", folder, nodes, cores)
        return {name: 1e3 * simulated(folder, cores, place, [program, folder / "a.mtx", str(BYTES), str(STEPS)]) / STEPS for name, place in mappings.items()}


def main():
    parser = argparse.ArgumentParser(description="Simulates mappings of cairn place.")
    parser.add_argument("--build", default=HERE.parent / "build", type=Path, metavar="FOLDER")
    arguments = parser.parse_args()
    if shutil.which("smpirun") is None:
        sys.exit("SimGrid is not there: apt-get install libsimgrid-dev")
    print(f"{'ms for a step':<24}{'cairn':>8}{'slot':>8}{'node':>8}{'random':>8}  gain over the better usual one")
    for name, ranks, make, nodes, cores in PATTERNS:
        times = step_times(arguments.build, ranks, make, nodes, cores)
        gain = 1 - times["cairn"] / min(times["slot"], times["node"])
        print(f"{name:<24}{times['cairn']:>8.2f}{times['slot']:>8.2f}{times['node']:>8.2f}{times['random']:>8.2f}  {100 * gain:.1f} %", flush=True)


if __name__ == "__main__":
    main()
