// SPDX-License-Identifier: BSD-3-Clause
// variables.js - performance variables: the list, a search in it, and charts of those that are chosen. live.js and player.js call it.
"use strict";

const MOST_LISTED = 50;
const vars = { ranks: 0, byRank: false, all: [], charts: new Map(), listed: "", isAsking: false }; // all: {name, class, text, of_tool, grows, values}; charts: by number

function forgetVariables() {
  for (const number of [...vars.charts.keys()]) removeChart(number);
  Object.assign(vars, { ranks: 0, byRank: false, all: [], listed: "" });
}

function addVariables(list) {
  vars.ranks = list.ranks;
  vars.byRank = list.by_rank;
  vars.all.push(...list.variables);
  (list.values || []).forEach((values, number) => { vars.all[number].values = values; });
}

// ---- the list

const short = (value) => (value === null || value === undefined ? "–" : Number.isInteger(value) ? value.toLocaleString("en") : value.toPrecision(4));

/** "3 to 17", of all ranks. */
function spread(values) {
  const known = (values || []).filter((value) => value !== null);
  if (!known.length) return "–";
  const least = Math.min(...known);
  const most = Math.max(...known);
  return least === most ? short(least) : `${short(least)} to ${short(most)}`;
}

/** Every word must be in the name, the class or the description. */
function found() {
  const words = one("search").value.toLowerCase().split(/\s+/).filter(Boolean);
  return [...vars.all.keys()].filter((number) => {
    const { name, class: ofClass, text } = vars.all[number];
    const whole = `${name} ${ofClass} ${text}`.toLowerCase();
    return words.every((word) => whole.includes(word));
  });
}

function listRow(number) {
  const variable = vars.all[number];
  const box = make("input", "");
  Object.assign(box, { type: "checkbox", checked: vars.charts.has(number) });
  box.addEventListener("change", () => (box.checked ? addChart(number) : removeChart(number)));
  const label = make("label", "", box, ` ${variable.name}`);
  label.title = variable.text;
  return make("tr", "", make("td", "", label), make("td", "", variable.class), make("td", "right"));
}

/** Rows stay while they show the same variables, so that the pointer finds what it was at. */
function drawList() {
  one("variables").hidden = vars.all.length === 0;
  one("variables-note").hidden = vars.all.length !== 0;
  const numbers = found();
  const listed = numbers.slice(0, MOST_LISTED);
  one("found").textContent = `${numbers.length} of ${vars.all.length}${numbers.length > MOST_LISTED ? `, the first ${MOST_LISTED}` : ""}`;
  if (String(listed) !== vars.listed) fill(one("list"), ...listed.map(listRow));
  vars.listed = String(listed);
  listed.forEach((number, row) => { one("list").rows[row].lastElementChild.textContent = spread(vars.all[number].values); });
}

// ---- charts

function addChart(number) {
  const canvas = make("canvas", "");
  const perSecond = make("input", "");
  Object.assign(perSecond, { type: "checkbox", checked: vars.all[number].grows });
  perSecond.addEventListener("change", () => drawVariable(number));
  const card = make("section", "card variable", make("h2", "", vars.all[number].name), make("p", "hint", vars.all[number].text),
    make("div", "chart", canvas), make("label", "hint", perSecond, " change per second"));
  card.dataset.variable = number;
  one("variable-charts").append(card);
  vars.charts.set(number, { card, perSecond, chart: lines(canvas, ""), points: [], look: 0 });
  refreshCharts();
}

function removeChart(number) {
  const { card, chart } = vars.charts.get(number);
  chart.destroy();
  card.remove();
  vars.charts.delete(number);
}

/** What has come to the variables that are shown. */
async function askSeries() {
  for (const [number, one] of vars.charts) {
    const more = await get(`api/series?variable=${number}&after=${one.look}`);
    one.points.push(...more.points);
    one.look = more.look;
  }
}

async function refreshCharts() {
  if (vars.isAsking) return;
  vars.isAsking = true;
  try {
    if (!player.looks.length) await askSeries();
    else for (const [number, one] of vars.charts) one.points = recordedSeries(number);
    for (const number of vars.charts.keys()) drawVariable(number);
  } catch { // the next look tells it
  } finally { vars.isAsking = false; }
}

/** By line: from [time, values...], of which each holds until the next, or the change from one to the next. */
function dataOf(points, line, perSecond, until) {
  if (!perSecond) {
    const data = points.map((point) => ({ x: point[0], y: point[line] }));
    return data.length && until > data[data.length - 1].x ? [...data, { x: until, y: data[data.length - 1].y }] : data;
  }
  const data = [];
  for (let i = 1; i < points.length; ++i)
    data.push({ x: points[i][0], y: points[i][line] === null || points[i - 1][line] === null ? NaN : (points[i][line] - points[i - 1][line]) / (points[i][0] - points[i - 1][0]) });
  return data;
}

function drawVariable(number) {
  const { chart, points: own, perSecond } = vars.charts.get(number);
  const until = points.length ? points[points.length - 1].time : 0;
  const seconds = Number(one("range").value);
  const first = seconds ? until - seconds : own.length ? own[0][0] : 0;
  const data = (index) => dataOf(own, index + 1, perSecond.checked, until).filter(({ x }) => x >= first && x <= until);
  const more = { stepped: perSecond.checked ? "after" : "before" };
  const band = `${COLORS[0]}33`;
  const made = vars.byRank
    ? Array.from({ length: vars.ranks }, (_, rank) => line(`rank ${rank}`, COLORS[rank % COLORS.length], data(rank), { ...more, ...(rank < COLORS.length ? {} : { borderDash: [5, 3] }) }))
    : [line("least", band, data(0), more), line("most", band, data(2), { ...more, fill: "-1", backgroundColor: band }), line("mean", COLORS[0], data(1), more)];
  setLines(chart, made, first || undefined, until || undefined);
}

one("search").addEventListener("input", drawList);
