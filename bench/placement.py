#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# placement.py - how good the mappings of `cairn place` are, and how long they take, beside Scotch's own scotch_gmap; see README.md.

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


# name, ranks, pairs, nodes, cores of each, the least number of pairs between nodes that is known
PATTERNS = [
    ("ring of 64", 64, lambda: grid([64], True), 8, 8, 8),
    ("plane 8 x 8", 64, lambda: grid([8, 8]), 8, 8, 32),
    ("cube of 4", 64, lambda: grid([4, 4, 4]), 8, 8, 48),
    ("tree of 127", 127, lambda: tree(127), 8, 16, 10),
    ("all to all, 64", 64, lambda: everyone(64), 8, 8, 64 * 56 // 2),
    ("plane 32 x 32", 1024, lambda: grid([32, 32]), 16, 64, 192),
    ("cube of 8", 512, lambda: grid([8, 8, 8]), 8, 64, 192),
    ("all to all, 1,024", 1024, lambda: everyone(1024), 16, 64, 1024 * 960 // 2),
    ("ring of 4,096", 4096, lambda: grid([4096], True), 64, 64, 64),
    ("plane 64 x 64", 4096, lambda: grid([64, 64]), 64, 64, 896),
    ("cube of 16", 4096, lambda: grid([16, 16, 16]), 64, 64, 2304),
    ("torus of 16", 4096, lambda: grid([16, 16, 16], True), 64, 64, 3072),
    ("tree of 4,095", 4095, lambda: tree(4095), 64, 64, 94),
    ("cube 64 x 32 x 32", 65536, lambda: grid([64, 32, 32]), 1024, 64, 44032),
]


def permuted(ranks, pairs):
    order = list(range(ranks))
    random.Random(1).shuffle(order)
    return [(order[a], order[b]) for a, b in pairs]


def write_matrix(path, ranks, pairs):
    lines = "".join(f"{max(a, b) + 1} {min(a, b) + 1} 1000\n" for a, b in pairs)
    path.write_text(f"%%MatrixMarket matrix coordinate integer symmetric\n{ranks} {ranks} {len(pairs)}\n{lines}")


def between_nodes(pairs, node_of):
    return sum(node_of[a] != node_of[b] for a, b in pairs)


def run_cairn(command, folder, pairs, nodes, cores):
    begin = time.perf_counter()
    done = subprocess.run([command, "place", folder / "a.mtx", "--nodes", str(nodes), "--machine", f"core:{cores}", "--json", folder / "a.json"],
                          stdout=subprocess.DEVNULL, check=True)
    seconds = time.perf_counter() - begin
    assert done.returncode == 0
    mapping = json.loads((folder / "a.json").read_text())["mappings"][0]
    assert max(Counter(mapping["cores"]).values()) == 1
    return between_nodes(pairs, [core // cores for core in mapping["cores"]]), seconds


def run_gmap(folder, ranks, pairs, nodes, cores):
    """Pairs between nodes, seconds, and how many ranks the fullest core has."""
    partners = [[] for _ in range(ranks)]
    for a, b in pairs:
        partners[a].append(b)
        partners[b].append(a)
    lines = "".join(f"{len(own)} {' '.join(map(str, own))}\n" for own in partners)
    (folder / "a.grf").write_text(f"0\n{ranks} {2 * len(pairs)}\n0 000\n{lines}")
    (folder / "a.tgt").write_text(f"tleaf 2 {nodes} 2 {cores} 1\n")
    begin = time.perf_counter()
    subprocess.run(["scotch_gmap", folder / "a.grf", folder / "a.tgt", folder / "a.map"], check=True, stdout=subprocess.DEVNULL)
    seconds = time.perf_counter() - begin
    core_of = dict(tuple(map(int, line.split())) for line in (folder / "a.map").read_text().splitlines()[1:])
    return between_nodes(pairs, [core_of[rank] // cores for rank in range(ranks)]), seconds, max(Counter(core_of.values()).values())


def over(found, least):
    return f"{100 * (found / least - 1):+.1f} %"


def measure(command, with_gmap, largest):
    print(f"{'ranks shuffled':<20}{'ranks':>7}{'least':>8}  {'cairn':>8}{'':>9}{'s':>7}  {'gmap':>8}{'':>9}{'s':>7}  fullest core")
    for name, ranks, make, nodes, cores, least in PATTERNS:
        if ranks > largest:
            continue
        pairs = permuted(ranks, make())
        with tempfile.TemporaryDirectory() as made:
            folder = Path(made)
            write_matrix(folder / "a.mtx", ranks, pairs)
            found, seconds = run_cairn(command, folder, pairs, nodes, cores)
            line = f"{name:<20}{ranks:>7}{least:>8}  {found:>8}{over(found, least):>9}{seconds:>7.2f}"
            if with_gmap and ranks <= 4096:  # beyond, it takes minutes
                found, seconds, fullest = run_gmap(folder, ranks, pairs, nodes, cores)
                line += f"  {found:>8}{over(found, least):>9}{seconds:>7.2f}  {fullest}"
            print(line, flush=True)


def main():
    parser = argparse.ArgumentParser(description="Measures the mappings of cairn place.")
    parser.add_argument("--build", default=Path(__file__).resolve().parent.parent / "build", type=Path, metavar="FOLDER")
    parser.add_argument("--largest", default=65536, type=int, metavar="RANKS", help="leave larger patterns out")
    arguments = parser.parse_args()
    with_gmap = shutil.which("scotch_gmap") is not None
    if not with_gmap:
        print("scotch_gmap is not there (apt-get install scotch): only cairn is measured", file=sys.stderr)
    measure(arguments.build / "bin" / "cairn", with_gmap, arguments.largest)


if __name__ == "__main__":
    main()
