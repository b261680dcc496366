# SPDX-License-Identifier: BSD-3-Clause
# test_examples.py - the example tools do what their first lines say.

import time

from cairn_testing import *

TOOLS = ["empty", "tbcast", "delay", "sizes", "collectives"]


def example(mpi, name):
    return BUILD / "examples" / mpi.id / f"{name}.so"


@pytest.mark.parametrize("name", TOOLS)
def test_an_example_has_fewer_than_80_lines(name):
    assert len((SOURCE / "examples" / "tools" / f"{name}.cc").read_text().splitlines()) < 80


@pytest.mark.parametrize("name", TOOLS)
def test_three_of_one_leave_the_program_as_it_is(mpi, name):
    bare = run(*mpi.mpirun(3), mpi.program("ring_c"))
    stacked = run_stacked(mpi, 3, [example(mpi, name)] * 3, mpi.program("ring_c"))
    assert (stacked.code, stacked.out) == (bare.code, bare.out) == (0, "ok ring_c: 3 ranks, 10 rounds, rank sum 3, errors 0\n")


def test_below_tbcast_there_are_messages_in_place_of_broadcasts(mpi, tmp_path):
    result = run_stacked(mpi, 3, ["profile=table:off", example(mpi, "tbcast"), "profile=table:off"], mpi.program("ring_c"), out=tmp_path)
    assert result.code == 0, result.err
    above, below = read_profile(tmp_path), read_profile(tmp_path, 2)
    assert (above["MPI_Bcast"]["calls"], above["MPI_Send"]["calls"], above["MPI_Recv"]["calls"]) == (3, 30, 30)
    assert "MPI_Bcast" not in below
    # To two ranks; what the upper profile gathers with goes past the tools below it.
    assert (below["MPI_Send"]["calls"], below["MPI_Recv"]["calls"]) == (30 + 2, 30 + 2)


@pytest.mark.parametrize("busy", ["on", "off"])
def test_delay_waits_before_each_message(mpi, busy):
    begin = time.monotonic()
    result = run_stacked(mpi, 2, [f"{example(mpi, 'delay')}=us:20000:busy:{busy}"], mpi.program("ring_c"))
    assert result.code == 0, result.err
    assert time.monotonic() - begin > 2 * 10 * 0.02  # a token that goes round ten times; two messages per round


def test_delay_refuses_other_options(mpi):
    result = run_stacked(mpi, 2, [f"{example(mpi, 'delay')}=ms:1"], mpi.program("ring_c"))
    assert result.code == 0
    assert "not loaded: it has no option 'ms'\n" in result.err and "try: one of its options: us, busy\n" in result.err


def test_sizes_shows_a_histogram_over_all_ranks(mpi, tmp_path):
    result = run_stacked(mpi, 2, [example(mpi, "sizes")], mpi.program("ring_c"), out=tmp_path)
    expected = "bytes below       messages\n2^9                     20\n"  # 100 ints each
    assert (result.code, result.err, (tmp_path / "sizes.txt").read_text()) == (0, expected, expected)


def counts(file):
    results = json.loads(file.read_text())
    assert results["format"] == "collectives 1" and len(results["run"]) == 16
    return results["calls"]


def test_collectives_shows_and_writes_what_all_ranks_called(mpi, tmp_path):
    result = run_stacked(mpi, 3, [example(mpi, "collectives")] + [f"{example(mpi, 'collectives')}=table:off"], mpi.program("ring_c"), out=tmp_path)
    expected = "collective calls of all ranks\n  MPI_Allreduce 3\n  MPI_Barrier 3\n  MPI_Bcast 3\n"
    assert (result.code, result.err, (tmp_path / "report.txt").read_text()) == (0, expected, 2 * (expected + "\n"))
    both = [counts(tmp_path / name) for name in ("collectives.json", "collectives.2.json")]
    assert both == [{"MPI_Allreduce": 3, "MPI_Barrier": 3, "MPI_Bcast": 3}] * 2
    assert not list(tmp_path.glob("*.rank-*"))


def test_collectives_leaves_a_part_of_a_rank_that_aborts(mpi, tmp_path):
    result = run_stacked(mpi, 2, [example(mpi, "collectives")], mpi.program("abort"), out=tmp_path)
    assert result.code == 7, result.err
    assert counts(tmp_path / "collectives.rank-0.json") == {"MPI_Allreduce": 1}
    assert not (tmp_path / "collectives.json").exists()
