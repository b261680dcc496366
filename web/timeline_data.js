// SPDX-License-Identifier: BSD-3-Clause
// timeline_data.js - the calls and messages of a timeline, as cli/report/timeline_calls.cc packs them
"use strict";

function timeline_bytes(text) {
  const raw = atob(text);
  const bytes = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; ++i) bytes[i] = raw.charCodeAt(i);
  return bytes;
}

/** Of numbers with 7 bits in each byte. */
function timeline_numbers(text) {
  const bytes = timeline_bytes(text);
  let at = 0;
  const next = () => {
    for (let number = 0, factor = 1; ; factor *= 128) {
      const byte = bytes[at++];
      number += (byte & 127) * factor;
      if (byte < 128) return number;
    }
  };
  return { next, is_over: () => at >= bytes.length };
}

/** By row: begin, end, kind and depth of each call, by their beginnings. */
function timeline_calls(chart) {
  const numbers = timeline_numbers(chart.calls);
  return chart.rows.map(() => {
    const count = numbers.next();
    const row = { begin: new Float64Array(count), end: new Float64Array(count), kind: new Uint32Array(count), depth: new Uint8Array(count) };
    const open = [];
    for (let i = 0, begin = 0; i < count; ++i) {
      row.begin[i] = begin += numbers.next();
      row.end[i] = begin + numbers.next();
      row.kind[i] = numbers.next();
      while (open.length && row.end[open[open.length - 1]] <= begin) open.pop();
      row.depth[i] = Math.min(open.length, 255);
      open.push(i);
    }
    return row;
  });
}

function timeline_messages(chart) {
  const numbers = timeline_numbers(chart.messages);
  const all = [];
  while (!numbers.is_over()) {
    const [from, sent, to, received, bytes, tag] = Array.from({ length: 6 }, numbers.next);
    all.push({ from, sent, to, received, bytes, tag });
  }
  return all;
}

/** The first of a row that may reach beyond a moment. */
function timeline_first(row, moment) {
  let low = 0;
  let high = row.begin.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (row.begin[middle] < moment) low = middle + 1;
    else high = middle;
  }
  if (low > 0) --low;
  while (low > 0 && row.depth[low] > 0) --low;
  return low;
}

/** The innermost call of a row at a moment; -1: none. */
function timeline_call_at(row, moment) {
  let found = -1;
  for (let i = timeline_first(row, moment); i < row.begin.length && row.begin[i] <= moment; ++i)
    if (row.end[i] >= moment) found = i;
  return found;
}
