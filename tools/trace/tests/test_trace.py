# SPDX-License-Identifier: BSD-3-Clause
# test_trace.py - what a program did is what its trace says, also if it is killed, the disk is full or much is lost.

import json
import re

from cairn_testing import *
from traced_testing import shown, trace, without_times

MISSING = (r"cairn: warning: rank 0: \d+ records before its end are missing: they came faster than they could be written, or after the trace reached its "
           r"size limit\n")

# What actions.c does, by rank: times, handles and places left out.
ACTIONS = [[
    "MPI_Init()",
    "MPI_Send(to 1, tag 7, 4 bytes, MPI_COMM_WORLD) messages",
    "MPI_Ssend(to 1, tag 8, 12 bytes, MPI_COMM_WORLD) messages",
    "MPI_Sendrecv(to 1, tag 1, from 1 with tag 2, 4 bytes, MPI_COMM_WORLD) messages",
    "received from 1, tag 2, 4 bytes",
    "MPI_Irecv(from anyone, tag 3, 40 bytes, request A, MPI_COMM_WORLD) requests",
    "MPI_Isend(to 1, tag 3, 16 bytes, request B, MPI_COMM_WORLD) requests",
    "MPI_Ibarrier(request C, MPI_COMM_WORLD) requests",
    "MPI_Waitall(3 requests) requests",
    "completed request A from 1, tag 3, 16 bytes",
    "completed request B",
    "completed request C",
    "MPI_Send_init(to 1, tag 4, 8 bytes, request D, MPI_COMM_WORLD) requests",
    "MPI_Start() requests",
    "started request D",
    "MPI_Wait(1 request) requests",
    "completed request D",
    "MPI_Request_free() requests",
    "freed request D",
    "in region MPI_Pcontrol(0)",
    "MPI_Comm_split(MPI_COMM_WORLD) together",
    "MPI_Bcast(root 0, 16 bytes, communicator 'turned') together",
    "MPI_Allgather(8 bytes, communicator 'turned') together",
    "sends 8 bytes, receives 16 bytes",
    "MPI_Send(to 0, tag 5, 8 bytes, communicator 'turned') together",
    "MPI_Comm_free(communicator 'turned') together",
    "in no region",
    "MPI_Finalize()",
], [
    "MPI_Init()",
    "MPI_Recv(from anyone, any tag, 16 bytes, MPI_COMM_WORLD) messages",
    "received from 0, tag 7, 4 bytes",
    "MPI_Recv(from 0, tag 8, 16 bytes, MPI_COMM_WORLD) messages",
    "received from 0, tag 8, 12 bytes",
    "MPI_Sendrecv(to 0, tag 2, from 0 with tag 1, 4 bytes, MPI_COMM_WORLD) messages",
    "received from 0, tag 1, 4 bytes",
    "MPI_Irecv(from anyone, tag 3, 40 bytes, request A, MPI_COMM_WORLD) requests",
    "MPI_Isend(to 0, tag 3, 16 bytes, request B, MPI_COMM_WORLD) requests",
    "MPI_Ibarrier(request C, MPI_COMM_WORLD) requests",
    "MPI_Waitall(3 requests) requests",
    "completed request A from 0, tag 3, 16 bytes",
    "completed request B",
    "completed request C",
    "MPI_Recv_init(from 0, tag 4, 8 bytes, request D, MPI_COMM_WORLD) requests",
    "MPI_Start() requests",
    "started request D",
    "MPI_Wait(1 request) requests",
    "completed request D from 0, tag 4, 8 bytes",
    "MPI_Request_free() requests",
    "freed request D",
    "in region MPI_Pcontrol(0)",
    "MPI_Comm_split(MPI_COMM_WORLD) together",
    "MPI_Bcast(root 0, 16 bytes, communicator 'turned') together",
    "MPI_Allgather(8 bytes, communicator 'turned') together",
    "sends 8 bytes, receives 16 bytes",
    "MPI_Recv(from 1, tag 5, 8 bytes, communicator 'turned') together",
    "received from 1, tag 5, 8 bytes",
    "MPI_Comm_free(communicator 'turned') together",
    "in no region",
    "MPI_Finalize()",
]]


def killed(out):
    return ("cairn: warning: rank 0: the trace breaks off: the process was killed, could not write, or is still running\n"
            f"cairn:   try: 'cairn where {out}', which shows the last calls of a process that died\n")


def check_actions(lines, expected):
    handles = {}
    assert len(lines) == len(expected), "\n".join(lines)
    for line, wanted in zip(lines, expected):
        if handle := re.search(r"0x[0-9a-f]+", line):
            letter = re.search(r"request ([A-Z])", wanted)[1]
            assert handles.setdefault(letter, handle[0]) == handle[0], line
            line = line.replace(handle[0], letter)
        assert line == wanted


# The same in OTF2, as otf2-print has it, but for what every call has (ENTER, LEAVE): what happens in it, by call.
OTF2 = [[
    ("MPI_Init",), ("MPI_Send", "MPI_SEND to 1 tag 7 length 4"), ("MPI_Ssend", "MPI_SEND to 1 tag 8 length 12"),
    ("MPI_Sendrecv", "MPI_SEND to 1 tag 1 length 4", "MPI_RECV from 1 tag 2 length 4"),
    ("MPI_Irecv", "MPI_IRECV_REQUEST request 1"), ("MPI_Isend", "MPI_ISEND to 1 tag 3 length 16 request 2"),
    ("MPI_Ibarrier", "NON_BLOCKING_COLLECTIVE_REQUEST request 3"),
    ("MPI_Waitall", "MPI_IRECV from 1 tag 3 length 16 request 1", "MPI_ISEND_COMPLETE request 2",
     "NON_BLOCKING_COLLECTIVE_COMPLETE BARRIER on MPI_COMM_WORLD root NONE sent 0 received 0 request 3"),
    ("MPI_Send_init",), ("MPI_Start", "MPI_ISEND to 1 tag 4 length 8 request 4"), ("MPI_Wait", "MPI_ISEND_COMPLETE request 4"),
    ("MPI_Request_free",),
    ("MPI_Pcontrol(0)",), ("MPI_Comm_split", "CREATE_HANDLE on MPI_COMM_WORLD root NONE sent 0 received 0"),
    ("MPI_Bcast", "BCAST on turned root 0 sent 0 received 16"),
    ("MPI_Allgather", "ALLGATHER on turned root NONE sent 8 received 16"),
    ("MPI_Send", "MPI_SEND to 0 tag 5 length 8"),
    ("MPI_Comm_free", "DESTROY_HANDLE on turned root NONE sent 0 received 0"), ("MPI_Finalize",),
], [
    ("MPI_Init",), ("MPI_Recv", "MPI_RECV from 0 tag 7 length 4"), ("MPI_Recv", "MPI_RECV from 0 tag 8 length 12"),
    ("MPI_Sendrecv", "MPI_SEND to 0 tag 2 length 4", "MPI_RECV from 0 tag 1 length 4"),
    ("MPI_Irecv", "MPI_IRECV_REQUEST request 1"), ("MPI_Isend", "MPI_ISEND to 0 tag 3 length 16 request 2"),
    ("MPI_Ibarrier", "NON_BLOCKING_COLLECTIVE_REQUEST request 3"),
    ("MPI_Waitall", "MPI_IRECV from 0 tag 3 length 16 request 1", "MPI_ISEND_COMPLETE request 2",
     "NON_BLOCKING_COLLECTIVE_COMPLETE BARRIER on MPI_COMM_WORLD root NONE sent 0 received 0 request 3"),
    ("MPI_Recv_init",), ("MPI_Start", "MPI_IRECV_REQUEST request 4"), ("MPI_Wait", "MPI_IRECV from 0 tag 4 length 8 request 4"),
    ("MPI_Request_free",),
    ("MPI_Pcontrol(0)",), ("MPI_Comm_split", "CREATE_HANDLE on MPI_COMM_WORLD root NONE sent 0 received 0"),
    ("MPI_Bcast", "BCAST on turned root 0 sent 32 received 16"),
    ("MPI_Allgather", "ALLGATHER on turned root NONE sent 8 received 16"),
    ("MPI_Recv", "MPI_RECV from 1 tag 5 length 8"),
    ("MPI_Comm_free", "DESTROY_HANDLE on turned root NONE sent 0 received 0"), ("MPI_Finalize",),
]]


def otf2_of(archive, rank):
    """What an archive says of a rank, in the words of OTF2 above; its moments never go back."""
    printed = run("otf2-print", "-L", rank, archive)
    assert (printed.code, printed.err) == (0, "")
    calls, last = [], 0
    for line in printed.out.splitlines():
        if not (event := re.match(rf"([A-Z_]+) +{rank} +(\d+) +(.*)", line)):
            continue
        name, time, rest = event[1], int(event[2]), event[3]
        assert time >= last
        last = time
        if name == "ENTER":
            calls.append((re.search(r'Region: "([^"]+)"', rest)[1],))
        elif name not in ("LEAVE", "MPI_COLLECTIVE_BEGIN"):
            rest = re.sub(r' \("[^"]*" <\d+>\)', "", rest).replace(",", "")
            if "Operation" in rest:
                rest = re.sub(r'Operation: (\w+) Communicator: "(\w+)" <\d+> Root: (\w+)', r"\1 on \2 root \3", rest)
            rest = re.sub(r' Communicator: "\w+" <\d+>', "", rest).replace("Receiver:", "to").replace("Sender:", "from")
            words = rest.replace(":", "").split()
            text = " ".join(word if word.isupper() or word.startswith("MPI_") else word.lower() for word in words)
            calls[-1] += (text if name == "MPI_COLLECTIVE_END" else f"{name} {text}",)
    return calls


# Messages, as the arrows of Perfetto's viewer: from the call that sends to the call that has it.
FLOWS = sorted([
    (0, "MPI_Send", 1, "MPI_Recv"), (0, "MPI_Ssend", 1, "MPI_Recv"), (0, "MPI_Sendrecv", 1, "MPI_Sendrecv"), (1, "MPI_Sendrecv", 0, "MPI_Sendrecv"),
    (0, "MPI_Isend", 1, "MPI_Waitall"), (1, "MPI_Isend", 0, "MPI_Waitall"), (0, "MPI_Start", 1, "MPI_Wait"), (0, "MPI_Send", 1, "MPI_Recv")])


def slices_of(events):
    """By rank, in the order of the file: name and arguments of each call, those of its end too."""
    ranks, open_calls, last = {}, [], 0
    for event in events:
        if event["ph"] == "B":
            ranks.setdefault(event["pid"] - 1, []).append({"name": event["name"], **event["args"]})
            open_calls.append((ranks[event["pid"] - 1][-1], event))
        elif event["ph"] == "E":
            call, begin = open_calls.pop()
            assert (begin["pid"], begin["tid"]) == (event["pid"], event["tid"]) and begin["ts"] <= event["ts"]
            call.update(event.get("args", {}), begin=begin["ts"], end=event["ts"])
    assert not open_calls
    for calls in ranks.values():
        assert [call["begin"] for call in calls] == sorted(call["begin"] for call in calls)
    return ranks


def flows_of(events, ranks):
    """Each arrow begins and ends within a call, which is what viewers tie it to."""
    def around(event):
        return next(call["name"] for call in ranks[event["pid"] - 1] if "path" not in call and call["begin"] <= event["ts"] <= call["end"])

    ends = [{event["id"]: event for event in events if event["ph"] == phase} for phase in "sf"]
    assert set(ends[0]) == set(ends[1]) and all(event["bp"] == "e" for event in ends[1].values())
    assert all(ends[0][flow]["ts"] <= ends[1][flow]["ts"] for flow in ends[0])
    return sorted((begin["pid"] - 1, around(begin), ends[1][flow]["pid"] - 1, around(ends[1][flow])) for flow, begin in ends[0].items())


def check_perfetto(text):
    data = json.loads(text)
    events = data["traceEvents"]
    ranks = slices_of(events)
    assert [[call["name"] for call in ranks[rank]] for rank in (0, 1)] == [[call[0] for call in calls] for calls in OTF2]
    assert flows_of(events, ranks) == FLOWS
    names = {(event["pid"], event["name"]): event["args"]["name"] for event in events if event["ph"] == "M" and "name" in event["args"]}
    assert names[1, "process_name"].startswith("rank 0 on ") and names[2, "thread_name"] == "thread 0"
    send, split = ({key: value for key, value in ranks[rank][at].items() if key not in ("begin", "end")} for rank, at in ((0, 1), (1, 14)))
    assert send.pop("at").endswith(" messages") and split.pop("at").endswith(" together")
    assert send == {"name": "MPI_Send", "to": 1, "tag": 7, "bytes": 4, "communicator": "MPI_COMM_WORLD"}
    assert split == {"name": "MPI_Bcast", "root": 0, "bytes": 16, "communicator": "turned"}
    assert ranks[1][1]["from"] == "anyone" and ranks[1][1]["received"] == "4 bytes from 0, tag 7"


def test_every_call_is_there_with_what_it_did(mpi, tmp_path):
    result = trace(mpi, tmp_path / "out")
    assert (result.code, result.out, result.err) == (0, "", "")
    for rank, expected in enumerate(ACTIONS):
        lines = shown(tmp_path / "out", "--text", "--ranks", rank).out.splitlines()
        check_actions([without_times(line) for line in lines[1:]], expected)
    summary = shown(tmp_path / "out")
    assert summary.err == ""
    calls = sum(line.startswith("MPI_") for rank in ACTIONS for line in rank)
    assert re.match(rf"actions, 2 ranks, run \w+\n  {calls} calls of 2 threads in [\d.]+ s; [\d.]+ kB on disk, ", summary.out)
    assert re.search(r"\n  MPI_Recv +3 ", summary.out)
    times = [float(line.split()[0]) for line in shown(tmp_path / "out", "--text").out.splitlines()[1:] if "rank" not in line and re.match(r" *[\d.]+ +\d+\.\d", line)]
    assert times == sorted(times) and times[0] == 0
    assert shown(tmp_path / "out", "--otf2", tmp_path / "otf2").out == f"{tmp_path}/otf2/traces.otf2\n"
    for rank, expected in enumerate(OTF2):
        assert otf2_of(tmp_path / "otf2" / "traces.otf2", rank) == expected
    check_perfetto(shown(tmp_path / "out", "--perfetto", "-").out)
    again = run(CAIRN, "trace", tmp_path / "out", "--otf2", tmp_path / "otf2")
    assert (again.code, again.err) == (125, f"cairn: error: '{tmp_path}/otf2' already exists\ncairn:   asked for by: --otf2 {tmp_path}/otf2\n"
                                       "cairn:   try: another folder\n")
    assert shown(tmp_path / "out", "--perfetto", tmp_path / "trace.json").out == f"{tmp_path}/trace.json\n"
    refused = run(CAIRN, "trace", tmp_path / "out", "--perfetto", tmp_path)
    assert (refused.code, refused.err) == (125, f"cairn: error: '{tmp_path}' cannot be written: Is a directory\n"
                                           f"cairn:   asked for by: --perfetto {tmp_path}\ncairn:   try: a folder in which you may create files\n")


def sections_of(folder):
    result = run(CAIRN, "report", folder, "--json", "-")
    assert result.code == 0, result.err
    return {section["tool"]: section for section in json.loads(result.out)["sections"]}


def rows_of(section, table, *keys):
    return {tuple(row.get(key) for key in keys): row for row in section["tables"][table]["rows"]}


def check_figures(traced, measured):
    """Of all functions that a trace has; MPI_Init begins earlier for the one than for the other."""
    for place, row in traced.items():
        for key in ("calls", "calls_max", "bytes_sent", "bytes_received", "ranks"):
            assert row[key] == measured[place][key], (place, key)
        for key in ("time_total_s", "time_min_s", "time_max_s", "shortest_call_s", "longest_call_s"):
            assert place[0] == "MPI_Init" or abs(row[key] - measured[place][key]) < 1e-6 + 1e-5 * row[key], (place, key)


def test_a_report_has_the_figures_of_profile_and_comm_from_the_trace_alone(mpi, tmp_path):
    assert trace(mpi, tmp_path / "all", tools="trace,profile=table:off@pcontrol:off,comm=table:off@pcontrol:off").err == ""
    (tmp_path / "alone").mkdir()
    shutil.copytree(tmp_path / "all" / "trace", tmp_path / "alone" / "trace")
    measured, traced = sections_of(tmp_path / "all"), sections_of(tmp_path / "alone")
    assert list(traced) == ["profile", "comm", "trace"]
    assert traced["profile"]["lines"][-1] == {
        "figure": "trace", "subject": "is what these figures are from, without the tool 'profile'",
        "sentence": "Not in it: functions that only ask or compute, regions, the overlap of transfers, and the bytes of persistent "
                    "collective calls and of broadcasts and reductions between two groups."}
    functions = rows_of(traced["profile"], "functions", "name")
    assert len(functions) == len({call[0] for rank in OTF2 for call in rank} - {"MPI_Pcontrol(0)"})
    check_figures(functions, rows_of(measured["profile"], "functions", "name"))
    places = rows_of(traced["profile"], "callsites", "function", "place", "offset")
    check_figures(places, rows_of(measured["profile"], "callsites", "function", "place", "offset"))
    pairs, all_pairs = (rows_of(of["comm"], "pairs", "from", "to") for of in (traced, measured))
    assert set(pairs) == {(0, 1), (1, 0)}
    for pair, row in pairs.items():
        assert [(row[key], row[key] > 0) for key in ("p2p_bytes", "p2p_messages")] == [(all_pairs[pair][key], True) for key in ("p2p_bytes", "p2p_messages")]


def test_tests_in_turn_are_few_records_and_all_counted(mpi, tmp_path):
    """Some 100,000 of them, one after the other."""
    result = run_stacked(mpi, 2, ["trace,profile=table:off@pcontrol:off"], mpi.program("finding"), "in turn", out=tmp_path / "all", timeout=60)
    assert result.code == 0, result.err
    (tmp_path / "alone").mkdir()
    shutil.copytree(tmp_path / "all" / "trace", tmp_path / "alone" / "trace")
    traced, measured = (rows_of(sections_of(tmp_path / of)["profile"], "functions", "name") for of in ("alone", "all"))
    asked = {name: (traced[name,]["calls"], measured[name,]["calls"]) for name in ("MPI_Test", "MPI_Iprobe")}
    assert all(one == other and one > 10 for one, other in asked.values()), asked
    text = shown(tmp_path / "all", "--text").out
    records = re.findall(r"MPI_(?:Test|Iprobe)\(", text)
    assert 10 <= len(records) <= 10 * 8, text[:2000]


def test_the_size_of_every_datatype_is_known(mpi, tmp_path):
    result = run_stacked(mpi, 2, ["trace"], mpi.program("basics"), out=tmp_path / "out", timeout=60)
    assert result.code == 0, result.err
    sizes = [int(size) for size in result.out.split()]
    found = [int(size) for size in re.findall(r"MPI_Bcast\(root 0, (\d+) bytes?,", shown(tmp_path / "out", "--text", "--ranks", 0).out)]
    assert found == sizes and len(sizes) > 15
    assert "unknown" not in shown(tmp_path / "out").out


def test_options_that_leave_nothing_are_told(tmp_path):
    mpi = MPIS[0]
    tool = "trace=functions:MPI_Sned+MPI_Recv:from:2s:until:1s:precision:5s"
    result = trace(mpi, tmp_path / "out", tools=tool)
    assert result.code == 0
    for text in ("no call will be in the trace: 'until' is not after 'from'", "'precision' counts as 1s: times are not off by more",
                 "'functions' has 'MPI_Sned', which fits no MPI function"):
        assert f"cairn: warning: tool 'trace': {text}\ncairn:   asked for by: --tools {tool}\n" in result.err, result.err
    assert "times may be off by up to 1.00 s, as 'precision' allowed\n" in shown(tmp_path / "out").err
    assert run(CAIRN, "trace", tmp_path / "out", "--otf2", "").err == "cairn: error: no name is given\ncairn:   asked for by: --otf2\ncairn:   try: --otf2 DIR\n"


def test_a_cancelled_receive_is_no_message(mpi, tmp_path):
    assert trace(mpi, tmp_path / "out", "cancel", ranks=1).code == 0
    waited = re.search(r"MPI_Wait\(.*\n(.*)", shown(tmp_path / "out", "--text").out)[1]
    assert re.fullmatch(r" +completed request 0x[0-9a-f]+", waited)


def test_only_what_is_chosen_is_in_the_trace(mpi, tmp_path):
    """Calls between MPI_Pcontrol(0) and (1) are not, and what belongs to calls that are not is neither."""
    trace(mpi, tmp_path / "out", tools="trace=functions:MPI_Send+MPI_*recv:pcontrol:on")
    assert run(CAIRN, "trace", tmp_path / "out", "--ranks", "0 1").err == (
        "cairn: error: '0 1' is not a list of ranks\ncairn:   asked for by: --ranks 0 1\ncairn:   try: ranks such as 0-3 or 0,5\n")
    result = shown(tmp_path / "out", "--text", "--ranks", 0)
    assert result.err == ("cairn: warning: rank 0: the trace has only selected calls: functions:MPI_Send+MPI_*recv, while recording was on\n")
    lines = [without_times(line) for line in result.out.splitlines()[1:]]
    check_actions(lines, [ACTIONS[0][at] for at in (1, 3, 4, 5)])
    assert not any(event["ph"] in "sf" for event in json.loads(shown(tmp_path / "out", "--perfetto", "-").out)["traceEvents"])


def test_what_was_called_before_a_death_is_shown(mpi, tmp_path):
    """To the last call: what had not been written is in the process's page. It calls MPI_Send a thousand times, looks at the file, sleeps, and so on."""
    out = tmp_path / "out"
    assert trace(mpi, out, "until", out / "trace" / "rank-0.trace", tools="trace=calls:1000000").code != 0
    result = shown(out, "--ranks", "0")
    from_page = r"cairn: warning: rank 0: the process was killed; what it had not written yet is from its page: \d+ records?\n"
    assert result.err == killed(out) or re.fullmatch(from_page, result.err)
    sends = int(re.search(r"MPI_Send +(\d+)", result.out)[1])
    assert sends > 100_000 // 8  # of a file of 100,000 bytes: how many there are in it depends on how regular their times are
    assert (sends - sum(action.startswith("MPI_Send(") for action in ACTIONS[0])) % 1000 == 0
    lines = shown(out, "--text", "--ranks", "0").out.splitlines()
    check_actions([without_times(line) for line in lines[1:len(ACTIONS[0])]], ACTIONS[0][:-1])  # all but MPI_Finalize


def test_of_a_process_that_is_killed_once_mpi_is_finalized_all_but_that_call_is_there(mpi, tmp_path):
    """Its page has gone by then: `where` keeps the recorder below the tool that dies."""
    assert run_stacked(mpi, 2, ["trace", mpi.tool("dies_finalized"), "where"], mpi.program("actions"), out=tmp_path / "out", timeout=60).code != 0
    result = shown(tmp_path / "out", "--text", "--ranks", "0")
    assert result.err == killed(tmp_path / "out")
    check_actions([without_times(line) for line in result.out.splitlines()[1:]], ACTIONS[0][:-1])


def test_what_is_missing_before_a_death_is_told(mpi, tmp_path):
    """Beyond the limit nothing was written, and the page has the last calls only: the program comes to the limit by thousands, and ends far beyond it."""
    out = tmp_path / "out"
    assert trace(mpi, out, "beyond", out / "trace" / "rank-0.trace", tools="trace=limit:1").code != 0
    result = shown(out, "--ranks", "0")
    assert re.fullmatch(MISSING +
                        r"cairn: warning: rank 0: the process was killed; what it had not written yet is from its page: 65535 records\n", result.err)
    missing = int(re.search(r"\d+(?= records before)", result.err)[0])
    assert 0 < missing < 900000
    sends = int(re.search(r"MPI_Send +(\d+)", result.out)[1]) - sum(action.startswith("MPI_Send(") for action in ACTIONS[0])
    assert (sends + missing) % 1000 == 0
    replay = run(CAIRN, "trace", out, "--replay", tmp_path / "replay.c")
    assert replay.code == 125 and f"cairn: error: a replay needs all calls: {missing} records of rank 0 are lost\n" in replay.err


def calls_on_own(mpi, out, *action):
    """Tag, amount, its unit and the communicator's number."""
    assert trace(mpi, out, *action).code != 0
    calls = re.findall(r"MPI_Sendrecv\(to 0, tag (\d+), from 0 with tag \d+, (\d+) (byte|element)s?(?:, communicator 'number (\d+)')?\)",
                       shown(out, "--text", "--ranks", "0").out)
    assert [int(tag) for tag, *_ in calls] == list(range(int(action[1])))
    return calls


@pytest.mark.parametrize("action", ["anew", "held"])
def test_objects_without_number_are_told_apart(mpi, tmp_path, action):
    """The page's tables grow where places would be used again at once, or are all taken."""
    assert calls_on_own(mpi, tmp_path / "out", action, "1500") == [(str(tag), str(4 * (tag + 1)), "byte", str(tag)) for tag in range(1500)]


def test_what_was_made_last_is_not_taken_for_what_was_there_before(mpi, tmp_path):
    """The page has at most 4,096 places for communicators, and as many for datatypes, which are used again."""
    calls = calls_on_own(mpi, tmp_path / "out", "anew", "9000")
    for tag, amount, unit, number in calls:
        assert number in ("", tag) and int(amount) == (4 * (int(tag) + 1) if unit == "byte" else 1)
    assert calls[-1] == ("8999", "36000", "byte", "8999")


def test_more_traces_than_files_may_be_open_at_first(mpi, tmp_path):
    out = tmp_path / "out"
    assert run_stacked(mpi, 8, ["trace"], mpi.program("ring_c"), out=out, timeout=60).code == 0
    for command in ("trace", "whatif"):
        told = run("bash", "-c", 'ulimit -Sn 9; exec "$@"', "bash", CAIRN, command, out)
        assert (told.code, told.err) == (0, "") and "8 ranks" in told.out


def test_a_trace_ends_at_its_limit(mpi, tmp_path):
    """All records have room: none is lost, however busy the machine is."""
    result = trace(mpi, tmp_path / "out", "irregular", "900000", tools="trace=limit:1:calls:1000000")
    assert result.code == 0
    assert "cairn: warning: tool 'trace': the trace ends before the program does: its 'limit' was reached\n" in result.err
    assert re.search(r"cairn: warning: rank 0: \d+ records came after the trace reached its size limit\n", shown(tmp_path / "out").err)
    assert 1_000_000 < (tmp_path / "out" / "trace" / "rank-0.trace").stat().st_size < 1_500_000


def test_what_is_lost_is_counted(mpi, tmp_path):
    result = trace(mpi, tmp_path / "out", "300000", tools="trace=calls:4096", LD_PRELOAD=mpi.program("late_reader.so"))
    lost = re.search(r"cairn: warning: tool 'trace': (\d+) records are not in the trace: they came faster than they could be written "
                     r"\(a larger 'calls' helps\)\n", result.err)
    shown_now = shown(tmp_path / "out")
    assert shown_now.err == f"cairn: warning: rank 0: {lost[1]} records came faster than they could be written, and are lost\n"
    sent = int(re.search(r"MPI_Send +(\d+)", shown_now.out)[1])
    assert sent + int(lost[1]) >= 300_000 and sent < 300_000


def test_marks_of_regions_are_read_before_the_ring_is_full_without_any_call_between(mpi, tmp_path):
    """Nothing else has them read."""
    done = run_stacked(mpi, 1, ["trace=interval:60s"], mpi.program("marks"), out=tmp_path / "out", timeout=60)
    assert (done.code, done.err) == (0, "")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can mount a file system")
def test_a_full_disk_ends_the_trace_and_nothing_else(tmp_path):
    out = tmp_path / "out"
    (out / "trace").mkdir(parents=True)
    (tmp_path / "disk").mkdir()
    if run("mount", "-t", "tmpfs", "-o", "size=100k", "tmpfs", out / "trace").code != 0:
        pytest.skip("no file system can be mounted here")
    try:
        result = trace(MPIS[1], out, "3000000", tools="trace=calls:1000000")
        assert result.code == 0
        assert re.search(rf"cairn: warning: tool 'trace': '{out}/trace/rank-0.trace' cannot be written: No space left on device\n", result.err)
        assert int(re.search(r"MPI_Send +(\d+)", shown(out).out)[1]) > 1000
        assert run("mount", "-t", "tmpfs", "-o", "size=200k", "tmpfs", tmp_path / "disk").code == 0
        archive = tmp_path / "disk" / "otf2"
        failed = run(CAIRN, "trace", out, "--otf2", archive)
        assert failed.code == 125
        assert failed.err.endswith(f"cairn: error: '{archive}' cannot be written: No space left on device\ncairn:   asked for by: --otf2 {archive}\n"
                                   "cairn:   try: a folder in which you may create files, on a disk with space left\n")
    finally:
        run("umount", out / "trace")
        run("umount", tmp_path / "disk")


def test_without_a_trace_it_says_what_to_do(tmp_path):
    def refused(folder, why, asked, remedy):
        result = run(CAIRN, "trace", folder)
        assert (result.code, result.out, result.err) == (125, "", f"cairn: error: {why}\n{asked}cairn:   try: {remedy}\n")

    wrote = "the folder that 'cairn run' wrote: that of --out, or cairn-PROGRAM-DATE-TIME"
    traced = "a job started with 'cairn run --tools trace'"
    refused(tmp_path / "a", f"no trace: '{tmp_path}/a': No such file or directory", "", wrote)
    (tmp_path / "file").write_text("")
    refused(tmp_path / "file", f"no trace: '{tmp_path}/file' is not a folder", "", wrote)
    refused(tmp_path, f"the run of '{tmp_path}' left no trace", f"cairn:   asked for by: '{tmp_path}'\n", traced)


def test_files_that_are_no_traces_are_left_out(tmp_path):
    (tmp_path / "out").mkdir()
    assert trace(MPIS[1], tmp_path / "out").code == 0
    folder = tmp_path / "out" / "trace"
    (folder / "rank-1.trace").write_text("nothing of ours")
    whole = (folder / "rank-0.trace").read_bytes()
    (folder / "rank-2.trace").write_bytes(whole[:12])
    (folder / "rank-3.trace").write_bytes(whole[:12] + b"\0" * 64)
    (folder / "rank-4.trace").write_bytes(whole)
    (folder / "rank-0.trace").write_bytes(whole + b"\0" * 64)
    assert shown(tmp_path / "out").err.splitlines() == [
        f"cairn: warning: '{folder}/rank-1.trace' is not a trace of Cairn's",
        f"cairn: warning: '{folder}/rank-2.trace' is still empty",
        f"cairn: warning: '{folder}/rank-3.trace' is damaged at byte 12 of 76: no block begins there; nothing in it tells whose trace it is",
        f"cairn: warning: '{folder}/rank-4.trace' is of rank 0 again and left out",
        "cairn: warning: rank 1: there is no trace",
        f"cairn: warning: '{folder}/rank-0.trace' is damaged at byte {len(whole)} of {len(whole) + 64}: no block begins there; 64 bytes are left out"]
    for rank in (2, 3, 4):
        (folder / f"rank-{rank}.trace").unlink()
    (folder / "rank-0.trace").write_bytes(whole[:-3])
    assert killed(tmp_path / "out") in shown(tmp_path / "out").err
    for file in ("bin/cairn", "lib/libcairn.so", "lib/cairn/cairn-commands"):  # of a Cairn that was built without OTF2
        (tmp_path / file).parent.mkdir()
        shutil.copy(BUILD / file, tmp_path / file)
    result = run(tmp_path / "bin/cairn", "trace", tmp_path / "out", "--otf2", tmp_path / "otf2", "--ranks", "7-8,0")
    assert result.code == 125
    assert re.search(r"cairn: error: this Cairn was built without OTF2: \S+/cairn/libcairn-otf2.so: cannot open shared object file: No such file or "
                     rf"directory\ncairn:   asked for by: --otf2 {tmp_path}/otf2\ncairn:   try: building it where libotf2-trace-dev is installed\n$", result.err)
    (folder / "rank-0.trace").unlink()
    result = run(CAIRN, "trace", tmp_path / "out")
    assert (result.code, result.out) == (125, "")
    assert f"cairn: error: no trace in '{folder}' can be read\n" in result.err


def test_a_trace_of_another_run_is_left_out(tmp_path):
    for name, program in (("one", "actions"), ("two", "actions")):
        assert trace(MPIS[1], tmp_path / name).code == 0
    shutil.copy(tmp_path / "one" / "trace" / "rank-1.trace", tmp_path / "two" / "trace")
    assert shown(tmp_path / "two").err == (f"cairn: warning: '{tmp_path}/two/trace/rank-1.trace' is from another run and left out\n"
                                           "cairn: warning: rank 1: there is no trace\n")
