# SPDX-License-Identifier: BSD-3-Clause
# qmpi_runs.py - runs the program of this folder under tools, and what its tools say.

from cairn_testing import CAIRN, run

PCONTROL = "MPI_Pcontrol 3 11 2.5 text 1099511627776 0.25 70 45.5 17"


def path(mpi, name):
    return str(mpi.folder / "qmpi" / name)


def tool_path(mpi, tool):
    """A tool of this folder by its name, another one by its path; options stay."""
    name, equals, options = tool.partition("=")
    return (name if "/" in name or name in ("own", "inside") else path(mpi, name + ".so")) + equals + options


def run_tools(mpi, tools, program="program", ranks=1, **env):
    tools = ["--tools", ",".join(tool_path(mpi, tool) for tool in tools)] if tools else []
    return run(*mpi.mpirun(ranks), CAIRN, "run", *tools, "--", path(mpi, program), **env)


def said(result, tool):
    """What the layers of a tool said on rank 0."""
    return [line for line in result.out.splitlines() if line.startswith(tool + " ")]


def finished(ranks=1):
    return f"program: 42 {42 * ranks} {ranks} ticks"


def assert_ran(result, ranks=1, errors=""):
    assert (result.err, result.code) == (errors, 0)
    assert finished(ranks) in result.out.splitlines()


def traced(name, level, next_level, ranks_seen, called_from="program"):
    """All that one layer of the tool tracer says."""
    barrier = f"{name} {level}: MPI_Barrier called from {called_from}"
    return [f"{name} {level}: MPI_Init next {next_level}", f"{name} {level}: {PCONTROL}", barrier, barrier,
            f"{name} {level}: after MPI_Finalize: storage of {level}, MPI_Comm_rank seen {ranks_seen} times"]


def message(mpi, tool, text, asked, remedy):
    lines = [f"cairn: error: tool '{tool}'{text}", f"cairn:   asked for by: {asked}", f"cairn:   try: {remedy}"]
    return "\n".join(lines) + "\n"


def assert_told(mpi, wrong, text, remedy):
    """The tool `wrong` stays out of the stack, or is told off, in these words; the program runs as without it."""
    asked = tool_path(mpi, wrong)
    tool = asked.partition("=")[0]
    assert_ran(run_tools(mpi, [wrong]), errors=message(mpi, tool, text, f"--tools {asked}", remedy.format(tool=tool)))


def assert_check_says(mpi, tool, text):
    tool = tool_path(mpi, tool)
    result = run(CAIRN, "check", path(mpi, "program"), "--tools", tool)
    assert (result.code, result.err) == (0, "")
    assert result.out.splitlines()[-1] == f"layer 1  {tool}: {text} ({tool})"
