# SPDX-License-Identifier: BSD-3-Clause
# test_sessions.py - programs that start MPI with sessions have results as those that call MPI_Init.

import tempfile

from cairn_testing import *

MPICH = MPIS[1]  # Open MPI 4.1.4 has no sessions
PROGRAM = MPICH.program("job/sessions")
ALL = "profile=table:off,comm=table:off,vars=table:off"
APART = "cairn: warning: the results of this program with MPI sessions stay apart, rank by rank: {}\ncairn:   asked for by: --tools {}\n" \
        "cairn:   try: {}\n"
UNKNOWN = "mpirun of MPICH 4.0, or --out DIR and 'cairn report DIR', which shows each rank's results"


def go(ranks, out, *steps, tools=ALL, launcher=(), options=(), **env):
    return run(*MPICH.mpirun(ranks), *launcher, CAIRN, "run", "--tools", tools, *(["--out", out] if out else []), *options, PROGRAM, *steps,
               timeout=30, **env)


def ranks_of(out, name):
    return json.loads((out / name).read_text())["ranks"]


def parts(out):
    return sorted(str(path.relative_to(out)) for path in out.rglob("*rank*.json"))


@pytest.mark.parametrize("steps", ["owc", "oowcc", "oowcwc", "oowicwcf", "oiwfc", "owicf", "iowcf"])
def test_all_tools_gather_at_the_end(steps, tmp_path):
    out = tmp_path / "out"
    result = go(3, out, steps)
    assert (result.code, result.out.count("ok"), result.err) == (0, 3, "")
    assert [ranks_of(out, name) for name in ("profile.json", "comm/comm.json", "vars.json")] == [3, 3, 3]
    profile = read_profile(out)
    assert profile["MPI_Sendrecv_replace"]["calls"] == 3 * steps.count("w")
    assert profile["MPI_Session_init"]["calls"] == 3 * steps.count("o")
    flows = json.loads((out / "comm" / "comm.json").read_text())["phases"][0]["p2p"]
    assert sorted(flow[:3] + flow[3:4] for flow in flows) == [[rank, (rank + 1) % 3, steps.count("w"), 100 * steps.count("w")] for rank in range(3)]
    assert parts(out) == []


def test_without_out_and_with_other_stacks(tmp_path):
    command = [*MPICH.launcher]
    for number, tools in enumerate(["profile=table:off", "comm=table:off,profile=table:off", "profile=table:off,profile=table:off"]):
        command += [":"] * (number > 0) + ["-n", "1", CAIRN, "run", "--tools", tools, PROGRAM, "owc"]
    result = run(*command, cwd=tmp_path, timeout=30)
    assert (result.code, result.out.count("ok")) == (0, 3)
    folder, = tmp_path.glob("cairn-sessions-*")
    assert ranks_of(folder, "profile.json") == 3 and ranks_of(folder, "profile.2.json") == 1
    assert (folder / "comm" / "comm.json").exists()


def test_a_rank_that_ends_with_an_open_session_leaves_its_part(tmp_path):
    out = tmp_path / "out"
    result = go(2, out, "owe", tools="profile=table:off", launcher=("-disable-auto-cleanup",))  # else Hydra may kill the other rank
    assert parts(out) == ["profile.rank-0.json", "profile.rank-1.json"]
    part = json.loads((out / "profile.rank-1.json").read_text())["part"]
    assert (part["rank"], part["ended_by"], result.err) == (1, "exit without MPI_Finalize", "")


def test_where_a_rank_has_no_cairn_each_leaves_its_part(tmp_path):
    out = tmp_path / "out"
    tools = "profile=table:off,trace,where"
    command = [*MPICH.launcher, "-n", "2", CAIRN, "run", "--tools", tools, "--out", out, PROGRAM, "oc", ":", "-n", "1", PROGRAM, "oc"]
    result = run(*command, cwd=tmp_path, timeout=30, CAIRN_PAGES=tmp_path / "pages")
    assert list((tmp_path / "pages").iterdir()) == []
    assert (result.code, result.out.count("ok")) == (0, 3)
    assert result.err == APART.format("rank 2 runs without Cairn or without a session", tools, "'cairn run' in every part of the job")
    assert parts(out) == ["profile.rank-0.json", "profile.rank-1.json"]
    assert run(CAIRN, "trace", out).err == "cairn: warning: rank 2: there is no trace\n"  # the others' ends are good ones


def test_where_no_launcher_tells_who_has_cairn_each_rank_leaves_its_part(tmp_path):
    out = tmp_path / "out"
    result = go(2, out, "owc", launcher=("env", "-u", "MPI_LOCALNRANKS"))
    assert (result.code, result.out.count("ok"), result.err) == (0, 2, APART.format("it is unknown which ranks have Cairn", ALL, UNKNOWN))
    assert parts(out) == [f"{name}rank{sign}{rank}.json" for name, sign in (("comm/", "."), ("profile.", "-"), ("vars.", "-")) for rank in (0, 1)]
    part = json.loads((out / "profile.rank-1.json").read_text())["part"]
    assert part["ended_by"] == "MPI_Session_finalize without the other ranks"


def test_a_rank_that_is_at_its_end_still_sends_what_others_receive(tmp_path):
    """MPI_Bsend has come back, and the message is on its way only while its sender calls MPI."""
    result = go(2, tmp_path / "out", "obc")
    assert (result.code, result.out.count("ok"), result.err) == (0, 2, "")
    assert read_profile(tmp_path / "out")["MPI_Bsend"]["calls"] == 1


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
@pytest.mark.parametrize("steps", [("owuc",), ("owuc", "owc"), ("owc", "owuc"), ("oocuc", "oocc")], ids=["all", "first", "last", "between"])
@pytest.mark.parametrize("tools", [ALL, ALL + ",waits=table:off,trace", "where"])
def test_a_rank_that_becomes_another_user_tells_the_others(tools, steps):
    folder = pathlib.Path(tempfile.mkdtemp(prefix="cairn-sessions."))
    folder.chmod(0o777)
    out = folder / "out"
    out.mkdir()
    out.chmod(0o777)
    result = go(2, out, *steps, tools=tools, CAIRN_PAGES=folder / "pages")
    found = parts(out)
    shutil.rmtree(folder)
    why = "the program changed its user or group after MPI started{}, and other users cannot use MPI's shared memory"
    told = f"cairn: warning: tool '{tools.split('=')[0]}': no tool gathers results: {why}; each rank writes its part\n"
    assert (result.code, result.out.count("ok")) == (0, 2)
    if tools == "where":
        assert "no tool gathers" not in result.err
        return
    assert told.format(" on some ranks" if steps[0] in ("owc", "oocc") else "") in result.err
    assert {f"{name}rank{sign}{rank}.json" for name, sign in (("comm/", "."), ("profile.", "-"), ("vars.", "-")) for rank in (0, 1)} <= set(found)


def test_the_policy_says_that_it_is_not_followed(tmp_path):
    policy = tmp_path / "one.policy"
    policy.write_text('rule "look"\n  every 1 s\n  note "x"\n')
    result = go(2, None, "owc", tools=f"policy=file:{policy}")
    assert (result.code, result.out.count("ok")) == (0, 2)
    assert "the policy is followed only after MPI_Init, which this program has not called: it uses MPI sessions" in result.err
