# SPDX-License-Identifier: BSD-3-Clause
# test_advise.py - `cairn advise` as a command, and on a real run; what it finds in which results is tests/unit/advice_test.cc.

import re

from cairn_testing import *


def advise(*words):
    return run(CAIRN, "advise", *words)


@pytest.fixture(scope="module", params=MPIS, ids=lambda mpi: mpi.id)
def results(request, tmp_path_factory):
    """A run of the heat equation with two ranks that are said to be on a node with fewer processors, for long enough to be worth a word."""
    mpi = request.param
    folder = tmp_path_factory.mktemp(mpi.id) / "results"
    program = BUILD / "examples" / mpi.id / "heat3d"
    result = run_stacked(mpi, 2, ["profile=table:off", "comm=table:off"], program, "--size", 12, "--steps", 20, out=folder)
    assert result.code == 0, result.err
    facts = json.loads((folder / "run.json").read_text())
    assert facts["cores"] == os.cpu_count() and facts["ranks_on_host"] == 2
    (folder / "run.json").write_text(json.dumps({**facts, "cores": 1}))
    profile = json.loads((folder / "profile.json").read_text())
    for part, seconds in (("run_time_s", 10), ("mpi_time_s", 5)):
        profile[part] = {"total": 2 * seconds, "mean": seconds, "min": seconds, "max": seconds}
    (folder / "profile.json").write_text(json.dumps(profile))
    return mpi, folder


def test_findings_of_a_run(results):
    mpi, folder = results
    result = advise(folder, "--json", "-")
    assert (result.code, result.err) == (0, "")
    data = json.loads(result.out)
    assert (data["format"], data["tools"], data["not_looked_at"][-1]) == ("cairn-advice 1", ["profile", "comm"], "Messages that nobody expects")
    found = next(one for one in data["findings"] if one["title"].startswith("Ranks outnumber"))
    assert found["evidence"].startswith("2 ranks run on a node with 1 processors, ")
    assert found["settings"] == {}  # the tests' environment has mpi_yield_when_idle=1
    assert (found["kind"], found["place"], found["ranks"], found["predicted_run_s"]) == ("too_many_ranks", None, None, None)
    assert [one["cost_s"] for one in data["findings"]] == sorted((one["cost_s"] for one in data["findings"]), reverse=True)


def test_the_text_counts_the_findings_and_names_what_was_not_checked(results):
    mpi, folder = results
    lines = advise(folder).out.splitlines()
    count = sum(line.startswith("   why:  ") for line in lines)
    assert lines[0] == f"{count} finding{'' if count == 1 else 's'} for 'heat3d'"
    assert lines[-1] == "not checked, because the run had only profile, comm: 1 that needs vars; 13 that need waits"
    assert not any("mpi_yield_when_idle" in line for line in lines)


def test_what_is_not_in_force_is_to_be_set(results, tmp_path):
    mpi, folder = results
    facts = json.loads((folder / "run.json").read_text())
    assert facts["settings"].pop("mpi_yield_when_idle", None) == ("1" if mpi.id == "openmpi" else None)
    (tmp_path / "run.json").write_text(json.dumps(facts))
    (tmp_path / "profile.json").write_text((folder / "profile.json").read_text())
    assert (mpi.id == "openmpi") == ("         cairn run --set mpi_yield_when_idle=1" in advise(tmp_path).out.splitlines())


def test_no_more_than_asked_for(results):
    assert sum(line.startswith("   why:  ") for line in advise(results[1], "--top", 1).out.splitlines()) == 1
    assert re.match(r"\d+ findings? for 'heat3d', 0 shown\n", advise(results[1], "--top", 0).out)


def test_the_report_has_the_same_findings(results):
    found = json.loads(advise(results[1], "--json", "-").out)["findings"]
    out = run(CAIRN, "report", results[1]).out
    titles = re.findall(r"^  (\d+)\. ([^,\n]*)", out, re.MULTILINE)
    assert titles == [(str(number), one["title"]) for number, one in enumerate(found[:5], 1)]
    assert out.index("\nfindings\n") < out.index("\nWhere does time go? (profile)\n")


def test_findings_of_own_rules_are_ranked_with_the_others(results, tmp_path):
    path = tmp_path / "site.policy"
    path.write_text('finding "Many ranks"\n  if run.ranks == 2\n  gain run.time * 2\n  sure high\n  because "{run.ranks} of them"\n  do "less"\n')
    first = json.loads(advise(results[1], "--rules", path, "--json", "-").out)["findings"][0]
    assert (first["title"], first["evidence"], first["gain_share"], first["sure"]) == ("Many ranks", "2 of them", 1, "high")


def test_rules_in_another_character_set(results, tmp_path):
    path = tmp_path / "site.policy"
    path.write_bytes('finding "groß"\n  if 1\n  gain 1 h\n  do "x"\n'.encode("latin-1"))
    result = advise(results[1], "--rules", path, "--json", "-")
    assert result.code == 0 and "gro\ufffd" in [one["title"] for one in json.loads(result.out)["findings"]]


def test_rules_are_no_findings(results, tmp_path):
    path = tmp_path / "run.policy"
    path.write_text('rule "r"\n  every 1 s\n  stop\n')
    result = advise(results[1], "--rules", path)
    assert (result.code, result.err.splitlines()) == (125, [
        f"cairn: error: policy '{path}', line 1, column 1: a rule is for a running program, not for advice",
        f"cairn:   asked for by: --rules {path}",
        f"cairn:   try: cairn run --policy {path}"])


def test_the_built_in_rules_are_a_policy_of_their_own(results, tmp_path):
    path = tmp_path / "own.policy"
    path.write_text(advise("--show-rules").out)
    result = advise(results[1], "--rules", path)
    assert (result.code, result.err) == (0, "")


def test_fields_are_listed():
    lines = advise("--fields").out.splitlines()
    assert lines[0].split() == ["run.mpi", "the", "MPI", "library:", '"Open', "MPI", '4.1.4"']
    assert any(line.startswith("site.place ") and line.endswith(" (profile)") for line in lines)


def test_kinds_are_listed_and_every_built_in_rule_has_one():
    kinds = [line.split()[0] for line in advise("--kinds").out.splitlines()]
    rules = advise("--show-rules").out
    used = re.findall(r"^  kind (\w+)$", rules, re.MULTILINE)
    assert len(used) == rules.count('\nfinding "') and set(used) <= set(kinds) and kinds[-1] == "other"
    table = (SOURCE / "docs" / "advice.md").read_text()
    assert [kind for kind in kinds if f"| `{kind}` |" not in table] == []


@pytest.mark.parametrize("words, told", [
    ((), ["cairn: error: no run's folder given", "cairn:   try: cairn advise DIR"]),
    (("/nonesuch",), ["cairn: error: no report: '/nonesuch': No such file or directory",
                      "cairn:   try: the folder that 'cairn run' wrote: that of --out, or cairn-PROGRAM-DATE-TIME"]),
    (("/",), ["cairn: error: no advice: '/' has no results of profile, waits, comm or vars", "cairn:   try: cairn run --tools profile,waits,comm PROGRAM"]),
])
def test_nothing_to_go_by(words, told):
    result = advise(*words)
    assert (result.code, result.out, result.err.splitlines()) == (125, "", told)


def test_damaged_results_are_an_error(tmp_path):
    (tmp_path / "profile.json").write_text("{")
    result = advise(tmp_path)
    assert result.code == 125 and result.err.splitlines()[0] == f"cairn: error: '{tmp_path}/profile.json' is damaged: not valid JSON from byte 2 on"


def test_results_of_a_newer_format(tmp_path):
    (tmp_path / "profile.json").write_text('{"format": "cairn-profile 2"}')
    result = advise(tmp_path)
    assert (result.code, result.out, result.err.splitlines()) == (125, "", [
        f"cairn: error: '{tmp_path}/profile.json' has the format 'cairn-profile 2'; this cairn knows up to 'cairn-profile 1'",
        "cairn:   try: the cairn that made the run, or a newer one"])


def test_results_that_say_nothing(tmp_path):
    (tmp_path / "profile.json").write_text('{"format": "cairn-profile 1", "functions": 3, "ranks": "many"}')
    assert advise(tmp_path).out.splitlines()[0] == "0 findings for the run"


def test_what_a_library_elsewhere_has(results, tmp_path):
    """A list of MVAPICH2's variables, as 'cairn vars --json' writes it there; the library here has no such variable."""
    mpi, folder = results
    path = tmp_path / "site.policy"
    path.write_text('finding "Reduce in the network"\n  if 1\n  gain 1 s\n  do "x"\n  set MPIR_CVAR_ENABLE_SHARP = 1\n  has MPIR_CVAR_ENABLE_SHARP\n')
    listed = tmp_path / "mvapich.json"
    listed.write_text(json.dumps({"format": "cairn-variables 1", "control_variables": [{"name": "MPIR_CVAR_ENABLE_SHARP", "value": 0}]}))
    assert "Reduce in the network" not in advise(folder, "--rules", path).out
    assert "cairn run --set MPIR_CVAR_ENABLE_SHARP=1\n" in advise(folder, "--rules", path, "--variables", listed).out
    result = advise(folder, "--variables", path)
    assert (result.code, result.err.splitlines()) == (125, [f"cairn: error: '{path}' is not a list of variables", "cairn:   try: cairn vars --json FILE"])
    result = advise(folder, "--variables", tmp_path / "none")
    assert (result.code, result.err) == (125, f"""\
cairn: error: '{tmp_path}/none' cannot be read
cairn:   asked for by: --variables {tmp_path}/none
cairn:   try: cairn vars --json FILE
""")
