# SPDX-License-Identifier: BSD-3-Clause
# test_comm.py - the tool `comm` against programs that know what they send.

from collections import defaultdict

from comm_testing import *


def expected_of(out):
    found = {kind: {} for kind in KINDS}
    for line in filter(None, out.splitlines()):
        kind, *numbers = line.split()
        if kind in found:
            sender, receiver, messages, size = map(int, numbers)
            found[kind][sender, receiver] = (messages, size)
    return found


def sums(volumes):
    total = defaultdict(lambda: (0, 0))
    for cells in volumes:
        for pair, (messages, size) in cells.items():
            total[pair] = (total[pair][0] + messages, total[pair][1] + size)
    return dict(total)


@pytest.mark.parametrize("ranks, seed", [(4, 1), (4, 2), (6, 3)])
def test_every_cell_of_random_traffic_is_right(mpi, ranks, seed, tmp_path):
    done = run_comm(mpi, tmp_path, ranks, "comm_random", seed, 400)
    expected = expected_of(done.out)
    assert all(expected[kind] for kind in KINDS)
    for kind in KINDS:
        assert volumes(tmp_path / "comm", kind) == expected[kind]
    assert volumes(tmp_path / "comm", "total") == sums(expected.values())
    for entry in comm_json(tmp_path / "comm")["phases"][0]["p2p"]:
        assert sum(messages for _, messages in entry[4]) == entry[2]


def test_what_killed_ranks_have_counted_is_in_the_report(mpi, tmp_path):
    pages = tmp_path / "pages"
    pages.mkdir(mode=0o700)
    done = run_stacked(mpi, 4, ("profile=table:off", "comm=table:off", "where"), mpi.program("comm_random"), 1, 400, "killed",
                       out=tmp_path / "out", CAIRN_PAGES=pages)
    assert done.code != 0
    expected = sums(expected_of(done.out).values())
    result = run(CAIRN, "report", tmp_path / "out", "--json", "-", CAIRN_PAGES=pages)
    assert result.code == 0 and "is from memory that outlived the process" in result.err
    sections = json.loads(result.out)["sections"]
    [comm] = [section for section in sections if section["tool"] == "comm"]
    assert {(pair["from"], pair["to"]): (pair["messages"], pair["bytes"]) for pair in comm["tables"]["pairs"]["rows"]} == expected
    [unknown] = [line for line in comm["lines"] if line["figure"] == "no phases"]
    dead = [line["subject"].split()[-1] for line in comm["lines"] if line["figure"] == "SIGKILL"]
    assert dead and re.match(r"and no names of communicators are known of ranks? \d", unknown["subject"])
    assert all(row["phase"] == "outside of regions" for row in comm["tables"]["phases"]["rows"])
    killed = [section for section in sections if section["tool"] == "profile" and section["file"] == "pages"]
    assert killed and all(section["lines"][0]["figure"] == "SIGKILL" for section in killed)
    calls = {row["name"]: row["calls"] for row in killed[0]["tables"]["functions"]["rows"]}
    assert calls["MPI_Init"] == 1 and calls["MPI_Win_create"] >= 1

    another = run_comm(mpi, tmp_path / "next", 3, "ring_c", tools=("where",), CAIRN_PAGES=pages)  # clears away what the dead have left, into their results
    assert another.code == 0 and list(pages.iterdir()) == []
    again = run(CAIRN, "report", tmp_path / "out", "--json", "-", CAIRN_PAGES=pages)
    assert [section for section in json.loads(again.out)["sections"] if section["tool"] == "comm"] == [comm]


def test_sizes_are_told_by_powers_of_two(mpi, tmp_path):
    run_comm(mpi, tmp_path, 3, "ring_c")
    flows = phase(comm_json(tmp_path / "comm"), "")["p2p"]
    assert flows == [[rank, (rank + 1) % 3, 10, 4000, [[512, 10]]] for rank in range(3)]


def test_communicators_have_their_calls(mpi, tmp_path):
    run_comm(mpi, tmp_path, 3, "ring_c")
    data = comm_json(tmp_path / "comm")
    assert data["communicators"] == [{"name": "MPI_COMM_WORLD", "members": "0-2", "remote": "", "number": 1}]
    # one broadcast of 40 bytes by rank 0; a barrier and a reduction of 8 bytes among all
    assert sorted(phase(data, "")["collectives"]) == [[0, rank, int(rank == 0), 80 * (rank == 0), 0, 0, 2, 16] for rank in range(3)]


def test_a_second_instance_has_a_folder_of_its_own(mpi, tmp_path):
    run_comm(mpi, tmp_path, 3, "ring_c", tools=["comm=table:off", "comm=table:off"])
    outer, inner = volumes(tmp_path / "comm", "p2p"), volumes(tmp_path / "comm.2", "p2p")
    assert inner == outer == {(rank, (rank + 1) % 3): (10, 4000) for rank in range(3)}
    assert sorted(path.name for path in (tmp_path / "comm").iterdir()) == sorted(
        ["comm.json", *(f"{kind}.{measure}.mtx" for kind in [*KINDS, "total"] for measure in ["bytes", "messages"])])


# ------------------------------------------------------------ Open MPI's names


@pytest.mark.parametrize("own_monitoring", [None, "2"])
def test_flushed_phases_have_the_counts_of_the_monitoring_component(mpi, own_monitoring, tmp_path):
    prefix = ["comm"] if own_monitoring else []
    done = run_comm(mpi, tmp_path, 4, "monitoring_phases", tmp_path / "phase", *prefix,
                    OMPI_MCA_pml_monitoring_enable=own_monitoring)
    assert "warning" not in done.err
    for rank in range(4):
        lines = (tmp_path / f"phase_1.{rank}.prof").read_text().splitlines()
        assert lines[0] == "# POINT TO POINT"
        letter, sender, receiver, size, messages, bins = lines[1].split("\t")
        assert (letter, sender, receiver) == ("E", str(rank), str((rank + 1) % 4))
        count = 27 if rank == 0 else 26
        assert (size, messages) == (f"{4 * count} bytes", f"{count} msgs sent")
        assert bins == ",".join(["0", "0", "0", str(count)] + ["0"] * 62)
        assert lines[2:] == ["# OSC", "# COLLECTIVES", "D\tMPI_COMM_WORLD\tprocs: 0,1,2,3", *(f"{what}\t{rank}\t0 bytes\t0 msgs sent" for what in ("O2A", "A2O", "A2A"))]
        second = (tmp_path / f"phase_2.{rank}.prof").read_text().splitlines()[1].split("\t")
        assert second[3:5] == (["20 bytes", "5 msgs sent"] if rank == 0 else ["16 bytes", "4 msgs sent"])
    assert volumes(tmp_path / "comm", "p2p") == {(0, 1): (32, 128), **{(i, (i + 1) % 4): (30, 120) for i in (1, 2, 3)}}


@pytest.mark.parametrize("component", [None, "2"])
def test_the_examples_of_section_8_5_run_as_printed(mpi, component, tmp_path):
    (tmp_path / "prof").mkdir()
    done = run_comm(mpi, tmp_path, 4, "monitoring_as_printed", "prof/phase_1", cwd=tmp_path,
                    OMPI_MCA_pml_monitoring_enable=component, OMPI_MCA_pml_monitoring_filename="phase_0")
    assert "warning" not in done.err
    told = [line for line in done.out.splitlines() if "UCX" not in line]  # of the message that nobody receives, bare too
    assert told == ["file name of 7", "to 0: 26", "to 1: 27", "to 2: 26", "to 3: 26"]
    for rank in range(4):
        second = (tmp_path / "prof" / f"phase_1.{rank}.prof").read_text().splitlines()[1]
        count = 27 if rank == 0 else 26
        assert second.split("\t")[:5] == ["E", str(rank), str((rank + 1) % 4), f"{4 * count} bytes", f"{count} msgs sent"]


def test_the_tool_of_section_8_4_makes_its_matrices(tmp_path):
    """Open MPI's own, which reads the variables in MPI_Init and MPI_Finalize. As Debian builds both, it ends bare programs: the library no longer has them then."""
    [tool, *_] = pathlib.Path("/usr/lib").glob("*/openmpi/lib/ompi_monitoring_prof.so")
    done = run_comm(MPIS[0], tmp_path, 2, "ring_c", tools=[tool, "comm=table:off"], cwd=tmp_path, OMPI_MCA_pml_monitoring_enable="2")
    assert "ERROR" not in done.err and "writing 2x2 matrix to monitoring_pml_msg.mat" in done.out
    rows = {what: (tmp_path / f"monitoring_pml_{what}.mat").read_text().split() for what in ("msg", "size", "avg")}
    assert rows == {"msg": ["0", "10", "10", "0"], "size": ["0", "4000", "4000", "0"], "avg": ["0", "400", "400", "0"]}


@pytest.mark.parametrize("output", [1, 2, 3])
def test_what_came_since_the_last_flush_goes_where_pml_monitoring_enable_output_says(mpi, output, tmp_path):
    done = run_comm(mpi, tmp_path, 2, "ring_c", options=["--set", f"pml_monitoring_enable_output={output}", "--set",
                    f"pml_monitoring_filename={tmp_path}/all"], tools=["comm=table:off:files:on"])
    text = {1: done.out, 2: done.err}.get(output) or "".join((tmp_path / f"all.{rank}.prof").read_text() for rank in range(2))
    assert "E\t0\t1\t4000 bytes\t10 msgs sent\t" in text and "E\t1\t0\t4000 bytes\t10 msgs sent\t" in text
    assert (output == 3) == (tmp_path / "all.0.prof").exists()


def shown(out):
    return {line.split(":")[0]: [int(word) for word in line.split(":")[1].split()] for line in out.splitlines() if ":" in line}


@pytest.mark.parametrize("measure, unit", [("count", 1), ("size", 4)])
def test_a_program_reads_its_own_row(mpi, measure, unit, tmp_path):
    lines = shown(run_comm(mpi, tmp_path, 4, "monitoring_counts", f"pml_monitoring_messages_{measure}").out)
    for when, messages in {"counting": 27, "stopped": 27, "again": 28, "read only": 28}.items():
        for rank in range(4):
            row = [0] * 4
            row[(rank + 1) % 4] = messages * unit
            assert lines[f"{when} {rank}"] == row


# ------------------------------------------------------------ inside the library


def test_what_the_library_sends_by_itself_stands_apart(tmp_path):
    run_comm(MPIS[0], tmp_path, 3, "ring_c", tools=["comm=table:off:inner:on"])
    assert volumes(tmp_path / "comm", "p2p") == {(rank, (rank + 1) % 3): (10, 4000) for rank in range(3)}
    lines = [line.split("\t") for line in (tmp_path / "comm" / "inner.0.prof").read_text().splitlines()]
    # The component counts what ranks tell each other in MPI_Init, a length, a text, clocks and a word, and at the end, when results are gathered and rank 0 has written them.
    seen = {tuple(line[1:3]): line[3:5] for line in lines if line[0] == "E"}
    size, messages = seen["0", "1"]
    assert messages == "21 msgs sent" and 4000 < int(size.split()[0]) < 4800
    section = json.loads(run(CAIRN, "report", tmp_path, "--json", "-").out)["sections"][0]
    assert section["lines"][1]["subject"] == "sent by the library itself"
    check_inner_matrices(tmp_path, {(row["from"], row["to"]): (row["messages"], row["bytes"]) for row in section["tables"]["inner"]["rows"]})


def check_inner_matrices(folder, in_json):
    """What the component has written after comm had gathered: one matrix, in every form."""
    sums = {}
    for rank in range(3):
        for line in (folder / "comm" / f"inner.{rank}.prof").read_text().splitlines():
            if line.startswith("I\t"):
                _, source, target, size, count, *_ = line.split("\t")
                sums[int(source), int(target)] = (int(count.split()[0]), int(size.split()[0]))
    assert sums and in_json == sums
    assert not (folder / "comm" / "inner.bytes.mtx").exists()
    assert run(CAIRN, "report", folder).code == 0  # which completes the folder
    assert volumes(folder / "comm", "inner") == sums
    assert run(CAIRN, "report", folder, "--csv", folder / "csv", "--mat", folder / "mat").code == 0
    rows = [line.split(",") for line in (folder / "csv" / "inner.csv").read_text().split()[1:]]
    assert {(int(row[0]), int(row[1])): (float(row[3]), float(row[2])) for row in rows} == sums
    check_script_form(folder, sums)
    placed = run(CAIRN, "place", folder / "comm" / "inner.bytes.mtx", "--nodes", "n1", "--machine", "core:4")
    assert placed.code == 0, placed.err


def check_script_form(folder, inner):
    """As profile2mat.pl, which comes with Open MPI: half of what a pair exchanges in each of its places, sums, messages and means."""
    def rows(what, of):
        return [[int(word) for word in line.split(" ")[:-1]] for line in (folder / f"mat_{what}_{of}.mat").read_text().splitlines()]

    assert sorted(path.name for path in folder.glob("mat_*")) == sorted(
        f"mat_{what}_{of}.mat" for what in ("size", "msg", "avg") for of in ("external", "internal", "coll", "all"))
    assert rows("size", "external") == [[0, 2000, 2000], [2000, 0, 2000], [2000, 2000, 0]]
    assert rows("msg", "external") == [[0, 5, 5], [5, 0, 5], [5, 5, 0]]
    assert rows("avg", "external") == [[0, 400, 400], [400, 0, 400], [400, 400, 0]]
    for a in range(3):
        for b in range(3):
            messages, size = (sum(inner.get(pair, (0, 0))[i] for pair in ((a, b), (b, a))) / 2 for i in (0, 1))
            assert abs(rows("size", "internal")[a][b] - size) <= 0.5 and abs(rows("msg", "internal")[a][b] - messages) <= 0.5
            assert abs(rows("size", "all")[a][b] - size - rows("size", "external")[a][b] - rows("size", "coll")[a][b]) <= 1


def test_matrices_in_the_scripts_form_need_results_of_comm(tmp_path):
    run_comm(MPIS[1], tmp_path / "run", 2, "ring_c", tools=["profile=table:off"])
    done = run(CAIRN, "report", tmp_path / "run", "--mat", tmp_path / "mat")
    assert (done.code, done.err.splitlines()) == (125, [
        f"cairn: error: '{tmp_path}/run' has no results of comm", f"cairn:   asked for by: --mat {tmp_path}/mat",
        f"cairn:   try: cairn run --tools comm --out {tmp_path}/run PROGRAM"])


@pytest.mark.parametrize("other", [["vars=table:off"], []], ids=["with vars", "without"])
def test_where_mpi_t_stays_in_use_the_component_writes_nothing_and_that_is_told(other, tmp_path):
    done = run_comm(MPIS[0], tmp_path, 3, "ring_c", tools=["comm=table:off:inner:on", *other])
    told = ("cairn: warning: tool 'comm': nothing of what the library sends by itself: its monitoring component writes when MPI ends, but not while "
            "MPI_T is in use, as by 'vars', 'policy', 'steer', 'reorder=topologies:on', 'cairn run --set' or the program")
    assert done.code == 0 and done.err.splitlines().count(told) == len(other)
    assert len(list((tmp_path / "comm").glob("inner.*.prof"))) == (0 if other else 3)
    assert volumes(tmp_path / "comm", "p2p")


def test_a_library_without_such_a_component_is_told_of(tmp_path):
    done = run_comm(MPIS[1], tmp_path, 3, "ring_c", tools=["comm=table:off:inner:on"])
    assert "cairn: warning: tool 'comm': nothing of what the library sends by itself: this MPI library has no monitoring component" in done.err
    assert volumes(tmp_path / "comm", "p2p")
