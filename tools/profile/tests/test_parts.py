# SPDX-License-Identifier: BSD-3-Clause
# test_parts.py - the profile by region, by communicator, by transfer and by rank, and of runs that come to no good
# end.
#
# What the programs do stands in their headers; expected figures are worked out from there.

import math

from cairn_testing import *

RANKS = 3
QUIET = "profile=table:off"


def profile(mpi, folder, *program, tool=QUIET, ranks=RANKS):
    done = run_stacked(mpi, ranks, [tool], *program, out=folder)
    assert done.code == 0, done.err
    assert done.err == ""
    return json.loads((folder / "profile.json").read_text())


@pytest.fixture(scope="module", params=MPIS, ids=lambda mpi: mpi.id)
def whole(request, tmp_path_factory):
    return profile(request.param, tmp_path_factory.mktemp("parts"), request.param.program("parts_program"),
                   tool="profile=table:off:ranks:on")


# ---------------------------------------------------------------------- regions


def calls_of(region):
    return {function["name"]: function["calls"] for function in region["functions"] if function["name"] != "MPI_Pcontrol"}


def test_regions_nest_and_have_their_own_calls(whole):
    regions = {region["region"]: region for region in whole["regions"]}
    assert {path: calls_of(region) for path, region in regions.items() if path} == {
        "step": {"MPI_Barrier": 5 * RANKS},
        "step/halo": {"MPI_Irecv": 5 * RANKS, "MPI_Isend": 5 * RANKS, "MPI_Waitall": 5 * RANKS},
        "MPI_Pcontrol(3)": {},
        "MPI_Pcontrol(3)/step": {"MPI_Allreduce": 2 * RANKS},
        "MPI_Pcontrol(3)/step/left open": {},
        "threaded": {"MPI_Comm_rank": 1}}
    assert {path: region["visits"] for path, region in regions.items() if path} == {
        "step": 5 * RANKS, "step/halo": 5 * RANKS, "MPI_Pcontrol(3)": RANKS, "MPI_Pcontrol(3)/step": 2 * RANKS,
        "MPI_Pcontrol(3)/step/left open": 2 * RANKS, "threaded": 1}
    assert regions["step/halo"]["bytes_sent"] == regions["step/halo"]["bytes_received"] == 5 * RANKS * 400


def test_regions_add_up_to_the_whole(whole):
    for key in ("calls", "bytes_sent", "bytes_received"):
        assert sum(region[key] for region in whole["regions"]) == sum(function[key] for function in whole["functions"])
    in_regions = sum(region["in_region_s"]["total"] for region in whole["regions"])
    run = whole["run_time_s"]
    assert 0.999 * run["total"] < in_regions < run["total"] + run["max"]  # one rank's thread comes on top: as long as its run at most
    for region in whole["regions"]:
        assert region["time_s"]["total"] <= region["in_region_s"]["total"] * (1 + 1e-9) + 1e-6


def test_regions_in_fortran(mpi, tmp_path):
    regions = {region["region"]: calls_of(region)
               for region in profile(mpi, tmp_path, mpi.program("parts_fortran"))["regions"]}
    assert {path: calls for path, calls in regions.items() if path} == {
        "outer": {"MPI_Barrier": RANKS}, "outer/in ner": {"MPI_Barrier": RANKS}}


def test_a_program_without_regions_has_none(mpi, tmp_path):
    assert "regions" not in profile(mpi, tmp_path, mpi.program("ring_c"))


@pytest.mark.parametrize("program", ["parts_program", "parts_fortran"])
def test_regions_change_nothing_without_tools(mpi, program):
    done = run(*mpi.mpirun(RANKS), mpi.program(program))
    assert (done.code, done.out, done.err) == (0, "", "")


# ---------------------------------------------------------------- communicators


def test_communicators_of_the_same_processes_are_one_entry(whole):
    entries = {(entry["name"], entry["processes"]): entry for entry in whole["communicators"]}
    assert set(entries) == {("MPI_COMM_WORLD", "0-2"), ("", "0-2"), ("even", "0,2"), ("odd", "1")}
    copies = entries["", "0-2"]
    assert (copies["communicators"], copies["calls"], copies["bytes_sent"]) == (20 * RANKS, 20 * RANKS, 20 * RANKS * 4)
    assert [(entry["size"], entry["members"], entry["calls"])
            for entry in (entries["even", "0,2"], entries["odd", "1"])] == [(2, 2, 4), (1, 1, 2)]


# -------------------------------------------------------------------- transfers


def transfers_of(whole):
    return {function["name"]: function["transfers"]["completed"] for function in whole["functions"] if "transfers" in function}


def test_every_transfer_is_followed_to_its_end(whole):
    assert transfers_of(whole) == {"MPI_Isend": 5 * RANKS, "MPI_Irecv": 5 * RANKS,
                                   "MPI_Send_init": 4 * RANKS, "MPI_Recv_init": 4 * RANKS}
    for function in whole["functions"]:
        if "transfers" not in function: continue
        transfers = function["transfers"]
        assert 0 <= transfers["waited_s"] <= transfers["under_way_s"]
        assert transfers["overlap"] == pytest.approx(1 - transfers["waited_s"] / transfers["under_way_s"])


def test_bytes_of_transfers_count_where_they_move(whole):
    figures = {function["name"]: (function["bytes_sent"], function["bytes_received"]) for function in whole["functions"]}
    assert figures["MPI_Isend"] == (5 * RANKS * 400, 0)
    assert figures["MPI_Irecv"] == (0, 5 * RANKS * 400)
    assert figures["MPI_Startall"] == (4 * RANKS * 40, 0)
    assert figures["MPI_Recv_init"] == (0, 4 * RANKS * 40)


def test_transfers_are_not_followed_on_request(mpi, tmp_path):
    data = profile(mpi, tmp_path, mpi.program("parts_program"), tool="profile=table:off:transfers:off")
    assert transfers_of(data) == {}


# ------------------------------------------------------------------------ ranks


def test_every_ranks_time_is_kept_on_request(whole):
    for quantity in [whole["mpi_time_s"], *(function["time_s"] for function in whole["functions"])]:
        assert len(quantity["by_rank"]) == RANKS
        assert math.fsum(quantity["by_rank"]) == pytest.approx(quantity["total"], abs=1e-12)
        assert max(quantity["by_rank"]) == pytest.approx(quantity["max"], abs=1e-12)


def test_without_the_request_only_statistics_are_kept(mpi, tmp_path):
    data = profile(mpi, tmp_path, mpi.program("ring_c"))
    assert all("by_rank" not in function["time_s"] for function in data["functions"])


# ---------------------------------------------------------------- order, threshold


def test_sites_below_the_threshold_are_left_out_and_counted(mpi, tmp_path):
    data = profile(mpi, tmp_path, mpi.program("ring_c"), tool="profile=table:off:threshold:20")
    assert data["callsites"] and data["callsites_left_out"] > 0
    assert all(site["time_s"]["total"] >= 0.2 * data["mpi_time_s"]["total"] for site in data["callsites"])
    whole = profile(mpi, tmp_path / "whole", mpi.program("ring_c"))
    assert len(data["callsites"]) + data["callsites_left_out"] == len(whole["callsites"])


@pytest.mark.parametrize("order, key", [("calls", lambda f: -f["calls"]), ("sent", lambda f: -f["bytes_sent"]),
                                        ("name", lambda f: f["name"]), ("time", lambda f: -f["time_s"]["total"])])
def test_order(mpi, order, key, tmp_path):
    functions = profile(mpi, tmp_path, mpi.program("ring_c"), tool=f"profile=table:off:sort:{order}")["functions"]
    assert functions == sorted(functions, key=key)


def test_an_order_that_there_is_not(mpi, tmp_path):
    done = run_stacked(mpi, RANKS, ["profile=sort:size"], mpi.program("ring_c"), out=tmp_path)
    assert done.code == 0
    assert "option 'sort' is 'size', but can be time, calls, sent or name" in done.err


# --------------------------------------------------------------- waiting, inlined


@pytest.mark.parametrize("function", ["MPI_Iprobe", "MPI_Test", "MPI_Testsome"])
def test_polling_is_waiting_and_blocking_calls_are_one_or_the_other(mpi, function, tmp_path):
    words = [] if function == "MPI_Iprobe" else [function]
    data = profile(mpi, tmp_path, mpi.program("polls"), *words, tool="profile=table:off:depth:2", ranks=2)
    functions = {one["name"]: one for one in data["functions"]}
    polls = functions[function]
    assert polls["in_vain"] == polls["calls"] - 1 and "in_vain" not in functions["MPI_Recv"]
    split = data["split_s"]
    assert split["waiting"] >= polls["time_s"]["total"]
    blocking = sum(functions[name]["time_s"]["total"] for name in ("MPI_Send", "MPI_Recv"))
    assert split["blocking"] == pytest.approx(blocking)
    assert split["moving"] == (pytest.approx(functions["MPI_Irecv"]["time_s"]["total"]) if words else 0)
    assert sum(split.values()) == pytest.approx(data["mpi_time_s"]["total"])


def test_functions_that_are_inlined_are_callers_too(mpi, tmp_path):
    data = profile(mpi, tmp_path, mpi.program("polls"), tool="profile=table:off:depth:2", ranks=2)
    poll = next(site for site in data["callsites"] if site["function"] == "MPI_Iprobe")
    assert [place["caller"] for place in [poll, *poll["callers"]]][:4] == ["ask", "poll_until_there", "receive_late", "main"]
    source = (SOURCE / "tools/profile/tests/polls.c").read_text().splitlines()
    said = [source[place["line"] - 1].strip() for place in [poll, *poll["callers"]][:4]]
    assert said[0].startswith("MPI_Iprobe(") and said[1:3] == ["while (!there) ask(&there);", "poll_until_there();"]


# -------------------------------------------------------------------- small stack


def test_a_small_stack_is_enough_where_it_is_for_the_program(mpi, tmp_path):
    def limited(kib, *words):
        return run(*mpi.mpirun(2), "sh", "-c", f'ulimit -s {kib}; exec "$@"', "sh", *words)

    program = mpi.program("ring_c")
    least = next(kib for kib in range(112, 1024, 8) if limited(kib, program).code == 0)
    done = limited(least + 16, CAIRN, "run", "--tools", QUIET, "--out", tmp_path, "--", program)
    assert done.code == 0, done.err
    assert json.loads((tmp_path / "profile.json").read_text())["callsites"][0]["file"]


# ------------------------------------------------------------------ null pointers


@pytest.mark.parametrize("tools", ["profile=table:off", "comm=table:off", "vars=table:off:budget:0"])
def test_null_pointers_get_the_librarys_error(mpi, tools, tmp_path):
    bare = run(*mpi.mpirun(1), mpi.program("null_arguments"))
    done = run_stacked(mpi, 1, [tools], mpi.program("null_arguments"), out=tmp_path)
    assert bare.code == 0
    assert (done.code, done.out) == (bare.code, bare.out), done.err


# ------------------------------------------------------------ runs that do not end


def ends(folder):
    """How each rank that left its part has ended."""
    parts = [json.loads(path.read_text()) for path in folder.glob("profile.rank-*.json")]
    for part in parts:
        assert {"MPI_Init"} <= {function["name"] for function in part["functions"]}
        assert part["callsites"][0]["file"]
    return {part["part"]["rank"]: part["part"]["ended_by"] for part in parts}


@pytest.mark.parametrize("way, end", [("segmentation", "SIGSEGV"), ("abort", "SIGABRT"), ("MPI_Abort", "MPI_Abort"),
                                      ("exit", "exit without MPI_Finalize"), ("terminate", "SIGTERM")])
def test_a_rank_that_dies_leaves_its_part(mpi, way, end, tmp_path):
    done = run_stacked(mpi, 2, [QUIET], mpi.program("parts_dying"), way, out=tmp_path, run=run_with_last_words)
    assert done.code != 0
    assert ends(tmp_path)[1] == end
    assert not (tmp_path / "profile.json").exists()
    report = run(CAIRN, "report", tmp_path)
    assert report.code == 0
    assert "is missing: the run did not reach MPI_Finalize, or is still running; the report shows what " in report.err
    assert "(profile, rank 1)\n" in report.out and end in report.out
    assert calls_at_the_end(tmp_path, 1) == []
    if (tmp_path / "profile.rank-0.json").exists():
        assert [(call["function"], call["caller"]) for call in calls_at_the_end(tmp_path, 0)] == [("MPI_Barrier", "main")]
        assert " in MPI_Barrier at parts_dying.c:" in report.out and "its time counts as waiting" in report.out


def calls_at_the_end(folder, rank):
    """Of a rank's part: the calls that its threads were in, which count as far as they came."""
    part = json.loads((folder / f"profile.rank-{rank}.json").read_text())
    functions = {function["name"]: function for function in part["functions"]}
    for call in part["part"]["in_calls"]:
        assert call["file"].endswith("parts_dying.c") and call["line"] > 0
        assert 0 < call["time_s"] <= functions[call["function"]]["time_s"]["total"] * 1.01
        assert part["split_s"]["waiting"] >= call["time_s"] * 0.99
    return part["part"]["in_calls"]


def test_a_rank_that_dies_tells_the_call_of_each_thread(mpi, tmp_path):
    """Rank 0 has heard from within both calls, 0.1 s before."""
    run_stacked(mpi, 2, [QUIET], mpi.program("parts_dying"), "threads", out=tmp_path, run=run_with_last_words)
    calls = {call["function"]: call for call in calls_at_the_end(tmp_path, 1)}
    assert {name: call["caller"] for name, call in calls.items()} == {"MPI_Sendrecv": "exchange", "MPI_Sendrecv_replace": "replace"}
    source = (SOURCE / "tools/profile/tests/parts_dying.c").read_text().splitlines()
    told = run(CAIRN, "report", tmp_path).out
    for name, call in calls.items():
        assert source[call["line"] - 1].strip().startswith(f"{name}(") and call["time_s"] >= 0.1
        assert f" in {name} at parts_dying.c:{call['line']} {call['caller']} when it ended\n" in told
    part = json.loads((tmp_path / "profile.rank-1.json").read_text())
    assert part["split_s"]["waiting"] >= 0.99 * sum(call["time_s"] for call in calls.values())


def test_a_run_that_ends_well_leaves_no_parts_and_the_signals_alone(mpi, tmp_path):
    done = run_stacked(mpi, 1, [QUIET], mpi.program("parts_dying"), "after", out=tmp_path)
    bare = run(*mpi.mpirun(1), mpi.program("parts_dying"), "after")
    assert done.code == bare.code
    assert not list(tmp_path.glob("profile.rank-*.json"))
    assert (tmp_path / "profile.json").exists()


def test_a_signal_that_the_program_takes_is_the_programs(mpi, tmp_path):
    done = run_stacked(mpi, 1, [QUIET], mpi.program("parts_dying"), "handled", out=tmp_path)
    assert (done.code, done.out) == (0, "handled\n")
    assert not list(tmp_path.glob("profile.rank-*.json"))


def counted(sections, table, *columns):
    """Sums over ranks of calls, sent and received bytes by these columns."""
    sums = {}
    for section in sections:
        for row in section["tables"][table]["rows"]:
            key = tuple(row[column] for column in columns)
            sums[key] = [one + row[name] for one, name in zip(sums.get(key, (0, 0, 0)), ("calls", "bytes_sent", "bytes_received"))]
    return sums


def profile_sections(tmp_path, mpi, name, *words):
    done = run_stacked(mpi, 4, ("profile=table:off", "where"), mpi.program("comm_random"), 1, 400, *words, out=tmp_path / name,
                       CAIRN_PAGES=tmp_path / "pages")
    assert (done.code == 0) == (words == ())
    told = run(CAIRN, "report", tmp_path / name, "--json", "-", CAIRN_PAGES=tmp_path / "pages")
    return [section for section in json.loads(told.out)["sections"] if section["tool"] == "profile"]


def test_call_sites_and_bytes_of_ranks_that_were_killed_are_those_of_ranks_that_ended_well(mpi, tmp_path):
    whole = profile_sections(tmp_path, mpi, "whole")
    for attempt in range(10):  # each kills itself, but the launcher may be quicker and end some by SIGTERM
        name = f"killed-{attempt}"
        killed = [section for section in profile_sections(tmp_path, mpi, name, "killed") if section["file"] == "pages"]
        assert killed and all(section["lines"][0]["figure"] == "SIGKILL" for section in killed)
        if len(killed) == 4:
            break
    asking = ("MPI_Test", "MPI_Testall", "MPI_Testany", "MPI_Testsome", "MPI_Iprobe", "MPI_Improbe")  # how often is chance
    for table, columns in (("functions", ("name",)), ("callsites", ("function", "place"))):
        expected = counted(whole, table, *columns)
        found = counted(killed, table, *columns)
        assert {key: sums for key, sums in expected.items() if key[0] not in ("MPI_Finalize", *asking)} == \
            {key: sums for key, sums in found.items() if key[0] not in asking}
    cleared = run_stacked(mpi, 2, ("where",), mpi.program("ring_c"), CAIRN_PAGES=tmp_path / "pages")
    assert cleared.code == 0 and list((tmp_path / "pages").iterdir()) == []
    again = run(CAIRN, "report", tmp_path / name, "--json", "-", CAIRN_PAGES=tmp_path / "pages")
    kept = [section for section in json.loads(again.out)["sections"] if (section["tool"], section["file"]) == ("profile", "pages")]
    assert counted(kept, "callsites", "function", "place") == counted(killed, "callsites", "function", "place")


def killed_report(mpi, tmp_path, tools, change=lambda board: None):
    """What `cairn report` tells of one rank that killed itself, after a change of its board."""
    pages = tmp_path / "pages"
    run_stacked(mpi, 1, (*tools, "where"), mpi.program("killed"), "kill", out=tmp_path / "out", CAIRN_PAGES=pages)
    change(next(pages.glob("*.sites")))
    told = run(CAIRN, "report", tmp_path / "out", "--json", "-", CAIRN_PAGES=pages)
    assert told.code == 0
    return [section for section in json.loads(told.out)["sections"] if section["tool"] == "profile"]


def test_of_two_instances_the_first_outlives_SIGKILL(mpi, tmp_path):
    section, = killed_report(mpi, tmp_path, ("profile=table:off:depth:0", "profile=table:off:depth:4"))
    assert section["instance"] == 1 and section["tables"]["callsites"]["rows"] == []


def overwrite(at, content):
    def change(board):
        with open(board, "r+b") as file:
            file.seek(at)
            file.write(content)
    return change


@pytest.mark.parametrize("change, why", [
    (overwrite(8, b"\x09"), "written by another version of Cairn (layout 9, this one reads 1)"),
    (overwrite(64, b"\x07"), "the memory of call sites is damaged"),
    (overwrite(64 + 16, b"\xff" * 6), "the memory of call sites is damaged"),
    (lambda board: os.truncate(board, 300), "the memory of call sites is damaged")], ids=["version", "entry", "figure", "cut"])
def test_of_a_damaged_board_calls_by_function_are_told(mpi, tmp_path, change, why):
    section, = killed_report(mpi, tmp_path, ("profile=table:off",), change)
    assert why in section["lines"][0]["sentence"]
    calls = {row["name"]: row["calls"] for row in section["tables"]["killed_functions"]["rows"]}
    assert calls["MPI_Barrier"] == calls["MPI_Init"] == 1
