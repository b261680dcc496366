// SPDX-License-Identifier: BSD-3-Clause
// overview.js - the first page of a report: efficiency, findings with the way to their evidence, all ranks over time; and what to change
//
// Put in front of report.js, whose functions it uses.
"use strict";

/** Deeper figures are factors of the one above; of two runs, A's stands before B's. */
function efficiency_row(one, of_two) {
  const name = (value) => (value === null ? "unknown" : format("fraction", value));
  const points = one.before === null || one.value === null ? "" : ` (${one.value < one.before ? "\u2212" : "+"}${Math.abs(100 * (one.value - one.before)).toFixed(1)} points)`;
  const bar = (value, kind) => make("i", { class: kind, style: `width:${percent(Math.min(1, Math.max(0, value || 0)))}` });
  return make("li", { class: `depth-${one.depth}` },
    make("span", { class: "label" }, one.title, make("small", {}, one.value === null ? `unknown: ${one.unknown}` : one.meaning)),
    make("span", { class: "track" }, ...(of_two ? [bar(one.before, "before")] : []), bar(one.value, "")),
    make("span", { class: "value number" }, of_two ? `${name(one.before)} \u2192 ${name(one.value)}${points}` : name(one.value)));
}

function efficiency_card(overview) {
  if (overview.efficiency.length === 0) return null;
  return make("section", { class: "card efficiency" }, make("h2", {}, "Efficiency"),
    make("ul", { class: "tree" }, ...overview.efficiency.map((one) => efficiency_row(one, overview.of_two))));
}

function finding_place(place) {
  if (!place) return "";
  const file = place.file ? `${place.file.replace(/.*\//, "")}${place.line ? `:${place.line}` : ""}` : "";
  return [file, place.function].filter((part) => part).join(" ");
}

const cost_text = (seconds) => (seconds === null ? "not known" : format("seconds", seconds));
const finding_cost = { A: (one) => `${cost_text(one.cost_a_s)} in A, not found in B`, B: (one) => `${cost_text(one.cost_b_s)} in B, not found in A`,
  both: (one) => `${cost_text(one.cost_a_s)} in A, ${cost_text(one.cost_b_s)} in B` };

/** `show_evidence`: what leads to the table that has it. */
function finding_item(one, show_evidence) {
  const place = finding_place(one.place);
  const marks = [make("span", { class: `mark ${one.measured ? "measured" : "guess"}` }, one.measured ? "measured" : "a guess")];
  return make("li", {},
    make("b", { class: "number" }, one.cost_share === null ? "?" : format("fraction", one.in === "A" ? 0 : one.cost_share), make("small", {}, "of the run")),
    make("div", {},
      make("h3", {}, one.title, ...marks), place ? make("p", { class: "place" }, place) : null,
      make("p", {}, one.evidence),
      make("p", {}, make("b", {}, "To do: "), one.remedy), one.command ? make("code", {}, one.command) : null,
      make("p", { class: "hint" }, one.in ? finding_cost[one.in](one) : one.figures.join("; "), one.others ? `; and ${one.others} more like it` : "", " ",
        one.table ? make("button", { type: "button", class: "evidence-link", onclick: () => show_evidence(one) }, "evidence") : null)));
}

function findings_card(data, show_evidence) {
  if (!data.overview.is_advised) return null;
  const list = data.findings.length
    ? make("ol", { class: "ranked" }, ...data.findings.map((one) => finding_item(one, show_evidence)))
    : make("p", {}, "None that costs 2 % of the run.");
  return make("section", { class: "card" }, make("h2", {}, "Findings, the dearest first"), list,
    data.overview.not_checked ? make("p", { class: "hint" }, `Not checked for want of tools: ${data.overview.not_checked}.`) : null);
}

/** The most rewarding first. */
function changes_card(data) {
  const changes = data.findings.filter((one) => one.in !== "A" && one.gain_s > 0).sort((a, b) => b.gain_s - a.gain_s);
  if (changes.length === 0) return null;
  const how = (one) => (one.predicted_run_s === null ? "at most" : `predicted: the run takes ${format("seconds", one.predicted_run_s)}`);
  return make("section", { class: "card" }, make("h2", {}, "Changes, the most rewarding first"),
    make("ol", { class: "ranked" }, ...changes.map((one) => make("li", {},
      make("b", { class: "number" }, format("seconds", one.gain_s), make("small", {}, format("fraction", one.gain_share))),
      make("div", {}, make("p", {}, one.remedy), one.command ? make("code", {}, one.command) : null,
        make("p", { class: "hint" }, `${how(one)}; sure: ${one.sure}; because of: ${one.title}${one.place ? `, ${finding_place(one.place)}` : ""}`))))));
}

function overview_panel(data, show_evidence) {
  const cards = [efficiency_card(data.overview), ...data.overview.strips.map(chart_card), findings_card(data, show_evidence)];
  return cards.filter((card) => card);
}
