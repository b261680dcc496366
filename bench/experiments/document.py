# SPDX-License-Identifier: BSD-3-Clause
# document.py - what was measured, as Markdown: on the terminal, and between the marks in docs/experiments.md.

import re


def claim_table(claims):
    rows = ["| claim | paper | here | verdict |", "|---|---|---|---|"]
    return "\n".join([*rows, *(f"| {one.what} | {one.paper} | {one.ours} | {one.verdict} |" for one in claims)])


def measured_line(where):
    loads = [f"{load:.1f}" for load in where["loads"]]
    return (f"{where['date'].replace('T', ' ')}, {where['versions']['cairn']}; load {loads[0]} at the beginning"
            + (f", {loads[-1]} at the end" if len(loads) > 1 else "") + f"; {where['seconds']:.0f} s")


def machine_text(wheres):
    where = wheres[0]
    machine, versions = where["machine"], where["versions"]
    return (f"{machine['cpu']}, {machine['cores']} cores; {machine['system']}; {versions['compiler']}, {versions['build']}; {', '.join(versions['libraries'])}; "
            f"{versions['valgrind']}. {len(wheres)} experiments took {sum(each['seconds'] for each in wheres) / 60:.0f} minutes.")


def section(result, where, picture):
    return "\n\n".join([f"Measured {measured_line(where)}.", claim_table(result.claims), result.tables, f"![plot](experiments/{picture})"])


def replaced(text, name, content):
    """The page with what stands between the marks of `name` replaced."""
    marks = re.compile(rf"(<!-- measured: {name} -->\n).*?(<!-- end of {name} -->)", re.S)
    page, count = marks.subn(lambda match: f"{match[1]}\n{content}\n\n{match[2]}", text)
    if count != 1:
        raise ValueError(f"docs/experiments.md has {count} places for '{name}', not one")
    return page
