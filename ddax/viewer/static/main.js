// Begin: find the token or the data in the file, then show the list or a run, and keep the address in step.

import { h, put } from "./dom.js";
import { RunsList } from "./runs.js";
import { Kept, Live, unpacked } from "./source.js";
import { View } from "./view.js";

const KEY = "ddax-token", THEME = "ddax-theme", LIST = 3000;

function remembered(place, key, value) {
  try {
    if (value !== undefined) place().setItem(key, value);
    return place().getItem(key) ?? "";
  } catch {
    return ""; // a browser that keeps nothing
  }
}

const app = document.getElementById("app");
const root = document.documentElement;
let view = null, timer = 0, source = null, visit = 0;

function theme() {
  const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = dark ? "light" : "dark";
  remembered(() => localStorage, THEME, root.dataset.theme);
}

function address() {
  return new URLSearchParams(location.hash.slice(1));
}

// What still waits for an answer finds by the number of its visit that the screen is another's now.
function leave() {
  visit += 1;
  clearTimeout(timer);
  view?.end();
  view = null;
}

async function list() {
  leave();
  if (!source.live) return show(source.kept.standing.run.thread_id, "");
  document.title = "Runs · ddax";
  const mine = visit, runs = new RunsList((thread) => go(thread));
  const refresh = async () => {
    const found = await source.runs();
    if (mine !== visit) return;
    runs.update(found.runs);
    timer = setTimeout(() => attempt(refresh), LIST);
  };
  await refresh();
  if (mine === visit) put(app, h("div", { class: "frame alone" }, h("header", { class: "top" }, h("span", { class: "brand" }, "ddax"), h("span", { class: "grow about" }), h("button", { class: "plain", on: { click: theme } }, "Light or dark")), runs.node));
  return undefined;
}

async function show(thread, idea) {
  leave();
  view = new View(source, thread, { home: () => go(""), go, theme });
  const mine = view;
  await mine.start(idea, () => put(app, mine.node));
  return undefined;
}

function go(thread, idea = "", quietly = false) {
  const next = new URLSearchParams();
  if (thread) next.set("run", thread);
  if (idea) next.set("idea", idea);
  history[quietly ? "replaceState" : "pushState"](null, "", `#${next}`);
  if (!quietly) follow();
}

function follow() {
  const at = address();
  attempt(() => (at.get("run") ? show(at.get("run"), at.get("idea") ?? "") : list()));
}

function attempt(way) {
  const next = way(), mine = visit;
  next.catch((problem) => { if (mine === visit) failed(problem); });
}

function failed(problem) {
  const told = problem.told ?? { what: `${problem.name}: ${problem.message}` };
  put(app, h("div", { class: "wait" }, h("p", { role: "alert" }, told.what), told.why ? h("p", { class: "quiet" }, told.why) : null, told.mend ? h("p", { class: "quiet" }, told.mend) : null,
    problem.status === 401 ? null : h("p", {}, h("button", { on: { click: () => go("") } }, "All runs"))));
}

async function begin() {
  const kept = document.getElementById("kept");
  if (kept) {
    source = new Kept(await unpacked(kept.textContent));
    return show(source.kept.standing.run.thread_id, address().get("idea") ?? "");
  }
  const at = address();
  const token = remembered(() => sessionStorage, KEY, at.get("token") ?? undefined);
  source = new Live(at.get("token") ?? token);
  if (at.get("token")) go(at.get("run") ?? "", at.get("idea") ?? "", true); // the token does not stay in the address
  addEventListener("popstate", follow);
  return follow();
}

const chosen = remembered(() => localStorage, THEME);
if (chosen) root.dataset.theme = chosen;
begin().catch(failed);
