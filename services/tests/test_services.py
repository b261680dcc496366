# SPDX-License-Identifier: BSD-3-Clause
# test_services.py - the services' answers, held against what is known by the tool checks.cc.

from collections import Counter

from comm_testing import *


def checked(mpi, ranks, program, *arguments, tools=("checks",)):
    result = run_stacked(mpi, ranks, [mpi.tool(f"services/{tool}") for tool in tools], mpi.program(f"services/{program}"), *arguments)
    assert result.code == 0, result.err
    return result.err.splitlines()


def line(lines, word):
    return [line for line in lines if line.startswith(word)]


@pytest.mark.parametrize("threads", [1, 4])
def test_sizes_of_datatypes_are_right_when_handles_come_back(mpi, threads):
    assert line(checked(mpi, 1, "types", threads), "sizes") == [f"sizes {900 * threads} wrong 0"]


def test_world_ranks_are_right_on_every_kind_of_communicator(mpi):
    # 4 communicators with 4 receivers, 20 with 2, one with a remote group of 2; from each of 4 ranks.
    assert line(checked(mpi, 4, "comms"), "outside") == ["outside 0 ranks 232 wrong 0"]


def test_a_spawned_process_is_outside_the_world():
    openmpi = MPIS[0]  # MPICH 4.0.2 as Debian has it cannot spawn
    assert line(checked(openmpi, 4, "comms", "spawn"), "outside 1 ") == ["outside 1 ranks 233 wrong 0"]


@pytest.mark.parametrize("tools", [("checks",), ("checks_large",), ("checks", "checks_large", "checks")], ids="+".join)
@pytest.mark.parametrize("threads", [1, 4])
def test_what_tools_attach_to_a_request_comes_back_when_it_ends(mpi, threads, tools):
    # 50 rounds, 8 ways to end them, 12 requests. Then two persistent ones started 6 times, one that completes, one
    # that is cancelled, and one that is freed.
    expected = f"attached {threads * 4805} started {threads * 12} completed {threads * 4814} wrong 0"
    assert line(checked(mpi, 1, "requests", threads, tools=tools), "attached") == [expected] * len(tools)


def test_communicators_that_the_library_frees_within_a_call_are_not_watched(mpi, tmp_path):
    """Of a window or a file: the program's attribute asks of them while theirs are deleted, and another communicator has their handle next."""
    bare = run(*mpi.mpirun(2), mpi.program("services/inner"), tmp_path / "file")
    stacked = run_stacked(mpi, 2, ["profile=table:off", "comm=table:off"], mpi.program("services/inner"), tmp_path / "file", out=tmp_path / "out")
    assert (stacked.code, sorted(stacked.out.splitlines()), stacked.err) == (0, sorted(bare.out.splitlines()), bare.err)
    communicators = json.loads((tmp_path / "out/profile.json").read_text())["communicators"]
    dropped = sum(int(line.removeprefix("dropped ")) for line in bare.out.splitlines())
    assert [(one["communicators"], one["calls"]) for one in communicators if not one["name"]] == [(400, 800), (0, dropped)]


def test_what_is_freed_past_all_layers_is_not_taken_for_what_has_its_handle_next(mpi, tmp_path):
    bare = run(*mpi.mpirun(4), mpi.program("services/unseen"))
    done = run_comm(mpi, tmp_path, 4, "services/unseen", tools=("comm=table:off", "profile=table:off"))
    assert sorted(done.out.splitlines()) == sorted(bare.out.splitlines())  # with the program's keys of attributes
    for kind in ("p2p", "osc"):
        sent = [list(map(int, line.split()[1:])) for line in done.out.splitlines() if line.startswith(kind)]
        assert volumes(tmp_path / "comm", kind) == {(sender, to): (messages, size) for sender, to, messages, size in sent}
    made = Counter()
    for one in json.loads((tmp_path / "profile.json").read_text())["communicators"]:
        made[one["processes"], one["size"]] += one["communicators"]
    del made["0-3", 4]
    assert made == {("0-1", 2): 8, ("2-3", 2): 8, ("0,2", 2): 8, ("1,3", 2): 8, ("3,2,1,0", 4): 16}  # on all ranks


@pytest.mark.parametrize("above", ["comm=table:off", "profile=table:off", "waits=table:off", "trace", "where", "profile=table:off,comm=table:off"])
def test_tools_above_one_that_renames_handles_go_by_its_names(mpi, above, tmp_path):
    """Those below it by the library's."""
    renames = mpi.tool("services/renames")
    tools = [above, renames, "profile=table:off", renames, "comm=table:off"]
    done = run_stacked(mpi, 4, tools, mpi.program("services/renamed"), out=tmp_path)
    assert (done.code, done.out, "cairn: " in done.err) == (0, "done\n", False), done.err
    sent = {(0, 1): (100, 10000), (2, 3): (100, 10000), (0, 2): (100, 10000), (1, 3): (100, 10000)}
    for folder in ("comm", "comm.2") if "comm" in above else ("comm",):
        assert volumes(tmp_path / folder, "p2p") == sent
    for instance in (1, 2) if "profile" in above else (1,):
        data = json.loads((tmp_path / ("profile.json" if instance == 1 else "profile.2.json")).read_text())
        made = Counter()
        for one in data["communicators"]:
            made[one["processes"], one["size"]] += one["communicators"]
        del made["0-3", 4]
        assert made == {("0-1", 2): 100, ("2-3", 2): 100, ("0,2", 2): 100, ("1,3", 2): 100}
    if above.startswith("waits"):
        coverage = json.loads((tmp_path / "waits.json").read_text())["coverage"]
        assert coverage["matched"] == coverage["sends"] == coverage["receives"] == 400


def test_messages_are_matched_on_every_kind_of_communicator(mpi, tmp_path):
    done = run_stacked(mpi, 4, ["waits=table:off"], mpi.program("services/comms"), out=tmp_path)
    assert done.code == 0, done.err
    coverage = json.loads((tmp_path / "waits.json").read_text())["coverage"]
    assert coverage["matched"] == coverage["sends"] == coverage["receives"] == 232, coverage


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can make a small disk")
@pytest.mark.parametrize("tool", ["waits=table:off", "trace", "where=calls:65536"])
def test_calls_that_have_no_room_on_disk_are_recorded_all_the_same(mpi, tool, tmp_path):
    """The processes' pages have room in their share of it, the records of their threads have none, and only the processes themselves can read them."""
    pages = tmp_path / "pages"
    pages.mkdir()
    small = ["unshare", "--mount", "sh", "-c", 'mount -t tmpfs -o size=4m,mode=700 tmpfs "$0" && exec "$@"', pages]
    bare = run(*mpi.mpirun(2), mpi.program("ring_c"))
    done = run(*small, *mpi.mpirun(2), CAIRN, "run", "--tools", tool, "--out", tmp_path / "out", mpi.program("ring_c"), CAIRN_PAGES=pages)
    assert (done.code, done.out) == (bare.code, bare.out) and done.code == 0
    assert done.err == (f"cairn: warning: tool 'cairn.recorder': other processes cannot read the calls of some threads: no room in '{pages}'\n"
                        f"cairn:   asked for by: --tools {tool}\n")
    if tool == "trace":
        told = run(CAIRN, "trace", tmp_path / "out")
        assert told.err == "" and re.search(r"\n  MPI_Send +20 ", told.out)
    if tool.startswith("waits"):
        assert json.loads((tmp_path / "out" / "waits.json").read_text())["coverage"]["matched"] == 20


def test_services_are_no_tools_for_the_user():
    listed = run(CAIRN, "tools").out
    assert "cairn." not in listed
