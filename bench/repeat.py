#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# repeat.py - repeats the experiments of the papers that Cairn grew from; docs/experiments.md says what they are. `./dev bench experiments` runs it.

import argparse
import importlib
import json
import os
import subprocess
import sys
import time
from pathlib import Path

sys.dont_write_bytecode = True

from bench import built_mpis  # noqa: E402
from experiments import document  # noqa: E402
from experiments.harness import Lab, Missing, circumstances  # noqa: E402
from runs import CannotRun  # noqa: E402

SOURCE = Path(__file__).resolve().parent.parent
NAMES = ("applications", "layers", "broadcast", "latency", "model", "together", "monitoring", "placement", "variables")


def parse_arguments():
    parser = argparse.ArgumentParser(prog="./dev bench experiments", description="Repeats the papers' experiments.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"only these: {', '.join(NAMES)}")
    parser.add_argument("--quick", action="store_true", help="only whether they run: tiny sizes, figures that say nothing")
    parser.add_argument("--write", action="store_true", help="put figures and pictures into docs/experiments.md")
    parser.add_argument("--kept", action="store_true", help="measure nothing: take the figures of the last run")
    parser.add_argument("--mpi", action="append", metavar="MPI", help="only this one: openmpi or mpich; may be repeated")
    parser.add_argument("--build", default=SOURCE / "build", type=Path, metavar="FOLDER", help="the build folder; default: build")
    parser.add_argument("--out", type=Path, metavar="FOLDER", help="where figures and pictures go; default: experiments in the build folder")
    parser.add_argument("--check", action="store_true", help="only whether these words are understood")
    arguments = parser.parse_args()
    if unknown := [name for name in arguments.names if name not in NAMES]:
        refuse(f"there is no experiment '{unknown[0]}'", f"one of {', '.join(NAMES)}")
    if arguments.write and (arguments.quick or arguments.mpi):
        refuse("--write is for whole runs, not with --quick or --mpi", "./dev bench experiments --write")
    return arguments


def refuse(error, remedy):
    print(f"experiments: error: {error}\nexperiments:   try: {remedy}", file=sys.stderr)
    sys.exit(2)


def with_names(value):
    """As JSON has it: keys are text, so numbers become that and are found again."""
    if isinstance(value, dict):
        return {json.dumps(key) if not isinstance(key, str) else key: with_names(each) for key, each in value.items()}
    return [with_names(each) for each in value] if isinstance(value, (list, tuple)) else value


def without_names(value):
    if isinstance(value, dict):
        return {as_number(key): without_names(each) for key, each in value.items()}
    return [without_names(each) for each in value] if isinstance(value, list) else value


def as_number(key):
    return int(key) if key.lstrip("-").isdigit() else key


def measured(experiment, name, lab, out):
    """Measures, and keeps the figures."""
    where = circumstances(lab.build)
    where["versions"]["libraries"] = [library_of(place) for place in lab.places.values()]
    begin = time.monotonic()
    figures = experiment.measure(lab)
    where |= {"seconds": time.monotonic() - begin, "loads": [*where["loads"], os.getloadavg()[0]]}
    file = out / f"{name}.json"
    file.write_text(json.dumps({"experiment": name, "title": experiment.TITLE, "quick": lab.quick, **where, "figures": with_names(figures)}, indent=1) + "\n")
    return read_kept(file)


def library_of(place):
    return place.times_of_one_call()["library"]


def read_kept(file):
    data = json.loads(file.read_text())
    return {key: value for key, value in data.items() if key != "figures"}, without_names(data["figures"])


def show(experiment, name, where, figures, out):
    """Prints the section and draws the picture; returns the section."""
    picture = out / f"{name}.svg"
    experiment.draw(figures, picture)
    text = document.section(experiment.result(figures), where, picture.name)
    print(f"\n{experiment.TITLE} ({name})\n\n{text}\n\nwritten: {out / name}.json, {picture}", flush=True)
    return text


def write(sections, wheres, out):
    page = SOURCE / "docs/experiments.md"
    text = page.read_text()
    if len(sections) == len(NAMES):
        text = document.replaced(text, "machine", document.machine_text(list(wheres.values())))
    for name, section in sections.items():
        text = document.replaced(text, name, section)
        (SOURCE / "docs/experiments" / f"{name}.svg").write_text((out / f"{name}.svg").read_text())
    page.write_text(text)
    print(f"written: {page}")


def main():
    arguments = parse_arguments()
    if arguments.check:
        return 0
    build = arguments.build.resolve()
    out = arguments.out or build / "experiments"
    out.mkdir(parents=True, exist_ok=True)
    lab = Lab(build, arguments.mpi or built_mpis(build), arguments.quick)
    sections, wheres, failed = {}, {}, []
    try:
        for name in arguments.names or NAMES:
            experiment = importlib.import_module(f"experiments.{name}")
            try:
                where, figures = read_kept(out / f"{name}.json") if arguments.kept else measured(experiment, name, lab, out)
            except (CannotRun, Missing, OSError, subprocess.SubprocessError) as error:
                failed.append(name)
                print(f"experiments: '{name}' cannot run: {error}", file=sys.stderr)
                continue
            sections[name], wheres[name] = show(experiment, name, where, figures, out), where
        if arguments.write and sections:
            write(sections, wheres, out)
    finally:
        lab.close()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
