# SPDX-License-Identifier: BSD-3-Clause
# test_filters.py - filters over functions, ranks and communicators: which calls a layer sees, to the call.

from filters_testing import *


class TestFunctions:
    def test_only_those_that_a_glob_matches_reach_the_layer(self, mpi):
        result = steps(mpi, "seen@functions:MPI_Comm_r*", "seen@functions:MPI_Comm_size+MPI_X*", "seen", do="rank=3 size=2")
        assert seen(result, "rank", "size") == [(3, 0), (0, 2), (3, 2)]

    def test_all_but_those_reach_it(self, mpi):
        result = steps(mpi, "seen@not:*_rank", "seen@functions:MPI_Comm_*:not:MPI_Comm_size", do="rank=3 size=2")
        assert seen(result, "rank", "size") == [(0, 2), (3, 0)]

    def test_the_beginning_and_the_end_of_mpi_stay(self, mpi):
        result = steps(mpi, "seen@functions:MPI_Comm_rank", "seen@not:*", "seen@not:MPI_Finalize+MPI_Pcontrol",
                       do="rank=1 pcontrol=1")
        assert seen(result, "init", "pcontrol", "finalize") == [(1, 1, 1), (1, 1, 1), (1, 0, 0)]

    def test_a_kit_tools_report_has_them_alone(self, mpi, tmp_path):
        result = steps(mpi, "profile=table:off@functions:MPI_Comm_rank", do="rank=3 size=2", ranks=2, options=("--out", tmp_path))
        assert result.code == 0, result.err
        calls = {name: entry["calls"] for name, entry in read_profile(tmp_path).items()}
        assert calls == {"MPI_Init": 2, "MPI_Comm_rank": 6, "MPI_Finalize": 2}

    def test_a_glob_that_matches_nothing_is_said(self, mpi):
        result = steps(mpi, "seen@functions:MPI_Sned*+MPI_Comm_rank", do="rank=1", launched=False)
        tool = mpi.tool("filters/seen")
        assert result.err.startswith(
            f"cairn: warning: tool '{tool}': filter 'functions MPI_Sned*' matches no function that it wraps\n"
            f"cairn:   asked for by: --tools {tool}@functions:MPI_Sned*+MPI_Comm_rank\n"
            f"cairn:   try: cairn check --functions for what it wraps\n")
        assert seen(result, "rank") == [1]

    def test_filters_that_can_have_no_effect_are_said(self, mpi):
        for filters in ("functions:MPI_Send", "ranks:0"):
            result = steps(mpi, f"where@{filters}", do="rank=1", launched=False)
            why = "tool 'where': its filters have no effect: all functions that it wraps reach it always"
            assert result.err == f"cairn: warning: {why}\ncairn:   asked for by: --tools where@{filters}\ncairn:   try: cairn check --functions for what it wraps\n"


def ranks_asked(result):
    """Calls of MPI_Comm_rank that layers `seen` counted, where they cannot know their rank."""
    assert result.code == 0, result.err
    return [int(count) for count in re.findall(r"^seen -1: rank=(\d+)", result.err, re.MULTILINE)]


class TestRanks:
    def test_the_others_pass_the_layer_by(self, mpi):
        result = steps(mpi, "seen@ranks:1-2", "seen", "seen@ranks:0", do="rank=3", ranks=3)
        outside, inside = [(0, 1), (3, 1)], [(3, 1), (3, 1)]
        assert seen_by_rank(result, "rank", "finalize") == {0: [*outside, (3, 1)], 1: [*inside, (0, 1)], 2: [*inside, (0, 1)]}

    def test_ranks_that_the_job_does_not_have_are_said_once(self, mpi):
        result = steps(mpi, "seen@ranks:2+9-11", "seen@ranks:1+9", do="rank=3", ranks=2)
        tool = mpi.tool("filters/seen")
        assert "".join(line + "\n" for line in result.err.splitlines() if line.startswith("cairn:")) == (
            f"cairn: warning: tool '{tool}': none of the ranks of its filter is in this job of 2\n"
            f"cairn:   asked for by: --tools {tool}@ranks:2+9-11,{tool}@ranks:1+9\n"
            f"cairn:   try: ranks below 2\n")
        assert seen_by_rank(result, "rank") == {0: [0, 0], 1: [0, 3]}

    def test_without_a_launcher_the_rank_is_known_when_mpi_starts(self, mpi):
        for first in ("", "init_thread "):
            result = steps(mpi, "seen@ranks:0", "seen@ranks:1", "seen", do=first + "rank=3", launched=False)
            assert seen(result, "rank", "init") == [(3, 1), (0, 1), (3, 1)]

    def test_a_report_that_is_gathered_over_all_ranks_is_whole(self, mpi, tmp_path):
        result = steps(mpi, "profile=table:off@ranks:1", do="rank=3", ranks=2, options=("--out", tmp_path))
        assert result.code == 0, result.err
        assert {name: entry["calls"] for name, entry in read_profile(tmp_path).items()} == \
            {"MPI_Init": 2, "MPI_Comm_rank": 3, "MPI_Finalize": 2}

    def test_in_a_program_of_sessions_alone_the_launcher_or_a_session_tells_the_rank(self):
        mpi = MPIS[1]  # Open MPI 4.1.4 has no sessions
        tools = [layer(mpi, text) for text in ("seen@ranks:1", "seen")]
        program = mpi.program("filters/sessions")
        launched = run_stacked(mpi, 2, tools, program)
        assert sorted(ranks_asked(launched)) == [0, 3, 3, 3]
        alone = run(CAIRN, "run", "--tools", ",".join([layer(mpi, "seen@ranks:0"), layer(mpi, "seen")]), "--", program)
        assert ranks_asked(alone) == [3, 3]  # without a launcher, Cairn's own session tells that this is rank 0


class TestComms:
    def test_only_calls_on_those_reach_the_layer(self, mpi):
        result = steps(mpi, "seen@comms:world", "seen@comms:self", "seen@comms:part*", "seen@comms:world+part*", "seen",
                       do="rank=1 self=10 dup=part1 named=100 dup=other named=1000")
        assert seen(result, "rank") == [1, 10, 100, 101, 1111]

    def test_a_new_name_counts_from_then_on(self, mpi):
        result = steps(mpi, "seen@comms:part*", do="dup=x named=1 rename=part named=10 rename=y named=100")
        assert seen(result, "rank") == [10]

    def test_a_communicator_that_takes_the_place_of_a_freed_one_is_another(self, mpi):
        do = "".join(f"dup=part named=1 free dup=other named=1000 free " for _ in range(20))
        result = steps(mpi, "seen@comms:part", "seen@comms:other", do=do)
        assert seen(result, "rank", "free") == [(20, 20), (20000, 20)]

    def test_by_the_librarys_names_too(self, mpi):
        assert seen(steps(mpi, "seen@comms:MPI_COMM_S*", do="rank=1 self=10"), "rank") == [10]

    def test_a_name_with_signs(self, mpi):
        assert seen(steps(mpi, "seen@comms:a\\+b\\:c", do="dup=a+b:c named=7"), "rank") == [7]

    def test_functions_without_communicator_always_reach_it(self, mpi):
        result = steps(mpi, "seen@comms:none", do="rank=1 seen pcontrol=1")
        assert seen(result, "rank", "init", "pcontrol", "finalize") == [(0, 1, 1, 1)]

    def test_together_with_a_filter_over_functions(self, mpi):
        result = steps(mpi, "seen@comms:world:functions:MPI_Comm_size", do="rank=1 size=3 dup=x rename=y free")
        assert seen(result, "rank", "size", "name", "free") == [(0, 3, 0, 0)]

    def test_many_communicators_at_once(self, mpi):
        do = "".join(f"dup={'in' if i % 3 == 0 else 'out'}{i} named=1 rank=1 " for i in range(150))
        result = steps(mpi, "seen@comms:in*", do=do)
        assert seen(result, "rank") == [50]

    def test_with_many_threads_counts_are_exact(self, mpi):
        counter, switcher = mpi.tool("threads_counter"), mpi.tool("switcher")
        result = run_stacked(mpi, 1, [f"{counter}@comms:*", switcher, f"{counter}@comms:none", f"{counter}@comms:*"],
                             mpi.program("busy"), 2500)
        assert result.code == 0 and result.out.startswith("ok busy: 0 wrong"), result.out
        lines = [line for line in result.err.splitlines() if line.startswith("counter")]
        assert lines == ["counter: 40000 40000", "counter: 0 0", "counter: 40000 40000"]


def test_filters_of_a_stack_file_are_those_of_the_command_line(mpi, tmp_path):
    (tmp_path / "stack.toml").write_text(
        f"[[layer]]\ntool = '{mpi.tool('filters/seen')}'\nfunctions = ['MPI_Comm_rank', 'MPI_Comm_size']\nnot = '*_size'\n"
        "comms = ['self', 'a+b']\nranks = '0,2-3'\nphase = [1, 2]\nfrom = '0s'\nuntil = '1000h'\nactive = true\n")
    result = steps(mpi, do="rank=1 self=10 size=1 dup=a+b named=100 pcontrol=3 self=1000", ranks=2,
                   options=("--stack", tmp_path / "stack.toml"))
    assert seen_by_rank(result, "rank", "size") == {0: [(110, 0)], 1: [(0, 0)]}


def test_check_shows_filters_and_what_they_leave(mpi):
    tool = mpi.tool("filters/seen")
    result = run(CAIRN, "check", mpi.program("filters/steps"), "--tools",
                 f"{tool}@functions:MPI_Comm_r*+MPI_Sned:ranks:0-3+8,{tool}@active:off,where@active:off")
    assert (result.code, result.err) == (0, "")
    lines = result.out.splitlines()
    assert lines[9:11] == ["         filters active:off", "         warning: they have no effect: all functions that it wraps reach it always"]
    assert lines[2:8] == [
        f"layer 1  {tool}: intercepts 9 functions ({tool})",
        "         filters functions:MPI_Comm_r*+MPI_Sned ranks:0-3+8",
        "         leaves 5 of 9: MPI_Comm_rank MPI_Finalize MPI_Init MPI_Init_thread MPI_Pcontrol",
        "         warning: 'functions MPI_Sned' matches no function that it wraps",
        f"layer 2  {tool}: intercepts 9 functions ({tool})",
        "         filters active:off",
    ]


def test_the_run_folder_tells_the_filters(mpi, tmp_path):
    result = steps(mpi, "profile=table:off@functions:MPI_Comm_*:ranks:0-1+3", do="", options=("--out", tmp_path))
    assert result.code == 0, result.err
    assert json.loads((tmp_path / "run.json").read_text())["tools"] == [
        {"tool": "profile", "options": {"table": "off"}, "filters": {"functions": ["MPI_Comm_*"], "ranks": ["0-1", "3"]}}]


def test_a_filter_that_makes_no_sense_is_refused_before_the_program_starts(mpi):
    result = run(CAIRN, "run", "--tools", "profile@ranks:3-1", mpi.program("filters/steps"))
    assert (result.code, result.out) == (125, "")
    assert result.err == ("cairn: error: filter 'ranks' of tool 'profile' cannot be '3-1'\n"
                          "cairn:   asked for by: --tools profile@ranks:3-1\n"
                          "cairn:   try: ranks:N|N-M[+...], only on these ranks of MPI_COMM_WORLD\n")


class TestAnMpiWithoutHeader:
    """The stand-in for the standard ABI, for which Cairn has no engine and no gate."""

    folder = BUILD / "tests" / "standin"

    def run(self, filters):
        tool = self.folder / "counter.so"
        result = run(CAIRN, "run", "--tools", f"{tool}@{filters}", self.folder / "program")
        assert result.code == 0
        return tool, result.err

    def test_communicators_cannot_be_told_apart_and_the_layer_is_left_out(self):
        tool, err = self.run("comms:world")
        assert err == (f"cairn: error: tool '{tool}' not loaded: filter 'comms' is not available for this MPI\n"
                       f"cairn:   asked for by: --tools {tool}@comms:world\n"
                       "cairn:   try: building Cairn where this MPI's compiler wrapper is\n")

    def test_ranks_are_not_known_without_a_launcher(self):
        tool, err = self.run("ranks:0")
        assert err.startswith("cairn: warning: layers with filter 'ranks' stay off: this process's rank is unknown\n"
                              f"cairn:   asked for by: --tools {tool}@ranks:0\n"
                              "cairn:   try: starting the program with its MPI's launcher\n")

    def test_the_other_filters_work(self):
        _, err = self.run("functions:MPI_Comm_rank")
        assert "MPI_Send" not in err and "MPI_Comm_rank" in err


@pytest.mark.parametrize("text", ["MPI_Comm_r*\n", "BEGIN_EXCLUDE_LIST\nMPI_Comm_r#\nEND_EXCLUDE_LIST\n",
                                  "BEGIN_INCLUDE_LIST\n\"MPI_Comm_size()\"\nEND_INCLUDE_LIST\n"], ids=["plain", "excluded", "included"])
def test_functions_are_listed_in_a_file_of_ones_own_or_of_TAU(mpi, text, tmp_path):
    (tmp_path / "list").write_text(text)
    result = steps(mpi, "seen@file:list", do="rank=1 size=10", launched=False, cwd=tmp_path)
    assert (seen(result, "rank"), seen(result, "size"), result.code) == ([0], [10], 0)


def test_a_list_that_cannot_be_read_is_told(mpi, tmp_path):
    result = steps(mpi, "seen@file:/nowhere/list", do="rank=1", launched=False)
    assert result.code == 125
    assert "filter 'file' of tool" in result.err and "cannot be '/nowhere/list'" in result.err


@pytest.mark.parametrize("kind", ["pipe", "folder", "device"])
def test_a_list_that_is_no_file_is_refused_at_once(mpi, kind, tmp_path):
    path = {"pipe": tmp_path / "pipe", "folder": tmp_path, "device": "/dev/zero"}[kind]
    if kind == "pipe":
        os.mkfifo(path)
    result = steps(mpi, f"seen@file:{path}", do="rank=1", launched=False)
    assert result.code == 125 and f"cannot be '{path}'" in result.err
