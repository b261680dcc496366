# SPDX-License-Identifier: BSD-3-Clause
# test_set.py - `cairn run --set` and `--explain`: what reaches the MPI library and the tools, and what is refused.

import json
import re

import pytest

from cli_testing import *

# What may differ from rank to rank, and what must not.
FREE = {"openmpi": "mpi_event_tick_rate", "mpich": "MPIR_CVAR_REQUEST_POLL_FREQ"}
SAME_EVERYWHERE = {"openmpi": "shmem_posix_priority", "mpich": "MPIR_CVAR_BCAST_MIN_PROCS"}


def variable(mpi):
    return mpi.program("cli/variable")


def with_settings(mpi, ranks, settings, *more, run=run, **env):
    words = [word for setting in settings for word in ("--set", setting)]
    return run(*mpi.mpirun(ranks), CAIRN, "run", *words, *more, **env)


def values(result):
    return sorted(line for line in result.out.splitlines() if line.startswith("rank "))


def refused(result, *texts):
    assert result.code == 125
    assert cairn_lines(result.err) == error(*texts)
    assert "rank" not in result.out


def test_a_library_variable_for_all_ranks(mpi):
    name = FREE[mpi.id]
    result = with_settings(mpi, 2, [f"{name}=77"], variable(mpi), name)
    assert (result.code, values(result)) == (0, [f"rank 0: {name} = 77", f"rank 1: {name} = 77"])
    assert cairn_lines(result.err) == ""


def test_a_library_variable_for_chosen_ranks(mpi):
    name = FREE[mpi.id]
    result = with_settings(mpi, 3, [f"{name}=77@0", f"{name}=78@1-2"], variable(mpi), name)
    assert values(result) == [f"rank 0: {name} = 77", f"rank 1: {name} = 78", f"rank 2: {name} = 78"]
    assert cairn_lines(result.err) == ""


def test_a_tools_variable_for_a_chosen_rank(mpi, tmp_path):
    result = with_settings(mpi, 2, ["profile_top=3@1"], "--tools", "profile=table:off", "--out", tmp_path, variable(mpi), "profile_top")
    assert values(result) == ["rank 0: profile_top = 10", "rank 1: profile_top = 3"]
    assert cairn_lines(result.err) == ""


POOLS = "pools_kept"  # of a tool, four elements that are 16


def test_elements_of_an_array(mpi, tmp_path):
    """One by one, and the whole; what the command line sets counts over the stack file, an element over the whole."""
    (tmp_path / "stack.toml").write_text(f'[set]\n{POOLS} = [1, 2, 3, 4]\n"{POOLS}[1]" = 7\n')
    stack = ["--stack", tmp_path / "stack.toml", "--tools", mpi.tool("cli/pools"), variable(mpi), POOLS]
    result = with_settings(mpi, 2, [f"{POOLS}[0]=8@1", f"{POOLS}[1]=9"], *stack)
    assert (values(result), cairn_lines(result.err)) == ([f"rank 0: {POOLS} = 1 9 3 4", f"rank 1: {POOLS} = 8 9 3 4"], "")
    result = with_settings(mpi, 1, [f"{POOLS}=5"], *stack)
    assert (values(result), cairn_lines(result.err)) == ([f"rank 0: {POOLS} = 5 5 5 5"], "")


def test_an_element_of_a_librarys_array(mpi):
    """Of the stand-in for MVAPICH2's variables, which lies below the layer that writes."""
    name = "MPIR_CVAR_VBUF_POOL_REDUCED_VALUE"
    result = run(*mpi.mpirun(1), CAIRN, "run", "--tools", f"set=write:{name}[2]=9,{mpi.tool('vars/standin')}", variable(mpi), name)
    assert (values(result), cairn_lines(result.err)) == ([f"rank 0: {name} = 16 16 9 16"], "")


@pytest.mark.parametrize("what, value", [(f"{POOLS}[1]", "99999999999999999999"), (POOLS, "1,2,3,99999999999999999999")])
def test_a_number_beyond_the_type_is_refused_and_changes_nothing(mpi, what, value):
    refused(with_settings(mpi, 1, [f"{what}={value}"], "--tools", mpi.tool("cli/pools"), variable(mpi), POOLS),
            f"'{what}' cannot be set: '{value}' is not a valid value", f"--set {what}={value}", "a value of type int")
    escaped = value.replace(",", "\\,")
    result = run(*mpi.mpirun(1), CAIRN, "run", "--tools", f"set=write:{what}={escaped},{mpi.tool('cli/pools')}", variable(mpi), POOLS)
    assert values(result) == [f"rank 0: {POOLS} = 16 16 16 16"]
    assert f"'{what}' " in result.err and "'99999999999999999999'" in result.err


def test_an_element_that_an_array_does_not_have(mpi):
    refused(with_settings(mpi, 1, [f"{POOLS}[4]=1"], "--tools", mpi.tool("cli/pools"), variable(mpi), POOLS),
            f"'{POOLS}[4]' cannot be set: it has 4 elements, 0 to 3", f"--set {POOLS}[4]=1", None)


def test_the_run_says_what_was_set(mpi, tmp_path):
    name = FREE[mpi.id]
    with_settings(mpi, 1, [f"{name}=77", "profile_top=3"], "--tools", "profile=table:off", "--out", tmp_path, variable(mpi))
    tools = json.loads((tmp_path / "run.json").read_text())["tools"]
    assert [tool["tool"] for tool in tools] == ["profile", "set"]
    assert tools[1]["options"] == {"write": "profile_top=3", "expect": f"{name}=77"}


def test_an_environment_variable_of_another_kind(tmp_path):
    script = program_file(tmp_path / "script", "#!/bin/sh\necho \"$OTHER\"\n")
    assert cairn_run("--set", "env:OTHER=a b", script).out == "a b\n"


def test_settings_of_a_stack_file_and_the_command_line_before_them(mpi, tmp_path):
    name = FREE[mpi.id]
    (tmp_path / "stack.toml").write_text(
        f'[[layer]]\ntool = "profile"\noptions = {{ table = false }}\n[set]\n{name} = 5\nprofile_top = {{ value = 4, ranks = "0" }}\n')
    result = with_settings(mpi, 1, [f"{name}=6"], "--stack", tmp_path / "stack.toml", "--out", tmp_path / "out", variable(mpi),
                           name, "profile_top")
    assert values(result) == [f"rank 0: {name} = 6", "rank 0: profile_top = 4"]


def test_a_setting_is_stronger_than_the_environment(mpi):
    name = FREE[mpi.id]
    variable_name = name if mpi.id == "mpich" else f"OMPI_MCA_{name}"
    result = with_settings(mpi, 1, [f"{name}=77"], variable(mpi), name, **{variable_name: "5"})
    assert values(result) == [f"rank 0: {name} = 77"]


def test_an_unknown_name_is_refused_with_near_ones(mpi):
    name = FREE[mpi.id]
    wrong = name[:-1]
    result = with_settings(mpi, 2, [f"{wrong}=1"], variable(mpi), name)
    assert result.code == 125
    assert cairn_lines(result.err).startswith(
        f"cairn: error: '{wrong}' cannot be set: there is no control variable of this name\n"
        f"cairn:   asked for by: --set {wrong}=1\ncairn:   try: {name}")
    assert result.err.count("cairn: error") == 1
    assert "rank" not in result.out


def test_a_variable_of_a_tool_that_is_not_there_is_refused(mpi):
    result = with_settings(mpi, 1, ["profile_top=3"], variable(mpi), "x")
    assert cairn_lines(result.err).startswith("cairn: error: 'profile_top' cannot be set: there is no control variable of this name\n")


def test_ranks_must_agree_where_the_scope_says_so(mpi):
    name = SAME_EVERYWHERE[mpi.id]
    refused(with_settings(mpi, 2, [f"{name}=1@1"], variable(mpi), name),
            f"'{name}' cannot be set: it must have one value on all ranks (its scope is all_eq)", f"--set {name}=1@1", f"{name}=1")


def test_what_is_no_value_is_refused_by_open_mpi():
    mpi = MPIS[0]
    name = "mpi_event_tick_rate"
    refused(with_settings(mpi, 1, [f"{name}=often"], variable(mpi), name),
            f"'{name}' cannot be set: 'often' is not a valid value", f"--set {name}=often", "a value of type int")


def test_what_is_no_item_of_an_enumeration_is_refused_by_open_mpi():
    mpi = MPIS[0]
    name = "coll_tuned_barrier_algorithm"
    refused(with_settings(mpi, 1, [f"{name}=star"], variable(mpi), name),
            f"'{name}' cannot be set: 'star' is not a valid value", f"--set {name}=star",
            "one of ignore, linear, double_ring, recursive_doubling, bruck, two_proc, tree")


def test_a_constant_is_refused_by_open_mpi():
    mpi = MPIS[0]
    name = "dl_dlopen_major_version"
    refused(with_settings(mpi, 1, [f"{name}=9"], variable(mpi), name),
            f"'{name}' cannot be set: the MPI library keeps 4 (it is a constant)", f"--set {name}=9", "a value of type int")


def test_what_mpich_does_not_start_with_is_refused():
    mpi = MPIS[1]
    name = "MPIR_CVAR_BARRIER_INTRA_ALGORITHM"
    refused(with_settings(mpi, 1, [f"{name}=star"], variable(mpi), name),
            f"'{name}' cannot be set: 'star' is not a valid value", f"--set {name}=star", "one of auto, nb, smp, dissemination")


ALGORITHMS = {"openmpi": ("coll_tuned_barrier_algorithm", "bruck", 4), "mpich": ("MPIR_CVAR_BARRIER_INTRA_ALGORITHM", "smp", 2)}


@pytest.mark.parametrize("which", [1, 2], ids=["name", "number"])
def test_an_algorithm_is_set_by_name_and_by_number(mpi, which):
    name, number = ALGORITHMS[mpi.id][0], ALGORITHMS[mpi.id][2]
    result = with_settings(mpi, 1, [f"{name}={ALGORITHMS[mpi.id][which]}"], variable(mpi), name)
    assert (result.code, values(result)) == (0, [f"rank 0: {name} = {number}"])


def test_the_tool_itself_takes_names_and_refuses_others(mpi):
    name, word, number = ALGORITHMS[mpi.id]
    result = run(CAIRN, "run", "--tools", f"set=write:{name}={word}", variable(mpi), name)
    assert (result.code, values(result), cairn_lines(result.err)) == (0, [f"rank 0: {name} = {number}"], "")
    result = run(CAIRN, "run", "--tools", f"set=write:{name}=star", variable(mpi), name)
    assert f"tool 'set': control variable '{name}' is not star: 'star' is not a valid value; try one of " in result.err


def test_what_is_gone_after_the_start_is_told_once_at_the_end():
    mpi = MPIS[0]  # its shared-memory transport is not there with one rank
    result = with_settings(mpi, 1, ["btl_vader_eager_limit=65536"], variable(mpi), "btl_vader_eager_limit")
    assert (result.code, values(result)) == (0, ["rank 0: no btl_vader_eager_limit"])
    assert cairn_lines(result.err) == warning(
        "tool 'set': control variable 'btl_vader_eager_limit' no longer exists after MPI_Init: the part of the MPI library "
        "that it belongs to may not be in use", "--set btl_vader_eager_limit=65536")


def test_a_value_that_the_library_changed_is_told_once_at_the_end(mpi):
    result = run(*mpi.mpirun(2), CAIRN, "run", "--tools", f"set=expect:{FREE[mpi.id]}=12345", variable(mpi))
    assert result.code == 0
    assert cairn_lines(result.err).startswith(f"cairn: warning: tool 'set': control variable '{FREE[mpi.id]}' is ")
    assert result.err.count("cairn: warning") == 1
    assert ", not 12345: the MPI library changed it in MPI_Init\n" in result.err


def test_a_write_that_fails_is_told_once_at_the_end(mpi):
    result = run(*mpi.mpirun(2), CAIRN, "run", "--tools", "set=write:no_such_variable=1", variable(mpi))
    assert result.code == 0
    assert cairn_lines(result.err) == warning(
        "tool 'set': control variable 'no_such_variable' is not 1: writing it returned MPI_T_ERR_INVALID_NAME",
        "--tools set=write:no_such_variable=1")


@pytest.mark.parametrize("setting, text, remedy", [
    ("x", "'x' has no value", "NAME=VALUE[@RANKS], as in btl_vader_eager_limit=65536@0-3"),
    ("x=1@a", "the ranks of 'x' cannot be 'a'", "N or N-M, with commas between them"),
], ids=["no value", "no ranks"])
def test_bad_syntax_is_refused(setting, text, remedy):
    result = cairn_run("--set", setting, "true")
    assert (result.code, result.err) == (125, error(text, None, remedy))


def test_ranks_need_a_launcher():
    result = cairn_run("--set", "x=1@0", "true")
    assert (result.code, result.err) == (125, error(
        "'x=1@0' is for certain ranks, but 'cairn run' was not started by a launcher", None, "mpirun -n 4 cairn run --set x=1@0"))


@pytest.mark.parametrize("ranks, setting, told", [
    (2, "env:X=5@9", "its ranks are 0 to 1"), (2, "env:X=5@1,2-3", "its ranks are 0 to 1"), (1, "env:X=5@1", "it has rank 0 alone"),
    (2, "env:X=5@0-9", None)])
def test_ranks_that_the_job_does_not_have_are_told_once(mpi, ranks, setting, told):
    result = with_settings(mpi, ranks, [setting], "true")
    expected = warning(f"'{setting}' is for ranks that the job does not have: {told}", f"--set {setting}") if told else ""
    assert (result.code, cairn_lines(result.err)) == (0, expected)


def test_two_values_for_one_rank_are_refused():
    result = cairn_run("--set", "x=1", "--set", "x=2@3", "true")
    assert (result.code, result.err) == (125, error("'x=1' and 'x=2@3' are for the same ranks", None, "one value for each rank"))


def test_explain_shows_every_setting_and_who_said_so(mpi, tmp_path):
    name, other = FREE[mpi.id], SAME_EVERYWHERE[mpi.id]
    from_outside = other if mpi.id == "mpich" else f"OMPI_MCA_{other}"
    stack = tmp_path / "stack.toml"
    stack.write_text('[[layer]]\ntool = "profile"\n[set]\nprofile_top = 4\n')
    result = cairn_run("--explain", "--stack", stack, "--set", f"{name}=77", variable(mpi), OMPI_MCA_mpi_yield_when_idle="",
                       **{from_outside: "1"})
    rows = [re.split("  +", line) for line in result.out.splitlines() if not re.search("yield_when|orte_tmpdir", line)]
    assert (result.code, result.err) == (0, "")
    assert rows == [
        ["program", variable(mpi), "command line"],
        ["tools", "profile", f"--stack {stack}"],
        ["out", "named after program and time", "default"],
        ["strict", "off", "default"],
        [name, "77", f"--set {name}=77"],
        ["profile_top", "4", f"stack file '{stack}': profile_top"],
        [other, "1", f"environment: {from_outside}"]]
