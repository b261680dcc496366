#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# placement.py - how good the mappings of `cairn place` are, and how long they take, beside Scotch's own scotch_gmap and TreeMatch; see README.md.

import argparse
import itertools
import json
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path


def grid(sizes, periodic=False):
    """Pairs of neighbours, ranks row by row."""
    strides = [1] * len(sizes)
    for axis in range(len(sizes) - 2, -1, -1):
        strides[axis] = strides[axis + 1] * sizes[axis + 1]
    for place in itertools.product(*map(range, sizes)):
        rank = sum(x * stride for x, stride in zip(place, strides))
        for axis, size in enumerate(sizes):
            if place[axis] + 1 < size:
                yield rank, rank + strides[axis]
            elif periodic and size > 2:
                yield rank, rank - (size - 1) * strides[axis]


def tree(ranks):
    return ((i, (i - 1) // 2) for i in range(1, ranks))


def everyone(ranks):
    return itertools.combinations(range(ranks), 2)


# name, ranks, pairs, the machine (nodes and cores of each, or switches, nodes behind each and cores), the least number of pairs that is known
# between nodes, or between switches and between nodes
PATTERNS = [
    ("ring of 64", 64, lambda: grid([64], True), (8, 8), (8,)),
    ("plane 8 x 8", 64, lambda: grid([8, 8]), (8, 8), (32,)),
    ("cube of 4", 64, lambda: grid([4, 4, 4]), (8, 8), (48,)),
    ("tree of 127", 127, lambda: tree(127), (8, 16), (10,)),
    ("all to all, 64", 64, lambda: everyone(64), (8, 8), (64 * 56 // 2,)),
    ("plane 32 x 32", 1024, lambda: grid([32, 32]), (16, 64), (192,)),
    ("cube of 8", 512, lambda: grid([8, 8, 8]), (8, 64), (192,)),
    ("all to all, 1,024", 1024, lambda: everyone(1024), (16, 64), (1024 * 960 // 2,)),
    ("ring of 4,096", 4096, lambda: grid([4096], True), (64, 64), (64,)),
    ("plane 64 x 64", 4096, lambda: grid([64, 64]), (64, 64), (896,)),
    ("cube of 16", 4096, lambda: grid([16, 16, 16]), (64, 64), (2304,)),
    ("torus of 16", 4096, lambda: grid([16, 16, 16], True), (64, 64), (3072,)),
    ("tree of 4,095", 4095, lambda: tree(4095), (64, 64), (94,)),
    ("ring of 4,096", 4096, lambda: grid([4096], True), (8, 8, 64), (8, 64)),
    ("plane 64 x 64", 4096, lambda: grid([64, 64]), (8, 8, 64), (256, 896)),
    ("cube of 16", 4096, lambda: grid([16, 16, 16]), (8, 8, 64), (768, 2304)),
    ("torus of 16", 4096, lambda: grid([16, 16, 16], True), (8, 8, 64), (1536, 3072)),
    ("cube 64 x 32 x 32", 65536, lambda: grid([64, 32, 32]), (1024, 64), (44032,)),
]
LARGEST_FOR_OTHERS = 4096  # beyond, they take minutes


def permuted(ranks, pairs):
    order = list(range(ranks))
    random.Random(1).shuffle(order)
    return [(order[a], order[b]) for a, b in pairs]


def write_matrix(path, ranks, pairs):
    lines = "".join(f"{max(a, b) + 1} {min(a, b) + 1} 1000\n" for a, b in pairs)
    path.write_text(f"%%MatrixMarket matrix coordinate integer symmetric\n{ranks} {ranks} {len(pairs)}\n{lines}")


def hops(pairs, core_of, machine):
    """Edges of the machine's tree that all pairs pass, twice as many as there are in one direction."""
    below = [1] * len(machine)  # cores of an object of each level
    for level in range(len(machine) - 1, 0, -1):
        below[level - 1] = below[level] * machine[level]
    return 2 * len(pairs) + sum(2 * sum(core_of[a] // size != core_of[b] // size for a, b in pairs) for size in below[:-1])


def between_nodes(pairs, core_of, machine):
    return sum(core_of[a] // machine[-1] != core_of[b] // machine[-1] for a, b in pairs)


def timed(*command, **settings):
    begin = time.perf_counter()
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True, **settings)
    return done.stdout, time.perf_counter() - begin


class Cairn:
    def __init__(self, build):
        self.command = build / "bin" / "cairn"

    def map(self, folder, _ranks, _pairs, machine):
        words = ["--nodes", str(machine[0])]
        if len(machine) == 3:
            lines = [f"SwitchName=s{i} Nodes=n[{i * machine[1]}-{(i + 1) * machine[1] - 1}]" for i in range(machine[0])]
            (folder / "topology.conf").write_text("\n".join([*lines, f"SwitchName=top Switches=s[0-{machine[0] - 1}]"]) + "\n")
            words = ["--nodes", f"n[0-{machine[0] * machine[1] - 1}]", "--topology", folder / "topology.conf"]
        _, seconds = timed(self.command, "place", folder / "a.mtx", *words, "--machine", f"core:{machine[-1]}", "--json", folder / "a.json")
        return json.loads((folder / "a.json").read_text())["mappings"][0]["cores"], seconds


class Gmap:
    def map(self, folder, ranks, pairs, machine):
        partners = [[] for _ in range(ranks)]
        for a, b in pairs:
            partners[a].append(b)
            partners[b].append(a)
        lines = "".join(f"{len(own)} {' '.join(map(str, own))}\n" for own in partners)
        (folder / "a.grf").write_text(f"0\n{ranks} {2 * len(pairs)}\n0 000\n{lines}")
        (folder / "a.tgt").write_text(" ".join(["tleaf", str(len(machine)), *(f"{arity} {len(machine) - i}" for i, arity in enumerate(machine))]) + "\n")
        _, seconds = timed("scotch_gmap", folder / "a.grf", folder / "a.tgt", folder / "a.map")
        core_of = dict(tuple(map(int, line.split())) for line in (folder / "a.map").read_text().splitlines()[1:])
        return [core_of[rank] for rank in range(ranks)], seconds


class TreeMatch:
    """From its sources, as in Open MPI's 3rd-party/treematch."""

    def __init__(self, sources, made):
        self.driver = made / "treematch"
        (made / "ompi_config.h").write_text("#define OMPI_HIDDEN\n")
        (made / "config.h").touch()
        subprocess.run(["cc", "-O2", "-w", "-I", made, "-I", sources, "-o", self.driver, Path(__file__).with_name("references") / "treematch.c",
                        *sources.glob("*.c"), "-lhwloc", "-lm", "-lpthread"], check=True)

    def map(self, folder, ranks, pairs, machine):
        (folder / "a.pairs").write_text(f"{ranks}\n" + "".join(f"{a} {b}\n" for a, b in pairs))
        out, seconds = timed(self.driver, folder / "a.pairs", *map(str, machine))
        return list(map(int, out.split())), seconds


def over(found, least):
    return f"{100 * (found / least - 1):+.1f} %"


def measure(placers, largest):
    print(f"{'ranks shuffled':<19}{'ranks':>6}  {'machine':<10}" + "".join(f"{name:>13}{'nodes':>9}{'hops':>9}{'s':>7}" for name in placers), flush=True)
    for name, ranks, make, machine, least in PATTERNS:
        if ranks > largest:
            continue
        pairs = permuted(ranks, make())
        best = 2 * len(pairs) + 2 * sum(least)
        line = f"{name:<19}{ranks:>6}  {' x '.join(map(str, machine)):<10}"
        with tempfile.TemporaryDirectory() as made:
            folder = Path(made)
            write_matrix(folder / "a.mtx", ranks, pairs)
            for placer in placers.values():
                if ranks > LARGEST_FOR_OTHERS and not isinstance(placer, Cairn):
                    continue
                cores, seconds = placer.map(folder, ranks, pairs, machine)
                fullest = max(Counter(cores).values())
                found = between_nodes(pairs, cores, machine)
                line += f"{found:>11}{f'*{fullest}' if fullest > 1 else '':<2}{over(found, least[-1]):>9}{over(hops(pairs, cores, machine), best):>9}{seconds:>7.2f}"
        print(line, flush=True)


def main():
    parser = argparse.ArgumentParser(description="Measures the mappings of cairn place.")
    parser.add_argument("--build", default=Path(__file__).resolve().parent.parent / "build", type=Path, metavar="FOLDER")
    parser.add_argument("--largest", default=65536, type=int, metavar="RANKS", help="leave larger patterns out")
    parser.add_argument("--treematch", type=Path, metavar="FOLDER", help="also measure TreeMatch, whose sources are there")
    arguments = parser.parse_args()
    placers = {"cairn": Cairn(arguments.build)}
    if shutil.which("scotch_gmap") is None:
        print("scotch_gmap is not there (apt-get install scotch): it is not measured", file=sys.stderr)
    else:
        placers["gmap"] = Gmap()
    with tempfile.TemporaryDirectory() as made:
        if arguments.treematch:
            placers["treematch"] = TreeMatch(arguments.treematch.resolve(), Path(made))
        measure(placers, arguments.largest)


if __name__ == "__main__":
    main()
