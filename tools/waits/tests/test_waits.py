# SPDX-License-Identifier: BSD-3-Clause
# test_waits.py - programs with one problem of known size: its kind, place, ranks and cost are found, and the functions that fill it

import json
import re

from waits_testing import *


@pytest.mark.parametrize("what, ranks, kind, mark, to, rank, waiters", [
    ("barrier", 3, "wait_at_barrier", "barrier", "barrier", 2, 2),
    ("sender", 2, "late_sender", "probe", "late send", 1, 1),
    ("receiver", 2, "late_receiver", "large send", "late receive", 1, 1),
    ("root", 3, "wait_at_one_to_n", "broadcast", "broadcast", 0, 2),
    ("region", 3, "wait_at_barrier", "region", "region", 2, 2),
    ("halo", 2, "late_sender", "halo", "halo begins", 1, 1),
])
def test_what_was_planted_is_the_first_cause(mpi, tmp_path, what, ranks, kind, mark, to, rank, waiters):
    told = waits(mpi, tmp_path, what, ranks=ranks)
    found = json.loads((tmp_path / "waits.json").read_text())
    cause = found["causes"][0]
    assert (cause["kind"], cause["ranks"]) == ("work", str(rank))
    assert (pathlib.Path(cause["to"]["file"]).name, cause["to"]["line"]) == ("planted.c", line_of(to))
    wait = next(one for one in found["waits"] if one["kind"] == kind)
    assert (wait["line"], wait["communicator"]) == (line_of(mark), "MPI_COMM_WORLD")
    assert is_seen(wait["time_s"], waiters * LATE, told)
    assert is_seen(cause["cost_s"], waiters * LATE, told)
    assert is_seen(found["run_s"] - cause["predicted_run_s"], LATE, told)
    assert abs(found["replayed_s"] - found["run_s"]) < 1e-6
    efficiency = found["efficiency"]
    assert abs(efficiency["parallel"] - efficiency["load_balance"] * efficiency["communication"]) < 1e-9
    assert found["coverage"]["matched"] == found["coverage"]["sends"] == found["coverage"]["receives"]
    assert f"  what ranks wait for:\n    work of rank {rank} between " in told.err
    assert cause["symptoms"][0]["kind"] in (kind, "wait_at_barrier")


@pytest.mark.parametrize("above", [[], ["profile=table:off"]])
def test_work_before_the_end_keeps_others_waiting_in_it(mpi, tmp_path, above):
    """The tools meet in MPI_Finalize: that is not the program's time, whichever does so first."""
    result = planted_run(mpi, 2, [*above, "waits=table:off"], mpi.program("planted"), "end", out=tmp_path)
    assert result.code == 0, result.err
    found = found_in(tmp_path)
    assert is_seen(kinds_of(found)["wait_at_finalize"], LATE, result)
    cause = found["causes"][0]
    assert (cause["kind"], cause["ranks"], cause["to"]["function"]) == ("work", "1", "MPI_Finalize")
    assert cause["to"].get("line", line_of("end") if above else 0) == line_of("end")
    assert is_seen(found["run_s"] - cause["predicted_run_s"], LATE, result)
    if above:
        own = json.loads((tmp_path / "profile.json").read_text())["own_time_s"]
        assert is_seen(own["max"] - own["min"], LATE, result)


@pytest.mark.parametrize("what, ranks, kind, to, rank", [
    ("post", 2, "late_post", "post", 0),
    ("complete", 2, "late_complete", "complete", 1),
    ("lock", 3, "lock_contention", "unlock", 0),
])
def test_one_sided_synchronization_waits_for_whoever_comes_late(mpi, tmp_path, what, ranks, kind, to, rank):
    waits(mpi, tmp_path, what, ranks=ranks)
    found = found_in(tmp_path)
    seen = kinds_of(found)[kind]
    assert seen > LATE / 2, found["waits"]  # longer where the other side has no processor
    cause = found["causes"][0]
    assert (cause["kind"], cause["ranks"], cause["to"]["line"]) == ("work", str(rank), line_of(to))
    assert cause["cost_s"] > LATE / 2
    assert found["run_s"] - cause["predicted_run_s"] > LATE / 2
    assert abs(found["replayed_s"] - found["run_s"]) < 1e-6
    advice = run(CAIRN, "advise", tmp_path, "--json", "-")
    assert (advice.code, advice.err) == (0, "")
    first = next(one for one in json.loads(advice.out)["findings"] if one["kind"] == "one_sided_sync")
    assert (first["ranks"], first["measured"]) == ([rank], True)


@pytest.mark.parametrize("tools", [["waits"], ["waits", "profile"], ["profile", "waits"]], ids=",".join)
def test_only_neighbors_wait_in_neighborhood_calls(mpi, tmp_path, tools):
    """Rank 1 waits for rank 0, and rank 2 for rank 1 in the next step. Where `profile` is below, calls end when it says so."""
    waits(mpi, tmp_path, "neighbors", ranks=3, tools=tools)
    found = found_in(tmp_path)
    assert kinds_of(found)["wait_at_neighbors"] > LATE  # sleep is never shorter
    pairs = {(waiter, late): seconds for waiter, late, seconds, _ in found["pairs"]}
    assert pairs[1, 0] > 0 and pairs[2, 1] > 0 and pairs.get((2, 0), 0) < LATE / 2
    assert (found["causes"][0]["ranks"], found["causes"][0]["to"]["line"]) == ("0", line_of("neighbors"))
    assert found["run_s"] - found["causes"][0]["predicted_run_s"] > LATE / 2


@pytest.mark.parametrize("tools", [["waits", "profile"], ["profile", "waits"], ["waits", "waits"], ["waits", "trace", "where"]], ids="+".join)
def test_regions_have_their_work(mpi, tmp_path, tools):
    """Rank 2 works 36 ms more than the others in one that begins and ends between two calls."""
    result = run_stacked(mpi, 3, tools, mpi.program("planted"), "region", out=tmp_path, timeout=60)
    assert result.code == 0, result.err
    for name in ("waits.json", "waits.2.json")[:tools.count("waits")]:
        found = json.loads((tmp_path / name).read_text())
        inner = next(one for one in found["efficiency_by_region"] if one["region"] == "solve/inner")
        split = inner["efficiency"]
        assert abs(split["communication"] - split["serialisation"] * split["transfer"]) < 1e-9
        assert inner["time_s"] >= 0.4  # sleep is never shorter
        assert inner["efficiency"]["load_balance"] < 0.7
        cause = next(one for one in found["causes"] if one["region"] == "solve/inner")
        assert (cause["kind"], cause["to"]["line"]) == ("work", line_of("region")) and "2" in cause["ranks"]
        assert dict(found["critical_path"]["regions"])["solve/inner"] > 0.2
        assert all(wait["region"] == "" for wait in found["waits"] if wait["kind"] == "wait_at_barrier")


def sampled(mpi, out, *arguments):
    result = run_stacked(mpi, 2, ["waits=sample:on"], mpi.program("relaxing"), *arguments, out=out, timeout=60)
    assert result.code == 0, result.err
    return result, [one for one in found_in(out)["causes"] if one["kind"] == "work"]


def agree(told, causes):
    """As many periods as a timer of the program's own counts: in all, and, as the two do not begin together, about as many in each function."""
    counted = {name: 0.01 * int(number) for name, number in re.findall(r"(relax|pack) (\d+)", told.out)}
    samples = [sample for cause in causes for sample in cause.get("samples", [])]
    others = sum(cause.get("other_samples_s", 0) for cause in causes)
    assert abs(sum(one["time_s"] for one in samples) + others - sum(counted.values())) < 0.025, (counted, causes)
    found = {name: sum(one["time_s"] for one in samples if one["caller"] == name) for name in counted}
    assert all(abs(found[name] - counted[name]) < 0.08 for name in counted), (counted, causes)
    for cause in causes:  # the dearest function first
        times = [one["time_s"] for one in cause.get("samples", [])]
        assert times == sorted(times, reverse=True), cause
    assert 100 * sum(counted.values()) + 2.5 > sum(cause.get("sample_count", 0) for cause in causes)


def test_samples_stand_for_all_periods_that_have_passed_on_a_busy_machine(mpi, tmp_path):
    """Where the system looks at timers late, and several periods come to one sample."""
    others = [subprocess.Popen(["sh", "-c", "while :; do :; done"]) for _ in range(3 * os.cpu_count())]
    try:
        agree(*sampled(mpi, tmp_path))
    finally:
        for other in others:
            other.kill()
            other.wait()


@pytest.mark.parametrize("arguments", [[], ["helper"]], ids=["itself", "a thread"])
def test_samples_tell_the_functions_that_fill_the_work_waited_for(mpi, tmp_path, arguments):
    """About 480 ms of processor time, 48 samples: three quarters in relax, also where a thread that makes no calls has them."""
    told, causes = sampled(mpi, tmp_path, *arguments)
    agree(told, causes)
    first = causes[0]
    assert first["ranks"] == "1" and first["sample_count"] > 0
    assert {pathlib.Path(one["file"]).name for one in first["samples"] if one["caller"] in ("relax", "pack")} == {"relaxing.c"}
    assert re.search(r"\n      of that time [\d.]+ % relaxing\.c:\d+ (relax|pack)\b.* \(\d+ samples\)\n", told.err), told.err
    assert told.out.endswith("\nheard 0, timers 0\n")
    report = run(CAIRN, "report", tmp_path)
    assert report.code == 0 and "relaxing.c" in report.out
    again = run(CAIRN, "whatif", tmp_path)
    assert again.code == 0 and " % relaxing.c:" in again.out, again.out


def test_a_handler_of_the_program_stays(mpi, tmp_path):
    """It is told where sampling cannot be, and a signal that comes late does nothing."""
    told, causes = sampled(mpi, tmp_path / "handler", "handler")
    assert told.out.endswith("\nheard 1, timers 0\n") and "samples" not in causes[0]
    assert told.err.count("sample:on: SIGURG has a handler already; no functions are sampled\n") == 1, told.err
    told, causes = sampled(mpi, tmp_path / "reset", "reset")
    agree(told, causes)
    assert told.out.endswith("\nheard 0, timers 0\n") and any("samples" in cause for cause in causes)
    assert told.err.count("sample:on: the program now handles SIGURG itself; sampling ends here\n") == 1, told.err


def test_in_fortran_too(mpi, tmp_path):
    result = run_stacked(mpi, 3, ["waits"], mpi.program("windows_f08"), out=tmp_path, timeout=60)
    assert result.code == 0, result.err
    found = found_in(tmp_path)
    for kind, seconds in (("late_post", 0.2), ("wait_at_neighbors", 0.2)):
        assert kinds_of(found)[kind] > seconds / 2, (kind, found["waits"])
    assert kinds_of(found)["lock_contention"] > 0.05
    assert {wait["region"] for wait in found["waits"] if wait["kind"] == "late_post"} == {"windows"}
