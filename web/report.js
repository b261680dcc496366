// SPDX-License-Identifier: BSD-3-Clause
// report.js - draws the report page from its data (docs/report.md). Texts from the data only ever become text nodes.
"use strict";

// ---- elements and numbers

function make(tag, attributes = {}, ...children) {
  const svg = ["svg", "rect", "line", "text", "title", "g", "path"].includes(tag);
  const element = svg ? document.createElementNS("http://www.w3.org/2000/svg", tag) : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value !== false && value !== undefined) element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.filter((child) => child !== undefined && child !== null));
  return element;
}

/** Three digits that count, with the greatest unit that leaves something before the point. */
function scaled(value, units, step = 1000) {
  let unit = 0;
  while (value >= 999.5 && unit + 1 < units.length) { value /= step; ++unit; }
  return `${value.toFixed(value < 9.995 ? 2 : value < 99.95 ? 1 : 0)} ${units[unit]}`;
}

function magnitude(kind, value) {
  if (kind === "seconds") {
    if (value === 0) return "0 s";
    if (value >= 999.5) return `${Math.round(value).toLocaleString("en")} s`;
    return scaled(value * 1e9, ["ns", "µs", "ms", "s"]);
  }
  if (kind === "bytes") return value < 999.5 ? `${Math.round(value)} B` : scaled(value / 1000, ["kB", "MB", "GB", "TB", "PB", "EB"]);
  if (kind === "fraction") return value > 0 && value < 0.0005 ? "<0.1 %" : `${(100 * value).toFixed(1)} %`;
  if (kind === "relative") return value < 9.995 ? magnitude("fraction", value) : `${Math.round(1 + value).toLocaleString("en")}x`;
  if (kind === "count") return Math.round(value).toLocaleString("en");
  return String(value);
}

function format(kind, value, change = false) {
  if (value === undefined || value === null) return "";
  if (typeof value !== "number") return String(value);
  const text = magnitude(kind, Math.abs(value));
  return (value < 0 ? "\u2212" : change && value > 0 && !text.endsWith("x") ? "+" : "") + text;
}

const percent = (part) => `${(100 * part).toFixed(3)}%`;

// ---- charts: one function per type

function label(item) {
  const text = format("text", item.label);
  const name = make("span", { class: "label", title: item.detail ? `${text}, ${item.detail}` : text }, text);
  if (item.detail) name.append(make("small", {}, item.detail));
  return name;
}

function bars(chart) {
  const most = Math.max(...chart.items.map((item) => item.values[0] || 0), Number.MIN_VALUE);
  return make("ul", { class: "bars" }, ...chart.items.map((item) => make("li", { class: "bar" }, label(item),
    make("span", { class: "track" }, make("i", { style: `left:0;width:${percent((item.values[0] || 0) / most)}` })),
    make("span", { class: "value number" }, format(chart.kind, item.values[0])))));
}

/** Less to the left of the middle, more to the right. */
function changes(chart) {
  const most = Math.max(...chart.items.map((item) => Math.abs(item.values[0] || 0)), Number.MIN_VALUE);
  return make("ul", { class: "bars" }, ...chart.items.map((item) => {
    const value = item.values[0] || 0;
    const size = Math.abs(value) / most / 2;
    const style = `left:${percent(value < 0 ? 0.5 - size : 0.5)};width:${percent(size)}`;
    return make("li", { class: "bar" }, label(item),
      make("span", { class: "track" }, make("i", { class: value < 0 ? "less" : "more", style })),
      make("span", { class: "value number" }, format(chart.kind, value, true)));
  }));
}

function ranges(chart) {
  const most = Math.max(...chart.items.map((item) => item.values[2] || 0), Number.MIN_VALUE);
  const list = make("ul", { class: "bars" }, ...chart.items.map((item) => {
    const [least, mean, greatest] = item.values.map((value) => value || 0);
    return make("li", { class: "bar", title: `${format(chart.kind, least)} to ${format(chart.kind, greatest)}, mean ${format(chart.kind, mean)}` },
      label(item),
      make("span", { class: "track" },
        make("i", { class: "span", style: `left:${percent(least / most)};width:${percent((greatest - least) / most)}` }),
        make("i", { class: "mean", style: `left:${percent(mean / most)}` })),
      make("span", { class: "value number" }, `${format(chart.kind, least)} \u2013 ${format(chart.kind, greatest)}`));
  }));
  return make("div", {}, list, make("p", { class: "hint" }, "From the rank with least to the one with most; the mark is the mean. All rows have one scale."));
}

/** Neighbouring ranks share a cell, which shows the greatest of them, where there are more than fit. */
function grouped(values, most) {
  const size = Math.ceil(values.length / most);
  const cells = [];
  for (let first = 0; first < values.length; first += size) {
    const part = values.slice(first, first + size);
    cells.push({ first, last: first + part.length - 1, value: Math.max(...part) });
  }
  return cells;
}

function heat(chart) {
  const grid = make("div", { class: "heat" });
  const most = Math.max(...chart.rows.map((row) => Math.max(...row.values)), Number.MIN_VALUE);
  for (const row of chart.rows) {
    const most_of_row = Math.max(...row.values);
    grid.append(make("span", { class: "label", title: row.name }, row.name),
      make("span", { class: "cells", role: "img", "aria-label": `${row.name}: ${row.values.length} ranks, at most ${format(chart.kind, most_of_row)}` },
        ...grouped(row.values, 128).map((cell) => make("i", {
          class: "cell",
          style: `background-color:rgb(var(--hot) / ${percent(0.04 + 0.96 * Math.max(cell.value, 0) / most)})`,
          title: `${cell.first === cell.last ? `rank ${cell.first}` : `ranks ${cell.first} to ${cell.last}, the most`}: ${format(chart.kind, cell.value)}`,
        }))),
      make("span", { class: "value number" }, format(chart.kind, most_of_row)));
  }
  const last = Math.max(...chart.rows.map((row) => row.values.length)) - 1;
  grid.append(make("span"), make("span", { class: "axis" }, make("span", {}, "rank 0"), make("span", {}, `rank ${last}`)),
    make("span", { class: "axis" }, "most"));
  return make("div", {}, grid, make("p", { class: "hint" }, "The darker, the more; all rows have one scale."));
}

/** Bins of all series added up, by their limits. */
function all_together(series, name = "all functions") {
  const sums = new Map();
  for (const one of series)
    for (const [limit, calls] of one.bins) sums.set(limit, (sums.get(limit) || 0) + calls);
  return { name, bins: [...sums].sort((a, b) => a[0] - b[0]) };
}

const histogram_size = { width: 560, height: 210, left: 46, right: 26, top: 14, bottom: 34 };

/** Powers of two from the least limit to the greatest, so that empty bins keep their place. */
function bins_in_place(bins) {
  const positive = bins.filter(([limit]) => limit > 0);
  const first = positive[0][0];
  return positive.map(([limit, calls]) => ({ place: Math.round(Math.log2(limit / first)), limit, calls }));
}

function histogram_svg(one, kind) {
  const { width, height, left, right, top, bottom } = histogram_size;
  const bins = bins_in_place(one.bins);
  const places = Math.max(bins[bins.length - 1].place + 1, 6);
  const step = (width - left - right) / places;
  const decades = Math.max(1, Math.ceil(Math.log10(Math.max(...bins.map((bin) => bin.calls)) + 1)));
  const y = (calls) => height - bottom - (height - top - bottom) * (calls < 1 ? 0 : (Math.log10(calls) + 0.3) / (decades + 0.3));
  const svg = make("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": `${one.name}: calls by size` });
  for (let decade = 0; decade <= decades; ++decade) {
    const calls = 10 ** decade;
    svg.append(make("line", { x1: left, x2: width - right, y1: y(calls), y2: y(calls) }),
      make("text", { x: left - 6, y: y(calls) + 4, "text-anchor": "end" }, decade < 4 ? String(calls) : `1e${decade}`));
  }
  for (const bin of bins) {
    const text = `below ${format(kind, bin.limit)}: ${format("count", bin.calls)} calls`;
    svg.append(make("rect", { x: left + step * bin.place + 1, width: Math.max(step - 2, 1), y: y(bin.calls), height: height - bottom - y(bin.calls), rx: 2 },
      make("title", {}, text)));
  }
  const every = Math.ceil(places / 7);
  for (let place = 0; place < places; place += every)
    svg.append(make("text", { x: left + step * (place + 1), y: height - bottom + 15, "text-anchor": "middle" }, format(kind, bins[0].limit * 2 ** place)));
  svg.append(make("text", { x: left, y: height - 4 }, "below (each bar twice the one before); calls upwards, both logarithmic"));
  return svg;
}

function histogram(chart, head) {
  const series = chart.series.length > 1 ? [all_together(chart.series, chart.together), ...chart.series] : chart.series;
  const place = make("div");
  const show = (number) => place.replaceChildren(histogram_svg(series[number], chart.kind));
  const choice = make("select", { "aria-label": `${chart.title} of`, onchange: (event) => show(event.target.value) },
    ...series.map((one, number) => make("option", { value: number }, one.name)));
  head.append(choice);
  show(0);
  return place;
}

/** A drawing that a command has left; as an image it can run nothing. */
function picture(chart) {
  return make("img", { src: `data:image/svg+xml,${encodeURIComponent(chart.svg)}`, alt: chart.title });
}

const draw = { bars, changes, ranges, heat, histogram, matrix, rates, timeline, times, strips, picture };

function chart_card(chart) {
  const head = make("div", { class: "chart-head" }, make("h2", {}, chart.title));
  const drawn = draw[chart.type] ? draw[chart.type](chart, head) : make("p", {}, "This page cannot draw this.");
  return make("section", { class: `card ${chart.type}-chart` }, head, drawn);
}

// ---- tables

function compare_values(a, b) {
  if (a === undefined || b === undefined) return (a === undefined) - (b === undefined);
  return typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b));
}

function sorted(rows, key, descending) {
  const known = rows.filter((row) => row[key] !== undefined);
  const unknown = rows.filter((row) => row[key] === undefined);
  known.sort((a, b) => (descending ? compare_values(b[key], a[key]) : compare_values(a[key], b[key])));
  return [...known, ...unknown];
}

function table_card(table) {
  const view = { key: null, descending: true, words: "", all: false, is_evidence: () => false };
  const body = make("tbody");
  const head = make("tr");
  const number = make("span", { class: "hint", role: "status" });
  const columns = () => table.columns.filter((column) => view.all || column.brief);
  const fits = (row) => view.words.split(/\s+/).every((word) => Object.values(row).some((value) => String(value).toLowerCase().includes(word)));
  const draw_rows = () => {
    const rows = (view.key ? sorted(table.rows, view.key, view.descending) : table.rows).filter(fits);
    body.replaceChildren(...rows.map((row) => make("tr", { class: view.is_evidence(row) ? "evidence" : undefined }, ...columns().map((column) => {
      const text = format(column.kind, row[column.key], column.change);
      return make("td", { class: column.kind === "text" ? "text" : "right", title: column.kind === "text" && text ? text : undefined }, text);
    }))));
    const left_out = table.left_out ? `; ${table.left_out} more are not on this page, 'cairn report --csv' has them` : "";
    number.textContent = `${rows.length} of ${table.rows.length} rows${left_out}`;
  };
  const sort_by = (column) => {
    view.descending = view.key === column.key ? !view.descending : column.kind !== "text";
    view.key = column.key;
    for (const cell of head.children)
      cell.setAttribute("aria-sort", cell.dataset.key !== view.key ? "none" : view.descending ? "descending" : "ascending");
    draw_rows();
  };
  const draw_head = () => head.replaceChildren(...columns().map((column) =>
    make("th", { scope: "col", class: column.kind === "text" ? "" : "right", "data-key": column.key, "aria-sort": "none" },
      make("button", { type: "button", onclick: () => sort_by(column) }, column.title))));
  const controls = make("div", { class: "controls chart-head" },
    make("input", { type: "search", placeholder: "filter", "aria-label": `filter ${table.title}`, oninput: (event) => { view.words = event.target.value.trim().toLowerCase(); draw_rows(); } }),
    make("label", {}, make("input", { type: "checkbox", onchange: (event) => { view.all = event.target.checked; draw_head(); draw_rows(); } }), " all columns"));
  draw_head();
  draw_rows();
  const card = make("section", { class: "card table" }, make("div", { class: "chart-head" }, make("h2", {}, table.title), controls),
    make("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": table.title }, make("table", {}, make("thead", {}, head), body)), number);
  card.point_at = (is_evidence) => {
    view.is_evidence = is_evidence;
    draw_rows();
    (body.querySelector(".evidence") || card).scrollIntoView({ block: "center" });
  };
  return card;
}

// ---- the page

const name_of = (section) =>
  section.tool + (section.instance === 1 ? "" : ` #${section.instance}`) + (section.part ? `, ${section.part}` : "");

function lines_card(lines) {
  return make("section", { class: "card" }, make("ol", { class: "lines" }, ...lines.map((line) =>
    make("li", {}, make("b", { class: "number" }, line.figure), make("span", {}, line.subject), make("small", {}, line.sentence)))));
}

/** What a section has to say on a question; null if nothing. */
function answer(section, question, cards) {
  const is_answer = (one) => (one.question || section.question) === question;
  const lines = section.lines.filter(is_answer);
  const charts = section.charts.filter(is_answer);
  const tables = Object.entries(section.tables).filter(([, table]) => table.rows.length > 0 && is_answer(table));
  if (lines.length + charts.length + tables.length === 0) return null;
  const drawn = tables.map(([name, table]) => {
    const card = table_card(table);
    if (!cards.has(name)) cards.set(name, { card, question });
    return card;
  });
  return { name: name_of(section), parts: [lines.length ? lines_card(lines) : null, charts.length ? make("div", { class: "charts" }, ...charts.map(chart_card)) : null, ...drawn].filter((part) => part) };
}

/** What belongs to no single tool. */
function own_cards(data, question) {
  const tables = Object.assign({}, ...[...data.sections].reverse().map((section) => section.tables));
  if (question === "change") return [changes_card(data)].filter((card) => card);
  if (question === "ranks" && data.by_rank.columns.length > 0) return [ranks_card(data.by_rank, tables)];
  return [];
}

/** The pages that have something on them: {key, title, parts}. */
function pages_of(data, cards) {
  const pages = data.questions.map(({ key, title }) => {
    const answers = data.sections.map((section) => answer(section, key, cards)).filter((one) => one);
    const with_names = answers.length > 1;
    const parts = answers.flatMap((one) => [...(with_names ? [make("h2", { class: "tool" }, one.name)] : []), ...one.parts]);
    return { key, title, parts: [...own_cards(data, key), ...parts] };
  });
  return pages.filter((page) => page.parts.length > 0);
}

function panel(page, number) {
  return make("div", { role: "tabpanel", id: `panel-${page.key}`, "aria-labelledby": `tab-${page.key}`, hidden: number > 0 }, ...page.parts);
}

/** {bar, choose}: the row of tabs, and what shows the page of a key. */
function tabs(pages, panels) {
  const buttons = pages.map((page, number) => make("button", {
    type: "button", role: "tab", id: `tab-${page.key}`, "aria-controls": `panel-${page.key}`,
    onclick: () => choose(number), onkeydown: (event) => move(event, number),
  }, page.title));
  function mark(chosen) {
    buttons.forEach((button, number) => {
      button.setAttribute("aria-selected", String(number === chosen));
      button.tabIndex = number === chosen ? 0 : -1;
      panels[number].hidden = number !== chosen;
    });
  }
  function choose(chosen) {
    mark(chosen);
    panels[chosen].dispatchEvent(new Event("shown"));  // what is drawn to fit its place could not be before
    buttons[chosen].focus();
  }
  function move(event, number) {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step) choose((number + step + buttons.length) % buttons.length);
  }
  mark(0);
  return { bar: make("div", { class: "tabs", role: "tablist", "aria-label": "questions" }, ...buttons), choose: (key) => choose(pages.findIndex((page) => page.key === key)) };
}

/** Whether a table's row is what a finding is made of. */
function is_row_of(finding, row) {
  const { file, line } = finding.place || {};
  const same_ranks = !finding.ranks_text || row.ranks === undefined || finding.table !== "wait_causes" || row.ranks === finding.ranks_text;
  return Boolean(file) && row.file === file && Number(row.line) === line && same_ranks;
}

function start() {
  const data = JSON.parse(document.getElementById("data").textContent);
  document.title = `${data.title} \u2013 Cairn report`;
  const cards = new Map();  // of tables, by name
  const pages = pages_of(data, cards);
  let navigation = null;
  const show_evidence = (finding) => {
    const found = cards.get(finding.table);
    if (!found) return;
    navigation.choose(found.question);
    found.card.point_at((row) => is_row_of(finding, row));
  };
  const first = overview_panel(data, show_evidence);
  if (first.length > 0) pages.unshift({ key: "overview", title: "Overview", parts: first });
  const panels = pages.map(panel);
  navigation = tabs(pages, panels);
  document.getElementById("page").replaceChildren(
    make("h1", {}, data.title),
    make("dl", { class: "heading" }, ...Object.entries(data.run).map(([name, value]) => make("div", {}, make("dt", {}, name), make("dd", {}, value)))),
    ...data.warnings.map((text) => make("p", { class: "note" }, text)),
    ...(panels.length > 1 ? [navigation.bar] : []), ...panels);
  document.addEventListener("rank", () => { if (pages.some((page) => page.key === "ranks")) navigation.choose("ranks"); });
}

start();
