# SPDX-License-Identifier: BSD-3-Clause
# test_switching.py - layers that go off and on while the program runs: by MPI_Pcontrol, time and signal.

from filters_testing import *


class TestPcontrol:
    def test_a_layer_sees_the_calls_of_its_phases(self, mpi):
        result = steps(mpi, "seen@phase:2+3", "seen@phase:1", "seen@phase:-1", "seen",
                       do="rank=1 pcontrol=2 rank=10 pcontrol=0 rank=100 pcontrol=3 rank=1000 pcontrol=-1 rank=10000")
        assert seen(result, "rank") == [1010, 1, 10000, 11111]

    def test_the_standards_levels_turn_the_switch(self, mpi):
        result = steps(mpi, "seen@pcontrol:on", "seen@active:off:pcontrol:on", "seen@pcontrol:off",
                       do="rank=1 pcontrol=0 rank=10 pcontrol=2 rank=100 pcontrol=-1 rank=1000")
        assert seen(result, "rank") == [1101, 1100, 1111]

    def test_every_layer_gets_the_call_itself_with_all_its_arguments(self, mpi):
        result = steps(mpi, "seen@pcontrol:on", "seen@active:off", "seen@ranks:5", "seen", do="pcontrol=0 pcontrol=1 pcontrol=7")
        assert seen(result, "pcontrol") == [3] * 4

    def test_a_kit_tool_sees_the_calls_of_its_phases(self, mpi, tmp_path):
        result = steps(mpi, "profile=table:off@phase:2", do="rank=1 pcontrol=2 rank=10 pcontrol=1 rank=100", ranks=2,
                       options=("--out", tmp_path))
        assert result.code == 0, result.err
        assert {name: entry["calls"] for name, entry in read_profile(tmp_path).items()} == \
            {"MPI_Init": 2, "MPI_Comm_rank": 20, "MPI_Pcontrol": 4, "MPI_Finalize": 2}

    def test_bundled_tools_take_the_levels_as_the_standard_requests(self, mpi, tmp_path):
        """Section 14.3.1 of the PMPI chapter: 0 off, 1 on, without a word from the user; filters have precedence."""
        out = ("--out", tmp_path)
        result = steps(mpi, "profile=table:off", "comm=table:off", "vars=table:off", "profile=table:off@pcontrol:off",
                       do="rank=1 pcontrol=0 rank=10 pcontrol=3 rank=20 pcontrol=1 rank=100", options=out)
        assert result.code == 0, result.err
        assert [read_profile(tmp_path, instance)["MPI_Comm_rank"]["calls"] for instance in (1, 2)] == [101, 131]

    def test_level_2_writes_what_there_is(self, mpi, tmp_path):
        result = steps(mpi, "profile=table:off", "comm=table:off", "vars=table:off", ranks=2,
                       do="rank=7 pcontrol=2 rank=10 kill", options=("--out", tmp_path))
        assert result.code != 0
        for rank in range(2):
            part = json.loads((tmp_path / f"profile.rank-{rank}.json").read_text())
            assert {function["name"]: function["calls"] for function in part["functions"]}["MPI_Comm_rank"] == 7
            for file in (f"profile.rank-{rank}.json", f"vars.rank-{rank}.json", f"comm/rank.{rank}.json"):
                data = json.loads((tmp_path / file).read_text())
                assert data.get("part", data)["ended_by"] == "still running"
        report = run(CAIRN, "report", tmp_path)
        assert report.code == 0 and "still running  rank 1 at its last MPI_Pcontrol(2)" in report.out

    def test_what_level_2_wrote_gives_way_to_the_results(self, mpi, tmp_path):
        steps(mpi, "profile=table:off", "comm=table:off", do="rank=7 pcontrol=2 rank=10", ranks=2, options=("--out", tmp_path))
        assert read_profile(tmp_path)["MPI_Comm_rank"]["calls"] == 34
        assert not [*tmp_path.rglob("*rank*.json")]

    def test_a_layer_sees_the_calls_in_its_regions(self, mpi):
        result = steps(mpi, "seen@region:solve", "seen@not_region:solve", "seen@region:solve/ha*", "seen@region:halo+end", "seen",
                       do="rank=1 begin=solve rank=10 begin=halo rank=100 end=solve rank=1000 end=none rank=10000 begin=end rank=100000")
        assert seen(result, "rank") == [110, 111001, 100, 100100, 111111]

    def test_all_filters_must_let_a_call(self, mpi):
        result = steps(mpi, "seen@phase:2:pcontrol:on:active:off", "seen@phase:2:ranks:1", "seen@comms:self:phase:2",
                       do="self=1 rank=1 pcontrol=1 rank=10 pcontrol=2 rank=100 self=200 pcontrol=0 rank=1000")
        assert seen(result, "rank") == [300, 0, 200]

    def test_phases_are_heard_from_fortran(self, mpi):
        # The tool reads further arguments of MPI_Pcontrol, of which Fortran has none.
        tools = [layer(mpi, f"seen@{filter}not:MPI_Pcontrol") for filter in ("phase:2:", "phase:1+3:", "")]
        result = run_stacked(mpi, 1, tools, mpi.program("filters/phases"))
        assert seen(result, "rank") == [2, 4, 6]


def turned(mpi, *layers, do):
    return steps(mpi, *layers, do=do, CAIRN_SWITCHES="1")


class TestVariable:
    """The control variable NAME_active of a layer with filters is the switch that `active` names the first position of."""

    def test_a_layer_is_switched_off_and_on(self, mpi):
        result = turned(mpi, "seen@functions:MPI_Comm_*", "seen", do="rank=1 off=seen rank=10 on=seen rank=100 off=seen.2 rank=1000")
        assert seen(result, "rank") == [1101, 111]

    def test_a_layer_that_is_off_at_first(self, mpi):
        result = turned(mpi, "seen@active:off", "seen@active:off", do="rank=1 on=seen.2 rank=10 on=seen rank=100")
        assert seen(result, "rank") == [100, 110]

    def test_on_does_not_help_where_another_filter_keeps_the_layer_off(self, mpi):
        result = turned(mpi, "seen@phase:2", "seen@ranks:1", do="on=seen on=seen.2 rank=1 off=seen pcontrol=2 rank=10 on=seen rank=100")
        assert seen(result, "rank") == [100, 0]


class TestTime:
    def test_windows_that_are_open_or_shut_all_the_time(self, mpi):
        result = steps(mpi, "seen@until:0s", "seen@from:0s", "seen@from:1000h", "seen@until:1000h", "seen@from:2h:until:1h",
                       do="rank=3")
        assert seen(result, "rank") == [0, 3, 0, 3, 0]

    def test_on_at_a_time(self, mpi):
        result = steps(mpi, "seen@from:1ms", do="seen rank=10")
        assert seen(result, "rank") == [10]

    def test_off_at_a_time(self, mpi):
        result = steps(mpi, "seen@until:300ms", do="unseen rank=10")
        assert seen(result, "rank") == [0]

    def test_on_and_off_again(self, mpi):
        """Who is not out of MPI_Init by then waits for ever: on a busy machine a second was too short."""
        result = steps(mpi, "seen@from:1ms:until:5s", do="seen unseen rank=10")
        assert seen(result, "rank") == [0]

    def test_the_program_ends_as_ever_while_a_switch_is_due(self, mpi):
        for do in ("rank=3", "rank=3 exit"):
            bare = run(mpi.program("filters/steps"), *do.split())
            result = steps(mpi, "seen@until:1000h", do=do, launched=False)
            assert (result.code, result.out) == (bare.code, bare.out)
            assert "rank=3" in result.err


class TestSignal:
    def test_off_and_on_again(self, mpi):
        result = steps(mpi, "seen@signal:USR2", do="rank=1 signal=2 unseen rank=10 signal=2 seen rank=100")
        assert (seen(result, "rank"), said(result)) == ([101], "")

    def test_a_layer_hears_its_own_signal_only(self, mpi):
        bare = run(mpi.program("filters/steps"), "signal=2")
        result = steps(mpi, "seen@signal:USR1", do="signal=2", launched=False)
        assert result.code == bare.code != 0  # nobody hears SIGUSR2, so it ends the program, as without Cairn

    def test_each_of_two_signals_switches_its_layer(self, mpi):
        result = steps(mpi, "seen@signal:USR1:not:MPI_Get_version", "seen@signal:USR2:active:off",
                       do="rank=1 signal=1 signal=2 seen rank=10")
        assert seen(result, "rank") == [1, 10]

    def test_the_programs_own_handler_is_called_too(self, mpi):
        result = steps(mpi, "seen@signal:USR2", do="handler rank=1 signal=2 unseen rank=10 signal=2 seen rank=100",
                       launched=False)
        assert (result.out, seen(result, "rank")) == ("handled 2\n", [101])
        tool = mpi.tool("filters/seen")
        assert result.err.startswith(
            f"cairn: warning: tool '{tool}': the program has a handler of its own for the signal of filter 'signal'; both hear it\n"
            f"cairn:   asked for by: --tools {tool}@signal:USR2\ncairn:   try: another signal\n")

    def test_a_child_by_fork_is_no_part_of_it(self, mpi):
        result = steps(mpi, "seen@signal:USR2:until:1000h", do="rank=1 fork rank=10")
        assert (result.out, seen(result, "rank")) == ("child 3\n", [11])
