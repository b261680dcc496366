# SPDX-License-Identifier: BSD-3-Clause
# test_layering.py - a folder includes from others only what the table "Where things are" in CONTRIBUTING.md permits;
# every file of tests is run.

import re

from cairn_testing import SOURCE

ROW = re.compile(r"^\| `([\w/]+)/` \|.*\|([^|]*)\|$", re.M)
INCLUDE = re.compile(r'^\s*#\s*include "([^"]+)"', re.M)
TABLE = {folder: set(re.findall(r"`([\w/]+)/`", used)) for folder, used in ROW.findall((SOURCE / "CONTRIBUTING.md").read_text())}

LOOKED_INTO = [SOURCE / folder for folder in ("include", "include/pnmpi_modules", "src", "tools", "bench/programs")]


def folder_of(path):
    """The row that a file belongs to: the longest that fits."""
    return max((folder for folder in TABLE if path.is_relative_to(SOURCE / folder)), key=len, default=None)


def included(source, name):
    """The file that an include names, beside the source, above it or in a folder that the build looks into; None: there is none."""
    above = [folder for folder in source.parents if folder.is_relative_to(SOURCE)]
    return next((folder / name for folder in [*above, *LOOKED_INTO] if (folder / name).is_file()), None)


def test_no_folder_includes_from_one_that_it_may_not_use():
    sources = [path for folder in TABLE for path in (SOURCE / folder).rglob("*.*") if path.suffix in {".c", ".cc", ".h", ".hpp", ".S", ".inc"} and "tests" not in path.relative_to(SOURCE).parts]
    pairs = {(source, included(source, name)) for source in sources for name in INCLUDE.findall(source.read_text())}
    assert len(pairs) > 500
    assert {source for source, target in pairs if target is None} == set()
    forbidden = [f"{source.relative_to(SOURCE)}: {target.relative_to(SOURCE)}" for source, target in pairs
                 if folder_of(target) != folder_of(source) and folder_of(target) not in TABLE[folder_of(source)]]
    assert sorted(forbidden) == []


def is_run(test):
    """Named beside it, or where all unit tests are; one of a list of subjects; or in a tool's folder that has no list of its own."""
    beside = [path for path in test.parent.iterdir() if path.name == "CMakeLists.txt" or (path.suffix == ".py" and path != test)]
    texts = [path.read_text() for path in [*beside, SOURCE / "tests/unit/CMakeLists.txt"]]
    subject = re.compile(rf"IN ITEMS [^)]*\b{test.stem.removeprefix('test_')}\b[^)]*\)\s*cairn_pytest\(\w+ test_\$")
    return (test.suffix == ".py" and not (test.parent / "CMakeLists.txt").exists()
            or any(test.name in text or subject.search(text) for text in texts))


def test_every_file_of_tests_is_run():
    files = [path for folder in ("tests", "tools", "services") for pattern in ("test_*.py", "*_test.cc") for path in (SOURCE / folder).rglob(pattern)]
    assert len(files) > 120
    assert sorted(str(path.relative_to(SOURCE)) for path in files if not is_run(path)) == []
