# SPDX-License-Identifier: BSD-3-Clause
# test_place.py - cairn place: how good its mappings are, with Scotch and hwloc; machines, launchers' files, messages.

import itertools
import json
import pathlib
import random

import pytest
from cli_testing import *

HEADER = "%%MatrixMarket matrix coordinate integer general\n"


def place(*words, **settings):
    return run(CAIRN, "place", *words, **settings)


def mappings(*words):
    """By name."""
    result = place(*words, "--json", "-")
    assert (result.code, result.err) == (0, "")
    answer = json.loads(result.out)
    assert (answer["format"], [one["name"] for one in answer["mappings"]]) == ("cairn-placement 1", ["cairn", "slot", "node", "random"])
    return {one.pop("name"): one for one in answer["mappings"]}


def grid(*sizes, periodic=False):
    """Pairs of neighbours."""
    ranks = list(itertools.product(*map(range, sizes)))
    number = {rank: i for i, rank in enumerate(ranks)}
    for rank, axis in itertools.product(ranks, range(len(sizes))):
        next_one = list(rank)
        next_one[axis] += 1
        if periodic:
            next_one[axis] %= sizes[axis]
        if next_one[axis] < sizes[axis]:
            yield number[rank], number[tuple(next_one)]


def tree(ranks):
    return ((i, (i - 1) // 2) for i in range(1, ranks))


def write_matrix(path, ranks, pairs, shuffled=True):
    order = list(range(1, ranks + 1))
    if shuffled:
        random.Random(1).shuffle(order)
    lines = [f"{order[a]} {order[b]} 1000\n{order[b]} {order[a]} 1000\n" for a, b in pairs]
    path.write_text(f"{HEADER}{ranks} {ranks} {2 * len(lines)}\n{''.join(lines)}")
    return path


def between_nodes(path, cores, of):
    """Counted anew, from the file."""
    entries = [tuple(map(int, line.split())) for line in path.read_text().splitlines()[2:]]
    return sum(value for row, column, value in entries if cores[row - 1] // of != cores[column - 1] // of)


# (ranks, pairs, nodes, cores of each, the least between nodes in pairs)
PATTERNS = {
    "a ring": (64, grid(64, periodic=True), 8, 8, 8),
    "a plane": (64, grid(8, 8), 8, 8, 32),
    "a large plane": (1024, grid(32, 32), 16, 64, 192),
    "a cube": (512, grid(8, 8, 8), 8, 64, 192),
    "a torus": (512, grid(8, 8, 8, periodic=True), 8, 64, 384),
}


def test_a_tree_comes_within_a_tenth_of_the_least_hop_bytes(tmp_path):
    own = mappings(write_matrix(tmp_path / "a.mtx", 127, tree(127)), "--nodes", 8, "--machine", "core:16")["cairn"]
    assert own["hop_bytes"] <= 1.1 * 4000 * (126 + 10)


@pytest.mark.parametrize("pattern", PATTERNS)
def test_shuffled_ranks_come_within_a_tenth_of_the_optimum(pattern, tmp_path):
    ranks, pairs, nodes, cores, least = PATTERNS[pattern]
    path = write_matrix(tmp_path / "a.mtx", ranks, pairs)
    found = mappings(path, "--nodes", nodes, "--machine", f"core:{cores}")
    own = found["cairn"]
    assert len(set(own["cores"])) == ranks and max(own["cores"]) < nodes * cores
    assert own["bytes_between_nodes"] == between_nodes(path, own["cores"], cores) <= 1.1 * 2000 * least
    assert 2 * own["bytes_between_nodes"] / nodes <= own["busiest_link"] <= own["bytes_between_nodes"]
    assert own["hop_bytes"] == 2 * sum(own["bytes_by_distance"].values()) + 2 * own["bytes_between_nodes"]
    assert own["hop_bytes"] <= min(found["slot"]["hop_bytes"], found["node"]["hop_bytes"])


def test_three_levels_of_switches_and_nodes(tmp_path):
    (tmp_path / "topology.conf").write_text("SwitchName=s0 Nodes=n[0-3]\nSwitchName=s1 Nodes=n[4-7]\nSwitchName=top Switches=s[0-1]\n")
    path = write_matrix(tmp_path / "a.mtx", 64, grid(8, 8))
    own = mappings(path, "--topology", tmp_path / "topology.conf", "--machine", "package:2 core:4")["cairn"]
    assert own["bytes_by_distance"] == {"cache": 0, "numa": 0, "node": 160000, "switch": 48000, "farther": 16000}  # the optimum


def test_uneven_nodes_and_cores_per_rank(tmp_path):
    path = write_matrix(tmp_path / "a.mtx", 12, grid(12))
    cores = mappings(path, "--nodes", "a:16,b:8", "--cores-per-rank", 2)["cairn"]["cores"]
    assert sorted(cores) == list(range(0, 24, 2))
    hosts = tmp_path / "hosts"
    hosts.write_text("# mine\na slots=16\nb:8\n")
    assert mappings(path, "--nodes", hosts, "--cores-per-rank", 2)["cairn"]["cores"] == cores
    assert sorted(mappings(path, "--nodes", 3, "--machine", "core:8", "--ranks-per-node", 4)["cairn"]["cores"]) == list(range(0, 24, 2))


def test_a_machine_is_read_from_a_file_of_hwloc(tmp_path):
    node = tmp_path / "node.xml"
    node.write_text("""<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE topology SYSTEM "hwloc2.dtd">
<topology version="2.0">
 <object type="Machine" os_index="0" cpuset="0x3" complete_cpuset="0x3" allowed_cpuset="0x3" nodeset="0x1" complete_nodeset="0x1" allowed_nodeset="0x1" gp_index="1">
  <object type="NUMANode" os_index="0" cpuset="0x3" complete_cpuset="0x3" nodeset="0x1" complete_nodeset="0x1" gp_index="2" local_memory="1"/>
  <object type="L2Cache" cpuset="0x3" complete_cpuset="0x3" nodeset="0x1" complete_nodeset="0x1" gp_index="3" cache_size="1" depth="2" cache_linesize="64" cache_associativity="0" cache_type="0">
   <object type="Core" os_index="0" cpuset="0x1" complete_cpuset="0x1" nodeset="0x1" complete_nodeset="0x1" gp_index="4"><object type="PU" os_index="0" cpuset="0x1" complete_cpuset="0x1" nodeset="0x1" complete_nodeset="0x1" gp_index="5"/></object>
   <object type="Core" os_index="1" cpuset="0x2" complete_cpuset="0x2" nodeset="0x1" complete_nodeset="0x1" gp_index="6"><object type="PU" os_index="1" cpuset="0x2" complete_cpuset="0x2" nodeset="0x1" complete_nodeset="0x1" gp_index="7"/></object>
  </object>
 </object>
</topology>
""")
    path = write_matrix(tmp_path / "a.mtx", 4, [(0, 1), (2, 3)])
    distances = mappings(path, "--nodes", 2, "--machine", node)["cairn"]["bytes_by_distance"]
    assert distances == {"cache": 4000, "numa": 0, "node": 0, "switch": 0, "farther": 0}
    node.write_text("<topology/>")
    result = place(path, "--nodes", 2, "--machine", node)
    assert (result.code, cairn_lines(result.err).splitlines()[1]) == (125, f"cairn:   asked for by: --machine {node}")


@pytest.fixture
def pairs(tmp_path):
    return write_matrix(tmp_path / "pairs.mtx", 4, [(0, 2), (1, 3)], shuffled=False)


def test_what_to_expect_is_shown(pairs):
    result = place(pairs, "--nodes", 2, "--machine", "core:2")
    assert (result.code, result.err) == (0, "")
    assert result.out == """4 ranks on 2 nodes with 2 cores: 4.00 kB between ranks

  mapping      hop-bytes  busiest link     same node   same switch
  cairn          8.00 kB           0 B       4.00 kB           0 B
  slot           16.0 kB       4.00 kB           0 B       4.00 kB
  node           8.00 kB           0 B       4.00 kB           0 B
  random         8.00 kB           0 B       4.00 kB           0 B

Not worth it: 0.0 % fewer hop-bytes than by node, the better usual mapping; below 5.0 % do not expect to see a difference.
Most launchers map by slot; by node takes 50.0 % fewer hop-bytes.
"""


def test_the_gain_is_shown(tmp_path):
    path = write_matrix(tmp_path / "a.mtx", 64, grid(8, 8), shuffled=False)
    assert place(path, "--nodes", 8, "--machine", "core:8").out.splitlines()[-1] == (
        "14.3 % fewer hop-bytes than by slot, the better usual mapping; between nodes 42.9 % less.")


def test_files_for_launchers_come_with_their_commands(pairs, tmp_path):
    files = {option: tmp_path / option for option in ("rankfile", "hydra", "slurm")}
    words = [word for option, path in files.items() for word in (f"--{option}", path)]
    result = place(pairs, "--nodes", "a:2,b:2", *words)
    assert result.out.splitlines()[-4:] == [
        "To use it:", f"  mpirun -n 4 --rankfile {files['rankfile']} …", f"  mpiexec -f {files['hydra']} -n 4 …",
        f"  SLURM_HOSTFILE={files['slurm']} srun -n 4 --distribution=arbitrary …"]
    nodes = [line.split("=")[1].split()[0] for line in files["rankfile"].read_text().splitlines()]
    assert nodes == files["slurm"].read_text().split() and nodes[0] == nodes[2] != nodes[1] == nodes[3]


def test_a_run_is_placed_by_phase_and_by_messages(tmp_path):
    flows = {"p2p": [[0, 2, 1, 100, []], [1, 3, 1, 100, []]]}
    (tmp_path / "comm").mkdir()
    (tmp_path / "comm/comm.json").write_text(json.dumps({
        "format": "cairn-comm 1", "program": "/bin/app", "ranks": 4, "nodes": [{"name": "n1", "ranks": "0-1"}, {"name": "n2", "ranks": "2-3"}],
        "communicators": [{"name": "MPI_COMM_WORLD", "members": "0-3", "remote": "", "number": 1}],
        "phases": [{"name": "", **flows}, {"name": "solve", "p2p": [[0, 1, 7, 0, []]], "coll_shared": [[0, "to_all", 0, 1, 8, []]]}]}))
    text = place(tmp_path, "--machine", "core:2").out
    assert text.splitlines()[0] == "app, 4 ranks on 2 nodes with 2 cores: 224 B between ranks, collective calls as if every part went directly"
    found = mappings(tmp_path, "--machine", "core:2", "--phase", "solve", "--by", "messages")
    assert found["slot"]["bytes_by_distance"]["node"] == 8 and found["slot"]["bytes_between_nodes"] == 2
    result = place(tmp_path, "--phase", "read")
    assert (result.code, result.err) == (125, error("the run has no phase 'read'", "--phase read", "solve"))
    results = json.loads((tmp_path / "comm/comm.json").read_text())
    results["phases"][0]["coll_direct"] = [[0, 3, 1, 50, []]]
    results["phases"][1]["operations"] = [[0, "bcast", 0, 1, 40]]  # in a binomial tree, to each of three
    (tmp_path / "comm/comm.json").write_text(json.dumps(results))
    assert "370 B between ranks, collective calls by the model of comm" in place(tmp_path, "--machine", "core:2").out
    assert "120 B between ranks, collective calls by the model of comm" in place(tmp_path, "--machine", "core:2", "--phase", "solve").out
    (tmp_path / "comm/inner.0.prof").write_text("I\t0\t3\t60 bytes\t2 msgs sent\n")
    assert "260 B between ranks, collective calls as Open MPI's monitoring saw them" in place(tmp_path, "--machine", "core:2").out
    (tmp_path / "run.json").write_text('{"format": "cairn-run 1", "run": "a"}')
    (tmp_path / "comm/comm.json").write_text('{"format": "cairn-comm 1", "run": "b"}')
    assert place(tmp_path).err == error(f"'{tmp_path}/comm/comm.json' belongs to another run (b) than run.json: left out",
                                        remedy="a folder of its own for each run")


def shares_no_core():
    siblings = pathlib.Path("/sys/devices/system/cpu/cpu0/topology/thread_siblings_list")
    return {0, 1} <= os.sched_getaffinity(0) and siblings.exists() and siblings.read_text() == "0\n"


@pytest.mark.skipif(not shares_no_core(), reason="ranks are bound to processors 0 and 1, which must be two cores")
def test_a_run_on_this_machine_is_reordered_within_it(mpi, tmp_path):
    bind = ["sh", "-c", 'exec taskset -c ${OMPI_COMM_WORLD_RANK:-$PMI_RANK} "$@"', "-"]
    result = run(*mpi.mpirun(2), *bind, CAIRN, "run", "--tools", "comm=table:off", "--out", tmp_path / "out", "--", mpi.program("ring_c"))
    assert result.code == 0, result.err
    reordered = place(tmp_path / "out", "--reorder", tmp_path / "order").out
    assert "known to be bound" not in reordered
    plain = place(tmp_path / "out").out  # this machine is the default
    assert reordered.startswith(plain) and reordered.removeprefix(plain).startswith("\nTo use it:\n")


def test_a_picture_is_drawn_and_shown_in_the_report(tmp_path):
    (tmp_path / "comm").mkdir()
    (tmp_path / "comm/comm.json").write_text(json.dumps({
        "format": "cairn-comm 1", "program": "/bin/app", "ranks": 4, "nodes": [], "communicators": [],
        "phases": [{"name": "", "p2p": [[0, 2, 1, 100, []], [1, 3, 1, 100, []]]}]}))
    result = place(tmp_path, *MACHINE, "--picture", tmp_path / "placement.svg")
    assert (result.code, result.err) == (0, "")
    svg = (tmp_path / "placement.svg").read_text()
    assert ">by node: 400 B hop-bytes, 0 B between nodes<" in svg and ">cairn: 400 B hop-bytes, 0 B between nodes<" in svg
    assert svg.count("hsl(") == 2 * 4 and svg.count("<path ") == 2  # pairs in both directions; the line between the nodes
    assert run(CAIRN, "report", tmp_path).code == 0
    assert '"type":"picture"' in (tmp_path / "report.html").read_text()
    for run_of_comm, is_shown in (("a", True), ("b", False)):  # the picture is of run a
        comm = json.loads((tmp_path / "comm/comm.json").read_text())
        (tmp_path / "comm/comm.json").write_text(json.dumps({**comm, "run": run_of_comm}))
        if is_shown:
            assert place(tmp_path, *MACHINE, "--picture", tmp_path / "placement.svg").code == 0
            assert "<metadata>run a</metadata>" in (tmp_path / "placement.svg").read_text()
        assert run(CAIRN, "report", tmp_path).code == 0
        assert ('"type":"picture"' in (tmp_path / "report.html").read_text()) == is_shown


MACHINE = ["--nodes", "2", "--machine", "core:2"]


def test_processes_are_given_ranks_where_they_are(pairs, tmp_path):
    order = tmp_path / "order"
    result = place(pairs, *MACHINE, "--reorder", order)
    assert result.out.splitlines()[-1] == f"  mpirun -n 4 cairn run --tools reorder=file:{order} …"
    ranks = [int(line) for line in order.read_text().splitlines() if line[0] != "#"]
    assert sorted(ranks) == [0, 1, 2, 3] and {frozenset(ranks[:2]), frozenset(ranks[2:])} == {frozenset({0, 2}), frozenset({1, 3})}
    (tmp_path / "comm").mkdir()  # a run whose launcher has put every second process on a node
    (tmp_path / "comm/comm.json").write_text(json.dumps({
        "format": "cairn-comm 1", "program": "/bin/app", "ranks": 4, "nodes": [{"name": "n1", "ranks": "0,2"}, {"name": "n2", "ranks": "1,3"}],
        "communicators": [], "phases": [{"name": "", "p2p": [[0, 1, 1, 100, []], [2, 3, 1, 100, []]]}]}))
    assert place(tmp_path, "--reorder", order).code == 0
    ranks = [int(line) for line in order.read_text().splitlines() if line[0] != "#"]
    assert {frozenset(ranks[0::2]), frozenset(ranks[1::2])} == {frozenset({0, 1}), frozenset({2, 3})}


GUESSED = "  (Not all processes are known to be bound to a core of their own: those of a node are assumed to have its cores in order.)"


@pytest.mark.parametrize("machine, processors, is_sure", [
    ("l2:2 core:2", ["0,8", "2,10", "1,9", "3,11"], True), ("l2:2 core:2", ["0", "2", "1", "0-3"], False), ("l2:2 core:2", ["", "", "", ""], False),
    ("l2:4 core:2", ["1", "6", "0", "7"], True), ("l3:2 core:4", ["0-1", "4-5", "2-3", "6-7"], True)])
def test_processes_are_given_ranks_on_the_cores_that_they_are_bound_to(machine, processors, is_sure, tmp_path):
    (tmp_path / "comm").mkdir()
    (tmp_path / "comm/comm.json").write_text(json.dumps({
        "format": "cairn-comm 1", "program": "/bin/app", "ranks": 4, "nodes": [{"name": "n1", "ranks": "0-3"}],
        "communicators": [], "phases": [{"name": "", "p2p": [[0, 1, 1, 100, []], [2, 3, 1, 100, []]]}]}))
    places = [{"node": "n1", "processors": of_one, "ranks": str(rank)} for rank, of_one in enumerate(processors)]
    (tmp_path / "run.json").write_text(json.dumps({"format": "cairn-run 1", "places": places}))
    order = tmp_path / "order"
    result = place(tmp_path, "--machine", machine, "--reorder", order)
    assert (result.code, result.err, result.out.splitlines()[-1] == GUESSED) == (0, "", not is_sure)
    ranks = [int(line) for line in order.read_text().splitlines() if line[0] != "#"]
    beside_the_first = 2 if processors[0] else 1  # process 2 has the other core of its cache, or so has process 1 if nothing is known
    assert {ranks[0], ranks[beside_the_first]} in ({0, 1}, {2, 3})
    assert GUESSED not in place(tmp_path, "--reorder", order).out  # the cores of a node are equally near


@pytest.mark.parametrize("words, text, asked, remedy", [
    (["--nodes", "2", "--machine", "core:3", "--reorder", "order"], "it is unknown which places are empty: 4 ranks on 6 places", "--reorder",
     "--nodes with the cores that the processes have, as in n1:4,n2:4"),
    (["--nodes", "1", "--machine", "core:2"], "4 ranks do not fit on 1 node: there is room for 2", None,
     "--nodes 2, or nodes with more cores (--machine)"),
    ([*MACHINE, "--cores-per-rank", "3"], "4 ranks do not fit on 2 nodes: there is room for 0", None, "fewer --cores-per-rank"),
    (["--nodes", "2", "--machine", "package:2 core:1000000000"], "'package:2 core:1000000000' has more than 65536 cores or other parts",
     "--machine package:2 core:1000000000", "core:8, 'package:2 l3:2 core:4', or a file written by 'lstopo node.xml'"),
    (["--nodes", "2", "--machine", "chips:2"], "'chips:2' is no machine that hwloc knows, and no file", "--machine chips:2",
     "core:8, 'package:2 l3:2 core:4', or a file written by 'lstopo node.xml'"),
    (["--nodes", "a,a"], "node 'a' is listed twice", "--nodes a,a", "each node once, with all its cores"),
    (["--nodes", "a:[", "--machine", "core:2"], "'a:[' is not a list of nodes", "--nodes a:[", "names as in n1,n[2-8] or n1:16,n2:8"),
    (["--nodes", "0"], "'0' is not a number of nodes", "--nodes 0", "--nodes 8"),
    (["--nodes", "a:4,b:2", "--machine", "core:2"], "node 'a' has 4 cores, its machine 2", "--nodes a:4,b:2", "--machine core:4"),
    ([*MACHINE, "--topology", "/nonesuch"], "'/nonesuch' cannot be read: No such file or directory", "--topology /nonesuch", "Slurm's topology.conf"),
    ([*MACHINE, "--by", "calls"], "'calls' is not a unit", "--by calls", "--by bytes, or --by messages"),
    ([*MACHINE, "--hydra", "hosts"], "the nodes have no names", "--hydra hosts", "--nodes with the names, as in n[1-8]"),
])
def test_what_cannot_be_done_is_told(words, text, asked, remedy, pairs):
    result = place(pairs, *words)
    assert (result.code, result.out, result.err) == (125, "", error(text, asked, remedy))


def test_bad_sources_are_refused_with_the_reason(pairs, tmp_path):
    assert place(tmp_path / "none").err == error(f"'{tmp_path}/none' cannot be read: No such file or directory",
                                                 remedy="a run's folder or a Matrix Market file")
    assert place(tmp_path).err == error(f"'{tmp_path}' has no results of comm", remedy=f"cairn run --tools comm --out {tmp_path} PROGRAM")
    assert place(pairs, "--phase", "x").err == error(f"'{pairs}' is a matrix of a whole run, without phases", "--phase x", "the run's folder")
    pairs.write_text(f"{HEADER}2 2 1\n2 2 7\n")
    assert place(pairs).err == error(f"no rank of '{pairs}' sends anything to another", remedy="a run in which ranks communicate")
    pairs.write_text(f"{HEADER}2 2 1\n1 2 nan\n")
    assert place(pairs).err == error(f"'{pairs}', line 3: 'nan' is no amount of data", remedy="a finite number")


def test_a_node_behind_no_switch(pairs, tmp_path):
    topology = tmp_path / "topology.conf"
    topology.write_text("SwitchName=s Nodes=n[1-2]\n")
    assert place(pairs, "--nodes", "n1,n3", "--machine", "core:2", "--topology", topology).err == error(
        f"node 'n3' is behind no switch of '{topology}'", f"--topology {topology}", "--nodes with names that it has, such as n1")


# How each launcher takes a mapping, on one machine that goes by two names.
LAUNCHERS = {"openmpi": ("--rankfile", ("--rankfile",)), "mpich": ("--hydra", ("-launcher", "fork", "-f"))}


def listed(text):
    """"0-4:2,7" is 0, 2, 4, 7."""
    for part in text.split(","):
        first, _, rest = part.partition("-")
        last, _, step = rest.partition(":")
        yield from range(int(first), int(last or first) + 1, int(step or 1))


@pytest.mark.skipif(not {0, 1} <= os.sched_getaffinity(0), reason="ranks are bound to processors 0 and 1")
def test_ranks_run_where_they_are_placed(mpi, tmp_path):
    path = write_matrix(tmp_path / "a.mtx", 4, [(0, 3), (1, 2)])
    option, words = LAUNCHERS[mpi.id]
    cores = mappings(path, "--nodes", "localhost:2,127.0.0.1:2", option, tmp_path / "ranks")["cairn"]["cores"]
    result = run(*mpi.launcher, *words, tmp_path / "ranks", "-n", 4, CAIRN, "run", "--tools", "comm", "--out", tmp_path / "out", "--",
                 mpi.program("ring_c"))
    assert result.code == 0, result.err
    told = json.loads((tmp_path / "out/run.json").read_text())["places"]
    ranks = {place["processors"]: list(listed(place["ranks"])) for place in told}
    assert ranks == {str(core): [rank for rank in range(4) if cores[rank] % 2 == core] for core in (0, 1)}
    assert f"{told[0]['node']}: ranks {told[0]['ranks']} on processors 0; " in run(CAIRN, "report", tmp_path / "out", "--text", "-").out


@pytest.mark.parametrize("other", [{"HWLOC_SYNTHETIC": "core:1 pu:1"}, {"HWLOC_FSROOT": "/nowhere"}], ids=lambda other: next(iter(other)))
def test_the_machine_is_the_named_one_whatever_hwloc_is_told_by_the_environment(tmp_path, other):
    """The tests' environment has HWLOC_XMLFILE, HWLOC_THISSYSTEM and HWLOC_THISSYSTEM_ALLOWED_RESOURCES, for this machine."""
    path = write_matrix(tmp_path / "a.mtx", 64, [(0, 1)])
    done = place(path, "--nodes", 1, "--machine", "core:64", **other)
    assert (done.code, done.err) == (0, "")
