# SPDX-License-Identifier: BSD-3-Clause
# cairn_testing.py - what the tests share: both MPIs, running programs bare and under a stack, reading results.
#
# A test file takes `mpi` as a fixture (every test then runs once per MPI) by `from cairn_testing import *`.

import atexit
import contextlib
import ctypes
import functools
import json
import os
import pathlib
import re
import shlex
import shutil
import signal
import struct
import subprocess
import tempfile
import time
from dataclasses import dataclass, field

import pytest



def ask_for_short_turns():
    """Asks Linux (6.12 or later) for turns of 0.1 ms for this process and all that it starts. Tests run side by side, and a rank that a
    message wakes waits for the end of somebody else's turn, 3 ms otherwise: HPCC beside four busy processes takes 24 s in place of 118 s
    (on 2 cores)."""
    sched_setattr = {"x86_64": 314, "aarch64": 274}.get(os.uname().machine)
    if sched_setattr:  # size, policy, flags, nice value, priority, turn in ns, deadline, period; an older Linux ignores the turn
        attributes = struct.pack("IIQiIQQQ", 48, 0, 0, os.getpriority(os.PRIO_PROCESS, 0), 0, 100_000, 0, 0)
        ctypes.CDLL(None).syscall(sched_setattr, 0, attributes, 0)


ask_for_short_turns()
BUILD = pathlib.Path(os.environ["CAIRN_BUILD"])
# Not the user's: a run moves what any dead ranks have left there, and tells where it cannot, which is nothing of the test's.
PAGES = f"/dev/shm/cairn-testing-{os.getpid()}"
# Where Open MPI's launchers keep what they tell their ranks: apart from what killed launchers have left, and in memory. Where writing to
# a disk holds up a launcher for 2 s, ranks end without its answer to PMIx_Finalize, and it says that they exited "improperly", with PID 0.
SESSIONS = f"/dev/shm/cairn-testing-sessions-{os.getpid()}"
os.makedirs(SESSIONS, exist_ok=True)
os.chmod(SESSIONS, 0o1777)  # some tests become other users
for folder in (PAGES, SESSIONS):
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
# What hwloc finds on this machine, found once: launchers and ranks would each read it from all devices, a third of their time in short runs.
TOPOLOGY = BUILD / "tests" / "topology.xml"


def write_topology():
    with tempfile.NamedTemporaryFile(dir=TOPOLOGY.parent, suffix=".new", delete=False) as file:  # other tests read the present one
        subprocess.run(["lstopo-no-graphics", "--of", "xml"], check=True, stdout=file)
    os.chmod(file.name, 0o644)
    os.rename(file.name, TOPOLOGY)


write_topology()
SOURCE = pathlib.Path(__file__).resolve().parent.parent
CAIRN = str(BUILD / "bin" / "cairn")
LIBCAIRN = str(BUILD / "lib" / "libcairn.so")
# What libcairn.so defines beside MPI functions: how objects are opened, how processes end, what the address sanitizer asks, what
# its own libcairn-hold.so and libcairn-annotations.so call.
NAMES_OF_OTHERS = {"dlopen", "dlsym", "sigaction", "signal", "bsd_signal", "ssignal", "sysv_signal", "__sysv_signal", "sigset",
                   "_exit", "_Exit", "__asan_default_options", "cairn_bind_in_loader", "cairn_annotate"}


@dataclass(frozen=True)
class Mpi:
    """One MPI library and what tests need to know of it."""

    id: str
    name: str
    version: str
    library: str
    launcher: tuple = field(default=())

    @property
    def folder(self):
        return BUILD / "tests" / self.id

    def program(self, name):
        return str(self.folder / name)

    def tool(self, name):
        return str(self.folder / f"{name}.so")

    def mpirun(self, ranks, patient=False):
        """`patient`: for ranks that mostly wait in MPI, where libraries take all of a processor; other tests then go first."""
        return [*(["nice"] if patient else []), *self.launcher, "-n", str(ranks)]

    def library_path(self):
        """Where the dynamic loader finds the MPI library of a program."""
        lines = run("ldd", self.program("ring_c")).out.splitlines()
        return next(line.split()[2] for line in lines if line.split()[0] == self.library)

    def include_folders(self):
        """Where its mpi.h is, as its own compiler wrapper says."""
        if self.id == "openmpi":
            return run("mpicc.openmpi", "--showme:incdirs").out.split()
        return [word[2:] for word in run("mpicc.mpich", "-show").out.split() if word.startswith("-I")]


MPIS = [
    Mpi("openmpi", "Open MPI", "4.1.4", "libmpi.so.40", ("mpirun.openmpi", "--oversubscribe")),
    Mpi("mpich", "MPICH", "4.0.2", "libmpich.so.12", ("mpirun.mpich",)),
]


@pytest.fixture(params=MPIS, ids=lambda mpi: mpi.id)
def mpi(request):
    return request.param


def environment(**changes):
    """The test's environment: nothing of Cairn's left over, pages and sessions apart, root allowed, ranks that wait without spinning."""
    env = {k: v for k, v in os.environ.items() if not k.startswith("CAIRN_") and k not in ("LD_PRELOAD", "TOOLS")}
    env.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", OMPI_MCA_mpi_yield_when_idle="1", LC_ALL="C.UTF-8",
               OMPI_MCA_orte_tmpdir_base=SESSIONS, CAIRN_PAGES=PAGES,
               HWLOC_XMLFILE=str(TOPOLOGY), HWLOC_THISSYSTEM="1", HWLOC_THISSYSTEM_ALLOWED_RESOURCES="1")
    yielding = [str(BUILD / "tests" / mpi / "yielding") for mpi in ("mpich", "openmpi")]
    env["LD_LIBRARY_PATH"] = ":".join(filter(None, [*yielding, env.get("LD_LIBRARY_PATH")]))
    env.update({k: str(v) for k, v in changes.items() if v is not None})
    return env


@dataclass
class Result:
    code: int
    out: str
    err: str


def of_processes(name):
    """What a file of /proc says of each process, but for those that end meanwhile."""
    said = {}
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            said[int(folder.name)] = (folder / name).read_bytes()
    return said


def descendants(pid):
    """Processes that a process has started, and those that these have, with what each does."""
    parents, waiting_in = {}, of_processes("wchan")
    for process, stat in of_processes("stat").items():
        name, after = stat.decode().partition("(")[2].rsplit(")", 1)
        parents.setdefault(int(after.split()[1]), []).append(
            (process, f"{name} {after.split()[0]} {waiting_in.get(process, b'').decode()}"))
    found, todo = {}, [pid]
    while todo:
        for child, doing in parents.get(todo.pop(), []):
            found[child] = doing
            todo.append(child)
    return found


class NotDone(AssertionError):
    """A command that did not end in time."""


@contextlib.contextmanager
def last_lines_told(folder, pattern):
    """Of the files that a command has written, if it does not end in time."""
    try:
        yield
    except NotDone as vain:
        lines = (f"\n  {path.name}: {(path.read_text(errors='replace').splitlines() or [''])[-1]}" for path in sorted(folder.glob(pattern)))
        raise NotDone(f"{vain}\nlast lines:{''.join(lines)}") from None


def end_in_vain(process, command, timeout):
    """Tells what the command's processes do and what it has printed; then all of them are ended."""
    left = descendants(process.pid)
    for pid in [process.pid, *left]:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    try:
        out, err = process.communicate(timeout=30)
    except subprocess.TimeoutExpired as still:  # a daemon that is no descendant holds the pipes
        out, err = still.output or b"", still.stderr or b""
    text = "".join(f"\n  {pid}: {doing}" for pid, doing in left.items())
    raise NotDone(f"not done after {timeout:.0f} s: {' '.join(command)}\nits processes:{text}\n"
                  f"out: {out.decode(errors='replace')}\nerr: {err.decode(errors='replace')}")


@functools.cache
def silence():
    """An input that never comes to its end, and never brings anything."""
    return os.pipe()[0]


def input_for(command):
    """Nothing. Hydra 4.0.2 passes the end of its input on to its proxy, and is ended by SIGPIPE if that has ended meanwhile: 29 of 7,672 jobs
    of programs that end at once, none of 8,094 where the input stays open."""
    return silence() if "mpirun.mpich" in command else subprocess.DEVNULL


def busy():
    """How much longer than on an idle machine a command may take here that does not hang: tests, and what else there is, share the processors."""
    return max(1, os.getloadavg()[0] / (2 * os.cpu_count()))


def run(*command, cwd=None, timeout=120, **env):
    """Runs a command to its end; never raises for an exit code. `timeout` is of an idle machine."""
    command = [str(word) for word in command]
    with subprocess.Popen(command, cwd=cwd, env=environment(**env), stdin=input_for(command), stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE) as process:
        began = time.monotonic()
        while process.returncode is None:
            try:
                out, err = process.communicate(timeout=timeout)
            except subprocess.TimeoutExpired:
                if time.monotonic() - began >= timeout * busy():
                    end_in_vain(process, command, time.monotonic() - began)
    result = Result(process.returncode, out.decode(errors="replace"), err.decode(errors="replace"))
    print(f"$ {shlex.join(command)}\n{result.err[-5000:]}exit code {result.code}")  # pytest shows it of a test that fails
    return result


def run_that_spawns(*command, **more):
    """MPI_Comm_spawn of Debian's Open MPI 4.1.4 hangs now and then without Cairn: in one of 60 runs at load 15. What hangs each time is ours."""
    for attempt in range(3):
        try:
            return run(*command, **more)
        except NotDone:
            if attempt == 2:
                raise


def run_to_the_last(*command, **more):
    """run(), and waits for what the command has left running: Hydra ends before its ranks if one of them ends with an error.
    The test must have no other children."""
    set_child_subreaper = 36
    assert ctypes.CDLL(None).prctl(set_child_subreaper, 1) == 0
    result = run(*command, **more)
    with contextlib.suppress(ChildProcessError):  # none is left
        for _ in range(600):
            while os.waitpid(-1, os.WNOHANG) != (0, 0):
                pass
            time.sleep(0.05)
        raise NotDone(f"still runs 30 s after {' '.join(str(word) for word in command)}: {descendants(os.getpid())}")
    return result


def run_with_last_words(*command, anew=None, **more):
    """run() for a command that MPI ends with an error. Open MPI 4.1.4's mpirun loses the error's text now and then, bare as
    well ("Data unpack had inadequate space", said by its show_help.c); Hydra (MPICH 4.0.2) takes a process that leaves without
    MPI_Finalize for one that hung up if it sees the closed connection first, and makes that the exit code, bare in 1 of 80
    runs. Such a run is made again, without the folder `anew` of the run before."""
    for _ in range(10):
        if anew is not None:
            shutil.rmtree(anew, ignore_errors=True)
        result = run(*command, **more)
        if "show_help.c" not in result.err and "EXIT STRING: Hangup (signal 1)" not in result.out:
            break
    return result


def run_stacked(mpi, ranks, tools, *program, out=None, options=(), run=run, **more):
    """mpirun -n RANKS cairn run --tools TOOLS -- PROGRAM; `tools` is a list."""
    folder = ["--out", out] if out else []
    return run(*mpi.mpirun(ranks), CAIRN, "run", "--tools", ",".join(str(t) for t in tools), *folder, *options, "--",
               *program, **more)


def read_profile(folder, instance=1):
    """profile.json as {function name: entry}."""
    name = "profile.json" if instance == 1 else f"profile.{instance}.json"
    data = json.loads((pathlib.Path(folder) / name).read_text())
    return {function["name"]: function for function in data["functions"]}
