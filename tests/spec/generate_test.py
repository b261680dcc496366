#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# generate_test.py - spec/generate.py: what it writes for each construct of the spec, and its exact messages about bad lines

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

GENERATE = Path(__file__).resolve().parent.parent.parent / "spec" / "generate.py"

KINDS = """# the spec of this test
count | count | int | MPI_Count
buffer | buffer | void *
comm | comm/-/new_comm | MPI_Comm
callback | callback | MPI_User_function *@
seconds | - | double
"""


def generate_from(folder, functions, kinds=KINDS, options=()):
    spec = Path(folder) / "spec"
    spec.mkdir(exist_ok=True)
    (spec / "functions.txt").write_text(functions)
    (spec / "kinds.txt").write_text(kinds)
    return subprocess.run([sys.executable, str(GENERATE), "--root", folder, *options], capture_output=True, text=True)


class GeneratorTest(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = temporary.name

    def table(self, functions):
        result = generate_from(self.folder, functions)
        self.assertEqual(result.stderr, "")
        text = (Path(self.folder) / "include/cairn/generated/functions.inc").read_text()
        return text.splitlines()[2:]

    def test_marks_decide_const_and_pointers(self):
        self.assertEqual(
            self.table("[a]\nMPI_X(r:buffer, w:buffer>, n:count, o:count>, in:count[], out:count[]>, f:callback)\n"),
            ["CAIRN_FUNCTION(MPI_X, int, (const void *r, void *w, int n, int *o, const int in[], int out[], "
             "MPI_User_function *f), (r, w, n, o, in, out, f), a, "
             "(buffer, buffer, count, count, count, count, callback))"])

    def test_direction_decides_role(self):
        self.assertEqual(self.table("[a]\nMPI_X(c:comm, d:comm>)\n"),
                         ["CAIRN_FUNCTION(MPI_X, int, (MPI_Comm c, MPI_Comm *d), (c, d), a, (comm, new_comm))"])

    def test_large_adds_twin(self):
        self.assertEqual(self.table("[a]\nMPI_X(n:count) large\n"),
                         ["CAIRN_FUNCTION(MPI_X, int, (int n), (n), a, (count))",
                          "CAIRN_FUNCTION(MPI_X_c, int, (MPI_Count n), (n), a, (count))"])

    def test_no_parameters_result_and_variadic(self):
        self.assertEqual(self.table("[a]\nMPI_T() -> seconds\nMPI_V(n:count, ...)\n"),
                         ["CAIRN_FUNCTION(MPI_T, double, (void), (), a, ())",
                          "CAIRN_VARIADIC_FUNCTION(MPI_V, int, (int n, ...), (n), a, (count))"])

    def test_bare_name_is_only_in_names_inc(self):
        self.assertEqual(self.table("[names_only]\nMPI_DUP_FN\n"), [])
        names = (Path(self.folder) / "src/generated/names.inc").read_text()
        self.assertEqual(names.splitlines()[2:], ["CAIRN_NAME(MPI_DUP_FN)"])

    def test_check_shows_difference_and_fails(self):
        generate_from(self.folder, "[a]\nMPI_X(n:count)\n")
        self.assertEqual(generate_from(self.folder, "[a]\nMPI_X(n:count)\n", options=["--check"]).returncode, 0)
        changed = generate_from(self.folder, "[a]\nMPI_X(m:count)\n", options=["--check"])
        self.assertEqual(changed.returncode, 1)
        self.assertIn("+CAIRN_FUNCTION(MPI_X, int, (int m), (m), a, (count))", changed.stdout)

    def test_bad_function_lines_are_refused(self):
        for line, message in {
            "MPI_X(n count)": "'n count' is not a parameter of the form name:kind, name:kind>, name:kind[]",
            "MPI_X(n:cuont)": "parameter 'n' has the unknown kind 'cuont'",
            "MPI_X(n:count, n:count)": "two parameters of MPI_X are called 'n'",
            "MPI_X(f:callback>)": "'f:callback>': the type of kind 'callback' is fixed, it takes no mark",
            "MPI_X(b:buffer[])": "'b:buffer[]': kind 'buffer' is a pointer already, it takes no []",
            "MPI_X(c:comm<>)": "'c:comm<>': kinds.txt has no role for kind 'comm' in this direction",
            "MPI_X() -> secs": "the result of MPI_X has the unknown kind 'secs'",
            "MPI_X(n:count) big": "unknown word 'big'",
            "MPI_X(n:count) since": "'since' needs a version such as 4.0",
            "MPI_X(b:buffer) large": "MPI_X is 'large', but no parameter has a large C type",
            "MPI_X": "'MPI_X' is not of the form NAME(parameter:kind, ...) words",
            "[Bad]": "'[Bad]' is not a heading of the form [category]",
        }.items():
            with self.subTest(line):
                result = generate_from(self.folder, f"[a]\n{line}\n")
                self.assertEqual(result.stderr, f"spec/functions.txt:2: {message}\n")
                self.assertEqual(result.returncode, 1)

    def test_lines_in_a_bad_place_are_refused(self):
        for text, message in {
            "MPI_X()\n": "1: a function before the first [category]",
            "[a]\nMPI_X()\nMPI_X()\n": "3: MPI_X is already there, in line 2",
            "[names_only]\nMPI_X()\n": "2: 'MPI_X()' is not a bare name, the only thing allowed under [names_only]",
        }.items():
            with self.subTest(text):
                self.assertEqual(generate_from(self.folder, text).stderr, f"spec/functions.txt:{message}\n")

    def test_bad_kinds_are_refused(self):
        for line, message in {
            "count | count": "expected 'kind | role | C type' or 'kind | role | C type | large C type'",
            "Count | count | int": "'Count' cannot name a kind",
            "seconds | count | int": "kind 'seconds' is already defined",
            "n | a/b | int": "'a/b' is neither one role nor three",
            "n | A | int": "'A' cannot name a role",
        }.items():
            with self.subTest(line):
                result = generate_from(self.folder, "", KINDS + line + "\n")
                self.assertEqual(result.stderr, f"spec/kinds.txt:7: {message}\n")


if __name__ == "__main__":
    unittest.main()
