# SPDX-License-Identifier: BSD-3-Clause
# test_policies_refused.py - what `cairn run --policy` says of a wrong policy before the program starts, word for word.

from cairn_testing import *

CASES = {
    "colur": ('rule "r"\n  every 10 calls of MPI_Barrier\n  set standin_colur = 1', "line 3, column 7: there is no control variable 'standin_colur'", "standin_colour"),
    "read": ('rule "r"\n  every 1 s\n  if standin_leve > 1\n  note "x"',
             "line 3, column 6: there is no variable 'standin_leve'; if it appears only later, write variable(\"standin_leve\")", "standin_level"),
    "performance": ('rule "r"\n  every 1 s\n  set standin_level = 1', "line 3, column 7: 'standin_level' cannot be set: it is a performance variable", None),
    "readonly": ('rule "r"\n  every 1 s\n  set standin_readonly = 1',
                 "line 3, column 7: 'standin_readonly' cannot be set: the library accepts no new value at run time (its scope is readonly)",
                 "cairn run --set standin_readonly=VALUE, before it starts"),
    "text": ('rule "r"\n  every 1 s\n  set standin_colour = "pink"', "line 3, column 7: 'standin_colour' cannot be set: 'pink' is not a valid value",
             "one of red, green, blue"),
    "number": ('rule "r"\n  every 1 s\n  set standin_title = 3', "line 3, column 7: 'standin_title' cannot be set: it takes a string", "a value in quotes"),
    "whole": ('rule "r"\n  every 1 s\n  set standin_all = 1.5', "line 3, column 7: 'standin_all' cannot be set: 1.5 is not a whole number", "a value of type MPI_Count"),
    "negative": ('rule "r"\n  every 1 s\n  set standin_group = -1', "line 3, column 7: 'standin_group' cannot be set: -1 is negative",
                 "a value of type unsigned long"),
    "large": ('rule "r"\n  every 1 s\n  set standin_colour = 1e12', "line 3, column 7: 'standin_colour' cannot be set: 1000000000000 is too large",
              "one of red, green, blue"),
    "infinite": ('rule "r"\n  every 1 s\n  set standin_all = 1 / 0', "line 3, column 7: 'standin_all' cannot be set: the value is not a number",
                 "a value of type MPI_Count"),
    "element": ('rule "r"\n  every 1 s\n  set MPIR_CVAR_VBUF_POOL_REDUCED_VALUE[4] = 1',
                "line 3, column 7: 'MPIR_CVAR_VBUF_POOL_REDUCED_VALUE[4]' cannot be set: it has 4 elements, 0 to 3", None),
    "element of one": ('rule "r"\n  every 1 s\n  set standin_all[0] = 1', "line 3, column 7: 'standin_all[0]' cannot be set: it is a single value", None),
    "list": ('rule "r"\n  every 1 s\n  set MPIR_CVAR_VBUF_POOL_REDUCED_VALUE = [1, 2]',
             "line 3, column 7: 'MPIR_CVAR_VBUF_POOL_REDUCED_VALUE' cannot be set: it has 4 elements, not 2", None),
    "in a list": ('rule "r"\n  every 1 s\n  set MPIR_CVAR_VBUF_POOL_REDUCED_VALUE = [1, 2, 3, 4.5]',
                  "line 3, column 7: 'MPIR_CVAR_VBUF_POOL_REDUCED_VALUE' cannot be set: 4.5 is not a whole number", "a value of type int"),
    "ranks": ('rule "r"\n  every 1 s\n  set standin_all_eq = 1\n  ranks 0',
              "line 3, column 7: 'standin_all_eq' cannot be set: ranks must agree on it (its scope is all_eq), and the rule is for some ranks only", None),
    "layer": ('rule "r"\n  every 1 s\n  switch nonesuch off', "line 3, column 10: there is no layer 'nonesuch' in the stack", "--tools nonesuch"),
    "function": ('rule "r"\n  every 10 calls of MPI_Barier\n  note "x"', "line 2, column 3: there is no MPI function 'MPI_Barier'", "MPI_Barrier"),
    "figure": ('rule "r"\n  every 1 s\n  if time(MPI_Sned) > 1\n  note "x"', "line 3, column 6: there is no MPI function 'MPI_Sned'", "MPI_Send"),
    "syntax": ('rule "r"\n  every 1 s\n  set = 1', "line 3, column 7: the name of a control variable expected, but found '='", None),
}


@pytest.mark.parametrize("value, told", [('"star"', "star"), ("9", "9")])
def test_what_is_none_of_mpichs_algorithms(tmp_path, value, told):
    mpi = MPIS[1]
    name = "MPIR_CVAR_BARRIER_INTRA_ALGORITHM"
    path = tmp_path / "p.policy"
    path.write_text(f'rule "r"\n  every 1 s\n  set {name} = {value}')
    result = run(CAIRN, "run", "--policy", path, mpi.program("policy/steps"), 1)
    assert (result.code, result.out) == (125, "")
    assert result.err.splitlines() == [f"cairn: error: policy '{path}', line 3, column 7: '{name}' cannot be set: '{told}' is not a valid value",
                                       f"cairn:   asked for by: --policy {path}",
                                       "cairn:   try: one of auto, nb, smp, dissemination"]


@pytest.mark.parametrize("case", CASES)
def test_before_the_program_starts(mpi, tmp_path, case):
    text, wrong, remedy = CASES[case]
    path = tmp_path / "p.policy"
    path.write_text(text)
    result = run(CAIRN, "run", "--policy", path, "--tools", mpi.tool("vars/standin"), mpi.program("policy/steps"), 1)
    asked = f"cairn:   asked for by: --tools {mpi.tool('vars/standin')} --policy {path}"
    lines = [f"cairn: error: policy '{path}', {wrong}", asked] + ([f"cairn:   try: {remedy}"] if remedy else [])
    assert (result.code, result.out, result.err.splitlines()) == (125, "", lines)


def test_in_a_job_it_is_told_once(mpi, tmp_path):
    path = tmp_path / "p.policy"
    path.write_text(CASES["colur"][0])
    result = run(*mpi.mpirun(2), CAIRN, "run", "--policy", path, "--tools", mpi.tool("vars/standin"), mpi.program("policy/steps"), 1)
    assert result.code == 125 and result.err.count("cairn: error: ") == 1


def test_what_no_script_tells_is_left_to_the_tool(mpi, tmp_path):
    """Which MPI it will use, so which variables there are."""
    path = tmp_path / "p.policy"
    path.write_text(CASES["colur"][0])
    result = run(CAIRN, "run", "--policy", path, "--out", tmp_path / "out", "sh", "-c", "echo here; exit 3")
    assert (result.code, result.out) == (3, "here\n")


def test_a_filter_that_would_part_ranks(mpi, tmp_path):
    path = tmp_path / "p"
    path.write_text('rule "r"\n at end\n stop\n')
    result = run(CAIRN, "run", "--tools", f"policy=file:{path}@ranks:0", mpi.program("policy/steps"), 1)
    assert (result.code, result.out, result.err.splitlines()) == (125, "", [
        "cairn: error: tool 'policy' takes no filters but 'active', here ranks:0: ranks that agree must all see the same calls",
        f"cairn:   asked for by: --tools policy=file:{path}@ranks:0",
        "cairn:   try: in the policy, 'ranks 0-3', 'if phase == \"NAME\"' or 'if elapsed > 10 s'"])


def test_a_policy_that_cannot_be_read_is_refused(mpi, tmp_path):
    result = run(CAIRN, "run", "--policy", "/nonesuch", mpi.program("policy/steps"), 1)
    assert (result.code, result.err.splitlines()) == (125, ["cairn: error: policy '/nonesuch' cannot be read",
                                                            "cairn:   asked for by: --policy /nonesuch",
                                                            "cairn:   try: the path of a policy file (docs/policies.md)"])


def test_findings_are_no_rules(mpi, tmp_path):
    path = tmp_path / "p.policy"
    path.write_text('finding "f"\n if 1\n gain 1\n do "x"')
    result = run(CAIRN, "run", "--policy", path, mpi.program("policy/steps"), 1)
    assert (result.code, result.err.splitlines()) == (125, [f"cairn: error: policy '{path}' has no rules", f"cairn:   asked for by: --policy {path}", "cairn:   try: findings are for 'cairn advise'"])


def test_by_the_list_of_tools_too(mpi, tmp_path):
    path = tmp_path / "p.policy"
    path.write_text("rule")
    result = run(CAIRN, "run", "--tools", f"policy=file:{path}", mpi.program("policy/steps"), 1)
    assert result.err.splitlines() == [f"cairn: error: policy '{path}', line 1, column 5: a title in quotes expected, but the line ends",
                                       f"cairn:   asked for by: --tools policy=file:{path}"]
