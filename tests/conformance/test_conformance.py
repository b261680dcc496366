# SPDX-License-Identifier: BSD-3-Clause
# test_conformance.py - every MPI function, bare and under layers: same results, each layer sees each call exactly once
#
# The program `conformance` runs in parts (its header says which), each bare and under 1, 2 and 8 instances of the layer
# `passing`, or of `passing_qmpi`, the same as a QMPI tool. Its logs of results must not differ; its counts must be those of every layer, process by process.

import functools
import re
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from dataclasses import dataclass

from cairn_testing import *

sys.path.insert(0, str(SOURCE / "spec"))
import generate  # noqa: E402 (found through the line above)

RANKS = 2
KINDS = {"passing": [1, 2, 8], "passing_qmpi": [1, 2]}  # and how many layers of each
PARTS = ["all", "threads", "romio", "sessions", "abort"]
EXIT_CODE = {"abort": 5}
ENVIRONMENT = {"romio": {"OMPI_MCA_io": "romio321"}}
HERE = pathlib.Path(__file__).parent
PCONTROL = "7 11 2.5 text 1099511627776 0.25 12 13 14 15 16 3.5 4.5 5.5 6.5 7.5 8.5 9.5 17"


@dataclass
class Run:
    """What is left of one run of one part."""

    result: Result
    logs: dict  # file name -> text, of the processes that came to their end
    calls: dict  # (rank, pid) -> {function: count}, as the program counted
    seen: dict  # (rank, pid) -> the same as each layer counted
    pcontrol: dict  # rank -> lines of the tool `innermost`


def read_counts(path):
    """Lines "rank pid function count" as {(rank, pid): {function: count}}."""
    counts = defaultdict(Counter)
    for line in path.read_text().splitlines():
        rank, pid, function, count = line.split()
        counts[int(rank), int(pid)][function] += int(count)
    return counts


def collect(result, folder):
    calls, seen = {}, defaultdict(list)
    for path in folder.glob("calls.*"):
        calls.update(read_counts(path))
    for path in sorted((folder / "layers").iterdir()):
        if re.fullmatch(r"\d+\.\d+\.\d+", path.name):
            for process, counts in read_counts(path).items():
                seen[process].append(counts)
    logs = {path.name: path.read_text() for path in folder.glob("log.*") if (folder / path.name.replace("log", "calls")).exists()}
    pcontrol = {int(path.suffix[1:]): path.read_text().splitlines() for path in (folder / "layers").glob("pcontrol.*")}
    return Run(result, logs, calls, dict(seen), pcontrol)


@functools.cache
def run_part(mpi, part, layers, innermost=False, kind="passing"):
    """Runs a part once for all tests that ask for it."""
    with tempfile.TemporaryDirectory(prefix="cairn-conformance.") as name:
        folder = pathlib.Path(name)
        (folder / "layers").mkdir()
        tools = [mpi.tool(kind)] * layers + [mpi.tool("innermost")] * innermost
        command = [mpi.program("conformance"), part, folder]
        with last_lines_told(folder, "log.*"):
            if tools:
                result = run_stacked(mpi, RANKS, tools, *command, CONFORMANCE_COUNTS=folder / "layers", **ENVIRONMENT.get(part, {}))
            else:
                result = run_that_spawns(*mpi.mpirun(RANKS), *command, **ENVIRONMENT.get(part, {}))
        return collect(result, folder)


def lines(text):
    """Ranks and children write at any time, so only the set of lines is the same."""
    return sorted(text.splitlines())


def functions_with_twin(mpi):
    return {name[1:] for name in exported(mpi) if name.startswith("PMPI")}


def wrappable(mpi, kind):
    """The functions that a layer of this kind wraps: a QMPI tool those with a number."""
    if kind == "passing":
        return functions_with_twin(mpi)
    numbers = (BUILD / "generated" / mpi.id / "qmpi_numbers.inc").read_text()
    return set(re.findall(r"^CAIRN_QMPI_NUMBER\(\w+, (\w+)\)", numbers, re.MULTILINE))


@functools.cache
def exported(mpi):
    symbols = subprocess.run(["nm", "-D", "--defined-only", mpi.library_path()], check=True, capture_output=True, text=True).stdout
    return set(re.findall(r" [TWi] (P?MPIX?_\w+)", symbols))


def listed(name, mpi):
    """The functions of one MPI in a file of lines "MPI | function | reason"."""
    found = []
    for line in (HERE / name).read_text().splitlines():
        if line and not line.startswith("#"):
            mpi_id, function, reason = (field.strip() for field in line.split("|"))
            assert reason, line
            found += [function] * (mpi_id == mpi.id)
    assert len(found) == len(set(found))
    return set(found)


def called(mpi):
    return {function for part in PARTS for counts in run_part(mpi, part, 0).calls.values() for function in counts}


@pytest.fixture(params=PARTS)
def part(request, mpi):
    if request.param == "sessions" and "MPI_Session_init" not in exported(mpi):
        pytest.skip(f"{mpi.name} {mpi.version} has no sessions")
    if request.param == "romio" and mpi.id == "mpich":
        pytest.skip("MPICH's I/O is always ROMIO, which part `all` calls")
    return request.param


every_stack = pytest.mark.parametrize("kind, layers", [(kind, count) for kind, counts in KINDS.items() for count in counts])


def test_the_program_runs_bare(mpi, part):
    bare = run_part(mpi, part, 0)
    assert bare.result.code == EXIT_CODE.get(part, 0), bare.result.err
    assert {rank for rank, _ in bare.calls} == ({0} if part == "abort" else set(range(RANKS)))


@every_stack
def test_results_are_those_of_the_bare_run(mpi, part, kind, layers):
    bare, stacked = run_part(mpi, part, 0), run_part(mpi, part, layers, kind=kind)
    assert stacked.result.code == bare.result.code, stacked.result.err
    assert lines(stacked.result.out) == lines(bare.result.out)
    assert sorted(stacked.logs) == sorted(bare.logs)
    for name, text in bare.logs.items():
        assert stacked.logs[name].splitlines() == text.splitlines(), name


@every_stack
def test_every_layer_sees_every_call_once(mpi, part, kind, layers):
    stacked = run_part(mpi, part, layers, kind=kind)
    wrapped = wrappable(mpi, kind)
    for process, counts in stacked.calls.items():
        expected = {function: count for function, count in counts.items() if function in wrapped}
        assert stacked.seen.get(process, []) == ([expected] * layers if expected else []), process
    assert set(stacked.seen) <= set(stacked.calls)


def test_every_function_of_the_library_is_called_or_listed(mpi):
    wanted = {name for name in exported(mpi) if name.startswith("MPI")} & set(generate.read_functions())
    omitted = listed("not_called.txt", mpi)
    assert wanted - called(mpi) - omitted == set(), "neither called nor in not_called.txt"
    assert omitted & called(mpi) == set(), "in not_called.txt, yet called"
    assert omitted - wanted == set(), "in not_called.txt, but the library or the spec does not have it"


def test_every_function_succeeds_at_least_once_or_is_listed(mpi):
    answers = defaultdict(set)
    for part in PARTS:
        for text in run_part(mpi, part, 0).logs.values():
            for function, code in re.findall(r"^(MPIX?_\w+) rc=(-?\d+)", text, re.MULTILINE):
                answers[function].add(code)
    never = {function for function, codes in answers.items() if "0" not in codes}
    refused = listed("refused.txt", mpi)
    assert never - refused == set(), "never successful, and not in refused.txt"
    assert refused - never == set(), "in refused.txt, yet successful"


@pytest.mark.parametrize("kind", KINDS)
def test_arguments_of_pcontrol_arrive_at_the_innermost_layer(mpi, kind):
    stacked = run_part(mpi, "threads", 2, innermost=True, kind=kind)
    assert stacked.result.code == 0, stacked.result.err
    assert stacked.pcontrol == {rank: ["1", PCONTROL] for rank in range(RANKS)}


def test_the_readme_has_the_right_numbers(request):
    text = (HERE / "README.md").read_text()
    for mpi in MPIS:
        numbers = [len(called(mpi)), len(listed("not_called.txt", mpi)), len(listed("refused.txt", mpi))]
        uncounted = len(called(mpi) - functions_with_twin(mpi))
        request.config.conformance_figures.append(
            f"{mpi.name} {mpi.version}: {numbers[0]} functions called, {uncounted} of which no layer can count as they have no PMPI_ "
            f"twin; {numbers[1]} not called, {numbers[2]} never successful")
        assert f"| {mpi.name} {mpi.version} | {numbers[0]} | {numbers[1]} | {numbers[2]} |" in text
