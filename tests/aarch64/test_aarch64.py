# SPDX-License-Identifier: BSD-3-Clause
# test_aarch64.py - the same runtime on another processor: stubs, binder, loader and stack under qemu-user.
#
# Cross-built without optimisation, which takes less time; the stand-in library serves as MPI.

import contextlib
import os
import pathlib
import re
import shutil
import subprocess

import pytest

from cairn_testing import BUILD, NAMES_OF_OTHERS, SOURCE, environment, run
from standin.expected import *

SYSTEM = "/usr/aarch64-linux-gnu"  # Debian's place for the other processor's libraries
FOLDER = BUILD / "aarch64"
LIBRARY = FOLDER / "lib/libcairn.so"
STANDIN = FOLDER / "standin/tests/standin"
MISSING = [name for name in ("aarch64-linux-gnu-gcc", "aarch64-linux-gnu-g++", "qemu-aarch64", "ninja") if not shutil.which(name)]

pytestmark = pytest.mark.skipif(bool(MISSING), reason=f"not installed: {', '.join(MISSING)}")


def build(*configure):
    configured = run("cmake", *configure, cwd=SOURCE)
    assert configured.code == 0, configured.err
    targets = ["cairn", "cairn_stack"] if "--preset" in configure else ["all"]
    built = run("cmake", "--build", configure[configure.index("-B") + 1], "--target", *targets, timeout=280)
    assert built.code == 0, built.out + built.err


@pytest.fixture(scope="module", autouse=True)
def built():
    build("--preset", "aarch64", "-B", FOLDER, "-DCMAKE_BUILD_TYPE=")
    build("-S", SOURCE / "tests/standin", "-B", FOLDER / "standin", "-G", "Ninja",
          f"-DCMAKE_TOOLCHAIN_FILE={SOURCE / 'cmake/aarch64.cmake'}")


def tool(name):
    return str(STANDIN / f"{name}.so")


def emulated(name, *arguments, tools=None, preload=True, **env):
    """A program of the stand-in under these tools; None: without any."""
    preloaded = ["-E", f"LD_PRELOAD={LIBRARY}"] if preload else []
    wanted = None if tools is None else ",".join(map(tool, tools))
    return run("qemu-aarch64", "-L", SYSTEM, *preloaded, STANDIN / name, *arguments, CAIRN_TOOLS=wanted, **env)


def said_by_cairn(result):
    return [line for line in result.err.splitlines() if line.startswith("cairn:")]


def said_by_tools(result):
    return counted("\n".join(line for line in result.err.splitlines() if not line.startswith(("cairn:", "terminate called", "  what():"))))


@pytest.fixture(scope="module")
def functions(built):
    """{name: its instructions} of everything in the preload library."""
    listing = run("aarch64-linux-gnu-objdump", "-d", "--no-show-raw-insn", LIBRARY).out
    bodies, body = {}, []
    for line in listing.splitlines():
        if head := re.match(r"[0-9a-f]+ <(\w+)>:", line):
            body = bodies.setdefault(head.group(1), [])
        elif instruction := re.match(r"\s+[0-9a-f]+:\s+(.*?)\s*(//.*)?$", line):
            body.append(" ".join(instruction.group(1).split()))
    return bodies


def names_in(file):
    return re.findall(r"^CAIRN_\w+\((\w+)\)$", (SOURCE / "src" / file).read_text(), re.M)


def stub_names():
    """In the order of their slots."""
    return names_in("generated/names.inc") + names_in("contracts/shifted_names.inc") + names_in("contracts/qmpi_names.inc")


def test_a_stub_is_three_instructions_that_use_no_register_but_x16(functions):
    three = [r"adrp x16, [0-9a-f]+ <.*>", r"ldr x16, \[x16(, #\d+)?\]", r"br x16"]
    names = stub_names()
    for name in [*names, "dlopen"]:
        body = functions[name] if name in functions else functions[f"stub_{name}"]
        assert len(body) == 3 and all(map(re.fullmatch, three, body)), (name, body)
    assert len(names) > 650


def test_a_lazy_entry_passes_its_number_in_x17_and_touches_nothing_else(functions):
    functions = {**functions, f"lazy_{stub_names()[0]}": functions["cairn_lazy_begin"]}  # one place with two names
    for number, name in enumerate(stub_names()):
        body = functions[f"lazy_{name}"]
        assert body[0] == f"mov w17, #{number:#x}" and re.fullmatch(r"b [0-9a-f]+ <cairn_bind_entry>", body[1]), (name, body)


def test_the_library_exports_and_needs_what_it_does_on_the_first_processor():
    exported = {line.split()[-1] for line in run("nm", "-D", "--defined-only", LIBRARY).out.splitlines()}
    assert exported == {*stub_names(), *NAMES_OF_OTHERS}
    needed = {line.split("[")[1].rstrip("]") for line in run("readelf", "-dW", LIBRARY).out.splitlines() if "(NEEDED)" in line}
    assert needed <= {"libc.so.6", "ld-linux-aarch64.so.1"}


def test_without_tools_nothing_changes():
    bare = emulated("program", "pcontrol", preload=False)
    assert bare.out == PCONTROL_LINE + OUTPUT
    assert emulated("program", "pcontrol") == bare


@pytest.mark.parametrize("layers", [1, 3, 40])
def test_every_instance_of_one_tool_sees_every_call_once(layers):
    result = emulated("program", tools=["counter"] * layers)
    assert (result.out, result.code) == (OUTPUT, 0)
    assert counted(result.err) == [("counter", calls_under(above)) for above in range(layers)]


@pytest.mark.parametrize("name", ["finds_next", "finds_early"])
def test_tools_that_look_functions_up_are_linked_like_any(name):
    result = emulated("program", tools=["counter", name, "counter"])
    assert (result.out, result.code) == (OUTPUT, 0)
    assert counted(result.err) == [("counter", CALLS), ("finds_below", calls_under(1)), ("counter", calls_under(2))]


def test_a_tool_with_tables_of_function_pointers_is_linked_like_any():
    result = emulated("program", tools=["counter", "table", "counter"])
    # In its MPI_Barrier, the tool asks for the size, which it does not wrap itself, and for the rank, which it does.
    table = {name: calls for name, calls in calls_under(2).items() if name != "MPI_Comm_size"}
    assert counted(result.err) == [("counter", CALLS), ("table", table), ("counter", calls_under(3) | {"MPI_Comm_size": 2})]


@contextlib.contextmanager
def full_pipe():
    """Who writes into it waits until its end."""
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    with contextlib.suppress(BlockingIOError):
        while True:
            os.write(writer, bytes(4096))
    os.set_blocking(writer, True)
    try:
        yield writer
    finally:
        os.close(writer)
        os.close(reader)


def test_others_do_not_take_its_private_files_for_left_behind(tmp_path):
    """The emulator's own account of when a process began is now and then a tick too late, after which any process that starts would
    remove the files of this one."""
    preload = ["-E", f"LD_PRELOAD={LIBRARY}"]
    for _ in range(20):
        with full_pipe() as full, subprocess.Popen(["qemu-aarch64", "-L", SYSTEM, *preload, STANDIN / "program"], stdout=full, stderr=full,
                                                  env=environment(CAIRN_TOOLS=f"{tool('counter')},{tool('counter')}", TMPDIR=tmp_path)) as process:
            while not (folders := list(tmp_path.glob("cairn-*/*"))):
                assert process.poll() is None
            started = (pathlib.Path("/proc") / str(process.pid) / "stat").read_text().rsplit(")", 1)[1].split()[19]
            assert folders[0].name.endswith(f"-{process.pid}-{started}")
            process.kill()
        shutil.rmtree(folders[0])


def test_functions_without_error_code_pass_through():
    result = emulated("program", tools=["others", "others"])
    assert (result.out, result.err, result.code) == (OUTPUT, "others Wtime=2 Abi_get_version=1\n" * 2, 0)


def test_calls_from_fortran_are_seen_once_by_every_layer():
    result = emulated("fortran_program", tools=["counter", "counter"])
    assert (result.out, result.code) == (FORTRAN_OUTPUT, 0)
    assert counted(result.err) == [("counter", FORTRAN_CALLS), ("counter", calls_under(1, FORTRAN_CALLS))]


def test_what_open_mpis_glue_asks_for_itself_is_not_seen():
    result = emulated("fortran_program_openmpi", "bcast", tools=["unlinked_counter"] * 2)
    assert (result.out, result.code) == ("broadcast 9 to 1, error 0\n" + FORTRAN_OUTPUT, 0)
    calls = FORTRAN_CALLS | {"MPI_Comm_size": 1, "MPI_Bcast": 2}  # each broadcast asks for the size as well
    assert counted(result.err) == [("counter", calls_under(above, calls)) for above in range(2)]


@pytest.mark.parametrize("tools", [["counter"], ["pcontrol"], ["counter", "pcontrol", "pcontrol"]], ids=",".join)
def test_integers_and_reals_of_pcontrol_arrive_whole_also_as_the_first_call_of_all(tools):
    result = emulated("program", "pcontrol", tools=tools)
    assert (result.out, result.code) == (PCONTROL_LINE + OUTPUT, 0)
    assert result.err.count("pcontrol sees level 3, 10 pairs and 'end'\n") == tools.count("pcontrol")


def test_a_tool_of_the_kit_built_with_the_header_of_the_abi_works():
    result = emulated("program", tools=["kit"])
    assert (result.out, result.code) == (OUTPUT, 0)
    (_, calls), = counted(result.err)
    assert {function: calls[function] for function in KIT_CALLS} == KIT_CALLS


CRASHES = {"writes_to_null": "SIGSEGV", "calls_null": "SIGSEGV", "overflows_stack": "SIGSEGV", "aborts": "SIGABRT",
           "throws": "SIGABRT", "traps": "SIGTRAP"}


@pytest.mark.parametrize("way", CRASHES)
def test_a_crash_in_a_constructor_costs_that_tool_alone_and_leaves_the_loader_usable(way):
    tools = ["counter", f"crash_{way}", "counter"]
    result = emulated("opens_in_thread", "libm.so.6", tools=tools)
    assert said_by_cairn(result)[:2] == [
        f"cairn: error: tool '{tool(tools[1])}' not loaded: its constructor crashed ({CRASHES[way]})",
        f"cairn:   asked for by: CAIRN_TOOLS={','.join(map(tool, tools))}",
    ]
    assert (result.out, result.code) == ("opened\n", 0)
    assert [calls for _, calls in said_by_tools(result)] == [{"MPI_Init": 1, "MPI_Comm_rank": n} for n in (1, 2)]


def test_after_a_crash_in_a_constructor_the_program_has_its_registers_back():
    # A processor without SVE: there, unlike Linux, this emulator takes back the SVE record and overlooks the other one.
    result = emulated("keeps_registers", tools=["clobbers"], QEMU_CPU="cortex-a72")
    assert result.out == "4 5 6 7 8 9 10, 1.5 2.5 3.5 4.5 5.5 6.5 7.5 8.5\n"
    assert f"'{tool('clobbers')}' not loaded: its constructor crashed (SIGSEGV)" in result.err


@pytest.mark.parametrize("name", ["foreign_by_need", "foreign_by_symbol"])
def test_a_tool_for_another_mpi_is_refused(name):
    result = emulated("program", tools=[name, "counter"])
    assert said_by_cairn(result)[0] == (f"cairn: error: tool '{tool(name)}' not loaded: {name}.so was built for Open MPI, "
                                        f"the application uses {DESCRIPTION}")
    assert (result.out, result.code, said_by_tools(result)) == (OUTPUT, 0, [("counter", CALLS)])


def test_a_tool_for_the_other_processor_is_refused():
    other = BUILD / "tests/standin/counter.so"
    result = run("qemu-aarch64", "-L", SYSTEM, "-E", f"LD_PRELOAD={LIBRARY}", STANDIN / "program", CAIRN_TOOLS=other)
    machine = {"x86_64": "x86-64"}.get(os.uname().machine, os.uname().machine)
    assert said_by_cairn(result)[0] == (f"cairn: error: tool '{other}' not loaded: counter.so is built for another machine "
                                        f"({machine})")
    assert (result.out, result.code) == (OUTPUT, 0)
