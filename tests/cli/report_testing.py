# SPDX-License-Identifier: BSD-3-Clause
# report_testing.py - what tests of `cairn report` share: small runs' folders, written here.

import json

from cli_testing import CAIRN, error, run

TRY_FOLDER = "the folder that 'cairn run' wrote: that of --out, or cairn-PROGRAM-DATE-TIME"
TRY_TO_THE_END = "a run that reaches MPI_Finalize and may write into its folder"
TRY_RUN_AGAIN = "running the program again with 'cairn run'"


def report(*words, **more):
    return run(CAIRN, "report", *words, **more)


def fails(folder, text, remedy):
    result = report(folder)
    assert (result.code, result.out, result.err) == (125, "", error(text, remedy=remedy))


def profile_text(**changes):
    """A small profile.json: one rank in MPI_Barrier for a second of two."""
    amounts = {"calls": 4, "bytes_sent": 0, "time_s": {"total": 1, "mean": 1, "min": 1, "max": 1}, "imbalance": 0,
               "calls_by_time_s": [[0.5, 4]], "calls_by_bytes_sent": [[1, 4]]}
    site = {"function": "MPI_Barrier", "file": "/src/a.c", "line": 7, "caller": "work", "object": "/bin/a", "offset": 9}
    profile = {"format": "cairn-profile 1", "program": "/bin/a", "ranks": 1,
               "run_time_s": {"total": 2, "mean": 2, "min": 2, "max": 2},
               "mpi_time_s": {"total": 1, "mean": 1, "min": 1, "max": 1},
               "functions": [{"name": "MPI_Barrier", **amounts}], "callsites": [{**site, **amounts}]}
    return json.dumps({**profile, **changes})


def run_text(*tools, **more):
    return json.dumps({"format": "cairn-run 1", "program": "/bin/a", "started": "now", "host": "here", "mpi": "Some MPI 1",
                       "tools": [{"tool": tool, "options": {}} for tool in tools], **more})


def made(folder, **files):
    """A run's folder: made(path, run=..., profile=..., profile_2=...)."""
    folder.mkdir(exist_ok=True)
    for name, text in files.items():
        content = text if isinstance(text, bytes) else text.encode()
        (folder / (name.replace("_", ".") + ".json")).write_bytes(content)
    return folder
