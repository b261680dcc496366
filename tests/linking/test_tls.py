# SPDX-License-Identifier: BSD-3-Clause
# test_tls.py - C tools with thread-local variables.

import os

import pytest

from linking_runs import readelf

MODELS = ["global-dynamic", "local-dynamic", "initial-exec", "descriptors"]


@pytest.mark.parametrize("model", MODELS)
def test_three_instances_have_their_own_variables_in_every_thread(watch, model):
    if not os.path.exists(watch.tool(f"tls/{model}")):
        pytest.skip(f"this machine's compiler has no {model} for thread-local storage")
    watched = watch([f"tls/{model}"] * 3, "threads")
    watched.assert_clean("ok threads: 2 ranks, 4 threads, errors 0\n")
    for rank in (0, 1):
        assert watched.seen(rank) == [("tls", {"calls": 200, "threads_with_50": 4, "main_thread": 0})] * 3


def test_the_models_differ(watch):
    assert "STATIC_TLS" in readelf("--dynamic", watch.tool("tls/initial-exec"))
    assert "STATIC_TLS" not in readelf("--dynamic", watch.tool("tls/global-dynamic"))
