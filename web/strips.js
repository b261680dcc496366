// SPDX-License-Identifier: BSD-3-Clause
// strips.js - all ranks over time in few figures: per strip and bin how much is work, waiting and transfer, and where the critical path is
//
// Put in front of report.js, whose functions it uses. A chart has `bin`, in seconds, and strips of one or more ranks with percents per bin.
"use strict";

const strips_kinds = [["work", "work"], ["transfer", "transfer"], ["start", "start of MPI"], ["waiting", "waiting"], ["unknown", "waiting or transfer"]];
const strips_unit = { bin: 10, strip: 110, full: 100 };

/** Percents of a bin: {work, transfer, start, waiting, unknown}. What is none of the others is transfer. */
function strips_split(chart, strip, bin) {
  const work = strip.work[bin] || 0;
  const waiting = Math.min(strip.waiting[bin] || 0, 100 - work);
  const before = Math.min(1, Math.max(0, strip.start / chart.bin - bin));
  const start = Math.min(100 - work - waiting, Math.round(100 * before));
  const unknown = Math.min((strip.unknown || [])[bin] || 0, 100 - work - waiting - start);
  return { work, waiting, start, unknown, transfer: 100 - work - waiting - start - unknown };
}

/** The strip that has most of the critical path in each bin; -1: none. */
function strips_path(chart, bins) {
  return Array.from({ length: bins }, (_, bin) => {
    let best = -1;
    chart.strips.forEach((strip, row) => {
      const here = (strip.path || [])[bin] || 0;
      if (here > 0 && (best < 0 || here > chart.strips[best].path[bin])) best = row;
    });
    return best;
  });
}

function strips_svg(chart, bins, rows, path) {
  const { bin: width, strip: height, full } = strips_unit;
  const shapes = Object.fromEntries(strips_kinds.map(([kind]) => [kind, ""]));
  chart.strips.forEach((strip, row) => {
    for (let bin = 0; bin < bins; ++bin) {
      const split = strips_split(chart, strip, bin);
      let bottom = row * height + full;
      for (const [kind] of strips_kinds) {
        if (split[kind] <= 0) continue;
        shapes[kind] += `M${bin * width} ${bottom}h${width}v${-split[kind]}h${-width}z`;
        bottom -= split[kind];
      }
    }
  });
  const line = path.map((row, bin) => (row < 0 ? "" : `${bin === 0 || path[bin - 1] < 0 ? "M" : "L"}${bin * width} ${row * height + full / 2}h${width}`)).join("");
  return make("svg", { viewBox: `0 0 ${bins * width} ${chart.strips.length * height}`, preserveAspectRatio: "none", role: "img", style: `height:${rows}px`,
    "aria-label": `${chart.strips.length} strips over ${format("seconds", bins * chart.bin)}: work, transfer and waiting, and the critical path` },
  ...strips_kinds.map(([kind]) => make("path", { class: kind, d: shapes[kind] })),
  make("path", { class: "critical under", d: line }), make("path", { class: "critical", d: line }));
}

const strips_name = (strip) => (/^\d+$/.test(strip.ranks) ? `rank ${strip.ranks}` : `ranks ${strip.ranks}`);

function strips_words(chart, path, row, bin) {
  const split = strips_split(chart, chart.strips[row], bin);
  const parts = strips_kinds.filter(([kind]) => split[kind] > 0).map(([kind, name]) => `${split[kind]} % ${name}`);
  const critical = path[bin] === row ? "; the critical path is here" : "";
  return `${strips_name(chart.strips[row])}, ${format("seconds", bin * chart.bin)} to ${format("seconds", (bin + 1) * chart.bin)}: ${parts.join(", ")}${critical}`;
}

function strips(chart) {
  const bins = Math.max(1, ...chart.strips.map((strip) => strip.work.length));
  const rows = chart.strips.length * Math.max(6, Math.min(28, 320 / chart.strips.length));
  const path = strips_path(chart, bins);
  const svg = strips_svg(chart, bins, rows, path);
  const words = make("p", { class: "hint words", role: "status" }, "Point at a strip to read it; a click leads to its rank.");
  const at = (event) => {
    const box = svg.getBoundingClientRect();
    const place = (part, count) => Math.max(0, Math.min(count - 1, Math.floor(part * count)));
    return [place((event.clientY - box.top) / box.height, chart.strips.length), place((event.clientX - box.left) / box.width, bins)];
  };
  svg.addEventListener("pointermove", (event) => { words.textContent = strips_words(chart, path, ...at(event)); });
  svg.addEventListener("click", (event) => document.dispatchEvent(new CustomEvent("rank", { detail: chart.strips[at(event)[0]].first })));
  const seen = path.some((row) => row >= 0) ? [["critical", "critical path"]] : [];
  const kinds = strips_kinds.filter(([kind]) => kind !== "unknown" || chart.strips.some((strip) => strip.unknown));
  const legend = [...kinds, ...seen].map(([kind, name]) => make("li", {}, make("i", { class: kind }), name));
  const last = chart.strips[chart.strips.length - 1];
  const labels = make("div", { class: "labels" }, make("span", {}, strips_name(chart.strips[0])), make("span", {}, chart.strips.length > 1 ? strips_name(last) : ""));
  const axis = make("div", { class: "axis" }, ...[0, 0.25, 0.5, 0.75, 1].map((part) => make("span", {}, format("seconds", part * bins * chart.bin))));
  return make("div", {}, make("div", { class: "strips" }, labels, svg, make("span"), axis), make("ul", { class: "legend" }, ...legend), words);
}
