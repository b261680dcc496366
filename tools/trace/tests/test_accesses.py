# SPDX-License-Identifier: BSD-3-Clause
# test_accesses.py - one-sided calls, files and the bytes of collective calls: in a trace is what the program did.

import json
import re
import tempfile

from cairn_testing import *

WINDOW, FILE = "Window: field", "Handle: FILE"
UNKNOWN = 2**64 - 1


def fence(*within):
    return ("MPI_Win_fence", "RMA_COLLECTIVE_BEGIN", *within, f"RMA_COLLECTIVE_END Operation: BARRIER {WINDOW} Level of Synchronicity: {{PROCESS MEMORY}} Root: NONE Sent: 0 Received: 0")


def group_sync(function, *before):
    return (function, *before, f"RMA_GROUP_SYNC Level of Synchronicity: {{PROCESS MEMORY}} {WINDOW} Group:")


def done(number, how="REMOTE"):
    return f"RMA_OP_COMPLETE_{how} {WINDOW} Matching: {number}"


def begin_of(mode, flags, size, number):
    return f"IO_OPERATION_BEGIN {FILE} Mode: {mode} Operation Flags: {flags} Bytes Request: {size} Matching Id: {number}"


def end_of(size, number):
    return f"IO_OPERATION_COMPLETE {FILE} Bytes Result: {size} Matching Id: {number}"


def file_calls(first):
    return [
        ("MPI_File_open", f"IO_CREATE_HANDLE {FILE} Access Mode: READ_WRITE Creation Flags: NONE Status Flags: NONE"),
        ("MPI_File_write_at", begin_of("WRITE", "NONE", 20, first), end_of(20, first)),
        ("MPI_File_sync", begin_of("FLUSH", "{COLLECTIVE}", UNKNOWN, first + 1), end_of(UNKNOWN, first + 1)),
        ("MPI_File_read_at", begin_of("READ", "NONE", 64, first + 2), end_of(10, first + 2)),
        ("MPI_File_read_at_all", begin_of("READ", "{COLLECTIVE}", 20, first + 3), end_of(20, first + 3)),
        ("MPI_File_iread_at", begin_of("READ", "{NON_BLOCKING}", 8, first + 4), f"IO_OPERATION_ISSUED {FILE} Matching Id: {first + 4}"),
        ("MPI_Wait", end_of(8, first + 4)),
        ("MPI_File_write_at_all_begin", begin_of("WRITE", "{NON_BLOCKING COLLECTIVE}", 4, first + 5), f"IO_OPERATION_ISSUED {FILE} Matching Id: {first + 5}"),
        ("MPI_File_write_at_all_end", end_of(4, first + 5)),
        ("MPI_File_close", f"IO_DESTROY_HANDLE {FILE}"),
    ]


LOCK = f"{WINDOW} Remote: 1 Lock: 0"
LOCK_ALL = f"{WINDOW} Remote: UNDEFINED Lock: 0"
BEGIN = [("MPI_Win_create", f"RMA_WIN_CREATE {WINDOW}"), fence(),
         ("MPI_Put", f"RMA_PUT {WINDOW} Remote: OTHER Bytes: 24 Matching: 1"),
         ("MPI_Accumulate", f"RMA_ATOMIC {WINDOW} Remote: OTHER Type: ACCUMULATE Sent: 8 Received: 0 Matching: 2"),
         ("MPI_Put",), fence(done(1), done(2))]
END = [("MPI_Win_free", "RMA_COLLECTIVE_BEGIN", f"RMA_WIN_DESTROY {WINDOW}", fence()[-1])]

# What accesses.c does, as otf2-print has it, but for collective calls on communicators.
OTF2 = [
    BEGIN + [
        group_sync("MPI_Win_start"),
        ("MPI_Get", f"RMA_GET {WINDOW} Remote: 1 Bytes: 16 Matching: 3"),
        group_sync("MPI_Win_complete", done(3)),
        ("MPI_Win_lock", f"RMA_REQUEST_LOCK {LOCK} Type: EXCLUSIVE", f"RMA_ACQUIRE_LOCK {LOCK} Type: EXCLUSIVE"),
        ("MPI_Get_accumulate", f"RMA_ATOMIC {WINDOW} Remote: 1 Type: FETCH_AND_ACCUMULATE Sent: 16 Received: 16 Matching: 4"),
        ("MPI_Win_flush_local", done(4, "NON_BLOCKING"), f"RMA_SYNC {WINDOW} Remote: 1 Sync Type: MEMORY"),
        ("MPI_Fetch_and_op", f"RMA_ATOMIC {WINDOW} Remote: 1 Type: FETCH_AND_ACCUMULATE Sent: 0 Received: 8 Matching: 5"),
        ("MPI_Win_flush", done(4), done(5), f"RMA_SYNC {WINDOW} Remote: 1 Sync Type: MEMORY"),
        ("MPI_Win_unlock", f"RMA_RELEASE_LOCK {LOCK}"),
        ("MPI_Win_lock_all", f"RMA_REQUEST_LOCK {LOCK_ALL} Type: SHARED", f"RMA_ACQUIRE_LOCK {LOCK_ALL} Type: SHARED"),
        ("MPI_Rput", f"RMA_PUT {WINDOW} Remote: 1 Bytes: 16 Matching: 6"),
        ("MPI_Wait", done(6, "NON_BLOCKING")),
        ("MPI_Win_unlock_all", done(6), f"RMA_RELEASE_LOCK {LOCK_ALL}")] + END + file_calls(7),
    BEGIN + [group_sync("MPI_Win_post"), group_sync("MPI_Win_wait")] + END + file_calls(3),
]


def shown(out, *words):
    result = run(CAIRN, "trace", out, *words)
    assert (result.code, result.err) == (0, "")
    return result.out


def printed(archive, *options):
    result = run("otf2-print", *options, archive)
    assert (result.code, result.err) == (0, "")
    return result.out


def events_of(archive, rank, file):
    calls = []
    for line in printed(archive, "-L", rank).splitlines():
        event = re.match(rf"([A-Z_]+) +{rank} +\d+ *(.*)", line)
        if event and event[1] == "ENTER":
            calls.append((re.search(r'"(\w+)"', event[2])[1],))
        elif event and event[1] not in ("LEAVE", "MPI_COLLECTIVE_BEGIN", "MPI_COLLECTIVE_END"):
            rest = re.sub(r' \("[^"]*" <\d+>\)| <\d+>|[",]', "", event[2]).replace(str(file), "FILE")
            calls[-1] += (f"{event[1]} {rest}".strip(),)
    return [call for call in calls if call[0] not in ("MPI_Init", "MPI_Barrier", "MPI_Finalize")]


def traced(mpi, tmp_path, program, ranks, *arguments, tools="trace"):
    result = run_stacked(mpi, ranks, [tools], mpi.program(program), *arguments, out=tmp_path / "out", timeout=60)
    assert result.code == 0, result.err
    return tmp_path / "out"


@pytest.fixture
def file():
    """Its name must fit into the trace."""
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        yield pathlib.Path(folder) / "data"


@pytest.mark.parametrize("tools", ["trace", "trace,profile"])
def test_one_sided_calls_and_files_are_events_of_otf2(mpi, tmp_path, file, tools):
    """Where `profile` is below, calls end when it says so."""
    shown(traced(mpi, tmp_path, "accesses", 2, file, tools=tools), "--otf2", tmp_path / "otf2")
    archive = tmp_path / "otf2" / "traces.otf2"
    for rank, expected in enumerate(OTF2):
        assert events_of(archive, rank, file) == [tuple(word.replace("OTHER", str(1 - rank)) for word in call) for call in expected]
    definitions = printed(archive, "-G")
    assert re.search(r'RMA_WIN +0 +Name: "field" <\d+>, Communicator: "\w*" <\d+>, Flags: {CREATE_DESTROY_EVENTS}', definitions), definitions
    assert len(re.findall(rf'IO_REGULAR_FILE +0 +Name: "{file}"', definitions)) == 1
    assert len(re.findall(rf'IO_HANDLE +0 +Name: "{file}" <\d+>, File: "file://{file}" <0>, ', definitions)) == 1


def test_one_sided_calls_and_files_are_shown_with_their_amounts(mpi, tmp_path, file):
    out = traced(mpi, tmp_path, "accesses", 2, file)
    text = shown(out, "--text", "--ranks", "0")
    for call, detail in (("MPI_Win_create(MPI_COMM_WORLD)", "made window 'field'"), ("MPI_Put(to 1, 24 bytes, window 'field')", None),
                         ("MPI_Get(to 1, 16 bytes, window 'field')", None), ("MPI_Fetch_and_op(to 1, window 'field')", "sends 0 bytes, receives 8 bytes"),
                         ("MPI_File_open(MPI_COMM_WORLD)", f"made file '{file}'"), (f"MPI_File_read_at(64 bytes, file '{file}')", "transferred 10 bytes")):
        place, following = re.search(re.escape(call) + r"(.*)\n(.*)", text).groups()
        assert "accesses.c:" in place and (detail is None or following.strip() == detail)
    events = json.loads(shown(out, "--perfetto", "-"))["traceEvents"]
    ends = [event.get("args", {}) for event in events if event["ph"] == "E"]
    assert sum(end.get("transferred_bytes") == 10 for end in ends) == 2
    assert sum((end.get("sent_bytes"), end.get("received_bytes")) == (16, 16) for end in ends) == 1


def test_a_name_that_is_too_long_is_shown_by_its_end(mpi, tmp_path):
    file = tmp_path / ("x" * 80 + "end")
    assert f"made file '...{'x' * 53}end'" in shown(traced(mpi, tmp_path, "accesses", 2, file), "--text", "--ranks", "0")


def profiled(folder):
    sections = {one["tool"]: one for one in json.loads(run(CAIRN, "report", folder, "--json", "-").out)["sections"]}
    return {row["name"]: (row["bytes_sent"], row["bytes_received"]) for row in sections["profile"]["tables"]["functions"]["rows"]}


@pytest.mark.parametrize("program, ranks", [("accesses", 2), ("exchanges", 4)])
def test_a_report_from_the_trace_has_the_bytes_that_profile_counts(mpi, tmp_path, file, program, ranks):
    out = traced(mpi, tmp_path, program, ranks, file if program == "accesses" else "3", tools="trace,profile=table:off")
    shutil.copytree(out / "trace", tmp_path / "alone" / "trace")
    measured, found = profiled(out), profiled(tmp_path / "alone")
    unlike = {name: (found[name], measured[name]) for name in found if found[name] != measured[name]}
    # A receive that is cancelled leaves in MPICH's status what an earlier one had, which 'profile' counts.
    assert set(unlike) <= ({"MPI_Irecv"} if mpi.id == "mpich" else set()), unlike


def test_a_report_from_the_trace_has_the_one_sided_calls_that_comm_counts(mpi, tmp_path, file):
    def pairs(folder):
        sections = {one["tool"]: one for one in json.loads(run(CAIRN, "report", folder, "--json", "-").out)["sections"]}
        return {(row["from"], row["to"]): [row.get(key, 0) for key in ("osc_bytes", "osc_messages", "p2p_bytes", "p2p_messages")] for row in sections["comm"]["tables"]["pairs"]["rows"]}

    out = traced(mpi, tmp_path, "accesses", 2, file, tools="trace,comm=table:off")
    shutil.copytree(out / "trace", tmp_path / "alone" / "trace")
    measured, found = pairs(out), pairs(tmp_path / "alone")
    assert found == measured and found[0, 1][0] > 0 and found[1, 0][0] > 0


def test_collective_calls_have_their_exact_bytes_in_otf2(mpi, tmp_path):
    """As the tool profile counts them: where ranks have different amounts, and with MPI_IN_PLACE."""
    out = traced(mpi, tmp_path, "exchanges", 4, "3", tools="trace,profile=table:off")
    shown(out, "--otf2", tmp_path / "otf2")
    sums = {}
    for rank in range(4):
        name, begun = None, {}
        for line in printed(tmp_path / "otf2" / "traces.otf2", "-L", rank).splitlines():
            if enter := re.match(r'ENTER .*Region: "(\w+)"', line):
                name = enter[1]
            elif request := re.match(r"NON_BLOCKING_COLLECTIVE_REQUEST .*Request: (\d+)", line):
                begun[request[1]] = name
            elif end := re.match(r"(?:MPI_COLLECTIVE_END|NON_BLOCKING_COLLECTIVE_COMPLETE) .*Sent: (\d+), Received: (\d+)(?:, Request: (\d+))?", line):
                sent, received = sums.get(begun[end[3]] if end[3] else name, (0, 0))
                sums[begun[end[3]] if end[3] else name] = (sent + int(end[1]), received + int(end[2]))
    measured = profiled(out)
    exact = [name for name in sums if re.search("ather|catter|lltoall", name)]
    assert len(exact) == 13 and {name: sums[name] for name in exact} == {name: measured[name] for name in exact}


def test_values_of_variables_over_time_are_metrics_and_counters(mpi, tmp_path):
    """Those that the tool vars has kept of each rank, at the moments of its samples."""
    out = traced(mpi, tmp_path, "actions", 2, "1000000", tools="trace=shortest:100us,vars=every:5ms:thread:on:series:on:ranks:on:calls:off:table:off,comm=table:off")
    run(CAIRN, "trace", out, "--otf2", tmp_path / "otf2")
    data = json.loads((out / "vars.json").read_text())
    step = 1e9 * data["sampling"]["series_step_s"]
    expected = {(rank["rank"], one["name"]): [mean for mean in rank["means"] if mean is not None]
                for one in data["variables"] for rank in one.get("by_rank", []) if "means" in rank}
    found, times = {}, {}
    for line in printed(tmp_path / "otf2" / "traces.otf2").splitlines():
        if event := re.match(r'METRIC +(\d+) +(\d+) +Metric: \d+, 1 Value: \("(\w+)" <\d+>; DOUBLE; (\S+)\)', line):
            key = (int(event[1]) % 2**32, event[3])
            found.setdefault(key, []).append(float(event[4]))
            times.setdefault(key, []).append(int(event[2]))
    for rank in (0, 1):  # what writing the trace took, which only grows
        writing = found.pop((rank, "trace_writing"))
        assert writing[0] == 0 and writing == sorted(writing) and writing[-1] > 0
        times.pop((rank, "trace_writing"))
    assert found.keys() == expected.keys() and (0, "comm_p2p_bytes") in found
    assert all(found[key] == pytest.approx(expected[key], rel=1e-5) for key in expected)  # otf2-print rounds
    for moments in times.values():
        steps = [(later - earlier) / step for earlier, later in zip(moments, moments[1:])]
        assert all(count > 0.2 and (index == 0 or abs(count - round(count)) < 1e-3) for index, count in enumerate(steps))
    counters = [event for event in json.loads(run(CAIRN, "trace", out, "--perfetto", "-").out)["traceEvents"] if event["ph"] == "C"]
    values = {}
    for event in (event for event in counters if event["name"] != "trace_writing"):
        values.setdefault((event["pid"] - 1, event["name"]), []).append(event["args"]["value"])
    assert values == expected
    assert {event["pid"] for event in counters if event["name"] == "trace_writing"} == {1, 2}


def test_variables_that_cannot_be_read_are_told(tmp_path):
    out = traced(MPIS[0], tmp_path, "actions", 2)
    (out / "vars.json").write_text("{")
    result = run(CAIRN, "trace", out, "--perfetto", tmp_path / "trace.json")
    assert result.code == 0 and result.err.startswith(f"cairn: warning: '{out}/vars.json' ")
