# SPDX-License-Identifier: BSD-3-Clause
# test_nothing_changes.py - a program under a stack does what it does without: output, exit code, files, libraries loaded.

import functools
import re
import signal

from cairn_testing import *

RANKS = 3

# A few wrapped functions; all functions; the same few again.
LAYERS = {0: [], 1: ["counter"], 3: ["counter", "profile=table:off", "counter"]}


@dataclass(frozen=True)
class Case:
    """One way to run a program; `launcher` has options that make the end of the run the same each time."""

    program: str
    arguments: tuple = ()
    code: int | dict = 0  # of the launcher, for both MPIs or for each
    ranks: int = RANKS
    launcher: dict = field(default_factory=dict)
    says_on_stderr: bool = False  # what the launcher says of a job that ends badly is not compared
    last_words: bool = False  # written just before the end: Hydra may end before it has passed them on, bare as well


def killed(way, number, **more):
    """Open MPI's launcher adds 128 to the number of the signal."""
    return Case("killed", (way,), code={"openmpi": 128 + number, "mpich": number}, ranks=1, says_on_stderr=True,
                last_words=True, **more)


CASES = {
    "ring_c": Case("ring_c"),
    "ring_c on one rank": Case("ring_c", code=2, ranks=1, says_on_stderr=True),
    "ring_cxx": Case("ring_cxx"),
    "ring_mpif": Case("ring_mpif"),
    "ring_usempi": Case("ring_usempi"),
    "ring_f08": Case("ring_f08"),
    "threads": Case("threads"),
    "fork_exec": Case("fork_exec"),
    "calls_null_like_errors": Case("calls_null_like_errors"),
    "error_handler": Case("error_handler"),
    "refused": Case("refused", ranks=1),
    "dlopen_mpi": Case("dlopen_mpi", ("{plugin}",)),
    "dlopen_mpi --global": Case("dlopen_mpi", ("{plugin}", "--global")),
    "exits_with_3": Case("exits_with_3", code=3, ranks=1, says_on_stderr=True),
    "abort": Case("abort", code=7, says_on_stderr=True, last_words=True),
    # Open MPI takes the end without MPI_Finalize for a failure.
    "no_finalize": Case("no_finalize", code={"openmpi": 1, "mpich": 0}, launcher={"mpich": ("-disable-auto-cleanup",)},
                        says_on_stderr=True),
    "killed by a fault": killed("fault", signal.SIGSEGV),
    "killed by a fault inside MPI": killed("inside", signal.SIGSEGV),
    "killed by abort": killed("abort", signal.SIGABRT),
    "killed by SIGTERM": killed("terminate", signal.SIGTERM),
    "killed by SIGKILL": killed("kill", signal.SIGKILL),
    "its own handler of a fault": Case("killed", ("handler",), code=9, ranks=1, says_on_stderr=True, last_words=True),
    "callbacks_mpif": Case("callbacks_mpif"),
    "callbacks_usempi": Case("callbacks_usempi"),
    "callbacks_f08": Case("callbacks_f08"),
    "cxx_bindings": Case("cxx_bindings"),
    **{f"thread_level {level}": Case("thread_level", (str(level),)) for level in range(4)},
}


def under(layers, mpi, folder):
    """`cairn run` with that many layers; None: bare."""
    if layers is None:
        return []
    tools = ",".join(mpi.tool(tool) if tool == "counter" else tool for tool in LAYERS[layers])
    return [CAIRN, "run", *(["--tools", tools, "--out", str(folder)] if tools else []), "--"]


def run_case(case, mpi, layers, folder):
    words = [word.format(plugin=mpi.tool("plugin_mpi")) for word in case.arguments]
    return run(*mpi.launcher, *case.launcher.get(mpi.id, ()), "-n", case.ranks, *under(layers, mpi, folder),
               mpi.program(case.program), *words)


def said(result):
    """What the program wrote; Hydra adds a text with process numbers on the same stream when a signal ended it."""
    return re.split(r"\n*^={60,}$", result.out, maxsplit=1, flags=re.MULTILINE)[0]


def is_misreported(result):
    """Under load Hydra now and then tells of a signal 1, which nobody sent, in place of how the process ended; bare as well."""
    return "EXIT STRING: Hangup (signal 1)" in result.out


def has_to_be_repeated(case, expected, found):
    return any(is_misreported(one) or (case.last_words and not said(one)) for one in (expected, found))


bare_results = {}


def bare(name, mpi):
    if (name, mpi.id) not in bare_results:
        bare_results[name, mpi.id] = run_case(CASES[name], mpi, None, None)
    return bare_results[name, mpi.id]


RUNS = [(name, layers) for name in CASES for layers in (1, 3)] + [("ring_c", 0), ("fork_exec", 0)]


@pytest.mark.parametrize("name,layers", RUNS)
def test_output_and_exit_code_are_those_of_the_bare_program(mpi, name, layers, tmp_path):
    case = CASES[name]
    expected, found = bare(name, mpi), run_case(case, mpi, layers, tmp_path)
    for _ in range(10):
        if not has_to_be_repeated(case, expected, found):
            break
        bare_results.pop((name, mpi.id))
        expected, found = bare(name, mpi), run_case(case, mpi, layers, tmp_path)
    assert expected.code == (case.code[mpi.id] if isinstance(case.code, dict) else case.code)
    assert (said(found), found.code) == (said(expected), expected.code)
    if not case.says_on_stderr:
        assert found.err == expected.err == ""
    assert not re.search("^cairn:", found.err, re.MULTILINE)


def function_of_fatal_error(mpi, layers, folder):
    """The MPI function that the library's last words name."""
    done = run_with_last_words(*mpi.mpirun(1), *under(layers, mpi, folder), mpi.program("error_handler"), "fatal")
    assert done.code != 0
    return re.search(r"An error occurred in (\w+)|Fatal error in (\w+)", done.err).group()


@pytest.mark.parametrize("layers", [1, 3])
def test_a_fatal_error_names_the_function_that_the_program_called(mpi, layers, tmp_path):
    expected = function_of_fatal_error(mpi, None, None)
    assert expected.endswith("Alltoall")
    assert function_of_fatal_error(mpi, layers, tmp_path) == expected


# ----------------------------------------------------------- the library's inner calls

IO_CALLS = {"MPI_Init": 1, "MPI_Comm_rank": 1, "MPI_Comm_size": 1, "MPI_File_open": 2, "MPI_File_set_view": 1,
            "MPI_File_write_all": 1, "MPI_File_close": 2, "MPI_File_write_at": 3, "MPI_File_get_size": 1,
            "MPI_File_read_at_all": 1, "MPI_Type_vector": 1, "MPI_Type_commit": 1, "MPI_Type_free": 1,
            "MPI_Allreduce": 1, "MPI_Finalize": 1}

IO_WAYS = [pytest.param(MPIS[0], ("--mca", "io", "ompio"), id="openmpi-ompio"),
           pytest.param(MPIS[0], ("--mca", "io", "romio321"), id="openmpi-romio"),
           pytest.param(MPIS[1], (), id="mpich")]


def run_io(library, options, folder, *stack):
    folder.mkdir()
    done = run(*library.launcher, *options, "-n", RANKS, *stack, library.program("io"), folder / "data")
    assert (done.code, done.out) == (0, f"ok io: {RANKS} ranks, errors 0\n"), done.err
    return (folder / "data").read_bytes(), done.err


@pytest.mark.parametrize("tool", ["profile", "comm", "vars", "trace", "where", "waits", "reorder=topologies:on", "usage", "steer"])
def test_finalizing_what_was_never_started_ends_as_without_tools(mpi, tool, tmp_path):
    bare = run(*mpi.mpirun(1), mpi.program("unstarted"))
    done = run_stacked(mpi, 1, [tool], mpi.program("unstarted"), out=tmp_path / "out")
    assert done.code == bare.code != 0


def with_stack(mpi, kib, *words, **more):
    return run(*mpi.mpirun(2), "sh", "-c", f'ulimit -s {kib}; exec "$@"', "sh", *words, **more)


@functools.cache
def least_stack(mpi):
    return next(kib for kib in range(64, 1024, 8) if with_stack(mpi, kib, mpi.program("ring_c")).code == 0)


ALL = "reorder=topologies:on,profile,comm,policy=file:{policy},vars=sites:on,where=hang:60s,trace,waits,usage,steer"  # the first must be


@pytest.mark.parametrize("tools", [*ALL.split(","), ALL], ids=lambda tools: tools.split("=")[0] if tools != ALL else "all")
def test_a_small_stack_is_enough_for_every_tool_where_it_is_for_the_program(mpi, tools, tmp_path):
    """Which needs some KiB more or less from run to run, as its stack begins elsewhere."""
    policy = SOURCE / "bench" / "policies" / "counted.policy"
    done = with_stack(mpi, least_stack(mpi) + 16, CAIRN, "run", "--tools", tools.format(policy=policy), "--out", tmp_path / "out", "--",
                      mpi.program("ring_c"), CAIRN_PAGES=tmp_path / "pages")
    assert (done.code, done.out) == (0, "ok ring_c: 2 ranks, 10 rounds, rank sum 1, errors 0\n"), done.err
    assert not re.search("^cairn: ", done.err, re.MULTILINE), done.err


@pytest.mark.parametrize("library,options", IO_WAYS)
def test_what_the_library_calls_while_it_writes_files_is_not_the_programs(library, options, tmp_path):
    expected, complaints = run_io(library, options, tmp_path / "bare")
    ints = 8 * 16 * RANKS + 3 * RANKS
    assert len(expected) == 4 * ints and not complaints
    found, complaints = run_io(library, options, tmp_path / "stacked", CAIRN, "run", "--tools",
                               f"profile=table:off,{library.tool('counter')}", "--out", tmp_path / "out", "--")
    assert found == expected and not complaints
    profile = read_profile(tmp_path / "out")
    assert {name: entry["calls"] for name, entry in profile.items()} == {n: c * RANKS for n, c in IO_CALLS.items()}
    assert {name: entry["bytes_sent"] for name, entry in profile.items() if entry["bytes_sent"]} == {"MPI_Allreduce": 4 * RANKS}


def test_both_ways_to_write_files_are_really_there():
    """Else the test above would ask one of them twice."""
    listed = run("ompi_info", "--parsable").out
    assert "mca:io:romio321:" in listed and "mca:io:ompio:" in listed


# ----------------------------------------------------------------------------- Python

PYTHON = "/usr/bin/python3"
RING = pathlib.Path(__file__).with_name("python_ring.py")


def python_mpi():
    """The MPI that mpi4py of the system's Python was built for."""
    if run(PYTHON, "-c", "import mpi4py").code != 0:
        pytest.skip("python3-mpi4py is not installed")
    module = run(PYTHON, "-c", "import importlib.util as u; print(u.find_spec('mpi4py.MPI').origin)").out.strip()
    needed = run("readelf", "-d", module).out
    return next(mpi for mpi in MPIS if mpi.library in needed)


def test_python_is_seen_though_it_opens_its_mpi_library_privately(tmp_path):
    mpi = python_mpi()
    expected = run(*mpi.mpirun(RANKS), PYTHON, RING)
    assert (expected.code, expected.out) == (0, f"ok python_ring: {RANKS} ranks, errors 0\n"), expected.err
    found = run_stacked(mpi, RANKS, ["profile=table:off", mpi.tool("counter"), "profile=table:off"], PYTHON, RING, out=tmp_path)
    assert (found.code, found.out, found.err) == (0, expected.out, expected.err)
    profile = read_profile(tmp_path)
    program = {"MPI_Init_thread": (1, 0), "MPI_Sendrecv": (3, 240), "MPI_Barrier": (2, 0), "MPI_Allreduce": (1, 4),
               "MPI_Finalize": (1, 0)}
    for name, (calls, sent) in program.items():
        assert (profile[name]["calls"], profile[name]["bytes_sent"]) == (calls * RANKS, sent * RANKS), name
    assert (profile["MPI_Bcast"]["calls"], profile["MPI_Bcast"]["bytes_sent"]) == (RANKS, 16)
    assert "MPI_Init" not in profile and "MPI_Send" not in profile


# ------------------------------------------------------- programs that have no MPI


def libraries_in(maps):
    return {pathlib.Path(path).name for path in re.findall(r" (/\S+)$", maps, re.MULTILINE)}


@pytest.mark.parametrize("way", ["LD_PRELOAD", "cairn run"])
def test_a_program_without_mpi_calls_loads_the_preload_library_only(way):
    if way == "LD_PRELOAD":
        found = run("cat", "/proc/self/maps", LD_PRELOAD=LIBCAIRN, CAIRN_TOOLS="profile")
        assert found.err == ""
    else:
        found = run(CAIRN, "run", "--tools", "profile", "cat", "/proc/self/maps")
    assert found.code == 0
    loaded = libraries_in(found.out) - libraries_in(run("cat", "/proc/self/maps").out)
    assert loaded == {"libcairn.so"}


def test_the_preload_library_needs_the_c_library_only():
    needed = re.findall(r"\(NEEDED\).*\[(.*)\]", run("readelf", "-d", LIBCAIRN).out)
    assert needed and {name.split(".so")[0] for name in needed} <= {"libc", "ld-linux-x86-64", "ld-linux-aarch64"}
    loaded = re.findall(r"^\s*(\S+?\.so\S*)", run("ldd", LIBCAIRN).out, re.MULTILINE)
    names = {pathlib.Path(path).name.split(".so")[0] for path in loaded}
    assert "libc" in names and names <= {"libc", "ld-linux-x86-64", "ld-linux-aarch64", "linux-vdso"}


def test_a_program_with_mpi_has_one_mpi_library_loaded(mpi, tmp_path):
    """The other MPI's tool and adaptors must stay out."""
    script = ("import ctypes, sys; mpi = ctypes.CDLL(sys.argv[1]); mpi.MPI_Init(None, None);"
              "print(open('/proc/self/maps').read()); mpi.MPI_Finalize()")
    found = run_stacked(mpi, 1, ["profile=table:off"], PYTHON, "-c", script, mpi.library, out=tmp_path)
    names = libraries_in(found.out)
    assert {"libcairn.so", "libcairn-stack.so", "profile.so"} <= names
    other = next(one for one in MPIS if one != mpi)
    assert any(name.startswith(mpi.library.split(".so")[0]) for name in names)
    assert not any(name.startswith(other.library.split(".so")[0] + ".so") for name in names)
