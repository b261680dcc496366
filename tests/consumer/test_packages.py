# SPDX-License-Identifier: BSD-3-Clause
# test_packages.py - the Debian packages: what they depend on, and that the command works from what is in them.
#
# tests/packages/clean_root installs them in a fresh Debian, which takes minutes: ./dev package --try

import hashlib
import re

from cairn_testing import *

OLDEST_GLIBC = (2, 36)         # docs/install.md says so too
OLDEST_GLIBC_IN_PROGRAMS = (2, 35)


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
    assert set(packages) == {"cairn", "cairn-add-mpi", "cairn-dev", "cairn-doc", "cairn-mpich", "cairn-openmpi", "python3-cairn"}
    assert {"cairn", "libopenmpi3"} <= names_of(packages, "cairn-openmpi", "Depends")
    assert {"cairn", "libmpich12"} <= names_of(packages, "cairn-mpich", "Depends")
    assert not any("mpi" in name for name in names_of(packages, "cairn", "Depends"))
    assert {name for name in packages if "cairn" not in names_of(packages, name, "Depends")} == {"cairn", "cairn-doc"}
    assert names_of(packages, "cairn", "Recommends") == {"cairn-openmpi", "cairn-mpich"}


def test_the_packages_of_one_mpi_alone_serve_its_programs(mpi, packages, tmp_path):
    root = tmp_path / "root"
    for package in ("cairn", f"cairn-{mpi.id}", "python3-cairn"):
        assert run("dpkg", "-x", packages[package], root).code == 0
    cairn = root / "usr/bin/cairn"
    done = run(*mpi.mpirun(2), cairn, "run", "--tools", "profile=table:off,comm=table:off", "--out", tmp_path / "out", mpi.program("ring_c"))
    assert (done.code, done.err) == (0, "")
    assert read_profile(tmp_path / "out")["MPI_Send"]["calls"] == 20
    script = f"import cairn; print(cairn.__file__, cairn.open('{tmp_path}/out').matrix('p2p_messages').loc[0, 1])"
    imported = run("/usr/bin/python3", "-c", script, PYTHONPATH=root / "usr/lib/python3/dist-packages", PATH="/usr/bin:/bin")
    assert (imported.out, imported.err) == (f"{root}/usr/lib/python3/dist-packages/cairn/__init__.py 10.0\n", "")
    others = {"openmpi": "mpich", "mpich": "openmpi"}[mpi.id]
    assert not (root / "usr/lib/cairn" / others).exists() and (root / "usr/share/doc/cairn/copyright").exists()


@pytest.fixture(scope="session")
def installed(packages, tmp_path_factory):
    folder = tmp_path_factory.mktemp("root")
    for package in packages.values():
        assert run("dpkg", "-x", package, folder).code == 0
    return folder / "usr"


def binaries(folder):
    files = [path for path in sorted(folder.rglob("*")) if path.is_file() and not path.is_symlink()]
    return [path for path in files if path.read_bytes()[:4] == b"\x7fELF"]


def needed_glibc(path):
    versions = re.findall(r"GLIBC_(\d+)\.(\d+)", run("objdump", "-T", path).out)
    return max([(int(major), int(minor)) for major, minor in versions], default=(2, 0))


def test_nothing_needs_a_newer_glibc_than_the_documents_say(installed):
    """What is loaded into programs less than the command, which has libraries of Debian's around it."""
    needed = {path.relative_to(installed).as_posix(): needed_glibc(path) for path in binaries(installed)}
    assert len(needed) > 20 and max(needed.values()) > (2, 17)
    assert {name: version for name, version in needed.items() if version > OLDEST_GLIBC} == {}
    with_programs = {name: version for name, version in needed.items() if name != "lib/cairn/libcairn-symbols.so"}
    assert {name: version for name, version in with_programs.items() if version > OLDEST_GLIBC_IN_PROGRAMS} == {}
    page = (SOURCE / "docs/install.md").read_text()
    assert f"glibc {'.'.join(map(str, OLDEST_GLIBC))}" in page and f"glibc {'.'.join(map(str, OLDEST_GLIBC_IN_PROGRAMS))}" in page
    assert f"glibc {'.'.join(map(str, OLDEST_GLIBC))} or newer" in (SOURCE / "README.md").read_text()
    assert f"GNU C library {'.'.join(map(str, OLDEST_GLIBC))} or newer" in (SOURCE / "docs/limits.md").read_text()


def test_what_runs_in_programs_cannot_reach_the_network(installed):
    """`usage` sends its line to a socket of the machine; what listens for `cairn live` is the command's."""
    networking = {"socket", "connect", "bind", "listen", "accept", "accept4", "sendto", "sendmsg", "getaddrinfo", "gethostbyname", "res_query"}
    used = {path.name: {name.split("@")[0] for name in re.findall(r"\sU (\S+)", run("nm", "-D", path).out)} & networking for path in binaries(installed)}
    assert {name: names for name, names in used.items() if names} == {"usage.so": {"socket", "sendto"}, "libcairn-live.so": {"socket", "bind", "listen"}}
    assert re.findall(r"\bAF_\w+|\bPF_\w+", (SOURCE / "tools/usage/line.cc").read_text()) == ["AF_UNIX"] * 2


def test_nothing_tells_where_it_was_built(installed):
    """Two builds in different folders give the same bits."""
    telling = [path for path in installed.rglob("*") if path.is_file() and os.fsencode(SOURCE) in path.read_bytes()]
    assert telling == []
    # Nor a number that was made of that.
    assert [path.name for path in binaries(installed) if "Build ID" in run("readelf", "-n", path).out] == []


def test_what_the_packages_consist_of_is_listed(packages, tmp_path):
    for package in packages.values():
        (tmp_path / package.name).symlink_to(package)
    assert run("/usr/bin/python3", SOURCE / "cmake/sbom.py", tmp_path).code == 0
    listed = json.loads((tmp_path / "cairn.spdx.json").read_text())
    entries = {entry["SPDXID"]: entry for entry in listed["packages"]}
    assert (listed["spdxVersion"], len(entries)) == ("SPDX-2.3", len(listed["packages"]))
    for name, package in packages.items():
        digest = hashlib.sha256(package.read_bytes()).hexdigest()
        assert entries[f"SPDXRef-{name}"]["checksums"] == [{"algorithm": "SHA256", "checksumValue": digest}]
        for dependency in names_of(packages, name, "Depends") - {""}:
            assert {"spdxElementId": f"SPDXRef-{name}", "relationshipType": "DEPENDS_ON", "relatedSpdxElement": f"SPDXRef-{dependency.replace(chr(43), chr(45))}"} in listed["relationships"]
    assert {entry["name"] for entry in entries.values() if "versionInfo" not in entry} == set()
    assert {relation["relatedSpdxElement"] for relation in listed["relationships"]} <= set(entries)
    empty = tmp_path / "empty"
    empty.mkdir()
    refused = run("/usr/bin/python3", SOURCE / "cmake/sbom.py", empty)
    assert (refused.code, refused.err) == (1, f"sbom: no packages in '{empty}'\n  try: ./dev package\n")
