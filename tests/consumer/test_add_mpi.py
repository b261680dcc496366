# SPDX-License-Identifier: BSD-3-Clause
# test_add_mpi.py - an installation for one MPI gets the engine and the tools for another, without Cairn's sources.

import shutil
import signal
import subprocess
import time

from add_mpi_testing import *


def refused(done, text, remedy):
    assert (done.code, done.out, done.err) == (125, "", f"cairn: error: {text}\ncairn:   try: {remedy}\n")


# To compile them takes a fraction of the time of all, which test_add_abi.py compiles.
TOOLS = {"usage", "waits", "vars"}


@pytest.fixture
def with_few_tools(tmp_path):
    prefix = install_for_openmpi(tmp_path / "cairn")
    for folder in (prefix / "share/cairn/engine/tools").iterdir():
        if folder.is_dir() and folder.name not in {*TOOLS, "shared"}:
            shutil.rmtree(folder)
    return prefix


def test_mpich_is_added_to_an_installation_for_open_mpi(with_few_tools, tmp_path, tmp_path_factory):
    prefix = with_few_tools
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    ring = [*MPICH.mpirun(2), prefix / "bin/cairn", "run", "--tools", "usage,waits=table:off", "--out", tmp_path / "out", MPICH.program("ring_c")]
    assert "tool 'usage' not loaded: it is installed for Open MPI, not for MPICH" in run(*ring).err
    assert not (tmp_path / "out/waits.json").exists()
    done = add(prefix, "mpicc.mpich", TMPDIR=scratch, **compiled_fast(tmp_path_factory.getbasetemp()))
    assert (done.code, done.err) == (0, "")
    assert done.out == ("compiling for MPICH 4.0.2, which takes some minutes\n"
                        f"programs that use MPICH 4.0.2 can run under all tools: '{prefix}/lib/cairn/engine-mpich.so'\n")
    others = {f"mpich/{path.name}.so" for path in (SOURCE / "tools").iterdir()} - {f"mpich/{tool}.so" for tool in TOOLS}
    assert files_for(prefix, MPICH) == [file for file in files_for(install(tmp_path / "all", "mpich"), MPICH) if file not in others]
    assert list(scratch.iterdir()) == []
    after = run(*ring)
    assert after.code == 0 and json.loads(after.err)["calls"]["MPI_Send"] == 20
    assert (tmp_path / "out/waits.json").is_file()
    listed = run(prefix / "bin/cairn", "vars", "--mpi", "mpich")
    assert (listed.code, listed.out.splitlines()[0]) == (0, "MPICH Version: 4.0.2, after MPI_Init")
    for file in files_for(prefix, MPICH):
        assert os.fsencode(SOURCE) not in (prefix / "lib/cairn" / file).read_bytes(), file


def test_an_engine_that_is_there_stays(prefix):
    refused(add(prefix, "mpicc.openmpi"), f"there is an engine for Open MPI already: '{prefix}/lib/cairn/engine-openmpi.so'",
            "nothing, where its programs run under tools; --replace, where they use another version of it")


def test_what_does_not_compile_is_told_and_its_log_stays(prefix, tmp_path):
    """With --replace, which so gets further than without."""
    before = (prefix / "lib/cairn/engine-openmpi.so").read_bytes()
    done = add(prefix, "mpicc.openmpi", "--replace", TMPDIR=tmp_path, CXX="/bin/false")
    log, = tmp_path.glob("cairn-add-mpi.*/log")
    text, remedy = done.err.splitlines()
    assert done.code == 125 and text.startswith("cairn: error: the engine for Open MPI could not be compiled or installed: ")
    assert remedy == f"cairn:   try: what '{log}' tells" and "CMake Error" in log.read_text()
    assert (prefix / "lib/cairn/engine-openmpi.so").read_bytes() == before


def test_an_installation_without_what_is_compiled_says_so():
    refused(run(BUILD / "bin/cairn", "add-mpi", "mpicc.mpich"),
            f"this installation does not carry what an engine is compiled of: '{BUILD}/share/cairn/engine' is missing",
            "the package cairn-add-mpi, or 'cmake --install build' from Cairn's sources")


def test_a_wrapper_that_is_not_there(prefix):
    refused(add(prefix, "mpicc.nothing"), "program 'mpicc.nothing' not found", "./mpicc.nothing, or a name in PATH")


def test_a_wrapper_that_cannot_compile(prefix, tmp_path):
    wrapper = script(tmp_path / "mpicc", "echo 'probe.c: fatal error: mpi.h: no such file' >&2; echo more; exit 1")
    refused(add(prefix, wrapper), f"'{wrapper}' cannot compile a program that calls MPI: probe.c: fatal error: mpi.h: no such file",
            "the compiler wrapper of an MPI for C, which is often called mpicc")


def own_library(tmp_path, kind):
    """A wrapper for MPICH's header, and a library of nobody's."""
    (tmp_path / "other.c").write_text("int MPI_Init(int* c, char*** v) { (void)c; (void)v; return 0; }\n"
                                      "int PMPI_Init(int* c, char*** v) { return MPI_Init(c, v); }\n")
    assert run("cc", *kind, tmp_path / "other.c", "-o", tmp_path / "libother.so").code == 0
    folders = " ".join(f"-I{folder}" for folder in MPICH.include_folders())
    return script(tmp_path / "mpicc", f"exec cc {folders} \"$@\" {tmp_path}/libother.so -Wl,-rpath,{tmp_path}")


def test_an_mpi_that_is_no_shared_library(prefix, tmp_path):
    wrapper = own_library(tmp_path, ["-c"])
    refused(add(prefix, wrapper), f"what '{wrapper}' compiles is not linked with an MPI as a shared library",
            "the compiler wrapper of an MPI for C, with its library in LD_LIBRARY_PATH")


def test_an_mpi_that_cairn_does_not_know(prefix, tmp_path):
    wrapper = own_library(tmp_path, ["-shared", "-fPIC", "-Wl,-soname,libother.so"])
    refused(add(prefix, wrapper), f"there is no engine for libother.so ('{tmp_path}/libother.so'), only for Open MPI (libmpi.so.40), MPICH and "
            "what is compatible with it (libmpich.so.12, libmpi.so.12), and the standard ABI (libmpi_abi.so.1, libmpi_abi.so.0)", "'cairn run' without adding it: PMPI tools need no engine")


def test_a_compiler_that_does_not_tell_where_headers_are(prefix, tmp_path):
    wrapper = script(tmp_path / "mpicc", '[ "$1" != -M ] || { echo "error: no option -M"; exit 1; }\nexec mpicc.mpich "$@"')
    refused(add(prefix, wrapper), f"'{wrapper} -M' does not tell where mpi.h is: error: no option -M",
            "the wrapper of a compiler that has the option -M, as GCC, Clang and Intel's do")


@pytest.fixture
def fresh(tmp_path):
    return install(tmp_path / "cairn", "command", "engine")


@pytest.mark.parametrize("there, what, remedy", [
    ([], "'cmake' in PATH", "installing CMake 3.25 or later"),
    (["cmake"], "C++ compiler in PATH", "installing GCC 12 or later, or its name in CXX"),
    (["cmake", "c++"], "'ninja' or 'make' in PATH", "installing one of the two"),
])
def test_what_it_takes_to_compile_is_missing(fresh, tmp_path, there, what, remedy):
    (tmp_path / "bin").mkdir()
    for program in there:
        (tmp_path / "bin" / program).symlink_to(shutil.which(program))
    (fresh / "lib/cairn").mkdir(exist_ok=True)
    wrapper = script(tmp_path / "mpicc", f'export PATH={os.environ["PATH"]}\nexec mpicc.mpich "$@"')
    refused(add(fresh, wrapper, PATH=tmp_path / "bin"), f"an engine cannot be compiled: there is no {what}", remedy)


def test_a_place_that_cannot_be_written(fresh):
    if os.geteuid() != 0:
        pytest.skip("only root can make a folder read-only for root")
    place = fresh / "lib/cairn"
    done = run("unshare", "--mount", "sh", "-c", f'mount --bind {place} {place} && mount -o remount,ro,bind {place} && exec "$@"', "sh",
               fresh / "bin/cairn", "add-mpi", "mpicc.mpich")
    refused(done, f"'{place}' cannot be written: Read-only file system", "as the user who has installed Cairn")


def test_no_folder_for_what_is_compiled_on_the_way(fresh):
    refused(add(fresh, "mpicc.mpich", TMPDIR="/nowhere"), "no folder can be created in '/nowhere': No such file or directory",
            "another TMPDIR")


def contents(prefix):
    return {path: path.read_bytes() for path in prefix.rglob("*") if path.is_file()}


def test_an_interrupt_leaves_nothing(fresh, tmp_path):
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    before = contents(fresh)
    with subprocess.Popen([fresh / "bin/cairn", "add-mpi", "mpicc.mpich"], env=environment(TMPDIR=scratch), stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True) as adding:
        while adding.poll() is None and not list(scratch.glob("*/build/CMakeCache.txt")):
            time.sleep(0.01)
        adding.send_signal(signal.SIGINT)
        out, err = adding.communicate(timeout=60)
    assert (adding.returncode, out) == (125, "compiling for MPICH 4.0.2, which takes some minutes\n")
    assert err == "cairn: error: interrupted: nothing was added\n"
    assert list(scratch.iterdir()) == [] and contents(fresh) == before


def test_a_full_disk_for_what_is_compiled_on_the_way(fresh, tmp_path):
    if os.geteuid() != 0:
        pytest.skip("only root can make a small disk")
    small = tmp_path / "small"
    small.mkdir()
    before = contents(fresh)
    done = run("unshare", "--mount", "sh", "-c", f'mount -t tmpfs -o size=300k none {small} && TMPDIR={small} "$@"; code=$?; ls -A {small}; exit $code', "sh",
               fresh / "bin/cairn", "add-mpi", "mpicc.mpich")
    assert (done.code, done.out) == (125, "compiling for MPICH 4.0.2, which takes some minutes\n")
    assert done.err == ("cairn: error: the engine for MPICH could not be compiled or installed: No space left on device\n"
                        "cairn:   try: TMPDIR on a disk with 50 MB left\n")
    assert contents(fresh) == before


def test_a_build_without_any_mpi_brings_what_open_mpi_needs(tmp_path):
    configured = run("cmake", "-S", SOURCE, "-B", tmp_path, "-G", "Ninja", "-DCAIRN_openmpi_WRAPPER=OFF", "-DCAIRN_mpich_WRAPPER=OFF", "-DBUILD_TESTING=OFF")
    assert configured.code == 0, configured.err
    assert re.search(r'/share/cairn/engine/others" TYPE DIRECTORY FILES "/\S*/" FILES_MATCHING REGEX "/pmix', (tmp_path / "cmake_install.cmake").read_text())
