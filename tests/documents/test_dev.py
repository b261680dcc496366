# SPDX-License-Identifier: BSD-3-Clause
# test_dev.py - what ./dev says where it cannot go on.

import shutil

import pytest
from cairn_testing import SOURCE, run


@pytest.fixture
def programs(tmp_path):
    """A folder as PATH, with the few programs that ./dev itself needs."""
    for name in ("bash", "cat", "dirname", "env", "grep", "id"):
        (tmp_path / name).symlink_to(shutil.which(name))
    return tmp_path


def put(folder, name, text):
    (folder / name).write_text(f"#!/bin/sh\n{text}\n")
    (folder / name).chmod(0o755)


def dev(*words, path=None):
    return run(shutil.which("bash"), SOURCE / "dev", *words, cwd=SOURCE, **({"PATH": path} if path else {}))


@pytest.mark.parametrize("words, error, remedy", [
    (["biuld"], "there is no command 'biuld'", "./dev help"),
    (["build", "profile"], "'./dev build' takes no arguments: 'profile'", "./dev build"),
    (["format", "--chek"], "'./dev format' cannot '--chek'", "./dev format --check"),
    (["demo", "--ranks"], "'./dev demo' takes no arguments: '--ranks'", "./dev demo"),
])
def test_wrong_words_are_refused(words, error, remedy):
    result = dev(*words)
    assert (result.code, result.out, result.err) == (2, "", f"dev: error: {error}\ndev:   try: {remedy}\n")


def test_a_program_that_is_missing_is_named(programs):
    put(programs, "cmake", "exit 0")
    result = dev("build", path=programs)
    assert (result.code, result.err) == (1, "dev: error: 'ninja' is missing\n"
                                         "dev:   try: installing it; the top of ./dev lists the packages that Cairn needs\n")


def test_packages_that_cannot_be_installed_are_named(programs):
    put(programs, "dpkg-query", 'case "$*" in *clang-tidy*) exit 1 ;; esac; echo "install ok installed"')
    put(programs, "apt-get", 'echo "E: no network" >&2; exit 100')
    put(programs, "sudo", 'exec "$@"')
    result = dev("tidy", path=programs)
    assert result.code == 1
    assert result.err.endswith("E: no network\ndev: error: packages cannot be installed: clang-tidy\n"
                               "dev:   try: the same where Debian's archive can be reached\n")


def test_without_a_command_the_commands_are_listed():
    assert dev().out.startswith("Usage: ./dev COMMAND\n  build ")
