# SPDX-License-Identifier: BSD-3-Clause
# test_notes.py - what tools of one stack tell each other of a call (include/cairn/kit/noted_call.hpp) is true: `profile`
# has the same call sites and times whatever is above and below it.

from cairn_testing import *

QUIET = "profile=table:off"
POLICY = SOURCE / "bench" / "policies" / "counted.policy"


@pytest.fixture(scope="module", params=MPIS, ids=lambda mpi: mpi.id)
def results(request, tmp_path_factory):
    """What each `profile` of a stack has to say, the upper ones first; a tool ending in .so is a test's or an example."""
    mpi = request.param

    def path(tool):
        name, _, options = tool.partition("=")
        if not name.endswith(".so"):
            return tool
        example = BUILD / "examples" / mpi.id / name
        return f"{example if example.exists() else mpi.tool(name)}{'=' + options if options else ''}"

    def run(*tools):
        folder = tmp_path_factory.mktemp("notes")
        done = run_stacked(mpi, 1, [path(tool) for tool in tools], mpi.program("nested"), out=folder)
        assert (done.code, done.err) == (0, "")
        return [json.loads(path.read_text()) for path in sorted(folder.glob("profile*.json"), key=lambda path: len(path.name))]

    return run


def sites(document):
    """Calls by function and place."""
    return {(site["function"], site["file"], site["line"]): site["calls"] for site in document["callsites"]}


def seconds(document, function):
    return next(each["time_s"]["total"] for each in document["functions"] if each["name"] == function)


def test_same_sites_and_no_calls_within_counted_longer(results):
    alone, = results(QUIET)
    assert {name for name, _, _ in sites(alone)} >= {"MPI_Type_size", "MPI_Allreduce", "MPI_Barrier"}
    others = ("where=hang:60s", "comm=table:off:every:10ms", "vars=table:off:sites:on:series:on", "policy=table:off:file:" + str(POLICY))
    stacks = [(QUIET, "where"), (QUIET, QUIET, "where"), (QUIET, "empty.so", "where", QUIET), *((other, QUIET) for other in others)]
    for stack in stacks:
        for document in results(*stack):
            assert sites(document) == sites(alone), stack
            within = seconds(document, "MPI_Type_size") + seconds(document, "MPI_Allreduce")  # no sleep is theirs
            assert seconds(document, "MPI_Comm_dup") >= 0.04 + within, stack


def test_a_tool_between_two_counts_for_the_upper_one_only(results):
    delay = 10 * 5e-3
    upper, lower = results(QUIET, "delay.so=us:5000", QUIET)
    assert seconds(upper, "MPI_Sendrecv") >= seconds(lower, "MPI_Sendrecv") + delay
