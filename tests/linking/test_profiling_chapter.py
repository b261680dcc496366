# SPDX-License-Identifier: BSD-3-Clause
# test_profiling_chapter.py - what the MPI standard's chapter on the profiling interface shows: its profiler as a tool, on
# libraries that are made in its two ways, linked as it says.

from cairn_testing import *

FOLDER = SOURCE / "tests/linking/profiling_chapter"
FLAGS = ["-O1", "-g", "-Wall", "-Wextra", "-Werror", "-I", str(SOURCE / "tests/standin")]
COUNTED = "240 bytes sent, time counted\n"


def compile_one(*words):
    done = run("cc", *FLAGS, *words)
    assert (done.code, done.err) == (0, "")


def archive(path, source, *flags):
    compile_one("-c", *flags, "-o", f"{path}.o", FOLDER / source)
    assert run("ar", "rcs", path, f"{path}.o").code == 0


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """The profiler as a shared object, and a library with weak symbols whose name Cairn does not know."""
    folder = tmp_path_factory.mktemp("chapter")
    compile_one("-shared", "-fPIC", "-o", folder / "libmyprof.so", FOLDER / "send_profiler.c")
    compile_one("-shared", "-fPIC", "-Wl,-soname,libexample.so.7", "-o", folder / "libexample.so.7", FOLDER / "weak_library.c")
    compile_one("-o", folder / "sender", FOLDER / "sender.c", folder / "libexample.so.7", f"-Wl,-rpath,{folder}")
    return folder


def test_the_profiler_of_the_chapter_counts_what_is_sent(mpi, tmp_path):
    for name, source, flags in (("prof.so", "send_profiler.c", ["-shared", "-fPIC"]), ("sender", "sender.c", [])):
        assert run(f"mpicc.{mpi.id}", "-O1", *flags, "-o", tmp_path / name, FOLDER / source).code == 0
    bare = run(*mpi.mpirun(1), tmp_path / "sender", LD_PRELOAD=tmp_path / "prof.so")
    assert (bare.out, bare.err) == ("sent\n", COUNTED)
    tools = f"{tmp_path}/prof.so,profile=table:off,{tmp_path}/prof.so"
    done = run(*mpi.mpirun(1), CAIRN, "run", "--tools", tools, "--out", tmp_path / "out", tmp_path / "sender")
    assert (done.code, done.out, done.err) == (0, "sent\n", COUNTED * 2)
    sends = [one["calls"] for one in json.loads((tmp_path / "out/profile.json").read_text())["functions"] if one["name"] == "MPI_Send"]
    assert sends == [2]  # off at level 0


def test_the_profiler_runs_on_a_library_made_with_weak_symbols(made):
    assert run(made / "sender").out == "sent\n"
    done = run(CAIRN, "run", "--tools", f"{made}/libmyprof.so,{made}/libmyprof.so", made / "sender")
    assert (done.code, done.out, done.err) == (0, "sent\n", COUNTED * 2)


def test_a_library_made_without_weak_symbols_links_with_the_profiler_as_shown(made, tmp_path):
    archive(tmp_path / "libmyprof.a", "send_profiler.c")
    archive(tmp_path / "libpmpi.a", "macro_library.c")
    archive(tmp_path / "libmpi.a", "macro_library.c", "-DPROFILELIB")
    assert run("objcopy", "--weaken", tmp_path / "libmpi.a").code == 0  # the chapter has a file for each function
    compile_one("-o", tmp_path / "sender", FOLDER / "sender.c", f"-L{tmp_path}", "-lmyprof", "-lpmpi", "-lmpi")
    assert (run(tmp_path / "sender").out, run(tmp_path / "sender").err) == ("sent\n", COUNTED)
    done = run(CAIRN, "run", "--tools", made / "libmyprof.so", tmp_path / "sender")
    assert (done.code, done.out) == (0, "sent\n")
    program = tmp_path / "sender"
    assert done.err == (f"{COUNTED}cairn: warning: no tool was loaded: no tool can see the calls of '{program}': its MPI library is linked into the program\n"
                        f"cairn:   asked for by: --tools {made}/libmyprof.so\ncairn:   try: linking it with a shared MPI library\n")
