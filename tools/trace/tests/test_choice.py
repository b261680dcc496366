# SPDX-License-Identifier: BSD-3-Clause
# test_choice.py - passes of a region, a span of time or the last seconds: what is chosen is in the trace, and nothing else.

import re

from cairn_testing import *
from traced_testing import shown, trace


def tags_of(mpi, tmp_path, tools, *arguments):
    result = run_stacked(mpi, 1, [tools], mpi.program("passes"), *arguments, out=tmp_path / "out", timeout=60)
    assert (result.code, result.err) == (0, "")
    listing = shown(tmp_path / "out", "--text")
    return listing.err, [int(tag) for tag in re.findall(r"MPI_Send\(.*tag (\d+)", listing.out)]


@pytest.mark.parametrize("options, tags", [
    ("region:setup", [1000, 1001, 1002, 1003, 1004]),
    ("region:iteration:nth:100", [0, 100, 200]),
    ("region:outer/iteration:nth:125", [0, 125]),
    ("region:outer:nth:2", list(range(250))),
    ("region:setup/iteration", []),
    ("region:iteration:nth:100:functions:MPI_Recv", []),
    ("from:1000s", []),
    ("until:0.00001s", []),
])
def test_only_some_passes_of_a_region_are_in_the_trace(mpi, tmp_path, options, tags):
    warning, found = tags_of(mpi, tmp_path, "trace=" + options)
    assert found == tags
    words = re.fullmatch(r"cairn: warning: rank 0: the trace has only selected calls: (.*)\n", warning)[1]
    assert sorted(words.split(", ")) == sorted(re.findall(r"[a-z]+:[^:]+", options))


def test_passes_of_no_region_are_told_to_have_no_effect(tmp_path):
    result = run_stacked(MPIS[1], 1, ["trace=nth:5"], MPIS[1].program("passes"), out=tmp_path / "out", timeout=60)
    assert (result.code, result.err) == (0, "cairn: warning: tool 'trace': 'nth' has no effect without 'region'\ncairn:   asked for by: --tools trace=nth:5\n")


def test_the_last_seconds_are_in_the_trace(mpi, tmp_path):
    """Blocks end each second: up to one second more may be there. What is left is as it was, in a file of that size."""
    warning, tags = tags_of(mpi, tmp_path, "trace=last:1s", "20")
    assert warning == "cairn: warning: rank 0: the trace has only selected calls: last:1s\n"
    assert 1 < tags[0] < 250 and tags == list(range(tags[0], 250))
    assert [file.name for file in (tmp_path / "out" / "trace").iterdir()] == ["rank-0.trace"]


def test_of_the_last_seconds_no_more_than_the_limit_is_kept(mpi, tmp_path):
    """All records have room, and need more than the limit, however many are taken at once."""
    result = trace(mpi, tmp_path / "out", "irregular", "900000", tools="trace=limit:1:calls:1000000:last:100s")
    assert (result.code, result.err) == (0, "")
    assert 100_000 < (tmp_path / "out" / "trace" / "rank-0.trace").stat().st_size < 1_500_000
    listing = shown(tmp_path / "out", "--text", "--ranks", 0)
    assert "MPI_Ssend" not in listing.out and "MPI_Finalize()" in listing.out


def test_what_is_chosen_of_the_last_seconds_survives_a_kill(mpi, tmp_path):
    out = tmp_path / "out"
    assert trace(mpi, out, "until", out / "trace" / "rank-0.trace", tools="trace=calls:1000000:last:1s").code != 0
    assert int(re.search(r"MPI_Send +(\d+)", shown(out, "--ranks", "0").out)[1]) > 1000


def test_recording_is_switched_by_a_control_variable(mpi, tmp_path):
    result = run_stacked(mpi, 2, ["trace"], mpi.program("actions"), out=tmp_path / "out", timeout=60, options=["--set", "trace_recording=0"])
    assert result.code == 0, result.err
    assert not re.search("MPI_Send|MPI_Finalize", shown(tmp_path / "out").out)
