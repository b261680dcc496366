# SPDX-License-Identifier: BSD-3-Clause
# add_mpi_testing.py - an installation for Open MPI alone, to which engines are added.

import shutil

from cairn_testing import *

OPENMPI, MPICH = MPIS


def install(prefix, *components):
    for component in components:
        done = run("cmake", "--install", BUILD, "--prefix", prefix, "--component", component)
        assert done.code == 0, done.err
    return prefix


def install_for_openmpi(prefix):
    """Nothing in it knows of MPICH."""
    return install(prefix, "command", "openmpi", "engine")


@pytest.fixture(scope="session")
def prefix(tmp_path_factory):
    return install_for_openmpi(tmp_path_factory.mktemp("installed") / "cairn")


def add(prefix, wrapper, *options, **env):
    return run(prefix / "bin/cairn", "add-mpi", *options, wrapper, timeout=1200, **env)


def script(path, text):
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path


def files_for(prefix, mpi):
    lib = prefix / "lib/cairn"
    paths = [*lib.glob(f"*-{mpi.id}.so"), *(lib / mpi.id).rglob("*")]
    return sorted(path.relative_to(lib).as_posix() for path in paths if path.is_file())


def compiled_fast(root):
    """By Clang, which takes a third less, and not optimized: the build's own is the same code, by GCC and optimized. ccache, where there is one,
    takes what was compiled in another run's folder."""
    launcher = script(root / "launcher", f"exec {shutil.which('ccache') or ''} \"$@\" -O0 -Wno-frame-larger-than")
    return {"CC": "clang", "CXX": "clang++", "CMAKE_CXX_COMPILER_LAUNCHER": launcher, "CMAKE_C_COMPILER_LAUNCHER": launcher, "CCACHE_BASEDIR": root, "CCACHE_NOHASHDIR": "1"}
