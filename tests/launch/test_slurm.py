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
from live_testing import Collector

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


def skip_without_slurm():
    path = os.environ["PATH"] + ":/usr/sbin:/sbin"
    missing = [program for program in NEEDED if shutil.which(program, path=path) is None]
    if missing:
        pytest.skip("not installed: " + ", ".join(missing))


@pytest.fixture(scope="module")
def slurm():
    """The environment that makes srun use the private cluster."""
    skip_without_slurm()
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


def running_job(slurm):
    """The number of the one that runs, "" if none does: one that has just ended may still be there, completing."""
    return run("squeue", "--noheader", "--states=R", "--format=%A", **slurm).out.strip()


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
            number = number or running_job(slurm)
            told = run(*elsewhere, CAIRN, "where", number, **slurm) if number else None
            if told is not None and "stuck: " in told.out and "MPI_Recv" in told.out:  # not still in MPI_Init
                break
            time.sleep(0.1)
        assert re.match(f"hang, {RANKS} ranks on .*\nstuck: all ranks wait", told.out), told
        assert (told.code, told.err) == (1, "")
    finally:
        run("scancel", number or "--partition=test", **slurm)
        job.wait(timeout=60)


def test_a_slurm_job_is_followed_and_nothing_stays_in_it(slurm, mpi, tmp_path):
    """As from a login node, by the job's number."""
    elsewhere = ["unshare", "--mount", "sh", "-c", 'mount -t tmpfs none /dev/shm && exec "$@"', "sh"]
    if subprocess.run([*elsewhere, "true"], capture_output=True).returncode != 0:
        pytest.skip("no mount namespaces here")
    job = subprocess.Popen(["srun", "--quiet", "-n", str(RANKS), "--overcommit", f"--mpi={SRUN_MPI[mpi.id]}", CAIRN, "run", "--tools", "where",
                            "--out", tmp_path / "out", BUILD / "examples" / mpi.id / "hang", "deadlock"], env=environment(**slurm), stdin=subprocess.DEVNULL)
    live = None
    try:
        number = ""
        for _ in range(200):
            number = running_job(slurm)
            if number and (tmp_path / "out" / "run.json").exists():
                break
            time.sleep(0.1)
        with open(tmp_path / "text", "w") as text:
            live = subprocess.Popen([*elsewhere, CAIRN, "live", "--text", "--every", "0.3", number], env=environment(**slurm), stdin=subprocess.DEVNULL, stdout=text, stderr=text)
        for _ in range(300):
            shown = (tmp_path / "text").read_text()
            if shown.count("stuck: ") > 2 and "MPI_Recv" in shown:
                break
            time.sleep(0.1)
        assert f"hang, {RANKS} ranks on " in shown and shown.count("stuck: ") > 2, shown[-2000:]
        assert f"{number}.1" in run("squeue", "--steps", "--noheader", "--format=%i", **slurm).out
        live.kill()
        live.wait(timeout=20)
        steps = ""
        for _ in range(200):
            steps = run("squeue", "--steps", "--noheader", "--format=%i %j", **slurm).out
            if f"{number}.1" not in steps:
                break
            time.sleep(0.1)
        assert f"{number}.1" not in steps, steps
    finally:
        job.terminate()
        job.wait(timeout=60)
        if live is not None:
            live.kill()
            live.wait()


def test_variables_of_a_slurm_job_are_set(slurm, mpi, tmp_path):
    """As from a login node: all ranks are told by the job's step of `cairn live`."""
    elsewhere = ["unshare", "--mount", "sh", "-c", 'mount -t tmpfs none /dev/shm && exec "$@"', "sh"]
    if subprocess.run([*elsewhere, "true"], capture_output=True).returncode != 0:
        pytest.skip("no mount namespaces here")
    (tmp_path / "go").touch()
    job = subprocess.Popen(["srun", "--quiet", "-n", str(RANKS), "--overcommit", f"--mpi={SRUN_MPI[mpi.id]}", CAIRN, "run", "--tools", "where,comm=table:off,steer",
                            "--out", tmp_path / "out", mpi.program("steady"), tmp_path / "go"], env=environment(**slurm), stdin=subprocess.DEVNULL)
    try:
        for _ in range(600):
            if (tmp_path / "out" / "run.json").exists() or job.poll() is not None:
                break
            time.sleep(0.1)
        assert (tmp_path / "out" / "run.json").exists() and job.poll() is None
        collector = Collector(tmp_path, running_job(slurm), every=0.3)
        collector.command = [*elsewhere, *collector.command]
        collector.environment = environment(**slurm)
        with collector as live:
            live.wait_for_answer("/api/controls", lambda now: [one["now"] for one in now if one["name"] == "comm_active"] == [[["1", f"0-{RANKS - 1}"]]])
            change = live.change("comm_active", "off", "1")
            assert (change["set"], change["refused"]) == ("1", [])
        (tmp_path / "go").unlink()
        assert job.wait(timeout=60) == 0
    finally:
        (tmp_path / "go").unlink(missing_ok=True)
        job.terminate()
        job.wait(timeout=60)


def words_in_shared_memory():
    """Of a job's ranks to each other, before MPI's start."""
    return set(pathlib.Path("/dev/shm").glob(f"cairn-{os.geteuid()}-*"))


def test_ranks_without_cairn_are_left_alone(slurm, mpi, tmp_path):
    """On one node, where MPICH has no key-value store for us."""
    before = words_in_shared_memory()  # a job that was killed leaves its own
    script = tmp_path / "some"
    script.write_text('#!/bin/sh\ncase $SLURM_PROCID in 0 | 2) exec "$1" ;; *) exec "$0.cairn" "$1" ;; esac\n')
    (tmp_path / "some.cairn").write_text(f'#!/bin/sh\nexec {CAIRN} run --tools profile=table:off --out {tmp_path}/out "$1"\n')
    for file in (script, tmp_path / "some.cairn"):
        file.chmod(0o755)
    done = srun(mpi, script, mpi.program("ring_c"), **slurm)
    assert (done.code, done.out) == (0, "ok ring_c: 4 ranks, 10 rounds, rank sum 6, errors 0\n"), done.err
    assert done.err.splitlines()[0] == "cairn: warning: ranks 0,2 run without Cairn: results are those of the other ranks"
    assert json.loads((tmp_path / "out" / "profile.json").read_text())["ranks"] == 2
    assert words_in_shared_memory() <= before


def sbatch(slurm, script, *options):
    """Its exit code, when the job and all of its tasks have ended."""
    return run("sbatch", "--quiet", "--wait", "--ntasks", RANKS, "--overcommit", *options, script, **slurm)


def job_script(folder, *lines):
    script = folder / "job.sh"
    script.write_text("\n".join(["#!/bin/sh", *lines, ""]))
    return script


def step(mpi, *words):
    return " ".join(map(str, ["srun", f"-n{RANKS}", "--overcommit", f"--mpi={SRUN_MPI[mpi.id]}", *words]))


def test_each_step_of_a_job_has_results_of_its_own(slurm, mpi, tmp_path):
    stacked = step(mpi, CAIRN, "run", "--tools", "profile=table:off", mpi.program("ring_c"))
    done = sbatch(slurm, job_script(tmp_path, f"{stacked} && {stacked}"), "--chdir", tmp_path, "--output", tmp_path / "log")
    assert done.code == 0, (tmp_path / "log").read_text()
    folders = sorted(tmp_path.glob("cairn-ring_c-*"))
    assert len(folders) == 2
    for folder in folders:
        check_profile(folder)


def test_each_task_of_an_array_has_results_of_its_own(slurm, mpi, tmp_path):
    """At nearly the same time."""
    stacked = step(mpi, CAIRN, "run", "--tools", "profile=table:off", "--out", f"{tmp_path}/task-$SLURM_ARRAY_TASK_ID", mpi.program("ring_c"))
    done = sbatch(slurm, job_script(tmp_path, stacked), "--array=0-1", "--chdir", tmp_path, "--output", f"{tmp_path}/log-%a")
    assert done.code == 0, (tmp_path / "log-0").read_text()
    for task in range(2):
        check_profile(tmp_path / f"task-{task}")


def test_a_job_that_takes_nothing_of_the_environment(slurm, mpi, tmp_path):
    stacked = step(mpi, "--export=NONE", CAIRN, "run", "--tools", "profile=table:off", "--out", tmp_path / "out", mpi.program("ring_c"))
    done = sbatch(slurm, job_script(tmp_path, stacked), "--export=NONE", "--output", tmp_path / "log")
    assert done.code == 0, (tmp_path / "log").read_text()
    check_profile(tmp_path / "out")


def submit_hang(slurm, mpi, folder, *options):
    """The job's number, when its ranks wait for each other."""
    hang = step(mpi, CAIRN, "run", "--tools", "profile=table:off,where", "--out", folder / "out", BUILD / "examples" / mpi.id / "hang", "deadlock")
    started = run("sbatch", "--parsable", "--ntasks", RANKS, "--overcommit", *options, "--output", folder / "log", job_script(folder, hang), **slurm)
    wait_for_deadlock(folder / "out")
    return started.out.strip()


def wait_for_deadlock(out, before=None):
    """The identity of the run whose results these are, another one than before."""
    for _ in range(300):
        if (out / "run.json").exists() and (identity := json.loads((out / "run.json").read_text())["run"]) != before:
            told = run(CAIRN, "where", out).out
            if "stuck: all ranks wait" in told and "MPI_Recv" in told:
                return identity
        time.sleep(0.1)
    raise AssertionError(f"no deadlock of another run than {before}")


def cancel(slurm, number):
    assert run("scancel", "--full", number, **slurm).code == 0
    assert wait_until_gone(slurm, number)


def wait_until_gone(slurm, number):
    for _ in range(900):
        if not run("squeue", "--noheader", "--jobs", number, **slurm).out.strip():
            return True
        time.sleep(0.1)
    return False


def check_parts_of_cancelled(folder):
    parts = [json.loads(path.read_text())["part"] for path in sorted(folder.glob("profile.rank-*.json"))]
    assert [part["rank"] for part in parts] == list(range(RANKS))
    assert {part["ended_by"] for part in parts} == {"SIGTERM"}


def test_a_cancelled_job_leaves_what_it_had(slurm, mpi, tmp_path):
    """SIGTERM, and SIGKILL after KillWait."""
    cancel(slurm, submit_hang(slurm, mpi, tmp_path))
    check_parts_of_cancelled(tmp_path / "out")
    told = run(CAIRN, "report", tmp_path / "out")
    assert told.code == 0 and "SIGTERM" in told.out, told.err


def test_jobs_at_their_time_limit_leave_what_they_had(slurm, tmp_path):
    """Limits are minutes long, but a running job's end can be moved. Slurm looks every half minute: both MPIs at once."""
    numbers = {}
    for mpi in MPIS:
        (tmp_path / mpi.id).mkdir()
        numbers[mpi.id] = submit_hang(slurm, mpi, tmp_path / mpi.id, "--time=5")
    for number in numbers.values():
        moved = run("scontrol", "update", f"JobId={number}", "EndTime=now+1", **slurm)
        assert moved.code == 0, moved.err
    for name, number in numbers.items():
        assert wait_until_gone(slurm, number)
        assert "DUE TO TIME LIMIT" in (tmp_path / name / "log").read_text()
        check_parts_of_cancelled(tmp_path / name / "out")


def begin_anew(slurm, number):
    """Slurm does so after two minutes; it is asked to do so at once."""
    assert run("scontrol", "requeue", number, **slurm).code == 0
    for _ in range(300):
        if run("squeue", "--noheader", "--format=%T", "--jobs", number, **slurm).out.strip() == "PENDING":
            break
        time.sleep(0.1)
    # Not at once: a node that gets a job anew within the second in which it ended takes it for the one that was ended.
    assert run("scontrol", "update", f"JobId={number}", "StartTime=now+2", **slurm).code == 0


def test_a_job_that_is_requeued_keeps_the_results_of_both_runs(slurm, mpi, tmp_path):
    number = submit_hang(slurm, mpi, tmp_path, "--requeue")
    first = wait_for_deadlock(tmp_path / "out")
    begin_anew(slurm, number)
    wait_for_deadlock(tmp_path / "out", before=first)
    cancel(slurm, number)
    for folder in (tmp_path / "out", tmp_path / "out" / f"run-{first}"):
        check_parts_of_cancelled(folder)


def test_what_a_killed_run_of_a_requeued_job_left_in_mpis_start_does_not_count(slurm, tmp_path):
    """Its ranks 1 and 3 have Cairn, and wait in MPI_Init for the others; then it is the other way round."""
    mpi = MPIS[1]  # Open MPI's ranks have a key-value store
    task = tmp_path / "task"
    with_cairn = f"exec {CAIRN} run --tools profile=table:off --out {tmp_path}/out {mpi.program('ring_c')}"
    task.write_text(f"""#!/bin/sh
case ${{SLURM_RESTART_COUNT:-0}}:$SLURM_PROCID in
  0:1 | 0:3 | 1:0 | 1:2) {with_cairn} ;;
  0:*) exec sleep 600 ;;
  *) exec {mpi.program("ring_c")} ;;
esac
""")
    task.chmod(0o755)
    before = words_in_shared_memory()
    started = run("sbatch", "--parsable", "--ntasks", RANKS, "--overcommit", "--requeue", "--open-mode=truncate", "--output", tmp_path / "log", job_script(tmp_path, step(mpi, task)), **slurm)
    number = started.out.strip()
    for _ in range(300):
        left = words_in_shared_memory() - before
        if left and {path.name for path in left.pop().iterdir()} == {"job-1", "job-3"}:
            break
        time.sleep(0.1)
    try:
        begin_anew(slurm, number)
        assert wait_until_gone(slurm, number)
    finally:
        run("scancel", "--full", number, **slurm)
        for path in words_in_shared_memory() - before:
            shutil.rmtree(path)
    told = (tmp_path / "log").read_text()
    assert "cairn: warning: ranks 1,3 run without Cairn: results are those of the other ranks\n" in told, told
    assert json.loads((tmp_path / "out" / "profile.json").read_text())["ranks"] == 2


def recipe(title):
    """As the site's page prints it, with our library, and a file for what goes to syslog."""
    page = (SOURCE / "docs/site.md").read_text()
    return page.split(f"**{title}**")[1].split("```sh\n")[1].split("```")[0].replace("/opt/cairn/lib/libcairn.so", str(LIBCAIRN))


def test_the_recipe_for_a_whole_site_counts_every_job(slurm, mpi, tmp_path):
    prolog = tmp_path / "prolog"
    prolog.write_text(recipe("Slurm's TaskProlog").replace("/dev/log", f"{tmp_path}/lines"))
    prolog.chmod(0o755)
    for leave_out in ({"CAIRN_OPT_OUT": "1"}, {}, {"CAIRN_TOOLS": ""}):
        done = srun(mpi, "--task-prolog", prolog, mpi.program("ring_c"), **slurm, **leave_out)
        assert (done.code, done.out, done.err) == (0, "ok ring_c: 4 ranks, 10 rounds, rank sum 6, errors 0\n", "")
    [one, other] = [json.loads(line) for line in (tmp_path / "lines").read_text().splitlines()]
    assert (one["program"], one["ranks"], one["calls"]["MPI_Send"]) == ("ring_c", RANKS, 10 * RANKS)
    assert one["calls"] == other["calls"] and one["job"] != other["job"]
