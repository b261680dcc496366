# SPDX-License-Identifier: BSD-3-Clause
# test_variables.py - MPI_T under a stack: the library's variables as they are, the tools' behind them, layers' switches.

import functools
import re

from cairn_testing import *

EXPECTED = pathlib.Path(__file__).parent / "expected"

# What the tool `offers` adds, in its order. The switch of its layer comes last.
CONTROLS = ["limit", "title", "fixed", "colour", "active"]
CLASSES = ["state", "level", "size", "percentage", "highwatermark", "lowwatermark", "counter", "aggregate", "timer", "generic"]
BINDINGS = ["comm", "datatype", "errhandler", "file", "group", "op", "request", "win", "message", "info"]


@functools.cache
def lists(mpi, tools, *arguments):
    """What the program `lists` prints, as lines, bare or under layers."""
    result = (run_stacked(mpi, 1, tools, mpi.program("lists"), *arguments) if tools
              else run(*mpi.mpirun(1), mpi.program("lists"), *arguments))
    assert result.code == 0, result.err
    assert warnings(result.err) == []
    return result.out.splitlines()


def entries(lines, kind):
    return [line for line in lines if line.startswith(kind + " ")]


def names(lines):
    """{name: index}; variables that answer with an error have no name."""
    found = (re.match(r"\w+ (\d+) (?:MPI_SUCCESS )?([^ ]+) \(", line) for line in lines)
    return {match[2]: int(match[1]) for match in found if match}


def warnings(err):
    return re.findall(r"^cairn: warning: (.*)$", err, re.MULTILINE)


@pytest.mark.parametrize("arguments", [(), ("early",)], ids=["after MPI_Init", "before MPI_Init"])
def test_layers_without_variables_change_nothing(mpi, arguments):
    assert lists(mpi, (mpi.tool("threads_counter"),) * 2, *arguments) == lists(mpi, (), *arguments)


def test_what_tools_have_initialized_is_not_the_programs(mpi, tmp_path):
    """A program that has finalized MPI_T, or finalizes it without having initialized it, gets the codes that it gets without tools, and takes nothing from them."""
    policy = tmp_path / "own.policy"
    policy.write_text('rule "looks"\n  every 1 calls of MPI_Comm_rank\n  note "{offers_counter}"\n')
    bare = run(*mpi.mpirun(1), mpi.program("uninitialized"))
    tools = f"{mpi.tool('offers')},policy=file:{policy}:table:off,vars=table:off"
    stacked = run(*mpi.mpirun(1), CAIRN, "run", "--out", tmp_path / "out", "--tools", tools, mpi.program("uninitialized"))
    assert (stacked.code, stacked.out, stacked.err) == (bare.code, bare.out, "")
    assert bare.out.count("MPI_T_ERR_NOT_INITIALIZED") == 15 + 2
    assert [event["kind"] for event in json.loads((tmp_path / "out/policy.json").read_text())["events"]] == ["note"]
    assert "offers_counter" in {variable["name"] for variable in json.loads((tmp_path / "out/vars.json").read_text())["variables"]}


def test_each_tool_is_told_its_thread_level(mpi, tmp_path):
    """Open MPI tells only whoever initializes MPI_T first."""
    done = run_stacked(mpi, 1, ["vars=table:off:thread:on:every:10ms"] * 2, mpi.program("uninitialized"), out=tmp_path)
    assert (done.code, done.err) == (0, "")
    for name in ("vars.json", "vars.2.json"):
        assert json.loads((tmp_path / name).read_text())["sampling"]["by"] == "thread"


@pytest.mark.parametrize("kind", ["cvar", "pvar", "category"])
def test_the_library_comes_first_and_unchanged(mpi, kind):
    bare, stacked = (entries(lists(mpi, tools), kind) for tools in [(), (mpi.tool("offers"),)])
    assert stacked[: len(bare)] == bare


def test_own_variables_come_behind_it(mpi):
    bare, stacked = (lists(mpi, tools) for tools in [(), (mpi.tool("offers"),)])
    own = {kind: list(names(entries(stacked, kind)[len(entries(bare, kind)):])) for kind in ["cvar", "pvar", "category"]}
    assert own["cvar"] == [f"offers_{name}" for name in CONTROLS]
    assert own["pvar"] == [f"offers_{name}" for name in CLASSES] + [f"offers_bound_{name}" for name in BINDINGS]
    assert own["category"] == ["cairn", "offers", "offers_classes", "offers_texts", "offers_bound"]


def test_categories_hold_what_belongs_to_them(mpi):
    stacked = lists(mpi, (mpi.tool("offers"),))
    index = {kind: names(entries(stacked, kind)) for kind in ["cvar", "pvar", "category"]}

    def members(category):
        line = next(line for line in entries(stacked, "category") if f" {category} (" in line)
        fields = re.search(r"cvars([ \d]*) pvars([ \d]*) categories([ \d]*)$", line).groups()
        numbers = [[int(number) for number in field.split()] for field in fields]
        return [[name for name, i in index[kind].items() if i in some] for kind, some in zip(index, numbers)]

    assert members("cairn") == [[], [], ["offers"]]
    assert members("offers") == [["offers_limit", "offers_fixed", "offers_colour", "offers_active"], [],
                                 ["offers_classes", "offers_texts"]]
    assert members("offers_texts") == [["offers_title"], [], []]
    assert members("offers_classes") == [[], [f"offers_{name}" for name in CLASSES], ["offers_bound"]]
    assert members("offers_bound") == [[], [f"offers_bound_{name}" for name in BINDINGS], []]


def test_indices_stay_when_the_library_adds_variables_in_MPI_Init(mpi):
    bare, stacked = (lists(mpi, tools, "early") for tools in [(), (mpi.tool("offers"),)])
    cut = stacked.index("MPI_Init")
    before, after = (names(entries(part, "cvar")) for part in [stacked[:cut], stacked[cut:]])
    assert {name: after[name] for name in before if name in after} == {name: before[name] for name in before if name in after}
    assert before["offers_limit"] == len(entries(bare[: bare.index("MPI_Init")], "cvar"))
    assert set(names(bare)) == {name for name in names(stacked) if not name.startswith(("offers", "cairn"))}
    if mpi.id == "openmpi":  # 1259, then 1282 on Debian's
        assert len(after) != len(before)


def test_every_kind_of_variable_does_what_the_standard_says(mpi):
    result = run_stacked(mpi, 1, [mpi.tool("offers")], mpi.program("use"))
    assert (result.out, result.err, result.code) == ((EXPECTED / "use.txt").read_text(), "", 0)


def test_a_text_that_is_too_long_or_not_wanted_is_refused(mpi):
    result = run_stacked(mpi, 1, [mpi.tool("titled")], mpi.program("write_text"), "titled_title", "seven", "far too long", "no", "")
    assert (result.out.splitlines(), result.code) == (
        ["8: longer ", "seven: MPI_SUCCESS, is 'seven'", "far too long: MPI_T_ERR_INVALID, is 'seven'",
         "no: MPI_T_ERR_INVALID, is 'seven'", ": MPI_SUCCESS, is ''"], 0)


POLICY = SOURCE / "bench" / "policies" / "counted.policy"


def test_whatever_is_written_is_kept_or_refused_and_makes_no_file(mpi, tmp_path):
    """Of every control variable of the tools, by a program that writes without knowing what it writes."""
    ours = {"profile": "table:off", "vars": "table:off", "comm": "table:off", "where": "hang:600s", "waits": "table:off", "trace": "limit:0",
            "steer": "every:8", "policy": f"table:off:file:{POLICY}", "usage": f"to:{tmp_path}/usage"}
    others = ["titled", "offers", "ranged"]
    tools = [f"{tool}={options}" for tool, options in ours.items()] + [mpi.tool(tool) for tool in others]

    def files_after(*prefixes):
        folder = tmp_path / prefixes[0]
        folder.mkdir()
        result = run_stacked(mpi, 2, tools, mpi.program("any_value"), *prefixes, out=folder / "out", cwd=folder)
        assert (result.out, result.code) == ("", 0)
        assert warnings(result.err) == []
        return sorted(path.relative_to(folder) for path in folder.rglob("*"))

    assert files_after(*ours, *others) == files_after("none")


def test_a_range_a_setter_s_answer_and_what_may_not_be_set_are_told_by_code(mpi):
    result = run_stacked(mpi, 1, [mpi.tool("ranged")], mpi.program("switch"), "ranged_some", "ranged_busy", "ranged_locked")
    assert result.out.splitlines() == [
        "ranged_some: MPI_SUCCESS", "  0: MPI_T_ERR_INVALID, is 1", "  1: MPI_SUCCESS, is 1", "  2: MPI_SUCCESS, is 2",
        "ranged_busy: MPI_SUCCESS", *[f"  {i}: MPI_T_ERR_CVAR_SET_NOT_NOW, is 7" for i in range(3)],
        "ranged_locked: MPI_SUCCESS", *[f"  {i}: MPI_T_ERR_CVAR_SET_NEVER, is 3" for i in range(3)]]


def test_under_other_layers_the_same(mpi):
    tools = [mpi.tool("threads_counter"), mpi.tool("offers"), mpi.tool("threads_counter")]
    result = run_stacked(mpi, 1, tools, mpi.program("use"))
    assert (result.out, result.code) == ((EXPECTED / "use.txt").read_text(), 0)


def test_what_cannot_be_offered_is_said(mpi):
    tool = mpi.tool("mistakes")
    result = run_stacked(mpi, 1, [tool], mpi.program("switch"), "mistakes_active")
    expected = (EXPECTED / "mistakes.txt").read_text().format(tool=tool).splitlines()
    assert warnings(result.err) == [f"tool '{tool}': {line}" for line in expected]
    assert result.err.count(f"cairn:   asked for by: --tools {tool}\n") == len(expected)
    assert result.err.splitlines()[-1] == "refused 19 of 23"
    assert result.out.splitlines()[0] == "mistakes_active: MPI_SUCCESS"


def test_of_two_layers_with_one_name_the_outer_one_is_refused(mpi):
    tool = f"{mpi.tool('offers')}=full:shared"
    result = run_stacked(mpi, 1, [tool, tool], mpi.program("switch"), "shared", "offers.2_active")
    assert warnings(result.err) == [f"tool '{mpi.tool('offers')}': its control variable 'shared' is not offered: "
                                    f"tool '{mpi.tool('offers')}' already offers one of that name"]
    assert [line for line in result.out.splitlines() if "_active" in line or "shared" in line] == [
        "shared: MPI_SUCCESS", "offers.2_active: MPI_SUCCESS"]


def test_a_name_of_the_library_stays_the_librarys(mpi):
    name = {"openmpi": "mpi_yield_when_idle", "mpich": "MPIR_CVAR_BCAST_MIN_PROCS"}[mpi.id]
    tool = mpi.tool("offers")
    bare = lists(mpi, ())
    result = run_stacked(mpi, 1, [f"{tool}=full:{name}"], mpi.program("lists"))
    assert warnings(result.err) == [
        f"tool '{tool}': its control variable '{name}' is not offered: the MPI library already has one of that name"]
    assert result.out.splitlines()[: len(entries(bare, "cvar"))] == entries(bare, "cvar")


def test_a_layer_is_switched_off_and_on_by_its_control_variable(mpi, tmp_path):
    result = run_stacked(mpi, 1, ["profile=table:off"], mpi.program("switch"), "profile_active", out=tmp_path)
    assert result.out.splitlines() == ["profile_active: MPI_SUCCESS", "  0: MPI_SUCCESS, is 0", "  1: MPI_SUCCESS, is 1",
                                       "  2: MPI_T_ERR_INVALID, is 1"]
    assert read_profile(tmp_path)["MPI_Comm_rank"]["calls"] == 20  # of 30: ten while it was off


def test_filters_of_a_layer_are_switched_off_and_on_by_its_control_variable(mpi, tmp_path):
    """Each of the first one's filters alone would keep the calls from it; a layer without filters, or with those of its switch alone, has no such variable."""
    filters = ["ranks:7:from:1h:phase:7:region:nowhere:comms:self:not:MPI_Comm_rank", "comms:self", "functions:MPI_Send"]
    layers = [f"profile=table:off@{words}" for words in filters] + ["profile=table:off", "profile=table:off@active:off:pcontrol:on:signal:USR1"]
    names = ["profile_filters", "profile.2_filters", "profile.3_filters"]
    without = ["profile.4_filters", "profile.5_filters"]
    result = run_stacked(mpi, 1, layers, mpi.program("switch"), *names, *without, out=tmp_path)
    answers = ["  0: MPI_SUCCESS, is 0", "  1: MPI_SUCCESS, is 1", "  2: MPI_T_ERR_INVALID, is 1"]
    assert result.out.splitlines() == [line for name in names for line in (f"{name}: MPI_SUCCESS", *answers)] + [f"{name}: MPI_T_ERR_INVALID_NAME" for name in without]
    assert [read_profile(tmp_path, instance)["MPI_Comm_rank"]["calls"] for instance in (1, 2, 3)] == [10, 10, 10]  # of 90: while they were out of force


def test_each_of_two_layers_has_its_own_switch(mpi, tmp_path):
    def counted(switch):
        folder = tmp_path / switch
        result = run_stacked(mpi, 1, ["profile=table:off"] * 2, mpi.program("switch"), switch, out=folder)
        assert result.code == 0, result.err
        return [read_profile(folder, instance)["MPI_Comm_rank"]["calls"] for instance in [1, 2]]

    outer_off, inner_off = counted("profile_active"), counted("profile.2_active")
    assert [outer_off[0], inner_off[0]] == [20, 30]
    assert outer_off[1] - inner_off[1] == 10  # the inner layer also sees what the outer one asks for its report


@pytest.mark.parametrize("setting, answer", [(None, "MPI_T_ERR_INVALID_NAME"), ("0", "MPI_T_ERR_INVALID_NAME"), ("1", "MPI_SUCCESS")])
def test_switches_of_tools_without_variables_are_listed_when_asked_for(mpi, setting, answer):
    result = run_stacked(mpi, 1, [mpi.tool("threads_counter")], mpi.program("switch"), "threads_counter_active",
                         CAIRN_SWITCHES=setting)
    assert result.out.splitlines()[0] == f"threads_counter_active: {answer}"


def test_profile_offers_its_totals_and_switches(mpi):
    lines = lists(mpi, ("profile=table:off:top:3",))
    assert [name for name in names(entries(lines, "cvar")) if name.startswith("profile")] == [
        "profile_top", "profile_table", "profile_active"]
    assert [name for name in names(entries(lines, "pvar")) if name.startswith("profile")] == [
        "profile_calls", "profile_bytes_sent", "profile_time"]
    assert next(line for line in lines if "profile_top" in line).endswith("[1] MPI_SUCCESS 3")


def test_threads_read_while_a_tool_adds(mpi):
    result = run_stacked(mpi, 1, [mpi.tool("adder")] * 2, mpi.program("readers"))
    assert (result.out, result.err, result.code) == ("last: 1\n", "", 0)


def test_variables_cost_a_program_without_MPI_T_nothing(mpi):
    """No variable is looked at, and no message is said, where MPI_T is never started."""
    result = run_stacked(mpi, 2, [f"{mpi.tool('offers')}=full:mpi_yield_when_idle"], mpi.program("ring_c"))
    assert (result.err, result.code) == ("", 0)
