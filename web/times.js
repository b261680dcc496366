// SPDX-License-Identifier: BSD-3-Clause
// times.js - values over time: a line for the mean over samples and ranks, in a band from the least to the most; or a line
// for each rank, so that classes of ranks show. Put in front of report.js, whose functions it uses. Each series has its
// step in seconds and points [least, mean, most], null where nothing was sampled, since the start of MPI or what it says; of
// ranks their means.
"use strict";

const times_size = { width: 860, height: 240, left: 62, right: 14, top: 12, bottom: 34 };

/** Four or so round numbers from 0, or from near the least, to the most. */
function times_marks(least, most) {
  const from = least < 0 || least > (most - least) * 2 ? least : 0;
  const span = most - from || Math.abs(most) || 1;
  const power = 10 ** Math.floor(Math.log10(span / 4));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((size) => span / size <= 5);
  const first = Math.floor(from / step);
  const last = Math.ceil(most / step - 1e-9);
  return Array.from({ length: Math.max(last - first, 1) + 1 }, (_, number) => Number(((first + number) * step).toPrecision(12)));
}

/** Neighbours that were sampled, so that a gap stays a gap. */
function times_runs(points) {
  const runs = [];
  points.forEach((point, place) => {
    if (!point) return;
    if (place === 0 || !points[place - 1]) runs.push([]);
    runs[runs.length - 1].push({ place, point });
  });
  return runs;
}

const times_number = (value) => (Math.abs(value) < 1e5 ? String(value) : scaled(value, ["", "k", "M", "G", "T", "P"]).trim());

function times_svg(one) {
  const { width, height, left, right, top, bottom } = times_size;
  const known = one.points.filter((point) => point);
  const marks = times_marks(Math.min(...known.map((point) => point[0])), Math.max(...known.map((point) => point[2])));
  const end = one.step * one.points.length;
  const low = marks[0];
  const high = marks[marks.length - 1];
  const x = (place) => left + ((width - left - right) * (place + 0.5)) / one.points.length;
  const y = (value) => height - bottom - ((height - top - bottom) * (value - low)) / (high - low);
  const path = (all, column) => all.map((at, number) => `${number ? "L" : "M"}${x(at.place).toFixed(1)} ${y(at.point[column]).toFixed(1)}`).join("");
  const svg = make("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": `${one.name} over ${end.toFixed(3)} s` });
  for (const mark of marks)
    svg.append(make("line", { x1: left, x2: width - right, y1: y(mark), y2: y(mark) }),
      make("text", { x: left - 6, y: y(mark) + 4, "text-anchor": "end" }, times_number(mark)));
  for (const { rank, means } of one.ranks ?? []) {
    const runs = times_runs(means.map((mean) => (mean === null ? null : [mean])));
    svg.append(make("path", { class: "rank", d: runs.map((run) => (run.length > 1 ? path(run, 0) : `${path(run, 0)}h2`)).join("") },
      make("title", {}, `rank ${rank}`)));
  }
  for (const run of one.ranks ? [] : times_runs(one.points)) {
    const band = path(run, 2) + path([...run].reverse(), 0).replace("M", "L") + "Z";
    svg.append(make("path", { class: "band", d: band }), make("path", { class: "mean", d: run.length > 1 ? path(run, 1) : `${path(run, 1)}h1` }));
  }
  for (let part = 0; part <= 4; ++part)
    svg.append(make("text", { x: left + ((width - left - right) * part) / 4, y: height - bottom + 16, "text-anchor": part === 4 ? "end" : part ? "middle" : "start" },
      format("seconds", (end * part) / 4)));
  svg.append(make("text", { x: left, y: height - 3 }, `since ${one.since ?? "the start of MPI"}; ${one.ranks ? `a line for each rank: mean of ${format("seconds", one.step)} each` : `line: mean, band: least to most, of ${format("seconds", one.step)} each and all ranks`}`));
  return svg;
}

function times(chart, head) {
  const place = make("div");
  const show = (number) => place.replaceChildren(times_svg(chart.series[number]));
  head.append(make("select", { "aria-label": `${chart.title} of`, onchange: (event) => show(event.target.value) },
    ...chart.series.map((one, number) => make("option", { value: number }, one.name))));
  show(0);
  return place;
}
