# SPDX-License-Identifier: BSD-3-Clause
# test_budget.py - what `vars` says of what it costs (that it keeps to its budget: rate_test.cc).

import re

from cairn_testing import *


def table(mpi, folder, options):
    result = run_stacked(mpi, 1, [f"vars={options}", mpi.tool("vars/known")], mpi.program("vars/calls"), out=folder)
    assert (result.code, result.out) == (0, "done\n")
    return result.err.splitlines()


def test_a_budget_that_cannot_be_kept_is_told(mpi, tmp_path):
    lines = table(mpi, tmp_path, "budget:0.0001")
    assert re.search(r"; 0 of 33 calls read \(0\.0 %\), which took \d+\.\d\d % of the run$", lines[0])
    assert ("  more than the budget of 0.0001 %, to which the start, the end and the first objects of the program do not keep"
            in lines)
    assert any(re.fullmatch(r"  (\d+) of \1 functions were never read within the budget of 0\.0001 %; budget:0 reads every call", line)
               for line in lines)


@pytest.mark.parametrize("option, number, accepted", [("budget", "-1", "it is a number of percent, 0 or more"),
                                                      ("refresh", "0", "it is a whole number, 1 or more")])
def test_a_number_that_makes_no_sense_is_refused(mpi, option, number, accepted, tmp_path):
    lines = table(mpi, tmp_path, f"{option}:{number}")
    assert lines[:2] == [f"cairn: warning: tool 'vars': option '{option}' cannot be '{number}'; {accepted}; its default is used",
                         f"cairn:   asked for by: --tools vars={option}:{number},{mpi.tool('vars/known')}"]
    assert json.loads((tmp_path / "vars.json").read_text())["budget_percent"] == 2


def test_what_readings_wait_for_other_threads_is_told(mpi, tmp_path):
    """A thread calls while another one does; nobody tells them apart from readings that take as long by themselves."""
    result = run_stacked(mpi, 1, ["vars=budget:0", mpi.tool("vars/known")], mpi.program("vars/objects"), "threads", out=tmp_path)
    lines = result.err.splitlines()
    assert re.search(r", which took at most \d+\.\d\d % of the run$", lines[0])
    assert "  readings that waited for other threads, which were in MPI, are in that with all of their time" in lines
    assert json.loads((tmp_path / "vars.json").read_text())["reading_at_most"] is True


def test_without_a_budget_nothing_is_said_of_it(mpi, tmp_path):
    assert not any("budget" in line for line in table(mpi, tmp_path, "budget:0"))


def test_the_time_that_MPI_T_takes_to_start_is_told(mpi, tmp_path):
    lines = table(mpi, tmp_path, "budget:0")
    start = json.loads((tmp_path / "vars.json").read_text())["start_time_s"]["mean"]
    told = [line for line in lines if re.fullmatch(r"  starting MPI_T took \d+\.\d{3} s of each rank before that", line)]
    assert start > 0
    assert len(told) == (1 if mpi.id == "openmpi" else 0)  # 0.2 s and more; MPICH some 20 us


@pytest.mark.parametrize("budget, followed", [("0", 200), ("0.0001", 16)])
def test_objects_that_come_and_go_keep_to_the_budget_after_the_first(mpi, budget, followed, tmp_path):
    result = run_stacked(mpi, 1, [f"vars=budget:{budget}:names:standin_of_comm:table:off", mpi.tool("vars/standin")],
                         mpi.program("vars/objects"), "churn", out=tmp_path)
    assert (result.code, result.out, result.err) == (0, "done\n", "")
    data = json.loads((tmp_path / "vars.json").read_text())
    assert data["variables"][0]["handles"] == 2 + followed  # and MPI_COMM_WORLD and _SELF
    assert data["objects_left_out"] == 200 - followed
