# SPDX-License-Identifier: BSD-3-Clause
# test_slurm.py - jobs started by Slurm's srun, with the real daemons of a private one-node cluster.
#
# --quiet keeps back what srun itself says while a job waits for the one before it.

import re
import shutil
import socket
import tempfile
import time

from cairn_testing import *

RANKS = 4
CLUSTER = pathlib.Path(__file__).with_name("slurm") / "slurm_cluster.sh"
NEEDED = ["slurmctld", "slurmd", "munged", "mungekey", "srun"]

# How each MPI's processes find each other under srun.
SRUN_MPI = {"mpich": "pmi2", "openmpi": "pmix"}


def free_ports():
    """The first of two ports in a row that nobody listens on."""
    for port in range(26817, 27817, 2):
        with socket.socket() as first, socket.socket() as second:
            try:
                first.bind(("127.0.0.1", port))
                second.bind(("127.0.0.1", port + 1))
                return port
            except OSError:
                continue
    raise AssertionError("no two free ports")


@pytest.fixture(scope="module")
def slurm():
    """The environment that makes srun use the private cluster."""
    path = os.environ["PATH"] + ":/usr/sbin:/sbin"
    missing = [program for program in NEEDED if shutil.which(program, path=path) is None]
    if missing:
        pytest.skip("not installed: " + ", ".join(missing))
    # Short, because the path of a socket below it is limited.
    folder = tempfile.mkdtemp(prefix="cairn-slurm-", dir="/tmp")
    started = run(CLUSTER, "start", folder, SLURM_TEST_PORT=free_ports(), SLURM_TEST_CPUS=RANKS)
    try:
        if started.code != 0 and "resolves to" in started.err:
            pytest.skip(started.err.strip())
        assert started.code == 0, started.err
        yield {"SLURM_CONF": re.fullmatch(r"export SLURM_CONF=(.*)\n", started.out).group(1)}
    finally:
        if started.code == 0:
            stopped = run(CLUSTER, "stop", folder)
            assert stopped.code == 0, stopped.err
        shutil.rmtree(folder)


def srun(mpi, *words, **env):
    return run("srun", "--quiet", "-n", RANKS, "--overcommit", f"--mpi={SRUN_MPI[mpi.id]}", *words, **env)


def srun_stacked(slurm, mpi, tools, folder, program, options=()):
    return srun(mpi, CAIRN, "run", "--tools", tools, "--out", folder, *options, "--", mpi.program(program), **slurm)


RING = {"MPI_Init": 1, "MPI_Comm_rank": 1, "MPI_Comm_size": 1, "MPI_Send": 10, "MPI_Recv": 10, "MPI_Bcast": 1,
        "MPI_Barrier": 1, "MPI_Allreduce": 1, "MPI_Finalize": 1}


def check_profile(folder):
    profile = read_profile(folder)
    assert {name: entry["calls"] for name, entry in profile.items()} == {name: calls * RANKS for name, calls in RING.items()}
    assert profile["MPI_Send"]["bytes_sent"] == 4000 * RANKS
    assert profile["MPI_Bcast"]["bytes_sent"] == 40


def test_all_ranks_of_a_slurm_job_are_in_one_profile(slurm, mpi, tmp_path):
    done = srun_stacked(slurm, mpi, "profile", tmp_path, "ring_c")
    assert (done.code, done.out) == (0, "ok ring_c: 4 ranks, 10 rounds, rank sum 6, errors 0\n"), done.err
    assert json.loads((tmp_path / "profile.json").read_text())["ranks"] == RANKS
    check_profile(tmp_path)
    assert len(re.findall(r"^cairn profile: ring_c on 4 ranks", done.err, re.MULTILINE)) == 1
    assert "error" not in done.err and "warning" not in done.err


def test_a_missing_tool_is_told_once_per_slurm_job(slurm, mpi, tmp_path):
    done = srun_stacked(slurm, mpi, "profile=table:off,nosuch", tmp_path, "ring_c")
    assert (done.code, done.out) == (0, "ok ring_c: 4 ranks, 10 rounds, rank sum 6, errors 0\n")
    lines = done.err.splitlines()
    assert len(lines) == 3
    assert lines[0].startswith("cairn: error: tool 'nosuch' not loaded: there is no bundled tool of this name")
    assert lines[1] == "cairn:   asked for by: --tools profile=table:off,nosuch"
    assert lines[2].startswith("cairn:   try: ")
    check_profile(tmp_path)


def test_strict_ends_the_slurm_job_with_one_message(slurm, mpi, tmp_path):
    done = srun_stacked(slurm, mpi, "profile=table:off,nosuch", tmp_path, "ring_c", options=("--strict",))
    assert (done.code, done.out) == (125, "")
    assert done.err.count("tool 'nosuch' not loaded") == 1
    assert done.err.count("cairn: error: the program is not run") == 1
    assert not (tmp_path / "profile.json").exists()


def test_the_exit_code_of_the_program_is_that_of_srun(slurm, mpi, tmp_path):
    done = srun_stacked(slurm, mpi, "profile=table:off", tmp_path, "exits_with_3")
    assert (done.code, done.out) == (3, "ok exits_with_3: 4 ranks, rank sum 6\n")
    assert read_profile(tmp_path)["MPI_Allreduce"]["calls"] == RANKS


def test_preloading_for_srun_as_a_whole_is_the_same(slurm, mpi, tmp_path):
    done = srun(mpi, mpi.program("ring_c"), **slurm, LD_PRELOAD=LIBCAIRN, CAIRN_TOOLS="profile=table:off",
                CAIRN_OUT=tmp_path)
    assert (done.code, done.out, done.err) == (0, "ok ring_c: 4 ranks, 10 rounds, rank sum 6, errors 0\n", "")
    check_profile(tmp_path)


def test_where_asks_the_nodes_of_a_slurm_job(slurm, mpi, tmp_path):
    """As from a login node: there are no pages where it is asked."""
    elsewhere = ["unshare", "--mount", "sh", "-c", 'mount -t tmpfs none /dev/shm && exec "$@"', "sh"]
    if subprocess.run([*elsewhere, "true"], capture_output=True).returncode != 0:
        pytest.skip("no mount namespaces here")
    job = subprocess.Popen(["srun", "--quiet", "-n", str(RANKS), "--overcommit", f"--mpi={SRUN_MPI[mpi.id]}", CAIRN, "run", "--tools", "where",
                            BUILD / "examples" / mpi.id / "hang", "deadlock"], env=environment(**slurm), stdin=subprocess.DEVNULL,
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=tmp_path)
    number = ""
    try:
        for _ in range(200):
            number = number or run("squeue", "--noheader", "--states=R", "--format=%A", **slurm).out.strip()
            told = run(*elsewhere, CAIRN, "where", number, **slurm) if number else None
            if told is not None and "stuck: " in told.out:
                break
            time.sleep(0.1)
        assert re.match(f"hang, {RANKS} ranks on .*\nstuck: all ranks wait", told.out), told
        assert (told.code, told.err) == (1, "")
    finally:
        run("scancel", number or "--partition=test", **slurm)
        job.wait(timeout=60)


def test_ranks_without_cairn_are_left_alone(slurm, mpi, tmp_path):
    """On one node, where MPICH has no key-value store for us."""
    script = tmp_path / "some"
    script.write_text('#!/bin/sh\ncase $SLURM_PROCID in 0 | 2) exec "$1" ;; *) exec "$0.cairn" "$1" ;; esac\n')
    (tmp_path / "some.cairn").write_text(f'#!/bin/sh\nexec {CAIRN} run --tools profile=table:off --out {tmp_path}/out "$1"\n')
    for file in (script, tmp_path / "some.cairn"):
        file.chmod(0o755)
    done = srun(mpi, script, mpi.program("ring_c"), **slurm)
    assert (done.code, done.out) == (0, "ok ring_c: 4 ranks, 10 rounds, rank sum 6, errors 0\n"), done.err
    assert done.err.splitlines()[0] == "cairn: warning: ranks 0,2 run without Cairn: results are those of the other ranks"
    assert json.loads((tmp_path / "out" / "profile.json").read_text())["ranks"] == 2
    assert not list(pathlib.Path("/dev/shm").glob(f"cairn-{os.geteuid()}-*"))
