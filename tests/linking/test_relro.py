# SPDX-License-Identifier: BSD-3-Clause
# test_relro.py - tools whose imports lie where the linker's options put them.

import pytest

from linking_runs import readelf


@pytest.mark.parametrize("option", ["now", "lazy", "noplt", "bsymbolic", "hidden", "relr", "large_pages"])
def test_instances_are_linked_whatever_the_linker_option(watch, option):
    tool = f"relro/{option}"
    watch([tool, tool, "plain/counter", tool]).assert_each_saw_the_ring(*["counter"] * 4)


def test_the_options_made_the_difference_they_are_for(watch):
    assert "BIND_NOW" in readelf("--dynamic", watch.tool("relro/now"))
    assert "GNU_RELRO" in readelf("--segments", watch.tool("relro/now"))
    assert "BIND_NOW" not in readelf("--dynamic", watch.tool("relro/lazy"))
    assert "JUMP_SLO" in readelf("--relocs", watch.tool("relro/lazy"))
    assert "JUMP_SLO" not in readelf("--relocs", watch.tool("relro/noplt"))
    assert "SYMBOLIC" in readelf("--dynamic", watch.tool("relro/bsymbolic"))
