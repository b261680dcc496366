# SPDX-License-Identifier: BSD-3-Clause
# test_help.py - help, version and manual pages: their text, and that options, help and manual agree.

import re
import shutil
import subprocess

import pytest

from cli_testing import *

COMMANDS = ["run", "check", "report", "advise", "tune", "place", "tools", "trace", "vars", "where", "live", "whatif", "add-mpi"]
PAGES = ["cairn", *(f"cairn-{command}" for command in COMMANDS)]


def expected(name):
    return (SOURCE / "tests" / "cli" / "expected" / name).read_text()


def manual(page):
    result = run(CAIRN, "--manual", page)
    assert (result.code, result.err) == (0, "")
    return result.out


def plain(roff):
    """The words of a page without what only the formatter reads."""
    return roff.replace("\\-", "-").replace("\\&", "").replace("\\e", "\\")


def options_in_help(command):
    return re.findall(r"^  (?:(-\w),)?(--[\w-]+)(?: ([A-Z]+))?", run(CAIRN, command, "--help").out, re.MULTILINE)


@pytest.mark.parametrize("words", [(), ("--help",), ("-h",)])
def test_without_command_the_overview_is_shown(words):
    result = run(CAIRN, *words)
    assert (result.code, result.out, result.err) == (0, expected("cairn.help.txt"), "")


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("option", ["--help", "-h"])
def test_each_command_shows_its_help(command, option):
    result = run(CAIRN, command, option)
    assert (result.code, result.out, result.err) == (0, expected(f"cairn-{command}.help.txt"), "")


def test_help_in_front_of_the_command_is_that_of_the_command():
    assert run(CAIRN, "--help", "run").out == expected("cairn-run.help.txt")


def test_help_behind_the_program_is_the_programs(tmp_path):
    script = program_file(tmp_path / "script", '#!/bin/sh\necho "got $1"\n')
    assert cairn_run(script, "--help").out == "got --help\n"


def test_no_line_of_help_ends_in_blanks():
    for page in PAGES:
        command = page.removeprefix("cairn").removeprefix("-")
        lines = run(CAIRN, *([command] if command else []), "--help").out.splitlines()
        assert [line for line in lines if line != line.rstrip()] == []


def test_the_version_is_the_projects():
    version = re.search(r"project\([^)]*VERSION\s+([\d.]+)", (SOURCE / "CMakeLists.txt").read_text())[1]
    result = run(CAIRN, "--version")
    assert (result.code, result.out, result.err) == (0, f"cairn {version}\n", "")


@pytest.mark.parametrize("page", PAGES)
def test_manual_page_is_well_formed(page):
    if shutil.which("groff") is None:
        pytest.skip("no groff")
    done = subprocess.run(["groff", "-ww", "-man", "-z"], input=manual(page), capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("page", PAGES)
def test_man_shows_the_page(page, tmp_path):
    if shutil.which("man") is None or shutil.which("groff") is None:
        pytest.skip("no man or no groff")
    (tmp_path / f"{page}.1").write_text(manual(page))
    done = run("man", "-l", tmp_path / f"{page}.1", MANPAGER="cat", MANWIDTH="120", PAGER="cat")
    assert (done.code, done.err) == (0, "")
    assert page.upper() + "(1)" in done.out


@pytest.mark.parametrize("command", COMMANDS)
def test_every_option_of_help_is_in_the_manual(command):
    page = plain(manual(f"cairn-{command}"))
    options = options_in_help(command)
    assert options
    for short, long, value in options:
        name = f"{short},{long}" if short else long
        assert f"\n.B {name}{' ' + value if value else ''}\n" in page


@pytest.mark.parametrize("command", COMMANDS)
def test_the_manual_has_no_option_that_help_lacks(command):
    page = plain(manual(f"cairn-{command}"))
    names = re.findall(r"^\.B (?:-\w,)?(--[\w-]+)", page, re.MULTILINE)
    assert names == [long for _, long, _ in options_in_help(command)]


@pytest.mark.parametrize("command", COMMANDS)
def test_every_option_of_help_is_in_the_synopsis(command):
    synopsis = re.search(r"^Usage: (.*)$", run(CAIRN, command, "--help").out, re.MULTILINE)[1]
    for _, long, value in options_in_help(command):
        if long != "--help":
            assert f"[{long}{' ' + value if value else ''}]" in synopsis


@pytest.mark.parametrize("command", COMMANDS)
def test_every_option_of_help_is_accepted(command):
    for _, long, value in options_in_help(command):
        result = run(CAIRN, command, long, *(["x"] if value else []), "--nothing")  # so that it begins nothing
        assert f"has no option '{long}'" not in result.err


def test_the_overview_names_every_command():
    page = plain(manual("cairn"))
    for command in COMMANDS:
        assert f"\n.BR cairn-{command} (1)\n" in page


@pytest.mark.parametrize("page", ["run", "cairn-nothing", ""])
def test_an_unknown_manual_page_is_an_error(page):
    result = run(CAIRN, "--manual", page)
    assert (result.code, result.out) == (125, "")
    assert result.err.startswith(error(f"there is no manual page '{page}'"))


def test_the_remedy_for_an_unknown_page_names_all_pages():
    assert run(CAIRN, "--manual", "nothing").err.splitlines()[1] == "cairn:   try: " + ", ".join(PAGES)
