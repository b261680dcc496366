# SPDX-License-Identifier: BSD-3-Clause
# test_helper_library.py - tools whose wrappers call into a library of their own that does the work.

import pytest


FOUND_BY = {"front_a": "RUNPATH $ORIGIN", "absolute": "absolute RUNPATH", "old_dtags": "RPATH"}


@pytest.mark.parametrize("tool", FOUND_BY, ids=FOUND_BY.get)
def test_one_instance_works(watch, tool):
    watch([f"helper_library/{tool}"]).assert_each_saw_the_ring(tool)


@pytest.mark.parametrize("tool", FOUND_BY, ids=FOUND_BY.get)
def test_three_instances_have_a_helper_each(watch, tool):
    watch([f"helper_library/{tool}"] * 3).assert_each_saw_the_ring(tool, tool, tool)


def test_two_tools_with_the_same_helper_have_one_each(watch):
    watch(["helper_library/front_a", "plain/counter", "helper_library/front_b"]).assert_each_saw_the_ring(
        "front_a", "counter", "front_b")


def test_four_tools_with_helpers_of_the_same_name_and_others_mix(watch):
    tools = ["front_b", "absolute", "front_a", "old_dtags", "front_b", "absolute"]
    watch([f"helper_library/{tool}" for tool in tools]).assert_each_saw_the_ring(*tools)
