# SPDX-License-Identifier: BSD-3-Clause
# test_preloaded_tool.py - a tool that the user preloads and that is a layer too: the layer is a private copy, with state of
# its own although the preloaded one is first in everybody's scope.

import pytest

from cairn_testing import LIBCAIRN
from linking_runs import RING_OUTPUT

TOOL = "preloaded_tool/both_names"


@pytest.mark.parametrize("tool", [TOOL, TOOL + "_bare"], ids=["with_flags", "without_flags"])
def test_both_instances_see_every_call(watch, tool):
    watched = watch([tool], LD_PRELOAD=watch.tool(tool))
    watched.assert_clean()
    for rank in (0, 1):
        assert watched.seen(rank) == [("both_names", {"MPI_Barrier": 1})] * 2


def test_a_preloaded_tool_and_two_layers_of_it(watch):
    watched = watch([TOOL, TOOL], LD_PRELOAD=watch.tool(TOOL))
    watched.assert_clean()
    assert watched.seen(0) == [("both_names", {"MPI_Barrier": 1})] * 3


def test_by_the_environment_alone(watch):
    watched = watch.bare("ring_c", LD_PRELOAD=f"{LIBCAIRN}:{watch.tool(TOOL)}", CAIRN_TOOLS=watch.tool(TOOL))
    assert (watched.code, watched.out) == (0, RING_OUTPUT)
    assert watched.seen(0) == [("both_names", {"MPI_Barrier": 1})] * 2
