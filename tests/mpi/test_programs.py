# SPDX-License-Identifier: BSD-3-Clause
# test_programs.py - programs that others wrote and Debian packages: HPC Challenge, LAMMPS, NetPIPE.
#
# Each runs bare, under `cairn run` without tools, with one layer and with three of two kinds; what it computes must not
# change. The tool of the other kind is libompitrace, a part of Open MPI that prints a line for every call, and on MPICH
# the counter of this folder.

import re
import shutil

from cairn_testing import *

RANKS = 2
OMPITRACE = "libompitrace.so.40"  # by name: the dynamic loader's folders have it
LAYERS = [0, 1, 3]

LENNARD_JONES = """\
units lj
atom_style atomic
lattice fcc 0.8442
region box block 0 4 0 4 0 4
create_box 1 box
create_atoms 1 box
mass 1 1.0
velocity all create 3.0 87287 loop geom
pair_style lj/cut 2.5
pair_coeff 1 1 1.0 1.0 2.5
neighbor 0.3 bin
fix 1 all nve
thermo 5
run 50
"""

# Line by line; the sizes are a fraction of the package's own example.
HPCC_INPUT = """\
HPLinpack benchmark input file
Innovative Computing Laboratory, University of Tennessee
HPL.out      output file name (if any)
8            device out (6=stdout,7=stderr,file)
1            # of problems sizes (N)
64           Ns
1            # of NBs
16           NBs
0            PMAP process mapping (0=Row-,1=Column-major)
1            # of process grids (P x Q)
1            Ps
2            Qs
16.0         threshold
1            # of panel fact
2            PFACTs (0=left, 1=Crout, 2=Right)
1            # of recursive stopping criterium
4            NBMINs (>= 1)
1            # of panels in recursion
2            NDIVs
1            # of recursive panel fact.
1            RFACTs (0=left, 1=Crout, 2=Right)
1            # of broadcast
1            BCASTs (0=1rg,1=1rM,2=2rg,3=2rM,4=Lng,5=LnM)
1            # of lookahead depth
1            DEPTHs (>=0)
2            SWAP (0=bin-exch,1=long,2=mix)
64           swapping threshold
0            L1 in (0=transposed,1=no-transposed) form
0            U  in (0=transposed,1=no-transposed) form
1            Equilibration (0=no,1=yes)
8            memory alignment in double (> 0)
##### This line (no. 32) is ignored (it serves as a separator). ######
0            Number of additional problem sizes for PTRANS
1200         values of N
0            number of additional blocking sizes for PTRANS
40           values of NB
"""


# ------------------------------------------------- what each program has computed

def lammps_results(folder, out):
    """Energies, pressures and neighbors; the rest of the output is times."""
    table = re.search(r"^Step .*?(?=^Loop time)", out, re.MULTILINE | re.DOTALL)
    assert table, out
    statistics = re.findall(r"^(?:Nlocal|Nghost|Neighs|Total #|Ave neighs|Neighbor list builds|Dangerous).*", out, re.MULTILINE)
    assert len(table.group().splitlines()) == 12 and len(statistics) == 7
    return table.group(), statistics


# With the number of updates that fit into the time there is.
HPCC_SPEEDS = re.compile("exeupdates|time|gflops|tflops|gups|gbs|gbytes|usec|wtick|stream_(copy|scale|add|triad)", re.IGNORECASE)


def hpcc_results(folder, out):
    """Settings, numbers of errors, residuals and verdicts, without the speeds beside them."""
    text = (folder / "hpccoutf.txt").read_text()
    summary = [line for line in re.findall(r"^\w+=.*", text, re.MULTILINE) if not HPCC_SPEEDS.search(line.split("=")[0])]
    verdicts = re.findall(r"^.*(?:errors in|with error|residual checks|\.\.\. PASSED|Validates).*", text, re.MULTILINE)
    # Lines for CPU time are left out where it was too short to be measured.
    transposed = re.findall(r"^WALL +\d.*", text, re.MULTILINE)
    transposed = [[word for i, word in enumerate(line.split()) if i not in (7, 9)] for line in transposed]  # seconds, GB/s
    assert "Success=1" in summary and "MPIRandomAccess_Errors=0" in summary and len(summary) > 80
    assert len(verdicts) > 10 and len(transposed) == 5 and all("PASSED" in line for line in transposed)
    return summary, verdicts, transposed


def netpipe_results(folder, out):
    """The message sizes that were timed."""
    sizes = [int(line.split()[0]) for line in (folder / "np.out").read_text().splitlines()]
    assert sizes[0] == 1 and len(sizes) > 15
    return sizes


@dataclass(frozen=True)
class Program:
    mpi: Mpi
    command: tuple
    results: object
    input: tuple = ()  # file name, text


NETPIPE = ("-u", "64", "-n", "3", "-o", "np.out")
PROGRAMS = {
    "hpcc": Program(MPIS[0], ("hpcc",), hpcc_results, ("hpccinf.txt", HPCC_INPUT)),
    "lammps": Program(MPIS[0], ("lmp", "-in", "in.lj", "-log", "none"), lammps_results, ("in.lj", LENNARD_JONES)),
    "NPopenmpi": Program(MPIS[0], ("NPopenmpi", *NETPIPE), netpipe_results),
    "NPmpich2": Program(MPIS[1], ("NPmpich2", *NETPIPE), netpipe_results),
}


def other_kind(mpi):
    return OMPITRACE if mpi.id == "openmpi" else mpi.tool("counter")


def tools_of(mpi, layers):
    return {0: [], 1: ["profile=table:off"], 3: ["profile=table:off", other_kind(mpi), "profile=table:off"]}[layers]


def run_program(program, folder, layers, options=(), **env):
    """Bare if `layers` is None."""
    if shutil.which(program.command[0]) is None:
        pytest.skip(f"{program.command[0]} is not installed")
    folder.mkdir(exist_ok=True)
    if program.input:
        (folder / program.input[0]).write_text(program.input[1])
    stack = []
    if layers is not None:
        tools = tools_of(program.mpi, layers)
        stack = [CAIRN, "run", *(["--tools", ",".join(tools), "--out", folder / "out"] if tools else []), "--"]
    done = run(*program.mpi.launcher, *options, "-n", RANKS, *stack, *program.command, cwd=folder, **env)
    assert done.code == 0, done.err[-2000:]
    return done


@pytest.fixture(scope="module")
def bare_results(tmp_path_factory):
    found = {}

    def of(name):
        if name not in found:
            folder = tmp_path_factory.mktemp("bare")
            found[name] = PROGRAMS[name].results(folder, run_program(PROGRAMS[name], folder, None).out)
        return found[name]

    return of


def flat(results):
    """Results line by line, so that a difference is named."""
    if isinstance(results, (list, tuple)):
        return [line for part in results for line in flat(part)]
    return [results]


@pytest.mark.parametrize("layers", LAYERS)
@pytest.mark.parametrize("name", PROGRAMS)
def test_results_are_those_of_the_bare_program(name, layers, bare_results, tmp_path):
    program = PROGRAMS[name]
    expected = bare_results(name)
    done = run_program(program, tmp_path, layers)
    found = program.results(tmp_path, done.out)
    assert [(one, other) for one, other in zip(flat(found), flat(expected), strict=True) if one != other] == []
    if layers == 0:
        assert "cairn" not in done.err and not (tmp_path / "out").exists()
        return
    profile = read_profile(tmp_path / "out")
    assert profile["MPI_Finalize"]["calls"] == RANKS
    assert profile["MPI_Send"]["calls"] > 0 and profile["MPI_Send"]["bytes_sent"] > 0
    assert (tmp_path / "out" / "profile.2.json").exists() == (layers == 3)
    assert ("MPI_SEND[" in done.err) == (layers == 3 and program.mpi.id == "openmpi")


# ------------------------------------------------------------- tools that agree

def inner_calls(folder, function):
    return read_profile(folder, 2)[function]["calls"]


@pytest.mark.parametrize("name", ["lammps", "NPopenmpi"])
def test_libompitrace_between_two_profiles_prints_every_call_that_they_count(name, tmp_path):
    run_program(PROGRAMS[name], tmp_path, 3, ("--output-filename", f"{tmp_path / 'printed'}:nocopy"))
    printed = "".join(path.read_text() for path in (tmp_path / "printed").rglob("stderr"))
    profile = read_profile(tmp_path / "out")
    compared = 0
    for function in ["MPI_Send", "MPI_Recv", "MPI_Isend", "MPI_Sendrecv", "MPI_Bcast", "MPI_Barrier", "MPI_Allreduce",
                     "MPI_Allgather"]:
        calls = profile.get(function, {"calls": 0})["calls"]
        seen = printed.count(f"{function.upper()}[")
        assert seen == calls, function  # the outer profile's gathering goes past it
        if calls:
            assert inner_calls(tmp_path / "out", function) == seen, function
            compared += 1
    assert compared >= 3


def test_the_counter_between_two_profiles_counts_what_they_count(tmp_path):
    run_program(PROGRAMS["NPmpich2"], tmp_path, 3, COUNTER_OUT=tmp_path / "counts")
    profile = read_profile(tmp_path / "out")
    counted = {}
    for rank in range(RANKS):
        for line in (tmp_path / f"counts.{rank}").read_text().splitlines():
            function, calls = line.split()
            counted[function] = counted.get(function, 0) + int(calls)
    assert counted == {function: inner_calls(tmp_path / "out", function) for function in counted}
    # What the outer profile gathers passes the tools below by.
    assert counted and counted == {function: profile[function]["calls"] for function in counted}


def test_a_program_that_fails_bare_fails_the_same_way(tmp_path):
    """NetPIPE's one-sided module passes an info object that Open MPI refuses."""
    program = Program(MPIS[0], ("NPopenmpi2", *NETPIPE), None)
    if shutil.which("NPopenmpi2") is None:
        pytest.skip("NPopenmpi2 is not installed")
    bare = run_with_last_words(*program.mpi.mpirun(RANKS), *program.command, cwd=tmp_path)
    stacked = run_stacked(program.mpi, RANKS, tools_of(program.mpi, 3), *program.command, cwd=tmp_path, out=tmp_path / "out",
                          run=run_with_last_words)

    def complaint(done):
        return sorted(set(re.findall(r"\*\*\* (An error occurred in .*|on communicator .*|MPI_ERR_.*)", done.err)))

    assert bare.code != 0 and complaint(bare)
    assert stacked.code == bare.code
    assert complaint(stacked) == complaint(bare)
