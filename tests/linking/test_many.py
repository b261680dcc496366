# SPDX-License-Identifier: BSD-3-Clause
# test_many.py - far more instances of a tool than anybody would use.

import pytest


@pytest.mark.parametrize("count", [100, 200])
def test_every_one_of_many_instances_sees_every_call(watch, count):
    watch(["plain/counter"] * count).assert_each_saw_the_ring(*["counter"] * count)
