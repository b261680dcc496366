#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# generate.py - turns spec/functions.txt and spec/kinds.txt into the checked-in .inc files
#
#   python3 spec/generate.py           writes them
#   python3 spec/generate.py --check   exits with 1 and shows what differs if they are not what the spec says
#
# The generated lines are data. Nothing here knows a function by its name: what no rule covers is a word or a line in the spec.

import argparse
import difflib
import re
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FUNCTIONS = "spec/functions.txt"
KINDS = "spec/kinds.txt"
NAMES_INC = "src/generated/names.inc"
FUNCTIONS_INC = "include/cairn/generated/functions.inc"
QMPI_NUMBERS = "spec/qmpi_numbers.txt"
QMPI_NUMBERS_INC = "include/cairn/generated/qmpi_numbers.inc"
QMPI_TYPES_INC = "include/cairn/generated/qmpi_types.inc"
THESIS_FUNCTIONS = "spec/thesis_functions.txt"
THESIS_FUNCTIONS_INC = "include/cairn/generated/thesis_functions.inc"

NAMES_ONLY = "names_only"
CONVERSION = "conversion"
FIRST_WITH_TWINS = "4.0"  # the version of the standard that brought the large-count twins
READ, BOTH, WRITTEN = "", "<>", ">"
DIRECTIONS = [READ, BOTH, WRITTEN]  # the order of the three roles in kinds.txt

FUNCTION_LINE = re.compile(r"(MPIX?_\w+)\((.*)\)(?: -> (\w+))?((?: \S+)*)")
PARAMETER = re.compile(r"([A-Za-z]\w*):([a-z]\w*)(\[\])?(<>|>)?")
VERSION = re.compile(r"\d+\.\d+")
IDENTIFIER = re.compile(r"[a-z]\w*")


class SpecError(Exception):
    """A line of the spec that is wrong; shown as file:line: text."""

    def __init__(self, file, line, text):
        super().__init__(f"{file}:{line}: {text}")


@dataclass
class Kind:
    roles: list  # by DIRECTIONS; None where the direction is forbidden
    c_type: str
    large_c_type: str

    def type_of(self, large):
        return self.large_c_type if large else self.c_type


@dataclass
class Parameter:
    name: str
    kind: Kind
    array: bool
    direction: str

    @property
    def role(self):
        return self.kind.roles[DIRECTIONS.index(self.direction)]

    def declaration(self, large):
        c_type = self.kind.type_of(large)
        constant = "const " if self.direction == READ else ""
        if "@" in c_type:
            return c_type.replace("@", self.name)
        if c_type.endswith("*"):
            return f"{constant}{c_type}{self.name}"
        if self.array:
            return f"{constant}{c_type} {self.name}[]"
        return f"{c_type} {'' if self.direction == READ else '*'}{self.name}"


@dataclass
class Function:
    name: str
    category: str
    line: int
    result: Kind = None  # None: an int error code
    parameters: tuple = ()
    variadic: bool = False
    large: bool = False  # the types are those of the large-count twin
    since: str = ""  # empty: not part of the standard
    deprecated: str = ""
    removed: str = ""
    twin_since: str = ""  # of the large-count twin; empty: there is none

    @property
    def has_signature(self):
        return self.category != NAMES_ONLY

    @property
    def result_type(self):
        return self.result.c_type if self.result else "int"


def spec_lines(root, file):
    """The lines that say something, with their numbers."""
    for number, line in enumerate((root / file).read_text().splitlines(), 1):
        text = line.strip()
        if text and not text.startswith("#"):
            yield number, text


def parse_roles(number, text):
    roles = [None if role == "-" else role for role in text.split("/")]
    if len(roles) not in (1, 3):
        raise SpecError(KINDS, number, f"'{text}' is neither one role nor three")
    for role in roles:
        if role and not IDENTIFIER.fullmatch(role):
            raise SpecError(KINDS, number, f"'{role}' cannot name a role")
    return roles * 3 if len(roles) == 1 else roles


def read_kinds(root):
    kinds = {}
    for number, text in spec_lines(root, KINDS):
        fields = [field.strip() for field in text.split("|")]
        if len(fields) not in (3, 4) or not all(fields):
            raise SpecError(KINDS, number, "expected 'kind | role | C type' or 'kind | role | C type | large C type'")
        name, roles, c_type = fields[:3]
        if not IDENTIFIER.fullmatch(name):
            raise SpecError(KINDS, number, f"'{name}' cannot name a kind")
        if name in kinds:
            raise SpecError(KINDS, number, f"kind '{name}' is already defined")
        kinds[name] = Kind(parse_roles(number, roles), c_type, fields[3] if len(fields) == 4 else c_type)
    return kinds


def parse_parameter(text, kinds, number):
    match = PARAMETER.fullmatch(text)
    if not match:
        raise SpecError(FUNCTIONS, number, f"'{text}' is not a parameter of the form name:kind, name:kind>, name:kind[]")
    name, kind_name, array, direction = match.groups()
    if kind_name not in kinds:
        raise SpecError(FUNCTIONS, number, f"parameter '{name}' has the unknown kind '{kind_name}'")
    parameter = Parameter(name, kinds[kind_name], bool(array), direction or READ)
    c_type = parameter.kind.c_type
    if "@" in c_type and (array or direction):
        raise SpecError(FUNCTIONS, number, f"'{text}': the type of kind '{kind_name}' is fixed, it takes no mark")
    if c_type.endswith("*") and array:
        raise SpecError(FUNCTIONS, number, f"'{text}': kind '{kind_name}' is a pointer already, it takes no []")
    if not parameter.role:
        raise SpecError(FUNCTIONS, number, f"'{text}': kinds.txt has no role for kind '{kind_name}' in this direction")
    return parameter


def parse_parameters(function, text, kinds):
    parts = text.split(", ") if text else []
    function.variadic = parts[-1:] == ["..."]
    if function.variadic:
        parts.pop()
    function.parameters = [parse_parameter(part, kinds, function.line) for part in parts]
    names = [parameter.name for parameter in function.parameters]
    for name in names:
        if names.count(name) > 1:
            raise SpecError(FUNCTIONS, function.line, f"two parameters of {function.name} are called '{name}'")


def parse_words(function, words):
    """Sets what the words after a signature say."""
    while words:
        word = words.pop(0)
        if word == "large":
            own_version = words and VERSION.fullmatch(words[0])
            function.twin_since = words.pop(0) if own_version else FIRST_WITH_TWINS
        elif word == "large_types":
            function.large = True
        elif word in ("since", "deprecated", "removed"):
            version = words.pop(0) if words else ""
            if not VERSION.fullmatch(version):
                raise SpecError(FUNCTIONS, function.line, f"'{word}' needs a version such as 4.0")
            setattr(function, word, version)
        else:
            raise SpecError(FUNCTIONS, function.line, f"unknown word '{word}'")


def large_twin(function):
    if all(parameter.kind.c_type == parameter.kind.large_c_type for parameter in function.parameters):
        raise SpecError(FUNCTIONS, function.line, f"{function.name} is 'large', but no parameter has a large C type")
    since = max(function.twin_since, function.since, key=version_key)
    return Function(function.name + "_c", function.category, function.line, function.result, function.parameters,
                    large=True, since=since, deprecated=function.deprecated, removed=function.removed)


def parse_function(number, text, category, kinds):
    """The function of one line, and its large-count twin if it has one."""
    match = FUNCTION_LINE.fullmatch(text)
    if not match:
        raise SpecError(FUNCTIONS, number, f"'{text}' is not of the form NAME(parameter:kind, ...) words")
    name, parameters, result, words = match.groups()
    if result and result not in kinds:
        raise SpecError(FUNCTIONS, number, f"the result of {name} has the unknown kind '{result}'")
    function = Function(name, category, number, kinds.get(result))
    parse_parameters(function, parameters, kinds)
    parse_words(function, words.split())
    if function.twin_since:
        return [function, large_twin(function)]
    return [function]


def parse_bare_name(number, text):
    if not re.fullmatch(r"MPIX?_\w+", text):
        raise SpecError(FUNCTIONS, number, f"'{text}' is not a bare name, the only thing allowed under [{NAMES_ONLY}]")
    return [Function(text, NAMES_ONLY, number)]


def parse_heading(number, text):
    if not text.endswith("]") or not IDENTIFIER.fullmatch(text[1:-1]):
        raise SpecError(FUNCTIONS, number, f"'{text}' is not a heading of the form [category]")
    return text[1:-1]


def read_functions(root=ROOT):
    """Every function of the spec, by name."""
    kinds = read_kinds(root)
    functions = {}
    category = None
    for number, text in spec_lines(root, FUNCTIONS):
        if text.startswith("["):
            category = parse_heading(number, text)
            continue
        if not category:
            raise SpecError(FUNCTIONS, number, "a function before the first [category]")
        found = parse_bare_name(number, text) if category == NAMES_ONLY else parse_function(number, text, category, kinds)
        for function in found:
            if function.name in functions:
                first = functions[function.name].line
                raise SpecError(FUNCTIONS, number, f"{function.name} is already there, in line {first}")
            functions[function.name] = function
    return functions


def version_key(version):
    return [int(part) for part in version.split(".")] if version else []


def parenthesised(items):
    return f"({', '.join(items)})"


def function_line(function):
    declarations = [parameter.declaration(function.large) for parameter in function.parameters]
    if function.variadic:
        declarations.append("...")
    fields = [
        function.name,
        function.result_type,
        parenthesised(declarations or ["void"]),
        parenthesised(parameter.name for parameter in function.parameters),
        function.category,
        parenthesised(parameter.role for parameter in function.parameters),
    ]
    macro = "CAIRN_VARIADIC_FUNCTION" if function.variadic else "CAIRN_FUNCTION"
    return macro + parenthesised(fields)


def read_numbered(root, file, functions):
    """The functions of a list in which the place of a name is its number."""
    names = []
    for number, name in spec_lines(root, file):
        if name not in functions or not functions[name].has_signature:
            raise SpecError(file, number, f"{name} is no function of {FUNCTIONS}")
        if name in names:
            raise SpecError(file, number, f"{name} has a number already")
        names.append(name)
    return names


def read_qmpi_numbers(root, functions):
    names = read_numbered(root, QMPI_NUMBERS, functions)
    for function in functions.values():
        if function.has_signature and function.name not in names:
            raise SpecError(FUNCTIONS, function.line, f"{function.name} has no number: add it at the end of {QMPI_NUMBERS}")
    return names


def qmpi_type_line(function):
    declarations = [parameter.declaration(function.large) for parameter in function.parameters]
    arguments = parenthesised(parameter.name for parameter in function.parameters)
    fields = [function.name, function.result_type, parenthesised(["QMPI_Context context", "int tool_id", *declarations]),
              parenthesised(declarations or ["void"]), arguments]
    if not function.variadic:
        return "CAIRN_QMPI_FUNCTION" + parenthesised(fields)
    fields[2:4] = [parenthesised(["QMPI_Context context", "int tool_id", *declarations, "..."]),
                   parenthesised([*declarations, "..."])]
    return "CAIRN_QMPI_VARIADIC_FUNCTION" + parenthesised(fields)


def qmpi_type_lines(functions):
    """Of the functions of the standard, grouped by the version that an mpi.h must have to know their types. Conversions for
    Fortran have numbers only: MPICH's QMPI leaves them out too, and not every mpi.h has all their types."""
    functions = [function for function in functions if function.category != CONVERSION]
    lines = []
    for version in sorted({function.since for function in functions if function.since}, key=version_key):
        major, minor = version_key(version)
        lines.append(f"#if MPI_VERSION > {major} || (MPI_VERSION == {major} && MPI_SUBVERSION >= {minor})")
        lines += [qmpi_type_line(function) for function in functions if function.since == version]
        lines.append("#endif")
    return lines


def qmpi_outputs(root, functions):
    """The tables of both kinds of QMPI, where the tree has their lists."""
    wanted = {}
    if (root / QMPI_NUMBERS).exists():
        names = read_qmpi_numbers(root, functions)
        wanted[QMPI_NUMBERS_INC] = inc_file([f"CAIRN_QMPI_NUMBER({name.upper()}_T, {name})" for name in names])
        wanted[QMPI_TYPES_INC] = inc_file(qmpi_type_lines([functions[name] for name in sorted(names)]))
    if (root / THESIS_FUNCTIONS).exists():
        names = read_numbered(root, THESIS_FUNCTIONS, functions)
        wanted[THESIS_FUNCTIONS_INC] = inc_file([f"CAIRN_THESIS_FUNCTION({name})" for name in names])
    return wanted


def inc_file(lines):
    head = ["/* SPDX-License-Identifier: BSD-3-Clause */",
            "/* Generated by spec/generate.py from spec/functions.txt and spec/kinds.txt: do not edit. */"]
    return "\n".join(head + lines) + "\n"


def outputs(functions):
    """What the checked-in files have to contain, by path. Sorted by code point, which is the order of the C locale."""
    ordered = [functions[name] for name in sorted(functions)]
    return {
        NAMES_INC: inc_file([f"CAIRN_NAME({function.name})" for function in ordered]),
        FUNCTIONS_INC: inc_file([function_line(function) for function in ordered if function.has_signature]),
    }


def show_differences(root, wanted):
    """Prints what differs from the checked-in files; returns whether anything does."""
    different = False
    for path, text in wanted.items():
        file = root / path
        present = file.read_text() if file.exists() else ""
        difference = difflib.unified_diff(present.splitlines(), text.splitlines(), path, f"{path} as the spec says",
                                          lineterm="", n=0)
        for line in difference:
            different = True
            print(line)
    return different


def main():
    parser = argparse.ArgumentParser(description="Generate the MPI function tables from the spec.")
    parser.add_argument("--check", action="store_true", help="write nothing; exit with 1 if a checked-in file differs")
    parser.add_argument("--root", type=Path, default=ROOT, help="the source tree (default: the one this script is in)")
    arguments = parser.parse_args()
    try:
        functions = read_functions(arguments.root)
        wanted = outputs(functions) | qmpi_outputs(arguments.root, functions)
    except SpecError as error:
        sys.exit(str(error))
    if arguments.check:
        sys.exit(1 if show_differences(arguments.root, wanted) else 0)
    for path, text in wanted.items():
        (arguments.root / path).parent.mkdir(parents=True, exist_ok=True)
        (arguments.root / path).write_text(text)


if __name__ == "__main__":
    main()
