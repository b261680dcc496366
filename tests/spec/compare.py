#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# compare.py - lists every difference between the spec and one MPI: its library's symbols and its mpi.h
#
#   python3 tests/spec/compare.py LIBRARY INCLUDE_DIR... [--cxx COMMAND]
#
# Exits with 1 if there is a difference that tests/spec/known_differences.txt does not have, or one there that does not hold.

import argparse
import fnmatch
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "spec"))
import generate  # noqa: E402 (found through the line above)

KNOWN = HERE / "known_differences.txt"
DECLARATION_DIFFERENCES = ("undeclared", "type")


@dataclass(frozen=True)
class Difference:
    function: str
    what: str


@dataclass
class Mpi:
    name: str
    version: str
    standard: str  # the version of the standard that mpi.h claims
    compiler: list

    def compile(self, source, lines, folder):
        """The compiler's messages about a test source with these lines of the table; empty when it compiles."""
        table = Path(folder) / "functions.inc"
        table.write_text("".join(line + "\n" for line in lines))
        command = self.compiler + ["-fsyntax-only", f'-DCAIRN_FUNCTIONS="{table}"', f"-I{ROOT / 'include'}", str(HERE / source)]
        run = subprocess.run(command, capture_output=True, text=True)
        return run.stderr if run.returncode else ""


def compiler_command(cxx, include_dirs):
    skip_cxx_bindings = ["-DOMPI_SKIP_MPICXX", "-DMPICH_SKIP_MPICXX"]
    return cxx.split() + ["-std=c++20", "-Werror=return-type", "-Wno-deprecated-declarations", *skip_cxx_bindings,
                          *(f"-I{folder}" for folder in include_dirs)]


def identify(compiler):
    """Which MPI this is, by the macros that its mpi.h defines."""
    run = subprocess.run(compiler + ["-E", "-dM", "-x", "c++", "-include", "mpi.h", "/dev/null"],
                         capture_output=True, text=True)
    if run.returncode:
        sys.exit(f"compare.py: no mpi.h to read:\n{run.stderr}")
    macros = dict(re.findall(r"^#define (\w+) (.*)$", run.stdout, re.MULTILINE))
    standard = f"{macros['MPI_VERSION']}.{macros['MPI_SUBVERSION']}"
    if "OMPI_MAJOR_VERSION" in macros:
        parts = [macros[f"OMPI_{part}_VERSION"] for part in ("MAJOR", "MINOR", "RELEASE")]
        return Mpi("openmpi", ".".join(parts), standard, compiler)
    if "MPICH_VERSION" in macros:
        return Mpi("mpich", macros["MPICH_VERSION"].strip('"'), standard, compiler)
    return Mpi("other", "0", standard, compiler)


def exported_functions(library):
    """The MPI and PMPI text symbols of a shared library, weak ones and indirect ones included."""
    run = subprocess.run(["nm", "-D", "--defined-only", library], capture_output=True, text=True)
    if run.returncode:
        sys.exit(f"compare.py: cannot read the symbols of {library}: {run.stderr.strip()}")
    return set(re.findall(r" [TWi] (P?MPIX?_\w+)", run.stdout))


def known_differences(mpi):
    found = set()
    for number, line in enumerate(KNOWN.read_text().splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        fields = [field.strip() for field in line.split("|")]
        if len(fields) != 5 or not all(fields):
            sys.exit(f"{KNOWN.name}:{number}: expected 'MPI | versions | function | what | reason'")
        name, versions, function, what, _ = fields
        if name == mpi.name and fnmatch.fnmatch(mpi.version, versions):
            found.add(Difference(function, what))
    return found


def symbol_differences(functions, exported):
    for name in sorted(name for name in exported if name.startswith("MPI")):
        if name not in functions:
            yield Difference(name, "not_in_spec")
        elif functions[name].has_signature and "P" + name not in exported:
            yield Difference(name, "no_twin")
        elif not functions[name].has_signature and "P" + name in exported:
            yield Difference(name, "twin_of_bare_name")


def missing_functions(functions, exported, standard):
    for function in functions.values():
        promised = function.since and generate.version_key(function.since) <= generate.version_key(standard)
        if promised and not function.removed and function.name not in exported:
            yield Difference(function.name, "missing")


def declaration_differences(mpi, table, known, folder):
    """Compiles all lines at once; only if that fails, each line for itself. Known ones are always tried for themselves."""
    suspects = {known_one.function for known_one in known if known_one.what in DECLARATION_DIFFERENCES}
    rest = [name for name in table if name not in suspects]
    if mpi.compile("types_test.cc", [table[name] for name in rest], folder):
        suspects.update(rest)
    for name in sorted(suspects & set(table)):
        message = mpi.compile("types_test.cc", [table[name]], folder)
        if message:
            undeclared = re.search("not declared|undeclared identifier", message)  # g++ and clang++
            yield Difference(name, "undeclared" if undeclared else "type")


def wrapper_differences(mpi, table, folder):
    message = mpi.compile("wrappers_test.cc", table.values(), folder)
    if message:
        print(message)
        yield Difference("wrappers_test.cc", "does_not_compile")


def find_differences(mpi, functions, exported, known):
    table = {name: generate.function_line(function) for name, function in functions.items()
             if function.has_signature and "P" + name in exported}
    with tempfile.TemporaryDirectory() as folder:
        return {
            *symbol_differences(functions, exported),
            *missing_functions(functions, exported, mpi.standard),
            *declaration_differences(mpi, table, known, folder),
            *wrapper_differences(mpi, table, folder),
        }


def main():
    parser = argparse.ArgumentParser(description="Compare the spec with one MPI.")
    parser.add_argument("library")
    parser.add_argument("include_dirs", nargs="+", metavar="INCLUDE_DIR")
    parser.add_argument("--cxx", default="c++", help="the C++ compiler to use (default: c++)")
    arguments = parser.parse_args()
    mpi = identify(compiler_command(arguments.cxx, arguments.include_dirs))
    try:
        functions = generate.read_functions()
    except generate.SpecError as error:
        sys.exit(str(error))
    exported = exported_functions(arguments.library)
    known = known_differences(mpi)
    found = find_differences(mpi, functions, exported, known)
    for title, differences in (("unknown", found - known), ("no longer there", known - found)):
        for difference in sorted(differences, key=lambda one: (one.what, one.function)):
            print(f"{title}: {mpi.name} | {mpi.version} | {difference.function} | {difference.what}")
    served = sum("P" + name in exported for name in functions)
    print(f"{mpi.name} {mpi.version} (MPI {mpi.standard}): {served} of {len(functions)} functions, "
          f"{len(found & known)} known differences")
    sys.exit(1 if found != known else 0)


if __name__ == "__main__":
    main()
