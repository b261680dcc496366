// SPDX-License-Identifier: BSD-3-Clause
// traffic.js - who sends how much to whom: a matrix of ranks, or of blocks of them, that fills while the job runs. live.js and player.js call it.
"use strict";

const one = (id) => document.getElementById(id);
const traffic = { head: null, cells: new Map(), look: 0, side: 0 }; // cells: by "kind from to", what was sent since the job began

/** A matrix's cells, of which those that have not changed may be missing. */
function addTraffic(matrix) {
  traffic.head = matrix;
  traffic.look = matrix.look;
  for (const [kind, from, to, messages, bytes] of matrix.cells) traffic.cells.set(`${kind} ${from} ${to}`, { kind, from, to, messages, bytes });
}

function forgetTraffic() { Object.assign(traffic, { head: null, cells: new Map(), look: 0 }); }

/** Sums of the chosen kind and measure: Map of row * units + column to a number. */
function trafficSums(units) {
  const kind = one("traffic-kind").value;
  const measure = one("traffic-measure").value;
  const sums = new Map();
  for (const cell of traffic.cells.values()) {
    if (kind !== "" && Number(kind) !== cell.kind || cell.from >= units || cell.to >= units || cell[measure] === 0) continue;
    const key = cell.from * units + cell.to;
    sums.set(key, (sums.get(key) || 0) + cell[measure]);
  }
  return sums;
}

function amount(value) {
  if (one("traffic-measure").value === "messages") return `${value.toLocaleString("en")} messages`;
  const power = Math.min(Math.floor(Math.log10(Math.max(value, 1)) / 3), 5);
  return `${power === 0 ? value : (value / 1000 ** power).toPrecision(3)} ${["B", "kB", "MB", "GB", "TB", "PB"][power]}`;
}

const unitName = (unit, { block, ranks }) => (block === 1 ? `rank ${unit}` : `ranks ${unit * block} to ${Math.min((unit + 1) * block, ranks) - 1}`);

/** From the least to the most, logarithmic. */
function shades(sums) {
  const values = [...sums.values()];
  const least = Math.min(...values);
  const most = Math.max(...values);
  return { least, most, of: (value) => (most > least ? 0.15 + (0.85 * Math.log(value / least)) / Math.log(most / least) : 1) };
}

function drawCells(canvas, units, sums, shade) {
  const size = canvas.clientWidth || 1;
  const scale = window.devicePixelRatio || 1;
  canvas.width = canvas.height = size * scale;
  const pen = canvas.getContext("2d");
  const step = canvas.width / units;
  const gap = step > 8 ? 1 : 0;
  pen.fillStyle = ink.getPropertyValue("--good");
  for (const [key, value] of sums) {
    pen.globalAlpha = shade.of(value);
    pen.fillRect((key % units) * step, Math.floor(key / units) * step, Math.max(step - gap, 1), Math.max(step - gap, 1));
  }
}

function trafficNote(head, sums, shade) {
  if (!head) return "Not known: the tool 'comm' publishes it, beside 'where' (cairn run --tools where,comm).";
  const parts = [sums.size ? `From ${amount(shade.least)} (light) to ${amount(shade.most)} (dark), since the job began.` : "Nothing yet."];
  if (head.published < head.ranks) parts.push(`${head.ranks - head.published} ranks are not seen.`);
  if (head.lost) parts.push(`For ${head.lost} pairs there was no room.`);
  return parts.join(" ");
}

function drawTraffic() {
  const head = traffic.head;
  for (const id of ["traffic-picture", "traffic-choice"]) one(id).hidden = !head;
  const units = head ? Math.ceil(head.ranks / head.block) : 0;
  const sums = trafficSums(units);
  const shade = shades(sums);
  one("traffic-note").textContent = trafficNote(head, sums, shade);
  traffic.sums = sums;
  if (head) drawCells(one("traffic"), units, sums, shade);
}

/** What a cell is, when the pointer is over it. */
function tellCell(event) {
  const { head, sums } = traffic;
  if (!head) return;
  const units = Math.ceil(head.ranks / head.block);
  const at = (position, size) => Math.min(Math.max(Math.floor((position / size) * units), 0), units - 1);
  const [row, column] = [at(event.offsetY, one("traffic").clientHeight), at(event.offsetX, one("traffic").clientWidth)];
  one("traffic-cell").textContent = `${unitName(row, head)} to ${unitName(column, head)}: ${amount(sums.get(row * units + column) || 0)}`;
}

one("traffic").addEventListener("pointermove", tellCell);
for (const id of ["traffic-kind", "traffic-measure"]) one(id).addEventListener("change", drawTraffic);
