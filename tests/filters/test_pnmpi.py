# SPDX-License-Identifier: BSD-3-Clause
# test_pnmpi.py - PnMPI's configuration files as stack files, and its modules as tools.

from filters_testing import *


def run_with(mpi, folder, text, do="rank=1 pcontrol=4", **more):
    """One process under the modules of a configuration; they lie where these tests' tools do."""
    path = folder / ".pnmpi_conf"
    path.write_text(text)
    return steps(mpi, do=do, launched=False, options=("--stack", path, *more.pop("options", ())),
                 PNMPI_LIB_PATH=f"/nowhere:{mpi.folder}/filters", **more)


def warning(folder, text):
    return f"cairn: warning: PnMPI configuration '{folder}/.pnmpi_conf', {text}\n"


def test_modules_are_layers_outermost_first_and_the_first_gets_pcontrol(mpi, tmp_path):
    result = run_with(mpi, tmp_path, "# Two modules\n\nmodule sample1\nmodule sample2\n")
    assert (result.code, result.err) == (0, "sample1: rank\nsample2: rank\nsample1: level 4\n")


def test_pcontrol_on_and_off(mpi, tmp_path):
    result = run_with(mpi, tmp_path, "module sample1\npcontrol off\nmodule sample2\npcontrol on\nmodule sample1\npcontrol on\n")
    assert (result.code, result.err) == \
        (0, "sample1: rank\nsample2: rank\nsample1: rank\nsample2: level 4\nsample1: level 4\n")


def test_patched_modules_run_as_they_are(mpi, tmp_path):
    result = run_with(mpi, tmp_path, "module sample1\nmodule patched\npcontrol on\nmodule sample2\npcontrol on\n")
    assert (result.code, result.err) == \
        (0, "sample1: rank\npatched: rank\nsample2: rank\nsample1: level 4\npatched: level 4\nsample2: level 4\n")


def test_arguments_are_options_where_the_tool_has_some(mpi, tmp_path):
    result = run_with(mpi, tmp_path, "module profile\nargument table off\nmodule sample1\nargument size 4\n",
                      options=("--out", tmp_path / "out"))
    assert result.code == 0
    assert result.err == warning(tmp_path, "line 4: argument 'size' is left out: module 'sample1' takes no options, and none of "
                                           "the modules calls PnMPI") + \
        "sample1: rank\n" * 2  # the program's, and that of profile's communicator
    assert json.loads((tmp_path / "out/run.json").read_text())["tools"][0]["options"] == {"table": "off"}


def test_what_cannot_be_done_is_said_with_its_line(mpi, tmp_path):
    result = run_with(mpi, tmp_path, "globalpcontrol some\nmodule sample1\nsurprise\n")
    assert result.code == 0
    assert result.err == (warning(tmp_path, "line 1: 'globalpcontrol some' is left out: it is not a PnMPI command") +
                          warning(tmp_path, "line 3: 'surprise' is left out: it is not a PnMPI command") +
                          "sample1: rank\nsample1: level 4\n")


def test_a_missing_module_is_said_and_the_others_run(mpi, tmp_path):
    result = run_with(mpi, tmp_path, "module requests\nmodule sample1\npcontrol on\n")
    assert result.code == 0
    assert result.err == warning(tmp_path, "line 1: there is no requests.so in PNMPI_LIB_PATH") + (
        "cairn: error: tool 'requests.so' not loaded: there is no bundled tool of this name, nor a file in CAIRN_TOOL_PATH, "
        "LD_LIBRARY_PATH or a system folder\n"
        f"cairn:   asked for by: --stack {tmp_path}/.pnmpi_conf\n"
        "cairn:   try: 'cairn tools' for the bundled tools, or the path of a shared library (with a '/' in it)\n"
        "sample1: rank\nsample1: level 4\n")


def test_check_reads_it_too(mpi, tmp_path):
    (tmp_path / "conf").write_text("module sample1\nmodule sample2\n")
    result = run(CAIRN, "check", mpi.program("filters/steps"), "--stack", tmp_path / "conf", PNMPI_LIB_PATH=mpi.folder / "filters")
    assert (result.code, result.err) == (0, "")
    first, second = mpi.tool("filters/sample1"), mpi.tool("filters/sample2")
    assert result.out.splitlines()[2:] == [
        f"layer 1  {first}: intercepts 2 functions ({first})",
        "         filters hears:each",
        f"layer 2  {second}: intercepts 2 functions ({second})",
        "         filters hears:nothing",
    ]


@pytest.mark.parametrize("where", ["PNMPI_CONF", "here", "home"])
def test_a_configuration_is_found_by_itself(mpi, where, tmp_path):
    file = tmp_path / ("conf" if where == "PNMPI_CONF" else ".pnmpi-conf")
    file.write_text("module sample1\n")
    here = tmp_path if where == "here" else pathlib.Path("/")
    more = dict(PNMPI_LIB_PATH=mpi.folder / "filters", HOME=tmp_path, PNMPI_CONF=file if where == "PNMPI_CONF" else None)
    result = run(CAIRN, "run", mpi.program("filters/steps"), "rank=1", cwd=here, **more)
    assert (result.code, result.err) == (0, "sample1: rank\n")
    explained = run(CAIRN, "run", "--explain", mpi.program("filters/steps"), cwd=here, **more).out
    assert {"PNMPI_CONF": f"PNMPI_CONF={file}", "here": ".pnmpi-conf", "home": str(file)}[where] in explained
    for words in (["--tools", ""], []):  # other tools are asked for, or none
        other = run(CAIRN, "run", *words, mpi.program("filters/steps"), "rank=1", cwd=here, **more,
                    CAIRN_TOOLS=None if words else mpi.tool("filters/sample2"))
        assert other.err == ("" if words else "sample2: rank\n")


def test_a_tracer_and_a_profiler_by_name_as_the_paper_combines_them(mpi, tmp_path):
    for name, sample in (("tautrace", "sample1"), ("libmpip", "sample2")):
        (tmp_path / f"{name}.so").symlink_to(mpi.folder / f"filters/{sample}.so")
    (tmp_path / ".pnmpi-conf").write_text("#Combine the two\n\n#the tracer first\nmodule tautrace\n\n#then the profiler\nmodule libmpip\n")
    result = run(*mpi.mpirun(1), CAIRN, "run", mpi.program("filters/steps"), "rank=1", cwd=tmp_path, PNMPI_LIB_PATH=tmp_path)
    assert (result.code, result.err) == (0, "sample1: rank\nsample2: rank\n")


@pytest.mark.parametrize("command", [(CAIRN, "run"), ()], ids=["command", "preloaded"])
def test_CAIRN_STACK_names_a_stack_file_with_and_without_the_command(mpi, command, tmp_path):
    (tmp_path / "conf").write_text("module sample1\nmodule sample2\n")
    more = dict(CAIRN_STACK=tmp_path / "conf", PNMPI_LIB_PATH=mpi.folder / "filters", LD_PRELOAD=None if command else LIBCAIRN)
    result = run(*mpi.mpirun(1), *command, mpi.program("filters/steps"), "rank=1", **more)
    assert (result.code, result.err) == (0, "sample1: rank\nsample2: rank\n")


def test_tools_prints_a_stack_file_as_tools_takes_it(mpi, tmp_path):
    (tmp_path / "conf").write_text("module sample1\nmodule sample2\n")
    result = run(CAIRN, "tools", "--stack", tmp_path / "conf", PNMPI_LIB_PATH=mpi.folder / "filters")
    assert result.out == f"{mpi.tool('filters/sample1')}@hears:each,{mpi.tool('filters/sample2')}@hears:nothing\n"
