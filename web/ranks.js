// SPDX-License-Identifier: BSD-3-Clause
// ranks.js - one rank against the others: its figures of all tools, whom it waits for, who waits for it, and whom it talks to
//
// Put in front of report.js, whose functions it uses. `by_rank` has columns and, for each, the values of all ranks; null: not known.
"use strict";

function ranks_summary(values) {
  let least = Infinity, most = -Infinity, sum = 0, count = 0, where = 0;
  values.forEach((value, rank) => {
    if (value === null) return;
    least = Math.min(least, value);
    if (value > most) { most = value; where = rank; }
    sum += value;
    ++count;
  });
  return { least, most, where, mean: count ? sum / count : 0 };
}

/** Partners of a rank in a table of pairs, those with most first. */
function ranks_partners(table, own, other, value, rank, title) {
  if (!table) return null;
  const rows = table.rows.filter((row) => row[own] === rank && row[value] > 0).sort((a, b) => b[value] - a[value]);
  if (rows.length === 0) return null;
  const kind = table.columns.find((column) => column.key === value).kind;
  const words = rows.slice(0, 6).map((row) => `rank ${row[other]} ${format(kind, row[value])}`).join(", ");
  return make("p", {}, make("b", {}, `${title}: `), words, rows.length > 6 ? `, and ${rows.length - 6} more` : "");
}

function ranks_card({ columns }, tables) {
  const by_rank = { columns: [...columns].sort((a, b) => (b.kind === "seconds") - (a.kind === "seconds")) };
  const summaries = by_rank.columns.map((column) => ranks_summary(column.values));
  const count = Math.max(...by_rank.columns.map((column) => column.values.length));
  const body = make("ul", { class: "bars rank-figures" });
  const partners = make("div");
  const number = make("input", { type: "number", min: 0, max: count - 1, value: 0, "aria-label": "rank", onchange: () => show(number.value) });
  const step = (by, name) => make("button", { type: "button", "aria-label": name, onclick: () => show(Number(number.value) + by) }, by < 0 ? "\u2039" : "\u203a");
  function row(column, place, rank) {
    const { least, most, where, mean } = summaries[place];
    const value = column.values[rank];
    const part = (one) => percent(most > 0 ? Math.max(0, one) / most : 0);
    return make("li", { class: "bar", title: `${format(column.kind, least)} to ${format(column.kind, most)}, mean ${format(column.kind, mean)}` },
      make("span", { class: "label" }, column.title),
      make("span", { class: "track" }, make("i", { style: `left:0;width:${part(value || 0)}` }), make("i", { class: "mean", style: `left:${part(mean)}` })),
      make("span", { class: "value number" }, value === null ? "unknown" : format(column.kind, value)),
      make("button", { type: "button", class: "most", title: "go to the rank with most", onclick: () => show(where) }, `most: rank ${where}, ${format(column.kind, most)}`));
  }
  function show(asked) {
    const rank = Math.max(0, Math.min(count - 1, Math.round(Number(asked) || 0)));
    number.value = rank;
    body.replaceChildren(...by_rank.columns.map((column, place) => row(column, place, rank)));
    partners.replaceChildren(...[
      ranks_partners(tables.wait_pairs, "waiter", "late", "time_s", rank, "Waits for"),
      ranks_partners(tables.wait_pairs, "late", "waiter", "time_s", rank, "Makes wait"),
      ranks_partners(tables.pairs, "from", "to", "bytes", rank, "Sends to"),
      ranks_partners(tables.pairs, "to", "from", "bytes", rank, "Receives from"),
    ].filter((one) => one));
  }
  show(0);
  const card = make("section", { class: "card rank-view" },
    make("div", { class: "chart-head" }, make("h2", {}, "One rank against the others"), make("div", { class: "controls" }, step(-1, "rank before"), number, step(1, "next rank"), ` of ${count.toLocaleString("en")}`)),
    body, make("p", { class: "hint" }, "The mark is the mean; a bar of full length is the rank with most."), partners);
  document.addEventListener("rank", (event) => show(event.detail));
  return card;
}
