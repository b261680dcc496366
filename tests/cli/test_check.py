# SPDX-License-Identifier: BSD-3-Clause
# test_check.py - `cairn check` and `cairn tools`: every output; the program is not run.

import pytest

from cli_testing import *

NO_MPI = "MPI      the program is not linked with one; if it opens one itself (as Python does), name it with --mpi\n"
LIBRARIES = "/lib/x86_64-linux-gnu"


def head(mpi, program=None):
    return (f"program  {program or subject(mpi)}: dynamically linked\n"
            f"MPI      {mpi.name} {mpi.version} ({LIBRARIES}/{mpi.library})\n")


def check(*words, **more):
    return run(CAIRN, "check", *words, **more)


def bundled(mpi, tool="profile"):
    return f"{BUILD}/lib/cairn/{mpi.id}/{tool}.so"


class TestPrograms:
    def test_the_mpi_and_its_version(self, mpi):
        result = check(subject(mpi))
        assert (result.code, result.out, result.err) == (0, head(mpi), "")

    @pytest.mark.parametrize("name", ["ring_cxx", "ring_mpif", "ring_usempi", "ring_f08"])
    def test_programs_in_other_languages(self, mpi, name):
        result = check(mpi.program(name))
        assert (result.code, result.out, result.err) == (0, head(mpi, mpi.program(name)), "")

    def test_a_statically_linked_program_takes_no_tool(self, tmp_path):
        program = build("gcc", tmp_path / "program", "int main(void) { return 0; }\n", "-static")
        result = check(program, "--tools", "profile")
        assert (result.code, result.err) == (1, "")
        assert result.out == f"program  {program}: statically linked: no tool can be loaded\n"

    def test_a_script_is_no_mpi_program(self, tmp_path):
        script = program_file(tmp_path / "script", "#!/bin/sh\n")
        result = check(script)
        assert (result.code, result.out, result.err) == (1, f"program  {script}: a script\n{NO_MPI}", "")

    def test_a_program_without_mpi_needs_the_option_mpi(self):
        result = check("/bin/ls", "--tools", "profile")
        assert (result.code, result.out, result.err) == (1, f"program  /bin/ls: dynamically linked\n{NO_MPI}", "")

    def test_a_name_in_path(self, tmp_path):
        program_file(tmp_path / "script", "#!/bin/sh\n")
        assert check("script", PATH=tmp_path).out.startswith(f"program  {tmp_path}/script: a script\n")

    @pytest.mark.parametrize("content", ["#!/bin/sh\n", "echo\n", ""])
    def test_any_text_and_an_empty_file_are_scripts(self, content, tmp_path):
        program_file(tmp_path / "script", content)
        assert check("./script", cwd=tmp_path).out.startswith("program  ./script: a script\n")

    def test_a_program_with_special_rights(self, mpi, with_rights):
        program, rights = with_rights
        result = check(program, "--tools", "profile")
        assert (result.code, result.err) == (1, "")
        assert result.out == f"program  {program}: dynamically linked; {rights}: no tool can be loaded\n"

    @pytest.mark.parametrize("content", [b"\x7fELF", b"\x7fELF and no more"])
    def test_a_file_that_is_no_program_is_said_to_be_none(self, content, tmp_path):
        (tmp_path / "file").write_bytes(content)
        (tmp_path / "file").chmod(0o755)
        result = check("./file", cwd=tmp_path)
        assert (result.code, result.out, result.err) == (1, "program  ./file: not a program for this machine\n", "")

    def test_built_for_another_machine(self, mpi, tmp_path):
        data = bytearray(open(subject(mpi), "rb").read())
        data[18] = 183
        (tmp_path / "file").write_bytes(data)
        (tmp_path / "file").chmod(0o755)
        result = check("./file", cwd=tmp_path)
        assert (result.code, result.out, result.err) == (1, "program  ./file: not a program for this machine\n", "")

    @pytest.mark.parametrize("name, text", [
        ("nosuchprogram", error("program 'nosuchprogram' not found", remedy="./nosuchprogram, or a name in PATH")),
        ("./nosuchprogram", error("program './nosuchprogram' not found")),
    ])
    def test_a_program_that_is_not_found_is_an_error(self, name, text):
        result = check(name)
        assert (result.code, result.out, result.err) == (125, "", text)

    def test_a_file_that_is_not_executable_is_an_error(self, tmp_path):
        (tmp_path / "file").write_text("x")
        result = check("./file", cwd=tmp_path)
        assert (result.code, result.out) == (125, "")
        assert result.err == error("program './file' is not executable", remedy="chmod +x ./file")

    def test_the_program_is_not_run(self, mpi, tmp_path):
        text = ('#include <mpi.h>\n#include <stdio.h>\n'
                '__attribute__((constructor)) static void early(void) { fclose(fopen("ran", "w")); }\n'
                'int main(int argc, char **argv) { MPI_Init(&argc, &argv); return 0; }\n')
        program = build(mpicc(mpi), tmp_path / "program", text)
        result = check(program, "--tools", trace(mpi), cwd=tmp_path)
        assert result.code == 0
        assert not (tmp_path / "ran").exists()

    def test_a_script_is_not_run(self, tmp_path):
        script = program_file(tmp_path / "script", "#!/bin/sh\ntouch ran\n")
        check(script, "--mpi", "mpich", "--tools", "profile", cwd=tmp_path)
        assert not (tmp_path / "ran").exists()

    def test_tools_are_not_run(self, mpi, tmp_path):
        path = module("gcc", tmp_path / "tool.so", "#include <stdio.h>\nint MPI_Barrier(void) { return 0; }\n"
                      '__attribute__((constructor)) static void early(void) { fclose(fopen("ran", "w")); }\n')
        assert check(subject(mpi), "--tools", path, cwd=tmp_path).code == 0
        assert not (tmp_path / "ran").exists()

    def test_nothing_is_written(self, mpi, tmp_path):
        check(subject(mpi), "--tools", "profile", cwd=tmp_path)
        assert list(tmp_path.iterdir()) == []


class TestMpiOption:
    @pytest.mark.parametrize("mpi_id, name", [("openmpi", "Open MPI"), ("mpich", "MPICH"),
                                              ("abi", "an MPI with the standard ABI")])
    def test_for_a_program_that_opens_its_mpi(self, mpi_id, name):
        result = check("/bin/ls", "--mpi", mpi_id)
        assert (result.code, result.err) == (0, "")
        assert result.out == f"program  /bin/ls: dynamically linked\nMPI      the program is not linked with one; checking for {name} (--mpi)\n"

    def test_tools_are_those_of_that_mpi(self, mpi):
        result = check("/bin/ls", "--mpi", mpi.id, "--tools", f"{trace(mpi)},{trace(other(mpi))}")
        assert result.code == 1
        assert result.out.endswith(
            f"layer 1  {trace(mpi)}: intercepts 1 function ({trace(mpi)})\n"
            f"layer 2  {trace(other(mpi))}: would not be loaded: trace_a.so was built for {other(mpi).name}, the application "
            f"uses {mpi.name}\n"
            f"         try: {TRY_THIS_MPI}\n")

    def test_a_tool_that_is_not_installed_for_it(self):
        result = check("/bin/ls", "--mpi", "abi", "--tools", "profile")
        assert result.code == 1
        assert result.out.endswith("layer 1  profile: would not be loaded: it is installed for Open MPI and MPICH, "
                                   "not for an MPI with the standard ABI\n"
                                   "         try: 'cairn add-mpi MPICC', with that MPI's compiler wrapper, which adds it\n")

    def test_an_unknown_mpi_is_an_error(self):
        result = check("/bin/ls", "--mpi", "lam")
        assert (result.code, result.err) == (125, error("there is no MPI 'lam'", remedy="--mpi openmpi, --mpi mpich or --mpi abi"))

    def test_an_unknown_mpi_is_an_error_where_none_is_needed_too(self, mpi):
        result = check(subject(mpi), "--mpi", "lam")
        assert (result.code, result.err) == (125, error("there is no MPI 'lam'", remedy="--mpi openmpi, --mpi mpich or --mpi abi"))


class TestLayers:
    def test_each_layer_is_checked_for_itself(self, mpi, tmp_path):
        (tmp_path / "text.so").write_text("text")
        tools = ["nosuchtool", f"{tmp_path}/text.so", f"{tmp_path}/missing.so", "profile=color:red", trace(mpi),
                 trace(other(mpi)), "/bin/ls", f"{trace(mpi)}=top:1"]
        result = check(subject(mpi), "--tools", ",".join(tools))
        assert (result.code, result.err) == (1, "")
        assert result.out == head(mpi) + (
            f"layer 1  nosuchtool: would not be loaded: {NO_SUCH_TOOL}\n"
            f"         try: {TRY_TOOLS}\n"
            f"layer 2  {tools[1]}: would not be loaded: '{tools[1]}' is not an ELF file\n"
            f"         try: {TRY_PATH}\n"
            f"layer 3  {tools[2]}: would not be loaded: '{tools[2]}' does not exist\n"
            f"         try: the path of the tool's shared library\n"
            f"layer 4  profile: would not be loaded: it has no option 'color'\n"
            f"         try: one of its options: top, sites, depth, sort, threshold, ranks, transfers, table\n"
            f"layer 5  {tools[4]}: intercepts 1 function ({tools[4]})\n"
            f"layer 6  {tools[5]}: would not be loaded: trace_a.so was built for {other(mpi).name}, the application uses "
            f"{mpi.name} {mpi.version}\n"
            f"         try: {TRY_THIS_MPI}\n"
            f"layer 7  /bin/ls: would not be loaded: ls is not a shared library\n"
            f"         try: {TRY_PATH}\n"
            f"layer 8  {trace(mpi)}: would not be loaded: it takes no options, but 'top' was given\n"
            f"         try: the tool's name alone\n")

    def test_what_check_says_is_what_run_says(self, mpi, tmp_path):
        (tmp_path / "empty.so").write_bytes(b"")
        for tool in (f"{tmp_path}/empty.so", trace(other(mpi)), "profile=color:red", "/bin/ls"):
            reason = cairn_run("--tools", tool, subject(mpi)).err.splitlines()[0].partition(" not loaded: ")[2]
            assert f": would not be loaded: {reason}\n" in check(subject(mpi), "--tools", tool).out

    def test_where_all_layers_are_good_the_exit_code_is_0(self, mpi):
        result = check(subject(mpi), "--tools", f"{trace(mpi)},{trace(mpi)}")
        assert (result.code, result.err) == (0, "")
        assert result.out == head(mpi) + "".join(f"layer {i}  {trace(mpi)}: intercepts 1 function ({trace(mpi)})\n" for i in (1, 2))

    def test_layers_beyond_the_ninth_are_aligned(self, mpi):
        result = check(subject(mpi), "--tools", ",".join([trace(mpi)] * 10))
        assert result.out.endswith(f"layer 10 {trace(mpi)}: intercepts 1 function ({trace(mpi)})\n")

    def test_functions_lists_what_a_tool_intercepts(self, mpi, tmp_path):
        path = module("gcc", tmp_path / "tool.so", "int MPI_Send(void) { return 0; }\nint MPI_Barrier(void) { return 0; }\n"
                      "int MPIX_Query(void) { return 0; }\nint other(void) { return 0; }\n")
        result = check(subject(mpi), "--functions", "--tools", path)
        assert (result.code, result.err) == (0, "")
        assert result.out == head(mpi) + (f"layer 1  {path}: intercepts 3 functions ({path})\n"
                                          f"         MPIX_Query MPI_Barrier MPI_Send\n")

    def test_functions_of_the_bundled_tool(self, mpi):
        first, second, *needs = check(subject(mpi), "--functions", "--tools", "profile").out.splitlines()[2:]
        functions = second.split()
        assert first == f"layer 1  profile: intercepts {len(functions)} functions ({bundled(mpi)})"
        assert {"MPI_Init", "MPI_Send", "MPI_Finalize"} <= set(functions)
        assert functions == sorted(functions)
        assert needs == [f"         needs {service} {version}: from Cairn's module {service}"
                         for service, version in (("cairn.datatypes", 1), ("cairn.frees", 1), ("cairn.ranks", 1), ("cairn.requests", 2))] + [
                             "         needs cairn.tool_calls 1: from Cairn itself"]

    def test_static_thread_local_storage(self, mpi, tmp_path):
        text = "static __thread int calls;\nint MPI_Barrier(void) { return ++calls; }\n"
        path = module("gcc", tmp_path / "tool.so", text, "-ftls-model=initial-exec")
        assert check(subject(mpi), "--tools", path).out.endswith(
            "         uses static thread-local storage: many instances may need "
            "GLIBC_TUNABLES=glibc.rtld.optional_static_tls=65536\n")

    def test_layers_of_a_stack_file_come_last(self, mpi, tmp_path):
        (tmp_path / "stack.toml").write_text(f'[[layer]]\ntool = "{trace(mpi, "b")}"\n')
        result = check(subject(mpi), "--stack", tmp_path / "stack.toml", "--tools", trace(mpi, "a"))
        assert result.code == 0
        assert result.out == head(mpi) + "".join(f"layer {i}  {trace(mpi, name)}: intercepts 1 function ({trace(mpi, name)})\n"
                                                 for i, name in ((1, "a"), (2, "b")))

    def test_options_may_stand_before_the_program(self, mpi):
        assert check("--tools", trace(mpi), subject(mpi)).code == 0


class TestServices:
    """Of tools that say what they need and offer; none of them is loaded."""

    @pytest.fixture
    def tool(self, tmp_path):
        def make(name, *lines):
            about = "abi 2\\nsummary does nothing\\n" + "".join(line + "\\n" for line in lines)
            return module("gcc", tmp_path / name, f'const char cairn_tool_about[] = "{about}";\nint MPI_Init(void) {{ return 0; }}\n')
        return make

    def checked(self, mpi, *tools):
        result = check(subject(mpi), "--tools", ",".join(map(str, tools)))
        return result.code, result.out.removeprefix(head(mpi))

    def test_each_service_is_listed_with_who_gives_it(self, mpi, tool):
        taker = tool("taker.so", "needs mine.numbers 3", "needs cairn.ranks 1", "needs cairn.callers 2", "needs cairn.stack 1")
        giver = tool("giver.so", "offers mine.other 3", "offers mine.numbers 3")
        assert self.checked(mpi, taker, giver) == (0, (
            f"layer 1  {taker}: intercepts 1 function ({taker})\n"
            f"         needs mine.numbers 3: from layer 2, {giver}\n"
            f"         needs cairn.ranks 1: from Cairn's module cairn.ranks\n"
            f"         needs cairn.callers 2: from Cairn itself\n"
            f"         needs cairn.stack 1: from Cairn itself\n"
            f"layer 2  {giver}: intercepts 1 function ({giver})\n"))

    def test_a_layer_may_stand_in_for_a_module_of_cairn(self, mpi, tool):
        taker, giver = tool("taker.so", "needs cairn.ranks 1"), tool("giver.so", "offers cairn.ranks 1")
        assert f"         needs cairn.ranks 1: from layer 2, {giver}\n" in self.checked(mpi, taker, giver)[1]

    def test_nobody_below_offers_it(self, mpi, tool):
        taker, giver = tool("taker.so", "needs mine.numbers 3"), tool("giver.so", "offers mine.numbers 3")
        assert self.checked(mpi, giver, taker, trace(mpi)) == (1, (
            f"layer 1  {giver}: intercepts 1 function ({giver})\n"
            f"layer 2  {taker}: would not be loaded: it needs the service 'mine.numbers' version 3, which no layer below it offers\n"
            f"         try: a tool that offers 'mine.numbers', named after it\n"
            f"layer 3  {trace(mpi)}: intercepts 1 function ({trace(mpi)})\n"))

    def test_only_another_version_is_offered(self, mpi, tool):
        taker, giver = tool("taker.so", "needs mine.numbers 3"), tool("giver.so", "offers mine.numbers 4")
        bundled = tool("bundled.so", "needs cairn.ranks 7")
        code, out = self.checked(mpi, taker, giver)
        assert (code, out.splitlines()[:2]) == (1, [
            f"layer 1  {taker}: would not be loaded: it needs the service 'mine.numbers' version 3, "
            f"but tool '{giver}' offers version 4",
            "         try: a tool that offers that version, named after it"])
        assert "it needs the service 'cairn.ranks' version 7, but tool 'cairn.ranks' offers version 1\n" in self.checked(mpi, bundled)[1]

    def test_a_tool_below_may_offer_it_without_saying_so(self, mpi, tool):
        taker, silent = tool("taker.so", "needs mine.numbers 3"), tool("silent.so")
        assert self.checked(mpi, taker, silent) == (0, (
            f"layer 1  {taker}: intercepts 1 function ({taker})\n"
            f"         needs mine.numbers 3: a layer below must offer it; none declares that it does\n"
            f"layer 2  {silent}: intercepts 1 function ({silent})\n"))

    def test_what_check_says_is_what_run_says(self, mpi, tool):
        for line in ("needs mine.numbers 3", "needs cairn.ranks 7"):
            taker = tool("taker.so", line)
            reason = cairn_run("--tools", taker, subject(mpi)).err.splitlines()[0].partition(" not loaded: ")[2]
            assert f": would not be loaded: {reason}\n" in check(subject(mpi), "--tools", taker).out


class TestTools:
    def test_the_bundled_tools_are_listed_with_their_options(self):
        result = run(CAIRN, "tools")
        assert (result.code, result.err) == (0, "")
        assert result.out.startswith(
            "comm         who sends how much to whom: messages, bytes and sizes of each pair of ranks, by phase and communicator\n"
            "             for Open MPI, MPICH\n"
            "               top:5          pairs of ranks shown on the terminal\n"
            "               table:on       whether anything is shown there: on or off\n"
            "               prof:off       a text file of each rank too, as Open MPI's monitoring writes it: on or off\n"
            "               every:off      time from one snapshot to the next: 500ms, 2s; off: none\n"
            "               signal:0       number of a signal that asks for a snapshot: 10 (SIGUSR1), 12 (SIGUSR2), 34 to 64; 0: none\n"
            "               files:off      whether programs may have files written by control variables: on or off\n"
            "               inner:off      on Open MPI also what the library sends by itself, from its own monitoring: on or off\n"
            "               model:off      also the messages that MPI libraries usually make of collective calls, by a model: on or off\n"
            "policy       follows a policy: watches variables and sets others while the program runs\n"
            "             for Open MPI, MPICH\n"
            "               file:          path of the policy (docs/policies.md); without it, the page of 'cairn live' gives one\n"
            "               dry_run:off    whether nothing is changed, only reported: on or off\n"
            "               top:30         events shown in the report\n"
            "               table:on       whether the report is shown: on or off\n"
            "profile      calls, time and bytes of each MPI function and call site, with the imbalance over ranks\n"
            "             for Open MPI, MPICH\n"
            "               top:10         functions shown in the table on the terminal\n"
            "               sites:5        call sites shown there\n"
            "               depth:1        calling functions that make up a call site, up to 16; 0: none, functions only\n"
            "               sort:time      order of functions and call sites: time, calls, sent (bytes) or name\n"
            "               threshold:0    percent of the time in MPI below which call sites are left out\n"
            "               ranks:off      whether every rank's time is kept, not only statistics: on or off\n"
            "               transfers:on   whether requests are followed to their completion: on or off\n"
            "               table:on       whether the table is shown: on or off\n")

    def test_every_listed_tool_can_be_loaded(self, mpi):
        names = [line.split()[0] for line in run(CAIRN, "tools").out.splitlines() if not line.startswith(" ")]
        names.sort(key=lambda name: name != "reorder")  # which must be the first
        result = check(subject(mpi), "--tools", ",".join(names))
        assert (result.code, result.err) == (0, "")

    def test_every_listed_option_is_known(self, mpi):
        tool = None
        for line in run(CAIRN, "tools").out.splitlines():
            words = line.split()
            if not line.startswith(" "):
                tool = words[0]
            elif words[0] != "for":
                assert check(subject(mpi), "--tools", f"{tool}={words[0]}").code == 0
