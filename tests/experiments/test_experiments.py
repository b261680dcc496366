# SPDX-License-Identifier: BSD-3-Clause
# test_experiments.py - every experiment of docs/experiments.md runs, keeps its figures, draws its picture and says its verdicts.

import json
import re
import sys

import pytest
from cairn_testing import BUILD, SOURCE, run

sys.path.insert(0, str(SOURCE / "bench"))
from experiments import document  # noqa: E402
from experiments.harness import Claim  # noqa: E402
from experiments.stats import compare, effect_words, line  # noqa: E402
from repeat import NAMES  # noqa: E402

REPEAT = ("/usr/bin/python3", SOURCE / "bench/repeat.py")
PAGE = (SOURCE / "docs/experiments.md").read_text()
EXACT = {  # what does not depend on how fast the machine is
    "broadcast": r"2 Bcast above; 1 Send and Recv below, 3 of 3 kinds of tool right to the count and byte \| holds",
    "applications": r"`conjugate_gradient` \(HPCG\), Bcast \| 1.0 \| 1 \|",
}


MPI = {name: "mpich" if name == "layers" else "openmpi" for name in NAMES}  # one is enough


@pytest.fixture(scope="module")
def done(tmp_path_factory):
    """What they print by MPI, and their folder."""
    out = tmp_path_factory.mktemp("experiments")
    return {mpi: run(*REPEAT, *(name for name in NAMES if MPI[name] == mpi), "--quick", "--mpi", mpi, "--build", BUILD, "--out", out, timeout=400)
            for mpi in ("openmpi", "mpich")}, out


@pytest.mark.parametrize("name", NAMES)
def test_an_experiment_runs_and_leaves_figures_a_picture_and_verdicts(done, name):
    results, out = done
    result = results[MPI[name]]
    assert result.code == 0, result.err
    kept = json.loads((out / f"{name}.json").read_text())
    assert kept["quick"] and kept["figures"] and kept["versions"]["libraries"] and len(kept["loads"]) == 2
    assert "<svg" in (out / f"{name}.svg").read_text()
    shown = result.out.split(f"({name})\n")[1].split("written:")[0]
    assert re.search(r"^\| .* \| (holds|does not hold|stated|lost in noise) \|$", shown, re.M)
    if name in EXACT:
        assert re.search(EXACT[name], shown)


def test_kept_figures_are_shown_as_they_were_measured(done):
    results, out = done
    again = run(*REPEAT, "--kept", "broadcast", "--build", BUILD, "--out", out)
    assert (again.code, again.out.strip()) == (0, re.search(r"^A broadcast reimpl.*?/broadcast\.svg$", results["openmpi"].out, re.M | re.S)[0])


@pytest.mark.parametrize("words, error, remedy", [
    (["layer"], "there is no experiment 'layer'", "one of " + ", ".join(NAMES)),
    (["--write", "--quick"], "--write is for whole runs, not with --quick or --mpi", "./dev bench experiments --write"),
])
def test_wrong_words_are_refused_before_anything_is_built(words, error, remedy):
    result = run("./dev", "bench", "experiments", *words, cwd=SOURCE)
    assert (result.code, result.out, result.err) == (2, "", f"experiments: error: {error}\nexperiments:   try: {remedy}\n")


@pytest.mark.parametrize("name", NAMES)
def test_the_page_has_an_entry_for_each_with_a_plot(name):
    entry = re.search(rf"^## [^\n]*: `{name}`$(.*?)(?=^## |\Z)", PAGE, re.M | re.S)[1]
    assert document.replaced(entry, name, "x").count("\nx\n") == 1
    assert f"![plot](experiments/{name}.svg)" in entry


def test_only_what_stands_between_the_marks_is_replaced():
    page = "before\n<!-- measured: a -->\nold\n<!-- end of a -->\nafter\n"
    assert document.replaced(page, "a", "new") == "before\n<!-- measured: a -->\n\nnew\n\n<!-- end of a -->\nafter\n"
    with pytest.raises(ValueError, match="has 0 places for 'b', not one"):
        document.replaced(page, "b", "new")


def test_claims_are_a_table():
    assert document.claim_table([Claim("a", "b", "c", True), Claim("d", "e", "f"), Claim("g", "h", "i", None, noisy=True)]).splitlines()[2:] == [
        "| a | b | c | holds |", "| d | e | f | stated |", "| g | h | i | lost in noise |"]


def test_a_comparison_sees_a_difference_and_none():
    before = [10.0, 10.1, 9.9, 10.0, 10.05]
    slower = compare(before, [1.1 * each for each in before])
    assert slower.differs and slower.change == pytest.approx(0.1) and slower.effect > 2 and slower.p_paired < 1e-6
    same = compare(before, before[::-1])
    assert not same.differs and same.stays_below(0.1) and slower.stays_below(0.05) is False and same.stays_below(0) is None and same.effect == 0 and same.shows_no_difference() and same.p == pytest.approx(1)


def test_lines_and_words_of_effects():
    assert (line([(1, 3), (2, 5), (3, 7)]).slope, line([(1, 3), (2, 5), (3, 7)]).start, line([(1, 3), (2, 5), (3, 7)]).fit) == pytest.approx((2, 1, 1))
    assert [effect_words(effect) for effect in (0, 0.1, -0.3, 0.6, 1, 1.5, 3)] == ["none", "very small", "small", "medium", "large", "very large", "huge"]
