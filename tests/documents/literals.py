# SPDX-License-Identifier: BSD-3-Clause
# literals.py - the texts in the sources, and whether a text that a document quotes is made of them.
#
# A message is put together from literals ("'" + path + "' is missing"), from formats ("'{}' is missing") and from the
# words of several places ("tool 'profile': " and what it says). So all of them are cut where something is filled in, and
# what lies between two fillings must be there from one to the other.

import re

from cairn_testing import SOURCE

FOLDERS = ("src", "cli", "services", "tools", "include")
TOKEN = re.compile(r"""//[^\n]*|/\*.*?\*/|^\#[ ]*include[^\n]*|(?P<text>"(?:\\.|[^"\\\n])*")|(?<![0-9A-Za-z])'(?:\\.|[^'\\\n])+'""", re.M | re.S)
CUT = re.compile(r"\{[^{}]*\}|%[-0-9.l]*[a-z]|\n|cairn: (?:error|warning): ")
ESCAPED = {"n": "\n", "t": "\t"}
NEAR = 8  # pieces further on in the file: the other words of "rank" : "ranks" lie between


def plain(literal):
    return re.sub(r"\\(.)", lambda found: ESCAPED.get(found[1], found[1]), literal[1:-1])


def pieces(text):
    """What is between two fillings, in the order of the source; adjacent literals are one."""
    literals, end = [], None
    for token in TOKEN.finditer(text):
        if token["text"] is None:
            if end is not None and not text[end:token.start()].strip():
                end = token.end()
            continue
        if end is not None and not text[end:token.start()].strip():
            literals[-1] += plain(token["text"])
        else:
            literals.append(plain(token["text"]))
        end = token.end()
    return [piece for literal in literals for piece in CUT.split(literal) if piece]


def all_pieces():
    """Of each source that has some."""
    files = [file for folder in FOLDERS for kind in ("*.cc", "*.hpp", "*.c", "*.h") for file in sorted((SOURCE / folder).rglob(kind))
             if "tests" not in file.relative_to(SOURCE).parts]
    return [found for file in files if (found := pieces(file.read_text()))]


def is_made_of(text, following, near):
    """Whether these pieces are the text; others may lie between, but none is used in part."""
    return any(piece == text or text.startswith(piece) and is_made_of(text[len(piece):], following[i + 1:], NEAR)
               for i, piece in enumerate(following[:near]))


def is_there(text, sources):
    """What comes after a colon, or after the name of a file, may be from another place."""
    if any(is_made_of(text, source, None) for source in sources):
        return True
    cuts = [found.end() for found in re.finditer(": |^' ", text) if found.end() < len(text)]
    return any(is_there(text[:at], sources) and is_there(text[at:], sources) for at in cuts)
