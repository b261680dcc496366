# SPDX-License-Identifier: BSD-3-Clause
# test_mistakes.py - what the compiler says when a class is not quite a tool: in words of the kit, before anything else.

import textwrap

from cairn_testing import *

PARTS = {
    "about": 'static constexpr std::string_view about = "tries";',
    "constructor": "explicit Mine(cairn::Self) {}",
    "handler": "int on(cairn::Call<cairn::Function::MPI_Send_>& call) { return call.proceed(); }",
}


def words(tmp_path, more="", compiler="g++", **parts):
    body = "\n".join({**PARTS, **parts}.values())
    source = tmp_path / "mine.cc"
    source.write_text(textwrap.dedent(f"""
        #include <mpi.h>
        #include "cairn/kit.hpp"
        #include "cairn/kit/per_request.hpp"
        struct Mine {{ {body} {more} }};
        CAIRN_TOOL(Mine)
    """))
    mpi = MPIS[0]
    done = run(compiler, "-std=c++20", "-fsyntax-only", f"-I{SOURCE}/include", "-DOMPI_SKIP_MPICXX",
               f'-DCAIRN_FUNCTIONS="{BUILD}/generated/{mpi.id}/functions.inc"', *(f"-I{f}" for f in mpi.include_folders()), source)
    return done.err


def test_nothing_where_there_is_no_mistake(tmp_path):
    assert words(tmp_path) == ""


MISTAKES = {
    "no about": (dict(about=""), 'a tool says what it does: static constexpr std::string_view about = "..."'),
    "no constructor": (dict(constructor=""), "a tool has a public constructor Tool(cairn::Self)"),
    "options without their constructor": (
        dict(more="struct Options { template <class Visit> constexpr void describe(Visit) {} };"),
        "a tool with Options has a public constructor Tool(cairn::Self, const Options&)"),
    "no handler": (dict(handler=""), "a tool has a public handler on(cairn::Call<F>&) for some MPI function, or finish()"),
    "a handler that returns nothing": (
        dict(handler="void on(cairn::Call<cairn::Function::MPI_Send_>&) {}"),
        "a tool's handler on(cairn::Call<F>&) returns what the MPI function returns: int, for most"),
    "a role that the function lacks": (
        dict(handler="int on(cairn::Call<cairn::Function::MPI_Barrier_>& call) { return arg<cairn::Role::dest>(call); }"),
        "the function has no parameter of this role: test cairn::has<F>(role) first"),
    "data that cannot be kept per request": (
        dict(more="cairn::PerRequest<std::string, Mine> requests{cairn::Self({}), *this};"),
        "what a tool keeps per request is plain data: trivially copyable, and constructible from nothing"),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_said_first_and_in_words(mistake, tmp_path):
    parts, expected = MISTAKES[mistake]
    errors = [line for line in words(tmp_path, **parts).splitlines() if "error:" in line]
    assert expected in errors[0], errors
