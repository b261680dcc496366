# SPDX-License-Identifier: BSD-3-Clause
# test_no_network.py - while a program runs, Cairn asks nobody on the network, whatever the environment says, and needs none.

from cairn_testing import *

ALL = "profile=table:off,comm=table:off,vars=table:off,trace,waits=table:off,where,usage=to:/dev/null"


def test_a_job_under_all_tools_needs_no_network(mpi, tmp_path):
    """But loopback, for the launcher."""
    alone = ["unshare", "--net", "sh", "-c", 'ip link set lo up && exec "$@"', "sh"]
    if subprocess.run([*alone, "true"], capture_output=True).returncode != 0:
        pytest.skip("no network namespaces here, or not installed: iproute2")
    done = run(*alone, *mpi.mpirun(2), CAIRN, "run", "--tools", ALL, "--out", tmp_path / "out", mpi.program("ring_c"))
    assert done.code == 0 and done.out.startswith("ok ring_c: 2 ranks") and "cairn: " not in done.err
    assert read_profile(tmp_path / "out")["MPI_Send"]["calls"] == 20


def test_no_server_is_asked_for_debug_information(mpi, tmp_path):
    """libdw does it of itself, where DEBUGINFOD_URLS is set: some systems set it for all users."""
    (tmp_path / "lib").mkdir()
    versions = tmp_path / "versions"
    versions.write_text("ELFUTILS_0.178 { global: debuginfod_*; };\n")
    built = run("gcc", "-shared", "-fPIC", "-o", tmp_path / "lib/libdebuginfod.so.1", SOURCE / "tests/mpi/asks_servers.c", f"-Wl,--version-script={versions}",
                "-Wl,-soname,libdebuginfod.so.1")
    assert built.code == 0, built.err
    ring = tmp_path / "ring"
    assert run("strip", "--strip-debug", "-o", ring, mpi.program("ring_c")).code == 0  # so that there is something to look for
    env = dict(LD_LIBRARY_PATH=tmp_path / "lib", DEBUGINFOD_URLS="http://127.0.0.1:9")
    done = run(*mpi.mpirun(2), CAIRN, "run", "--tools", "profile=table:off,where", "--out", tmp_path / "out", ring, **env)
    assert (done.code, done.err) == (0, "")
    sites = json.loads((tmp_path / "out/profile.json").read_text())["callsites"]
    assert {site["caller"] for site in sites} == {"main"}  # by the symbol table
