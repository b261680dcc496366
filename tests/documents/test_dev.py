# SPDX-License-Identifier: BSD-3-Clause
# test_dev.py - what ./dev says where it cannot go on.

import re
import shutil
import signal

import pytest
from cairn_testing import SOURCE, run


@pytest.fixture
def programs(tmp_path):
    """A folder as PATH, with the few programs that ./dev itself needs."""
    for name in ("bash", "cat", "dirname", "env", "flock", "grep", "id"):
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
    (["test", "--quik"], "neither './dev test' nor ctest knows '--quik'", "./dev test --quick"),
    (["test", "-R", "cli", "--quiet-please"], "neither './dev test' nor ctest knows '--quiet-please'", "./dev test --quick"),
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
    assert result.err.endswith("E: no network\ndev: error: missing packages could not be installed: clang-tidy\n"
                               "dev:   try: as root, with a network: apt-get install clang-tidy\n")


def test_the_versions_that_were_tested_are_those_of_all_packages(programs):
    """Each package that ./dev installs is in the list, and no other."""
    for name in ("sort", "xargs", "sed", "comm"):
        (programs / name).symlink_to(shutil.which(name))
    put(programs, "dpkg-query", 'shift 3; printf "%s 1\\n" "$@"')
    listed = [line.split() for line in (SOURCE / "packaging/debian-12.versions").read_text().splitlines() if not line.startswith("#")]
    assert [name for name, _ in listed] == [line.split()[0] for line in dev("versions", path=programs).out.splitlines()]
    assert all(re.fullmatch(r"\S*\d\S*", version) for _, version in listed)


def test_an_interrupt_is_reported(programs):
    put(programs, "dpkg-query", 'echo "install ok installed"')
    put(programs, "ninja", "")
    put(programs, "c++", "")
    put(programs, "cmake", 'case "$*" in *--build*) kill -INT $PPID; exit 130 ;; esac')
    result = dev("build", path=programs)
    assert result.code == -signal.SIGINT
    assert result.err.endswith(
        "\ndev: interrupted; run './dev build' again to continue\n")


def test_format_takes_the_files_that_are_there_and_shows_a_short_line(tmp_path):
    shutil.copy(SOURCE / "dev", tmp_path)
    (tmp_path / "kept.cc").write_text("int  kept;\n")
    (tmp_path / "deleted.cc").write_text("")
    run("git", "init", "-q", cwd=tmp_path)
    run("git", "add", "kept.cc", "deleted.cc", cwd=tmp_path)
    (tmp_path / "deleted.cc").unlink()
    result = run(shutil.which("bash"), tmp_path / "dev", "format", cwd=tmp_path)
    assert (result.code, result.err) == (0, "\n$ clang-format -i (1 files)\n")
    assert (tmp_path / "kept.cc").read_text() == "int kept;\n"


@pytest.mark.parametrize("folder", ["with space", "with:colon"])
def test_a_checkout_that_could_not_be_preloaded_is_refused_before_building(tmp_path, folder):
    checkout = tmp_path / folder
    checkout.mkdir()
    shutil.copy(SOURCE / "dev", checkout)
    result = run(shutil.which("bash"), checkout / "dev", "demo")
    assert (result.code, result.err) == (1, f"dev: error: Cairn works by LD_PRELOAD, which allows no spaces or colons in a path: '{checkout}'\n"
                                            "dev:   try: moving the checkout to another folder\n")


def test_without_a_command_the_commands_are_listed():
    assert dev().out.startswith("Usage: ./dev COMMAND\n  build ")
