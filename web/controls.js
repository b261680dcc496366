// SPDX-License-Identifier: BSD-3-Clause
// controls.js - control variables: choosing one, setting it for ranks, and a line for every change. live.js calls it.
"use strict";

let controls = [];

const chosen = () => controls.find((control) => control.name === one("control").value);

function showChosen() {
  const control = chosen();
  one("set").disabled = !control;
  one("control-about").textContent = control
    ? [control.text, `Type ${control.type}${control.values ? `: ${control.values}` : ""}.`,
      control.only_together ? "Must be the same on all ranks, which set it in the same collective call." : "Each rank can have its own.",
      `Now ${control.now.map(([value, ranks]) => `${value === "" ? "empty" : value} on ${ranks}`).join(", ")}.`].join(" ")
    : "";
  fill(one("values"), ...(control && control.values ? control.values.split(", ") : []).map((name) => Object.assign(make("option", ""), { value: name })));
}

function showControls(list) {
  if (String(list.map(({ name }) => name)) !== String(controls.map(({ name }) => name)))
    fill(one("controls"), ...list.map(({ name }) => Object.assign(make("option", ""), { value: name })));
  controls = list;
  showChosen();
}

function changeText(change) {
  const parts = [];
  if (change.set) parts.push(`set on ${change.set}`);
  for (const [ranks, why] of change.refused) parts.push(`refused by ${ranks}: ${why}`);
  if (change.waiting) parts.push(`${change.waiting} not at a safe point yet`);
  return parts.join("; ");
}

function showChanges(changes) {
  fill(one("changes"), ...[...changes].reverse().map((change) => make("tr", "", make("td", "", clock(change.time)), make("td", "", `${change.name} = ${change.value}`), make("td", "", changeText(change)))));
}

async function set(event) {
  event.preventDefault();
  const query = new URLSearchParams({ variable: one("control").value, value: one("value").value, ranks: one("ranks").value });
  try {
    const answer = await fetch(`api/set?${query}`, { method: "POST", headers: { Authorization: `Bearer ${token}` } });
    one("set-problem").textContent = answer.ok ? "" : await answer.text();
  } catch { one("set-problem").textContent = "'cairn live' does not answer"; }
}

one("control").addEventListener("input", showChosen);
one("setting").addEventListener("submit", set);
