# SPDX-License-Identifier: BSD-3-Clause
"""A run's tables, and several runs side by side."""

from __future__ import annotations

import json
import os
import pathlib
import re
import shutil
import subprocess
from typing import Any, Dict, Iterable, List, Optional, Sequence, Tuple, Union

import pandas

Folder = Union[str, "os.PathLike[str]"]

_NUMBERS = ("count", "bytes", "number", "seconds", "fraction")


class Error(Exception):
    """What the command ``cairn`` says, or that there is none."""


def _command() -> str:
    """``$CAIRN``, the one on PATH, or the one of the installation that this module is in."""
    named = os.environ.get("CAIRN") or shutil.which("cairn")
    if named:
        return named
    for folder in pathlib.Path(__file__).resolve().parents:
        if (folder / "bin" / "cairn").is_file():
            return str(folder / "bin" / "cairn")
    raise Error("the command 'cairn' is not on PATH; its path can be given as the environment variable CAIRN")


def _report(folder: pathlib.Path) -> Dict[str, Any]:
    done = subprocess.run([_command(), "report", str(folder), "--json", "-"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, check=False)
    if done.returncode != 0:
        raise Error(done.stderr.strip())
    report: Dict[str, Any] = json.loads(done.stdout)
    return report


def _frame(table: Dict[str, Any]) -> pandas.DataFrame:
    keys = [column["key"] for column in table["columns"]]
    # Rows may have more than is shown: sums behind a mean, for example.
    keys += sorted({key for row in table["rows"] for key in row} - set(keys))
    frame = pandas.DataFrame(table["rows"], columns=keys)
    for column in table["columns"]:
        if column["kind"] in _NUMBERS:
            frame[column["key"]] = pandas.to_numeric(frame[column["key"]], errors="coerce")
    return frame


def _end_of(ranks: str) -> int:
    """One more than the highest of a list of ranks, as the files have it: "0-3,8-12:2"; 0 if there is none."""
    return max((int(number) + 1 for number in re.findall(r"\d+", re.sub(r":\d+", "", ranks))), default=0)


class Run:
    """One run's results. Tables that the run does not have are empty; figures that it does not have are None."""

    def __init__(self, folder: Folder):
        self.folder = pathlib.Path(folder)
        self._report = _report(self.folder)
        self._profile: Optional[Dict[str, Any]] = self._read("profile.json")

    def _read(self, name: str) -> Optional[Dict[str, Any]]:
        try:
            content: Dict[str, Any] = json.loads((self.folder / name).read_text())
        except (OSError, ValueError):
            return None
        return content

    def __repr__(self) -> str:
        return f"<cairn.Run {self.title!r} in {str(self.folder)!r}>"

    @property
    def title(self) -> str:
        """Program and number of ranks, in words."""
        return str(self._report["title"])

    @property
    def info(self) -> Dict[str, str]:
        """Program, MPI library, start, host, tools, in words."""
        return dict(self._report["run"])

    @property
    def warnings(self) -> List[str]:
        """What could not be read, and why."""
        return [warning if isinstance(warning, str) else json.dumps(warning) for warning in self._report["warnings"]]

    @property
    def ranks(self) -> Optional[int]:
        """Of MPI_COMM_WORLD, whatever tools they have: the most that a file of the run knows of."""
        run = self._read("run.json") or {}
        known = [int(file["ranks"]) for file in (self._profile, self._read("comm/comm.json")) if file and "ranks" in file]
        known += [_end_of(entry["ranks"]) for key in ("places", "missing") for entry in run.get(key, [])]
        return max(known, default=0) or None

    @property
    def profiled_ranks(self) -> Optional[int]:
        """Those that had `profile`: the figures of `over_ranks` and the tables of `profile` are theirs."""
        return int(self._profile["ranks"]) if self._profile and "ranks" in self._profile else None

    def over_ranks(self, figure: str) -> Optional[Dict[str, float]]:
        """`run_time_s`, `mpi_time_s` or `own_time_s` of profile.json: {"total", "mean", "min", "max"} over ranks, in seconds."""
        return dict(self._profile[figure]) if self._profile and figure in self._profile else None

    def tables(self) -> List[Tuple[str, int, str]]:
        """(tool, instance, table) of all that there are."""
        return [(section["tool"], int(section.get("instance", 1)), name)
                for section in self._report["sections"] for name in section["tables"]]

    def table(self, tool: str, name: str, instance: int = 1) -> pandas.DataFrame:
        """A table of `cairn report --json`; docs/report.md and the tools' READMEs say what its columns are."""
        for section in self._report["sections"]:
            if section["tool"] == tool and int(section.get("instance", 1)) == instance and name in section["tables"]:
                return _frame(section["tables"][name])
        return pandas.DataFrame()

    @property
    def functions(self) -> pandas.DataFrame:
        """Calls, time and bytes by MPI function (`profile`)."""
        return self.table("profile", "functions")

    @property
    def callsites(self) -> pandas.DataFrame:
        """The same by call site (`profile`)."""
        return self.table("profile", "callsites")

    @property
    def regions(self) -> pandas.DataFrame:
        """Time in and out of MPI by region of the program (`profile`)."""
        return self.table("profile", "regions")

    @property
    def communicators(self) -> pandas.DataFrame:
        """Calls, bytes and time by communicator (`profile`)."""
        return self.table("profile", "communicators")

    @property
    def pairs(self) -> pandas.DataFrame:
        """Bytes and messages of each pair of ranks that communicated (`comm`)."""
        return self.table("comm", "pairs")

    @property
    def variables(self) -> pandas.DataFrame:
        """What calls did to performance variables (`vars`)."""
        return self.table("vars", "changes")

    @property
    def findings(self) -> pandas.DataFrame:
        """What `cairn advise` finds, the dearest first."""
        return pandas.DataFrame(self._report["findings"], columns=["title", "kind", "place", "ranks", "cost_s", "cost_share", "gain_s", "predicted_run_s", "measured", "sure", "evidence", "remedy"])

    @property
    def efficiency(self) -> pandas.Series:
        """Parallel efficiency and its factors, by name; what the run's tools cannot tell is not a number."""
        return pandas.Series(self._report["efficiency"], dtype=float)

    @property
    def lines(self) -> pandas.DataFrame:
        """The figures that the report puts into sentences, by tool."""
        rows = [{"tool": section["tool"], **line} for section in self._report["sections"] for line in section["lines"]]
        return pandas.DataFrame(rows, columns=["tool", "figure", "subject", "sentence"])

    def matrix(self, of: str = "bytes") -> pandas.DataFrame:
        """Who sent how much to whom: senders by receivers. `of` is a column of `pairs`: bytes, messages, p2p_bytes, …"""
        pairs = self.pairs
        if pairs.empty:
            return pandas.DataFrame()
        everyone = range(max(self.ranks or 0, int(pairs[["from", "to"]].to_numpy().max()) + 1))
        return pairs.pivot_table(index="from", columns="to", values=of, aggfunc="sum").reindex(index=everyone, columns=everyone).fillna(0)

    def hatchet(self) -> List[Dict[str, Any]]:
        """The calls as Hatchet's literal (hatchet.GraphFrame.from_literal): callers above, MPI functions below, seconds of all ranks."""
        places: Dict[str, List[Dict[str, Any]]] = {}
        for row in self.callsites.to_dict("records"):
            leaf = {"frame": {"name": row["function"], "type": "function", "file": row.get("file"), "line": row.get("line")},
                    "metrics": {"time": float(row["time_total_s"]), "time (inc)": float(row["time_total_s"]), "calls": int(row["calls"])}}
            places.setdefault(str(row.get("caller") or "unknown"), []).append(leaf)
        children = [{"frame": {"name": caller, "type": "function"}, "children": leaves,
                     "metrics": {"time": 0.0, "time (inc)": sum(leaf["metrics"]["time"] for leaf in leaves), "calls": 0}}
                    for caller, leaves in places.items()]
        own, whole = self.over_ranks("own_time_s"), self.over_ranks("run_time_s")
        return [{"frame": {"name": self._program(), "type": "function"}, "children": children,
                 "metrics": {"time": own["total"] if own else 0.0, "time (inc)": whole["total"] if whole else 0.0, "calls": self.profiled_ranks or 0}}]

    def _program(self) -> str:
        return pathlib.Path(self.info.get("program", "")).name


def open(folder: Folder) -> Run:  # pylint: disable=redefined-builtin
    """The run whose results are in this folder. Raises Error with the command's message if they cannot be read."""
    return Run(folder)


def _efficiency(run: Run) -> Dict[str, Any]:
    own, whole, mpi, start = (run.over_ranks(figure) for figure in ("own_time_s", "run_time_s", "mpi_time_s", "start_time_s"))
    row: Dict[str, Any] = {"program": run._program(), "ranks": run.ranks, "profiled_ranks": run.profiled_ranks, "folder": str(run.folder)}
    if own and whole and mpi and start:
        run_s = whole["max"] - start["mean"]
        row.update(run_s=run_s, mpi_share=(mpi["mean"] - start["mean"]) / (whole["mean"] - start["mean"]), computation_s=own["total"],
                   parallel_efficiency=own["mean"] / run_s, load_balance=own["mean"] / own["max"],
                   communication_efficiency=own["max"] / run_s)
    return row


def compare(runs: Iterable[Run], scaling: str = "strong") -> pandas.DataFrame:
    """A row for each run, by ranks, with efficiency as POP defines it and its change from the run with fewest ranks.

    MPI_Init is left out of all figures, as in the report. Time outside MPI counts as computation, which says something only of programs
    with one thread per rank. `computation_scalability` is the computation of all ranks in the first run over that in this one; with
    `scaling="weak"` of an average rank. `global_efficiency` is parallel efficiency times computation scalability; `speedup` is the
    first run's time over this one's.
    """
    if scaling not in ("strong", "weak"):
        raise ValueError(f"scaling is 'strong' or 'weak', not {scaling!r}")
    frame = pandas.DataFrame([_efficiency(run) for run in runs])
    if frame.empty or "run_s" not in frame:
        return frame
    frame = frame.sort_values("ranks", kind="stable").reset_index(drop=True)
    work = frame["computation_s"] if scaling == "strong" else frame["computation_s"] / frame["profiled_ranks"]
    frame["computation_scalability"] = work.iloc[0] / work
    frame["global_efficiency"] = frame["parallel_efficiency"] * frame["computation_scalability"]
    frame["speedup"] = frame["run_s"].iloc[0] / frame["run_s"]
    return frame


def write_extrap(runs: Sequence[Run], path: Folder, parameters: Optional[Sequence[Dict[str, float]]] = None) -> None:
    """Writes the runs' time by MPI function and outside MPI as Extra-P's JSON lines.

    `parameters`: a dictionary for each run, by default {"p": ranks}. Several runs with the same parameters are repetitions.
    """
    if parameters is None:
        parameters = [{"p": float(run.ranks or 0)} for run in runs]
    if len(parameters) != len(runs):
        raise ValueError(f"{len(runs)} runs, but parameters of {len(parameters)}")
    lines: List[str] = []
    for run, where in zip(runs, parameters):
        own = run.over_ranks("own_time_s")
        values = [(f"{run._program()}->{row['name']}", row["time_mean_s"]) for row in run.functions.to_dict("records")]
        if own:
            values.append((run._program(), own["mean"]))
        lines += [json.dumps({"params": dict(where), "callpath": place, "metric": "time", "value": float(value)}) for place, value in values]
    pathlib.Path(path).write_text("".join(line + "\n" for line in lines))
