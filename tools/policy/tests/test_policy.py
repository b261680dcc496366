# SPDX-License-Identifier: BSD-3-Clause
# test_policy.py - policies in a running program: triggers, conditions, agreement of ranks, trials, taking back.

import re

from cairn_testing import *

STEPS = 40


def follow(mpi, tmp_path, policy, *words, ranks=2, steps=STEPS, options="", more=(), **env):
    """The run, and policy.json; `policy` is a text, or a path."""
    path = policy
    if not isinstance(policy, pathlib.Path):
        path = tmp_path / "test.policy"
        path.write_text(policy)
    tools = [f"policy=file:{path}:table:off{options}", *more, mpi.tool("vars/standin")]
    result = run_stacked(mpi, ranks, tools, mpi.program("policy/steps"), steps, *words, out=tmp_path / "out", **env)
    file = tmp_path / "out" / "policy.json"
    return result, json.loads(file.read_text()) if file.exists() else None


def rule(when, *clauses, title="r"):
    return "\n  ".join([f'rule "{title}"', when, *clauses]) + "\n"


def figures(data, title="r"):
    return next(one for one in data["rules"] if one["title"] == title)


def events(data, *kinds):
    """(kind, ranks, variable, from, to, text), in order."""
    return [(one["kind"], one["ranks"], one["variable"], one["from"], one["to"], one["text"]) for one in data["events"]
            if not kinds or one["kind"] in kinds]


def said(result):
    return sorted(result.out.splitlines())


def test_unused_buffers_are_given_back(mpi, tmp_path):
    """The policy published for MVAPICH2 (docs/tuning.md)."""
    result, data = follow(mpi, tmp_path, SOURCE / "examples/tuning/pools.policy", "memory", "MPIR_CVAR_VBUF_POOL_CONTROL")
    assert (result.code, result.err) == (0, "")
    # One message at a time: one buffer of the smallest pool is ever used. After that nothing is wasted, and control is released.
    assert said(result) == [line for rank in (0, 1) for line in (f"rank {rank}: MPIR_CVAR_VBUF_POOL_CONTROL 0", f"rank {rank}: memory 256")]
    assert events(data) == [
        ("note", "0-1", "", "", "", "255 of 256 buffers were never used, of 1.33 MiB"),
        ("set", "0-1", "MPIR_CVAR_VBUF_POOL_REDUCED_VALUE", "[16, 16, 16, 16]", "[1, 0, 0, 0]", ""),
        ("set", "0-1", "MPIR_CVAR_VBUF_POOL_CONTROL", "0", "1", ""),
        ("set", "0-1", "MPIR_CVAR_VBUF_POOL_CONTROL", "1", "0", "")]


def test_elements_of_an_array_are_set_one_by_one(mpi, tmp_path):
    """Each rank sets elements; the others stay, also when a change is taken back."""
    pools = "MPIR_CVAR_VBUF_POOL_REDUCED_VALUE"
    policy = (rule("at start", f"set {pools}[1] = 20 + rank", f"set {pools}[3] = 7", title="elements")
              + rule("every 10 calls of MPI_Barrier", "ranks 1", f"set {pools}[2] = 9", "minimize calls(MPI_Barrier) over 1",
                     title="worse")
              + rule("at end", "ranks 0", f"set {pools} = [1, {pools}[1] + 1, 3, 4]", title="list")
              + rule("at end", f"set {pools} = [1, variable(\"nonesuch\"), 3, 4]", title="unknown"))
    result, data = follow(mpi, tmp_path, policy, pools)
    assert (result.code, result.err) == (0, "")
    at_rank_1 = [event[0:1] + event[3:5] for event in events(data, "set", "taken back") if event[1:3] == ("1", f"{pools}[2]")]
    assert at_rank_1[:2] == [("set", "16", "9"), ("taken back", "9", "16")]
    assert {event for event in events(data, "set") if event[2] != f"{pools}[2]"} == {
        ("set", "0", f"{pools}[1]", "16", "20", ""), ("set", "1", f"{pools}[1]", "16", "21", ""), ("set", "0-1", f"{pools}[3]", "16", "7", ""),
        ("set", "0", pools, "[16, 20, 16, 7]", "[1, 21, 3, 4]", "")}


def test_the_same_policy_as_a_tool(mpi):
    """examples/tools/pools.cc"""
    result = run_stacked(mpi, 2, [BUILD / "examples" / mpi.id / "pools.so", mpi.tool("vars/standin")], mpi.program("policy/steps"), STEPS,
                         "memory", "MPIR_CVAR_VBUF_POOL_CONTROL")
    assert (result.code, result.err) == (0, "")
    assert said(result) == [line for rank in (0, 1) for line in (f"rank {rank}: MPIR_CVAR_VBUF_POOL_CONTROL 0", f"rank {rank}: memory 256")]


def test_looks_come_after_so_many_calls(mpi, tmp_path):
    policy = rule("every 10 calls of MPI_Barrier", "note \"ten\"", title="ten") + rule(
        "every 15 calls of MPI_Barrier", "note \"{calls(MPI_Barrier)}\"", title="fifteen")
    result, data = follow(mpi, tmp_path, policy, ranks=1)
    assert (figures(data, "ten")["looks"], figures(data, "fifteen")["looks"]) == (4, 2)
    assert [text for *_, text in events(data) if text != "ten"] == ["15", "30"]


def test_calls_are_counted_whichever_threads_make_them(mpi, tmp_path):
    path = tmp_path / "p"
    path.write_text(rule("every 4 calls of MPI_Barrier", "note \"{calls(MPI_Barrier)}\"", title="four")
                    + rule("every 6 calls of MPI_Barrier", "note \"after {calls(MPI_Barrier)}\"", title="six"))
    result = run_stacked(mpi, 1, [f"policy=file:{path}:table:off"], mpi.program("policy/turns"), out=tmp_path / "out")
    assert (result.code, result.err) == (0, "")
    data = json.loads((tmp_path / "out/policy.json").read_text())
    assert [text for *_, text in events(data)] == ["4", "after 6", "8", "12", "after 12", "16", "after 18", "20"]


def test_calls_of_pcontrol_are_counted(mpi, tmp_path):
    _, data = follow(mpi, tmp_path, rule("every 2 calls of MPI_Pcontrol", "note \"two\""), ranks=1)
    assert figures(data)["looks"] == 1


def test_calls_that_are_not_counted_are_said(mpi, tmp_path):
    result, _ = follow(mpi, tmp_path, rule("every 2 calls of MPI_T_cvar_read", "note \"two\""), ranks=1)
    assert result.err.splitlines()[0] == "cairn: warning: tool 'policy': rule 'r' is left out: calls of MPI_T_cvar_read are not counted"


def test_a_rule_for_ranks_that_the_job_does_not_have_is_said(mpi, tmp_path):
    result, data = follow(mpi, tmp_path, rule("at start", "ranks 2-3, 9", "note \"here\"") + rule("at start", "ranks 1-9", "note \"there\"", title="there"))
    assert result.err.count("cairn: warning: ") == 1
    assert result.err.splitlines()[0] == "cairn: warning: tool 'policy': rule 'r' is left out: none of its ranks is in this job of 2"
    assert [event[1] for event in events(data, "note")] == ["1"]


def test_phases_start_and_end(mpi, tmp_path):
    policy = rule("at start", "note \"start\"", title="1") + rule("every phase", "note \"in '{phase}'\"", title="2") + rule(
        "at end", "note \"{calls(MPI_Allreduce)} calls\"", title="3")
    _, data = follow(mpi, tmp_path, policy, ranks=1)
    assert [text for *_, text in events(data)] == ["start", "in 'second'", "in ''", f"{STEPS} calls"]


def test_looks_in_time(mpi, tmp_path):
    _, data = follow(mpi, tmp_path, rule("every 20 ms", "note \"up\""), "slow", ranks=1, steps=200)
    assert 1 <= figures(data)["looks"] <= 200 * 5
    last = data["events"][0]["last_s"]
    assert last >= 0.02 and figures(data)["looks"] <= last / 0.02 + 1


@pytest.mark.parametrize("agree, value", [("any", 9), ("all", 6.5)])
def test_ranks_agree_whether(mpi, tmp_path, agree, value):
    policy = rule("every 10 calls of MPI_Allreduce", "if rank == 1", "set standin_all_eq = 9", f"agree {agree}")
    result, data = follow(mpi, tmp_path, policy, "standin_all_eq")
    assert said(result) == [f"rank {rank}: standin_all_eq {value:g}" for rank in (0, 1)]


def test_ranks_agree_to_and_fro(mpi, tmp_path):
    policy = rule("every 10 calls of MPI_Allreduce", "if calls(MPI_Allreduce) < 15 or calls(MPI_Allreduce) > 35", "set standin_all = 7",
                  "else set standin_all = 8")
    result, data = follow(mpi, tmp_path, policy, "standin_all", steps=60)
    assert [(start, to) for _, _, _, start, to, _ in events(data)] == [("5", "7"), ("7", "8"), ("8", "7")]
    assert said(result) == ["rank 0: standin_all 7", "rank 1: standin_all 7"]


def test_a_text_of_a_rank_is_not_set_on_all(mpi, tmp_path):
    policy = rule("every 10 calls of MPI_Allreduce", "set standin_title = phase", "agree any", title="1") + rule(
        "every 10 calls of MPI_Allreduce", "set standin_colour = \"blue\"", "agree any", title="2")
    result, data = follow(mpi, tmp_path, policy, "standin_colour")
    assert events(data) == [("set", "0-1", "standin_colour", "5", "blue", "")]


def test_what_is_no_number_is_not_set(mpi, tmp_path):
    policy = rule("every 10 calls of MPI_Recv", "set standin_colour = elapsed / 0", title="1") + rule(
        "every 10 calls of MPI_Allreduce", "set standin_all_eq = (elapsed - elapsed) / 0", title="2")
    result, data = follow(mpi, tmp_path, policy, "standin_colour", "standin_all_eq")
    assert events(data) == []


def test_ranks_agree_on_the_greatest_value(mpi, tmp_path):
    result, _ = follow(mpi, tmp_path, rule("every 10 calls of MPI_Allreduce", "set standin_all = 10 + rank"), "standin_all")
    assert said(result) == ["rank 0: standin_all 11", "rank 1: standin_all 11"]


def test_ranks_with_different_levels_of_threads_agree(mpi, tmp_path):
    """What all of them count is settled between them: MPI_COMM_WORLD alone, on which this program has no collectives."""
    path = tmp_path / "p"
    path.write_text(rule("every 1 calls of MPI_Allreduce", "set standin_all = 7"))
    result = run(*mpi.mpirun(2), CAIRN, "run", "--set", "env:STEPS_THREADS=1@1", "--tools", f"policy=file:{path}:table:off,{mpi.tool('vars/standin')}",
                 "--out", tmp_path / "out", mpi.program("policy/steps"), 4, "duplicate", "standin_all", timeout=30)
    assert result.code == 0 and said(result) == ["rank 0: standin_all 5", "rank 1: standin_all 5"]


def test_where_one_rank_cannot_follow_none_does(mpi, tmp_path):
    path = tmp_path / "p"
    path.write_text(rule("every 1 calls of MPI_Allreduce", "set standin_all = 7"))
    refuse = "env:STANDIN_MPI_T_ERRORS=MPI_T_pvar_session_create@1"
    result = run(*mpi.mpirun(2), CAIRN, "run", "--set", refuse, "--tools", f"policy=file:{path}:table:off,{mpi.tool('vars/standin')}",
                 "--out", tmp_path / "out", mpi.program("policy/steps"), 4, "standin_all", timeout=30)
    assert result.code == 0 and said(result) == ["rank 0: standin_all 5", "rank 1: standin_all 5"]
    assert result.err.splitlines()[0] == "cairn: warning: tool 'policy': the policy is not followed: MPI_T returned an error on another rank"


@pytest.mark.parametrize("words", [[], ["duplicate"]], ids=["world", "duplicate"])
def test_ranks_agree_in_time(mpi, tmp_path, words):
    """Only at calls that all come to; the numbers are the greatest of any rank, and so is the time since MPI_Init, which the ranks
    leave one after the other."""
    policy = rule("every 10 ms", "set standin_all = calls(MPI_Barrier) + 1000 * rank")
    result, data = follow(mpi, tmp_path, policy, *words, "slow", "standin_all", steps=100, more=[mpi.tool("policy/late_start")])
    assert all(event["first_s"] >= 0.009 for event in data["events"])
    lines = said(result)
    assert [line.split()[-1] for line in lines] == [lines[0].split()[-1]] * 2 and int(lines[0].split()[-1]) > 1000
    assert figures(data)["looks"] >= 4 and figures(data)["looks"] % 2 == 0


def test_what_is_far_off_does_not_happen(mpi, tmp_path):
    result, data = follow(mpi, tmp_path, rule("every 1 h", "set standin_all = 7"), "standin_all")
    assert said(result) == ["rank 0: standin_all 5", "rank 1: standin_all 5"] and figures(data)["looks"] == 0


def test_what_one_rank_cannot_do_is_said(mpi, tmp_path):
    path = tmp_path / "p"
    path.write_text(rule("every 1 calls of MPI_Allreduce", "set standin_all = 7"))
    refuse = "env:STANDIN_MPI_T_ERRORS=MPI_T_cvar_handle_alloc:8@1"
    result = run(*mpi.mpirun(2), CAIRN, "run", "--set", refuse, "--tools", f"policy=file:{path}:table:off,{mpi.tool('vars/standin')}",
                 "--out", tmp_path / "out", mpi.program("policy/steps"), 4, "standin_all", timeout=30)
    assert result.code == 0 and "rank 0: standin_all 5" in said(result)
    assert result.err.splitlines()[0] == ("cairn: warning: tool 'policy': rule 'r' is left out: on another rank its variable is missing, "
                                          "or has another number of elements")


def test_what_one_rank_is_refused_no_rank_has(mpi, tmp_path):
    path = tmp_path / "p"
    path.write_text(rule("every 10 calls of MPI_Allreduce", "set standin_all = 7"))
    refuse = "env:STANDIN_MPI_T_ERRORS=MPI_T_cvar_write:8@1"
    result = run(*mpi.mpirun(2), CAIRN, "run", "--set", refuse, "--tools", f"policy=file:{path}:table:off,{mpi.tool('vars/standin')}",
                 "--out", tmp_path / "out", mpi.program("policy/steps"), STEPS, "standin_all")
    assert said(result) == ["rank 0: standin_all 5", "rank 1: standin_all 5"], result.err
    data = json.loads((tmp_path / "out/policy.json").read_text())
    assert sorted(events(data)) == [("refused", "0", "standin_all", "5", "7", "refused on another rank"),
                            ("refused", "1", "standin_all", "5", "7", "MPI_T_cvar_write returned MPI_T_ERR_INVALID")]


def test_only_on_some_ranks(mpi, tmp_path):
    result, _ = follow(mpi, tmp_path, rule("every 10 calls of MPI_Recv", "set standin_colour = \"blue\"", "ranks 1-5"), "standin_colour")
    assert said(result) == ["rank 0: standin_colour 5", "rank 1: standin_colour 10"]


def test_a_change_that_makes_it_worse_is_taken_back(mpi, tmp_path):
    policy = rule("every 1 calls of MPI_Recv", "set standin_colour = 10", "minimize standin_colour over 3")
    result, data = follow(mpi, tmp_path, policy, "standin_colour", ranks=1, steps=12)
    assert said(result) == ["rank 0: standin_colour 5"]
    assert events(data) == [("set", "0", "standin_colour", "5", "10", ""), ("worse", "0", "", "", "", "objective 5 -> 10"),
                            ("taken back", "0", "standin_colour", "10", "5", "")]
    assert (figures(data)["acted"], figures(data)["taken_back"]) == (1, 1)


def test_a_change_that_pays_is_kept(mpi, tmp_path):
    policy = rule("every 1 calls of MPI_Recv", "set standin_colour = 1", "minimize standin_colour over 3")
    result, data = follow(mpi, tmp_path, policy, "standin_colour", ranks=1, steps=12)
    assert said(result) == ["rank 0: standin_colour 1"]
    assert events(data, "kept") == [("kept", "0", "", "", "", "objective 5 -> 1")]


def test_only_the_change_that_is_judged_is_taken_back(mpi, tmp_path):
    """The first one was good; the value that follows is not."""
    policy = rule("every 1 calls of MPI_Recv", "if calls(MPI_Recv) < 5 or calls(MPI_Recv) > 8", "set standin_colour = 1",
                  "set standin_early = 4", "minimize calls(MPI_Recv) * (calls(MPI_Recv) > 9) over 1")
    policy = policy.replace("set standin_early = 4", "set MPIR_CVAR_VBUF_POOL_CONTROL = 1 * (calls(MPI_Recv) > 8)")
    result, data = follow(mpi, tmp_path, policy, "standin_colour", "MPIR_CVAR_VBUF_POOL_CONTROL", ranks=1, steps=11)
    assert [event[:5] for event in events(data, "set", "taken back")] == [
        ("set", "0", "standin_colour", "5", "1"), ("set", "0", "MPIR_CVAR_VBUF_POOL_CONTROL", "0", "1"),
        ("taken back", "0", "MPIR_CVAR_VBUF_POOL_CONTROL", "1", "0")]
    assert said(result) == ["rank 0: MPIR_CVAR_VBUF_POOL_CONTROL 0", "rank 0: standin_colour 1"]


@pytest.mark.parametrize("variable, values, kept", [("standin_colour", '10, "red"', 1), ("standin_all", "9, 3, 4", 3),
                                                    ("standin_all", "9, 7", 5)])
def test_values_are_tried(mpi, tmp_path, variable, values, kept):
    policy = rule("every 1 calls of MPI_Allreduce", f"try {variable} in {values}", f"minimize {variable} over 2")
    result, data = follow(mpi, tmp_path, policy, variable)
    assert said(result) == [f"rank {rank}: {variable} {kept}" for rank in (0, 1)]
    assert [to for _, _, _, _, to, _ in events(data, "settled")] == [{1: "red"}.get(kept, str(kept))]


@pytest.mark.parametrize("by_name", [True, False], ids=["name", "number"])
def test_an_algorithm_is_set_by_name_and_by_number(mpi, tmp_path, by_name):
    name, word, number = {"openmpi": ("coll_tuned_barrier_algorithm", "bruck", 4), "mpich": ("MPIR_CVAR_BARRIER_INTRA_ALGORITHM", "smp", 2)}[mpi.id]
    path = tmp_path / "test.policy"
    path.write_text(rule("every 1 calls of MPI_Allreduce", f"set {name} = " + (f'"{word}"' if by_name else str(number)), "times 1"))
    result = run_stacked(mpi, 2, [f"policy=file:{path}:table:off"], mpi.program("policy/steps"), STEPS, name, out=tmp_path / "out")
    assert said(result) == [f"rank {rank}: {name} {number}" for rank in (0, 1)]
    assert events(json.loads((tmp_path / "out/policy.json").read_text()), "refused") == []


def test_a_trial_that_the_end_cuts_short(mpi, tmp_path):
    policy = rule("every 1 calls of MPI_Allreduce", "try standin_all in 1, 2, 3", "minimize standin_all over 100")
    result, data = follow(mpi, tmp_path, policy)
    assert events(data, "not settled") == [("not settled", "0-1", "", "", "", "standin_all: the trial was not finished")]
    assert events(data, "settled", "measured") == [] and result.code == 0


def test_a_value_that_is_refused_is_out_of_the_trial(mpi, tmp_path):
    policy = rule("every 1 calls of MPI_Recv", "try standin_colour in 2, 1", "minimize standin_colour over 2")
    result, data = follow(mpi, tmp_path, policy, "standin_colour", ranks=1)
    assert said(result) == ["rank 0: standin_colour 1"]
    assert events(data, "refused") == [("refused", "0", "standin_colour", "5", "2", "MPI_T_cvar_write returned MPI_T_ERR_INVALID")]


def test_times_until_and_cooldown(mpi, tmp_path):
    three = rule("every 1 calls of MPI_Recv", "if calls(MPI_Recv) > 5", "times 3", "until 0 > 1", "note \"at {calls(MPI_Recv)}\"")
    _, data = follow(mpi, tmp_path, three, ranks=1)
    assert [text for *_, text in events(data)] == ["at 8"]
    cool = rule("every 1 calls of MPI_Recv", "cooldown 1 h", "note \"at {calls(MPI_Recv)}\"")
    _, data = follow(mpi, tmp_path, cool, ranks=1)
    assert [text for *_, text in events(data)] == ["at 1"]


def test_a_dry_run_changes_nothing(mpi, tmp_path):
    policy = rule("every 10 calls of MPI_Allreduce", "set standin_all = 7")
    result, data = follow(mpi, tmp_path, policy, "standin_all", options=":dry_run:on")
    assert said(result) == ["rank 0: standin_all 5", "rank 1: standin_all 5"]
    assert data["dry_run"] and events(data) == [("would set", "0-1", "standin_all", "5", "7", "")]


def test_stop_ends_the_policy(mpi, tmp_path):
    policy = rule("every 1 calls of MPI_Recv", "note \"look\"", title="1") + rule("every 5 calls of MPI_Recv", "stop", title="2")
    _, data = follow(mpi, tmp_path, policy, ranks=1)
    assert figures(data, "1")["looks"] == 5 and figures(data, "2")["looks"] == 1


@pytest.mark.parametrize("variable", ["standin_colour", "standin_all"])
def test_what_is_only_tried_does_not_outlast_the_policy(mpi, tmp_path, variable):
    policy = rule("every 1 calls of MPI_Allreduce", f"try {variable} in 1", "minimize elapsed over 100", title="1") + rule(
        "every 2 calls of MPI_Allreduce", "stop", title="2")
    result, data = follow(mpi, tmp_path, policy, variable, ranks=2)
    assert events(data, "tried", "taken back") == [("tried", "0-1", variable, "5", "1", ""), ("taken back", "0-1", variable, "1", "5", "")]
    assert said(result) == [f"rank {rank}: {variable} 5" for rank in (0, 1)]


def test_layers_are_switched(mpi, tmp_path):
    """Tools below have their variables on the bus as long as no stand-in hides them."""
    path = tmp_path / "p"
    path.write_text(rule("every 10 calls of MPI_Recv", "switch profile off"))
    result = run_stacked(mpi, 1, [f"policy=file:{path}:table:off", "profile=table:off"], mpi.program("policy/steps"), STEPS, out=tmp_path / "out")
    assert (result.code, result.err) == (0, "")
    assert read_profile(tmp_path / "out")["MPI_Recv"]["calls"] == 9  # the call that the rule was looked at in bypasses it already


def test_a_variable_that_appears_later(mpi, tmp_path):
    policy = rule("every 1 calls of MPI_Recv", 'if variable("standin_late") == 9', "until 0 > 1", "note \"there\"")
    _, data = follow(mpi, tmp_path, policy, ranks=1)
    assert [text for *_, text in events(data)] == ["there"]


def test_a_variable_that_there_is_not_is_told_once(mpi, tmp_path):
    path = tmp_path / "p"
    path.write_text(rule("every 1 calls of MPI_Recv", "set nonesuch = 1"))
    result = run(mpi.program("policy/steps"), 1, LD_PRELOAD=LIBCAIRN, CAIRN_TOOLS=f"policy=file:{path}:table:off", CAIRN_OUT=tmp_path / "out")
    assert result.code == 0
    data = json.loads((tmp_path / "out/policy.json").read_text())
    assert result.err.splitlines()[0] == ("cairn: warning: tool 'policy': rule 'r' is left out: 'nonesuch' cannot be set: "
                                          "there is no variable of that name")
    assert figures(data)["looks"] == 0


def test_a_policy_in_another_character_set(mpi, tmp_path):
    """What is no UTF-8 cannot be in JSON as it is; the program must not suffer from that."""
    path = tmp_path / "p"
    path.write_bytes("rule \"Größe\"\n at end\n note \"groß\"".encode("latin-1"))
    result, data = follow(mpi, tmp_path, path, ranks=1)
    assert result.code == 0 and [text for *_, text in events(data)] == ["gro\ufffd"]


def test_the_report_has_looks_and_actions(mpi, tmp_path):
    path = tmp_path / "p.policy"
    path.write_text(rule("every 10 calls of MPI_Allreduce", "set standin_all = 7"))
    result = run_stacked(mpi, 2, [f"policy=file:{path}", mpi.tool("vars/standin")], mpi.program("policy/steps"), STEPS)
    lines = result.err.splitlines()
    assert lines[0] == f"policy: '{path}' on 2 ranks"
    assert lines[1].startswith("  r: 8 looks, condition held 8, acted 2, taken back 0; ") and lines[1].endswith(" us per look")
    assert lines[2].endswith(" s  r: set standin_all: 5 -> 7 on all ranks")
    assert re.fullmatch(r"  looking took [0-9.e-]+ % of the run", lines[3])


def test_what_timing_calls_costs_is_measured(mpi, tmp_path):
    """By windows of calls that are not timed, which count as long as the others."""
    path = tmp_path / "p"
    path.write_text(rule("at end", "note \"{calls(MPI_Isend)} calls\"", "note \"{time(MPI_Isend) > 0}\""))
    run_stacked(mpi, 1, [f"policy=file:{path}", mpi.tool("vars/standin")], mpi.program("policy/steps"), 20000, out=tmp_path / "out")
    data = json.loads((tmp_path / "out/policy.json").read_text())
    assert [text for *_, text in events(data)] == ["20000 calls", "1"]
    share = data["timing_share"]
    assert share["low"] <= share["mean"] <= share["high"] <= 1
    assert re.search(r"\n  looking took [0-9.e-]+ % of the run, timing calls [0-9.e-]+ % (at most|\([0-9.e-]+ to [0-9.e-]+ %\))\n",
                     (tmp_path / "out/report.txt").read_text())
