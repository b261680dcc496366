# SPDX-License-Identifier: BSD-3-Clause
# test_needs.py - tools that need services which nobody, somebody else, or too many offer.

from cairn_testing import *


def messages(mpi, *names):
    tools = [mpi.tool(f"services/{name}") for name in names]
    result = run_stacked(mpi, 2, tools, mpi.program("ring_c"))
    assert result.code == 0, result.err
    return result.err.replace(str(mpi.folder) + "/services/", "")


def asked_for(*names):
    return "cairn:   asked for by: --tools " + ",".join(f"{name}.so" for name in names)


def test_a_service_that_nobody_offers(mpi):
    assert messages(mpi, "needs_nothing_there") == (
        "cairn: error: tool 'needs_nothing_there.so' not loaded: it needs the service 'mine.numbers' version 1, "
        "which no layer below it offers\n"
        f"{asked_for('needs_nothing_there')}\n"
        "cairn:   try: a tool that offers 'mine.numbers', named after it\n")


def test_a_service_that_only_a_layer_above_offers(mpi):
    assert "which no layer below it offers" in messages(mpi, "offers", "needs_nothing_there")


def test_a_service_in_another_version(mpi):
    assert messages(mpi, "needs_version_2", "offers") == (
        "cairn: error: tool 'needs_version_2.so' not loaded: it needs the service 'mine.numbers' version 2, "
        "but tool 'offers.so' offers version 1\n"
        f"{asked_for('needs_version_2', 'offers')}\n"
        "cairn:   try: a tool that offers that version, named after it\n")


def test_a_service_of_cairn_in_another_version(mpi):
    assert messages(mpi, "needs_bundled_version_7") == (
        "cairn: error: tool 'needs_bundled_version_7.so' not loaded: it needs the service 'cairn.ranks' version 7, "
        "but tool 'cairn.ranks' offers version 1\n"
        f"{asked_for('needs_bundled_version_7')}\n"
        "cairn:   try: a tool that offers that version, named after it\n")


def test_a_tool_may_offer_a_service_of_cairn_itself(mpi):
    assert messages(mpi, "needs_bundled_version_7", "offers_ranks") == ""


def test_a_service_is_no_path(mpi):
    assert "it needs the service '../cairn.ranks' version 1, which no layer below it offers" in messages(mpi, "needs_a_path")


def test_a_service_offered_twice_by_one_tool(mpi):
    assert messages(mpi, "offers_twice") == (
        "cairn: error: tool 'offers_twice.so': it offers the service 'mine.numbers' version 1 twice\n"
        f"{asked_for('offers_twice')}\n"
        "cairn: error: tool 'offers_twice.so' not loaded: it refused to start\n"
        f"{asked_for('offers_twice')}\n")


def test_what_a_refused_tool_has_offered_is_not_found(mpi):
    assert "tool 'finds.so' not loaded: it needs the service 'mine.numbers' version 1, which no layer below it offers" in messages(
        mpi, "finds", "offers_twice")


def test_the_nearest_of_several_offers_is_found_at_once_by_all_above(mpi):
    assert messages(mpi, "finds", "offers", "finds", "offers") == "found 42\n" * 4


@pytest.mark.parametrize("name, wanted", [
    ("job", "'cairn.job' in version 3 with 80 bytes, but tool 'engine' offers it with 72"),
    ("run", "'cairn.run' in version 3 with 32 bytes, but tool 'cairn' offers it with 24"),
    ("version", "'cairn.job' in version 99, but tool 'engine' offers version 3")])
def test_a_tool_built_with_the_headers_of_a_later_cairn(mpi, name, wanted):
    """Their idea of a service has a function that is not there; calling it would end in a crash."""
    assert messages(mpi, f"later_{name}") == (
        f"cairn: error: tool 'later_{name}.so' not loaded: it wants the service {wanted}: one of them was built with another Cairn's headers\n"
        f"{asked_for(f'later_{name}')}\n"
        "cairn:   try: building the tool with the headers of the Cairn that runs it\n")
