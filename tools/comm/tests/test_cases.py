# SPDX-License-Identifier: BSD-3-Clause
# test_cases.py - the tool `comm`: phases, communicators, files, flushes, snapshots, its own variables.

from comm_testing import *

NEXT = {0: 1, 1: 2, 2: 0}


def ring(messages, size=4):
    """Entries of comm.json for so many messages from each of three ranks to the next."""
    return [[rank, NEXT[rank], messages, size * messages, [[8, messages]]] for rank in range(3)]


def case(mpi, folder, name, *words, **more):
    run_comm(mpi, folder, 3, "comm_cases", name, *words, **more)
    return comm_json(folder / "comm")


def test_phases_have_what_was_sent_in_them(mpi, tmp_path):
    data = case(mpi, tmp_path, "phases")
    found = {one["name"]: one["p2p"] for one in data["phases"]}
    assert found == {"": ring(1 + 6), "MPI_Pcontrol(3)": ring(2), "MPI_Pcontrol(3)/solve": ring(3),
                     "MPI_Pcontrol(3)/solve/halo": ring(4), "last": ring(5)}
    assert phase(data, "last")["coll_shared"] == [[0, "to_all", rank, 1, 0, [[1, 1]]] for rank in range(3)]
    assert volumes(tmp_path / "comm", "p2p") == {pair: (21, 84) for pair in NEXT.items()}  # all phases together


def test_flushed_files_and_what_is_forgotten_and_the_rest_add_up(mpi, tmp_path):
    data = case(mpi, tmp_path, "flushes", tmp_path / "part", tools=["comm=table:off:files:on"])
    for rank in range(3):
        flushed = [(tmp_path / f"part_{i}.{rank}.prof").read_text().splitlines()[1].split("\t") for i in (1, 2)]
        assert [line[1:5] for line in flushed] == [[str(rank), str(NEXT[rank]), f"{4 * n} bytes", f"{n} msgs sent"] for n in (3, 5)]
    assert phase(data, "")["p2p"] == ring(3 + 4 + 5 + 6)


def test_communicators_are_told_apart_by_processes_and_name_in_bounded_memory(mpi, tmp_path):
    done = run_comm(mpi, tmp_path, 3, "comm_cases", "communicators", 200)
    assert int(done.out) < 1000  # KiB by which the second half of them has made it grow
    data = comm_json(tmp_path / "comm")
    found = {(one["members"], one["name"]): one["number"] for one in data["communicators"]}
    assert found == {("0-2", ""): 100, ("0-2", "loop"): 100, ("0,2", ""): 2, ("1", ""): 2}
    calls = {}
    for number, rank, *counts in phase(data, "")["collectives"]:
        one = data["communicators"][number]
        calls[one["members"], one["name"], rank] = counts
    for name in ("", "loop"):
        for rank in range(3):
            assert calls["0-2", name, rank] == [0, 0, 0, 0, 100, 800]
    assert calls["0,2", "", 0] == [2, 8, 0, 0, 0, 0] and calls["1", "", 1] == [2, 0, 0, 0, 0, 0]


def test_communicators_of_many_names_take_bounded_memory_and_stay_exact(mpi, tmp_path):
    count, kinds = 8400, 4096
    done = run_comm(mpi, tmp_path, 3, "comm_cases", "names", count)
    assert int(done.out) < 1000  # KiB for 4,200 names; a kind of its own takes more than one
    data = comm_json(tmp_path / "comm")
    assert len(data["communicators"]) == kinds + 1  # MPI_COMM_WORLD among them
    others = data["communicators"][kinds]
    assert (others["name"], others["members"], others["number"]) == ("(other communicators)", "", count - kinds + 2)
    expected = {(i, j): (10, 0) for i in range(3) for j in range(3) if i != j}  # MPI_Barrier
    for j in (1, 2):
        expected[0, j] = (10 + count, 4 * count)  # MPI_Bcast
    for pair, size in [((i, j), 4) for i in range(3) for j in range(i + 1, 3)] + [  # MPI_Scan
            ((1, 0), 8), ((1, 2), 8),  # MPI_Bcast
            ((1, 0), 8), ((2, 0), 8), ((0, 1), 4), ((0, 2), 4)]:  # MPI_Reduce_scatter_block between the groups
        expected[pair] = (expected[pair][0] + 1, expected[pair][1] + size)
    assert volumes(tmp_path / "comm", "coll") == expected


def test_programs_write_files_by_control_variables_only_if_the_user_says_so(mpi, tmp_path):
    done = run_stacked(mpi, 3, ["comm=table:off"], mpi.program("comm_cases"), "flushes", tmp_path / "part", out=tmp_path / "out")
    assert done.code != 0 and "comm_flush: code" in done.err
    assert not list(tmp_path.glob("part*"))


@pytest.mark.parametrize("text, accepted", [("0.2", True), ("200ms", True), ("2 d", False)])
def test_times_have_units_or_are_seconds(text, accepted, tmp_path):
    mpi = MPIS[1]
    done = run_comm(mpi, tmp_path, 3, "comm_cases", "every" if accepted else "phases", tmp_path, tools=[f"comm=table:off:every:{text}"])
    refusal = (f"option 'every' cannot be '{text}'; it is a time such as 500us, 20ms, 2s or 0.5 (seconds), or off; its default is used")
    assert (refusal in done.err) != accepted
    assert ("moments" in comm_json(tmp_path / "comm")) == accepted


def test_volume_of_files_by_rank(mpi, tmp_path):
    data = case(mpi, tmp_path, "files", tmp_path / "data")
    assert phase(data, "")["files"] == [[rank, 1, 12, 2, 80] for rank in range(3)]


def test_persistent_collectives_count_when_they_are_started(tmp_path):
    case(MPIS[1], tmp_path, "persistent")
    expected = {(i, j): [2, 16] for i in range(3) for j in range(3) if i != j}
    for to in (0, 2):
        expected[1, to][0] += 2
        expected[1, to][1] += 80
    for rank in (1, 2):
        expected[rank, 0][0] += 2
        expected[rank, 0][1] += 24
    assert {pair: list(volume) for pair, volume in volumes(tmp_path / "comm", "coll").items()} == expected


def reported(folder):
    done = run(CAIRN, "report", folder, "--json", "-")
    assert done.code == 0, done.err
    return json.loads(done.out)["sections"][0]["tables"], done.err


@pytest.mark.parametrize("name, option", [("snapshot", ""), ("by_signal", ":signal:10")])
def test_a_snapshot_has_all_ranks_rows_though_the_program_fails(mpi, name, option, tmp_path):
    out = tmp_path / "out"
    done = run_stacked(mpi, 3, ["comm=table:off:files:on" + option], mpi.program("comm_cases"), name, out, out=out, run=run_with_last_words,
                       anew=out)
    assert done.code != 0
    assert sorted(path.name for path in (out / "comm").iterdir()) == [f"rank.{rank}.json" for rank in range(3)]
    tables, err = reported(out)
    rows = {(row["from"], row["to"]): (row["p2p_messages"], row["p2p_bytes"]) for row in tables["pairs"]["rows"] if row["p2p_messages"]}
    # The last message of `snapshot` comes after it: a rank that has time at its end leaves that too.
    ends = {(7, 28), (8, 32)} if name == "snapshot" else {(7, 28)}
    assert rows.keys() == set(NEXT.items()) and set(rows.values()) <= ends
    assert "has snapshots of 3 ranks, not the results of the whole run" in err


def test_a_programs_own_handler_of_the_signal_is_called_too(mpi, tmp_path):
    done = run_stacked(mpi, 3, ["comm=table:off:signal:10"], mpi.program("comm_cases"), "own_handler", tmp_path, out=tmp_path, anew=tmp_path)
    assert (done.code, done.out, done.err) == (0, "handled 1\n", "")


def test_a_signal_that_the_program_takes_back_is_said(mpi, tmp_path):
    done = run_stacked(mpi, 3, ["comm=table:off:signal:10"], mpi.program("comm_cases"), "other_handler", out=tmp_path)
    assert (done.code, done.err) == (0, "cairn: warning: tool 'comm': no snapshots by signal 10 from when the program set a handler of its own "
                                        "for it\n"
                                        "cairn:   asked for by: --tools comm=table:off:signal:10\n")


@pytest.mark.parametrize("signal", [11, 15, 99])
def test_signals_that_mean_something_else_ask_for_no_snapshot(mpi, signal, tmp_path):
    done = run_stacked(mpi, 2, [f"comm=table:off:signal:{signal}"], mpi.program("comm_cases"), "phases", out=tmp_path)
    assert (done.code, done.err) == (0, f"cairn: warning: tool 'comm': no snapshots by signal {signal}: signals that have no other meaning are "
                                        "10 (SIGUSR1), 12 (SIGUSR2) and 34 to 64\n"
                                        f"cairn:   asked for by: --tools comm=table:off:signal:{signal}\n")


def test_snapshots_go_when_the_results_come(mpi, tmp_path):
    case(mpi, tmp_path, "phases", tools=["comm=table:off:every:1"])
    assert not list((tmp_path / "comm").glob("rank.*"))


def test_each_snapshot_has_what_came_since_the_one_before(mpi, tmp_path):
    moments = case(mpi, tmp_path, "moments", tools=["comm=table:off:files:on"])["moments"]
    assert [[number, ranks, *sums] for number, _, ranks, *sums in moments] == [
        [1, 3, 21, 84, 0, 0, 0, 0], [2, 1, 2, 8, 0, 0, 2, 0], ["end", 3, 7, 28, 0, 0, 4, 0]]
    assert [until for _, until, *_ in moments] == sorted(until for _, until, *_ in moments)
    tables, err = reported(tmp_path)
    rows = tables["snapshots"]["rows"]
    assert err == "" and [(row["snapshot"], row["p2p_bytes"], row["bytes_so_far"]) for row in rows] == [
        ("1", 84, 84), ("2", 8, 92), ("end", 28, 120)]


def test_snapshots_by_time_add_up_to_the_whole(mpi, tmp_path):
    data = case(mpi, tmp_path, "every", tmp_path, tools=["comm=table:off:every:1"])
    *snapshots, end = data["moments"]
    assert snapshots and [number for number, *_ in snapshots] == list(range(1, len(snapshots) + 1)) and end[0] == "end"
    sums = [sum(column) for column in zip(*(one[3:] for one in data["moments"]))]
    assert sums == [30, 120, 0, 0, 6, 0]
    tables, _ = reported(tmp_path)
    so_far = [row["messages_so_far"] for row in tables["snapshots"]["rows"]]
    assert so_far == sorted(so_far) and so_far[-1] == 36


def test_runs_without_snapshots_have_no_moments(mpi, tmp_path):
    assert "moments" not in case(mpi, tmp_path, "phases")


def test_threads_at_once_are_counted_exactly(mpi, tmp_path):
    run_comm(mpi, tmp_path, 2, "comm_cases", "threads")
    assert phase(comm_json(tmp_path / "comm"), "")["p2p"] == [[rank, 1 - rank, 400, 1000, [[2, 100], [4, 200], [8, 100]]] for rank in range(2)]


def test_own_variables_have_the_elements_of_the_communicator(mpi, tmp_path):
    done = run_comm(mpi, tmp_path, 3, "comm_cases", "variables")
    found = {line.split()[0]: [int(word) for word in line.split()[1:]] for line in done.out.splitlines()}
    assert found == {"comm_p2p_messages": [3, 3], "comm_p2p_bytes": [3, 12], "comm_coll_messages": [3, 1], "comm_p2p_sizes": [40, 3],
                     "comm_p2p_sizes_to": [120, 3], "comm_all_to_all_calls": [1, 1], "coll_monitoring_a2a_count": [1, 1]}


def test_text_of_each_rank_on_request(mpi, tmp_path):
    run_comm(mpi, tmp_path, 3, "ring_c", tools=["comm=table:off:prof:on"])
    text = (tmp_path / "comm" / "rank.0.prof").read_text().splitlines()
    assert text[1].split("\t")[:5] == ["E", "0", "1", "4000 bytes", "10 msgs sent"]
    assert text[2:] == ["# OSC", "# COLLECTIVES", "C\t0\t1\t48 bytes\t3 msgs sent", "C\t0\t2\t48 bytes\t3 msgs sent", "D\tMPI_COMM_WORLD\tprocs: 0,1,2",
                        "O2A\t0\t80 bytes\t1 msgs sent", "A2O\t0\t0 bytes\t0 msgs sent", "A2A\t0\t16 bytes\t2 msgs sent"]


def test_report_tells_volume_by_phase_and_rank(mpi, tmp_path):
    case(mpi, tmp_path, "phases")
    tables, err = reported(tmp_path)
    assert err == ""
    assert {row["phase"]: row["p2p_messages"] for row in tables["phases"]["rows"]} == {
        "outside of regions": 21, "MPI_Pcontrol(3)": 6, "MPI_Pcontrol(3)/solve": 9, "MPI_Pcontrol(3)/solve/halo": 12, "last": 15}
    assert [(row["sent_bytes"], row["received_bytes"], row["partners"]) for row in tables["ranks"]["rows"]] == [(84, 84, 1)] * 3


def test_messages_to_other_worlds_have_no_rank(tmp_path):
    done = run_stacked(MPIS[0], 1, ["comm=table:off"], MPIS[0].program("spawn"), out=tmp_path)
    assert done.code == 0, done.err
    for folder in ("spawned-0-1", "spawned-0-2"):
        flows = phase(comm_json(tmp_path / folder / "comm"), "")["p2p"]
        assert flows and all(to == -1 for _, to, *_ in flows)
        assert matrix(tmp_path / folder / "comm", "p2p", "bytes") == {}
