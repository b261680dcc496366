# SPDX-License-Identifier: BSD-3-Clause
# test_profile.py - the profile tool's calls, bytes, times and files on programs whose calls are known.
#
# Expected figures are data, worked out by hand from the programs: a table maps a function to (calls, bytes sent). What a
# tool may count as bytes is defined at the top of include/cairn/kit/moves.hpp.

import datetime
import math
import re

from cairn_testing import *

RANKS = 3


def profile(mpi, folder, *program, ranks=RANKS, tools=("profile=table:off",), code=0):
    """Runs the program under the tools; the whole of the outermost instance's profile.json."""
    done = run_stacked(mpi, ranks, tools, *program, out=folder)
    assert done.code == code, done.err
    return json.loads((folder / "profile.json").read_text())


def figures(data):
    return {f["name"]: (f["calls"], f["bytes_sent"]) for f in data["functions"]}


# ------------------------------------------------------- the programs' headers

RING_C = {"MPI_Init": (1, 0), "MPI_Comm_rank": (1, 0), "MPI_Comm_size": (1, 0), "MPI_Send": (10, 4000), "MPI_Recv": (10, 0),
          "MPI_Bcast": (1, 0), "MPI_Barrier": (1, 0), "MPI_Allreduce": (1, 8), "MPI_Finalize": (1, 0)}
RING_FORTRAN = {"MPI_Initialized": (2, 0), "MPI_Init": (1, 0), "MPI_Comm_rank": (1, 0), "MPI_Comm_size": (1, 0),
                "MPI_Send": (11, 4400), "MPI_Recv": (10, 0), "MPI_Irecv": (1, 0), "MPI_Test": (2, 0), "MPI_Wait": (1, 0),
                "MPI_Barrier": (2, 0), "MPI_Bcast": (1, 0), "MPI_Op_create": (1, 0), "MPI_Allreduce": (2, 16),
                "MPI_Op_free": (1, 0), "MPI_Finalize": (1, 0)}

# Program: figures of each rank, bytes that the root of broadcasts sends besides, exit code.
PROGRAMS = {
    "ring_c": (RING_C, 40, 0),
    "ring_cxx": ({**RING_C, "MPI_Send": (10, 8000)}, 80, 0),
    "ring_mpif": (RING_FORTRAN, 40, 0),
    "ring_usempi": (RING_FORTRAN, 40, 0),
    "ring_f08": (RING_FORTRAN, 40, 0),
    "threads": ({"MPI_Init_thread": (1, 0), "MPI_Comm_rank": (1, 0), "MPI_Comm_size": (1, 0), "MPI_Comm_dup": (4, 0),
                 "MPI_Sendrecv": (200, 12800), "MPI_Allreduce": (41, 164), "MPI_Comm_free": (4, 0),
                 "MPI_Finalize": (1, 0)}, 0, 0),
    "fork_exec": ({"MPI_Init": (1, 0), "MPI_Comm_rank": (1, 0), "MPI_Comm_size": (1, 0), "MPI_Bcast": (1, 0),
                   "MPI_Barrier": (1, 0), "MPI_Finalize": (1, 0)}, 4, 0),
    "exits_with_3": ({"MPI_Init": (1, 0), "MPI_Comm_rank": (1, 0), "MPI_Comm_size": (1, 0), "MPI_Allreduce": (1, 4),
                      "MPI_Finalize": (1, 0)}, 0, 3),
    "dlopen_mpi": ({"MPI_Init": (1, 0), "MPI_Comm_rank": (1, 0), "MPI_Comm_size": (1, 0), "MPI_Sendrecv": (5, 400),
                    "MPI_Allreduce": (1, 4), "MPI_Barrier": (1, 0), "MPI_Finalize": (1, 0)}, 0, 0),
}


def of_all_ranks(per_rank, broadcast, ranks):
    total = {name: (calls * ranks, sent * ranks) for name, (calls, sent) in per_rank.items()}
    if broadcast:
        total["MPI_Bcast"] = (total["MPI_Bcast"][0], broadcast)
    return total


@pytest.mark.parametrize("name", PROGRAMS)
def test_calls_and_bytes_are_those_of_the_programs_header(mpi, name, tmp_path):
    per_rank, broadcast, code = PROGRAMS[name]
    arguments = [mpi.tool("plugin_mpi")] if name == "dlopen_mpi" else []
    data = profile(mpi, tmp_path, mpi.program(name), *arguments, code=code)
    assert data["ranks"] == RANKS
    assert figures(data) == of_all_ranks(per_rank, broadcast, RANKS)


def test_calls_with_wrong_arguments_are_counted_as_calls(mpi, tmp_path):
    data = profile(mpi, tmp_path, mpi.program("calls_null_like_errors"))
    per_rank = {"MPI_Init": 1, "MPI_Comm_set_errhandler": 1, "MPI_Comm_rank": 1, "MPI_Comm_size": 1, "MPI_Send": 5,
                "MPI_Recv": 1, "MPI_Bcast": 1, "MPI_Comm_get_name": 1, "MPI_Error_class": 8, "MPI_Allreduce": 1,
                "MPI_Finalize": 1}
    assert {name: calls for name, (calls, _) in figures(data).items()} == {n: c * RANKS for n, c in per_rank.items()}


def test_a_call_that_fails_sends_no_bytes(mpi, tmp_path):
    sent = {n: b for n, (_, b) in figures(profile(mpi, tmp_path, mpi.program("calls_null_like_errors"))).items() if b}
    assert sent == {"MPI_Allreduce": 4 * RANKS}


# ------------------------------------------------------------------------ times


def check_over_ranks(quantity, ranks):
    assert quantity["total"] == pytest.approx(quantity["mean"] * ranks, rel=1e-9, abs=1e-15)
    assert 0 <= quantity["min"] <= quantity["mean"] * (1 + 1e-9) <= quantity["max"] * (1 + 2e-9)
    assert quantity["max"] <= quantity["total"] * (1 + 1e-9)


def test_times_agree_with_each_other(mpi, tmp_path):
    data = profile(mpi, tmp_path, mpi.program("ring_c"))
    for quantity in [data["run_time_s"], data["mpi_time_s"], *(f["time_s"] for f in data["functions"])]:
        check_over_ranks(quantity, RANKS)
    for function in data["functions"]:
        time = function["time_s"]
        assert function["imbalance"] == pytest.approx(time["max"] / time["mean"] - 1 if time["mean"] else 0, abs=1e-6)
        assert time["max"] <= data["run_time_s"]["max"]
    totals = [f["time_s"]["total"] for f in data["functions"]]
    assert totals == sorted(totals, reverse=True)
    assert data["mpi_time_s"]["total"] == pytest.approx(math.fsum(totals), rel=1e-6)
    assert 0 < data["mpi_time_s"]["max"] <= data["run_time_s"]["max"] * (1 + 1e-6)
    assert data["run_time_s"]["max"] < 60


def test_waiting_time_is_found_where_it_is_spent(mpi, tmp_path):
    """MPI_Init reaches other processes: it takes far longer than to ask for the rank."""
    functions = {f["name"]: f["time_s"] for f in profile(mpi, tmp_path, mpi.program("ring_c"))["functions"]}
    assert 1e-3 < functions["MPI_Init"]["min"]
    assert 0 < functions["MPI_Comm_rank"]["mean"] < functions["MPI_Init"]["mean"] / 10


# ------------------------------------------------------- several instances, files


@pytest.mark.parametrize("name", ["ring_c", "ring_mpif", "ring_f08", "threads"])
def test_two_instances_both_see_the_programs_calls(mpi, name, tmp_path):
    per_rank, broadcast, _ = PROGRAMS[name]
    data = profile(mpi, tmp_path, mpi.program(name), tools=["profile=table:off", "profile=table:off"])
    outer, inner = figures(data), figures(json.loads((tmp_path / "profile.2.json").read_text()))
    assert outer == of_all_ranks(per_rank, broadcast, RANKS)
    assert inner == outer


def test_run_json_tells_what_ran(mpi, tmp_path):
    before = datetime.datetime.now(datetime.timezone.utc).replace(microsecond=0)
    profile(mpi, tmp_path, mpi.program("ring_c"), tools=["profile=table:off:top:3", "profile=table:off"])
    facts = json.loads((tmp_path / "run.json").read_text())
    assert facts["format"] == "cairn-run 1"
    assert facts["program"] == str(pathlib.Path(mpi.program("ring_c")).resolve())
    assert facts["mpi"] == f"{mpi.name} {mpi.version}"
    assert facts["host"] == os.uname().nodename
    assert facts["tools"] == [{"tool": "profile", "options": {"table": "off", "top": "3"}},
                              {"tool": "profile", "options": {"table": "off"}}]
    started = datetime.datetime.strptime(facts["started"], "%Y-%m-%dT%H:%M:%S%z")
    assert before <= started <= datetime.datetime.now(datetime.timezone.utc)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["profile.2.json", "profile.json", "report.txt", "run.json"]


def test_profile_json_names_format_program_and_ranks(mpi, tmp_path):
    data = profile(mpi, tmp_path, mpi.program("ring_c"), ranks=2)
    assert data["format"] == "cairn-profile 1"
    assert data["program"] == str(pathlib.Path(mpi.program("ring_c")).resolve())
    assert data["ranks"] == 2


# ----------------------------------------------------------------------- options

HEADING = re.compile(r"cairn profile: ring_c on 3 ranks, \d+\.\d{3} s, after MPI_Init \d+\.\d % in MPI \(imbalance \d+\.\d %\)")
COLUMNS = ["function", "calls", "sent", "%", "run", "mean", "s", "min", "s", "max", "s", "imbal", "%"]


def table_of(mpi, folder, options):
    """The table's lines below its two headings, and the profile."""
    done = run_stacked(mpi, RANKS, ["profile" + options], mpi.program("ring_c"), out=folder)
    assert done.code == 0
    heading, columns, *rows = re.split(r"^  (?:call site|collective calls) ", done.err, flags=re.MULTILINE)[0].splitlines()
    assert HEADING.fullmatch(heading), heading
    assert columns.split() == COLUMNS
    return [row.split() for row in rows], json.loads((folder / "profile.json").read_text())["functions"]


@pytest.mark.parametrize("options,shown", [("", 9), ("=top:2", 2), ("=top:8", 8), ("=top:9", 9), ("=top:0", 0), ("=top:1000", 9)])
def test_top_limits_the_table_and_not_the_file(mpi, options, shown, tmp_path):
    rows, functions = table_of(mpi, tmp_path, options)
    assert [row[:2] for row in rows[:shown]] == [[f["name"], str(f["calls"])] for f in functions[:shown]]
    left = functions[shown:]
    noun = "function" if len(left) == 1 else "functions"
    rest = [[str(len(left)), "other", noun, str(sum(f["calls"] for f in left))]] if left else []
    assert [row[:4] for row in rows[shown:]] == rest
    assert len(functions) == 9


def test_table_off_leaves_the_terminal_alone(mpi, tmp_path):
    done = run_stacked(mpi, RANKS, ["profile=table:off"], mpi.program("ring_c"), out=tmp_path)
    assert (done.code, done.err) == (0, "")
    assert len(read_profile(tmp_path)) == 9


@pytest.mark.parametrize("option, value, accepted", [("top", "many", "it is a whole number"), ("table", "maybe", "it is on or off")])
def test_a_value_that_makes_no_sense_is_told_once_and_ignored(mpi, option, value, accepted, tmp_path):
    tools = f"profile={option}:{value}"
    done = run_stacked(mpi, RANKS, [tools], mpi.program("ring_c"), out=tmp_path)
    assert done.code == 0
    assert done.err.splitlines()[:2] == [
        f"cairn: warning: tool 'profile': option '{option}' cannot be '{value}'; {accepted}; its default is used",
        f"cairn:   asked for by: --tools {tools}"]
    assert done.err.count("cannot be") == 1
    assert sum(line.startswith("  MPI_") for line in done.err.splitlines()) == 9
    assert len(read_profile(tmp_path)) == 9


# ------------------------------------------------------------------------ heat3d


def test_heat3d_calls_and_bytes_are_those_of_its_formulas(mpi, tmp_path):
    ranks, size, steps, every = 4, 16, 10, 3
    program = str(BUILD / "examples" / mpi.id / "heat3d")
    done = run_stacked(mpi, ranks, ["profile=table:off"], program, "--size", size, "--steps", steps, "--every", every,
                       "--quiet", out=tmp_path)
    assert done.code == 0 and re.search(r"^result +ok$", done.out, re.MULTILINE)
    x, y, z = map(int, re.search(r"on (\d+) x (\d+) x (\d+) ranks", done.out).groups())
    assert x * y * z == ranks

    calls = {"MPI_Irecv": 6 * steps, "MPI_Isend": 6 * steps, "MPI_Waitall": steps,
             "MPI_Allreduce": math.ceil(steps / every) + 1, "MPI_Comm_rank": 2}
    calls |= dict.fromkeys(["MPI_Cart_shift", "MPI_Type_create_subarray", "MPI_Type_commit", "MPI_Type_free"], 3)
    calls |= dict.fromkeys(["MPI_Init", "MPI_Bcast", "MPI_Comm_size", "MPI_Dims_create", "MPI_Cart_create",
                            "MPI_Cart_coords", "MPI_Comm_free", "MPI_Finalize"], 1)
    sent = {"MPI_Isend": 16 * size**2 * steps * ((x - 1) + (y - 1) + (z - 1)), "MPI_Bcast": 32,
            "MPI_Allreduce": 8 * ranks * calls["MPI_Allreduce"]}
    found = read_profile(tmp_path)
    found_calls = {name: entry["calls"] for name, entry in found.items()}
    # --quiet prints no time, yet the program may still take it.
    assert found_calls.pop("MPI_Wtime", 0) in (0, 2 * ranks)
    assert found_calls == {name: number * ranks for name, number in calls.items()}
    assert {name: entry["bytes_sent"] for name, entry in found.items() if entry["bytes_sent"]} == sent


# -------------------------------------------------------------------- call sites


def sites(data):
    """(function, file name, line, caller) -> calls."""
    return {(s["function"], s["file"].rsplit("/", 1)[-1], s["line"], s["caller"]): s["calls"] for s in data["callsites"]}


def lines_with(source, *texts):
    lines = (SOURCE / "tests/programs" / source).read_text().splitlines()
    return [number for number, line in enumerate(lines, 1) if any(text in line for text in texts)]


def test_sites_are_merged_over_ranks_though_addresses_differ(mpi, tmp_path):
    data = profile(mpi, tmp_path, mpi.program("ring_c"))
    found = sites(data)
    sends, receives = lines_with("ring_c.c", "MPI_Send("), lines_with("ring_c.c", "MPI_Recv(")
    assert {key[1:] for key in found if key[0] == "MPI_Send"} == {("ring_c.c", line, "pass_token") for line in sends}
    assert {key[1:] for key in found if key[0] == "MPI_Recv"} == {("ring_c.c", line, "pass_token") for line in receives}
    assert sum(calls for key, calls in found.items() if key[0] == "MPI_Send") == 10 * RANKS
    assert all(site["ranks"] in (1, RANKS - 1, RANKS) for site in data["callsites"])


@pytest.mark.parametrize("name,source", [("ring_mpif", "ring_mpif.f"), ("ring_usempi", "ring_usempi.f90"),
                                         ("ring_f08", "ring_f08.f90")])
def test_fortran_sites_are_the_programs_own_lines(mpi, name, source, tmp_path):
    """Binutils is the other opinion; a procedure of a module has its plain name."""
    found = profile(mpi, tmp_path, mpi.program(name))["callsites"]
    for site in found:
        other = run("addr2line", "-e", site["object"], hex(site["offset"])).out.split(" ")[0].strip()
        assert f"{site['file']}:{site['line']}" == other and other.rsplit("/", 1)[1].startswith(f"{source}:")
        assert site["caller"] and not site["caller"].startswith("__"), site["caller"]


def test_sites_below_another_tool_are_the_programs_own_lines(mpi, tmp_path):
    profile(mpi, tmp_path, mpi.program("ring_c"), tools=["profile=table:off", "profile=table:off"])
    inner = json.loads((tmp_path / "profile.2.json").read_text())
    barrier = [site for site in inner["callsites"] if site["function"] == "MPI_Barrier"]
    assert [site["line"] for site in barrier] == lines_with("ring_c.c", "MPI_Barrier(")


@pytest.mark.parametrize("depth", [0, 1, 2, 5])
def test_sites_add_up_to_their_function(mpi, depth, tmp_path):
    data = profile(mpi, tmp_path, mpi.program("ring_c"), tools=[f"profile=table:off:depth:{depth}"])
    if depth == 0:
        assert data["callsites"] == []
        return
    for function in data["functions"]:
        mine = [site for site in data["callsites"] if site["function"] == function["name"]]
        assert sum(site["calls"] for site in mine) == function["calls"]
        assert sum(site["bytes_sent"] for site in mine) == function["bytes_sent"]
        assert sum(site["time_s"]["total"] for site in mine) == pytest.approx(function["time_s"]["total"])
        assert sum(calls for _, calls in function["calls_by_time_s"]) == function["calls"]


def test_deeper_sites_have_their_callers(mpi, tmp_path):
    data = profile(mpi, tmp_path, mpi.program("ring_c"), tools=["profile=table:off:depth:3"])
    barrier = next(site for site in data["callsites"] if site["function"] == "MPI_Barrier")
    assert barrier["caller"] == "run"
    assert len(barrier["callers"]) >= 1 and all(place["object"] for place in barrier["callers"])


# ------------------------------------------------------------- received, waiting


def test_bytes_received_are_those_that_came_not_the_room_for_them(mpi, tmp_path):
    data = profile(mpi, tmp_path, mpi.program("ring_c"))
    functions = {f["name"]: f for f in data["functions"]}
    assert functions["MPI_Recv"]["bytes_received"] == functions["MPI_Send"]["bytes_sent"] == 4000 * RANKS
    assert [sum(calls for _, calls in functions["MPI_Send"]["calls_by_bytes_sent"])] == [10 * RANKS]


def test_the_rank_that_is_waited_for_is_named(mpi, tmp_path):
    done = run_stacked(mpi, RANKS, ["profile"], mpi.program("late"), out=tmp_path)
    waiting = json.loads((tmp_path / "profile.json").read_text())["waiting"]
    assert (waiting["calls_per_rank"], waiting["compared"]) == (12, 12)
    assert waiting["last_ranks"][0][0] == 2 and sum(times for _, times in waiting["last_ranks"]) == 12
    assert waiting["late_rank"] == waiting["time_s_by_last_rank"][0][0] == 2
    assert sum(time for _, time in waiting["time_s_by_last_rank"]) == pytest.approx(waiting["time_s"])
    assert waiting["time_s"] > 12 * 2 * 0.015 and list(waiting["time_s_by_function"]) == ["MPI_Allreduce"]
    assert re.search(r"is waiting for the last rank, \d+ % of it for rank 2\n", done.err)
