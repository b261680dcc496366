# SPDX-License-Identifier: BSD-3-Clause
# test_modules.py - modules that call PnMPI run as layers: services, globals, arguments, hooks, MPI_Pcontrol, stacks.

from cairn_testing import *


def run_with(mpi, folder, text, *do, **more):
    """One process of these tests' program under the modules of a configuration."""
    (folder / "conf").write_text(text)
    return run(CAIRN, "run", "--stack", folder / "conf", mpi.program("pnmpi/program"), *do,
               PNMPI_LIB_PATH=f"{mpi.folder}/pnmpi:{mpi.folder}/filters", **more)


def said(*lines):
    return "".join(f"[PnMPI] {line}\n" for line in lines)


def test_a_consumer_uses_what_a_provider_offers_until_the_end(mpi, tmp_path):
    result = run_with(mpi, tmp_path, "module consumer\nmodule provider\n", "rank", "rank")
    assert (result.code, result.out) == (0, "")
    assert result.err == said("nobody: Module not found", "stack: Stack not found", "provider: Success", "I am 0, the provider 1",
                              "no service: Service not found", "no signature: Signatures don't match", "no global: Global not found",
                              "no type: Signatures don't match", "no module: Module not found", "service: Success", "global: Success",
                              "from 0 to 1", "from 1 to 2", "2 calls", "the end")


def test_arguments_of_every_module_can_be_read_and_hooks_called(mpi, tmp_path):
    text = ("module arguments\nargument size 4\nargument size 5\nmodule sample1\nargument text two words\npcontrol on\n"
            "module arguments\nstack other\nmodule arguments\n")
    result = run_with(mpi, tmp_path, text, PNMPI_DBGLEVEL=2)
    assert result.code == 0
    assert result.err == said("0: size 4, none -, next two words (Success), 99: Module not found, pcontrol 1 and 1",
                              "2: size -, none -, next  (Module not found), 99: Module not found, pcontrol 0 and -1",
                              "4: size -, none -, next  (Module not found), 99: Module not found, pcontrol 0 and -1")
    assert result.out == said("0 greets", "2 greets", "4 greets")


def test_Pcontrol_reaches_each_module_that_wants_it_with_all_its_arguments(mpi, tmp_path):
    result = run_with(mpi, tmp_path, "module listener\nmodule listener\nmodule listener\npcontrol on\nmodule sample1\npcontrol on\n", "plain")
    assert (result.code, result.out) == (0, "")
    assert result.err == said("0: level 4 more 2.5", "2: level 4 more 2.5") + "sample1: level 4\n"
    assert run_with(mpi, tmp_path, "globalpcontrol on\nmodule listener\nmodule listener\n", "plain").err == \
        said("0: level 4 more 2.5", "1: level 4 more 2.5")


@pytest.mark.parametrize("mode", ["pnmpi", "mixed"])
def test_Pcontrol_is_addressed_to_modules_by_number(mpi, mode, tmp_path):
    result = run_with(mpi, tmp_path, f"globalpcontrol {mode}\nmodule listener\nmodule listener\n", "one=1", "two=1,0", "pointer=1",
                      "plain", "error=1", "one=2", "toomuch=0")
    heard = "level 20 1 2 3 4 5 6 7 8"
    plain = ["0: level 4 more 2.5"] if mode == "mixed" else []
    assert result.err == said(f"1: {heard}", f"1: {heard}", f"0: {heard}", f"1: {heard}", *plain, "1: level 21")
    assert (result.code, result.out) == (0, "error=1: 5\none=2: -1\ntoomuch=0: -1\n")


def test_a_module_sends_calls_to_other_stacks(mpi, tmp_path):
    text = "module switcher\nmodule sample1\nstack a\nmodule sample2\nmodule places\nstack b\n"
    result = run_with(mpi, tmp_path, text, "rank", "exchange", "time")
    assert (result.code, result.out) == (0, "")
    assert result.err == said("a 3 (Success), b 6 (Success)", "here") + "sample1: rank\n" + said("in a") + "sample2: rank\n" + \
        said("program called MPI_Comm_rank", "in b", "below") + "sample1: rank\n" + said("2 5 to 0, 2 5")
    changed = run_with(mpi, tmp_path, text, "size", "barrier", "rank", "size", "barrier")
    assert changed.err == said("a 3 (Success), b 6 (Success)", "size") + "sample2: rank\n" + \
        said("program called MPI_Comm_rank", "size in a", "barrier")


def test_without_a_stack_of_its_own_the_program_reaches_no_module(mpi, tmp_path):
    result = run_with(mpi, tmp_path, "stack main\nmodule sample1\n", "rank")
    assert result.err == (f"cairn: warning: PnMPI configuration '{tmp_path}/conf', no module stands before the first stack, so the "
                          "program's calls reach none\n")


def test_bundled_tools_and_modules_share_a_stack_and_ranks_are_told_apart(mpi, tmp_path):
    (tmp_path / "conf").write_text("module profile\nargument table off\nmodule consumer\nmodule provider\nstack other\nmodule profile\n")
    result = run(*mpi.mpirun(2), CAIRN, "run", "--stack", tmp_path / "conf", "--out", tmp_path / "out", mpi.program("pnmpi/program"), "rank",
                 PNMPI_LIB_PATH=mpi.folder / "pnmpi")
    assert result.code == 0
    assert sorted(line for line in result.err.splitlines() if "I am" in line) == \
        ["0: [PnMPI] I am 1, the provider 2", "1: [PnMPI] I am 1, the provider 2"]


def test_a_function_that_pnmpi_has_and_cairn_lacks_is_refused_by_name(mpi, tmp_path):
    result = run_with(mpi, tmp_path, "module later\nmodule sample1\n", "rank")
    assert result.code == 0
    assert result.err == (
        f"cairn: error: tool '{mpi.tool('filters/later')}' not loaded: later.so calls PNMPI_Service_Later, a function of PnMPI's that "
        "Cairn does not have\n"
        f"cairn:   asked for by: --stack {tmp_path}/conf\n"
        "cairn:   try: a module that calls those in pnmpi/service.h alone\n"
        "sample1: rank\n")
