# SPDX-License-Identifier: BSD-3-Clause
# test_usage.py - a job's line: what is in it, where it goes, and that nobody notices it who has not asked for it

import json
import os
import re
import socket
import tempfile

from cairn_testing import *

RING_OUTPUT = "ok ring_c: 2 ranks, 10 rounds, rank sum 1, errors 0\n"
CALLS = {"MPI_Init": 2, "MPI_Comm_rank": 2, "MPI_Comm_size": 2, "MPI_Send": 20, "MPI_Recv": 20, "MPI_Bcast": 2, "MPI_Barrier": 2, "MPI_Allreduce": 2}
NAMES = {"openmpi": "Open MPI", "mpich": "MPICH"}


def check(line, mpi):
    job = json.loads(line)
    assert job["format"] == "cairn-usage 1" and job["program"] == "ring_c" and job["ranks"] == 2 and job["uid"] == os.getuid()
    assert job["calls"] == CALLS and "other_calls" not in job
    assert 0 < job["run_s"] < 60
    assert re.fullmatch(NAMES[mpi.id] + r" \d+\.\d+(\.\d+)?", job["mpi"])
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", job["ended"])
    return job


def test_each_job_adds_a_line_and_no_folder(mpi, tmp_path):
    for number in ("17", "18"):
        result = run(*mpi.mpirun(2), CAIRN, "run", "--tools", "usage=to:jobs,profile=table:off:sites:0", mpi.program("ring_c"), cwd=tmp_path, CAIRN_OUT=str(tmp_path / "out"), PBS_JOBID=number)
        assert (result.code, result.out, result.err) == (0, RING_OUTPUT, "")
    lines = (tmp_path / "jobs").read_text().splitlines()
    assert [check(line, mpi)["job"] for line in lines] == ["17", "18"]
    result = run(*mpi.mpirun(2), CAIRN, "run", "--tools", "usage", mpi.program("ring_c"), cwd=tmp_path)
    assert result.code == 0
    check(result.err, mpi)
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["jobs", "out"]


def sites(mpi, folder, tools=None, **more):
    """mpirun with two ranks whose environment has what the site puts there."""
    env = {"LD_PRELOAD": LIBCAIRN, "CAIRN_SITE_TOOLS": tools or f"usage=to:{folder}/line", **more}
    words = [word for name in env for word in ("-x", name)] if mpi.id == "openmpi" else []
    return run(*mpi.mpirun(2), *words, mpi.program("ring_c"), cwd=folder, **env)


def unnoticed(result):
    return (result.code, result.out, result.err) == (0, RING_OUTPUT, "")


def test_for_a_whole_site_by_the_environment(mpi, tmp_path):
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as log:
        log.bind(str(tmp_path / "log"))
        log.settimeout(10)
        assert unnoticed(sites(mpi, tmp_path, f"usage=to:{tmp_path}/log"))
        message = log.recv(1 << 16).decode()
    assert message.startswith("<14>cairn-usage: {")
    check(message.removeprefix("<14>cairn-usage: "), mpi)
    assert [entry.name for entry in tmp_path.iterdir()] == ["log"]


def test_a_line_that_cannot_be_written_is_told_or_not(mpi, tmp_path):
    for quiet, said in (("off", True), ("on", False)):
        asked = f"usage=to:{tmp_path}/none/jobs:quiet:{quiet}"
        result = run(*mpi.mpirun(2), CAIRN, "run", "--tools", asked, mpi.program("ring_c"), cwd=tmp_path)
        assert (result.code, result.out) == (0, RING_OUTPUT)
        assert result.err == (f"cairn: warning: tool 'usage': its line cannot be written to '{tmp_path}/none/jobs': No such file or directory\n"
                              f"cairn:   asked for by: --tools {asked}\n" if said else "")


@pytest.mark.parametrize("tools", ["usage=to:none/jobs", "nosuch", "usage=nosuch:1", "usage=", "usage,,usage", "profile=nosuch:1"])
def test_of_what_a_site_asks_for_nothing_is_noticed_whatever_fails(mpi, tools, tmp_path):
    """The user's own settings are for what the user asks for."""
    assert unnoticed(sites(mpi, tmp_path, tools, CAIRN_STRICT="1", CAIRN_OUT=tmp_path / "results"))
    assert list(tmp_path.iterdir()) == []


def test_of_a_sites_installation_that_is_broken_nothing_is_noticed(mpi, tmp_path):
    (tmp_path / "lib").mkdir()
    shutil.copy(LIBCAIRN, tmp_path / "lib/libcairn.so")
    assert unnoticed(sites(mpi, tmp_path, LD_PRELOAD=tmp_path / "lib/libcairn.so", CAIRN_STRICT="1"))


def test_who_has_opted_out_is_not_counted(mpi, tmp_path):
    assert unnoticed(sites(mpi, tmp_path, CAIRN_OPT_OUT="1")) and list(tmp_path.iterdir()) == []
    assert unnoticed(sites(mpi, tmp_path, CAIRN_OPT_OUT="0"))
    check((tmp_path / "line").read_text(), mpi)


def test_what_the_user_asks_for_takes_the_place_of_the_sites(mpi, tmp_path):
    for opt_out in ("", "1"):
        env = dict(LD_PRELOAD=LIBCAIRN, CAIRN_SITE_TOOLS=f"usage=to:{tmp_path}/line", CAIRN_OPT_OUT=opt_out)
        result = run(*mpi.mpirun(2), CAIRN, "run", "--tools", "profile=table:off,nosuch", "--out", tmp_path / "out", mpi.program("ring_c"), **env)
        assert (result.code, result.out) == (0, RING_OUTPUT) and result.err.startswith("cairn: error: tool 'nosuch' not loaded: ")
        assert read_profile(tmp_path / "out")["MPI_Send"]["calls"] == 20
    assert [entry.name for entry in tmp_path.iterdir()] == ["out"]
    result = run(*mpi.mpirun(2), CAIRN, "run", mpi.program("ring_c"), **env | dict(CAIRN_OPT_OUT=""))  # asks for nothing
    assert unnoticed(result)
    check((tmp_path / "line").read_text(), mpi)


def test_a_users_variable_of_a_common_name_is_not_taken_for_tools(mpi, tmp_path):
    assert unnoticed(sites(mpi, tmp_path, TOOLS=tmp_path))
    check((tmp_path / "line").read_text(), mpi)
    assert unnoticed(sites(mpi, tmp_path, TOOLS=tmp_path, CAIRN_OPT_OUT="1"))


@pytest.mark.parametrize("steps", ["oiwfc", "oowicwcf", "iowfc"])
@pytest.mark.parametrize("unset, counted", [([], None), (["-u", "MPI_LOCALNRANKS"], 1)], ids=["store", "no_store"])
def test_a_program_with_a_session_around_mpi_init_is_counted_once(steps, unset, counted, tmp_path):
    mpi = MPIS[1]  # Open MPI 4.1.4 has no sessions
    site = ["env", *unset, f"LD_PRELOAD={LIBCAIRN}", f"CAIRN_SITE_TOOLS=usage=to:{tmp_path}/line"]
    assert run(*mpi.mpirun(2), *site, mpi.program("job/sessions"), steps, timeout=60).code == 0
    [job] = [json.loads(line) for line in (tmp_path / "line").read_text().splitlines()]
    assert (job["ranks"], job.get("counted_ranks")) == (2, counted)
    assert job["calls"]["MPI_Session_init"] == (counted or 2) * steps.count("o")


def test_half_a_line_is_taken_back(mpi, tmp_path):
    """The program allows itself files of 100 bytes."""
    (tmp_path / "jobs").write_text("a line\n")
    tool = f"usage=to:{tmp_path}/jobs"
    bare = run(*mpi.mpirun(1), mpi.program("ways"), "small_files")
    result = run_stacked(mpi, 1, [tool], mpi.program("ways"), "small_files", out=tmp_path / "out")
    assert result.code == bare.code
    assert f"cairn: warning: tool 'usage': its line cannot be written to '{tmp_path}/jobs': File too large\n" in result.err, result.err
    assert (tmp_path / "jobs").read_text() == "a line\n"


# Where the launcher's key-value store cannot be used: with Open MPI 5 on several nodes, with MPICH under another launcher than Hydra.
WITHOUT_STORE = {"openmpi": ["CLAIM=Open MPI v5.0.7, package", "OMPI_COMM_WORLD_LOCAL_SIZE=1", f"LD_PRELOAD={LIBCAIRN}:{MPIS[0].tool('job/claims_version')}"],
                 "mpich": ["-u", "MPI_LOCALNRANKS", f"LD_PRELOAD={LIBCAIRN}"]}


def test_the_recipe_of_a_wrapper_counts_jobs_of_both_launchers(mpi, tmp_path):
    page = (SOURCE / "docs/site.md").read_text()
    text = page.split("**A wrapper of `mpirun`**")[1].split("```sh\n")[1].split("```")[0]
    for there, here in (("/opt/cairn/lib/libcairn.so", LIBCAIRN), ("/usr/bin/mpirun", f"/usr/bin/{mpi.launcher[0]}"), ("/dev/log", f"{tmp_path}/line")):
        assert there in text
        text = text.replace(there, here)
    wrapper = tmp_path / "mpirun"
    wrapper.write_text(text)
    wrapper.chmod(0o755)
    for left_out in (dict(CAIRN_OPT_OUT="1"), dict(CAIRN_TOOLS="profile"), {}):
        assert unnoticed(run(wrapper, *mpi.launcher[1:], "-n", 2, mpi.program("ring_c"), cwd=tmp_path, **left_out))
    check((tmp_path / "line").read_text(), mpi)


@pytest.fixture
def open_folder():
    """Not below pytest's own, which each pytest that starts closes to others."""
    with tempfile.TemporaryDirectory(prefix="cairn-usage-") as name:
        os.chmod(name, 0o711)
        yield pathlib.Path(name)


def test_several_users_share_a_file_that_all_may_write_to(open_folder):
    page = (SOURCE / "docs/site.md").read_text()
    [commands] = re.findall(r"^touch /shared/jobs.*$", page, re.MULTILINE)
    assert run("sh", "-c", commands.replace("/shared", str(open_folder))).code == 0
    if os.getuid() != 0:
        pytest.skip("only root becomes other users")
    as_nobody = ["setpriv", "--reuid", "65534", "--clear-groups", "--"]
    for file in (LIBCAIRN, *(mpi.program("fork_exec") for mpi in MPIS)):
        if run(*as_nobody, "test", "-r", file, cwd="/").code != 0:
            pytest.skip(f"other users cannot read {file}")
    for mpi in MPIS:
        site = ["env", f"LD_PRELOAD={LIBCAIRN}", f"CAIRN_SITE_TOOLS=usage=to:{open_folder}/jobs", "HOME=/tmp"]
        assert run(*as_nobody, *site, mpi.program("fork_exec"), cwd="/").code == 0
    assert [json.loads(line)["uid"] for line in (open_folder / "jobs").read_text().splitlines()] == [65534, 65534]


def part(mpi, folder, ranks, settings):
    """Of an mpirun; without settings it knows nothing of Cairn, as on a node that does not get the environment."""
    site = ["env", *settings, f"CAIRN_SITE_TOOLS=usage=to:{folder}/line"] if settings else []
    return ["-n", ranks, *site, mpi.program("ring_c")]


@pytest.mark.parametrize("store", [True, False], ids=["store", "no_store"])
def test_ranks_without_it_are_neither_told_of_nor_waited_for(mpi, store, tmp_path):
    settings = [f"LD_PRELOAD={LIBCAIRN}"] if store else WITHOUT_STORE[mpi.id]
    for settings_of_parts in ([settings, []], [[], settings]):
        first, second = (part(mpi, tmp_path, 1, one) for one in settings_of_parts)
        assert unnoticed(run(*mpi.launcher, *first, ":", *second, cwd=tmp_path, timeout=60))
    lines = [json.loads(line) for line in (tmp_path / "line").read_text().splitlines()]
    assert len(lines) == (2 if store else 1)  # nobody knows that the second rank is the first of those that have it
    for job in lines:
        assert (job["ranks"], job["counted_ranks"]) == (2, 1)
    assert lines[0]["calls"] == {name: calls // 2 for name, calls in CALLS.items()}


def test_where_nothing_tells_which_ranks_have_it_the_first_ones_calls_make_the_line(mpi, tmp_path):
    assert unnoticed(run(*mpi.launcher, *part(mpi, tmp_path, 2, WITHOUT_STORE[mpi.id]), cwd=tmp_path, timeout=60))
    [job] = [json.loads(line) for line in (tmp_path / "line").read_text().splitlines()]
    assert (job["ranks"], job["counted_ranks"]) == (2, 1) and job["calls"] == {name: calls // 2 for name, calls in CALLS.items()}


def test_behind_a_tool_that_starts_mpi_itself_there_is_one_line_too(tmp_path):
    mpi = MPIS[0]
    settings = ["CLAIM=Open MPI v4.1.4, package", f"LD_PRELOAD={mpi.tool('job/claims_version')}:{LIBCAIRN}"]
    result = run(*mpi.launcher, *part(mpi, tmp_path, 2, settings), cwd=tmp_path)
    assert (result.code, result.out) == (0, RING_OUTPUT)
    [job] = [json.loads(line) for line in (tmp_path / "line").read_text().splitlines()]
    assert (job["ranks"], job["counted_ranks"]) == (2, 1)
