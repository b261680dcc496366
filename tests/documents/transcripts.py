# SPDX-License-Identifier: BSD-3-Clause
# transcripts.py - what the documents show: commands, their output, and files to try them with.
#
# Indented blocks are transcripts. A command begins with "$ " or with one of PROGRAMS, at the block's own indentation, and
# goes on after a backslash; what follows is its output. A block without a command goes on with the output of the page's
# last command. Everything else is fenced, with its language; a fence after "... `NAME`:" is the file NAME.

import re
from dataclasses import dataclass, field

PROGRAMS = re.compile(r"(?:\w+=(?:'[^']*'|\"[^\"]*\"|\S)+ +)*(?:\./dev|mpirun|srun|cairn|~/cairn/bin/cairn|cmake|mpicc|bench/\w+\.py|export|\./\w+)(?= |$)")
LANGUAGES = {"c", "cmake", "cpp", "fortran", "lua", "python", "sh", "text", "toml"}
BLOCK = re.compile(r"(?:^ {4,}\S.*\n(?:\n(?= {4}))?)+", re.M)
FENCE = re.compile(r"(?:`(?P<file>[\w.-]+)`:?\n+)?^```(?P<language>\w*)\n(?P<text>.*?)^```$", re.M | re.S)


@dataclass
class Command:
    page: str
    line: int
    text: str
    output: str = ""
    setup: list = field(default_factory=list)  # exports before it in its block

    def __str__(self):
        return f"{self.page}:{self.line}: {self.text}"


class NeitherCommandNorOutput(Exception):
    pass


def fences(text):
    """(file or None, language, text) of each fenced block."""
    return [(found["file"], found["language"], found["text"]) for found in FENCE.finditer(text)]


def files(text):
    """The files that a page shows in full, by name."""
    return {name: content for name, _, content in fences(text) if name}


def blocks(text):
    """(line, lines) of each indented block; lines without the block's own indentation."""
    text = FENCE.sub(lambda found: "\n" * found[0].count("\n"), text)
    for found in BLOCK.finditer(text):
        before = text[:found.start()]
        if before and not before.endswith("\n\n"):
            continue  # a list item or paragraph that goes on
        lines = found[0].rstrip().split("\n")
        indent = len(lines[0]) - len(lines[0].lstrip())
        yield before.count("\n") + 1, [line[indent:] if not line[:indent].strip() else line for line in lines]


def commands(page, text):
    """All commands of a page, in order, each with the output that the page shows."""
    result = []
    for start, lines in blocks(text):
        going_on, exports = False, []
        for line, shown in enumerate(lines, start):
            if going_on:
                result[-1].text += "\n" + shown
            elif shown.startswith("$ ") or PROGRAMS.match(shown):
                result.append(Command(page, line, shown.removeprefix("$ "), setup=list(exports)))
            elif not result:
                raise NeitherCommandNorOutput(f"{page}:{line}: {shown}")
            else:
                result[-1].output += shown + "\n"
            going_on = result[-1].text.endswith("\\") and not result[-1].output
            if result[-1].text.startswith("export ") and not result[-1].output:
                exports.append(result[-1].text)
    return result


NUMBER = r"[+-]?\d[\d.,]*(?:e[+-]?\d+)?"
UNIT = r"%|ns|us|ms|s|min|B|kB|MB|GB|KiB|MiB|GiB"


def shape(shown, exact=False):
    """An expression for what a page shows: words as they are, numbers and their units free, spaces too; … is anything."""
    free = rf"(?<![\w.]){NUMBER}(?: (?:{UNIT})(?!\w))?"
    parts = []
    for part in re.split(rf"(…|\s+{'' if exact else '|' + free})", shown.strip()):
        if part == "…":
            parts.append(r"[\s\S]*?")
        elif part and not part.strip():
            parts.append(r"\s+")
        elif part and not exact and re.fullmatch(free, part):
            parts.append(rf"[<>~]?{NUMBER}(?: (?:{UNIT})(?!\w))?")
        else:
            parts.append(re.escape(part))
    return "".join(parts).replace(r"\s+[\s\S]*?", r"[\s\S]*?").replace(r"[\s\S]*?\s+", r"[\s\S]*?")


def missing(shown, output, exact=False):
    """The first line of what a page shows that the output does not have; None if it has all, in order or, as in tables that
    are sorted by time, line by line."""
    if re.search(shape(shown, exact), output):
        return None
    return next((line for line in shown.splitlines() if not re.search(shape(line, exact), output)), None)
