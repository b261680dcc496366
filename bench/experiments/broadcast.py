# SPDX-License-Identifier: BSD-3-Clause
# broadcast.py - a broadcast made of messages by a tool between two copies of `profile` (thesis, section 4.5.3).

import json

from . import pictures
from .harness import NAMES, Claim, Result, tools

TITLE = "A broadcast reimplemented between two profilers"
KINDS = {"tbcast_pmpi.so": "PMPI", "tbcast_thesis.so": "thesis's QMPI", "tbcast.so": "C++ kit"}
BYTES = 1 << 20


def calls_of(path):
    """{function: (calls, bytes sent, bytes received)} without what starts and ends the program."""
    functions = json.loads(path.read_text())["functions"]
    return {one["name"]: [one["calls"], one["bytes_sent"], one["bytes_received"]] for one in functions
            if one["name"] in ("MPI_Bcast", "MPI_Send", "MPI_Recv", "MPI_Comm_rank", "MPI_Comm_size")}


def run_once(place, tool, ranks):
    place.launched(tools("profile=table:off", tool, "profile=table:off", environment=("OMPI_MCA_mpi_yield_when_idle=1",)), place.words("broadcast"), ranks)
    folder = place.result_folder()
    return {"upper": calls_of(folder / "profile.json"), "lower": calls_of(folder / "profile.2.json")}


def expected(ranks):
    """The program asks for its rank once; the tool asks each rank for its rank and the size."""
    messages = (ranks - 1) * BYTES
    return {"upper": {"MPI_Bcast": ranks, "MPI_Comm_rank": ranks},
            "lower": {"MPI_Send": ranks - 1, "MPI_Recv": ranks - 1, "MPI_Comm_rank": 2 * ranks, "MPI_Comm_size": ranks}}, messages


def measure(lab):
    """28 ranks as in the thesis; MPICH's ranks never yield a core to each other, so fewer there."""
    figures = {}
    for mpi, place in lab.places.items():
        ranks = lab.pick({"openmpi": 28, "mpich": 8}[mpi], 2)
        figures[mpi] = {"ranks": ranks, "tools": {tool: run_once(place, tool, ranks) for tool in KINDS}}
    return figures


def is_right(seen, ranks):
    counts, messages = expected(ranks)
    return ({level: {name: calls[0] for name, calls in seen[level].items()} for level in seen} == counts
            and seen["lower"]["MPI_Send"][1] == messages and seen["lower"]["MPI_Recv"][2] == messages)


def words(calls):
    return ", ".join(f"{name.removeprefix('MPI_')} {count}" for name, (count, _, _) in sorted(calls.items()))


def result(figures):
    rows = ["| | tool in the middle | the upper `profile` sees | the lower one |", "|---|---|---|---|"]
    claims = []
    for mpi, part in figures.items():
        for tool, kind in KINDS.items():
            seen = part["tools"][tool]
            rows.append(f"| {NAMES[mpi]}, {part['ranks']} ranks | {kind} | {words(seen['upper'])} | {words(seen['lower'])}; "
                        f"{seen['lower']['MPI_Send'][1] / BYTES:g} MiB sent, {seen['lower']['MPI_Recv'][2] / BYTES:g} MiB received |")
        right = [is_right(part["tools"][tool], part["ranks"]) for tool in KINDS]
        claims.append(Claim(f"{NAMES[mpi]}: two instances of one tool count apart, above and below a tool that replaces a function",
                            "28 Bcast above; 27 Send and 27 Recv below", f"{part['ranks']} Bcast above; {part['ranks'] - 1} Send and Recv below, "
                            f"{sum(right)} of {len(right)} kinds of tool right to the count and byte", all(right)))
    return Result(claims, "\n".join(rows))


def draw(figures, path):
    picture, axes = pictures.panels(len(figures), width=5)
    for axis, (mpi, part) in zip(axes, figures.items()):
        seen = part["tools"]["tbcast_thesis.so"]
        names = ["MPI_Bcast", "MPI_Send", "MPI_Recv", "MPI_Comm_rank", "MPI_Comm_size"]
        pictures.bars(axis, {name.removeprefix("MPI_"): {f"{level} profile": seen[level].get(name, [0])[0] for level in seen} for name in names},
                      f"{NAMES[mpi]}, {part['ranks']} ranks", "calls")
    pictures.save(picture, path)
