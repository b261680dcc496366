# SPDX-License-Identifier: BSD-3-Clause
# test_job.py - jobs whose ranks do not all have the same stack: they end as bare, with results of those that have a tool.

import shutil

from cairn_testing import *

PROFILE = "profile=table:off"
COMM = "comm=table:off"
TRY_EVERYWHERE = "'cairn run' in every part of the job"
TRY_ALIKE = "the same tools in every part of the job, and 'cairn check' where some rank runs"


def mixed(mpi, parts, out, program="ring_c"):
    """mpirun with a part for each (ranks, tools or None[, environment])."""
    command = list(mpi.launcher)
    for number, (ranks, tools, *setting) in enumerate(parts):
        command += [":"] * (number > 0) + ["-n", str(ranks)] + (["env", *setting] if setting else [])
        command += [CAIRN, "run", "--tools", tools, "--out", out] if tools else []
        command += [mpi.program(program)]
    return run(*command, timeout=30)


def said(text, tools, remedy):
    return f"cairn: warning: {text}: {'its results' if ' no ' in text else 'results'} are those of the other ranks\n" \
           f"cairn:   asked for by: --tools {tools}\ncairn:   try: {remedy}\n"


def ring(ranks):
    return f"ok ring_c: {ranks} ranks, 10 rounds, rank sum {ranks * (ranks - 1) // 2}, errors 0\n"


def missing(out):
    return json.loads((out / "run.json").read_text()).get("missing")


def ranks_of(out, name="profile.json"):
    return json.loads((out / name).read_text())["ranks"]


@pytest.mark.parametrize("parts, bare", [([1, 2], "0"), ([2, -1], "2"), ([1, -2, 1, -1], "1-2,4"), ([-1, -1, 1], "0-1")],
                         ids=["first", "last", "middle_and_last", "all_but_last"])
def test_ranks_without_cairn_are_left_alone(mpi, parts, bare, tmp_path):
    parts = [-1, 2] if parts == [1, 2] else parts
    out = tmp_path / "out"
    result = mixed(mpi, [(abs(n), PROFILE if n > 0 else None) for n in parts], out)
    ranks = sum(abs(n) for n in parts)
    words = f"rank {bare} runs" if bare.isdigit() else f"ranks {bare} run"
    assert (result.code, result.out) == (0, ring(ranks))
    assert result.err == said(f"{words} without Cairn", PROFILE, TRY_EVERYWHERE)
    assert ranks_of(out) == sum(n for n in parts if n > 0) == read_profile(out)["MPI_Init"]["calls"]
    assert missing(out) == [{"ranks": bare}]


@pytest.mark.parametrize("claim, words", [("Open MPI v4.1.4, package", "PMIx is open\n"), ("Open MPI v5.0.7, package", ""),
                                          ("Open MPI v6.0.0rc2, package", ""), ("Open MPI v10.0.0, package", "")], ids=["4", "5", "6", "10"])
def test_newer_open_mpi_finds_pmix_closed_and_ranks_without_cairn_are_known_nevertheless(claim, words, tmp_path):
    """MPI_Init of Open MPI 5.0.7 and 6.0.0rc2 fails where PMIx is open. Here is Debian's, which only says that it is newer."""
    mpi, out = MPIS[0], tmp_path / "out"
    setting = [f"LD_PRELOAD={mpi.tool('job/claims_version')}", f"CLAIM={claim}"]
    result = mixed(mpi, [(1, None), (1, PROFILE, *setting)], out)
    assert (result.code, result.out) == (0, ring(2))
    assert result.err == words + said("rank 0 runs without Cairn", PROFILE, TRY_EVERYWHERE)
    assert ranks_of(out) == 1 and missing(out) == [{"ranks": "0"}]


def test_other_stacks_in_another_order(mpi, tmp_path):
    out = tmp_path / "out"
    stacks = [f"{COMM},{PROFILE}", f"{PROFILE},{COMM},{PROFILE}", f"{PROFILE},vars=table:off,{COMM}"]
    result = mixed(mpi, [(1, stacks[0]), (1, None), (1, stacks[1]), (1, stacks[2])], out)
    assert (result.code, result.out) == (0, ring(4))
    assert result.err == said("rank 1 runs without Cairn", stacks[0], TRY_EVERYWHERE) + said(
        "ranks 0,2 have no 'vars'", stacks[0], TRY_ALIKE) + said("ranks 0,3 have no 'profile #2'", stacks[0], TRY_ALIKE)
    assert (ranks_of(out), ranks_of(out, "profile.2.json"), ranks_of(out, "vars.json")) == (3, 1, 1)
    rows = json.loads((out / "comm" / "comm.json").read_text())
    assert rows["ranks"] == 4 and {flow[0] for flow in rows["phases"][0]["p2p"]} == {0, 2, 3}
    assert [gap.get("tool") for gap in missing(out)] == [None, "profile", "vars"]


def test_a_tool_that_one_rank_cannot_load(mpi, tmp_path):
    out, folder = tmp_path / "out", tmp_path / "tools"
    folder.mkdir()
    shutil.copy(BUILD / "lib" / "cairn" / mpi.id / "profile.so", folder / "mine.so")
    tools = f"{COMM},mine.so=table:off"
    found = f"CAIRN_TOOL_PATH={folder}"
    result = mixed(mpi, [(2, tools, found), (1, tools)], out)
    assert (result.code, result.out) == (0, ring(3))
    assert result.err == said("rank 2 has no 'mine.so'", tools, TRY_ALIKE)
    assert ranks_of(out) == 2 and ranks_of(out, "comm/comm.json") == 3


@pytest.mark.parametrize("without, who", [([0], "rank 0 has"), ([0, 1], "ranks 0-1 have"), ([1, 3], "ranks 1,3 have")], ids=["first", "first_half", "every_other"])
def test_a_tool_on_a_file_system_that_only_some_nodes_have(mpi, without, who, tmp_path):
    """Ranks of the other nodes see an empty folder there. One message says who lacks the tool; why, one more, if rank 0 does."""
    if os.geteuid() != 0:
        pytest.skip("only root can hide a folder from a process")
    out, folder = tmp_path / "out", tmp_path / "tools"
    folder.mkdir()
    shutil.copy(BUILD / "lib" / "cairn" / mpi.id / "profile.so", folder / "mine.so")
    tools = f"{COMM},{folder}/mine.so=table:off"
    ranks = []
    for rank in range(4):
        hiding = ["unshare", "--mount", "sh", "-c", f'mount -t tmpfs none {folder} && exec "$@"', "sh"] if rank in without else []
        ranks += [":"] * (rank > 0) + ["-n", "1", *hiding, CAIRN, "run", "--tools", tools, "--out", out, mpi.program("ring_c")]
    result = run(*mpi.launcher, *ranks, timeout=60)
    assert (result.code, result.out) == (0, ring(4))
    why = f"cairn: error: tool '{folder}/mine.so' not loaded: '{folder}/mine.so' does not exist\n" \
          f"cairn:   asked for by: --tools {tools}\ncairn:   try: the path of the tool's shared library\n"
    assert result.err == (why if 0 in without else "") + said(f"{who} no 'mine.so'", tools, TRY_ALIKE)
    assert ranks_of(out) == 4 - len(without) and ranks_of(out, "comm/comm.json") == 4


def test_a_tool_that_no_rank_can_load_is_in_the_results_as_one_that_was_not_there(mpi, tmp_path):
    out, tools = tmp_path / "out", f"{PROFILE},vars=nosuch:1,{COMM}"
    result = mixed(mpi, [(2, tools), (1, None)], out)
    assert (result.code, result.out) == (0, ring(3))
    why = "cairn: error: tool 'vars' not loaded: it has no option 'nosuch'\n"
    assert result.err.startswith(why) and result.err.endswith(said("rank 2 runs without Cairn", tools, TRY_EVERYWHERE))
    assert result.err.count("vars' ") == 1 and " no 'vars'" not in result.err  # told once
    assert missing(out) == [{"ranks": "2"}, {"tool": "vars", "instance": 1, "ranks": "0-1", "everywhere": True}]
    assert run(CAIRN, "report", out).err == (
        f"cairn: warning: rank 2 ran without Cairn: results are those of the other ranks\ncairn:   try: {TRY_EVERYWHERE}\n"
        "cairn: warning: no rank had 'vars': it could not be loaded, so there are no results of it\n"
        "cairn:   try: 'cairn check' with this tool, which tells why\n")


def test_a_filter_over_ranks_is_no_lack(mpi, tmp_path):
    out = tmp_path / "out"
    result = mixed(mpi, [(3, f"{PROFILE}@ranks:1")], out)
    assert (result.code, result.out, result.err) == (0, ring(3), "")
    assert ranks_of(out) == 3 and read_profile(out)["MPI_Send"]["calls"] == 10
    assert missing(out) is None


def test_where_no_launcher_tells_who_has_cairn_a_wait_is_explained(tmp_path):
    """A message to a rank without Cairn could be taken for one of the program's, so there is no other way."""
    mpi = MPIS[1]
    command = ["env", "-u", "MPI_LOCALNRANKS", CAIRN, "run", "--tools", PROFILE, "--out", tmp_path / "out", mpi.program("ring_c")]
    job = subprocess.Popen([*mpi.launcher, "-n", "1", *map(str, command), ":", "-n", "1", mpi.program("ring_c")], stderr=subprocess.PIPE,
                           stdout=subprocess.DEVNULL, stdin=subprocess.DEVNULL, env=environment(), text=True)
    try:
        lines = [job.stderr.readline() for _ in range(3)]
    finally:
        job.terminate()
        job.communicate(timeout=30)
    assert lines == ["cairn: warning: MPI_Init waits for ranks that do not say which tools they have: one that runs without Cairn never does\n",
                     f"cairn:   asked for by: --tools {PROFILE}\n", f"cairn:   try: {TRY_EVERYWHERE}\n"]
