# SPDX-License-Identifier: BSD-3-Clause
# test_sampling.py - the tool `vars` at intervals: what is sampled, by calls and by a thread, values over time, the report of it.

import functools
import statistics
import tempfile

from cairn_testing import *

RANKS = 2
BARRIERS = 6


def run_vars(mpi, folder, options, *program_words, program="vars/pauses", **env):
    words = program_words or (BARRIERS, 120)
    return run_stacked(mpi, RANKS, [f"vars={options}", mpi.tool("vars/standin")], mpi.program(program), *words, out=folder, **env)


@functools.cache
def results(mpi, options):
    with tempfile.TemporaryDirectory() as folder:
        result = run_vars(mpi, folder, f"table:off:{options}")
        assert (result.code, result.out, result.err) == (0, "done\n", "")
        return json.loads((pathlib.Path(folder) / "vars.json").read_text())


def variable(data, name):
    return next(one for one in data["variables"] if one["name"] == f"standin_{name}")


# Without a budget: on a busy machine a sample may take longer than its share, and then the next is put off, as it should be.
DEVIATION = statistics.pstdev([0, 0, 3, 6, 9, 12, 15, 18, 18])  # of what is sampled of the counter at calls, on each rank
AT_CALLS, BY_THREAD = "every:50ms:calls:off:budget:0", "every:50ms:thread:on:calls:off:budget:0"


def test_the_first_call_after_the_interval_samples(mpi):
    """At the start, at each of six barriers and at MPI_Comm_rank, which are all more than the interval apart, and at the end."""
    data = results(mpi, AT_CALLS)
    assert data["sampling"] == {"every_s": 0.05, "by": "calls", "samples": RANKS * 9}
    assert variable(data, "counter")["sampled"] == {
        "samples": 18, "min": 0, "mean": 9, "deviation": pytest.approx(DEVIATION), "max": 18, "last": 18}
    assert variable(data, "size")["sampled"] == {
        "samples": 18, "min": 100, "mean": 130, "deviation": pytest.approx(DEVIATION * 10 / 3), "max": 160, "last": 160}
    assert variable(data, "still")["sampled"]["max"] == 0


def test_a_thread_samples_while_the_program_does_something_else(mpi):
    data = results(mpi, BY_THREAD)
    sampled = variable(data, "counter")["sampled"]
    assert data["sampling"]["by"] == "thread"
    assert sampled["samples"] == data["sampling"]["samples"] > RANKS * 3
    assert (sampled["min"], sampled["max"], sampled["last"]) == (0, 18, 18)


def test_nothing_is_sampled_unless_asked_for(mpi):
    data = results(mpi, "calls:on")
    assert "sampling" not in data and not any("sampled" in one for one in data["variables"])


def test_calls_are_read_beside(mpi):
    data = results(mpi, "every:50ms:budget:0")
    assert data["calls_read"] == data["calls"] == RANKS * (BARRIERS + 1)
    assert variable(data, "counter")["in_calls"] == RANKS * BARRIERS * 3
    assert variable(data, "counter")["sampled"]["last"] == 18


def test_values_over_time_are_kept_on_request(mpi):
    assert not any("series" in one for one in results(mpi, AT_CALLS)["variables"])
    data = results(mpi, AT_CALLS + ":series:on")
    series = variable(data, "counter")["series"]
    points = [point for point in series["points"] if point]
    assert series["step_s"] == data["sampling"]["series_step_s"] == 0.05
    assert (points[0][0], points[-1][2]) == (0, 18)
    assert all(least <= mean <= most for least, mean, most in points)
    assert None in series["points"]  # of the time in which nothing was sampled
    assert "series" not in variable(data, "still")


def test_there_are_fewer_points_where_they_would_be_too_many(mpi):
    data = results(mpi, "every:1ms:thread:on:series:on:calls:off")  # a run of 0.7 s
    series = variable(data, "counter")["series"]
    assert series["step_s"] >= 0.002 and len(series["points"]) <= 512
    assert data["sampling"]["series_step_s"] == series["step_s"]


def test_what_freed_communicators_had_stays_in_a_sum(mpi, tmp_path):
    result = run_vars(mpi, tmp_path, f"table:off:{AT_CALLS}", "few", program="vars/calls")
    assert result.code == 0
    data = json.loads((tmp_path / "vars.json").read_text())
    assert variable(data, "of_comm")["sampled"]["last"] == 9 * 11


def test_a_library_for_one_thread_is_sampled_at_calls(mpi, tmp_path):
    result = run_vars(mpi, tmp_path, f"table:off:{BY_THREAD}", STANDIN_MPI_T_ALONE="1")
    assert (result.code, result.out) == (0, "done\n")
    assert result.err.splitlines()[0] == (
        "cairn: warning: tool 'vars': it samples at calls of MPI: MPI_T of this library is not for several threads")
    assert result.err.count("cairn: warning") == 1
    assert json.loads((tmp_path / "vars.json").read_text())["sampling"]["by"] == "calls"


def test_wrong_intervals_are_told(mpi, tmp_path):
    result = run_vars(mpi, tmp_path, "every:100m")
    assert "option 'every' cannot be '100m'; it is a time such as 500us, 20ms, 2s or 0.5 (seconds), or off; its default is used" in result.err
    assert result.out == "done\n"


def test_the_table_has_a_line_for_each_that_moved(mpi, tmp_path):
    result = run_vars(mpi, tmp_path, f"names:standin_counter+standin_still:{AT_CALLS}:series:on")
    lines = [" ".join(line.split()) for line in result.err.splitlines()]
    assert lines[0].startswith("cairn vars: pauses on 2 ranks, 1 of 2 variables changed; sampling took ")
    assert lines[1:] == ["sampled 18 times, every 0.05 s at the next call; points of the series are of 0.05 s",
                         "variable class samples least mean std. dev. most last, mean",
                         f"standin_counter counter 18 0 9 {DEVIATION:.6g} 18 18"]


def test_cairn_report_shows_it(mpi, tmp_path):
    assert run_vars(mpi, tmp_path, f"{AT_CALLS}:series:on:table:off").code == 0
    section, = json.loads(run(CAIRN, "report", tmp_path, "--json", "-").out)["sections"]
    rows = {row["name"]: row for row in section["tables"]["sampled"]["rows"]}
    assert (rows["standin_counter"]["samples"], rows["standin_counter"]["max"]) == (18, 18)
    assert not any(key.startswith(("sampled", "series")) for key in section["tables"]["variables"]["rows"][0])


def test_cairn_report_counts_what_moved(mpi, tmp_path):
    assert run_vars(mpi, tmp_path, f"names:standin_counter+standin_still:every:50ms:budget:0:table:off").code == 0
    section, = json.loads(run(CAIRN, "report", tmp_path, "--json", "-").out)["sections"]
    assert [tuple(one.values()) for one in section["lines"]] == [
        ("1", "variable of the library changed in calls", "Which calls changed them, and by how much, is in the tables (on the page, or with --text -)."),
        ("1", "sampled variable moved", "The page draws their values over time.")]


def test_threads_of_the_program_and_the_tools_own_do_not_wait_for_each_other(mpi, tmp_path):
    result = run_vars(mpi, tmp_path, "every:1ms:thread:on:budget:0:table:off", "threads", program="vars/objects")
    assert (result.code, result.out.count("done"), result.err) == (0, RANKS, "")
    data = json.loads((tmp_path / "vars.json").read_text())
    assert data["calls_read"] + data["calls_missed"] == data["calls"]
    assert variable(data, "counter")["sampled"]["last"] == 4 * (200 + 10) * 3


# ------------------------------------------------------------ rank by rank


MEMORY = [1000000, 1000000 + 10 * 16384, 1000000 + 128 * 16384]  # at the start, and then of either class of ranks


@pytest.fixture(scope="module", params=MPIS, ids=lambda mpi: mpi.id)
def classes(request, tmp_path_factory):
    """As figure 8 of the published study has it: the memory of a library's buffers on two classes of ranks, sampled when the program asks."""
    mpi, folder = request.param, tmp_path_factory.mktemp(request.param.id)
    options = "names:buffers_memory:ranks:on:series:on:calls:off:budget:0"
    return folder, run_stacked(mpi, 4, [f"vars={options}", mpi.tool("vars/buffers")], mpi.program("vars/classes"), out=folder)


def test_a_program_asks_for_samples(classes):
    folder, result = classes
    assert result.code == 0
    assert sorted(result.out.split("\n")[:-1]) == 4 * ["after: MPI_T_ERR_CVAR_SET_NOT_NOW"] + 4 * ["before: MPI_T_ERR_CVAR_SET_NOT_NOW"]
    data = json.loads((folder / "vars.json").read_text())
    assert data["sampling"]["by"] == "request" and data["sampling"]["samples"] == 4 * 4


def test_classes_of_ranks_show(classes):
    folder, result = classes
    memory, = json.loads((folder / "vars.json").read_text())["variables"]
    assert [one["rank"] for one in memory["by_rank"]] == [0, 1, 2, 3]
    for one in memory["by_rank"]:
        values = [MEMORY[0]] + 3 * [MEMORY[1 + one["rank"] // 2]]
        assert one["sampled"] == {"samples": 4, "min": MEMORY[0], "mean": statistics.mean(values), "max": values[-1], "last": values[-1],
                                  "deviation": pytest.approx(statistics.pstdev(values))}
        means = [mean for mean in one["means"] if mean is not None]
        assert MEMORY[0] <= means[0] <= means[-1] <= values[-1]
    lower, upper = (statistics.mean([MEMORY[0]] + 3 * [peak]) for peak in MEMORY[1:])
    assert f"  buffers_memory: {lower:.0f} on ranks 0-1, {upper:.0f} on ranks 2-3\n" in result.err


def test_cairn_report_shows_the_classes(classes):
    folder, _ = classes
    section, = json.loads(run(CAIRN, "report", folder, "--json", "-").out)["sections"]
    assert ("2 classes", "of ranks by buffers_memory") in [(one["figure"], one["subject"]) for one in section["lines"]]
    assert [(row["rank"], row["max"]) for row in section["tables"]["by_rank"]["rows"]] == [
        (0, MEMORY[1]), (1, MEMORY[1]), (2, MEMORY[2]), (3, MEMORY[2])]
    assert run(CAIRN, "report", folder, "--html", folder / "page.html").code == 0
    assert '"rank":2,"means":[' in (folder / "page.html").read_text().replace(" ", "")
