# SPDX-License-Identifier: BSD-3-Clause
# test_model.py - the tool `comm`: collective calls as a model of MPI's algorithms, beside what Open MPI counts inside.

from comm_testing import *

MILLION = 1_000_000


def modelled(mpi, folder, name, ranks=4, option="", **more):
    run_comm(mpi, folder, ranks, "comm_cases", name, tools=["comm=table:off:model:on" + option], **more)
    return volumes(folder / "comm", "coll_modelled")


def inner(folder, ranks=4):
    """{(from, to): bytes} that Open MPI itself sends; the tool's own gathering at the end is among it."""
    found = {}
    for rank in range(ranks):
        for line in (folder / "comm" / f"inner.{rank}.prof").read_text().splitlines():
            letter, *words = line.split("\t")
            if letter == "I":
                found[int(words[0]), int(words[1])] = int(words[2].split()[0])
    return found


def forced(call, algorithm):
    """Open MPI's collective component told what to use."""
    return {"OMPI_MCA_coll_tuned_use_dynamic_rules": 1, f"OMPI_MCA_coll_tuned_{call}_algorithm": algorithm,
            f"OMPI_MCA_coll_tuned_{call}_algorithm_segmentsize": 0}


def test_broadcasts_have_the_bytes_of_a_binomial_tree(mpi, tmp_path):
    found = modelled(mpi, tmp_path, "broadcasts")
    assert found == {(1, 3): (10, 10 * MILLION), (1, 2): (10, 10 * MILLION), (3, 0): (10, 10 * MILLION)}
    assert volumes(tmp_path / "comm", "coll") == {(1, to): (10, 10 * MILLION) for to in (0, 2, 3)}  # as ever
    assert comm_json(tmp_path / "comm")["phases"][0]["operations"] == [[0, "bcast", 1, 10, 10 * MILLION]]


def test_bytes_of_broadcasts_are_those_that_open_mpi_counts_itself(tmp_path):
    found = modelled(MPIS[0], tmp_path, "broadcasts", option=":inner:on", **forced("bcast", 6))
    assert sum(inner(tmp_path).values()) // MILLION == sum(size for _, size in found.values()) // MILLION == 30


def test_pairs_of_reductions_are_those_that_open_mpi_counts_itself(tmp_path):
    found = modelled(MPIS[0], tmp_path, "reductions", option=":inner:on", **forced("allreduce", 3))
    assert found == {(rank, rank ^ step): (1000, 2 * MILLION) for rank in range(4) for step in (1, 2)}
    assert {pair for pair, size in inner(tmp_path).items() if size // MILLION == 2} == set(found)


def test_what_has_no_algorithm_stays_as_it_is(mpi, tmp_path):
    found = modelled(mpi, tmp_path, "parts", ranks=3)
    direct = {(i, j): [1, 4] for i in range(3) for j in range(3) if i != j}
    for rank in (1, 2):  # MPI_Gatherv, and MPI_Gather, whose tree of three has no inner process
        direct[rank, 0] = [3, 4 + 4 * rank + 8]
    assert {pair: list(volume) for pair, volume in found.items()} == direct


def test_the_model_is_told_apart_and_added_to_nothing(mpi, tmp_path):
    modelled(mpi, tmp_path, "broadcasts")
    comment = (tmp_path / "comm" / "coll_modelled.bytes.mtx").read_text().splitlines()[3]
    assert comment == "% a model of the library's algorithms, not measured; in no other file's sums"
    section = json.loads(run(CAIRN, "report", tmp_path, "--json", "-").out)["sections"][0]
    assert section["lines"][0]["figure"] == section["lines"][1]["figure"] == "30.0 MB"
    assert section["lines"][1]["subject"] == "sent in collective calls, by a model"


def test_without_the_option_there_is_no_model(mpi, tmp_path):
    run_comm(mpi, tmp_path, 4, "comm_cases", "broadcasts")
    assert not list((tmp_path / "comm").glob("coll_modelled*")) and "operations" not in comm_json(tmp_path / "comm")["phases"][0]


def test_random_traffic_is_counted_the_same_beside_the_model(mpi, tmp_path):
    for folder, option in (("without", ""), ("with", ":model:on")):
        run_comm(mpi, tmp_path / folder, 4, "comm_random", 5, 100, tools=["comm=table:off" + option])
    for kind in [*KINDS, "total"]:
        assert volumes(tmp_path / "with" / "comm", kind) == volumes(tmp_path / "without" / "comm", kind)
    assert volumes(tmp_path / "with" / "comm", "coll_modelled")
