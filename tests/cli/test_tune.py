# SPDX-License-Identifier: BSD-3-Clause
# test_tune.py - `cairn tune` on a small command whose time and output depend on a variable, and on both MPIs.

import json
import re
import signal
import time

import pytest

from cli_testing import *

SYNTAX = "NAME=A,B,C or NAME=LOW..HIGH, optionally followed by *FACTOR or +STEP"


@pytest.fixture
def command(tmp_path):
    """SPEED chooses how long it takes, NUMBER what it prints; FILE gets a line for each run."""
    return program_file(tmp_path / "command", """#!/bin/sh
echo "${SPEED:-default} ${NUMBER:-10}" >> "${FILE:-/dev/null}"
case "$SPEED" in
  fast) ;;
  stuck) sleep 100 ;;
  broken) echo "it broke" >&2; exit 3 ;;
  killed) kill -9 $$ ;;
  *) sleep 0.3 ;;
esac
echo "warming up: 99 s"
head -c "${DOTS:-0}" /dev/zero | tr '\\0' .
[ -z "$DOTS" ] || echo
echo "figure: ${NUMBER:-10} s"
""")


def tune(*words, **more):
    return run(CAIRN, "tune", *words, **more)


def by_figure(command, *variables, **more):
    return tune(*variables, "--figure", "figure: ([0-9]+) s", "--", command, SPEED="fast", **more)


def test_the_report_word_for_word(command):
    result = by_figure(command, "env:NUMBER=8..32*2")
    assert (result.code, result.err) == (0, "")
    assert result.out == f"""cairn tune: {command}
objective: figure 'figure: ([0-9]+) s' of the output, less is better

after 3 rounds:
  setting        runs       median   spread  gain over the first
  (default)         3           10    0.0 %
  env:NUMBER=8      3            8    0.0 %  +20.0 % (+20.0 to +20.0 %)
  env:NUMBER=16     3           16    0.0 %  -60.0 % (-60.0 to -60.0 %)        worse than the first
  env:NUMBER=32     3           32    0.0 %  -220.0 % (-220.0 to -220.0 %)     worse than the first

with 95 % confidence all intervals of the table hold
best: env:NUMBER=8
use:  NUMBER=8 {command}
or:   cairn run --set env:NUMBER=8 in front of the program
"""


def test_the_faster_setting_is_found_by_wall_time(command):
    result = tune("env:SPEED=fast", "--", command)
    assert result.code == 0
    assert "\nbest: env:SPEED=fast\n" in result.out


@pytest.mark.parametrize("which, number", [("coll_tuned_barrier_algorithm=ignore,9", 9), ("MPIR_CVAR_BARRIER_INTRA_ALGORITHM=2,star", "star")])
def test_what_is_none_of_the_algorithms_is_refused_before_anything_runs(command, which, number):
    name = which.partition("=")[0]
    result = tune(which, "--", command)
    assert result.code == 125
    assert result.err.startswith(f"cairn: error: '{name}' cannot be set: ")
    assert f"asked for by: {name}={number}\n" in result.err


def test_numbers_of_algorithms_reach_mpich_as_names(tmp_path):
    shows = program_file(tmp_path / "shows", '#!/bin/sh\necho "${MPIR_CVAR_BARRIER_INTRA_ALGORITHM:-auto}"\n')
    result = tune("MPIR_CVAR_BARRIER_INTRA_ALGORITHM=2", "--rounds", "2", "--", shows)
    assert "\n  MPIR_CVAR_BARRIER_INTRA_ALGORITHM=smp " in result.out


def test_more_may_be_better(command):
    result = by_figure(command, "env:NUMBER=8,12", "--more")
    assert "\nbest: env:NUMBER=12\n" in result.out
    assert "more is better" in result.out
    assert "+20.0 % (+20.0 to +20.0 %)" in result.out


def test_lines_of_any_length_are_no_obstacle(command):
    """As progress bars make them."""
    result = tune("env:NUMBER=8,12", "--figure", ".*figure: ([0-9]+) s", "--", command, SPEED="fast", DOTS=150_000)
    assert "\nbest: env:NUMBER=8\n" in result.out


def test_where_nothing_is_gained_the_default_is_kept(command):
    result = by_figure(command, "env:NUMBER=10,11")
    assert result.out.endswith("no setting is better than the default beyond noise: keep the default\n")
    assert "gains less than 1 %" in result.out


def test_settings_that_fail_are_left_out_and_said(command, tmp_path):
    result = tune("env:SPEED=broken,killed,stuck,fast", "--limit", "3", "--", command, FILE=tmp_path / "runs")
    assert result.code == 0
    assert "failed: exit code 3: it broke\n" in result.out
    assert "failed: ended by signal Killed\n" in result.out
    assert "failed: it did not end within 3 s\n" in result.out
    assert "\nbest: env:SPEED=fast\n" in result.out
    runs = (tmp_path / "runs").read_text().splitlines()
    assert [runs.count(f"{speed} 10") for speed in ("broken", "killed", "stuck")] == [1, 1, 1]


def test_rounds_go_forwards_and_backwards_after_one_run_that_does_not_count(command, tmp_path):
    by_figure(command, "env:NUMBER=10", "--rounds", "3", FILE=tmp_path / "runs")
    assert (tmp_path / "runs").read_text().splitlines() == ["fast 10"] * 7
    by_figure(command, "env:NUMBER=5,6", "--rounds", "2", FILE=tmp_path / "more")
    assert [line.split()[1] for line in (tmp_path / "more").read_text().splitlines()] == ["10", "10", "5", "6", "6", "5", "10"]


def test_several_variables_in_all_combinations(command):
    result = by_figure(command, "env:NUMBER=8,9", "env:OTHER=1,2", "--worth", "0")
    rows = [line.split()[0:2] for line in result.out.splitlines() if line.startswith("  env:")]
    assert rows == [[f"env:NUMBER={n}", f"env:OTHER={o}"] for n in (8, 9) for o in (1, 2)]


def test_several_variables_one_by_one(command):
    result = by_figure(command, "env:NUMBER=8,9", "env:OTHER=1", "--one-by-one")
    assert result.code == 0
    assert result.out.count("after 3 rounds:") == 2
    assert "\n  env:NUMBER=8 " in result.out.split("after 3 rounds:")[2]
    assert "\nbest: env:NUMBER=8\n" in result.out


def test_results_for_programs_are_json(command, tmp_path):
    assert by_figure(command, "env:NUMBER=8", "--json", tmp_path / "tune.json").code == 0
    data = json.loads((tmp_path / "tune.json").read_text())
    assert data["format"] == "cairn-tune 1"
    assert data["best"] == {"env:NUMBER": "8"}
    assert data["command"] == [command]
    assert data["searches"][0]["settings"][1]["figures"] == [8.0, 8.0, 8.0]
    alone = by_figure(command, "env:NUMBER=8", "--json", "-")
    assert json.loads(alone.out) == data


def test_an_interrupt_ends_the_run_and_shows_what_is_known(command, tmp_path):
    file = tmp_path / "runs"
    process = start(CAIRN, "tune", "env:SPEED=stuck", "--limit", "100", "--", command, FILE=file)
    while not file.exists() or "stuck" not in file.read_text():
        assert process.poll() is None
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (125, b"")
    assert b"\nafter 0 rounds, interrupted:\n" in out
    assert out.endswith(b"no answer: fewer than 3 rounds were made\n")


@pytest.mark.parametrize("words, text, remedy", [
    (["env:A=1"], "no command given", "cairn tune env:A=1 -- mpirun -n 4 ./app"),
    (["--", "true"], "no variable given", "cairn tune 'btl_vader_eager_limit=1024..65536*4' -- mpirun -n 4 ./app"),
    (["env:A", "--", "true"], "'env:A' has no values to try", SYNTAX),
    (["env:A=1", "env:A=2", "--", "true"], "'env:A' is given twice", "one list of values, separated by commas"),
    (["env:A=1..9", "env:B=1..9", "--", "true"], "there are more than 64 combinations of values",
     "--one-by-one, which tries one variable after the other, or fewer values"),
    (["env:A=1", "--", "false"], "the command fails without any setting: exit code 1", "running it by hand"),
    (["env:A=1", "--", "no_such_command"],
     "the command fails without any setting: exit code 126: 'no_such_command' cannot be run: No such file or directory",
     "running it by hand"),
    (["env:A=1", "--figure", "([0-9]+) m", "--", "true"],
     "the command fails without any setting: nothing in its output matches '([0-9]+) m'", "running it by hand"),
    (["env:A=1", "--profile", "/mpi_time_s/mean", "--", "true"],
     "the command fails without any setting: it wrote no profile.json: the command must contain 'cairn run --tools profile'",
     "running it by hand"),
], ids=["no command", "no variable", "no values", "twice", "too many", "fails", "not there", "no figure", "no profile"])
def test_what_makes_no_sense_is_refused(words, text, remedy):
    result = tune(*words)
    assert (result.code, result.out, result.err) == (125, "", error(text, None, remedy))


def test_a_default_that_fails_in_the_middle_ends_the_search(tmp_path):
    """In the fifth run of all, which is the second round's last."""
    command = program_file(tmp_path / "command", """#!/bin/sh
echo run >> "$FILE"
[ -n "$NUMBER" ] || [ "$(wc -l < "$FILE")" -lt 5 ] || { echo "it broke" >&2; exit 3; }
echo "figure: ${NUMBER:-10} s"
""")
    result = tune("env:NUMBER=8", "--figure", "figure: ([0-9]+) s", "--json", tmp_path / "tune.json", "--", command, FILE=tmp_path / "runs")
    why = "the command failed without any setting: exit code 3: it broke"
    assert (result.code, result.err) == (125, error(f"the search ended early: {why}", None, "running it by hand"))
    assert result.out.endswith(f"\nno answer: {why}\n")
    assert len((tmp_path / "runs").read_text().splitlines()) == 5
    assert json.loads((tmp_path / "tune.json").read_text())["searches"][0]["settings"][0]["fate"] == "failed"


def test_a_file_that_cannot_be_written_is_told_before_anything_runs(command, tmp_path):
    for file, why in [(tmp_path / "none" / "file", "No such file or directory"), (tmp_path, "Is a directory")]:
        result = by_figure(command, "env:NUMBER=8", "--json", file, FILE=tmp_path / "runs")
        assert (result.code, result.out) == (125, "")
        assert result.err.startswith(f"cairn: error: '{file}' cannot be written: {why}\ncairn:   asked for by: --json {file}\n")
    assert not (tmp_path / "runs").exists()


def test_a_search_without_an_end_leaves_no_file(tmp_path):
    assert tune("env:A=1", "--json", tmp_path / "tune.json", "--", "false").code == 125
    assert list(tmp_path.iterdir()) == []


def test_values_that_are_the_same_to_the_library_are_tried_once(tmp_path):
    shows = program_file(tmp_path / "shows", '#!/bin/sh\necho "figure: 1 s"\n')
    result = tune("mpi_event_tick_rate=4k,4096,8k", "--rounds", "2", "--figure", "figure: ([0-9]+) s", "--", shows)
    assert (result.code, result.err) == (0, "")
    assert re.findall(r"mpi_event_tick_rate=\w+", result.out) == ["mpi_event_tick_rate=4k", "mpi_event_tick_rate=8k"]


def test_a_limit_beyond_all_clocks_is_none(command):
    result = by_figure(command, "env:NUMBER=8,9", "--limit", "1e300", "--rounds", "3", timeout=60)
    assert (result.code, result.err) == (0, "")


def test_no_folder_for_results_is_told():
    result = tune("env:A=1", "--profile", "/ranks", "--", "true", TMPDIR="/nowhere")
    assert (result.code, result.out, result.err) == (125, "", error("no folder can be created in '/nowhere': No such file or directory", None, "another TMPDIR"))


@pytest.mark.parametrize("option, number, what", [
    ("--limit", "nan", "a positive number"), ("--limit", "inf", "a positive number"), ("--limit", "-1", "a positive number"),
    ("--worth", "nan", "a number from 0 to 50"), ("--worth", "51", "a number from 0 to 50"),
    ("--rounds", "1", "a whole number from 2 to 1000"), ("--rounds", "2.5", "a whole number from 2 to 1000"),
    ("--rounds", "many", "a whole number from 2 to 1000"), ("--rounds", "99999999999999999999", "a whole number from 2 to 1000"),
])
def test_a_number_that_makes_no_sense_is_refused(option, number, what):
    result = tune("env:X=1", option, number, "--", "true")
    assert (result.code, result.out) == (125, "")
    assert result.err == f"cairn: error: {option}: '{number}' is not {what}\ncairn:   try: cairn tune --help\n"


@pytest.mark.parametrize("option, given, text, remedy", [
    ("--figure", "(", "'(' is not a regular expression", "ECMAScript syntax, such as 'time: ([0-9.]+) s'"),
    ("--figure", "x", "'x' must have exactly one group, for the number", "'time: ([0-9.]+) s'"),
    ("--profile", "x", "'x' is not a JSON pointer", "/mpi_time_s/mean"),
])
def test_an_objective_that_makes_no_sense_is_refused(option, given, text, remedy):
    result = tune("env:A=1", option, given, "--", "true")
    assert (result.code, result.err) == (125, error(text, f"{option} {given}", remedy))


def test_two_figures_are_refused():
    result = tune("env:A=1", "--figure", "([0-9]+) s", "--profile", "/ranks", "--", "true")
    assert (result.code, result.out, result.err) == (
        125, "", error("runs can be compared by one figure only", "--figure ([0-9]+) s --profile /ranks", "--figure or --profile"))


VARIABLE = {"openmpi": "mpi_event_tick_rate", "mpich": "MPIR_CVAR_REQUEST_POLL_FREQ"}


def test_settings_reach_the_library_under_the_launcher(mpi):
    name = VARIABLE[mpi.id]
    result = tune(f"{name}=3,5", "--figure", "rank 1: .* = ([0-9]+)", "--more", "--rounds", "3", "--",
                  *mpi.mpirun(2), mpi.program("cli/variable"), name, **{f"OMPI_MCA_{name}": 2, name: 2})
    assert (result.code, result.err) == (0, "")
    rows = {words[0]: words[2] for words in map(str.split, result.out.splitlines()) if len(words) > 3 and words[1] == "3"}
    assert rows == {"(default)": "2", f"{name}=3": "3", f"{name}=5": "5"}
    assert f"\nbest: {name}=5\n" in result.out


def test_a_figure_of_the_profile(mpi):
    name = VARIABLE[mpi.id]
    result = tune(f"{name}=3", "--profile", "/ranks", "--rounds", "3", "--", *mpi.mpirun(2), CAIRN, "run", "--tools",
                  "profile=table:off", mpi.program("cli/variable"))
    assert (result.code, result.err) == (0, "")
    assert "objective: /ranks of profile.json, less is better\n" in result.out
    assert "\n  (default)" in result.out and "gains less than 1 %" in result.out


def test_what_the_library_would_not_take_is_refused_before_anything_runs(mpi, tmp_path):
    name = VARIABLE[mpi.id]
    result = tune(f"{name}=3,often", "--", *mpi.mpirun(2), mpi.program("cli/variable"), name)
    assert (result.code, result.out) == (125, "")
    assert f"asked for by: {name}=often\n" in result.err
