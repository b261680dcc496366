# SPDX-License-Identifier: BSD-3-Clause
# test_precision.py - with a precision, moments are off by no more than it, all else is as without, and a stencil takes few bytes.

import json
import re
import struct

from cairn_testing import *

PRECISION = 1e-3
ALLOWED = "times may be off by up to 1.00 ms, as 'precision' allowed"
STEP = ["MPI_Irecv", "MPI_Irecv", "MPI_Isend", "MPI_Isend", "MPI_Waitall"]


def stencil(mpi, out, *arguments, tools="trace=precision:1ms", ranks=2):
    return run_stacked(mpi, ranks, [tools], mpi.program("stencil"), *arguments, out=out, timeout=100)


def shown(out, *words):
    result = run(CAIRN, "trace", out, *words)
    assert result.code == 0, result.err
    return result


def calls_of(out, rank):
    """Without times and handles."""
    lines = shown(out, "--text", "--ranks", rank).out.splitlines()[1:]
    lines = [re.sub(r"^ *[\d.]+ +\d+\.\d+ +[\d.]+ us +", "", line).strip() for line in lines]
    return [re.sub(r"0x[0-9a-f]+", "A", line) for line in lines]


def test_calls_arguments_and_order_are_as_without(mpi, tmp_path):
    assert stencil(mpi, tmp_path / "exact", 50, tools="trace").code == 0
    result = stencil(mpi, tmp_path / "out", 50)
    assert (result.code, result.out, result.err) == (0, "", "")
    for rank in range(2):
        lines = calls_of(tmp_path / "out", rank)
        assert lines == calls_of(tmp_path / "exact", rank)
        names = [re.match(r"(MPI_\w+)", line)[1] for line in lines if line.startswith("MPI_")]
        assert names == ["MPI_Init", *(STEP * 10 + ["MPI_Allreduce"]) * 5, "MPI_Finalize"]
        times = [float(line.split()[0]) for line in shown(tmp_path / "out", "--text", "--ranks", rank).out.splitlines()[1:] if re.match(r" *[\d.]+ +\d+\.\d", line)]
        assert times == sorted(times)
    assert shown(tmp_path / "out").err == f"cairn: warning: ranks 0-1: {ALLOWED}\n"
    assert shown(tmp_path / "exact").err == ""
    assert shown(tmp_path / "out", "--otf2", tmp_path / "otf2").out == f"{tmp_path}/otf2/traces.otf2\n"
    printed = run("otf2-print", tmp_path / "otf2" / "traces.otf2")
    assert printed.code == 0 and len(re.findall(r"^ENTER ", printed.out, re.M)) == 2 * (5 * 50 + 5 + 2)
    assert len(json.loads(shown(tmp_path / "out", "--perfetto", "-").out)["traceEvents"]) > 2 * 2 * 257
    assert "MPI_Waitall" in shown(tmp_path / "out", "--replay", "-").out


def functions_of(folder):
    result = run(CAIRN, "report", folder, "--json", "-")
    assert result.code == 0, result.err
    tables = {section["tool"]: section["tables"] for section in json.loads(result.out)["sections"]}
    return {row["name"]: row for row in tables["profile"]["functions"]["rows"]}


def test_times_are_those_that_profile_measures_but_for_the_precision(mpi, tmp_path):
    assert stencil(mpi, tmp_path / "all", 300, tools="trace=precision:1ms,profile=table:off").code == 0
    (tmp_path / "alone").mkdir()
    shutil.copytree(tmp_path / "all" / "trace", tmp_path / "alone" / "trace")
    measured, traced = functions_of(tmp_path / "all"), functions_of(tmp_path / "alone")
    assert set(traced) > {*STEP, "MPI_Allreduce"}
    for name, row in traced.items():
        assert row["calls"] == measured[name]["calls"]
        if name == "MPI_Init":  # it begins earlier for the one than for the other
            continue
        for key in ("shortest_call_s", "longest_call_s"):
            assert abs(row[key] - measured[name][key]) <= 2 * PRECISION + 1e-6 + 1e-5 * row[key], (name, key)
        assert abs(row["time_total_s"] - measured[name]["time_total_s"]) <= 2 * PRECISION * row["calls"], name


def size_of_calls(path):
    """Without what is there because time goes on: each second has blocks of its own (tools/trace/README.md), and how many seconds
    a run takes depends on the machine's load. Of records there are 16,384 in a block otherwise."""
    data, at, size, blocks, records = path.read_bytes(), 12, 12, 0, 0
    while at < len(data):
        kind, stored, count = struct.unpack_from("<2xBx4xI4xI", data, at)
        at += 28 + stored
        size += 0 if kind == 4 else 28 + stored
        blocks, records = (blocks + 1, records + count) if kind == 3 else (blocks, records)
    return size - 400 * (blocks - (records + 16383) // 16384)


def test_ten_times_the_steps_take_less_than_twice_the_bytes(mpi, tmp_path):
    """With a precision that no step exceeds, however long others hold the processor. What irregular steps take, unit tests tell."""
    def sizes(steps, tools):
        out = tmp_path / f"{steps}-{len(tools)}"
        assert stencil(mpi, out, steps, tools=tools).code == 0
        assert re.search(rf" {2 * (5 * steps + steps // 10 + 2)} calls of 2 threads ", shown(out).out)
        return [size_of_calls(out / "trace" / f"rank-{rank}.trace") for rank in (0, 1)]

    room = "trace=calls:131072"  # for all of them, so that none is lost where the tool's thread gets no processor
    few, many, exact = sizes(1000, room + ":precision:1s"), sizes(10000, room + ":precision:1s"), sizes(10000, room)
    for rank in (0, 1):
        assert many[rank] < 2 * few[rank]
        assert 5 * many[rank] < exact[rank]


def test_after_sigkill_what_was_written_down_is_there(mpi, tmp_path):
    out = tmp_path / "out"
    assert stencil(mpi, out, 2000, out / "trace" / "rank-0.trace", ranks=1).code != 0
    result = shown(out)
    assert result.err == ("cairn: warning: rank 0: the trace breaks off: the process was killed, could not write, or is still running\n"
                          f"cairn:   try: 'cairn where {out}', which shows the last calls of a process that died\n"
                          f"cairn: warning: rank 0: {ALLOWED}\n")
    assert re.search(r"\n  MPI_Waitall +2000 ", result.out)
