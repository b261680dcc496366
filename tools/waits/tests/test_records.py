# SPDX-License-Identifier: BSD-3-Clause
# test_records.py - which records are kept: too many for their room, of quiet threads, of messages that nobody receives, of forked children

import os
import re

import pytest

from waits_testing import *


# Half a million messages take 5 s, and more than a minute where several compilers have the same two cores: each turn of a rank waits for
# the ends of theirs.
def odd(mpi, out, what, options="", **more):
    result = run_stacked(mpi, 2, [f"waits=table:off{options}"], mpi.program("odd"), what, out=out, timeout=100, **more)
    assert result.code == 0, result.err
    return found_in(out)


def test_a_quiet_thread_does_not_end_the_records_of_others(mpi, tmp_path):
    found = odd(mpi, tmp_path, "quiet", ":memory:1:disk:0:interval:1ms:calls:1048576")
    assert found["coverage"]["calls"] > 10000 and found["run_s"] > 0.01 and "records beyond the memory limit" in str(found["coverage"]["left_out"])


def test_where_memory_is_full_calls_are_kept_in_a_file_for_as_long_as_the_program_runs(mpi, tmp_path):
    found = odd(mpi, tmp_path, "quiet", ":memory:1:interval:1ms:calls:1048576")
    assert found["coverage"]["matched"] >= 500000 and "left_out" not in found["coverage"], found["coverage"]
    assert not list(tmp_path.glob("*.records"))


def test_calls_in_a_file_are_told_of_a_rank_that_dies(mpi, tmp_path):
    run_stacked(mpi, 2, ["waits=table:off:memory:1:interval:1ms:calls:1048576"], mpi.program("odd"), "killed", "late", out=tmp_path, timeout=100)
    told = run(CAIRN, "whatif", tmp_path)
    left = list(tmp_path.glob("waits.rank-*.graph"))
    assert told.code == 0 and left and all(path.stat().st_size > 1_000_000 for path in left), told.err
    assert len(list(tmp_path.glob("*.records"))) <= 1  # of a rank that Hydra has killed


@pytest.mark.skipif(os.geteuid() != 0, reason="root mounts file systems")
def test_where_the_disk_is_full_calls_are_kept_in_memory_as_far_as_there_is_room(mpi, tmp_path):
    (tmp_path / "disk").mkdir()
    words = [*mpi.mpirun(2), CAIRN, "run", "--tools", "waits=table:off:memory:1:interval:1ms:calls:1048576", "--out", tmp_path / "disk" / "out",
             "--", mpi.program("odd"), "quiet"]
    script = f'mount -t tmpfs -o size=900k none {tmp_path}/disk && "$@"; code=$?; ls {tmp_path}/disk/out; cat {tmp_path}/disk/out/waits.json; exit $code'
    result = run("unshare", "--mount", "sh", "-c", script, "sh", *words, timeout=100)
    names, found = result.out.split("{", 1)
    coverage = json.loads("{" + found)["coverage"]
    assert result.code == 0 and ".records" not in names, result.out
    assert result.err.count("No space left on device") == 1, result.err  # once per run, though both ranks and waits.graph lack room
    assert "records beyond the memory limit" in str(coverage["left_out"]) and coverage["matched"] > 50000, coverage


def test_what_comes_after_the_first_lost_record_is_left_out(mpi, tmp_path):
    """Half a second of waiting and 500 messages are taken in a rest of 1.5 s; of 100,000 more there is room for 4096 records."""
    found = odd(mpi, tmp_path, "fast", ":calls:4096", LD_PRELOAD=mpi.program("late_reader.so"))
    coverage = found["coverage"]
    assert 500 <= coverage["matched"] < 100000 and coverage["matched"] >= coverage["receives"] - 1, coverage
    assert {one["why"] for one in coverage["left_out"]} == {
        "records came faster than they were read and are lost",
        "calls after the last moment at which all ranks' calls are known"}
    assert 0.5 < found["run_s"] <= coverage["analysed_s"] < coverage["whole_run_s"]
    assert found["clock"]["corrected"] == 0
    assert 0.4 < kinds_of(found)["wait_at_barrier"]
    assert abs(found["replayed_s"] - found["run_s"]) < 1e-6
    told = run(CAIRN, "whatif", tmp_path)
    assert told.code == 0 and re.search(r"\n  these figures cover the first [\d.]+ s of the run's [\d.]+ s; the last [\d.]+ % is left out: ", told.out), told.out
    report = run(CAIRN, "report", tmp_path)
    assert report.code == 0 and "of the run is left out" in report.out, report.out
    advice = run(CAIRN, "advise", tmp_path)
    assert advice.code == 0 and "which is predicted" not in advice.out, advice.out
    assert re.fullmatch(
        r"cairn: warning: causes of waiting: these figures cover the first [\d.]+ s of the run's [\d.]+ s; the last [\d.]+ % is left out: "
        r"not all ranks' calls are known there; nothing is predicted\ncairn:   try: cairn run --tools waits=calls:1048576:memory:0 PROGRAM\n",
        advice.err), advice.err


def test_what_each_process_is_given_is_not_recorded(mpi, tmp_path):
    """Of 1,500 MPI_Alltoallv of two ranks, there is room for the calls and their amounts, not for two parts of each, too."""
    found = odd(mpi, tmp_path, "parts", ":calls:4096", LD_PRELOAD=mpi.program("late_reader.so"))
    assert found["coverage"]["collectives"] >= 1500
    assert "left_out" not in found["coverage"]


def test_who_is_in_a_communicator_is_known_where_no_other_process_can_read_that(mpi, tmp_path):
    (tmp_path / "open").mkdir(mode=0o755)
    for folder in (tmp_path / "open", tmp_path / "private"):
        coverage = odd(mpi, tmp_path / f"out-{folder.name}", "turned", CAIRN_PAGES=folder)["coverage"]
        assert (coverage["sends"], coverage["receives"], coverage["matched"]) == (100, 100, 100), folder


def test_messages_that_nobody_receives_are_told(mpi, tmp_path):
    coverage = odd(mpi, tmp_path, "unread")["coverage"]
    assert (coverage["sends"], coverage["receives"], coverage["matched"]) == (103, 100, 100)
    assert "\n  sends without a known receive: 3 of 103\n" in run(CAIRN, "whatif", tmp_path).out
    report = run(CAIRN, "report", tmp_path)
    assert re.search(r" 3 +sends without a known receive\n +Of 103 in all; who waits for whom in these is unknown\.\n", report.out), report.out


def test_calls_of_threads_without_room_count_for_those_of_others(mpi, tmp_path):
    """Rank 1's first barrier has a partner that is not recorded, its second one meets rank 0's recorded one."""
    done = run_stacked(mpi, 2, ["waits=table:off:calls:4096"], mpi.program("crowd"), out=tmp_path, timeout=60)
    assert done.code == 0 and "the calls of some threads are not recorded: a process has room for 256\n" in done.err
    found = found_in(tmp_path)
    coverage, split = found["coverage"], found["time_s"]
    assert (coverage["collectives"], coverage["incomplete_collectives"]) == (3, 1), coverage
    assert split["unknown"] > 0.25 and split["waiting"] < 0.1, split


def test_where_a_rank_runs_without_cairn_time_in_calls_with_it_is_unknown(mpi, tmp_path):
    program = mpi.program("relaxing")  # MPI_Barrier of all, before which rank 0 has nothing to do
    stacked = run(*mpi.mpirun(1), CAIRN, "run", "--tools", "waits", "--out", tmp_path, program, ":", "-n", 1, program, timeout=60)
    assert stacked.code == 0 and "\n  without rank 1, which left no records\n" in stacked.err
    found = found_in(tmp_path)
    split = found["time_s"]
    assert split["unknown"] > 0.4 and split["waiting"] == 0 and split["transfer"] < 0.01, split
    assert "transfer" not in found["efficiency"] and found["efficiency"]["load_balance"] == 1
    assert re.search(r" [\d.]+ % start of MPI, [\d.]+ % waiting or transfer: there are no records of what was needed\n", stacked.err), stacked.err
    report = run(CAIRN, "report", tmp_path)
    assert report.code == 0 and " of all ranks' time is waiting or transfer\n" in report.out, report.out
    assert re.search(r"unknown +transfer +there are no records of what was needed\n", report.out), report.out
    assert run(CAIRN, "advise", tmp_path).code == 0


def test_a_forked_child_leaves_the_records_of_its_parent_alone(mpi, tmp_path):
    found = odd(mpi, tmp_path, "fork")
    assert found["coverage"]["sends"] == found["coverage"]["matched"] == 2000


def test_work_before_a_test_in_vain_is_its_regions(mpi, tmp_path):
    time_of = {one["region"]: one["time_s"] for one in odd(mpi, tmp_path, "test")["efficiency_by_region"]}
    assert time_of["long"] >= 0.2 and time_of["short"] >= 0.02


def split_of(mpi, out, what, options=""):
    done = run_stacked(mpi, 2, ["waits=table:off" + options], mpi.program("odd"), what, out=out, timeout=100)
    assert done.code == 0, done.err
    found = json.loads((out / "waits.json").read_text())
    return found["time_s"], found["coverage"]


@pytest.mark.parametrize("what, options, is_known", [
    ("exchanged", "", True), ("freed", "", False), ("truncated", "", True), ("early", "", True), ("early", ":analysis:1", False),
    ("answered", "", True), ("answered", ":analysis:1", True)])
def test_messages_after_one_that_is_hard_to_count_are_matched_or_unknown(mpi, tmp_path, what, options, is_known):
    """Their receives wait 0.5 s in all, or more: what a busy machine adds to the calls is less."""
    split, coverage = split_of(mpi, tmp_path, what, options)
    assert split["waiting" if is_known else "unknown"] > max(0.4, split["transfer"]) and coverage["sends"] >= 20, (split, coverage)
    assert (split.get("unknown", 0) < 0.01) == is_known, split


@pytest.mark.parametrize("what", ["probed", "matched"])
def test_waiting_for_a_message_that_nobody_receives_is_unknown(mpi, tmp_path, what):
    split, coverage = split_of(mpi, tmp_path, what)
    assert (coverage["sends"], coverage["receives"]) == (1, 0)
    assert split["unknown"] > 0.25 and split["transfer"] < 0.1, split
    assert "\n  send without a known receive: 1 of 1\n" in run(CAIRN, "whatif", tmp_path).out


def test_calls_left_by_a_jump_are_over_before_the_next_ones(mpi, tmp_path):
    """As far as anybody can tell, when they were begun."""
    split, coverage = split_of(mpi, tmp_path, "left")
    assert (coverage["sends"], coverage["receives"], coverage["matched"]) == (100, 100, 100), coverage
    assert coverage["calls"] > 200 and "unknown" not in split, (coverage, split)


def test_calls_on_communicators_without_a_number_are_unknown(mpi, tmp_path):
    split, _ = split_of(mpi, tmp_path, "unseen")
    assert split["unknown"] > 0.25, split


def test_each_of_many_communicators_has_a_number(mpi, tmp_path):
    split, _ = split_of(mpi, tmp_path, "crowd")
    assert "unknown" not in split and split["waiting"] > 0.25, split


def test_a_lock_that_a_rank_without_cairn_may_have_is_unknown(mpi, tmp_path):
    program = [mpi.program("odd"), "locked"]
    stacked = run(*mpi.mpirun(1), *program, ":", "-n", 1, CAIRN, "run", "--tools", "waits=table:off", "--out", tmp_path, *program, timeout=60)
    assert stacked.code == 0, stacked.err
    split = json.loads((tmp_path / "waits.json").read_text())["time_s"]
    assert split["unknown"] > 0.2 and split["transfer"] < 0.1, split


def test_the_call_that_a_rank_dies_in_is_in_the_figures(mpi, tmp_path):
    """One second in MPI_Recv, or in tests in vain."""
    run_stacked(mpi, 2, ["waits=table:off"], mpi.program("odd"), "killed", out=tmp_path, timeout=60)
    left = sorted(int(path.name.split("-")[1].split(".")[0]) for path in tmp_path.glob("waits.rank-*.graph"))
    told = run(CAIRN, "whatif", tmp_path)
    assert told.code == 0 and left, told.err
    unknown = re.search(r" ([\d.]+) % waiting or transfer: there are no records of what was needed\n", told.out)
    run_s = re.match(r"  run ([\d.]+) s on 2 ranks; ", told.out)
    assert run_s and 0.8 < float(run_s[1]) < 10, told.out
    assert unknown and float(unknown[1]) > 30, told.out
    report = run(CAIRN, "report", tmp_path)
    ranks = "ranks 0-1" if len(left) == 2 else f"rank {left[0]}"
    assert f"ended by SIGALRM\n" in report.out and f" On {ranks}; the figures are of what was before.\n" in report.out, report.out


def test_probes_belong_to_whoever_receives_what_they_have_found(mpi, tmp_path):
    split, coverage = split_of(mpi, tmp_path, "handed")
    assert (coverage["sends"], coverage["matched"]) == (43, 43) and "unknown" not in split and split["waiting"] > 0.3, (coverage, split)


def test_who_survives_its_end_goes_on_without_the_calls_in_its_file(mpi, tmp_path):
    done = run_stacked(mpi, 2, ["waits=table:off:memory:1:interval:1ms:calls:1048576"], mpi.program("odd"), "survived", out=tmp_path, timeout=150)
    assert done.code == 0, done.err
    assert json.loads((tmp_path / "waits.json").read_text())["coverage"]["missing_ranks"] == "1"
    assert not list(tmp_path.glob("*.records"))
