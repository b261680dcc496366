# SPDX-License-Identifier: BSD-3-Clause
# test_completion.py - what bash, zsh and fish complete, asked of the shells themselves.

import os
import pty
import select
import shlex
import time

from cli_testing import *
from test_help import COMMANDS, options_in_help

SCRIPTS = {"bash": "share/bash-completion/completions/cairn", "zsh": "share/zsh/vendor-completions/_cairn",
           "fish": "share/fish/vendor_completions.d/cairn.fish"}
PATH = f"{BUILD}/bin:{os.environ['PATH']}"


def bash(line):
    words = " ".join(shlex.quote(word) for word in line.split(" "))
    done = run("bash", "--norc", "-c", f'source {BUILD / SCRIPTS["bash"]}; COMP_WORDS=({words}); '
               'COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _cairn; printf "%s\\n" "${COMPREPLY[@]}"', PATH=PATH)
    assert (done.code, done.err) == (0, "")
    return done.out.split()


def fish(line):
    done = run("fish", "--no-config", "-c", f'source {BUILD / SCRIPTS["fish"]}; complete -C {shlex.quote(line)}', PATH=PATH)
    assert (done.code, done.err) == (0, "")
    return [row.split("\t")[0] for row in done.out.splitlines()]


class Zsh:
    """A zsh with its completion system on, typed into as a user would."""

    def __init__(self, home):
        self.pid, self.terminal = pty.fork()
        if self.pid == 0:
            os.environ.update(PATH=PATH, HOME=str(home), TERM="dumb", COLUMNS="200")
            os.execvp("zsh", ["zsh", "-f", "-i"])
        folder = (BUILD / SCRIPTS["zsh"]).parent
        self.send(f"PS1=; fpath=({folder} $fpath); autoload -U compinit; compinit -D; print rea''dy\n", "ready")

    def send(self, text, until):
        os.write(self.terminal, text.encode())
        seen, end = "", time.monotonic() + 30
        while until not in seen:
            assert time.monotonic() < end, seen
            if select.select([self.terminal], [], [], 1)[0]:
                seen += os.read(self.terminal, 65536).decode(errors="replace").replace("\r", "")
        return seen

    def close(self):
        os.close(self.terminal)
        os.waitpid(self.pid, 0)


@pytest.fixture
def zsh(tmp_path):
    shell = Zsh(tmp_path)
    yield shell
    shell.close()


@pytest.mark.parametrize("complete", [bash, fish])
def test_commands_options_and_tools_are_completed(complete):
    assert sorted(complete("cairn ")) == sorted([*COMMANDS, *(["--help", "--version"] if complete is bash else [])])
    assert complete("cairn rep") == ["report"]
    assert complete("cairn run --ex") == ["--explain"]
    assert complete("cairn run --tools prof") == ["profile"]
    assert complete("cairn run --tools comm,prof") == ["comm,profile"]


def test_bash_knows_every_option_of_every_command():
    for command in COMMANDS:
        assert sorted(bash(f"cairn {command} --")) == sorted(name for _, name, _ in options_in_help(command)), command


def test_what_is_written_behind_a_program_is_left_to_it():
    assert bash("cairn run --tools comm ./app --ex") == []
    assert bash("cairn tune -- mpirun --ex") == []


def test_zsh_completes(zsh):
    zsh.send("cairn adv\t", "advise ")
    zsh.send("\x15cairn run --tools comm,prof\t", "comm,profile")
    zsh.send("\x15cairn run --exp\t", "--explain ")


@pytest.mark.parametrize("shell", SCRIPTS)
def test_scripts_are_free_of_mistakes(shell):
    done = run(shell, "-n", BUILD / SCRIPTS[shell])
    assert (done.code, done.err) == (0, "")


def test_another_shell_is_an_error():
    assert run(CAIRN, "--completion", "tcsh").err == (
        "cairn: error: there is no completion for 'tcsh'\ncairn:   try: bash, zsh or fish\n")
