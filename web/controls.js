// SPDX-License-Identifier: BSD-3-Clause
// controls.js - control variables: choosing one, setting it for ranks, and a line for every change; tools and the policy, on and off. live.js calls it.
"use strict";

let controls = [];

const chosen = () => controls.find((control) => control.name === one("control").value);

function showChosen() {
  const control = chosen();
  one("set").disabled = !control;
  one("control-about").textContent = control
    ? [control.text.replace(/([^.])$/, "$1."), `Type ${control.type}${control.values ? `: ${control.values}` : ""}.`,
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
  showTools();
}

// ---- tools

const SWITCH = "_active";
const SWITCHED = { [SWITCH]: "tool", _filters: "filters of" };
/** The ending of the name, if it is a switch. */
const endingOf = ({ name, values }) => (values === "off, on" ? Object.keys(SWITCHED).find((ending) => name.endsWith(ending)) : undefined);

/** "on", or "off on 1, on on 0,2-3". */
function stateText({ now }) {
  const words = { 0: "off", 1: "on" };
  return now.length === 1 ? words[now[0][0]] : now.map(([value, ranks]) => `${words[value]} on ${ranks}`).join(", ");
}

function button(text, action) {
  const made = make("button", "", text);
  made.type = "button";
  made.addEventListener("click", action);
  return made;
}

/** Rows stay as they are while nothing changes, so that buttons can be pressed. */
function showTools() {
  const switches = controls.filter(endingOf);
  const shown = JSON.stringify(switches.map(({ name, now }) => [name, now]));
  if (one("tools").dataset.shown === shown) return;
  one("tools").dataset.shown = shown;
  fill(one("tools"), ...switches.map((control) => {
    const state = stateText(control);
    const buttons = [["off", "Switch off"], ["on", "Switch on"]].filter(([value]) => value !== state).map(([value, text]) => button(text, () => order(control.name, value, "")));
    const ending = endingOf(control);
    return make("tr", "", make("td", "", `${SWITCHED[ending]} ${control.name.slice(0, -ending.length)}`), make("td", "", state), make("td", "", ...buttons));
  }));
}

// ---- the policy

const NO_POLICY = "None can be given to this job: it takes the tool 'policy' without a file, beside 'where' (cairn run --tools where,policy).";

function showPolicy({ policy, takes_policies: takes, job }) {
  const isRecorded = player.looks.length !== 0;
  const isRunning = !isRecorded && Boolean(job) && !job.is_over;
  const canBeGiven = isRunning && Boolean(takes);
  one("policy").hidden = !policy && !isRunning;
  one("giving").hidden = !canBeGiven;
  one("policy-note").textContent = isRunning && !takes ? NO_POLICY : "";
  one("policy-now").hidden = !policy;
  one("policy-switch").hidden = true;
  one("policy-file").textContent = canBeGiven ? "None is followed yet." : "";
  if (!policy) return;
  const control = controls.find(({ name }) => name === `policy${SWITCH}`);
  const isOff = Boolean(control) && stateText(control) === "off";
  one("policy-file").textContent = `${policy.file}${policy.dry_run ? ", dry run: nothing is changed" : ""}${isOff ? ", stopped" : ""}`;
  one("policy-switch").hidden = !control || isRecorded;
  one("policy-switch").textContent = isOff ? "Follow it again" : "Stop it";
  one("policy-switch").value = isOff ? "on" : "off";
  fill(one("policy-rules"), ...policy.rules.map((rule) => make("tr", "", make("td", "", rule.title),
    ...[rule.looks, rule.held, rule.acted, rule.taken_back].map((count) => make("td", "right", count.toLocaleString("en"))))));
  fill(one("policy-events"), ...policy.events.map((event) => make("tr", "", make("td", "", clock(event.last)), make("td", "", event.rule),
    make("td", "", event.what), make("td", "", `on ${event.ranks}${event.times > 1 ? `, ${event.times} times since ${clock(event.first)}` : ""}`))));
}

// ---- changes

function changeText(change) {
  const parts = [];
  if (change.set) parts.push(`${change.name === "policy" ? "followed" : "set"} on ${change.set}`);
  for (const [ranks, why] of change.refused) parts.push(`refused by ${ranks}: ${why}`);
  if (change.waiting) parts.push(`${change.waiting} not at a safe point yet`);
  return parts.join("; ");
}

function showChanges(changes) {
  fill(one("changes"), ...[...changes].reverse().map((change) => make("tr", "", make("td", "", clock(change.time)), make("td", "", `${change.name} = ${change.value}`), make("td", "", changeText(change)))));
}

/** `place` shows what is refused. */
async function change(path, values, place, body) {
  try {
    const answer = await fetch(`${path}?${new URLSearchParams(values)}`, { method: "POST", headers: { Authorization: `Bearer ${token}` }, body });
    one(place).textContent = answer.ok ? "" : await answer.text();
  } catch { one(place).textContent = "'cairn live' does not answer"; }
}

const order = (variable, value, ranks) => change("api/set", { variable, value, ranks }, "set-problem");

one("control").addEventListener("input", showChosen);
one("setting").addEventListener("submit", (event) => {
  event.preventDefault();
  order(one("control").value, one("value").value, one("ranks").value);
});
one("policy-switch").addEventListener("click", () => order(`policy${SWITCH}`, one("policy-switch").value, ""));
one("policy-pick").addEventListener("change", async () => {
  const [file] = one("policy-pick").files;
  if (!file) return;
  one("policy-name").value = file.name;
  one("policy-text").value = await file.text();
});
one("giving").addEventListener("submit", (event) => {
  event.preventDefault();
  one("policy-problem").textContent = "Checking it …";
  change("api/policy", { value: one("policy-name").value }, "policy-problem", one("policy-text").value);
});
