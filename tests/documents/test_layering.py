# SPDX-License-Identifier: BSD-3-Clause
# test_layering.py - a folder includes from others only what the table "Where things are" in CONTRIBUTING.md permits.

import re

from cairn_testing import SOURCE

ROW = re.compile(r"^\| `([\w/]+)/` \|.*\|([^|]*)\|$", re.M)
INCLUDE = re.compile(r'^\s*#\s*include "([^"]+)"', re.M)
TABLE = {folder: set(re.findall(r"`([\w/]+)/`", used)) for folder, used in ROW.findall((SOURCE / "CONTRIBUTING.md").read_text())}

LOOKED_INTO = [SOURCE / folder for folder in ("include", "src", "tools", "bench/programs")]


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
