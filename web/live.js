// SPDX-License-Identifier: BSD-3-Clause
// live.js - asks the collector what the job does, and shows it. Texts from it only ever become text nodes.
"use strict";

const token = location.hash.slice(1);
const COLORS = ["#2f6fb4", "#c84e28", "#2c9a6a", "#8a5cc7", "#c79a1e", "#3aa6b9", "#b8467f", "#7a8794"];
const MOST_LINES = 16; // ranks; of more, a band is shown
const FUNCTIONS = 8; // the most called

let points = [];
let functions = [];
let followed = ""; // which collector, and which of its jobs
let next = 0; // number of the point to ask for
let isPaused = false;

function fill(element, ...children) { element.replaceChildren(...children.filter((child) => child !== null)); }

function make(tag, name, ...children) {
  const element = document.createElement(tag);
  if (name) element.className = name;
  element.append(...children);
  return element;
}

function duration(seconds) {
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  if (seconds < 120) return `${Math.round(seconds)} s`;
  if (seconds < 7200) return `${Math.round(seconds / 60)} min`;
  return `${Math.floor(seconds / 3600)} h ${Math.round((seconds % 3600) / 60)} min`;
}

// ---- words

const STATES = { moving: ["", "moving"], waiting: ["", "some ranks wait"], stuck: ["bad", "stuck: all ranks wait"], died: ["bad", "died"], over: ["quiet", "over"] };

function showState(data) {
  const { job, where } = data;
  let [look, text] = job ? STATES[where.state] : ["quiet", "waiting for a job with the tool 'where' in its stack"];
  if (job && job.is_over && where.state !== "died") [look, text] = STATES.over;
  if (job && !job.is_over && where.state !== "moving") text += `, and nothing has happened for ${duration(where.last_event_s)}`;
  one("state").className = look;
  one("state").textContent = text;
}

function showJob(data) {
  const job = data.job;
  one("title").textContent = job ? `${job.program} on ${job.ranks} ${job.ranks === 1 ? "rank" : "ranks"}` : "Cairn live";
  document.title = job ? `${job.program} - Cairn live` : "Cairn live";
  if (!job) return fill(one("job"));
  const facts = [["run", job.run], ["host", job.host], ["MPI", job.mpi], ["running for", duration(job.running_s)], ["results", job.folder]];
  if (job.seen < job.ranks) facts.push(["not seen", `${job.ranks - job.seen} ranks: on other nodes, or without the tool 'where'`]);
  if (data.others.length) facts.push(["more jobs of yours here", data.others.join(", ")]);
  fill(one("job"), ...facts.filter(([, value]) => value).map(([name, value]) => make("div", "", make("dt", "", name), make("dd", "", value))));
}

function showGroups(where) {
  const groups = where ? where.groups : [];
  fill(one("groups"), ...groups.map((group) => make("tr", "", make("td", "", group.ranks), make("td", group.state === "waiting" && group.longest_s > 5 ? "waits" : "", group.doing),
    make("td", "", group.place || ""), make("td", "right", duration(group.longest_s)))));
  fill(one("findings"), ...(where ? where.findings : []).map((finding) => make("li", "", finding.text)));
}

function showProblem(text) {
  one("problem").hidden = !text;
  one("problem").textContent = text;
}

// ---- charts

const clock = (seconds) => new Date(1000 * seconds).toLocaleTimeString("en-GB");
const ink = getComputedStyle(document.documentElement);
Chart.defaults.color = ink.getPropertyValue("--soft");
Chart.defaults.borderColor = ink.getPropertyValue("--line");
Chart.defaults.font.family = getComputedStyle(document.body).fontFamily;

function lines(canvas, yTitle, most) {
  return new Chart(canvas, {
    type: "line",
    data: { datasets: [] },
    options: {
      animation: false, parsing: false, normalized: true, maintainAspectRatio: false, spanGaps: false,
      interaction: { mode: "nearest", axis: "x", intersect: false },
      elements: { point: { radius: 0, hitRadius: 8 }, line: { borderWidth: 1.8 } },
      scales: {
        x: { type: "linear", ticks: { callback: clock, maxTicksLimit: 5, maxRotation: 0 } },
        y: { beginAtZero: true, suggestedMax: most, title: { display: true, text: yTitle } },
      },
      plugins: {
        legend: { position: "bottom", labels: { boxWidth: 12, boxHeight: 2 } },
        tooltip: { callbacks: { title: (items) => (items.length ? clock(items[0].parsed.x) : "") } },
      },
    },
  });
}

const share = lines(one("share"), "% of the time", 100);
const calls = lines(one("calls"), "calls per second");

const line = (label, color, data, more = {}) => ({ label, data, borderColor: color, backgroundColor: color, ...more });
const percent = (value) => (value === null || value === undefined ? NaN : 100 * value);

function shareLines(shown) {
  const ranks = shown.length ? shown[shown.length - 1].shares.length : 0;
  const at = (value) => shown.map((point) => ({ x: point.time, y: percent(value(point)) }));
  if (ranks > 0 && ranks <= MOST_LINES)
    return Array.from({ length: ranks }, (_, rank) => line(`rank ${rank}`, COLORS[rank % COLORS.length], at((point) => point.shares[rank]),
      rank < COLORS.length ? {} : { borderDash: [5, 3] }));
  const band = `${COLORS[0]}33`;
  return [line("least", band, at((point) => point.share[0])), line("most", band, at((point) => point.share[2]), { fill: "-1", backgroundColor: band }),
    line("mean", COLORS[0], at((point) => point.share[1]))];
}

/** The most called of what is shown; a line keeps its function's color. */
function callLines(shown) {
  const sums = functions.map((_, i) => shown.reduce((sum, point) => sum + (point.calls[i] || 0), 0));
  const order = functions.map((_, i) => i).filter((i) => sums[i] > 0).sort((a, b) => sums[b] - sums[a]).slice(0, FUNCTIONS);
  return order.sort((a, b) => a - b).map((i) => line(functions[i], COLORS[i % COLORS.length], shown.map((point) => ({ x: point.time, y: point.calls[i] || 0 }))));
}

function draw() {
  const seconds = Number(one("range").value);
  const last = points.length ? points[points.length - 1].time : 0;
  const shown = seconds ? points.filter((point) => point.time > last - seconds) : points;
  for (const [chart, made] of [[share, shareLines(shown)], [calls, callLines(shown)]])
    setLines(chart, made, shown.length ? shown[0].time : undefined, last || undefined);
  refreshCharts();
}

/** A line that stays keeps what the user has hidden. */
function setLines(chart, made, first, last) {
  chart.data.datasets = made.map((one) => Object.assign(chart.data.datasets.find((old) => old.label === one.label) || {}, one));
  Object.assign(chart.options.scales.x, { min: first, max: last });
  chart.update("none");
}

function show(data) {
  showState(data);
  showJob(data);
  showGroups(data.where);
  showProblem(data.problems.join("\n"));
  draw();
  drawTraffic();
  drawList();
  one("settings").hidden = !data.has_controls && !(data.changes || []).length;
  one("setting").hidden = player.looks.length !== 0 || !data.has_controls;
  one("tools-box").hidden = player.looks.length !== 0;
  showChanges(data.changes || []);
  showPolicy(data);
}

// ---- asking

function take(data) {
  const isOther = followed !== `${data.since} ${data.jobs}`;
  followed = `${data.since} ${data.jobs}`;
  if (isOther) { points = []; next = 0; forgetTraffic(); forgetVariables(); }
  functions = data.functions;
  if (!isOther) {
    points.push(...data.points.filter((point) => point.number >= next));
    if (points.length > 3600) points = points.slice(-3600);
    next = data.points.length ? data.points[data.points.length - 1].number + 1 : next;
  }
  show(data);
  return isOther || next < data.next ? 0 : Math.max(1000 * data.due_s + 20, 50); // when there is something new
}

async function get(path) {
  const answer = await fetch(path, { headers: { Authorization: `Bearer ${token}` } });
  if (!answer.ok) throw new Error(await answer.text());
  return answer.json();
}

async function ask() {
  let wait = 1000;
  try {
    const data = await get(`api/state?after=${next}`);
    if (data.is_recording) return await play();
    const matrix = data.has_matrix && !isPaused ? await get(`api/matrix?after=${traffic.look}`) : null;
    const variables = data.has_variables && !isPaused ? await get(`api/variables?after=${vars.all.length}`) : null;
    const list = data.has_controls && !isPaused ? await get("api/controls") : null;
    if (!isPaused) {
      if (list) showControls(list);
      if (matrix) addTraffic(matrix);
      if (variables) addVariables(variables);
      wait = take(data);
    }
  } catch (error) {
    showProblem(error instanceof TypeError ? "'cairn live' does not answer; it is asked again every second" : error.message);
  }
  setTimeout(ask, wait);
}

function pause(yes) {
  isPaused = yes;
  one("pause").setAttribute("aria-pressed", isPaused);
  one("pause").textContent = isPaused ? "Go on" : "Pause";
}

one("pause").addEventListener("click", () => pause(!isPaused));
one("range").addEventListener("change", draw);
ask();
