# SPDX-License-Identifier: BSD-3-Clause
# comm_testing.py - reading what the tool `comm` writes.

from cairn_testing import *

KINDS = ["p2p", "osc", "coll"]


def matrix(folder, kind, measure):
    """{(from, to): value} of a Matrix Market file, in ranks from 0; its own counts are checked."""
    lines = (folder / f"{kind}.{measure}.mtx").read_text().splitlines()
    assert lines[0] == "%%MatrixMarket matrix coordinate integer general"
    rows = [[int(word) for word in line.split()] for line in lines if not line.startswith("%")]
    assert rows[0][2] == len(rows) - 1
    cells = {(i - 1, j - 1): value for i, j, value in rows[1:]}
    assert list(cells) == sorted(cells) and len(cells) == len(rows) - 1
    return cells


def volumes(folder, kind):
    """{(from, to): (messages, bytes)}"""
    messages, sizes = matrix(folder, kind, "messages"), matrix(folder, kind, "bytes")
    assert messages.keys() == sizes.keys()
    return {pair: (messages[pair], sizes[pair]) for pair in messages}


def comm_json(folder):
    data = json.loads((folder / "comm.json").read_text())
    assert data["format"] == "cairn-comm 1" and not data["saturated"] and not data["lost"]
    return data


def run_comm(mpi, folder, ranks, program, *arguments, tools=("comm=table:off",), **more):
    done = run_stacked(mpi, ranks, tools, mpi.program(program), *arguments, out=folder, **more)
    assert done.code == 0, done.err
    return done


def phase(data, name):
    return next((one for one in data["phases"] if one["name"] == name), {})
