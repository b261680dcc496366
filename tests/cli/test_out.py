# SPDX-License-Identifier: BSD-3-Clause
# test_out.py - the results' folder: its name, when it is made, what is in it, and what is said when it cannot be made.

import datetime
import json
import os
import pathlib
import re
import socket
import time

import pytest

from cli_testing import *

QUIET = "profile=table:off"
TRY_OUT = "--out DIR with a folder that can be written"
EMPTY_RUN = ["report.txt", "run.json"]


def cannot(path, reason, asked, remedy, lost=""):
    asked = f"cairn:   asked for by: {asked}\n" if asked else ""
    return f"cairn: error: results cannot be written to '{path}': {reason}{lost}\n{asked}cairn:   try: {remedy}\n"


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_the_default_folder_is_named_after_program_and_time(mpi, tmp_path):
    before = datetime.datetime.now().replace(microsecond=0)
    result = cairn_run("--tools", QUIET, subject(mpi), cwd=tmp_path, SUBJECT_EXIT=3)
    after = datetime.datetime.now()
    assert (result.code, result.out, result.err) == (3, subject_output(), "")
    [name] = names(tmp_path)
    match = re.fullmatch(r"cairn-subject-(\d{8}-\d{6})", name)
    assert match
    assert before <= datetime.datetime.strptime(match[1], "%Y%m%d-%H%M%S") <= after
    assert {"profile.json", "run.json"} <= set(names(tmp_path / name))


def test_one_folder_per_job(mpi, tmp_path):
    result = run(*mpi.mpirun(4), CAIRN, "run", "--tools", QUIET, subject(mpi), cwd=tmp_path)
    assert result.code == 0
    assert len(names(tmp_path)) == 1


def test_runs_of_the_same_second_have_folders_of_their_own(tmp_path):
    for _ in range(3):
        assert cairn_run("--tools", QUIET, subject(MPIS[1]), cwd=tmp_path).code == 0
    assert len(names(tmp_path)) == 3


def test_no_folder_where_no_tool_writes_unless_the_user_names_it(mpi, tmp_path):
    assert cairn_run("--tools", trace(mpi), subject(mpi), cwd=tmp_path).err == "trace a\n"
    assert names(tmp_path) == []
    result = run(*mpi.mpirun(2), CAIRN, "run", "--tools", trace(mpi), "--out", tmp_path / "wanted", subject(mpi))
    assert (result.code, result.err) == (0, "trace a\n" * 2)
    assert names(tmp_path / "wanted") == EMPTY_RUN
    assert json.loads((tmp_path / "wanted" / "run.json").read_text())["tools"] == [{"tool": trace(mpi), "options": {}}]


def test_no_folder_where_the_writing_tool_is_not_loaded_unless_the_user_names_it(mpi, tmp_path):
    cairn_run("--tools", f"profile=color:red,{trace(mpi)}", subject(mpi), cwd=tmp_path)
    assert names(tmp_path) == []
    cairn_run("--tools", f"profile=color:red,{trace(mpi)}", "--out", tmp_path / "wanted", subject(mpi))
    assert names(tmp_path / "wanted") == EMPTY_RUN
    cairn_run("--tools", "no_such_tool", "--out", tmp_path / "none", subject(mpi))
    assert names(tmp_path / "none") == EMPTY_RUN


@pytest.mark.parametrize("out", ["results", "./results/", "deep/er/results", "with space, comma:colon"])
def test_results_are_written_to_out(mpi, out, tmp_path):
    result = cairn_run("--tools", QUIET, "--out", out, subject(mpi), cwd=tmp_path)
    assert (result.code, result.err) == (0, "")
    assert {"profile.json", "run.json"} <= set(names(tmp_path / out))


def test_out_does_not_follow_the_program_elsewhere(mpi, tmp_path):
    (tmp_path / "elsewhere").mkdir()
    script = program_file(tmp_path / "script", f"#!/bin/sh\ncd elsewhere\nexec {subject(mpi)}\n")
    cairn_run("--tools", QUIET, "--out", "results", script, cwd=tmp_path)
    assert names(tmp_path / "elsewhere") == []
    assert "profile.json" in names(tmp_path / "results")


def test_an_existing_folder_keeps_its_other_files(mpi, tmp_path):
    (tmp_path / "kept").write_text("kept")
    (tmp_path / "profile.json").write_text("old")
    result = cairn_run("--tools", QUIET, "--out", tmp_path, subject(mpi))
    assert (result.code, result.err) == (0, "")
    assert (tmp_path / "kept").read_text() == "kept"
    assert json.loads((tmp_path / "profile.json").read_text())["format"] == "cairn-profile 1"


def test_two_profiles_write_two_files(mpi, tmp_path):
    result = cairn_run("--tools", f"{QUIET},{trace(mpi)},{QUIET}", "--out", tmp_path, subject(mpi))
    assert (result.code, result.err) == (0, "trace a\n")
    assert {"profile.json", "profile.2.json", "run.json"} <= set(names(tmp_path))
    for instance in (1, 2):
        calls = {name: entry["calls"] for name, entry in cairn_testing.read_profile(tmp_path, instance).items()}
        # The inner one also sees what the outer one calls for its report, so not every function has the program's number.
        assert [calls[name] for name in ("MPI_Init", "MPI_Barrier", "MPI_Finalize")] == [1, 1, 1]


def test_run_json_says_what_ran(mpi, tmp_path):
    before = datetime.datetime.now(datetime.timezone.utc).replace(microsecond=0)
    cairn_run("--tools", f"profile=table:off:top:3,{trace(mpi)}", "--out", tmp_path, subject(mpi), "x")
    facts = json.loads((tmp_path / "run.json").read_text())
    started = datetime.datetime.strptime(facts.pop("started"), "%Y-%m-%dT%H:%M:%S%z")
    assert before <= started <= datetime.datetime.now(datetime.timezone.utc)
    expected = {
        "format": "cairn-run 1",
        "program": subject(mpi),
        "host": socket.gethostname(),
        "mpi": f"{mpi.name} {mpi.version}",
        "tools": [{"tool": "profile", "options": {"table": "off", "top": "3"}}, {"tool": trace(mpi), "options": {}}],
    }
    assert {key: facts[key] for key in expected} == expected


def process_start(process):
    return int(pathlib.Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[19])


def test_an_earlier_run_makes_room(mpi, tmp_path):
    out = tmp_path / "out"
    cairn_run("--tools", f"{QUIET},comm=table:off", "--out", out, subject(mpi))
    earlier = json.loads((out / "run.json").read_text())["run"]
    for name in ("kept", "report.html", "placement.svg"):
        (out / name).write_text(name)
    result = cairn_run("--tools", "vars=table:off", "--out", out, subject(mpi))
    assert (result.code, result.err) == (0, "")
    assert names(out) == sorted(["kept", "report.txt", "run.json", f"run-{earlier}", "vars.json"])
    assert {"profile.json", "comm", "run.json", "report.txt", "report.html", "placement.svg"} <= set(names(out / f"run-{earlier}"))
    assert json.loads((out / "run.json").read_text())["run"] != earlier


def test_a_run_that_dies_does_not_show_an_earlier_one(mpi, tmp_path):
    cairn_run("--tools", QUIET, "--out", tmp_path, subject(mpi))
    run(*mpi.mpirun(1), CAIRN, "run", "--tools", QUIET, "--out", tmp_path, mpi.program("killed"), "kill")
    assert "profile.json" not in names(tmp_path)
    assert run(CAIRN, "report", tmp_path).code == 125


def told_in_use(out):
    return (f"cairn: warning: '{out}' is in use by another run: results are written to '{out}-2'\n"
            "cairn:   asked for by: --out\ncairn:   try: a folder of its own for each run\n")


def test_a_folder_in_use_is_left_alone(mpi, tmp_path):
    out = tmp_path / "out"
    out.mkdir()
    in_use = json.dumps({"format": "cairn-run 1", "run": "0123456789abcdef", "host": socket.gethostname(),
                         "process": [os.getpid(), process_start(os.getpid())]})
    (out / "run.json").write_text(in_use)
    result = run(*mpi.mpirun(2), CAIRN, "run", "--tools", QUIET, "--out", out, subject(mpi))
    assert (result.code, result.out) == (0, subject_output())
    assert result.err == told_in_use(out)
    assert names(out) == ["run.json"] and (out / "run.json").read_text() == in_use
    assert "profile.json" in names(tmp_path / "out-2")


def begin(mpi, ranks, tmp_path):
    """A job with results in `out` that goes on until its program's file is gone."""
    (tmp_path / "go").write_text("")
    return start(*mpi.mpirun(ranks), CAIRN, "run", "--tools", f"{QUIET},comm=table:off", "--out", tmp_path / "out", mpi.program("steady"),
                 tmp_path / "go")


def wait_for(*files, jobs=()):
    for _ in range(600):
        if all(file.exists() for file in files):
            return
        time.sleep(0.05)
    there = sorted(map(str, files[0].parent.parent.rglob("*")))
    running = {job.pid: descendants(job.pid) for job in jobs}
    for job in jobs:
        job.terminate()
    pytest.fail(f"never there: {files}\nthere: {there}\nrunning: {running}\nthe jobs: {[ended(job) for job in jobs]}")


def ended(job):
    out, err = job.communicate(timeout=60)
    return job.returncode, out.decode(), err.decode()


def check_results(folder, ranks):
    """All of one run; its identity."""
    assert {"comm", "profile.json", "report.txt", "run.json"} <= set(names(folder))
    files = [json.loads((folder / name).read_text()) for name in ("run.json", "profile.json", "comm/comm.json")]
    assert [file["ranks"] for file in files[1:]] == [ranks] * 2
    [identity] = {file["run"] for file in files}
    return identity


def test_a_job_beside_another_with_the_same_folder_gets_its_own(mpi, tmp_path):
    out = tmp_path / "out"
    first = begin(mpi, 2, tmp_path)
    wait_for(out / "run.json")
    second = run(*mpi.mpirun(3), CAIRN, "run", "--tools", f"{QUIET},comm=table:off", "--out", out, mpi.program("ring_c"))
    (tmp_path / "go").unlink()
    assert ended(first) == (0, "", "")
    assert (second.code, second.err) == (0, told_in_use(out))
    assert check_results(out, 2) != check_results(tmp_path / "out-2", 3)
    assert names(tmp_path) == ["out", "out-2"]


@pytest.mark.parametrize("earlier", [False, True], ids=["new", "of_an_earlier_run"])
def test_of_jobs_that_start_at_once_with_the_same_folder_each_has_one(mpi, earlier, tmp_path):
    out = tmp_path / "out"
    if earlier:
        cairn_run("--tools", QUIET, "--out", out, subject(mpi))
        before = json.loads((out / "run.json").read_text())["run"]
    jobs = [begin(mpi, ranks, tmp_path) for ranks in (2, 3)]
    wait_for(out / "run.json", tmp_path / "out-2" / "run.json", jobs=jobs)
    (tmp_path / "go").unlink()
    results = [ended(job) for job in jobs]
    assert [result[:2] for result in results] == [(0, "")] * 2
    said = [err for _, _, err in results]
    assert sorted(said) == ["", told_in_use(out)]
    in_out, elsewhere = (2, 3) if said[0] == "" else (3, 2)
    assert check_results(out, in_out) != check_results(tmp_path / "out-2", elsewhere)
    assert names(tmp_path) == ["out", "out-2"]
    if earlier:
        assert json.loads((out / f"run-{before}" / "run.json").read_text())["run"] == before
        assert "profile.json" in names(out / f"run-{before}")


def test_every_file_names_the_run(mpi, tmp_path):
    """Those of ranks that come to the end, and the parts of one that dies."""
    (tmp_path / "rules").write_text('rule "r"\n  every 10 s\n  note "seen"\n')
    tools = f"{QUIET},comm=table:off,vars=table:off,policy=file:{tmp_path}/rules:table:off"
    for program, ranks in ((subject(mpi), 1), (mpi.program("parts_dying"), 2)):
        out = tmp_path / str(ranks)
        run(*mpi.mpirun(ranks), CAIRN, "run", "--tools", tools, "--out", out, program, "exit")
        files = {str(path.relative_to(out)): json.loads(path.read_text()).get("run") for path in out.rglob("*.json")}
        assert len(files) >= 5
        assert set(files.values()) == {files["run.json"]} and len(files["run.json"]) == 16, files


def test_a_rank_that_dies_leaves_its_part_without_out(mpi, tmp_path):
    run(*mpi.mpirun(2), CAIRN, "run", "--tools", QUIET, mpi.program("parts_dying"), "exit", cwd=tmp_path)
    [folder] = names(tmp_path)
    assert "profile.rank-1.json" in names(tmp_path / folder)
    assert json.loads((tmp_path / folder / "run.json").read_text())["run"]


class TestCannotBeMade:
    def complaint(self, result, path, asked):
        assert cairn_lines(result.err) == cannot(path, "Not a directory", asked, TRY_OUT)

    def test_out_below_a_file_is_an_error_and_the_program_runs(self, mpi, tmp_path):
        (tmp_path / "file").write_text("")
        result = cairn_run("--tools", QUIET, "--out", tmp_path / "file" / "results", subject(mpi), SUBJECT_EXIT=3)
        assert (result.code, result.out) == (3, subject_output())
        self.complaint(result, f"{tmp_path}/file/results", "--out")

    def test_said_once_per_job(self, mpi, tmp_path):
        (tmp_path / "file").write_text("")
        result = run(*mpi.mpirun(4), CAIRN, "run", "--tools", QUIET, "--out", tmp_path / "file" / "results", subject(mpi))
        assert (result.code, result.out) == (0, subject_output())
        assert cairn_lines(result.err).count("cairn: error: results cannot be written to ") == 1

    def test_a_file_of_that_name(self, mpi, tmp_path):
        (tmp_path / "file").write_text("mine")
        result = cairn_run("--tools", QUIET, "--out", tmp_path / "file", subject(mpi))
        assert (result.code, result.out) == (0, subject_output())
        assert result.err.startswith(f"cairn: error: results cannot be written to '{tmp_path}/file': Not a directory\n")
        assert (tmp_path / "file").read_text() == "mine"

    def test_by_setting_says_that_the_setting_asked(self, mpi, tmp_path):
        (tmp_path / "file").write_text("")
        result = run(subject(mpi), LD_PRELOAD=LIBCAIRN, CAIRN_TOOLS=QUIET, CAIRN_OUT=tmp_path / "file" / "results")
        self.complaint(result, f"{tmp_path}/file/results", f"CAIRN_OUT={tmp_path}/file/results")

    def test_two_tools_one_message(self, mpi, tmp_path):
        (tmp_path / "file").write_text("")
        result = cairn_run("--tools", f"{QUIET},{QUIET}", "--out", tmp_path / "file" / "results", subject(mpi))
        assert result.err.count("cairn: error: ") == 1

    def test_the_table_is_shown_all_the_same(self, mpi, tmp_path):
        (tmp_path / "file").write_text("")
        result = cairn_run("--tools", "profile", "--out", tmp_path / "file" / "results", subject(mpi))
        assert "cairn profile: subject on 1 rank, " in result.err

    def test_the_message_names_the_reason_in_plain_words(self, mpi, tmp_path):
        """Not the C++ library's words for its own exception, with the path a second time."""
        (tmp_path / "file").write_text("")
        result = cairn_run("--tools", QUIET, "--out", tmp_path / "file" / "results", subject(mpi))
        assert "filesystem error" not in result.err
        assert result.err.splitlines()[0].count(f"{tmp_path}/file/results") == 1

    def test_a_file_in_the_folder_that_cannot_be_written(self, mpi, tmp_path):
        (tmp_path / "profile.json").mkdir()
        result = cairn_run("--tools", QUIET, "--out", tmp_path, subject(mpi), SUBJECT_EXIT=3)
        assert (result.code, result.out) == (3, subject_output())
        assert result.err.splitlines()[0].startswith(f"cairn: warning: tool 'profile': '{tmp_path}/profile.json' cannot be written")


class TestBeforeTheProgramRuns:
    """The command looks at the folder; the stack says no more of it."""

    def test_it_is_told_before(self, mpi, tmp_path):
        (tmp_path / "file").write_text("")
        order = tmp_path / "order"
        script = program_file(tmp_path / "script", f"#!/bin/sh\nwc -l < {order} > {tmp_path}/seen\nexec {subject(mpi)}\n")
        words = [CAIRN, "run", "--tools", QUIET, "--out", tmp_path / "file" / "results", script]
        result = run("sh", "-c", f'exec "$@" 2> {order}', "sh", *words)
        assert (result.code, result.out) == (0, subject_output())
        assert (tmp_path / "seen").read_text() == "3\n"
        assert order.read_text() == cannot(tmp_path / "file" / "results", "Not a directory", "--out", TRY_OUT)

    @pytest.mark.skipif(os.geteuid() != 0, reason="mounting needs root")
    def test_a_read_only_file_system(self, tmp_path):
        (tmp_path / "disk").mkdir()
        out = tmp_path / "disk" / "deep" / "out"
        words = [CAIRN, "run", "--tools", QUIET, "--out", out, subject(MPIS[1])]
        result = run("unshare", "--mount", "sh", "-c", f'mount -t tmpfs -o ro none {tmp_path}/disk && exec "$@"', "sh", *words)
        assert (result.code, result.err) == (0, cannot(out, "Read-only file system", "--out", TRY_OUT))


class TestFullDisk:
    """Met while the run's folder is made, or when a process dies; tests/will/test_ends.py has those of the process."""

    def on_a_small_disk(self, tmp_path, fill, *words, size="64k"):
        (tmp_path / "disk").mkdir()
        script = f'mount -t tmpfs -o size={size} none {tmp_path}/disk && {fill}; "$@"; code=$?; find {tmp_path}/disk | sort; exit $code'
        result = run("unshare", "--mount", "sh", "-c", script, "sh", *words)
        left = [line for line in result.out.splitlines() if line.startswith(str(tmp_path))]
        return result, [line for line in left if not line.endswith(("/disk", "/filler"))]

    @pytest.mark.skipif(os.geteuid() != 0, reason="mounting needs root")
    @pytest.mark.parametrize("folder", ["new", "existing"])
    def test_a_full_disk_is_reported_before_the_program_runs(self, folder, mpi, tmp_path):
        out = tmp_path / "disk" / "out"
        fill = f"mkdir -p {out if folder == 'existing' else tmp_path}; cat /dev/zero > {tmp_path}/disk/filler 2> /dev/null"
        result, left = self.on_a_small_disk(tmp_path, fill, CAIRN, "run", "--tools", QUIET, "--out", out, subject(mpi))
        assert (result.code, result.err) == (0, cannot(out, "No space left on device", "--out", "--out DIR on a disk with space left"))
        assert left == ([str(out)] if folder == "existing" else [])

    @pytest.mark.skipif(os.geteuid() != 0, reason="mounting needs root")
    def test_a_process_that_dies_says_what_is_lost(self, mpi, tmp_path):
        """Without --out the folder is made at the death."""
        script = program_file(tmp_path / "go", f"#!/bin/sh\ncd {tmp_path}/disk && exec \"$@\"\n")
        fill = f"cat /dev/zero > {tmp_path}/disk/filler 2> /dev/null"
        result, left = self.on_a_small_disk(tmp_path, fill, *mpi.mpirun(1), script, CAIRN, "run", "--tools", QUIET, mpi.program("no_finalize"))
        path = re.search("written to '([^']*)'", result.err)[1]
        assert cairn_lines(result.err) == cannot(path, "No space left on device", "", "--out DIR on a disk with space left",
                                                 "; what rank 0 had when it ended (exit without MPI_Finalize) is lost")
        assert left == []


class TestCurrentFolder:
    def test_one_that_cannot_be_written(self, mpi):
        result = cairn_run("--tools", QUIET, subject(mpi), cwd="/proc", SUBJECT_EXIT=3)
        assert (result.code, result.out) == (3, subject_output())
        assert result.err.startswith("cairn: error: results cannot be written to '/proc/cairn-subject-")
        assert result.err.endswith(f"cairn:   try: {TRY_OUT}\n")

    def test_one_that_is_gone(self, mpi, tmp_path):
        """The results must not land in the root folder instead."""
        (tmp_path / "gone").mkdir()
        script = program_file(tmp_path / "script", f"#!/bin/sh\nrmdir ../gone\nexec {subject(mpi)}\n")
        before = set(os.listdir("/"))
        result = cairn_run("--tools", QUIET, script, cwd=tmp_path / "gone", SUBJECT_EXIT=3)
        made = [name for name in set(os.listdir("/")) - before if name.startswith("cairn-subject-")]
        for name in made:
            for file in os.listdir(f"/{name}"):
                os.remove(f"/{name}/{file}")
            os.rmdir(f"/{name}")
        assert (result.code, result.out) == (3, subject_output())
        assert made == []
        assert result.err.splitlines()[-1] == f"cairn:   try: {TRY_OUT}"
