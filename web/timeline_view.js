// SPDX-License-Identifier: BSD-3-Clause
// timeline_view.js - a part of the time of some ranks, as it is drawn and read: cells in several levels of detail, and calls
//
// What is drawn at once is bounded by the screen, whatever the length of the run.
"use strict";

const timeline_size = { left: 56, top: 4, bottom: 22, row: 22, height: 640 };
const timeline_colours = ["#2f6fb4", "#d9822b", "#2c8a5a", "#b5472e", "#7a5bb5", "#8a6a3b", "#c7599b", "#3fa7b5", "#9aa532", "#6b7787"];
const timeline_most = { calls: 20000, messages: 2000 };

// ---- drawing

/** A level of detail as an image: a pixel for each cell. */
function timeline_image(chart, level, colours) {
  const rows = chart.rows.length;
  const canvas = make("canvas", { width: level.bins, height: rows });
  const context = canvas.getContext("2d");
  const image = context.createImageData(level.bins, rows);
  const cells = level.bytes || (level.bytes = timeline_bytes(level.cells));
  for (let i = 0; i < cells.length; i += 2) {
    if (cells[i] === 0) continue;
    image.data.set(colours[cells[i] - 1], i * 2);
    image.data[i * 2 + 3] = 40 + (215 * cells[i + 1]) / 255;
  }
  context.putImageData(image, 0, 0);
  return canvas;
}

const timeline_rgb = (colour) => [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16));

/** Round steps of time, some eight to the width. */
function timeline_step(span) {
  const power = 10 ** Math.floor(Math.log10(span / 8));
  return [1, 2, 5, 10].map((factor) => factor * power).find((step) => span / step <= 8);
}

/** "1.250 s" since the start, with the digits that a step needs. */
function timeline_moment(ns, step) {
  const [unit, size] = step >= 1e8 || ns >= 1e10 ? ["s", 1e9] : step >= 1e5 || ns >= 1e7 ? ["ms", 1e6] : ["µs", 1e3];
  const digits = Math.min(Math.max(0, Math.ceil(-Math.log10(step / size) - 1e-9)), 9);
  return `${(ns / size).toFixed(digits)} ${unit}`;
}

class Timeline {
  constructor(chart) {
    this.chart = chart;
    this.calls = timeline_calls(chart);
    this.messages = timeline_messages(chart);
    this.by = "function";
    this.images = new Map();
    this.found = null;  // kinds that the search fits; null: there is no search
    this.chosen = null;  // {row, call}
    this.with_messages = false;
    this.whole = { from: chart.from, to: chart.to, top: 0, bottom: chart.rows.length };
    this.view = { ...this.whole };
    this.canvas = make("canvas", { class: "timeline", tabindex: 0, role: "img" });
    this.set_colours();
  }

  set_colours() {
    const one = timeline_rgb(timeline_colours[1]);
    this.colours = this.chart.functions.map((_, number) => (this.by === "waiting" ? one : timeline_rgb(timeline_colours[Math.min(number, timeline_colours.length - 1)])));
    this.images.clear();
  }

  // ---- places on the canvas

  get width() { return this.canvas.clientWidth - timeline_size.left; }
  get height() { return this.canvas.clientHeight - timeline_size.top - timeline_size.bottom; }
  get row_height() { return this.height / (this.view.bottom - this.view.top); }
  x(ns) { return timeline_size.left + ((ns - this.view.from) / (this.view.to - this.view.from)) * this.width; }
  y(row) { return timeline_size.top + (row - this.view.top) * this.row_height; }
  ns_at(x) { return this.view.from + ((x - timeline_size.left) / this.width) * (this.view.to - this.view.from); }
  row_at(y) { return Math.min(Math.max(Math.floor(this.view.top + (y - timeline_size.top) / this.row_height), this.view.top), this.view.bottom - 1); }

  show(view) {
    const span = Math.min(Math.max(view.to - view.from, 20), this.whole.to - this.whole.from);
    const from = Math.min(Math.max(view.from, this.whole.from), this.whole.to - span);
    const rows = Math.min(Math.max(Math.round(view.bottom - view.top), 1), this.whole.bottom);
    const top = Math.min(Math.max(Math.round(view.top), 0), this.whole.bottom - rows);
    this.view = { from, to: from + span, top, bottom: top + rows };
    this.draw();
  }
  zoom(factor, at = (this.view.from + this.view.to) / 2) {
    this.show({ ...this.view, from: at - (at - this.view.from) * factor, to: at + (this.view.to - at) * factor });
  }
  pan(part) {
    const by = part * (this.view.to - this.view.from);
    this.show({ ...this.view, from: this.view.from + by, to: this.view.to + by });
  }

  // ---- drawing

  draw() {
    if (this.canvas.clientWidth === 0) return;  // its tab is not shown
    const scale = window.devicePixelRatio || 1;
    const rows = this.view.bottom - this.view.top;
    this.canvas.style.height = `${Math.min(Math.max(rows * timeline_size.row, 3 * timeline_size.row), timeline_size.height) + timeline_size.top + timeline_size.bottom}px`;
    this.canvas.width = Math.max(1, Math.round(this.canvas.clientWidth * scale));
    this.canvas.height = Math.max(1, Math.round(this.canvas.clientHeight * scale));
    const context = this.canvas.getContext("2d");
    const style = getComputedStyle(document.documentElement);
    this.ink = style.getPropertyValue("--ink").trim();
    context.setTransform(scale, 0, 0, scale, 0, 0);
    context.fillStyle = style.getPropertyValue("--track").trim();
    context.fillRect(timeline_size.left, timeline_size.top, this.width, this.height);
    context.save();
    context.beginPath();
    context.rect(timeline_size.left, timeline_size.top, this.width, this.height);
    context.clip();
    this.draw_calls(context);
    this.shown_messages = this.with_messages ? this.draw_messages(context, this.messages) : 0;
    this.draw_chosen(context);
    context.restore();
    this.draw_axes(context, style.getPropertyValue("--soft").trim());
    if (this.drawn) this.drawn();
  }

  /** Single calls where all are known and few enough; otherwise cells, and over them the calls that can be seen. */
  draw_calls(context) {
    const ranges = [];
    let count = 0;
    for (let row = this.view.top; row < this.view.bottom; ++row) {
      const of = this.calls[row];
      const range = [timeline_first(of, this.view.from), timeline_first(of, this.view.to) + 1];
      ranges.push(range);
      count += range[1] - range[0];
    }
    const are_single = this.chart.all_calls && count <= timeline_most.calls;
    if (!are_single) this.draw_cells(context);
    ranges.forEach(([first, end], number) => this.draw_row(context, this.view.top + number, first, end, are_single));
  }

  draw_cells(context) {
    const part = (this.view.to - this.view.from) / (this.whole.to - this.whole.from);
    const levels = [...this.chart.levels].sort((a, b) => a.bins - b.bins);
    const level = levels.find((one) => one.bins * part >= this.width / 2) || levels[levels.length - 1];
    if (!this.images.has(level)) this.images.set(level, timeline_image(this.chart, level, this.colours));
    const image = this.images.get(level);
    const per_ns = level.bins / (this.whole.to - this.whole.from);
    context.globalAlpha = this.found ? 0.25 : 1;
    context.imageSmoothingEnabled = this.row_height < 1;
    context.drawImage(image, (this.view.from - this.whole.from) * per_ns, this.view.top, (this.view.to - this.view.from) * per_ns, this.view.bottom - this.view.top,
      timeline_size.left, timeline_size.top, this.width, this.height);
    context.globalAlpha = 1;
  }

  /** A pixel is drawn once, by the call that comes first in it, or that the search fits. */
  draw_row(context, row, first, end, is_single) {
    const of = this.calls[row];
    const gap = this.row_height > 5 ? 1 : 0;
    let covered = -1;
    for (let i = first; i < end && i < of.begin.length; ++i) {
      const x = this.x(of.begin[i]);
      const right = this.x(of.end[i]);
      const is_found = this.found && this.found.has(of.kind[i]);
      if (right < timeline_size.left || (!is_found && ((!is_single && right - x < 1) || (of.depth[i] === 0 && right <= covered)))) continue;
      const inset = Math.min(of.depth[i] * 3, this.row_height / 3);
      context.globalAlpha = this.found && !is_found ? 0.2 : 1;
      context.fillStyle = `rgb(${this.colours[this.chart.kinds[of.kind[i]][0]]})`;
      const left = Math.max(x, timeline_size.left - 1);
      context.fillRect(left, this.y(row) + inset, Math.max(Math.min(right, timeline_size.left + this.width + 1) - left, is_found ? 1.5 : 0.75), this.row_height - gap - 2 * inset);
      covered = Math.max(covered, Math.min(right, Math.floor(x) + 1));
    }
    context.globalAlpha = 1;
  }

  is_in_view(message) {
    const inside = (row) => row >= this.view.top && row < this.view.bottom;
    return (inside(message.from) || inside(message.to)) && message.received >= this.view.from && message.sent <= this.view.to;
  }

  /** How many there are; they are drawn unless they are too many to tell apart. */
  draw_messages(context, messages) {
    const seen = messages.filter((message) => this.is_in_view(message));
    if (seen.length > timeline_most.messages) return seen.length;
    context.strokeStyle = this.ink;
    context.fillStyle = this.ink;
    context.globalAlpha = seen.length > 200 ? 0.4 : 0.8;
    for (const message of seen) {
      const [x, y] = [this.x(message.received), this.y(message.to + 0.5)];
      context.beginPath();
      context.moveTo(this.x(message.sent), this.y(message.from + 0.5));
      context.lineTo(x, y);
      context.stroke();
      context.fillRect(x - 2, y - 2, 4, 4);
    }
    context.globalAlpha = 1;
    return seen.length;
  }

  messages_of({ row, call }) {
    const { begin, end } = this.calls[row];
    const inside = (ns) => ns >= begin[call] && ns <= end[call];
    return this.messages.filter((one) => (one.from === row && inside(one.sent)) || (one.to === row && inside(one.received)));
  }

  draw_chosen(context) {
    if (!this.chosen) return;
    const { row, call } = this.chosen;
    const of = this.calls[row];
    context.strokeStyle = this.ink;
    context.lineWidth = 2;
    const x = this.x(of.begin[call]);
    context.strokeRect(x, this.y(row) + 1, Math.max(this.x(of.end[call]) - x, 2), this.row_height - 3);
    context.lineWidth = 1;
    this.draw_messages(context, this.messages_of(this.chosen));
  }

  draw_axes(context, soft) {
    const { left, top } = timeline_size;
    context.fillStyle = soft;
    context.strokeStyle = soft;
    context.font = "11px sans-serif";
    context.textBaseline = "middle";
    context.textAlign = "right";
    const every = [1, 2, 5, 10, 20, 50, 100, 200, 500].find((rows) => rows * this.row_height >= 12) || 1000;
    for (let row = Math.ceil(this.view.top / every) * every; row < this.view.bottom; row += every) context.fillText(this.chart.rows[row], left - 6, Math.max(this.y(row + 0.5), top + 6));
    const step = timeline_step(this.view.to - this.view.from);
    context.textAlign = "center";
    for (let ns = Math.ceil(this.view.from / step) * step; ns <= this.view.to; ns += step) {
      const x = this.x(ns);
      context.globalAlpha = 0.25;
      context.fillRect(x, top, 1, this.height);
      context.globalAlpha = 1;
      if (x > left + 20 && x < left + this.width - 20) context.fillText(timeline_moment(ns, step), x, top + this.height + 12);
    }
  }

  // ---- words

  call_text(row, call) {
    const of = this.calls[row];
    const [number, words, place] = this.chart.kinds[of.kind[call]];
    const name = this.chart.functions[number].name;
    return `rank ${this.chart.rows[row]}, ${timeline_moment(of.begin[call], 1)}: ${name}(${words}), ${format("seconds", (of.end[call] - of.begin[call]) * 1e-9)}${place ? `, ${place}` : ""}`;
  }

  /** What is at a place of the canvas. */
  text_at(x, y) {
    const row = this.row_at(y);
    const ns = this.ns_at(x);
    const margin = (this.view.to - this.view.from) / this.width;
    const call = this.call_near(row, ns, margin);
    if (call >= 0) return this.call_text(row, call);
    const where = `rank ${this.chart.rows[row]}, ${timeline_moment(ns, timeline_step(this.view.to - this.view.from) / 100)}`;
    if (this.chart.all_calls) return `${where}: outside of MPI`;
    const level = this.chart.levels[0];
    const cells = level.bytes || (level.bytes = timeline_bytes(level.cells));
    const bin = Math.min(Math.floor(((ns - this.whole.from) / (this.whole.to - this.whole.from)) * level.bins), level.bins - 1);
    const cell = (row * level.bins + bin) * 2;
    const width = format("seconds", ((this.whole.to - this.whole.from) / level.bins) * 1e-9);
    if (cells[cell] === 0) return `${where}: outside of MPI for ${width}`;
    return `${where}: ${format("fraction", cells[cell + 1] / 255)} of ${width} in MPI, most of it in ${this.chart.functions[cells[cell] - 1].name}`;
  }

  /** The call there, or one that is less than a pixel away. */
  call_near(row, ns, margin) {
    const at = timeline_call_at(this.calls[row], ns);
    if (at >= 0) return at;
    const after = timeline_call_at(this.calls[row], ns + margin);
    return after >= 0 ? after : timeline_call_at(this.calls[row], ns - margin);
  }

  // ---- search

  search(words) {
    const wanted = words.toLowerCase().split(/\s+/).filter((word) => word);
    const fits = (kind) => {
      const text = [this.chart.functions[kind[0]].name, kind[1], kind[2]].join(" ").toLowerCase();
      return wanted.every((word) => text.includes(word));
    };
    this.found = wanted.length ? new Set(this.chart.kinds.map((kind, number) => (fits(kind) ? number : -1)).filter((number) => number >= 0)) : null;
  }
  count_found() {
    let count = 0;
    for (const row of this.calls) for (const kind of row.kind) count += this.found.has(kind) ? 1 : 0;
    return count;
  }
  /** The next one in time after what is chosen, or after where the view begins; the first after the last. */
  next_found() {
    const after = this.chosen ? this.calls[this.chosen.row].begin[this.chosen.call] : this.view.from - 1;
    const beyond = (one) => (one.begin > after || (this.chosen && one.begin === after && one.row > this.chosen.row) ? 0 : 1);
    let best = null;
    this.calls.forEach((of, row) => {
      for (let call = 0; call < of.begin.length; ++call) {
        if (!this.found.has(of.kind[call])) continue;
        const one = { row, call, begin: of.begin[call] };
        if (!best || beyond(one) < beyond(best) || (beyond(one) === beyond(best) && one.begin < best.begin)) best = one;
      }
    });
    return best;
  }
  /** Chosen, and in the middle of the view. */
  go_to(one) {
    this.chosen = { row: one.row, call: one.call };
    const of = this.calls[one.row];
    const span = Math.max(Math.min(this.view.to - this.view.from, 50 * (of.end[one.call] - of.begin[one.call])), 1000);
    const middle = (of.begin[one.call] + of.end[one.call]) / 2;
    const rows = this.view.bottom - this.view.top;
    const top = one.row >= this.view.top && one.row < this.view.bottom ? this.view.top : one.row - Math.floor(rows / 2);
    this.show({ from: middle - span / 2, to: middle + span / 2, top, bottom: top + rows });
  }

  // ---- the moment as a link

  get link() {
    const { from, to, top, bottom } = this.view;
    const chosen = this.chosen ? `&call=${this.chosen.row}.${this.chosen.call}` : "";
    return `#time=${Math.round(from)}-${Math.round(to)}&rows=${top}-${bottom}${chosen}`;
  }
  /** Whether the link means anything here. */
  follow(link) {
    const found = /^#time=(\d+)-(\d+)&rows=(\d+)-(\d+)(?:&call=(\d+)\.(\d+))?$/.exec(link);
    if (!found) return false;
    const [from, to, top, bottom] = found.slice(1, 5).map(Number);
    const [row, call] = found.slice(5).map(Number);
    this.chosen = found[5] !== undefined && row < this.calls.length && call < this.calls[row].begin.length ? { row, call } : null;
    this.show({ from, to, top, bottom });
    return true;
  }
}
