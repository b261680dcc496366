# SPDX-License-Identifier: BSD-3-Clause
# test_reorder.py - programs see the ranks of the file everywhere, or those of the launcher and why.

from cairn_testing import *

ORDER = [2, 0, 3, 1]


def reorder(mpi, ranks, file, *program, more=(), **env):
    return run_stacked(mpi, ranks, [f"reorder=file:{file}", *more], *program, timeout=60, **env)


def written(folder, order):
    path = folder / "order.txt"
    path.write_text("# mine\n" + "".join(f"{rank}\n" for rank in order))
    return path


def warning(tools, text):
    return f"cairn: warning: tool 'reorder': ranks stay as they are: {text}\ncairn:   asked for by: --tools {tools}\n"


@pytest.mark.parametrize("order", [ORDER, [0, 1, 2, 3], [1, 0]], ids=["mixed", "same", "two"])
def test_the_program_sees_the_ranks_of_the_file(mpi, order, tmp_path):
    result = reorder(mpi, len(order), written(tmp_path, order), mpi.program("reorder/ranks"), *order)
    assert sorted(result.out.splitlines()) == sorted(f"{new} of {old}: ok" for old, new in enumerate(order))
    assert (result.code, result.err) == (0, "")


def test_fortran_sees_them_too(mpi, tmp_path):
    result = reorder(mpi, 4, written(tmp_path, ORDER), mpi.program("reorder/ranks_fortran"))
    assert (result.code, sorted(result.out.splitlines()), result.err) == (0, ["0", "1", "2", "3"], "")


# reorder_test.cc has the others.
BAD_FILES = {
    "1\n0\n": "'{}' is for 2 processes, and the program has 3",
    "0\n2\n2\n": "'{}', line 3: rank 2 is in line 2 too",
    None: "'{}' cannot be read: No such file or directory",
}


def test_a_bad_file_leaves_the_ranks_and_is_told_once(mpi, tmp_path):
    path = tmp_path / "order"
    for text, why in BAD_FILES.items():
        path.write_text(text) if text else path.unlink()
        result = reorder(mpi, 3, path, mpi.program("reorder/ranks"), 0, 1, 2)
        assert (result.code, sorted(result.out.splitlines())) == (0, [f"{rank} of {rank}: ok" for rank in range(3)])
        assert result.err == warning(f"reorder=file:{path}", why.format(path))


@pytest.mark.parametrize("program, call", [("pmpi", "PMPI_Comm_rank"), ("attributes", "mpi_comm_set_attr_")])
def test_a_program_that_would_see_both_numberings_keeps_the_launchers(mpi, program, call, tmp_path):
    path = written(tmp_path, [1, 0])
    result = reorder(mpi, 2, path, mpi.program(f"reorder/{program}"))
    assert (result.code, sorted(result.out.splitlines())) == (0, ["0", "1"])
    assert result.err == warning(f"reorder=file:{path}", f"the program calls {call}, which no tool sees")


def test_ranks_without_the_tool_keep_all_ranks(mpi, tmp_path):
    path = written(tmp_path, [1, 0])
    command = [*mpi.launcher, "-n", 1, CAIRN, "run", "--tools", f"reorder=file:{path}", mpi.program("reorder/ranks"), 0, 1, ":", "-n", 1,
               mpi.program("reorder/ranks"), 0, 1]
    result = run(*command, timeout=60)
    assert (result.code, sorted(result.out.splitlines())) == (0, ["0 of 0: ok", "1 of 1: ok"])
    assert warning(f"reorder=file:{path}", "some ranks run without the tool") in result.err


SESSIONS = MPIS[1].program("reorder/session_ranks")  # Open MPI 4.1.4 has none


@pytest.mark.parametrize("steps", ["osc", "ososcc", "osiwsfc", "osiwcwf", "oiwscwf", "iwosfc"])
@pytest.mark.parametrize("order", [ORDER, [1, 0]], ids=["mixed", "two"])
def test_programs_that_begin_with_sessions_see_the_ranks_of_the_file(steps, order, tmp_path):
    result = reorder(MPIS[1], len(order), written(tmp_path, order), SESSIONS, steps, *order)
    assert sorted(result.out.splitlines()) == sorted(f"{new} of {old}: ok" for old, new in enumerate(order))
    assert (result.code, result.err) == (0, "")


def test_tools_beneath_sessions_see_the_launchers_ranks(tmp_path):
    out = tmp_path / "out"
    result = reorder(MPIS[1], 4, written(tmp_path, ORDER), SESSIONS, "osc", *ORDER, more=["comm=table:off", "profile=table:off"], out=out)
    assert (result.code, result.err, result.out.count("ok")) == (0, "", 4)
    flows = {tuple(flow[:2]) for phase in json.loads((out / "comm" / "comm.json").read_text())["phases"] for flow in phase["p2p"]}
    assert flows == {(ORDER.index(rank), ORDER.index((rank + 1) % 4)) for rank in range(4)}
    assert read_profile(out)["MPI_Sendrecv"]["calls"] == 4


@pytest.mark.parametrize("steps", ["osc", "osiwcwf"])
def test_sessions_keep_the_ranks_where_not_all_can_have_others(steps, tmp_path):
    path, mpi, stay = written(tmp_path, [1, 0]), MPIS[1], ["0 of 0: ok", "1 of 1: ok"]
    tools = f"reorder=file:{path}"
    for program, text, first, second in (
        (mpi.program("reorder/session_pmpi"), "the program calls PMPI_Group_from_session_pset, which no tool sees", tools, tools),
        (SESSIONS, "some ranks have no file for it", tools, "reorder=topologies:on"),
        (SESSIONS, "the program begins with a session, and not all ranks are known to have the tool", tools, "comm=table:off"),
        (SESSIONS, "the program begins with a session, and not all ranks are known to have the tool", tools, None)):
        command = [*mpi.launcher]
        for number, stack in enumerate((first, second)):
            command += [*[":"] * number, "-n", 1, *([CAIRN, "run", "--tools", stack, "--"] if stack else []), program, steps, 0, 1]
        result = run(*command, cwd=tmp_path, timeout=60)
        assert (result.code, sorted(result.out.splitlines())) == (0, stay), (text, result.err)
        assert f"cairn: warning: tool 'reorder': ranks stay as they are: {text}\n" in result.err
    result = run(*mpi.mpirun(2), "env", "-u", "MPI_LOCALNRANKS", CAIRN, "run", "--tools", tools, "--", SESSIONS, steps, 0, 1, timeout=60)
    assert (result.code, sorted(result.out.splitlines())) == (0, stay)  # it is unknown which ranks have Cairn
    assert warning(tools, "the program begins with a session, and not all ranks are known to have the tool") in result.err


REFUSED = "cairn: error: tool 'reorder' not loaded: it changes what the program sees of MPI, so {}\ncairn:   asked for by: --tools {}\n" \
          "cairn:   try: {}\n"


@pytest.mark.parametrize("tools, why, remedy", [("profile=table:off,reorder=file:{}", "no tool can be above it", "'reorder' as the first tool"),
                                                ("reorder=file:{}@ranks:0", "it takes no filters", "it without '@'")])
def test_it_is_the_first_tool_and_takes_no_filters(mpi, tools, why, remedy, tmp_path):
    tools = tools.format(written(tmp_path, [1, 0]))
    result = run(*mpi.mpirun(2), CAIRN, "run", "--tools", tools, "--out", tmp_path / "out", mpi.program("reorder/ranks"), 0, 1, timeout=60)
    assert (result.code, sorted(result.out.splitlines())) == (0, ["0 of 0: ok", "1 of 1: ok"])
    assert result.err == REFUSED.format(why, tools, remedy)
    checked = run(CAIRN, "check", mpi.program("reorder/ranks"), "--tools", tools)
    assert f"reorder: would not be loaded: it changes what the program sees of MPI, so {why}\n" in checked.out


def test_without_a_file_it_is_not_loaded(mpi):
    result = run_stacked(mpi, 1, ["reorder"], mpi.program("reorder/pmpi"))
    assert (result.code, result.out) == (0, "0\n")
    assert "tool 'reorder': it needs 'file:PATH', a file that 'cairn place --reorder' writes, or 'topologies:on'\n" in result.err


def test_tools_beneath_it_see_the_launchers_ranks(mpi, tmp_path):
    out = tmp_path / "out"
    result = reorder(mpi, 4, written(tmp_path, ORDER), mpi.program("ring_c"), more=["comm=table:off", "profile=table:off"], out=out)
    assert (result.code, result.out, result.err) == (0, "ok ring_c: 4 ranks, 10 rounds, rank sum 6, errors 0\n", "")
    flows = {tuple(flow[:2]) for phase in json.loads((out / "comm" / "comm.json").read_text())["phases"] for flow in phase["p2p"]}
    assert flows == {(ORDER.index(rank), ORDER.index((rank + 1) % 4)) for rank in range(4)}
    assert read_profile(out)["MPI_Comm_rank"]["calls"] == 4


def test_spawned_processes_keep_their_ranks_and_see_their_parents_new_ones(tmp_path):
    path = written(tmp_path, [1, 0])
    result = reorder(MPIS[0], 2, path, MPIS[0].program("reorder/spawned"))
    assert (result.code, sorted(result.out.splitlines()), result.err) == (0, ["child 0 from 1", "child 1 from 0"], "")


def processes_by_rank(result):
    assert (result.code, result.err) == (0, "")
    pairs = sorted(tuple(map(int, line.split(" of "))) for line in result.out.splitlines())  # fails where a topology is another
    assert [new for new, _ in pairs] == [0, 1, 2, 3] == sorted(old for _, old in pairs)
    return [old for _, old in pairs]


@pytest.mark.parametrize("kind", ["cart", "graph", "dist", "adjacent"])
def test_ranks_of_a_topology_that_are_neighbors_come_to_one_node(mpi, kind):
    on_two_nodes = mpi.tool("reorder/two_nodes")  # 0 and 2 are on one, 1 and 3 on the other
    result = run_stacked(mpi, 4, ["reorder=topologies:on", on_two_nodes], mpi.program("reorder/topologies"), kind, timeout=60)
    processes = processes_by_rank(result)
    assert processes[0] % 2 == processes[1] % 2 != processes[2] % 2 == processes[3] % 2


def test_topologies_of_programs_with_sessions_are_placed():
    mpi = MPIS[1]
    result = run_stacked(mpi, 4, ["reorder=topologies:on", mpi.tool("reorder/two_nodes")], SESSIONS, "otc", 0, 1, 2, 3, timeout=60)
    lines = result.out.splitlines()
    assert (result.code, result.err, sorted(line for line in lines if "ok" in line)) == (0, "", [f"{rank} of {rank}: ok" for rank in range(4)])
    node_of = {int(line.split(" of ")[0]): int(line.split(" of ")[1]) % 2 for line in lines if "ok" not in line}
    assert node_of[0] == node_of[1] != node_of[2] == node_of[3]


def test_ranks_that_have_exchanged_much_come_to_one_node(mpi, tmp_path):
    tools = ["reorder=topologies:on", "comm=table:off", mpi.tool("reorder/two_nodes")]
    for kind in ("cart", "adjacent"):
        result = run_stacked(mpi, 4, tools, mpi.program("reorder/topologies"), kind, "before", out=tmp_path, timeout=60)
        processes = processes_by_rank(result)
        assert processes[0] % 2 == processes[3] % 2 != processes[1] % 2 == processes[2] % 2


def parts_of_job(mpi, *parts, program):
    """Two ranks in each part, with these tools or bare."""
    command = [*mpi.launcher]
    for number, tools in enumerate(parts):
        command += [*[":"] * (number > 0), "-n", 2, *([CAIRN, "run", "--tools", tools] if tools else []), *program]
    return run(*command, timeout=60)


@pytest.mark.parametrize("kind", ["cart", "adjacent"])
def test_topologies_stay_where_some_ranks_would_not_take_part(mpi, kind, tmp_path):
    order = f"reorder=file:{written(tmp_path, [1, 0])}"
    topologies = f"reorder=topologies:on,{mpi.tool('reorder/two_nodes')}"
    why = "topologies stay as they are: some ranks run without the tool, or without topologies:on\n"
    for first, second in ((topologies, None), (topologies, order)):
        result = parts_of_job(mpi, first, second, program=[mpi.program("reorder/topologies"), kind])
        assert (result.code, sorted(result.out.splitlines())) == (0, [f"{rank} of {rank}" for rank in range(4)])
        assert result.err.count(f"cairn: warning: tool 'reorder': {why}") == 1
        assert ("ranks stay as they are: some ranks have no file for it" in result.err) == (second == order)


@pytest.mark.skipif(not {0, 1} <= os.sched_getaffinity(0), reason="ranks are bound to processors 0 and 1")
@pytest.mark.parametrize("kind", ["cart", "dist"])
def test_ranks_of_a_topology_that_are_neighbors_come_to_one_cache(mpi, kind):
    caches = [pathlib.Path(f"/sys/devices/system/cpu/cpu{i}/cache/index2/shared_cpu_list") for i in (0, 1)]
    if not all(path.exists() for path in caches) or caches[0].read_text() == caches[1].read_text():
        pytest.skip("processors 0 and 1 share their L2 cache, or do not tell")
    bind = ["sh", "-c", 'exec taskset -c $((${OMPI_COMM_WORLD_RANK:-$PMI_RANK} % 2)) "$@"', "-"]
    result = run(*mpi.mpirun(4), *bind, CAIRN, "run", "--tools", "reorder=topologies:on", "--", mpi.program("reorder/topologies"), kind,
                 timeout=60)
    processes = processes_by_rank(result)
    assert processes[0] % 2 == processes[1] % 2 != processes[2] % 2 == processes[3] % 2


@pytest.mark.parametrize("tools", ["reorder=file:{}", "reorder=file:{}:topologies:on,comm=table:off,{}"], ids=["file", "topologies"])
def test_threads_see_the_ranks_of_the_file(mpi, tools, tmp_path):
    tools = tools.format(written(tmp_path, ORDER), mpi.tool("reorder/two_nodes"))
    result = run_stacked(mpi, 4, tools.split(","), mpi.program("reorder/threads"), *ORDER, out=tmp_path / "out", timeout=100)
    assert (result.code, sorted(result.out.splitlines()), result.err) == (0, sorted(f"{new} of {old}: ok" for old, new in enumerate(ORDER)), "")


def test_on_one_node_ranks_stay(mpi):
    result = run_stacked(mpi, 4, ["reorder=topologies:on"], mpi.program("reorder/topologies"), "dist", timeout=60)
    assert processes_by_rank(result) == [0, 1, 2, 3]


def test_topologies_that_cannot_be_fail_as_without_it(mpi):
    bare = run(*mpi.mpirun(4), mpi.program("reorder/topologies"), "bad", timeout=60)
    result = run_stacked(mpi, 4, ["reorder=topologies:on", mpi.tool("reorder/two_nodes")], mpi.program("reorder/topologies"), "bad", timeout=60)
    assert (result.code, sorted(result.out.splitlines())) == (bare.code, sorted(bare.out.splitlines())) and len(bare.out.split()) == 4


def test_variables_bound_to_mpi_comm_world_have_its_ranks(mpi, tmp_path):
    result = reorder(mpi, 4, written(tmp_path, ORDER), mpi.program("reorder/variable"), more=["comm=table:off"], out=tmp_path / "out")
    assert (result.code, sorted(result.out.splitlines()), result.err) == (0, [f"{rank} sent to {(rank + 1) % 4}" for rank in range(4)], "")
