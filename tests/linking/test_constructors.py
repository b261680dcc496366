# SPDX-License-Identifier: BSD-3-Clause
# test_constructors.py - tools that do something when they are loaded and when the process ends.

import pytest


@pytest.mark.parametrize("instances", [1, 3])
def test_constructor_and_destructor_run_once_per_instance(watch, instances):
    watched = watch(["constructors/constructors"] * instances)
    watched.assert_each_saw_the_ring(*["constructors"] * instances)
    constructed = [line for line in watched.lines if line.startswith("constructed")]
    destroyed = [line for line in watched.lines if line.startswith("destroyed")]
    processes = {line.split()[1].rstrip(":") for line in constructed}
    assert len(processes) == 2
    for process in processes:
        right = f"constructed {process}: lifetimes 1, results 0 0, initialized 0, version is right"
        assert constructed.count(right) == instances
        assert destroyed.count(f"destroyed {process}: lifetimes 0") == instances
    assert (len(constructed), len(destroyed)) == (2 * instances, 2 * instances)
