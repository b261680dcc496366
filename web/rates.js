// SPDX-License-Identifier: BSD-3-Clause
// rates.js - traffic over time: a line of steps for each kind, from snapshot to snapshot
//
// A chart has the seconds at which each part ends, its name, and series of messages and bytes in each part. Parts differ in length, so what is drawn is a rate.
"use strict";

const rates_size = { width: 860, height: 240, left: 74, right: 16, top: 26, bottom: 34 };
const rates_colours = ["--bar", "--more", "--less"];

/** [{from, until, name}] */
function rates_parts(chart) {
  return chart.until.map((until, part) => ({ from: part === 0 ? 0 : chart.until[part - 1], until, name: chart.names[part] }));
}

/** Each second's amount in every part, by series. */
function rates_of(chart, parts, measure) {
  const length = (part) => Math.max(part.until - part.from, 1e-6);
  return chart.series.map((one) => one[measure].map((amount, part) => amount / length(parts[part])));
}

/** "one-sided 3.00 MB in 12 messages, ..." of one part. */
function rates_words(chart, part, number) {
  const amounts = chart.series.filter((one) => one.messages[number] > 0)
    .map((one) => `${one.name} ${format("bytes", one.bytes[number])} in ${format("count", one.messages[number])} message${one.messages[number] === 1 ? "" : "s"}`);
  const name = part.name === "end" ? "after the last snapshot" : `up to snapshot ${part.name}`;
  return `${name}, ${part.from.toFixed(2)} s to ${part.until.toFixed(2)} s: ${amounts.join(", ") || "nothing"}`;
}

function rates_axes(svg, x, y, last, most, unit) {
  const { width, height, left, right, bottom } = rates_size;
  for (let line = 0; line <= 4; ++line) {
    const rate = (most * line) / 4;
    svg.append(make("line", { x1: left, x2: width - right, y1: y(rate), y2: y(rate) }),
      make("text", { x: left - 6, y: y(rate) + 4, "text-anchor": "end" }, `${format(unit, rate)}/s`));
  }
  for (let mark = 0; mark <= 5; ++mark)
    svg.append(make("text", { x: x((last * mark) / 5), y: height - bottom + 15, "text-anchor": "middle" }, format("seconds", (last * mark) / 5)));
  svg.append(make("text", { x: left, y: height - 4 }, "since MPI_Init; the steps are the snapshots"));
}

function rates_svg(chart, measure) {
  const { width, height, left, right, top, bottom } = rates_size;
  const parts = rates_parts(chart);
  const rates = rates_of(chart, parts, measure);
  const last = Math.max(...chart.until, 1e-6);
  const most = Math.max(...rates.flat(), Number.MIN_VALUE);
  const x = (seconds) => left + ((width - left - right) * seconds) / last;
  const y = (rate) => height - bottom - ((height - top - bottom) * rate) / most;
  const svg = make("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": `${measure} over time, at most ${format(measure === "bytes" ? "bytes" : "count", most)} each second` });
  rates_axes(svg, x, y, last, most, measure === "bytes" ? "bytes" : "count");
  chart.series.forEach((one, kind) => {
    const steps = parts.map((part, number) => `V${y(rates[kind][number]).toFixed(1)}H${x(part.until).toFixed(1)}`);
    const colour = `var(${rates_colours[kind]})`;
    svg.append(make("path", { class: "steps", d: `M${left},${y(0).toFixed(1)}${steps.join("")}`, style: `stroke:${colour}` }),
      make("text", { x: left + 150 * kind, y: 14, style: `fill:${colour}` }, `\u2014 ${one.name}`));
  });
  parts.forEach((part, number) => svg.append(make("rect", { class: "part", x: x(part.from), y: top, width: Math.max(x(part.until) - x(part.from), 1), height: height - top - bottom },
    make("title", {}, rates_words(chart, part, number)))));
  return svg;
}

function rates(chart, head) {
  const place = make("div");
  const show = (measure) => place.replaceChildren(rates_svg(chart, measure));
  head.append(make("select", { "aria-label": "over time", onchange: (event) => show(event.target.value) },
    make("option", { value: "bytes" }, "bytes"), make("option", { value: "messages" }, "messages")));
  show("bytes");
  return place;
}
