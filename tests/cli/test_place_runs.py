# SPDX-License-Identifier: BSD-3-Clause
# test_place_runs.py - cairn place on runs of which not all is known.

import json

import pytest
from cli_testing import *

NODES_WITH_CORES = "--nodes with the cores that the processes have, as in n1:4,n2:4"


def place(*words, **settings):
    return run(CAIRN, "place", *words, **settings)


def run_folder(folder, nodes, places=None, **more):
    """Of four ranks, of which 0 and 1 exchange data, and 2 and 3."""
    (folder / "comm").mkdir(parents=True, exist_ok=True)
    summary = {"format": "cairn-comm 1", "program": "/bin/app", "ranks": 4,
               "nodes": [{"name": name, "ranks": ranks} for name, ranks in nodes.items()], "communicators": [],
               "phases": [{"name": "", "p2p": [[0, 1, 1, 100, []], [2, 3, 1, 100, []]]}]}
    (folder / "comm/comm.json").write_text(json.dumps({**summary, **more}))
    if places is not None:
        entries = [{"node": node, "processors": "", "ranks": ranks} for node, ranks in places.items()]
        (folder / "run.json").write_text(json.dumps({"format": "cairn-run 1", "places": entries}))
    return folder


def test_ranks_without_results_are_where_the_run_had_them(tmp_path):
    folder = run_folder(tmp_path, {"n1": "0"}, {"n1": "0,2", "n2": "1,3"})
    result = place(folder, "--reorder", tmp_path / "order")
    assert (result.code, result.err) == (0, "") and " on 2 nodes " in result.out
    ranks = [int(line) for line in (tmp_path / "order").read_text().splitlines() if line[0] != "#"]
    assert {frozenset(ranks[0::2]), frozenset(ranks[1::2])} == {frozenset({0, 1}), frozenset({2, 3})}


def test_what_is_unknown_of_the_nodes_is_told(tmp_path):
    folder = run_folder(tmp_path, {"n1": "0", "n2": "1"})
    result = place(folder, "--machine", "core:2")
    assert (result.code, result.err) == (0, warning(
        "it is unknown on which node ranks 2-3 ran: the machine has the nodes of the others", remedy="--nodes with all of them"))
    result = place(folder, "--reorder", tmp_path / "order")
    assert (result.code, result.err) == (125, error("it is unknown on which node ranks 2-3 ran", "--reorder", NODES_WITH_CORES))
    result = place(folder, "--nodes", "n1:2,n2:2", "--reorder", tmp_path / "order")
    assert (result.code, result.err) == (0, "")


def test_snapshots_of_ranks_are_used_where_the_run_is_not_over(tmp_path):
    whole = json.loads((run_folder(tmp_path, {"n1": "0-1", "n2": "2-3"}) / "comm/comm.json").read_text())
    (tmp_path / "comm/comm.json").unlink()
    for rank in range(3):
        flows = [flow for flow in whole["phases"][0]["p2p"] if flow[0] == rank]
        part = {**whole, "rank": rank, "nodes": [{"name": f"n{rank // 2 + 1}", "ranks": str(rank)}], "phases": [{"name": "", "p2p": flows}]}
        (tmp_path / f"comm/rank.{rank}.json").write_text(json.dumps(part))
    told = f"'{tmp_path}/comm' has snapshots of 3 ranks, not the results of the whole run"
    result = place(tmp_path, "--nodes", "n1:2,n2:2")
    assert (result.code, result.err) == (0, warning(told)) and ": 200 B between ranks" in result.out
    result = run(CAIRN, "report", tmp_path, "--mat", tmp_path / "mat")
    assert (result.code, result.err) == (0, warning(told))
    assert (tmp_path / "mat_size_all.mat").read_text() == "0 50 0 0 \n50 0 0 0 \n0 0 0 50 \n0 0 50 0 \n"
    for rank in range(3):
        (tmp_path / f"comm/rank.{rank}.json").write_text("{")
    result = place(tmp_path)
    assert (result.code, result.err) == (125, error(f"'{tmp_path}/comm/rank.0.json' is damaged: not valid JSON from byte 2 on",
                                                    remedy="running the program again with 'cairn run'"))


def test_what_the_run_has_not_counted_is_told(tmp_path):
    folder = run_folder(tmp_path, {"n1": "0-1", "n2": "2-3"}, lost=True, saturated=True)
    told = [f"'{tmp_path}/comm/comm.json' does not have all: some rank had no memory for more",
            f"'{tmp_path}/comm/comm.json' has a sum of bytes that did not fit, and stayed at the greatest number"]
    for command in ("place", "--machine", "core:2"), ("advise",):
        result = run(CAIRN, command[0], folder, *command[1:])
        assert (result.code, result.err) == (0, "".join(map(warning, told)))


def test_names_from_files_cannot_control_the_terminal(tmp_path):
    folder = run_folder(tmp_path, {"n\x1b[2J": "0-1", "n2": "2-3"}, program="/bin/\x1b]0;x\x07a", phases=[
        {"name": "\x1b[1mphase", "p2p": [[0, 1, 1, 100, []], [2, 3, 1, 100, []]]}])
    hosts, switches = tmp_path / "hosts", tmp_path / "topology.conf"
    hosts.write_text("a b\x1bc\na=\x1b\n")
    switches.write_text("SwitchName=s Nodes=\x1bn\n")
    for words in ((), ("--phase", "none"), ("--reorder", tmp_path / "order"), ("--nodes", hosts), ("--topology", switches), ("--nodes", "n2")):
        result = place(folder, "--machine", "core:2", *words)
        assert "\x1b" not in result.out + result.err and "\x07" not in result.out + result.err, words


@pytest.mark.parametrize("line, cores", [("a slots=2 max_slots=4", 2), ("a max_slots=4 slots=2", 2), ("a max-slots=4 slots=2 # slots=3", 2), ("a:2 max_slots=4", 2)])
def test_slots_of_a_node_are_not_the_most_that_it_may_have(line, cores, tmp_path):
    hosts = tmp_path / "hosts"
    hosts.write_text(f"{line}\nb slots=2\n")
    result = place(run_folder(tmp_path, {}), "--nodes", hosts, "--json", "-")
    assert [node["cores"] for node in json.loads(result.out)["nodes"]] == [cores, 2]


@pytest.mark.parametrize("text, told, remedy", [
    ("\n# none\n", "'{}' names no node", "a line for each: NAME, NAME:CORES or NAME slots=CORES"),
    ("a slots=\n", "'{}', line 1: 'a slots=' is not a node", "NAME, NAME:CORES or NAME slots=CORES")])
def test_files_without_nodes_are_refused(text, told, remedy, tmp_path):
    hosts = tmp_path / "hosts"
    hosts.write_text(text)
    result = place(run_folder(tmp_path, {}), "--nodes", hosts)
    assert (result.code, result.err) == (125, error(told.format(hosts), f"--nodes {hosts}", remedy))
