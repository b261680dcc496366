// SPDX-License-Identifier: BSD-3-Clause
// matrix.js - the heat map of who sends how much to whom: layers, orders, zoom, saved pictures
//
// A chart has layers of a kind and a phase, each with cells of `block` ranks to a side; one that is `apart` is shown alone. What is chosen is put together
// into cells of one size; those in view are put together again so that no more than so many stand side by side.
"use strict";

const matrix_size = { side: 640, left: 58, top: 34, bins: 128 };

/** Cells of the chosen layers: {block, units, cells: Map of from * units + to => [messages, bytes]}. */
function matrix_cells(chart, kind, phase) {
  const layers = chart.layers.filter((layer) => (kind === "" ? !layer.apart : layer.kind === kind) && (phase === "" || layer.apart || layer.phase === phase));
  const block = Math.max(1, ...layers.map((layer) => layer.block));
  const units = Math.max(1, Math.ceil(chart.ranks / block));
  const cells = new Map();
  for (const layer of layers) {
    const unit = (index) => Math.floor((index * layer.block) / block);
    for (let i = 0; i < layer.cells.length; i += 4) {
      const key = unit(layer.cells[i]) * units + unit(layer.cells[i + 1]);
      const sum = cells.get(key) || [0, 0];
      cells.set(key, [sum[0] + layer.cells[i + 2], sum[1] + layer.cells[i + 3]]);
    }
  }
  return { block, units, cells };
}

/** Neighbours of each unit, in both directions. */
function matrix_neighbours(data) {
  const lists = Array.from({ length: data.units }, () => []);
  for (const key of data.cells.keys()) {
    const from = Math.floor(key / data.units);
    const to = key % data.units;
    if (from !== to) { lists[from].push(to); lists[to].push(from); }
  }
  return lists;
}

/** Those that exchange something close to each other: breadth first from the one with fewest partners (Cuthill, McKee). */
function matrix_close(data) {
  const lists = matrix_neighbours(data);
  const by_degree = (a, b) => lists[a].length - lists[b].length || a - b;
  const seen = new Uint8Array(data.units);
  const order = [];
  for (const start of [...lists.keys()].sort(by_degree)) {
    if (seen[start]) continue;
    seen[start] = 1;
    order.push(start);
    for (let next = order.length - 1; next < order.length; ++next)
      for (const other of lists[order[next]].sort(by_degree)) {
        if (seen[other]) continue;
        seen[other] = 1;
        order.push(other);
      }
  }
  return order.reverse();
}

function matrix_by_volume(data) {
  const sums = new Float64Array(data.units);
  for (const [key, [, bytes]] of data.cells) { sums[Math.floor(key / data.units)] += bytes; sums[key % data.units] += bytes; }
  return [...sums.keys()].sort((a, b) => sums[b] - sums[a] || a - b);
}

const matrix_orders = {
  "by rank": (data) => Array.from({ length: data.units }, (_, unit) => unit),
  "by node": (data, nodes) => Array.from({ length: data.units }, (_, unit) => unit).sort((a, b) => nodes[a * data.block] - nodes[b * data.block] || a - b),
  "partners close together": matrix_close,
  "most bytes first": matrix_by_volume,
};

/** "3", or "32 to 47" where a unit stands for several ranks. */
function matrix_ranks(chart, data, order, first, last) {
  if (first === last - 1) {
    const unit = order[first];
    const end = Math.min((unit + 1) * data.block, chart.ranks) - 1;
    return data.block === 1 ? String(unit) : `${unit * data.block} to ${end}`;
  }
  return `${order[first]} … ${order[last - 1]}`;
}

/** The cells in view, put together: {bins, size, sums: Map of row * bins + column => value, least, most}. */
function matrix_view(data, places, view, measure) {
  const width = view.to - view.from;
  const size = Math.ceil(width / matrix_size.bins);
  const bins = Math.ceil(width / size);
  const sums = new Map();
  for (const [key, volume] of data.cells) {
    const row = places[Math.floor(key / data.units)] - view.from_row;
    const column = places[key % data.units] - view.from;
    if (row < 0 || column < 0 || row >= width || column >= width) continue;
    const bin = Math.floor(row / size) * bins + Math.floor(column / size);
    sums.set(bin, (sums.get(bin) || 0) + volume[measure]);
  }
  let least = Infinity;
  let most = 0;
  for (const sum of sums.values()) {
    if (sum > 0) least = Math.min(least, sum);
    most = Math.max(most, sum);
  }
  return { bins, size, sums, least: Math.min(least, most), most };
}

/** From the least to the most in view, logarithmic; messages without a byte are hardly seen. */
function matrix_shade(value, { least, most }) {
  if (value <= 0) return 0.05;
  return most > least ? 0.15 + (0.85 * Math.log(value / least)) / Math.log(most / least) : 1;
}

function matrix_svg(chart, data, order, view, shown, kind) {
  const { side, left, top } = matrix_size;
  const step = side / shown.bins;
  const hot = getComputedStyle(document.documentElement).getPropertyValue("--hot").trim().split(/\s+/).join(",");
  const svg = make("svg", { viewBox: `0 0 ${left + side + 8} ${top + side + 30}`, role: "img", "font-family": "sans-serif", "font-size": 11,
    "aria-label": `traffic between ${chart.ranks} ranks, at most ${format(kind, shown.most)} in a cell` });
  const cells = make("g", { class: "cells", fill: `rgb(${hot})` });
  for (const [bin, sum] of shown.sums) {
    const x = left + step * (bin % shown.bins);
    const y = top + step * Math.floor(bin / shown.bins);
    cells.append(make("rect", { x: x.toFixed(2), y: y.toFixed(2), width: Math.max(step - (step > 6 ? 1 : 0), 0.5).toFixed(2), height: Math.max(step - (step > 6 ? 1 : 0), 0.5).toFixed(2),
      "fill-opacity": matrix_shade(sum, shown).toFixed(3) }));
  }
  svg.append(make("rect", { class: "frame", x: left, y: top, width: side, height: side, fill: "none", stroke: "currentColor", "stroke-opacity": 0.3 }), cells);
  const every = Math.max(1, Math.ceil(shown.bins / 10));
  for (let bin = 0; bin < shown.bins; bin += every) {
    const name = (start) => String(order[Math.min(start + bin * shown.size, order.length - 1)] * data.block);
    const at = step * (bin + 0.5);
    svg.append(make("text", { x: left + at, y: top - 6, "text-anchor": "middle", fill: "currentColor" }, name(view.from)),
      make("text", { x: left - 6, y: top + at + 4, "text-anchor": "end", fill: "currentColor" }, name(view.from_row)));
  }
  svg.append(make("text", { x: left, y: 12, fill: "currentColor" }, "to rank \u2192"), make("text", { x: 2, y: top - 6, fill: "currentColor" }, "from \u2193"),
    make("text", { x: left, y: top + side + 20, fill: "currentColor" }, `from ${format(kind, shown.least)} (light) to ${format(kind, shown.most)} (dark), logarithmic`));
  return svg;
}

// ---- saving

function matrix_save(name, link) { make("a", { href: link, download: name }).click(); }

function matrix_text(svg) {
  const copy = svg.cloneNode(true);
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  copy.setAttribute("color", "#333");
  const [, , width, height] = copy.getAttribute("viewBox").split(" ").map(Number);
  copy.setAttribute("width", width);
  copy.setAttribute("height", height);
  copy.prepend(make("rect", { width: "100%", height: "100%", fill: "#fff" }));
  return new XMLSerializer().serializeToString(copy);
}

const matrix_link = (svg) => `data:image/svg+xml;charset=utf-8,${encodeURIComponent(matrix_text(svg))}`;

function matrix_save_png(svg) {
  const picture = new Image();
  picture.onload = () => {
    const canvas = make("canvas", { width: 2 * picture.width, height: 2 * picture.height });
    canvas.getContext("2d").drawImage(picture, 0, 0, canvas.width, canvas.height);
    matrix_save("matrix.png", canvas.toDataURL("image/png"));
  };
  picture.src = matrix_link(svg);
}

// ---- the chart

function matrix_choice(name, values, changed) {
  return make("select", { "aria-label": name, onchange: (event) => changed(event.target.value) },
    ...values.map(([value, text]) => make("option", { value }, text)));
}

/** Where the pointer is, in cells of the view. */
function matrix_place(svg, event, shown) {
  const box = svg.getBoundingClientRect();
  const scale = svg.viewBox.baseVal.width / box.width;
  const inside = (value) => Math.min(Math.max(Math.floor((value / matrix_size.side) * shown.bins), 0), shown.bins - 1);
  return { column: inside((event.clientX - box.left) * scale - matrix_size.left), row: inside((event.clientY - box.top) * scale - matrix_size.top) };
}

function matrix(chart, head) {
  const state = { kind: "", phase: "", measure: 1, order: "by rank", view: null };
  const place = make("div");
  const status = make("p", { class: "hint", role: "status" });
  const names = (key) => [...new Set(chart.layers.map((layer) => layer[key]))].filter((name) => name !== "");
  let data, order, places, shown, svg;

  function draw_view() {
    const kind = state.measure === 1 ? "bytes" : "count";
    shown = matrix_view(data, places, state.view, state.measure);
    svg = matrix_svg(chart, data, order, state.view, shown, kind);
    svg.addEventListener("pointerdown", begin);
    svg.addEventListener("pointermove", (event) => tell(matrix_place(svg, event, shown)));
    place.replaceChildren(svg);
    status.textContent = "Point at a cell to read it, draw over a part to see it larger.";
  }
  function arrange() {
    data = matrix_cells(chart, state.kind, state.phase);
    order = matrix_orders[state.order](data, chart.nodes);
    places = new Int32Array(data.units);
    order.forEach((unit, at) => { places[unit] = at; });
    state.view = { from: 0, from_row: 0, to: data.units };
    draw_view();
  }
  function tell({ row, column }) {
    const ranks = (start, bin) => matrix_ranks(chart, data, order, start + bin * shown.size, Math.min(start + (bin + 1) * shown.size, data.units));
    const sum = shown.sums.get(row * shown.bins + column) || 0;
    status.textContent = `rank ${ranks(state.view.from_row, row)} to rank ${ranks(state.view.from, column)}: ${format(state.measure === 1 ? "bytes" : "count", sum)}`;
  }
  function begin(event) {
    const first = matrix_place(svg, event, shown);
    const end = (up) => {
      const last = matrix_place(svg, up, shown);
      const cells = Math.max(Math.abs(last.row - first.row), Math.abs(last.column - first.column)) + 1;
      if (cells > 1) zoom(Math.min(first.row, last.row), Math.min(first.column, last.column), cells);
    };
    svg.setPointerCapture(event.pointerId);
    svg.addEventListener("pointerup", end, { once: true });
  }
  function zoom(row, column, cells) {
    const width = Math.max(2, Math.min(Math.round(cells * shown.size), data.units));
    const from = Math.min(state.view.from + column * shown.size, data.units - width);
    state.view = { from, from_row: Math.min(state.view.from_row + row * shown.size, data.units - width), to: from + width };
    draw_view();
  }
  const nearer = () => zoom(Math.floor(shown.bins / 4), Math.floor(shown.bins / 4), Math.ceil(shown.bins / 2));
  const set = (key) => (value) => { state[key] = key === "measure" ? Number(value) : value; arrange(); };
  const button = (text, onclick) => make("button", { type: "button", onclick }, text);
  head.append(make("div", { class: "controls" },
    matrix_choice("kind", [["", "all kinds"], ...names("kind").map((name) => [name, name])], set("kind")), " ",
    matrix_choice("phase", [["", "all phases"], ...names("phase").map((name) => [name, name])], set("phase")), " ",
    matrix_choice("measure", [["1", "bytes"], ["0", "messages"]], set("measure")), " ",
    matrix_choice("order", Object.keys(matrix_orders).map((name) => [name, name]), set("order")), " ",
    button("nearer", nearer), " ", button("whole", arrange), " ",
    button("SVG", () => matrix_save("matrix.svg", matrix_link(svg))), " ", button("PNG", () => matrix_save_png(svg))));
  arrange();
  return make("div", {}, place, status);
}
