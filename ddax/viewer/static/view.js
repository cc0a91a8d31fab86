// One run on the screen: the picture, its twin as a table, the timelines, the slider, the details.

import { forkDialog, keysDialog, questionForm } from "./ask.js";
import { Charts } from "./charts.js";
import { Dag } from "./dag.js";
import { detail, overview } from "./detail.js";
import { byId, h, money, pill, put, s, short, throttled } from "./dom.js";
import { Table } from "./table.js";

const MOST = 4000, HITS = 40, SPEAK = 4000;

export class View {
  constructor(source, thread, { home, go, theme }) {
    Object.assign(this, { source, thread, home, go });
    this.ideas = new Map();
    this.moments = [];
    this.shown = null;
    this.selected = "";
    this.hits = new Set();
    this.asked = "";
    this.closed = false;
    const redraw = throttled(() => this.draw(), 100);
    this.redraw = redraw;
    this.redrawSide = throttled(() => { if (!this.selected && !this.side.contains(document.activeElement)) this.load(); }, 1000);
    this.dag = new Dag({ select: (id) => this.select(id), redraw: () => this.draw() });
    this.table = new Table({ select: (id) => this.select(id), redraw: () => this.draw() });
    this.redrawLines = throttled(() => this.drawLines(), 250);
    this.speak = throttled(() => { this.status.textContent = this.words(); }, SPEAK);
    this.build(theme);
  }

  build(theme) {
    this.title = h("h1");
    this.facts = h("div", { class: "facts" });
    this.notes = h("div", { class: "notes" });
    this.field = h("div", { class: "field" });
    this.side = h("aside", { class: "side", "aria-label": "Details" });
    this.status = h("div", { class: "hidden", role: "status" });
    this.search = h("input", { type: "search", placeholder: "Search ideas   /", "aria-label": "Search ideas", on: { input: () => this.find(), keydown: (event) => this.searchKey(event) } });
    this.results = h("div", { class: "hits", hidden: true });
    this.views = [["tree", "Tree", "Layers from left to right"], ["outline", "Outline", "One idea below the other"], ["table", "Table", "The same as a table"]]
      .map(([kind, name, words]) => [kind, h("button", { title: words, "aria-pressed": "false", on: { click: () => this.choose(kind) } }, name)]);
    const size = (name, words, factor) => h("button", { "aria-label": words, title: words, on: { click: () => this.dag.zoom(factor) } }, name);
    const fit = h("button", { title: "Show all of the picture at once", on: { click: () => this.dag.whole(this.field.clientHeight - 20) } }, "Fit");
    this.kind = "tree";
    this.slider = h("input", { type: "range", min: 0, max: 0, value: 0, "aria-label": "Moment of the run", on: { input: () => this.slide(Number(this.slider.value)) } });
    this.what = h("span", { class: "what" });
    this.nowButton = h("button", { on: { click: () => this.slide(this.moments.length - 1) } }, "Now");
    this.forkButton = h("button", { on: { click: () => this.fork() } }, "Fork from here");
    const counts = h("span", { class: "quiet small" });
    this.counts = counts;
    this.lines = h("section", { class: "lines", "aria-label": "Timelines" });
    this.node = h("div", { class: "frame" },
      h("header", { class: "top" }, this.source.live ? h("button", { class: "back", title: "All runs", on: { click: this.home } }, "← All runs") : h("span", { class: "brand" }, "ddax"), h("div", { class: "about" }, this.title, this.facts), h("button", { class: "plain", on: { click: theme } }, "Light or dark"), h("button", { class: "plain", on: { click: () => this.keys() } }, "Keys")),
      this.notes,
      this.side,
      h("main", { class: "stage", "aria-label": "Ideas" },
        h("div", { class: "bar" }, h("div", { class: "seg", role: "group", "aria-label": "View" }, this.views.map(([, button]) => button)), h("div", { class: "seg", role: "group", "aria-label": "Size" }, size("−", "Smaller", 0.85), size("1:1", "Natural size", 0), size("+", "Larger", 1.18), fit), h("button", { title: "Unfold as at the beginning", on: { click: () => this.dag.unfoldAll() } }, "Reset folds"), counts, h("span", { class: "grow" }), h("div", { class: "search" }, this.search, this.results)),
        this.field, legend()),
      this.lines, this.status);
    this.resized = throttled(() => this.draw(), 200);
    addEventListener("resize", this.resized);
    this.keysOn = (event) => this.key(event);
    document.addEventListener("keydown", this.keysOn);
  }

  async start(idea, ready) {
    const standing = await this.source.run(this.thread);
    if (this.closed) return;
    ready();
    this.standing = standing;
    this.checkpoint = standing.checkpoint;
    this.ideas = new Map(standing.ideas.map((one) => [one.id, one]));
    this.focus = standing.focus;
    this.charts = new Charts(standing.states);
    put(this.lines, h("div", { class: "time" }, this.slider, this.what, this.nowButton, this.forkButton), this.charts.node);
    this.turn("tree");
    this.stand();
    if (idea && this.ideas.has(idea)) this.select(idea);
    performance.mark("ddax-drawn");
    const loaded = await this.source.moments(this.thread);
    const known = this.moments;
    const last = loaded.moments[loaded.moments.length - 1]?.id ?? "";
    const behind = known.findIndex((one) => one.id === last);
    this.moments = [...loaded.moments, ...known.slice(behind + 1)];
    this.drawLines();
    if (!this.selected) this.load();
    this.listen();
  }

  listen() {
    if (this.closed) return;
    this.stop = this.source.follow(this.thread, this.checkpoint, {
      connected: (yes) => { this.lost = !yes; this.drawNotes(); },
      moment: (one) => this.happened(one),
      state: (standing) => this.changed(standing),
      reset: () => this.go(this.thread),
      failed: (problem) => { this.problem = problem.told; this.drawNotes(); },
    });
  }

  happened(one) {
    const { patch, ...row } = one;
    this.checkpoint = one.id;
    for (const [id, fields] of Object.entries(patch)) this.ideas.set(id, { ...this.ideas.get(id), ...fields });
    this.focus = one.focus;
    const known = this.moments[this.moments.length - 1];
    if (known?.id !== one.id) this.moments.push(row);
    if (this.moments.length > MOST) this.thin();
    this.redraw();
    this.redrawLines();
    this.redrawSide();
    this.speak();
    if (patch[this.selected] && !this.shown) this.redrawDetail ??= throttled(() => this.load(), 700);
    if (patch[this.selected] && !this.shown) this.redrawDetail();
  }

  // Of a long run every second one of the older moments is kept, so that watching it takes no more and more.
  thin() {
    const half = Math.floor(this.moments.length / 2);
    this.moments = this.moments.filter((one, k) => k >= half || k % 2 === 0 || one === this.shown?.moment);
  }

  changed(standing) {
    this.standing = { ...this.standing, ...standing };
    this.stand();
    if (this.standing.trouble) this.form?.again();
  }

  stand() {
    const { run, result } = this.standing;
    document.title = `${short(run.task, 60)} · ddax`;
    this.title.textContent = short(run.task, 160);
    this.title.title = run.task;
    this.drawFacts();
    const question = result.question;
    const asked = JSON.stringify(question);
    if (asked !== this.asked) {
      this.asked = asked;
      this.form = question ? questionForm(question, { live: this.source.live, thread: this.thread, send: (body) => this.source.answer(this.thread, body), select: (id) => this.select(id) }) : null;
    }
    this.drawNotes();
    this.draw();
    if (!this.selected) this.load();
  }

  drawFacts() {
    const { run, result } = this.standing;
    const last = this.moments[this.moments.length - 1];
    const usage = last ? { model_calls: last.calls, tokens: last.tokens, usd: last.usd } : result.usage;
    const going = run.status === "running" ? h("span", {}, `step ${last?.step ?? result.steps}`) : null;
    put(this.facts, pill(run.status), h("span", { class: "mono name", title: this.thread }, this.thread), going, h("span", {}, money(usage)));
  }

  drawNotes() {
    const notes = [];
    const trouble = this.problem ?? this.standing?.trouble;
    if (trouble) notes.push(h("p", { class: "notice", role: "alert" }, [trouble.what, trouble.why, trouble.mend].filter(Boolean).join(" ")));
    if (this.lost) notes.push(h("p", { class: "notice calm", role: "status" }, "The connection is lost; trying again …"));
    if (this.shown) notes.push(h("p", { class: "notice calm" }, `Moment ${this.shown.moment.number}: the run as it stood then. `, h("button", { on: { click: () => this.slide(this.moments.length - 1) } }, "Back to now")));
    put(this.notes, notes, this.form);
  }

  current() {
    return this.shown ? this.shown.ideas : this.ideas;
  }

  draw() {
    if (this.closed) return;
    const ideas = this.current();
    const focus = this.shown ? this.shown.focus : this.focus ?? [];
    this.dag.room = this.field.clientWidth - 40;
    if (this.kind !== "table") this.dag.show(ideas, { selected: this.selected, focus, hits: this.hits });
    else this.table.show(ideas, { selected: this.selected, hits: this.hits, filter: this.search.value.trim() !== "" });
    const seen = this.kind === "table" ? "table" : this.dag.outline ? "outline" : "tree";
    for (const [kind, button] of this.views) button.setAttribute("aria-pressed", String(kind === seen));
    const folded = this.kind !== "table" ? this.dag.plan.shown.length : ideas.size;
    this.counts.textContent = folded < ideas.size ? `${folded} of ${ideas.size.toLocaleString("en")} shown, the rest folded` : "";
    if (!this.shown) this.drawFacts();
  }

  drawLines() {
    if (!this.charts || !this.moments.length) return;
    const last = this.moments.length - 1;
    const position = this.shown ? Math.max(0, this.moments.indexOf(this.shown.moment)) : last;
    this.slider.max = String(last);
    if (document.activeElement !== this.slider || !this.shown) this.slider.value = String(position);
    this.charts.draw(this.moments, position);
    const one = this.moments[position];
    this.what.textContent = `moment ${one.number}, step ${one.step}: ${one.ran.join(", ") || "start"} → ${one.next.join(", ") || "end"}`;
    this.slider.setAttribute("aria-valuetext", this.what.textContent);
    this.nowButton.disabled = !this.shown;
    this.forkButton.disabled = !(one.next.length && one.ran.length && one.step > 0 && one.number > 0);
    this.drawFacts();
  }

  async slide(position) {
    const moment = this.moments[position];
    if (!moment) return;
    if (position === this.moments.length - 1) {
      this.wanted = null;
      this.shown = null;
    } else {
      this.wanted = moment;
      try {
        const found = await this.source.at(this.thread, moment);
        if (this.wanted !== moment || this.closed) return;
        this.shown = { moment, ideas: new Map(found.ideas.map((one) => [one.id, one])), focus: found.focus };
      } catch (problem) {
        this.problem = problem.told;
      }
    }
    this.drawNotes();
    this.draw();
    this.drawLines();
    this.load();
  }

  // A view that the reader has chosen stays, however much room there is.
  choose(kind) {
    if (kind !== "table") {
      this.dag.mode = kind;
      this.dag.sized = false;
    }
    this.turn(kind);
  }

  turn(kind) {
    this.kind = kind;
    put(this.field, kind === "table" ? this.table.node : this.dag.svg);
    this.draw();
  }

  select(id) {
    if (!id || !this.current().has(id)) return;
    this.selected = id;
    this.dag.reveal(id);
    this.draw();
    this.load();
    this.go(this.thread, id, true);
  }

  async load() {
    const id = this.selected;
    const wasOpen = Boolean(this.side.querySelector("details.ofrun")?.open);
    if (!id) return put(this.side, overview(this.standing, { open: wasOpen, momentOpen: Boolean(this.side.querySelector("details.ofmoment")?.open),
      select: (one) => this.select(one), live: this.source.live, past: Boolean(this.shown), ideas: this.current().size,
      at: this.shown?.moment ?? this.moments[this.moments.length - 1],
    }));
    if (!this.current().has(id)) return put(this.side, h("p", { class: "wait quiet" }, `Idea ${id} was not there yet at this moment.`));
    try {
      const found = await this.source.idea(this.thread, id, this.shown?.moment.id);
      if (this.selected !== id || this.closed) return undefined;
      const scrolled = this.drawnDetail === id ? this.side.scrollTop : 0;
      put(this.side, detail(found, { pageOf: (source, start) => this.source.page(this.thread, source, start), close: () => this.close() }));
      this.side.scrollTop = scrolled;
      if (this.drawnDetail !== id && matchMedia("(max-width: 1000px)").matches) this.side.scrollIntoView({ block: "start" });
      this.drawnDetail = id;
    } catch (problem) {
      if (this.selected === id) put(this.side, h("p", { class: "wait quiet" }, problem.told?.what ?? problem.message));
    }
    return undefined;
  }

  close() {
    this.selected = "";
    this.draw();
    this.load();
    this.go(this.thread, "", true);
    this.dag.focusCursor();
  }

  find() {
    const wanted = this.search.value.trim().toLowerCase();
    const found = wanted ? [...this.current().values()].filter((idea) => `${idea.id} ${idea.title} ${idea.status} ${idea.action ?? ""}`.toLowerCase().includes(wanted)) : [];
    this.hits = new Set(found.map((idea) => idea.id));
    found.sort((a, b) => byId(a.id, b.id));
    this.first = found[0]?.id ?? "";
    put(this.results, found.slice(0, HITS).map((idea) => h("button", { on: { click: () => { this.results.hidden = true; this.select(idea.id); this.dag.focusCursor(); } } }, h("span", { class: "mono quiet" }, `${idea.id} `), idea.title)), found.length > HITS ? h("p", { class: "quiet small" }, `and ${(found.length - HITS).toLocaleString("en")} more`) : null, wanted && !found.length ? h("p", { class: "quiet small" }, "Nothing found.") : null);
    this.results.hidden = !wanted;
    this.redraw();
  }

  searchKey(event) {
    if (event.key === "Enter" && this.first) {
      this.results.hidden = true;
      this.select(this.first);
      this.dag.focusCursor();
    } else if (event.key === "Escape") {
      this.search.value = "";
      this.find();
      this.dag.focusCursor();
    } else if (event.key === "ArrowDown") this.results.querySelector("button")?.focus();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches("input, textarea, select") || document.querySelector("dialog[open]")) return;
    const position = () => (this.shown ? this.moments.indexOf(this.shown.moment) : this.moments.length - 1);
    const does = {
      "/": () => this.search.focus(), "?": () => this.keys(), t: () => this.turn(this.kind === "table" ? "tree" : "table"),
      "[": () => this.slide(Math.max(0, position() - 1)), "]": () => this.slide(Math.min(this.moments.length - 1, position() + 1)),
      "+": () => this.dag.zoom(1.18), "-": () => this.dag.zoom(0.85), 0: () => this.dag.zoom(0), Escape: () => { this.results.hidden = true; if (this.selected) this.close(); },
    }[event.key];
    if (!does) return;
    event.preventDefault();
    does();
  }

  keys() { this.open(keysDialog()); }

  fork() {
    const moment = this.shown?.moment ?? this.moments[this.moments.length - 1];
    const dialog = forkDialog(moment, { live: this.source.live, thread: this.thread, send: (body) => this.source.fork(this.thread, body) });
    dialog.addEventListener("close", () => { if (dialog.returnValue) this.go(dialog.returnValue); });
    this.open(dialog);
  }

  open(dialog) {
    this.node.append(dialog);
    dialog.showModal();
  }

  words() {
    const last = this.moments[this.moments.length - 1];
    return last ? `Step ${last.step}, ${this.ideas.size} ideas, ${last.ran.join(", ")}` : "";
  }

  end() {
    this.closed = true;
    this.stop?.();
    document.removeEventListener("keydown", this.keysOn);
    removeEventListener("resize", this.resized);
  }
}

function legend() {
  const dot = (status) => s("svg", { width: 12, height: 12, viewBox: "-6 -6 12 12", class: `node ${status}`, "aria-hidden": "true" }, s("circle", { class: "dot", r: 4.6 }));
  const line = (kind) => s("svg", { width: 24, height: 8, "aria-hidden": "true" }, s("path", { class: `edge ${kind} lit`, d: "M1 4H23" }));
  const shape = (d) => s("svg", { width: 12, height: 12, viewBox: "-6 -6 12 12", class: "node open", "aria-hidden": "true" }, s("path", { class: "dot", d }));
  return h("details", { class: "legend" }, h("summary", {}, "What the marks mean"), h("div", { class: "marks" }, ["open", "running", "waiting", "done", "failed", "abandoned"].map((status) => h("span", {}, dot(status), status === "abandoned" ? "given up" : status)),
    h("span", {}, shape("M-4 0a4 4 0 1 0 8 0a4 4 0 1 0 -8 0z"), "thought"), h("span", {}, shape("M-4 -4h8v8h-8z"), "action"), h("span", {}, shape("M0 -5L5 0L0 5L-5 0z"), "merge"),
    h("span", {}, line(""), "part of"), h("span", {}, line("needs"), "needs"), h("span", {}, line("supersedes"), "supersedes"), h("span", {}, line("joined"), "joined"), h("span", { class: "quiet" }, "the larger the mark, the more it is worth")));
}
