# SPDX-License-Identifier: BSD-3-Clause
# test_threads.py - many threads in MPI at once, also while layers are switched off and on under them.

from cairn_testing import *


def lines(result, word):
    return [line for line in result.err.splitlines() if line.startswith(word)]


def run_bare(mpi, ranks, rounds):
    """What the program says without Cairn; ranks may end in any order."""
    result = run(*mpi.mpirun(ranks), mpi.program("busy"), rounds)
    assert result.code == 0 and result.out.count("ok busy: 0 wrong") == ranks, result.err
    return result


def assert_same_output(bare, stacked):
    assert (stacked.code, sorted(stacked.out.splitlines())) == (bare.code, sorted(bare.out.splitlines())), stacked.err


def test_every_layer_counts_the_calls_of_all_threads_exactly(mpi):
    result = run_stacked(mpi, 1, [mpi.tool("threads_counter")] * 3, mpi.program("busy"), 2500)
    assert_same_output(run_bare(mpi, 1, 2500), result)
    assert lines(result, "counter") == ["counter: 40000 40000"] * 3


def test_layers_that_stay_miss_nothing_while_others_come_and_go(mpi):
    counter, switcher = mpi.tool("threads_counter"), mpi.tool("switcher")
    result = run_stacked(mpi, 1, [counter, switcher, counter, switcher, counter], mpi.program("busy"), 10000)
    assert_same_output(run_bare(mpi, 1, 10000), result)
    assert lines(result, "counter") == ["counter: 160000 160000"] * 3
    switchers = lines(result, "switcher")
    assert len(switchers) == 2
    for line in switchers:
        calls, switches = int(line.split()[1]), int(line.split()[3])
        assert 0 <= calls <= 160000 and switches == 1000


def test_sixteen_threads_of_two_ranks_talk_while_layers_come_and_go(mpi):
    rounds = 100
    counter, switcher = mpi.tool("threads_counter"), mpi.tool("switcher")
    result = run_stacked(mpi, 2, [switcher, counter, switcher, counter], mpi.program("busy"), rounds)
    assert_same_output(run_bare(mpi, 2, rounds), result)
    assert lines(result, "counter") == [f"counter: {16 * rounds} {16 * rounds}"] * 4
    assert len(lines(result, "switcher")) == 4


def test_a_layer_that_is_off_sees_nothing_but_the_end_and_the_others_everything(mpi, tmp_path):
    result = run_stacked(mpi, 2, ["profile=table:off", mpi.tool("sleeper"), "profile=table:off", mpi.tool("sleeper")],
                         mpi.program("ring_c"), out=tmp_path)
    assert result.code == 0, result.err
    assert sorted(lines(result, "sleeper")) == ["sleeper 1: 5 sends, 1 finalize"] * 2 + \
        ["sleeper 2: 5 sends, 1 finalize"] * 2
    assert read_profile(tmp_path, 1)["MPI_Send"]["calls"] == 20
    assert read_profile(tmp_path, 2)["MPI_Send"]["calls"] == 20  # what the outer profile gathers passes it by


@pytest.mark.parametrize("first", ["constructor", "no_tools", "loading"])
def test_first_calls_of_a_thread_and_of_a_constructor_do_not_wait_for_each_other(mpi, first, tmp_path):
    """The one loads the tools, for which it needs the dynamic loader's lock; the other has that lock."""
    tools = None if first == "no_tools" else f"profile=table:off,{mpi.tool('first_calls_tool')}"
    done = run(mpi.program("first_calls"), mpi.tool("first_calls_plugin"), *["loading"] * (first == "loading"), timeout=20,
               LD_PRELOAD=BUILD / "lib" / "libcairn.so", CAIRN_TOOLS=tools, CAIRN_OUT=tmp_path)
    assert (done.code, done.out, done.err) == (0, "ok\n", "")
    if tools:
        assert read_profile(tmp_path)["MPI_Initialized"]["calls"] == 2
