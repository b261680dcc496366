# SPDX-License-Identifier: BSD-3-Clause
# test_own_file.py - tools that read their own file (mpiP does, for the names of call sites): copies are files too, for the
# time of the run.

import os
import subprocess

import pytest

from cairn_testing import CAIRN, run
from linking_runs import readelf

TOOL = "own_file/reads_itself"


def sections(watch):
    return int(readelf("--file-header", watch.tool(TOOL)).split("Number of section headers:")[1].split()[0])


def left_in(folder):
    return [os.path.join(path, name) for path, _, names in os.walk(folder) for name in names]


@pytest.fixture
def place(tmp_path):
    (tmp_path / "temporary").mkdir()
    return tmp_path / "temporary"


def test_every_instance_finds_its_whole_file_and_none_is_left(watch, place):
    watched = watch([TOOL] * 3, TMPDIR=place)
    watched.assert_clean()
    for rank in (0, 1):
        assert watched.seen(rank) == [("reads_itself", {"sections": sections(watch)})] * 3
    assert left_in(place) == []


def test_a_run_removes_the_files_of_one_that_was_killed(watch, place):
    assert watch([TOOL] * 2, TMPDIR=place, TEST_TOOL_DIES=1, ranks=1).code != 0
    (own,) = place.glob("cairn-*")
    abandoned = own / f"{next(own.iterdir()).name.rsplit('-', 2)[0]}-1-0" if any(own.iterdir()) else None
    if abandoned is not None:
        abandoned.mkdir()
        (abandoned / "1-x.so").write_text("")
    watch([TOOL] * 2, TMPDIR=place).assert_clean()
    assert left_in(place) == []


@pytest.mark.parametrize("dies", [None, 1], ids=["_exit", "abort"])
def test_none_is_left_by_a_death_where_a_tool_sees_to_deaths(watch, place, dies, tmp_path):
    tools = ",".join([watch.tool(TOOL)] * 2 + ["profile=table:off"])
    program = watch.mpi.program("cli/subject") if dies else watch.path("own_file/leaves")
    result = run(CAIRN, "run", "--tools", tools, "--out", tmp_path / "out", program, TMPDIR=place, TEST_TOOL_DIES=dies)
    assert result.code == (-6 if dies else 5)
    assert left_in(place) == []


def test_a_folder_of_another_user_is_not_used(watch, place):
    foreign = place / f"cairn-{os.geteuid()}"
    foreign.mkdir(mode=0o777)
    foreign.chmod(0o777)
    watch([TOOL] * 2, TMPDIR=place).assert_clean()
    assert left_in(place) == []


def test_without_a_folder_for_code_copies_lie_in_memory(watch):
    """In a mount namespace of its own, /tmp lets no code be mapped."""
    shield = ["unshare", "--mount", "--map-root-user", "sh", "-c", 'mount -t tmpfs -o noexec none /tmp && exec "$@"', "sh"]
    if subprocess.run([*shield, "true"], capture_output=True).returncode != 0:
        pytest.skip("no mount namespaces here")
    program = watch.mpi.program("cli/subject")
    if program.startswith("/tmp/"):
        pytest.skip("the build lies in /tmp")
    tools = ",".join([watch.tool("plain/counter")] * 2)
    result = run(*shield, CAIRN, "run", "--tools", tools, program)
    assert (result.code, result.err.count("counter 0 ")) == (0, 2)
