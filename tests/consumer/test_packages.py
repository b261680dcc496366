# SPDX-License-Identifier: BSD-3-Clause
# test_packages.py - the Debian packages: what they depend on, and that the command works from what is in them.
#
# tests/packages/clean_root installs them in a fresh Debian, which takes minutes: ./dev package --try

from cairn_testing import *


@pytest.fixture(scope="session")
def packages(tmp_path_factory):
    folder = tmp_path_factory.mktemp("packages")
    done = run("cpack", "--config", BUILD / "CPackConfig.cmake", "-B", folder)
    assert done.code == 0, done.out + done.err
    return {run("dpkg-deb", "-f", file, "Package").out.strip(): file for file in folder.glob("*.deb")}


def names_of(packages, package, field):
    words = run("dpkg-deb", "-f", packages[package], field).out.strip()
    return {word.split(" ")[0] for word in words.replace("|", ",").replace(", ", ",").replace(" ,", ",").split(",")}


def test_there_is_a_package_for_each_mpi_and_it_needs_that_mpi_alone(packages):
    assert set(packages) == {"cairn", "cairn-dev", "cairn-doc", "cairn-mpich", "cairn-openmpi", "python3-cairn"}
    assert {"cairn", "libopenmpi3"} <= names_of(packages, "cairn-openmpi", "Depends")
    assert {"cairn", "libmpich12"} <= names_of(packages, "cairn-mpich", "Depends")
    assert not any("mpi" in name for name in names_of(packages, "cairn", "Depends"))
    assert names_of(packages, "cairn", "Recommends") == {"cairn-openmpi", "cairn-mpich"}


def test_the_packages_of_one_mpi_alone_serve_its_programs(mpi, packages, tmp_path):
    root = tmp_path / "root"
    for package in ("cairn", f"cairn-{mpi.id}"):
        assert run("dpkg", "-x", packages[package], root).code == 0
    cairn = root / "usr/bin/cairn"
    done = run(*mpi.mpirun(2), cairn, "run", "--tools", "profile=table:off,comm=table:off", "--out", tmp_path / "out", mpi.program("ring_c"))
    assert (done.code, done.err) == (0, "")
    assert read_profile(tmp_path / "out")["MPI_Send"]["calls"] == 20
    others = {"openmpi": "mpich", "mpich": "openmpi"}[mpi.id]
    assert not (root / "usr/lib/cairn" / others).exists() and (root / "usr/share/doc/cairn/copyright").exists()
