# SPDX-License-Identifier: BSD-3-Clause
# nodes_testing.py - several nodes on this machine, made of namespaces, and jobs on them.

import contextlib
import tempfile
import time

from cairn_testing import *

SCRIPT = SOURCE / "tests" / "nodes.sh"
HOSTS = ["here", "there", "third", "fourth"]


def two_nodes(clock_seconds=0):
    """`here` and `there`, whose clock is so many seconds ahead."""
    return nodes_up(2, clock_seconds)


@contextlib.contextmanager
def nodes_up(count, clock_seconds=0):
    """A folder with `agent HOST COMMAND`; the nodes are the first of HOSTS."""
    missing = [program for program in ("unshare", "nsenter", "ip") if shutil.which(program) is None]
    if missing:
        pytest.skip("not installed: " + ", ".join(missing))
    with tempfile.TemporaryDirectory(prefix="cairn-nodes-") as name:
        folder = pathlib.Path(name)
        process = subprocess.Popen([SCRIPT, name, str(count), str(clock_seconds)], stdin=subprocess.DEVNULL)
        try:
            while not (folder / "ready").exists() and process.poll() is None:
                time.sleep(0.05)
            if process.poll() is not None:
                if (folder / "problem").exists():
                    pytest.skip("no namespaces here: " + (folder / "problem").read_text().strip())
                raise RuntimeError("the nodes do not come up: " + (folder / "log").read_text().strip())
            yield folder
        finally:
            process.terminate()
            process.wait(timeout=20)


def launch(mpi, nodes, each=2, count=2):
    """The launcher's words: how it reaches nodes, which, how many ranks."""
    hosts = ",".join(f"{host}:{each}" for host in HOSTS[:count])
    if mpi.id == "openmpi":
        return ["mpirun.openmpi", "--mca", "plm_rsh_agent", nodes / "agent", "--host", hosts, "-n", count * each]
    return ["mpirun.mpich", "-launcher", "ssh", "-launcher-exec", nodes / "agent", "-hosts", hosts, "-n", count * each]


def on_node(nodes, host, *words):
    return [str(nodes / "agent"), host, "exec " + " ".join(str(word) for word in words)]


@contextlib.contextmanager
def ended(process):
    """It ends with the block."""
    try:
        yield process
    finally:
        process.terminate()
        try:
            process.wait(timeout=10)
        except subprocess.TimeoutExpired:  # Hydra's mpiexec may hang when a rank on one of several nodes has ended
            process.kill()
            process.wait(timeout=60)
