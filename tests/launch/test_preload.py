# SPDX-License-Identifier: BSD-3-Clause
# test_preload.py - Cairn without its command: LD_PRELOAD and CAIRN_TOOLS in the environment of mpirun as a whole.
#
# Everything that mpirun starts on its way inherits them: launcher, proxies or daemons, shells. Only the program may load
# tools.

import stat

from cairn_testing import *

RANKS = 3
RING_OUTPUT = "ok ring_c: 3 ranks, 10 rounds, rank sum 3, errors 0\n"

# Runs the program, then rank 0 prints each ancestor's name and the files of Cairn that it has mapped.
SEE_ANCESTORS = r"""
"$@" || exit
[ "${OMPI_COMM_WORLD_RANK:-$PMI_RANK}" = 0 ] || exit 0
pid=$$
while [ "$pid" -gt 1 ] && [ "$pid" != "$TEST_PID" ]; do
    files=$(grep -E -o '[^/]*(cairn|profile)[^/]*\.so' "/proc/$pid/maps" | sort -u | tr '\n' ' ')
    read -r name < "/proc/$pid/comm"
    echo "ancestor $name: $files"
    pid=$(awk '$1 == "PPid:" { print $2 }' "/proc/$pid/status")
done
"""


def exported(mpi, names):
    """Open MPI hands on only what it is told to, to other machines at least; Hydra hands on everything."""
    return [word for name in names for word in ("-x", name)] if mpi.id == "openmpi" else []


def preloaded(folder, tools="profile=table:off"):
    return dict(LD_PRELOAD=LIBCAIRN, CAIRN_TOOLS=tools, CAIRN_OUT=folder)


def check_profile(folder):
    data = json.loads((folder / "profile.json").read_text())
    calls = {function["name"]: function["calls"] for function in data["functions"]}
    assert data["ranks"] == RANKS
    assert calls == {name: each * RANKS for name, each in {
        "MPI_Init": 1, "MPI_Comm_rank": 1, "MPI_Comm_size": 1, "MPI_Send": 10, "MPI_Recv": 10, "MPI_Bcast": 1,
        "MPI_Barrier": 1, "MPI_Allreduce": 1, "MPI_Finalize": 1}.items()}


def test_the_environment_of_mpirun_is_enough(mpi, tmp_path):
    env = preloaded(tmp_path)
    done = run(*mpi.mpirun(RANKS), *exported(mpi, env), mpi.program("ring_c"), **env)
    assert (done.code, done.out, done.err) == (0, RING_OUTPUT, "")
    check_profile(tmp_path)


@pytest.mark.parametrize("exporting", [
    pytest.param(MPIS[0], id="openmpi-x"),
    pytest.param(MPIS[1], id="mpich-genv"),
])
def test_only_the_ranks_may_get_the_environment(exporting, tmp_path):
    """As a careful user does it: the launcher itself stays without the preload library."""
    mpi = exporting
    words = []
    for name, value in preloaded(tmp_path).items():
        words += ["-x", f"{name}={value}"] if mpi.id == "openmpi" else ["-genv", name, value]
    done = run(*mpi.launcher, *words, "-n", RANKS, mpi.program("ring_c"))
    assert (done.code, done.out, done.err) == (0, RING_OUTPUT, "")
    check_profile(tmp_path)


def ancestors(out):
    found = {}
    for line in out.splitlines():
        if line.startswith("ancestor "):
            name, files = line.removeprefix("ancestor ").split(":", 1)
            found.setdefault(name, set()).update(files.split())
    return found


def run_and_see_ancestors(mpi, folder, options=()):
    env = preloaded(folder)
    done = run(*mpi.launcher, *options, "-n", RANKS, *exported(mpi, env), "sh", "-c", SEE_ANCESTORS, "sh",
               mpi.program("ring_c"), **env, TEST_PID=os.getpid())
    assert done.code == 0 and RING_OUTPUT in done.out, done.err
    check_profile(folder)
    return ancestors(done.out)


def test_launchers_and_shells_load_no_tool(mpi, tmp_path):
    found = run_and_see_ancestors(mpi, tmp_path)
    launchers = {"openmpi": {"mpirun.openmpi", "orterun"}, "mpich": {"hydra_pmi_proxy", "mpiexec.hydra"}}
    assert found.keys() & launchers[mpi.id], found
    assert "sh" in found
    for name, files in found.items():
        assert files == {"libcairn.so"}, name


def test_daemons_of_open_mpi_load_no_tool(tmp_path):
    """orted runs on other machines only; a stand-in for ssh starts it here."""
    agent = tmp_path / "ssh_stand_in"
    agent.write_text('#!/bin/sh\nwhile [ "${1#-}" != "$1" ]; do shift; done\nshift\nexec sh -c "$*"\n')
    agent.chmod(agent.stat().st_mode | stat.S_IXUSR)
    found = run_and_see_ancestors(MPIS[0], tmp_path / "out", ("--mca", "plm_rsh_agent", agent, "--host", "elsewhere:3"))
    assert found["orted"] == {"libcairn.so"}
    for name, files in found.items():
        assert files <= {"libcairn.so"}, name


def test_a_missing_tool_is_told_once_and_names_the_variable(mpi, tmp_path):
    env = preloaded(tmp_path, "profile=table:off,nosuch")
    done = run(*mpi.mpirun(RANKS), *exported(mpi, env), mpi.program("ring_c"), **env)
    assert (done.code, done.out) == (0, RING_OUTPUT)
    assert done.err.count("cairn: error: tool 'nosuch' not loaded") == 1
    asked = [line for line in done.err.splitlines() if line.startswith("cairn:   asked for by: ")]
    assert len(asked) == 1 and "CAIRN_TOOLS" in asked[0] and "profile=table:off,nosuch" in asked[0]
    check_profile(tmp_path)
