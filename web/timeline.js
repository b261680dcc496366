// SPDX-License-Identifier: BSD-3-Clause
// timeline.js - ranks over time, coloured by function: zoom, pan, pointing at calls, messages, search, a link to a moment
//
// The chart (cli/report/timeline.cc) has cells for each row and part of the time, and single calls: all, or the longest.
"use strict";

function timeline_mouse(line, { chosen, pointed }) {
  const band = make("div", { class: "timeline-band", hidden: true });
  const place = (event) => {
    const box = line.canvas.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  };
  let first = null;
  const mark = (last) => {
    band.hidden = Math.abs(last.x - first.x) < 4;
    band.style.left = `${Math.min(first.x, last.x)}px`;
    band.style.width = `${Math.abs(last.x - first.x)}px`;
    band.style.top = `${line.y(Math.min(line.row_at(first.y), line.row_at(last.y)))}px`;
    band.style.height = `${(Math.abs(line.row_at(first.y) - line.row_at(last.y)) + 1) * line.row_height}px`;
  };
  line.canvas.addEventListener("pointerdown", (event) => {
    first = { ...place(event), view: line.view, is_pan: event.shiftKey };
    line.canvas.setPointerCapture(event.pointerId);
  });
  line.canvas.addEventListener("pointermove", (event) => {
    const last = place(event);
    if (!first) return pointed(line.text_at(last.x, last.y));
    if (!first.is_pan) return mark(last);
    const by = ((first.x - last.x) / line.width) * (first.view.to - first.view.from);
    const rows = Math.round((first.y - last.y) / line.row_height);
    line.show({ from: first.view.from + by, to: first.view.to + by, top: first.view.top + rows, bottom: first.view.bottom + rows });
  });
  line.canvas.addEventListener("pointerup", (event) => {
    const begin = first;
    const last = place(event);
    first = null;
    band.hidden = true;
    if (!begin || begin.is_pan) return;
    if (Math.abs(last.x - begin.x) < 4) return chosen(last);
    const rows = [line.row_at(begin.y), line.row_at(last.y)].sort((a, b) => a - b);
    const is_high = rows[0] !== rows[1];  // within one row: a part of the time of all
    line.show({ from: line.ns_at(Math.min(begin.x, last.x)), to: line.ns_at(Math.max(begin.x, last.x)), top: is_high ? rows[0] : line.view.top, bottom: is_high ? rows[1] + 1 : line.view.bottom });
  });
  line.canvas.addEventListener("wheel", (event) => {
    if (!event.ctrlKey && !event.shiftKey) return;
    event.preventDefault();
    const turned = event.deltaY || event.deltaX;
    if (event.ctrlKey) line.zoom(2 ** (turned / 300), line.ns_at(place(event).x));
    else line.pan(turned / 1000);
  }, { passive: false });
  return band;
}

function timeline_legend(line) {
  const shown = line.chart.functions.slice(0, timeline_colours.length);
  return make("ul", { class: "legend" }, ...shown.map((one, number) => make("li", {},
    make("i", { style: `background:rgb(${line.colours[number]})` }), `${number + 1 === timeline_colours.length && line.chart.functions.length > number + 1 ? "others" : one.name} `,
    make("small", {}, format("seconds", one.seconds)))));
}

/** The call that was clicked at, and its messages. */
function timeline_detail(line) {
  if (!line.chosen) return [];
  const { rows } = line.chart;
  const messages = line.messages_of(line.chosen).map((one) =>
    make("li", {}, `message of ${format("bytes", one.bytes)}, tag ${one.tag}, from rank ${rows[one.from]} to rank ${rows[one.to]}, ${format("seconds", (one.received - one.sent) * 1e-9)}`));
  return [line.call_text(line.chosen.row, line.chosen.call), make("ul", {}, ...messages.slice(0, 20))];
}

function timeline_search(line, use) {
  const found = make("span", { class: "hint" });
  const next = use(() => {
    const one = line.found && line.next_found();
    if (one) line.go_to(one);
  });
  const search = use((words) => {
    line.search(words);
    found.textContent = line.found ? plural_calls(line.count_found()) : "";
    line.draw();
  });
  const box = make("input", { type: "search", placeholder: "function, argument, place", "aria-label": "search calls", oninput: (event) => search(event.target.value),
    onkeydown: (event) => { if (event.key === "Enter") next(); } });
  return [box, " ", make("button", { type: "button", "aria-label": "next call found", onclick: next }, "next"), " ", found, " "];
}

function timeline_colour_choice(line, legend) {
  const by = (value) => {
    line.by = value;
    line.set_colours();
    legend.replaceChildren(value === "function" ? timeline_legend(line) : make("p", { class: "hint" }, "The fuller, the more of the time in MPI; empty: outside."));
    line.draw();
  };
  legend.append(timeline_legend(line));
  return make("select", { "aria-label": "colours", onchange: (event) => by(event.target.value) }, make("option", { value: "function" }, "by function"), make("option", { value: "waiting" }, "in MPI or outside"));
}

function timeline_moves(line, use) {
  const keys = { ArrowLeft: () => line.pan(-0.25), ArrowRight: () => line.pan(0.25), "+": () => line.zoom(0.5), "-": () => line.zoom(2), Home: () => line.show(line.whole) };
  line.canvas.addEventListener("keydown", (event) => {
    if (!keys[event.key]) return;
    event.preventDefault();
    use(keys[event.key])();
  });
  const button = (text, name, work) => [make("button", { type: "button", "aria-label": name, title: name, onclick: use(work) }, text), " "];
  return [...button("+", "nearer", () => line.zoom(0.5)), ...button("\u2212", "farther", () => line.zoom(2)), ...button("\u2190", "earlier", () => line.pan(-0.5)),
    ...button("\u2192", "later", () => line.pan(0.5)), ...button("whole", "whole", () => { line.chosen = null; line.show(line.whole); })];
}

/** Drawn once it is in the page, and again when it changes its size; what the page's address says is shown. */
function timeline_begin(line, describe) {
  const panel = () => line.canvas.closest("[role=tabpanel]");
  const follow = () => {
    if (!line.follow(location.hash)) return;
    if (panel().hidden) document.getElementById(panel().getAttribute("aria-labelledby")).click();
    describe();
  };
  window.addEventListener("hashchange", follow);
  new ResizeObserver(() => line.draw()).observe(line.canvas);
  setTimeout(() => {
    panel().addEventListener("shown", () => line.draw());
    line.draw();
    follow();
  });
}

function timeline(chart, head) {
  const line = new Timeline(chart);
  const status = make("p", { class: "hint", role: "status" }, "Point at a call to read it, click to keep it. Draw over a part to see it larger; shift and draw, or arrows, move; ctrl and wheel, + and \u2212 zoom.");
  const detail = make("p", { class: "timeline-chosen" });
  const legend = make("div");
  const crowd = make("span", { class: "hint" });
  const describe = () => detail.replaceChildren(...timeline_detail(line));
  const use = (work) => (...values) => { line.is_used = true; work(...values); describe(); };
  line.drawn = () => {
    crowd.textContent = line.shown_messages > timeline_most.messages ? `${format("count", line.shown_messages)} messages here: zoom in to see them` : "";
    if (line.is_used && location.hash !== line.link) history.replaceState(null, "", line.link);
  };
  const choose = use(({ x, y }) => {
    const row = line.row_at(y);
    const call = line.call_near(row, line.ns_at(x), (line.view.to - line.view.from) / line.width);
    line.chosen = call < 0 ? null : { row, call };
    line.draw();
  });
  const band = timeline_mouse(line, { chosen: choose, pointed: (text) => { status.textContent = text; } });
  line.canvas.addEventListener("pointerup", () => { line.is_used = true; line.drawn(); });
  head.append(make("div", { class: "controls" }, timeline_colour_choice(line, legend), " ",
    make("label", {}, make("input", { type: "checkbox", "aria-label": "messages", onchange: (event) => { line.with_messages = event.target.checked; line.draw(); } }), " messages"), " ", crowd, " ",
    ...timeline_search(line, use), ...timeline_moves(line, use)));
  timeline_begin(line, describe);
  return make("div", {}, make("div", { class: "timeline-place" }, line.canvas, band), status, detail, legend, ...chart.notes.map((text) => make("p", { class: "hint" }, text)));
}

const plural_calls = (count) => `${format("count", count)} ${count === 1 ? "call" : "calls"}`;
