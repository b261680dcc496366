#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# scale.py - what jobs of up to 100,000 ranks cost where they are put together, read and shown; docs/scale.md
#
# The jobs never were: scale/scale.cc writes what ranks would have left. Everything else is Cairn's own.

import argparse
import contextlib
import json
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
sys.path.append(str(HERE.parent / "tests" / "web"))

from bench import machine, versions  # noqa: E402
from browser import PROGRAM, Browser  # noqa: E402

SIZES = (1_000, 10_000, 30_000, 100_000)
QUICK_SIZES = (100, 1_000)
MOST_ON_A_NODE = 10_000  # for `cairn live`, which sees one node
SHAPES = ("late", "half", "chain", "ring", "apart")  # who waits for whom, with all ranks on one node
MOST_WITH_SENDERS = 1_000  # ranks on nodes of 64, with a sender each, all on this machine; of more, a process sends for many nodes
CALLS = 1_000  # of each rank, that `waits` analyses
MEMORY = 16 << 30


def parse_arguments():
    parser = argparse.ArgumentParser(description="Measures what jobs of many ranks cost.")
    parser.add_argument("--quick", action="store_true", help="100 and 1,000 ranks only")
    parser.add_argument("--build", default=HERE.parent / "build", type=Path, metavar="FOLDER", help="the build folder; default: build")
    parser.add_argument("--json", type=Path, metavar="FILE", help="where the figures go; default: scale.json in the build folder")
    return parser.parse_args()


def measured(*words, out=subprocess.DEVNULL, accepted=(0,), **environment):
    """Seconds, its own processor seconds without those of what it starts, and the most memory, MB."""
    begin = time.monotonic()
    process = subprocess.Popen([str(word) for word in words], stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.PIPE,
                               env=dict(os.environ, **environment), preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY)))
    complaint = process.stderr.read().decode(errors="replace")
    os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
    seconds = time.monotonic() - begin
    fields = Path(f"/proc/{process.pid}/stat").read_text().rsplit(") ", 1)[1].split()
    own = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in accepted:
        raise RuntimeError(f"'{words[0]}' ended with {process.returncode}: {complaint.strip().splitlines()[-1:]}")
    return {"s": seconds, "own_s": own, "mb": usage.ru_maxrss / 1024}


def megabytes(folder):
    files = [folder] if folder.is_file() else [path for path in folder.rglob("*") if path.is_file()]
    return sum(path.stat().st_size for path in files) / 1e6


def first_paint(page, folder):
    """Of the report in a browser: seconds until something is seen, until all is loaded, and the memory of its script, MB."""
    with Browser(folder) as browser:
        begin = time.monotonic()
        browser.open(page)
        seconds = time.monotonic() - begin
        for _ in range(100):
            painted = browser.value("(performance.getEntriesByName('first-contentful-paint')[0] || {}).startTime || 0")
            if painted:
                break
            time.sleep(0.1)
        begin = time.monotonic()
        browser.value("document.querySelectorAll('nav a, nav button')[1]?.click()")
        browser.value("new Promise(requestAnimationFrame) && document.body.offsetHeight")
        return {"paint_s": painted / 1000, "load_s": seconds, "click_s": time.monotonic() - begin,
                "mb": browser.value("performance.memory.usedJSHeapSize") / 1e6, "problems": len(browser.problems)}


@contextlib.contextmanager
def pages(program, kind, ranks, folder, *shape):
    """Of the job's processes, which all seem to be this one."""
    place = Path(folder) / f"{kind}-{ranks}"
    measured(program, kind, place, ranks, *shape)
    try:
        yield place
    finally:
        shutil.rmtree(place)


def where(build, place):
    """From the first node: all others, if there are any, are asked. A job that waits is told by 1."""
    with tempfile.TemporaryFile() as out:
        figures = measured(build / "bin/cairn", "where", "--timeout", 120, out=out, accepted=(1,), CAIRN_PAGES=str(place / "node100000"))
        out.seek(0)
        text = out.read().decode()
    figures["answer"] = next((line.strip() for line in text.splitlines() if line.startswith("  - ")), "")
    figures["seen"] = "not seen" not in text
    return figures


def live(build, place):
    """A look at all ranks of one node, and what a browser gets."""
    collector = subprocess.Popen([build / "bin/cairn", "live", "--every", "0.1"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True,
                                 env=dict(os.environ, CAIRN_PAGES=str(place / "node100000")))
    try:
        address, token = collector.stdout.readline().strip().split("/#")
        ask = lambda path: asked(address, token, path)

        while len(json.loads(ask("/api/state?after=0")).get("points", [])) < 3:
            time.sleep(0.2)
        begin = time.monotonic()
        state = ask("/api/state?after=0")
        answered = time.monotonic() - begin
        look = re.search(r"^cairn_look_seconds (\S+)$", ask("/metrics").decode(), re.M)
        peak = next(line for line in Path(f"/proc/{collector.pid}/status").read_text().splitlines() if line.startswith("VmHWM"))
        return {"look_s": float(look[1]), "answer_s": answered, "answer_mb": len(state) / 1e6, "mb": int(peak.split()[1]) / 1024}
    finally:
        collector.terminate()
        collector.wait()


def asked(address, token, path):
    return urllib.request.urlopen(urllib.request.Request(address + path, headers={"Authorization": f"Bearer {token}"}), timeout=60).read()


def figures_of(process):
    """Processor seconds, bytes read and written by system calls, and memory, MB."""
    place = Path(f"/proc/{process}")
    words = dict(line.split(": ") for line in (place / "io").read_text().splitlines())
    peak = next(line for line in (place / "status").read_text().splitlines() if line.startswith("VmHWM"))
    processor = sum(int((task / "schedstat").read_text().split()[0]) for task in (place / "task").iterdir()) / 1e9
    return {"s": processor, "written": int(words["wchar"]), "mb": int(peak.split()[1]) / 1024}


def senders_of(place):
    """By their pages' folder."""
    for process in Path("/proc").glob("[0-9]*"):
        try:
            words, around = (process / "cmdline").read_bytes(), (process / "environ").read_bytes()
        except OSError:
            continue
        if b"\0--pages\0" in words and str(place).encode() in around and b"sh\0" not in words[:12]:
            yield int(process.name)


def nodes(build, place, ranks):
    """`cairn live` with a sender on each node; all run here. Between two moments: what one sender and the collector take for a look."""
    together = ranks > MOST_WITH_SENDERS
    every = max(2, ranks // 1500) if together else 1  # s; these cores are to do all senders' work meanwhile
    collector = subprocess.Popen([build / "bin/cairn", "live", "--every", str(every)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True,
                                 env=dict(os.environ, CAIRN_PAGES=str(place / "node100000"), SCALE_SENDER=str(build / "bench/scale") if together else ""))
    try:
        address, token = collector.stdout.readline().strip().split("/#")
        state = lambda: json.loads(asked(address, token, "/api/state?after=0"))
        begin = time.monotonic()
        while state().get("job", {}).get("seen", 0) < ranks:
            if time.monotonic() - begin > max(300, 8 * every):
                raise RuntimeError(f"{state().get('job', {}).get('seen', 0)} of {ranks} ranks are seen")
            time.sleep(0.5)
        found = time.monotonic() - begin
        senders = list(senders_of(place))
        before, first, looks = [figures_of(one) for one in senders], figures_of(collector.pid), state()["next"]
        passed = max(10, 2.5 * every)
        time.sleep(passed)
        after, last, looks = [figures_of(one) for one in senders], figures_of(collector.pid), state()["next"] - looks
        look = re.search(r"^cairn_look_seconds (\S+)$", asked(address, token, "/metrics").decode(), re.M)
        count = max(looks, 1)
        return {"senders": len(senders), "found_s": found, "looks": looks, "look_s": float(look[1]), "collector_s": (last["s"] - first["s"]) / count,
                "collector_mb": last["mb"], "sender_s": sum(b["s"] - a["s"] for a, b in zip(before, after)) / max(len(senders), 1) / passed,
                "sender_mb": max((one["mb"] for one in after), default=0), "first_bytes": sum(one["written"] for one in before) / ranks,
                "bytes": sum(b["written"] - a["written"] for a, b in zip(before, after)) / passed / ranks}
    finally:
        collector.terminate()
        collector.wait()


FRAME = """(() => {
  const [ranks, variables, looks] = [%d, 100, 300];
  const now = Date.now() / 1000;
  vars.all.length = 0;
  addVariables({ ranks, by_rank: ranks <= 16, variables: Array.from({ length: variables }, (_, i) => ({ name: `variable_${i}`, class: "counter", text: "made up", of_tool: true, grows: true })),
    values: Array.from({ length: variables }, () => [1, 2, 3]) });
  drawList();
  for (let i = 0; i < 8; ++i) addChart(i);
  for (const one of vars.charts.values()) one.points = Array.from({ length: looks }, (_, i) => [now - looks + i, i, 2 * i, 3 * i]);
  points.length = 0;
  for (let i = 0; i < looks; ++i) points.push({ number: i, time: now - looks + i, share: [0.1, 0.2, 0.3], shares: [], calls: Array.from({ length: 100 }, () => Math.random()) });
  functions = Array.from({ length: 100 }, (_, i) => `MPI_${i}`);
  const [block, units] = [Math.ceil(ranks / 64), Math.min(ranks, 64)];
  const cells = Array.from({ length: 3 * units * units }, (_, i) => [Math.floor(i / units / units), Math.floor(i / units) %% units, i %% units, i + 1, 8 * i + 8]);
  addTraffic({ ranks, block, published: ranks, lost: 0, look: 1, kinds: [], cells });
  const groups = Array.from({ length: Math.min(ranks, 100) }, (_, i) => ({ ranks: `${i}`, doing: `MPI_Recv on MPI_COMM_WORLD from ${i}, tag 0`, state: "waiting", place: `app.c:${i} main`, longest_s: i }));
  const times = [];
  for (let i = 0; i < 20; ++i) {
    const begin = performance.now();
    showGroups({ groups, findings: [] });
    draw(); drawTraffic(); drawList();
    for (const number of vars.charts.keys()) drawVariable(number);
    times.push(performance.now() - begin);
  }
  return times.sort((a, b) => a - b)[10];
})()"""


def frame(build, place, ranks, folder):
    """ms that the page needs to draw five minutes of so many ranks, 100 functions and 8 of 100 variables, a full matrix and 100 groups of ranks."""
    collector = subprocess.Popen([build / "bin/cairn", "live"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True,
                                 env=dict(os.environ, CAIRN_PAGES=str(place / "node100000")))
    try:
        with Browser(folder) as browser:
            browser.open_address(collector.stdout.readline().strip())
            while not browser.value("document.getElementById('job').children.length"):
                time.sleep(0.2)
            browser.value("pause(true); true")
            time.sleep(1.5)
            return browser.value(FRAME % ranks)
    finally:
        collector.terminate()
        collector.wait()


def results(build, program, ranks, folder):
    place = folder / f"results-{ranks}"
    figures = {"write": measured(program, "results", place, ranks), "folder_mb": megabytes(place)}
    for command in ("report", "advise"):
        figures[command] = measured(build / "bin/cairn", command, place)
    figures["page_mb"] = megabytes(place / "report.html")
    if PROGRAM:
        figures["browser"] = first_paint(place / "report.html", folder)
    shutil.rmtree(place)
    return figures


def waits(program, ranks, calls):
    """The analysis alone, without making the records; the memory is that of both."""
    with tempfile.TemporaryFile() as out:
        figures = measured(program, "waits", ranks, calls, out=out)
        out.seek(0)
        return figures | json.load(out)


def measure(build, ranks, folder):
    program = build / "bench" / "scale"
    figures = {"ranks": ranks, "reduce": json.loads(subprocess.run([program, "reduce", str(ranks)], capture_output=True, check=True).stdout)}
    figures["waits"] = waits(program, ranks, CALLS)
    figures |= results(build, program, ranks, folder)
    with pages(program, "pages", ranks, folder) as place:
        figures["where"] = where(build, place)
        figures["nodes"] = nodes(build, place, ranks)
    if ranks <= MOST_ON_A_NODE:
        for shape in SHAPES:
            with pages(program, "node", ranks, folder, shape) as place:
                figures[shape] = where(build, place)
        with pages(program, "node", ranks, folder, "late") as place:
            figures["live"] = live(build, place)
            if PROGRAM:
                figures["live"]["frame_ms"] = frame(build, place, ranks, folder)
    return figures


def table(head, rows):
    return "\n".join(["| " + " | ".join(line) + " |" for line in [head, ["---"] * len(head), *rows]])


def number(value):
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def show(all_figures):
    """Tables as docs/scale.md has them."""
    rows = []
    for one in all_figures:
        reduce = one["reduce"]
        rows.append([f"{one['ranks']:,}", *(f"{number(1000 * reduce[what]['path_s'])} ms, {number(reduce[what]['first_bytes'] / 1e6)} MB"
                                           for what in ("run", "profile", "profile_ranks", "comm"))])
    print(table(["ranks", "run.json", "profile", "profile, ranks:on", "comm"], rows), end="\n\n")
    rows = [[f"{one['ranks']:,} x {CALLS:,}", f"{of['sections']}", f"{number(of['own_s'])} s", f"{number(1e6 * of['own_s'] / of['calls'])} us",
             f"{number(of['mb'])} MB", f"{number(of['json_bytes'] / 1e6)} MB"] for one in all_figures for of in [one["waits"]]]
    print(table(["ranks x calls", "sections", "waits: all of the analysis", "a call", "memory", "waits.json"], rows), end="\n\n")
    rows = []
    for one in all_figures:
        seen = one.get("browser", {"paint_s": 0, "load_s": 0, "mb": 0})
        rows.append([f"{one['ranks']:,}", f"{number(one['folder_mb'])} MB",
                     *(f"{number(one[what]['own_s'])} s, {number(one[what]['mb'])} MB" for what in ("report", "advise")),
                     f"{number(one['page_mb'])} MB", f"{number(seen['paint_s'])} s, {number(seen['load_s'])} s, {number(seen['mb'])} MB"])
    print(table(["ranks", "results", "cairn report", "cairn advise", "page", "seen, loaded, memory"], rows), end="\n\n")
    rows = []
    for one in all_figures:
        seen = one.get("live")
        rows.append([f"{one['ranks']:,}", f"{number(one['where']['own_s'])} s, {number(one['where']['mb'])} MB", f"{number(one['where']['s'])} s",
                     f"{number(seen['look_s'])} s, {number(seen['mb'])} MB" if seen else "", f"{number(seen['answer_mb'])} MB" if seen else ""])
    print(table(["ranks", "cairn where: own", "with its nodes here", "a look of cairn live", "its answer"], rows), end="\n\n")
    rows = [[f"{one['ranks']:,}", *(f"{number(one[shape]['own_s'])} s, {number(one[shape]['mb'])} MB" for shape in SHAPES)]
            for one in all_figures if SHAPES[0] in one]
    print(table(["ranks on a node", *SHAPES], rows), end="\n\n")
    rows = []
    for one in all_figures:
        if seen := one.get("nodes"):
            senders = [f"{number(1000 * seen['sender_s'])} ms, {number(seen['sender_mb'])} MB",
                       f"{number(seen['first_bytes'])} B, {number(seen['bytes'])} B"] if seen["senders"] else ["", ""]
            rows.append([f"{one['ranks']:,}", f"{-(-one['ranks'] // 64):,}", f"{number(seen['found_s'])} s", *senders, f"{number(1000 * seen['collector_s'])} ms, {number(seen['collector_mb'])} MB",
                         f"{number(one.get('live', {}).get('frame_ms', 0))} ms"])
    print(table(["ranks", "nodes", "until all are seen", "a sender, for a second", "sent per rank: at first, each second", "the collector, for a look", "a frame of the page"], rows))


def main():
    arguments = parse_arguments()
    with tempfile.TemporaryDirectory(prefix="cairn-scale-") as folder:
        figures = []
        for ranks in QUICK_SIZES if arguments.quick else SIZES:
            print(f"scale: {ranks:,} ranks", file=sys.stderr, flush=True)
            figures.append(measure(arguments.build, ranks, Path(folder)))
    target = arguments.json or arguments.build / "scale.json"
    target.write_text(json.dumps({"machine": machine(), "versions": versions(arguments.build), "sizes": figures}, indent=1) + "\n")
    show(figures)


if __name__ == "__main__":
    main()
