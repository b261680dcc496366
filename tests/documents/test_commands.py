# SPDX-License-Identifier: BSD-3-Clause
# test_commands.py - every command in the documents runs as it stands, and what the documents show is what it prints.

import os
import re
import shutil
import subprocess

import pytest
import transcripts
from cairn_testing import BUILD, CAIRN, SOURCE, environment, run
from prepared import HERE, MPICH, OPENMPI, RECORDED, Place

PAGES = [str(page.relative_to(SOURCE)) for page in sorted(
    [SOURCE / "README.md", SOURCE / "CONTRIBUTING.md", SOURCE / "bench/README.md", *SOURCE.glob("docs/*.md"),
     *SOURCE.glob("tools/*/README.md"), *SOURCE.glob("examples/*/README.md")])]
COMMANDS = {page: transcripts.commands(page, (SOURCE / page).read_text()) for page in PAGES}

# Commands that are not run here, and why. Of these, the first word must be there.
NOT_RUN = {
    r"\./dev (demo|test|bench|build|gen|format|tidy|new-tool|package|site)\b": "installs packages, takes minutes or changes the sources",
    r"cmake --build --preset bench": "builds all benchmarks",
    r"cmake --install build": "tests/consumer/ installs",
    r"cairn add-mpi\b": "compiles for minutes: tests/consumer/ adds an MPI",
    r"bench/\w+\.py": "takes minutes",
    r"cairn live\b": "runs until Ctrl-C: tests/live/ has it",
    r"cairn where\b": "needs a job that hangs or was killed: tools/where/tests/ has them",
    r"MPIP=": "mpiP's own command line",
    r"cairn run --tools build/openmpi/mine.so=print": "the tool's next state, of which the page shows what is new; ./dev new-tool has the whole",
}

# Lines of output that a run need not have, because they depend on how fast the machine is.
TIMING = [r".*: (measured|settled) MPIR_CVAR.*", r".*: measured \(MPIR_CVAR.*", r"looking took .*"]

# What tells that a command is for MPICH; all others run on Open MPI.
FOR_MPICH = re.compile(r"MPIR_|MPICH|mpich|UCX_|allreduce\.policy")


# What else a page's program should do.
MORE = {"docs/policies.md": {"APP_REDUCTIONS": "4000"}}


def why_not_run(command):
    return next((reason for form, reason in NOT_RUN.items() if re.match(form, command.text)), None)


@pytest.fixture(scope="session")
def places(tmp_path_factory):
    root = tmp_path_factory.mktemp("documents")
    prefix = root / "opt"
    installed = run("cmake", "--install", BUILD, "--prefix", prefix)
    assert installed.code == 0, installed.err
    return {mpi.id: Place(mpi, prefix, root) for mpi in (OPENMPI, MPICH)}


def execute(command, place):
    """(exit code, everything printed) of a command in its page's folder; /opt/cairn and /home/me are elsewhere here."""
    text = "\n".join([*command.setup, command.text]).replace("/opt/cairn", str(place.prefix))
    if not command.output:  # a search whose answer nobody shows need not find one
        text = text.replace("cairn tune ", "cairn tune --rounds 2 ")
    env = environment(**place.environment, **MORE.get(command.page, {}))
    done = subprocess.run(["bash", "-o", "pipefail", "-c", text], cwd=place.folder(command.page), timeout=120, env=env,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    printed = done.stdout.decode(errors="replace").replace(str(place.prefix), "/opt/cairn")
    return done.returncode, printed.replace(str(place.folder(command.page)), "/home/me")


def complaint(command, place):
    """What is wrong with a command; None if it does what its page shows."""
    fails = any(text in command.output for text in (": error: ", "would not be loaded", "the job is ended"))
    code, output = execute(command, place)
    if (code != 0) != fails:
        return f"{command}\n  ended with {code}:\n{output}"
    if not fails and re.search(r"^(cairn|\w+): error:", output, re.M):
        return f"{command}\n  says:\n{output}"
    shown = "\n".join("…" if any(re.fullmatch(form, line.strip()) for form in TIMING) else line for line in command.output.splitlines())
    absent = transcripts.missing(shown, output, exact=command.page in RECORDED and "results" in command.text) if shown else None
    return f"{command}\n  does not print: {absent}\n  but:\n{output}" if absent is not None else None


def use_recorded(folder):
    for name in ("results", "DIR", "A", "B"):
        shutil.rmtree(folder / name, ignore_errors=True)
        shutil.copytree(HERE / "recorded", folder / name)


@pytest.mark.parametrize("page", [page for page in PAGES if any(not why_not_run(command) for command in COMMANDS[page])])
def test_the_commands_of_a_page_do_what_it_shows(page, places):
    complaints = []
    for command in COMMANDS[page]:
        if why_not_run(command):
            continue
        place = places[MPICH.id if FOR_MPICH.search(command.text + command.output) else OPENMPI.id]
        if page in RECORDED and "cairn run" not in command.text:
            use_recorded(place.folder(page))
        complaints.append(complaint(command, place))
    if found := "\n\n".join(filter(None, complaints)):
        pytest.fail(found, pytrace=False)


def test_every_reason_not_to_run_a_command_is_needed():
    everything = [command.text for commands in COMMANDS.values() for command in commands]
    assert [form for form in NOT_RUN if not any(re.match(form, text) for text in everything)] == []


def test_commands_of_dev_are_its_own():
    usage = run("./dev", "help", cwd=SOURCE).out
    words = {command.text.split()[1] for commands in COMMANDS.values() for command in commands if command.text.startswith("./dev ")}
    assert {word for word in words if not re.search(rf"^  {word}\b", usage, re.M)} == set()


def test_options_named_in_the_text_are_the_commands_own():
    named = {(command, option) for page in PAGES
             for command, rest in re.findall(r"`[^`\n]*\bcairn ([a-z]+(?:-[a-z]+)?)\b([^`\n]*)`", (SOURCE / page).read_text())
             for option in re.findall(r"(?<!\S)--[a-z-]+", rest.split(" -- ")[0])}
    assert ("run", "--set") in named
    helps = {command: run(CAIRN, command, "--help").out for command, _ in named}
    assert {(command, option) for command, option in named if not re.search(rf"{option}\b", helps[command])} == set()


@pytest.mark.parametrize("page", PAGES)
def test_what_is_fenced_says_its_language(page):
    languages = {language for _, language, _ in transcripts.fences((SOURCE / page).read_text())}
    assert languages <= transcripts.LANGUAGES


NEITHER = "# A page\n\n    apt-get install cairn\n"
UNKNOWN = "# A page\n\n    $ cairn report\n    error\n    apt-get install cairn\n"


def test_a_block_that_begins_with_neither_command_nor_output_is_refused():
    with pytest.raises(transcripts.NeitherCommandNorOutput, match="page.md:3: apt-get install cairn"):
        transcripts.commands("page.md", NEITHER)


def test_what_is_no_command_is_output():
    assert [(command.text, command.output) for command in transcripts.commands("page.md", UNKNOWN)] == [
        ("cairn report", "error\napt-get install cairn\n")]


@pytest.mark.parametrize("shown, printed, absent", [
    ("3 findings in 2.5 s", "4 findings in 17 ms", None),
    ("3 findings in 2.5 s", "4 results in 17 ms", "3 findings in 2.5 s"),
    ("first\n…\nlast 7", "first\nsecond\nlast   8", None),
    ("first\nlast", "last\nfirst", None),
    ("a line that\ngoes on", "a line\nthat goes on", None),
    ("MPI_T 0x10", "MPI_T 0x11", "MPI_T 0x10"),
])
def test_numbers_are_free_and_words_are_not(shown, printed, absent):
    assert transcripts.missing(shown, printed) == absent
