// SPDX-License-Identifier: BSD-3-Clause
// player.js - plays a recording: shows the look that belongs to a moment, which moves on by itself or by the slider. live.js calls it.
"use strict";

const player = { looks: [], ends: [], moment: 0, shown: -1, at: 0 }; // ends: points up to each look; at: when the moment was moved last

/** Number of the last look that is not after a moment. */
function lookAt(moment) {
  let low = 0, high = player.looks.length - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (player.looks[middle].time <= moment) low = middle; else high = middle - 1;
  }
  return low;
}

/** Looks have what has changed of the matrix and of variables since the look before. */
function showNewsUpTo(number) {
  if (number < player.shown) {
    forgetTraffic();
    vars.all = [];
    player.shown = -1;
  }
  while (player.shown < number) {
    const { matrix, variables } = player.looks[++player.shown];
    if (matrix) addTraffic(matrix);
    if (variables) addVariables(variables);
    for (const [index, ...values] of variables ? variables.changes : []) if (vars.all[index]) vars.all[index].values = values;
  }
}

/** Of a variable, up to the look that is shown: [time, values...]. */
function recordedSeries(number) {
  const series = [];
  for (const { time, variables } of player.looks.slice(0, player.shown + 1))
    for (const [index, ...values] of variables ? variables.changes : []) if (index === number) series.push([time, ...values]);
  return series;
}

function showMoment() {
  const number = lookAt(player.moment);
  one("moment").value = player.moment;
  one("moment-time").textContent = new Date(1000 * player.moment).toLocaleString("en-GB");
  if (number === player.shown) return;
  const look = player.looks[number];
  showNewsUpTo(number);
  points = player.points.slice(0, player.ends[number]);
  functions = look.functions;
  show(look);
}

function moveOn() {
  const now = performance.now();
  if (!isPaused) {
    const last = player.looks[player.looks.length - 1].time;
    player.moment = Math.min(last, player.moment + (now - player.at) / 1000 * Number(one("speed").value));
    if (player.moment === last) pause(true);
    showMoment();
  }
  player.at = now;
}

async function play() {
  player.looks = await get("api/recording");
  player.points = player.looks.flatMap((look) => look.points);
  let sum = 0;
  player.ends = player.looks.map((look) => (sum += look.points.length));
  const first = player.looks[0].time;
  for (const id of ["moment", "moment-time", "speed"]) one(id).hidden = false;
  Object.assign(one("moment"), { min: first, max: player.looks[player.looks.length - 1].time, step: "any" });
  player.moment = first;
  player.at = performance.now();
  one("pause").addEventListener("click", () => { if (player.moment === Number(one("moment").max)) player.moment = first; }); // again
  one("moment").addEventListener("input", () => { player.moment = Number(one("moment").value); showMoment(); });
  showMoment();
  setInterval(moveOn, 50);
}
