# SPDX-License-Identifier: BSD-3-Clause
# test_installed.py - the installed package as others see it: the command, the manual pages, and a tool built against it.

import re
import shutil

from cairn_testing import *


@pytest.fixture(scope="session")
def prefix(tmp_path_factory):
    """A tree that has been moved since it was installed: nothing in it knows its place."""
    folder = tmp_path_factory.mktemp("installed")
    done = run("cmake", "--install", BUILD, "--prefix", folder / "before")
    assert done.code == 0, done.err
    return (folder / "before").rename(folder / "cairn")


def build_project(mpi, prefix, folder):
    """Its build folder."""
    shutil.copytree(SOURCE / "tests/consumer/tool", folder / "source")
    for source in ("programs/ring_c.c", "qmpi/thesis/T1.c", "pnmpi/arguments.c"):
        shutil.copy(SOURCE / "tests" / source, folder / "source")
    configured = run("cmake", "-S", folder / "source", "-B", folder / "build", f"-DCMAKE_PREFIX_PATH={prefix}",
                     f"-DMPI_LIBRARY={mpi.library_path()}", f"-DMPI_INCLUDE={';'.join(mpi.include_folders())}")
    assert configured.code == 0, configured.err
    built = run("cmake", "--build", folder / "build")
    assert built.code == 0, built.out + built.err
    return folder / "build"


@pytest.fixture(scope="session")
def projects(prefix, tmp_path_factory):
    return {mpi.id: build_project(mpi, prefix, tmp_path_factory.mktemp(mpi.id)) for mpi in MPIS}


def test_a_tool_built_against_the_package_runs_twice_in_a_stack(mpi, prefix, projects, tmp_path):
    tool = projects[mpi.id] / "libtally.so"
    result = run(*mpi.mpirun(2), prefix / "bin/cairn", "run", "--tools", f"{tool},profile=table:off,{tool}", "--out",
                 tmp_path / "out", mpi.program("ring_c"))
    assert result.code == 0, result.err
    lines = sorted(line for line in result.err.splitlines() if line.startswith("tally"))
    assert lines[:2] == ["tally 1 at level 1: 10 sends, 27 calls"] * 2
    # What the profile gathers passes it by.
    assert all(line.startswith("tally 2 at level 3: 10 sends, ") for line in lines[2:]) and len(lines) == 4
    assert read_profile(tmp_path / "out")["MPI_Send"]["calls"] == 20


def flags(prefix, package, *what):
    """As pkg-config says them."""
    asked = run("pkg-config", *what, package, PKG_CONFIG_PATH=prefix / "lib/pkgconfig")
    assert asked.code == 0, asked.err
    return asked.out.split()


def test_all_targets_of_the_package_serve_what_they_are_for(mpi, prefix, projects, tmp_path):
    folder = projects[mpi.id]
    done = run(*mpi.mpirun(2), folder / "ring", CAIRN_TOOLS="profile=table:off", CAIRN_OUT=tmp_path / "out")
    assert (done.code, done.err) == (0, "") and read_profile(tmp_path / "out")["MPI_Send"]["calls"] == 20
    done = run(*mpi.mpirun(2), prefix / "bin/cairn", "run", "--tools", folder / "libthesis.so", mpi.program("ring_c"))
    assert (done.code, done.err) == (0, "")
    done = run(prefix / "bin/cairn", "run", "--tools", f"{folder}/libarguments.so=size:4", mpi.program("pnmpi/program"))
    assert done.code == 0 and done.err.startswith("[PnMPI] 0: size 4, ")


def compile_with(mpi, *words):
    done = run(f"mpicc.{mpi.id}", *words)
    assert done.code == 0, done.err


def test_thesis_tools_compile_with_what_they_include_in_print(mpi, prefix, tmp_path):
    compile_with(mpi, "-shared", "-fPIC", *flags(prefix, "cairn-qmpi-thesis", "--cflags"), "-o", tmp_path / "T1.so", SOURCE / "tests/qmpi/thesis/T1.c")
    done = run(*mpi.mpirun(2), prefix / "bin/cairn", "run", "--tools", tmp_path / "T1.so", mpi.program("ring_c"))
    assert done.code == 0 and done.err == ""
    (tmp_path / "plain.c").write_text('#include <mpi.h>\n#include "qmpi.h"\nvector *all;\n')
    compile_with(mpi, *flags(prefix, "cairn-qmpi-thesis", "--cflags"), "-c", "-o", tmp_path / "plain.o", tmp_path / "plain.c")


def test_modules_of_pnmpi_compile_with_what_is_installed(mpi, prefix, tmp_path):
    compile_with(mpi, "-shared", "-fPIC", *flags(prefix, "cairn-pnmpi", "--cflags"), "-o", tmp_path / "arguments.so", SOURCE / "tests/pnmpi/arguments.c")
    done = run(prefix / "bin/cairn", "run", "--tools", tmp_path / "arguments.so=size:4", mpi.program("pnmpi/program"))
    assert (done.code, done.err) == (0, "[PnMPI] 0: size 4, none -, next  (Module not found), 99: Module not found, pcontrol 1 and -1\n")


def test_a_program_that_is_linked_with_cairn_by_default_runs_tools_when_asked(mpi, prefix, tmp_path):
    program = tmp_path / "ring"
    compile_with(mpi, SOURCE / "tests/programs/ring_c.c", *flags(prefix, "cairn", "--libs"), "-o", program)
    bare = run(*mpi.mpirun(2), program)
    assert (bare.code, bare.err) == (0, "")
    for command in ([], [prefix / "bin/cairn", "run"]):
        out = tmp_path / f"out{len(command)}"
        done = run(*mpi.mpirun(2), *command, program, CAIRN_TOOLS="profile=table:off", CAIRN_OUT=out)
        assert done.code == 0 and done.out == bare.out
        assert read_profile(out)["MPI_Send"]["calls"] == 20


def test_a_program_that_is_linked_with_cairn_too_late_says_so(mpi, prefix, tmp_path):
    program = tmp_path / "ring"
    compile_with(mpi, SOURCE / "tests/programs/ring_c.c", mpi.library_path(), *flags(prefix, "cairn", "--libs"), "-o", program)
    done = run(*mpi.mpirun(2), program, CAIRN_TOOLS="profile", CAIRN_OUT=tmp_path / "out")
    assert done.code == 0
    assert done.err == (f"cairn: warning: no tool was loaded: no tool can see the calls of '{program}': its MPI library is linked before libcairn.so, and so called past it\n"
                        "cairn:   asked for by: profile\ncairn:   try: -lcairn before the MPI library, or 'cairn run'\n")
    assert run(*mpi.mpirun(2), program).err == ""


def test_manual_pages_are_installed(prefix):
    pages = {page.name for page in (prefix / "share/man/man1").iterdir()}
    assert pages == {"cairn.1", "cairn-add-mpi.1", "cairn-advise.1", "cairn-run.1", "cairn-check.1", "cairn-live.1", "cairn-place.1", "cairn-tools.1", "cairn-report.1", "cairn-trace.1", "cairn-tune.1", "cairn-vars.1", "cairn-whatif.1", "cairn-where.1"}


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
    for file in [prefix / "bin/cairn", prefix / "lib/cairn/cairn-commands", *prefix.glob("lib/**/*.so")]:
        dynamic = run("readelf", "-dW", file).out
        assert "RPATH" not in dynamic and "RUNPATH" not in dynamic, file


MODULES = pathlib.Path("/usr/share/modules/init/bash")


@pytest.mark.skipif(not MODULES.exists(), reason="not installed: environment-modules")
def test_the_module_file_finds_its_installation_wherever_it_lies(prefix, tmp_path):
    moved = tmp_path / "opt with space"
    shutil.copytree(prefix, moved, symlinks=True)
    script = f"""source {MODULES}
module use '{moved}/share/modulefiles'
module load cairn
command -v cairn
cairn --version
python3 -c 'import cairn; print(cairn.__file__)'
man --where cairn-run
echo "$CMAKE_PREFIX_PATH $PKG_CONFIG_PATH"
module unload cairn
command -v cairn || echo gone
"""
    done = run("env", "-i", "PATH=/usr/bin:/bin", "bash", "-c", script)
    assert (done.code, done.err) == (0, "")
    [version] = [path.name for path in (prefix / "share/modulefiles/cairn").iterdir()]
    assert done.out.splitlines() == [f"{moved}/bin/cairn", f"cairn {version}", f"{moved}/lib/python3/dist-packages/cairn/__init__.py",
                                     f"{moved}/share/man/man1/cairn-run.1", f"{moved} {moved}/lib/pkgconfig", "gone"]
