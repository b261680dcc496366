# SPDX-License-Identifier: BSD-3-Clause
# test_stubs.py - libcairn.so from outside: which functions it has stubs for, and what a stub is made of.

import re

from cairn_testing import *


def lines_of(*command):
    result = run(*command)
    assert result.code == 0, result.err
    return result.out.splitlines()


def exported_functions(library):
    """MPI_* and MPIX_* functions that a library exports."""
    names = set()
    for line in lines_of("nm", "-D", "--defined-only", library):
        _, kind, name = line.split()
        if kind in "TWi" and re.match(r"MPIX?_", name):
            names.add(name)
    return names


def spec_names():
    text = (SOURCE / "src/generated/names.inc").read_text()
    return re.findall(r"^CAIRN_NAME\((\w+)\)$", text, re.M)


def test_every_function_that_the_library_exports_has_a_stub(mpi):
    exported = exported_functions(mpi.library_path())
    assert len(exported) > 400
    assert exported - exported_functions(LIBCAIRN) == set()


def test_every_function_of_the_spec_has_a_stub_and_nothing_else_has():
    assert exported_functions(LIBCAIRN) == set(spec_names())


def test_functions_that_newer_standards_add_have_stubs():
    added = {"MPI_Session_init", "MPI_Pready", "MPI_Isendrecv", "MPI_Send_c", "MPI_Comm_attach_buffer", "MPI_Status_get_error",
             "MPI_Abi_get_version", "MPI_Comm_toint", "MPI_T_event_handle_alloc"}
    assert added <= exported_functions(LIBCAIRN)


def test_a_stub_is_one_jump_through_memory():
    listing = lines_of("objdump", "-d", "--no-show-raw-insn", "--section=.text", LIBCAIRN)
    bodies, name = {}, None
    for line in listing:
        if head := re.match(r"[0-9a-f]+ <(\w+)>:", line):
            name = head.group(1)
            bodies[name] = []
        elif name and (instruction := re.match(r"\s+[0-9a-f]+:\s+(.*?)\s*(#.*)?$", line)):
            bodies[name].append(instruction.group(1))
    names = spec_names()
    for function in names:
        body = bodies[function] if function in bodies else bodies[f"stub_{function}"]
        code = [word for word in body if not re.match(r"(nop|xchg\s+%ax,%ax|data16|cs nop)", word)]
        assert len(code) == 1 and re.fullmatch(r"jmp\s+\*0x[0-9a-f]+\(%rip\)", code[0]), (function, body)
    assert len(names) > 650


def test_it_needs_the_c_library_alone():
    needed = {line.split("[")[1].rstrip("]") for line in lines_of("readelf", "-dW", LIBCAIRN) if "(NEEDED)" in line}
    assert needed <= {"libc.so.6", "ld-linux-x86-64.so.2"}


def names_in(file):
    return set(re.findall(r"^CAIRN_\w+_NAME\((\w+)\)$", (SOURCE / "src/contracts" / file).read_text(), re.M))


def test_it_exports_mpi_functions_the_first_calls_of_fortran_those_of_qmpi_annotations_some_of_the_c_library_and_no_more():
    names = {line.split()[-1] for line in lines_of("nm", "-D", "--defined-only", LIBCAIRN)}
    listed = names_in("shifted_names.inc") | names_in("qmpi_names.inc")
    assert len(names_in("qmpi_names.inc")) == 6
    assert {name for name in names if not re.match(r"MPIX?_", name)} == NAMES_OF_OTHERS | listed


def test_the_runtime_brings_its_cxx_library_hidden():
    runtime = BUILD / "lib/cairn/libcairn-stack.so"
    assert [line.split()[-1] for line in lines_of("nm", "-D", "--defined-only", runtime)] == [
        "cairn_stack_open_deep", "cairn_stack_start"]
    needed = {line.split("[")[1].rstrip("]") for line in lines_of("readelf", "-dW", runtime) if "(NEEDED)" in line}
    assert needed <= {"libc.so.6", "libm.so.6", "ld-linux-x86-64.so.2"}


def test_a_bundled_tool_brings_its_cxx_library_hidden(mpi):
    tool = BUILD / "lib/cairn" / mpi.id / "profile.so"
    needed = {line.split("[")[1].rstrip("]") for line in lines_of("readelf", "-dW", tool) if "(NEEDED)" in line}
    assert needed <= {"libc.so.6", "libm.so.6", "ld-linux-x86-64.so.2", mpi.library}
    names = {line.split()[-1] for line in lines_of("nm", "-D", "--defined-only", tool)}
    assert {name for name in names if not re.match(r"MPIX?_", name)} == {"cairn_tool_start", "cairn_tool_about"}
