# SPDX-License-Identifier: BSD-3-Clause
# test_caller_runpath.py - dlopen("libplug.so") searches the caller's own RPATH or RUNPATH, under Cairn as without.
#
# The search path of the openers is $ORIGIN/first:$ORIGIN/second:$ORIGIN/$LIB. Each opens all the libraries laid out
# below in one run without Cairn and one with it; every test then looks at one of them.

import os
import shutil
import subprocess

import pytest

from cairn_testing import MPIS
from linking_runs import Watcher

BY_RUNPATH = ["runpath", "enable/by_library"]  # those in a folder leave the dlopen call to a library of theirs
BY_RPATH = ["rpath", "disable/by_library"]
WITHOUT = ["none"]
RISC_V = (0xF3).to_bytes(2, "little")

MISSING = ["libmissing.so", "./libmissing.so", "/nowhere/libmissing.so"]
MISSING_BESIDE = "$ORIGIN/libmissing.so"
NAMES = ["libboth.so", "libsecond.so", "libbeside.so", "libbroken.so", "libforeign.so", "libvariant.so", "liblib.so",
         "libchoice.so", "$ORIGIN/extra/libextra.so", "${ORIGIN}/extra/libother.so", *MISSING, MISSING_BESIDE]


def lay_out(watch, program, folder):
    """Copies a program to the folder and the libraries around it; returns the program."""

    def put(plug, place):
        (folder / place).parent.mkdir(parents=True, exist_ok=True)
        return shutil.copy(watch.path(f"caller_runpath/plugs/{plug}.so"), folder / place)

    diagnostics = subprocess.run(["ld.so", "--list-diagnostics"], capture_output=True, text=True, check=True).stdout
    lib = next(line.split('"')[1] for line in diagnostics.splitlines() if line.startswith("dl_dst_lib="))
    put("first", "first/libboth.so")
    put("second", "second/libboth.so")
    put("second", "second/libsecond.so")
    put("first", "libbeside.so")
    (folder / "first" / "libbroken.so").touch()
    put("second", "second/libbroken.so")
    foreign = put("first", "first/libforeign.so")
    foreign.write_bytes(foreign.read_bytes()[:18] + RISC_V + foreign.read_bytes()[20:])
    put("second", "second/libforeign.so")
    put("second", "second/libvariant.so")
    put("hwcaps", "second/glibc-hwcaps/x86-64-v2/libvariant.so")
    put("lib", f"{lib}/liblib.so")
    put("first", "first/libchoice.so")
    put("second", "library_path/libchoice.so")
    put("first", "extra/libextra.so")
    put("second", "extra/libother.so")
    if "/" in program:
        shutil.copy(watch.path(f"caller_runpath/{os.path.dirname(program)}/libopens.so"), folder)
    return str(shutil.copy(watch.path(f"caller_runpath/{program}"), folder / "opener"))


def answers(watched):
    return dict(line.split(": ", 1) for line in watched.out.splitlines())


class Opener:
    """What one program says of each name without Cairn and under it."""

    def __init__(self, mpi, program, folder):
        watch = Watcher(mpi, folder)
        opener = lay_out(watch, program, folder)
        libraries = ":".join(filter(None, [f"{folder}/library_path", os.environ.get("LD_LIBRARY_PATH")]))
        self.program = program
        self.bare_run = watch.bare(opener, *NAMES, ranks=1, LD_LIBRARY_PATH=libraries)
        self.stacked_run = watch(["plain/counter"], opener, *NAMES, ranks=1, LD_LIBRARY_PATH=libraries)
        self.bare = answers(self.bare_run)
        self.stacked = answers(self.stacked_run)

    def assert_opens(self, name, plug):
        assert (self.bare[name], self.stacked[name]) == (plug, plug)

    def assert_fails(self, name, reason):
        assert reason in self.bare[name]
        assert self.stacked[name] == self.bare[name]


@pytest.fixture(scope="module", params=MPIS, ids=lambda mpi: mpi.id)
def opener_of(request, tmp_path_factory):
    known = {}

    def get(program):
        if program not in known:
            known[program] = Opener(request.param, program, tmp_path_factory.mktemp("opener"))
        return known[program]

    return get


@pytest.fixture
def opener(opener_of, request):
    return opener_of(request.param)


def of(programs):
    return pytest.mark.parametrize("opener", programs, indirect=True)


@of(WITHOUT + BY_RUNPATH + BY_RPATH)
def test_the_program_runs_as_without_cairn_and_is_seen(opener):
    assert (opener.bare_run.code, opener.bare_run.err) == (0, "")
    assert (opener.stacked_run.code, opener.stacked_run.err) == (0, "")
    assert set(opener.bare) == set(opener.stacked) == set(NAMES)
    assert opener.stacked_run.seen(0) == [("counter", {"MPI_Init": 1})]


@of(BY_RUNPATH + BY_RPATH)
def test_the_first_folder_that_has_the_library_wins(opener):
    opener.assert_opens("libboth.so", "first")
    opener.assert_opens("libsecond.so", "second")


@of(WITHOUT)
def test_without_a_search_path_it_is_not_found(opener):
    opener.assert_fails("libboth.so", "cannot open shared object file")


@of(WITHOUT + BY_RUNPATH + BY_RPATH)
def test_the_programs_own_folder_is_not_searched(opener):
    opener.assert_fails("libbeside.so", "cannot open shared object file")


@of(WITHOUT + BY_RUNPATH + BY_RPATH)
def test_what_is_not_there_gets_the_same_error_text(opener):
    for name in MISSING:
        opener.assert_fails(name, "cannot open shared object file")


@of(WITHOUT + BY_RUNPATH + BY_RPATH)
def test_what_is_not_there_by_origin_gets_the_same_error_text(opener):
    opener.assert_fails(MISSING_BESIDE, "cannot open shared object file")


@of(BY_RUNPATH + BY_RPATH)
def test_a_broken_library_gets_the_same_error_text(opener):
    opener.assert_fails("libbroken.so", "file too short")


@of(BY_RUNPATH + BY_RPATH)
def test_a_library_for_another_machine_is_passed_over(opener):
    opener.assert_opens("libforeign.so", "second")


@of(BY_RUNPATH + BY_RPATH)
def test_a_variant_for_better_processors_is_taken_where_it_is_without_cairn(opener):
    assert opener.bare["libvariant.so"] in ("hwcaps", "second")  # the machine decides
    assert opener.stacked["libvariant.so"] == opener.bare["libvariant.so"]


@of(BY_RUNPATH + BY_RPATH)
def test_the_token_lib_is_understood(opener):
    opener.assert_opens("liblib.so", "lib")


@of(BY_RUNPATH)
def test_ld_library_path_comes_before_runpath(opener):
    opener.assert_opens("libchoice.so", "second")


@of(BY_RPATH)
def test_rpath_comes_before_ld_library_path(opener):
    opener.assert_opens("libchoice.so", "first")


@of(WITHOUT + BY_RUNPATH + BY_RPATH)
def test_origin_in_the_name_itself_is_the_callers_folder(opener):
    opener.assert_opens("$ORIGIN/extra/libextra.so", "first")
    opener.assert_opens("${ORIGIN}/extra/libother.so", "second")
