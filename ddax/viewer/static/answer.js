// The answer of a run as it was written, set as Markdown, with what each statement rests on behind it.

import { h } from "./dom.js";

const ANSWER_SAYS = {
  supported: "A quote says this in the same words.",
  paraphrase: "A quote says this in other words.",
  knowledge: "The model knows this itself; no source says it.",
  unchecked: "Not checked: no quote was found that says it.",
  contradicted: "The quote it was given with says otherwise.",
};
const ANSWER_MARKS = { supported: "", paraphrase: "≈", knowledge: "m", unchecked: "?", contradicted: "!" };
const ANSWER_FENCE = /^\s*(```|~~~)/, ANSWER_RULER = /^[\s:|-]+$/, ANSWER_HEADING = /^\s*(#{1,6})\s+/;
const ANSWER_INLINE = /(\*\*[^*\n]+\*\*|`[^`\n]+`|(?<![\w*])\*[^*\s][^*\n]*\*(?![\w*])|!?\[[^\]\n]*\]\([^)\s]+\))/;
const ANSWER_LINK = /^!?\[([^\]\n]*)\]\(([^)\s]+)\)$/, ANSWER_ITEM = /^\s*(?:[-*+•]|\d{1,3}[.)])\s+/;

function answerStyled(text) {
  return text.split(ANSWER_INLINE).map((part) => {
    if (part.length > 4 && part.startsWith("**") && part.endsWith("**")) return h("b", {}, part.slice(2, -2));
    if (part.length > 2 && part.startsWith("`") && part.endsWith("`")) return h("code", {}, part.slice(1, -1));
    if (part.length > 2 && part.startsWith("*") && part.endsWith("*")) return h("i", {}, part.slice(1, -1));
    const link = ANSWER_LINK.exec(part); // told as text: nothing that was read becomes a way out of the page
    if (link) return h("span", { class: "link", title: link[2] }, link[1] || link[2]);
    return part;
  });
}

function answerMark(span) {
  const said = `${ANSWER_MARKS[span.status] ?? "?"}${(span.citations ?? []).join(", ")}`;
  return said ? h("sup", { title: ANSWER_SAYS[span.status] ?? "" }, `[${said}]`) : null;
}

// Offsets count whole characters, as Python's do.
function answerPieces(signs, spans, start, end) {
  const found = [];
  let place = start;
  for (const span of spans.filter((one) => one.start < end && one.end > start)) {
    const from = Math.max(span.start, place), to = Math.min(span.end, end);
    if (from > place) found.push(...answerStyled(signs.slice(place, from).join("")));
    const words = answerStyled(signs.slice(from, to).join(""));
    found.push(h("span", { class: `said ${span.status}`, title: ANSWER_SAYS[span.status] ?? "" }, words, to === span.end ? answerMark(span) : null));
    place = to;
  }
  if (place < end) found.push(...answerStyled(signs.slice(place, end).join("")));
  return found;
}

function answerLines(signs) {
  const found = [];
  let start = 0;
  for (let n = 0; n <= signs.length; n += 1) {
    if (n === signs.length || signs[n] === "\n") {
      found.push({ start, end: n, text: signs.slice(start, n).join("") });
      start = n + 1;
    }
  }
  return found;
}

function answerCells(signs, line) {
  const bars = [];
  for (let n = line.start; n < line.end; n += 1) if (signs[n] === "|" && signs[n - 1] !== "\\") bars.push(n);
  if (line.text.trimEnd().endsWith("|")) bars.pop();
  const starts = line.text.trimStart().startsWith("|") ? bars : [line.start - 1, ...bars];
  return starts.map((bar, k) => [bar + 1, starts[k + 1] ?? (line.text.trimEnd().endsWith("|") ? line.start + line.text.trimEnd().length - 1 : line.end)]);
}

function answerTable(signs, spans, rows) {
  const made = rows.map((row, k) => h("tr", {}, answerCells(signs, row).map(([from, to]) => h(k ? "td" : "th", {}, answerPieces(signs, spans, from, to)))));
  return h("table", {}, h("thead", {}, made[0]), h("tbody", {}, made.slice(1)));
}

// Spans that all say the same of themselves are told by a note, and marked nowhere.
export function answerBlocks(text, given) {
  const signs = Array.from(text), all = answerLines(signs), blocks = [];
  const alike = given.every((span) => span.status === "knowledge");
  const spans = alike ? [] : given;
  for (let n = 0; n < all.length; n += 1) {
    const line = all[n], heading = ANSWER_HEADING.exec(line.text);
    if (ANSWER_FENCE.test(line.text)) {
      let last = n + 1;
      while (last < all.length && !ANSWER_FENCE.test(all[last].text)) last += 1;
      blocks.push(h("pre", {}, all.slice(n + 1, last).map((one) => one.text).join("\n")));
      n = last;
    } else if (line.text.trimStart().startsWith("|") && ANSWER_RULER.test(all[n + 1]?.text ?? "") && all[n + 1].text.includes("-")) {
      let last = n + 2;
      while (last < all.length && all[last].text.trimStart().startsWith("|")) last += 1;
      blocks.push(answerTable(signs, spans, [line, ...all.slice(n + 2, last)]));
      n = last - 1;
    } else if (ANSWER_ITEM.test(line.text)) {
      const items = [];
      for (; n < all.length && ANSWER_ITEM.test(all[n].text); n += 1) {
        const lead = Array.from(ANSWER_ITEM.exec(all[n].text)[0]).length;
        items.push(h("li", {}, answerPieces(signs, spans, all[n].start + lead, all[n].end)));
      }
      n -= 1;
      blocks.push(h(/^\s*\d/.test(line.text) ? "ol" : "ul", { class: "items", start: /^\s*\d/.test(line.text) ? parseInt(line.text, 10) : null }, items));
    } else if (heading) {
      blocks.push(h("p", { class: "title" }, h("b", {}, answerStyled(line.text.slice(heading[0].length)))));
    } else if (line.text.trim()) {
      let last = n;
      while (all[last + 1]?.text.trim() && !ANSWER_HEADING.test(all[last + 1].text) && !ANSWER_ITEM.test(all[last + 1].text) && !ANSWER_FENCE.test(all[last + 1].text) && !all[last + 1].text.trimStart().startsWith("|")) last += 1;
      blocks.push(h("p", { class: "text" }, answerPieces(signs, spans, line.start, all[last].end)));
      n = last;
    }
  }
  return blocks;
}

export function answerLegend(spans) {
  const used = Object.keys(ANSWER_MARKS).filter((status) => status !== "supported" && spans.some((one) => one.status === status));
  if (spans.every((one) => one.status === "knowledge")) return null;
  return used.length ? h("p", { class: "small soft" }, used.map((status) => [h("span", { class: `said ${status}` }, `[${ANSWER_MARKS[status]}]`), ` ${ANSWER_SAYS[status]} `])) : null;
}
