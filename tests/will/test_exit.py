# SPDX-License-Identifier: BSD-3-Clause
# test_exit.py - what we bring into a process works until its last instruction: nothing of it is destroyed at exit.

from cairn_testing import *


def test_nothing_in_the_process_is_destroyed_at_exit():
    """A static object with a destructor is registered with __cxa_atexit; one that is made late goes first."""
    objects = [path for folder in ("src", "tools", "services") for path in (BUILD / folder).rglob("*.o")]
    assert len(objects) > 100
    listing = run("nm", "-A", "-u", *objects).out
    assert [line for line in listing.splitlines() if line.endswith(" __cxa_atexit")] == []


def test_tools_that_ask_for_names_at_exit_do_not_crash_there(mpi, tmp_path):
    done = run_stacked(mpi, 1, ["vars=sites:on:table:off", "profile=table:off", "profile=table:off"], mpi.program("ways"), "exits", out=tmp_path)
    assert done.code == 3
    assert sorted(path.name for path in tmp_path.glob("*.rank-0.json")) == ["profile.2.rank-0.json", "profile.rank-0.json", "vars.rank-0.json"]
