# SPDX-License-Identifier: BSD-3-Clause
# test_viewers.py - what other programs read in an archive is what the program did; and what is damaged in a trace is told with every output.

import json
import re
import struct
import subprocess
import time

from cairn_testing import *


def traced(mpi, tmp_path, program, ranks, *arguments, tools="trace"):
    result = run_stacked(mpi, ranks, [tools], mpi.program(program), *arguments, out=tmp_path / "out", timeout=60)
    assert result.code == 0, result.err
    return tmp_path / "out"


def archive_of(out, folder):
    result = run(CAIRN, "trace", out, "--otf2", folder)
    assert (result.code, result.err) == (0, "")
    return folder / "traces.otf2"


def read(archive):
    """By the Python module of OTF2: events by rank, in their order."""
    otf2 = pytest.importorskip("otf2")
    between = otf2.definitions.InterComm  # OTF2 3.0 for Python takes its fields to come after those of other communicators
    between._fields = tuple(field for field in between._fields if field.name in ("name", "groupA", "groupB")) + between._fields[-2:]
    ranks = {}
    with otf2.reader.open(str(archive)) as trace:
        definitions = trace.definitions
        communicators = [one.name for one in definitions.comms]
        for location, event in trace.events:
            ranks.setdefault(int(re.search(r"\d+", location.group.name)[0]), []).append(event)
    return ranks, communicators


def kind_of(event):
    return type(event).__name__


def collectives_of(events):
    """By the call that they are in: operation, communicator, root, bytes."""
    found, regions = [], []
    for event in events:
        if kind_of(event) == "Enter":
            regions.append(event.region.name)
        elif kind_of(event) == "Leave":
            assert regions.pop() == event.region.name
        elif kind_of(event) in ("MpiCollectiveEnd", "NonBlockingCollectiveComplete"):
            found.append((regions[-1], str(event.collective_op).rpartition(".")[2], event.communicator.name, event.root, event.size_sent, event.size_received))
    assert not regions
    return found


NONE, SELF, THIS_GROUP = 2**32 - 1, 2**32 - 2, 2**32 - 3


def test_roots_operations_and_communicators_are_those_of_the_calls(mpi, tmp_path):
    ranks, communicators = read(archive_of(traced(mpi, tmp_path, "groups", 4, tools="trace=interval:1ms"), tmp_path / "otf2"))
    assert communicators.count("named late") == 1 and communicators.count("both") == 1
    assert len(communicators) == len(set(communicators) - {""}) + communicators.count("")
    for rank, events in ranks.items():
        found = collectives_of(events)
        between = [one for one in found if one[2] == "both" and one[1] == "BCAST"]
        root = 0 if rank % 2 == 0 else SELF if rank == 1 else THIS_GROUP
        assert [one[3:] for one in between] == [(root, 16 if root == SELF else 0, 8 if root == 0 else 0)], rank
        assert [one[1:2] + one[3:] for one in found if one[0] == "MPI_Neighbor_allgather"] == [("ALLGATHER", NONE, 4, 8)]
        assert [one[1] for one in found if one[0] == "MPI_Wait"][0] == "ALLTOALL"
        assert [one[1] for one in found if one[2] == "named late"] == ["BARRIER", "BARRIER", "DESTROY_HANDLE"]
        life = [kind_of(event) for event in events if kind_of(event) in ("MpiIrecvRequest", "MpiRequestTest", "MpiIrecv")]
        assert life == ["MpiIrecvRequest", "MpiRequestTest", "MpiIrecv"]
        sent = [(kind_of(event), event.communicator.name, getattr(event, "receiver", getattr(event, "sender", None))) for event in events if kind_of(event) in ("MpiSend", "MpiRecv") and event.communicator.name == "both"]
        assert sent == [("MpiSend" if rank % 2 else "MpiRecv", "both", rank // 2)]
        if any(one[0] == "MPI_Bcast_c" for one in found):
            named = {one[0]: one for one in found}
            assert named["MPI_Bcast_c"][1:] == ("BCAST", "MPI_COMM_WORLD", 1, 32 if rank == 1 else 0, 8)
            assert named["MPI_Reduce_c"][1:] == ("REDUCE", "MPI_COMM_WORLD", 2, 8, 8 if rank == 2 else 0)
            assert named["MPI_Exscan_c"][1] == "EXSCAN"
            assert [one[1:] for one in found if one[0] == "MPI_Wait"][1:3] == 2 * [("BCAST", "MPI_COMM_WORLD", 3, 32 if rank == 3 else 0, 8)]
    assert mpi.id != "mpich" or any(one[0] == "MPI_Bcast_c" for one in collectives_of(ranks[0]))


def profiled(folder):
    sections = {one["tool"]: one for one in json.loads(run(CAIRN, "report", folder, "--json", "-").out)["sections"]}
    return {row["name"]: (row["bytes_sent"], row["bytes_received"]) for row in sections["profile"]["tables"]["functions"]["rows"]}


def test_a_report_counts_large_calls_as_others_and_persistent_ones_not(mpi, tmp_path):
    out = traced(mpi, tmp_path, "groups", 4, tools="trace,profile=table:off")
    shutil.copytree(out / "trace", tmp_path / "alone" / "trace")
    measured, found = profiled(out), profiled(tmp_path / "alone")
    for name in ("MPI_Bcast_c", "MPI_Reduce_c", "MPI_Exscan_c", "MPI_Neighbor_allgather"):
        assert name not in measured or found[name] == measured[name]
    assert found.get("MPI_Bcast_init", (0, 0)) == (0, 0)


def test_other_readers_find_what_the_program_did(mpi, tmp_path):
    """OTF2's module for Python: messages, requests from beginning to end, nesting."""
    archive = archive_of(traced(mpi, tmp_path, "actions", 2), tmp_path / "otf2")
    ranks, _ = read(archive)
    for rank, events in ranks.items():
        calls = [event.region.name for event in events if kind_of(event) == "Enter"]
        assert calls[0] == "MPI_Init" and calls[-1] == "MPI_Finalize" and "MPI_Sendrecv" in calls
        collectives_of(events)  # nested as they should be
        tags = [(kind_of(event), event.msg_tag, event.msg_length) for event in events if kind_of(event) in ("MpiSend", "MpiRecv", "MpiIsend", "MpiIrecv")]
        if rank == 0:
            assert tags == [("MpiSend", 7, 4), ("MpiSend", 8, 12), ("MpiSend", 1, 4), ("MpiRecv", 2, 4), ("MpiIsend", 3, 16), ("MpiIrecv", 3, 16), ("MpiIsend", 4, 8), ("MpiSend", 5, 8)]
        begun = [event.request_id for event in events if kind_of(event) in ("MpiIsend", "MpiIrecvRequest", "NonBlockingCollectiveRequest")]
        ended = [event.request_id for event in events if kind_of(event) in ("MpiIsendComplete", "MpiIrecv", "NonBlockingCollectiveComplete")]
        assert begun == sorted(begun) and sorted(ended) == begun


def test_requests_that_were_cancelled_end_so(mpi, tmp_path):
    """Of three, one is freed before it is over: nothing tells its end."""
    ranks, _ = read(archive_of(traced(mpi, tmp_path, "cancels", 2), tmp_path / "otf2"))
    begun = [event.request_id for event in ranks[1] if kind_of(event) == "MpiIrecvRequest"]
    ended = [(kind_of(event), event.request_id) for event in ranks[1] if kind_of(event) in ("MpiIrecv", "MpiRequestCancelled")]
    assert begun == [1, 2, 3, 4, 5] and sorted(ended) == [("MpiIrecv", 1), ("MpiIrecv", 2), ("MpiRequestCancelled", 3), ("MpiRequestCancelled", 5)]


def test_calls_of_several_threads_are_told_apart(mpi, tmp_path):
    out = traced(mpi, tmp_path, "unlike", 2)
    lines = run(CAIRN, "trace", out, "--text", "--ranks", "0").out.splitlines()
    assert "times are from one clock" in run("otf2-print", "-A", archive_of(out, tmp_path / "anchor")).out
    by_thread = {thread: [line for line in lines if re.match(rf" *[\d.]+ +0\.{thread} ", line)] for thread in (0, 1)}
    assert len(by_thread[1]) == 1 and "MPI_Send(to nobody, tag 0, 0 bytes, MPI_COMM_WORLD)" in by_thread[1][0]
    assert [re.search(r"MPI_\w+", line)[0] for line in by_thread[0]] == ["MPI_Init_thread", "MPI_Finalize"]
    printed = run("otf2-print", archive_of(out, tmp_path / "otf2")).out
    assert len(re.findall(rf'^ENTER +{2**32} .*"MPI_Send"', printed, re.M)) == 1 and len(re.findall(r'"MPI_Send"', printed)) == 4  # enter and leave on two ranks


def test_recording_is_switched_by_a_policy(mpi, tmp_path):
    policy = tmp_path / "off.policy"
    policy.write_text('rule "Nothing"\n  at start\n  set trace_recording = 0\n')
    result = run_stacked(mpi, 1, ["trace"], mpi.program("passes"), out=tmp_path / "out", timeout=60, options=["--policy", policy])
    assert result.code == 0, result.err
    listing = run(CAIRN, "trace", tmp_path / "out", "--text")
    assert "MPI_Init()" in listing.out and "MPI_Send" not in listing.out
    assert listing.err == "cairn: warning: rank 0: the trace has only selected calls: while recording was on\n"


def test_a_file_is_read_while_its_process_runs(tmp_path):
    """Each second what was called is in the file."""
    out = tmp_path / "out"
    job = subprocess.Popen([*map(str, MPIS[1].mpirun(1)), str(CAIRN), "run", "--tools", "trace", "--out", str(out), "--", str(MPIS[1].program("passes")), "200"],
                           env=environment(), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        tags = []
        for _ in range(600):
            result = run(CAIRN, "trace", out, "--text")
            tags = [int(tag) for tag in re.findall(r"MPI_Send\(.*tag (\d+)", result.out)]
            if len(tags) > 6:
                break
            assert job.poll() is None
            time.sleep(0.1)
        assert tags[:6] == [1000, 1001, 1002, 1003, 1004, 0] and tags[5:] == list(range(len(tags) - 5))
        assert result.err.startswith("cairn: warning: rank 0: the trace breaks off: the process was killed, could not write, or is still running\n")
    finally:
        job.terminate()
        job.wait(timeout=60)


def test_regions_of_the_program_are_around_its_calls(mpi, tmp_path):
    out = traced(mpi, tmp_path, "passes", 1)
    ranks, _ = read(archive_of(out, tmp_path / "otf2"))
    regions, paths = [], []
    for event in ranks[0]:
        if kind_of(event) == "Enter":
            regions.append(event.region.name)
            if event.region.name == "MPI_Send":
                paths.append("/".join(regions[:-1]))
        elif kind_of(event) == "Leave":
            assert regions.pop() == event.region.name
    assert not regions and paths[:5] == ["setup"] * 5 and len(paths) == 255
    assert len(set(paths[5:])) == 1 and re.fullmatch(r"outer/iteration.*", paths[5])
    events = json.loads(run(CAIRN, "trace", out, "--perfetto", "-").out)["traceEvents"]
    opened = []
    for event in events:
        if event["ph"] == "B":
            opened.append(event["name"])
            assert event["name"] != "MPI_Send" or "/".join(opened[:-1]) in (paths[0], paths[5])
        elif event["ph"] == "E":
            opened.pop()
    assert not opened and sum(event["ph"] == "B" and event["cat"] == "region" for event in events) == 252
    lines = run(CAIRN, "trace", out, "--text").out.splitlines()
    assert sum(line.endswith("  in region setup") for line in lines) == 1 and sum(line.endswith("  in region outer") for line in lines) == 251


# ---------------------------------------------------------------- damage

HEAD = struct.Struct("<HBBIIIIQ")
RECORDS = 3


def blocks_of(data):
    at = 12
    while at < len(data):
        _, kind, _, _, stored, _, count, first = HEAD.unpack_from(data, at)
        yield at, kind, stored, count, first
        at += HEAD.size + stored


def test_damage_is_told_with_every_output_and_the_rest_is_there(tmp_path):
    out = traced(MPIS[1], tmp_path, "actions", 2, "100000", tools="trace=calls:1000000")
    path = out / "trace" / "rank-0.trace"
    data = bytearray(path.read_bytes())
    at, _, stored, count, _ = [block for block in blocks_of(data) if block[1] == RECORDS and block[3] == 16384][1]
    for byte in range(at + HEAD.size + stored // 2, at + HEAD.size + stored // 2 + 4):
        data[byte] ^= 0xFF
    path.write_bytes(data)
    told = (f"cairn: warning: '{path}' is damaged at byte {at} of {len(data)}: a block has changed since it was written; "
            f"{count} records of thread 0 are left out\n")
    for words in ([], ["--text"], ["--otf2", tmp_path / "otf2"], ["--perfetto", tmp_path / "trace.json"]):
        result = run(CAIRN, "trace", out, *words)
        assert (result.code, result.err) == (0, told), words
        assert words or re.search(rf"\n  MPI_Send +{100_002 - count} ", result.out), result.out
        assert words != ["--text"] or (result.out.count("MPI_Send(") == 100_002 - count and "MPI_Finalize" in result.out)
    assert len(re.findall(r"^MPI_SEND ", run("otf2-print", "-L", 0, tmp_path / "otf2" / "traces.otf2").out, re.M)) == 4  # those to nobody are none
    assert told in run(CAIRN, "report", out).err
    replay = run(CAIRN, "trace", out, "--replay", tmp_path / "replay.c")
    assert replay.code == 125
    assert replay.err == (f"cairn: error: the run cannot be replayed: rank 0 has a damaged trace, at byte {at}: a block has changed since it was written\n"
                          "cairn:   try: 'cairn trace DIR --text', which shows all that is there\n")
