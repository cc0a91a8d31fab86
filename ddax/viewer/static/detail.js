// One idea: what it saw, did, expected and got, how it was scored and judged, what it cost, what it changed.

import { answerBlocks, answerLegend } from "./answer.js";
import { h, money, number, pill, put, s, short } from "./dom.js";

const TERMS = [["alignment", 1], ["value", 2], ["exploration", 3], ["tabu", 4]];

export function section(title, ...content) {
  return h("section", {}, h("h3", { text: title }), h("div", { class: "stack" }, content));
}

export function bar(share, kind) {
  const part = Math.min(1, Math.max(0, Number(share) || 0));
  return s("svg", { viewBox: "0 0 100 9", preserveAspectRatio: "none", "aria-hidden": "true" },
    s("rect", { class: "track", width: 100, height: 9, rx: 2 }), s("rect", { class: kind, width: part * 100, height: 9, rx: 2 }));
}

export function bars(rows) {
  return h("div", { class: "bars" }, rows.map(([label, value, kind, full = 1]) => [
    h("span", { class: "soft" }, label), bar(Math.abs(value ?? 0) / full, value < 0 ? "fillbad" : kind), h("span", { class: "v" }, number(value)),
  ]));
}

export function detail(found, { pageOf, close }) {
  const idea = found.idea;
  const lived = found.ledger[found.ledger.length - 1], debates = found.debates.slice(-3).reverse();
  return [
    h("div", { class: "head" },
      h("div", { class: "row" }, pill(idea.status), h("span", { class: "mono" }, idea.id), h("span", {}, idea.kind), h("span", { class: "grow" }), h("button", { class: "plain", "aria-label": "Close the details", on: { click: close } }, "✕")),
      h("h2", { class: "text" }, idea.title),
      ideaNumbers(idea)),
    idea.reason ? section("Why it stands so", h("p", { class: "text" }, idea.reason)) : null,
    idea.error ? section("What failed", h("p", { class: "text" }, idea.error.cause ?? idea.error.what ?? idea.error.kind ?? ""), h("pre", {}, JSON.stringify(idea.error, null, 1))) : null,
    idea.action ? did(idea.action) : null,
    ...found.repairs.map(repaired),
    outcome(idea, lived, found.repairs.some((row) => row.diff)),
    ...saw(found, pageOf),
    ...debates.filter((row) => row.transcript.length).map((row) => judged(row, found.saw)),
    h("details", { class: "why" }, h("summary", {}, "Why it was chosen, what it is worth, what it cost"),
      surprise(lived), found.moods.map(felt), scores(found.decisions), debates.filter((row) => !row.transcript.length).map((row) => judged(row, found.saw)), cost(found.calls)),
  ].filter(Boolean);
}

// The statistics of an idea by name; their signs are those of the papers.
function ideaNumbers(idea) {
  const rows = [["value (Q)", number(idea.Q)], ["visits (N)", idea.N ?? 0], ["first value (V)", number(idea.V)], ["prior (P)", number(idea.P)], ["depth", idea.depth]];
  return h("details", { class: "small" }, h("summary", {}, "Numbers"), facts(rows));
}

export function facts(rows) {
  return h("dl", { class: "pairs" }, rows.map(([name, value]) => [h("dt", {}, name), h("dd", {}, value)]));
}

function did(action) {
  return section("What it did", h("p", {}, h("b", { text: action.name }), action.intent ? h("span", { class: "soft" }, ` for “${action.intent}”`) : null),
    h("pre", {}, JSON.stringify(action.args, null, 1)));
}

// A diff that is shown whole stands in no line of words.
function outcome(idea, lived, changed) {
  const told = lived?.actual || idea.result;
  const got = changed && told ? told.split(/\s--- a\//)[0] : told;
  if (!idea.expected && !got) return null;
  return h("section", {}, h("div", { class: "two" },
    h("div", {}, h("h3", { text: "Expected" }), h("div", { class: "small stack" }, answerBlocks(lived?.expected || idea.expected || "–", []))),
    h("div", {}, h("h3", { text: "Got" }), h("div", { class: "small stack" }, answerBlocks(got || "nothing yet", [])))));
}

function surprise(lived) {
  if (!lived) return null;
  return section("Surprise", bars([["forecast ε", lived.epsilon, "fill2"], ["hybrid", lived.surprise, "fill2"], ["rigidity ρ after", lived.rho, "fill1"]]));
}

function felt(row) {
  const heads = ["action", "value", "information", "preference"];
  return section(`What it said about the mind in step ${row.step}`,
    h("p", {}, `${row.observation} → `, h("b", { text: row.action })), h("p", { class: "small soft" }, row.reason),
    h("table", {}, h("thead", {}, h("tr", {}, heads.map((name, k) => h("th", { scope: "col", class: k ? "num" : "" }, name)))),
      h("tbody", {}, Object.entries(row.terms).map(([name, one]) => h("tr", {}, h("td", {}, name.toLowerCase()), heads.slice(1).map((part) => h("td", { class: "num" }, number(one[part]))))))));
}

function scores(decisions) {
  const scored = decisions.filter((one) => one.terms);
  const last = scored[scored.length - 1] ?? decisions[decisions.length - 1];
  if (!last) return null;
  const said = h("p", { class: "small soft" }, `step ${last.step}: ${last.chosen ? "chosen" : "not chosen"}, ${last.rule}`);
  if (!last.terms) return section("Why it was chosen", said);
  const full = Math.max(0.2, ...TERMS.map(([name]) => Math.abs(last.terms[name])), Math.abs(last.terms.total));
  const rivals = last.rivals.length ? h("table", {}, h("thead", {}, h("tr", {}, ["beside it", "score", "alignment", "value", "exploration"].map((name, k) => h("th", { scope: "col", class: k ? "num" : "" }, name)))),
    h("tbody", {}, last.rivals.map((one) => h("tr", {}, h("td", { class: "mono" }, one.id), [one.total, one.alignment, one.value, one.exploration].map((value) => h("td", { class: "num" }, number(value, 3))))))) : null;
  return section("Its score", said, bars([["score", last.terms.total, "fill1", full], ...TERMS.map(([name, colour]) => [name, last.terms[name], `fill${colour}`, full])]),
    last.cut ? h("p", { class: "small" }, `given up: ${last.cut}`) : null, rivals);
}

function judged(row, seen) {
  const by = new Map(seen.map((one) => [one.id, one]));
  const quotes = (speech) => speech.citations.map((id) => {
    const held = speech.held.includes(id), one = by.get(id);
    const name = one ? one.title || one.source || one.type : short(id, 12);
    return h("div", {},
      one && !quotesIn(speech.text).some((quote) => flat(one.text).includes(quote)) ? h("blockquote", {}, answerBlocks(short(one.text, 280), [])) : null,
      h("p", { class: "small" }, h("span", { class: held ? "pill done" : "pill failed" }, held ? "holds" : "does not hold"), " ",
        one?.source ? h("button", { class: "link", title: "Show the quote in the stored page", on: { click: (event) => pointOut(event.target.closest("aside"), one) } }, name) : h("cite", {}, name)));
  });
  return section(row.debated ? `Debated in step ${row.step}` : `Judged in step ${row.step}`,
    h("p", { class: "small soft" }, row.why),
    bars([["value", row.value, "fill3"], ["vote beside it", row.vote, "fill1"], ["first value", row.cheap, "fill4"]]),
    row.reasons.length ? h("details", {}, h("summary", {}, "By criterion"), bars(row.reasons.map(([name, score]) => [name, score, "fill3"])), row.reasons.map(([name, , text]) => h("p", { class: "small soft" }, `${name}: ${text}`))) : null,
    row.transcript.map((speech) => h("div", { class: `speech ${speech.role}` }, h("p", { class: "who" }, `${speech.role}: ${speech.speaker}, strength ${number(speech.strength)}`), h("p", { class: "text" }, speech.text), quotes(speech))),
    row.dissents.map((one) => h("p", { class: "small" }, h("b", { text: "dissent " }), `${one.name}: ${one.text}`)));
}

function saw(found, pageOf) {
  const sources = Object.keys(found.marks);
  const texts = found.saw.filter((one) => !found.marks[one.source]);
  const parts = [];
  if (texts.length) parts.push(section("What it saw", texts.map((one) => h("details", {}, h("summary", {}, `${one.title || one.source || one.type}, step ${one.step}`), h("div", { class: "doc" }, one.text)))));
  if (sources.length) {
    const place = section(texts.length ? "The stored pages" : "What it saw", markKinds(found.marks), sources.map((source) => stored(source, found, pageOf)));
    parts.push(place);
  }
  return parts;
}

const flat = (text) => text.replace(/\s+/g, " ");
const quotesIn = (text) => [...flat(text).matchAll(/“([^”…]{4,})[”…]/g)].map((found) => found[1].trim());

// Scroll the stored page to a quote, and let it stand out for a moment.
function pointOut(side, quote) {
  const box = [...side.querySelectorAll(".doc[data-source]")].find((one) => one.dataset.source === quote.source);
  const mark = box && [...box.querySelectorAll("mark")].find((one) => Number(one.dataset.end) > quote.start);
  if (!mark) return;
  box.scrollTop = Math.max(0, mark.offsetTop - box.offsetTop - 40);
  box.scrollIntoView({ block: "nearest" });
  box.focus({ preventScroll: true });
  for (const one of box.querySelectorAll("mark")) one.classList.toggle("pointed", Number(one.dataset.start) < quote.end && Number(one.dataset.end) > quote.start);
}

const KINDS = [["cited", "cited in a result"], ["argued", "argued with"], ["read", "read"]];

function markKinds(marks) {
  const kinds = new Set(Object.values(marks).flat().map((one) => one.kind));
  return h("p", { class: "small soft marks" }, KINDS.filter(([kind]) => kinds.has(kind)).map(([kind, words]) => [h("span", { class: `mark ${kind}` }, words), " "]));
}

function stored(source, found, pageOf) {
  const marks = found.marks[source];
  const known = found.saw.find((one) => one.source === source);
  const box = h("div", { class: "doc", "data-source": source, tabindex: "0", role: "region", "aria-label": `Stored page ${known?.title || source}` }, h("span", { class: "quiet" }, "…"));
  const first = Math.min(...marks.map((one) => one.start));
  pageOf(source, first).then((page) => {
    put(box, marked(page.text, page.from, marks));
    const mark = box.querySelector("mark.cited, mark.argued");
    if (mark) box.scrollTop = Math.max(0, mark.offsetTop - box.offsetTop - 40);
  }, () => put(box, known ? marked(known.text, known.start, marks) : "The page is not stored."));
  return h("div", {}, h("p", { class: "small" }, h("cite", {}, known?.title || source), " ", h("span", { class: "quiet mono" }, short(source, 60))), box);
}

// Split a text at the borders of its marks; what was only read shows where nothing else does.
function marked(text, from, marks) {
  const known = marks.map((one) => ({ ...one, start: one.start - from, end: one.end - from })).filter((one) => one.end > 0 && one.start < text.length)
    .filter((one) => one.kind !== "read" || one.end - one.start < text.length);
  const edges = [...new Set([0, text.length, ...known.flatMap((one) => [Math.max(0, one.start), Math.min(text.length, one.end)])])].sort((a, b) => a - b);
  return edges.slice(0, -1).map((start, k) => {
    const piece = text.slice(start, edges[k + 1]);
    const kinds = new Set(known.filter((one) => one.start <= start && one.end > start).map((one) => one.kind));
    if (kinds.size > 1) kinds.delete("read");
    return kinds.size ? h("mark", { class: [...kinds].sort().join(" "), "data-start": start + from, "data-end": edges[k + 1] + from }, piece) : piece;
  });
}

function repaired(row) {
  const tests = row.before && row.after ? h("table", {}, h("thead", {}, h("tr", {}, ["tests", "passed", "of"].map((name, k) => h("th", { scope: "col", class: k ? "num" : "" }, name)))),
    h("tbody", {}, [["before", row.before], ["after", row.after], ["held out from the search", row.held_out]].filter(([, pair]) => pair?.[1]).map(([name, pair]) => h("tr", {}, h("td", {}, name), pair.map((count) => h("td", { class: "num" }, count)))))) : null;
  const failed = (row.failed ?? []).map((one) => h("p", { class: "small" }, h("span", { class: row.solved ? "pill done" : "pill failed" }, row.solved ? "passes now" : "fails"), " ", h("span", { class: "mono" }, one)));
  return section("The change to the code", h("p", { class: "small" }, row.hypothesis, row.hypothesis ? ". " : "", `${row.tried} candidates tried; ${row.solved ? "the tests pass" : "no repair was found"}.`), row.diff ? diff(row.diff) : null,
    tests, failed, row.trust ? h("p", { class: "small soft" }, `Trust: ${TRUST[row.trust] ?? row.trust}.`) : null, (row.caveats ?? []).map((one) => h("p", { class: "small soft" }, `– ${one}`)));
}

const TRUST = {
  none: "none", plausible: "plausible, in a warm worker only", confirmed: "confirmed in a fresh sandbox",
  separate: "separate: tests in a process of their own agree, which the candidate could not touch",
};

export function diff(text) {
  const kind = (line) => (line.startsWith("+") && !line.startsWith("+++") ? "plus" : line.startsWith("-") && !line.startsWith("---") ? "minus" : line.startsWith("@@") ? "at" : "");
  return h("pre", { class: "diff", tabindex: "0", role: "region", "aria-label": "Difference" }, text.trimEnd().split("\n").map((line) => h("div", { class: kind(line) }, line || " ")));
}

function cost(calls) {
  if (!calls.length) return null;
  const total = calls.reduce((sum, one) => ({ model_calls: sum.model_calls + (one.model_calls ?? 1), tokens: sum.tokens + (one.tokens ?? 0), usd: sum.usd === null || one.usd === null ? null : sum.usd + (one.usd ?? 0) }), { model_calls: 0, tokens: 0, usd: 0 });
  return section("Tokens and cost", h("p", { class: "small" }, money(total)),
    h("table", {}, h("tbody", {}, calls.map((one) => h("tr", {}, h("td", {}, one.request), h("td", { class: "small soft" }, one.node), h("td", { class: "num" }, (one.tokens ?? 0).toLocaleString("en")), h("td", { class: "num" }, one.usd === null || one.usd === undefined ? "–" : `$${one.usd.toFixed(4)}`))))));
}

// Where the run is, or was at the moment of the slider: what ran, what was decided next and of which ideas.
function standAt(one, select, open) {
  return h("section", {}, h("details", { class: "ofmoment", open }, h("summary", {}, `Moment ${one.number}, step ${one.step}`), h("div", { class: "stack" },
    h("p", { class: "small" }, h("b", { text: one.ran.join(", ") || "start" }), ` → ${one.next.join(", ") || "end"}`, one.rule ? h("span", { class: "soft" }, `; ${one.rule}`) : null),
    one.focus.length ? h("p", { class: "small" }, "Worked on: ", one.focus.slice(0, 12).map((id) => [h("button", { class: "link mono", on: { click: () => select(id) } }, id), " "])) : null,
    bars([["rigidity ρ", one.rho, "fill1"], ["surprise ε", one.epsilon, "fill2"]]),
    h("p", { class: "small soft" }, [one.mood ? `mood ${one.mood}` : "", one.protect ? "protect mode" : ""].filter(Boolean).join(", ")))));
}

/** A report without its list of sources, which stands below with its quotes. */
const withoutSources = (report) => report.slice(0, report.lastIndexOf("\n\n## Sources\n\n") + 1 || undefined).trimEnd();

const times = (count) => (count === 1 ? "once" : count ? `${count} times` : "never");

export function overview(standing, { select, live, at, ideas, past, open, momentOpen }) {
  const { result, run } = standing;
  const over = ["done", "not_found", "failed", "stopped"].includes(run.status);
  const [many, steps, usage] = over || !at ? [result.ideas, result.steps, result.usage] : [ideas, at.step, { model_calls: at.calls, tokens: at.tokens, usd: at.usd }];
  const button = (id) => h("button", { class: "link mono", on: { click: () => select(id) } }, id ?? "");
  const cited = result.citations.map((one, k) => h("li", {}, h("p", { class: "small" }, `[${k + 1}] `, h("cite", {}, one.title || one.source), one.remembered ? ", remembered from an earlier task" : ""), h("blockquote", {}, answerBlocks(one.quote, []))));
  const short_ = result.short && !result.answer.startsWith(`${result.short}.`) ? h("p", { class: "shortly" }, h("b", { text: result.short_unsupported && !(result.spans ?? []).every((one) => one.status === "knowledge") ? `${result.short} (not checked)` : result.short })) : null;
  const told = result.answer ? [short_, answerBlocks(cited.length ? withoutSources(result.answer) : result.answer, result.spans ?? []), answerLegend(result.spans ?? [])] : [h("p", { class: "soft" }, over ? "No answer." : "No answer yet.")];
  return [
    h("section", { class: "answer" }, h("h2", { text: "Answer" }), told, (result.notes ?? []).map((note) => h("p", { class: "small soft" }, note)), over && run.stop_reason && run.status !== "not_found" ? h("p", { class: "small soft" }, `${ENDS[run.status] ?? run.status}: ${run.stop_reason}.`) : null),
    at && (past || !over) ? standAt(at, select, past || momentOpen) : null,
    cited.length ? section("Sources", h("ul", { class: "stack" }, cited)) : null,
    result.doubts.length ? section("Doubtful", result.doubts.map((one) => h("p", { class: "small" }, button(one.idea), ` ${one.title}: ${one.why}`))) : null,
    result.failures.length ? section("What failed", result.failures.map((one) => h("p", { class: "small" }, button(one.idea), ` ${one.title}: ${one.cause}`))) : null,
    !over && run.stop_reason ? section("How it stands", h("p", {}, run.stop_reason)) : null,
    short(run.task, 160) === run.task.trim() ? null : section("Task", h("p", { class: "text" }, run.task)),
    h("section", {}, h("details", { class: "ofrun", open }, h("summary", {}, "Details of the run"), facts([
      ["size", `${many.toLocaleString("en")} ideas in ${steps} steps`], ["cost", money(usage)], ["rigidity ρ", number(at && !over ? at.rho : result.rigidity)], ["mood", (result.mood || "–").toLowerCase()],
      ["identity", standing.identity || "–"], ["asked before acting", times(result.protect.entries)], ["nobody to ask", times(result.protect.conservative ?? 0)],
    ]))),
    h("p", { class: "small soft hint" }, live ? "Choose an idea in the picture to see what it saw, did and got." : "A copy of a run, as it was when it was written."),
  ].filter(Boolean);
}

const ENDS = { stopped: "Stopped", failed: "Failed" };
