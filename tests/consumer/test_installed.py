# SPDX-License-Identifier: BSD-3-Clause
# test_installed.py - the installed package as others see it: the command, the manual pages, and a tool built against it.

import re
import shutil

from cairn_testing import *


@pytest.fixture(scope="session")
def prefix(tmp_path_factory):
    folder = tmp_path_factory.mktemp("installed") / "cairn"
    done = run("cmake", "--install", BUILD, "--prefix", folder)
    assert done.code == 0, done.err
    return folder


def build_tool(mpi, prefix, folder):
    shutil.copytree(SOURCE / "tests/consumer/tool", folder / "source")
    configured = run("cmake", "-S", folder / "source", "-B", folder / "build", f"-DCMAKE_PREFIX_PATH={prefix}",
                     f"-DMPI_LIBRARY={mpi.library_path()}", f"-DMPI_INCLUDE={';'.join(mpi.include_folders())}")
    assert configured.code == 0, configured.err
    built = run("cmake", "--build", folder / "build")
    assert built.code == 0, built.out + built.err
    return folder / "build" / "libtally.so"


def test_a_tool_built_against_the_package_runs_twice_in_a_stack(mpi, prefix, tmp_path):
    tool = build_tool(mpi, prefix, tmp_path)
    result = run(*mpi.mpirun(2), prefix / "bin/cairn", "run", "--tools", f"{tool},profile=table:off,{tool}", "--out",
                 tmp_path / "out", mpi.program("ring_c"))
    assert result.code == 0, result.err
    lines = sorted(line for line in result.err.splitlines() if line.startswith("tally"))
    assert lines[:2] == ["tally 1 at level 1: 10 sends, 27 calls"] * 2
    # What the profile gathers passes it by.
    assert all(line.startswith("tally 2 at level 3: 10 sends, ") for line in lines[2:]) and len(lines) == 4
    assert read_profile(tmp_path / "out")["MPI_Send"]["calls"] == 20


def test_manual_pages_are_installed(prefix):
    pages = {page.name for page in (prefix / "share/man/man1").iterdir()}
    assert pages == {"cairn.1", "cairn-advise.1", "cairn-run.1", "cairn-check.1", "cairn-live.1", "cairn-place.1", "cairn-tools.1", "cairn-report.1", "cairn-trace.1", "cairn-tune.1", "cairn-vars.1", "cairn-where.1"}


def test_what_programs_name_regions_with_is_installed(prefix):
    assert {"region.h", "region.f90"} <= {file.name for file in (prefix / "include/cairn").iterdir()}


def test_the_pages_are_installed_and_link_to_each_other(prefix):
    folder = prefix / "share/doc/cairn"
    for page in [folder / "README.md", folder / "docs/guide.md"]:
        links = [target for target in re.findall(r"\]\(([^)#:]+)", page.read_text()) if target.endswith((".md", ".png"))]
        assert len(links) > 10 and [target for target in links if not (page.parent / target).exists()] == []


def test_the_installed_command_lists_the_installed_tools(prefix):
    result = run(prefix / "bin/cairn", "tools")
    assert result.code == 0
    assert "\nprofile " in result.out


def test_nothing_of_the_build_folder_is_left_in_what_is_installed(prefix):
    for file in [prefix / "bin/cairn", *prefix.glob("lib/**/*.so")]:
        dynamic = run("readelf", "-dW", file).out
        assert "RPATH" not in dynamic and "RUNPATH" not in dynamic, file
