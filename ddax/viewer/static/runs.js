// The list of runs. What stands in it already is changed in place: it may have the focus.

import { ago, h, pill, put, short } from "./dom.js";

const HEADS = [["Status", ""], ["Task", ""], ["Steps", "num"], ["Ideas", "num"], ["Last change", ""]];

export class RunsList {
  constructor(open) {
    this.open = open;
    this.runs = [];
    this.known = new Map();
    this.body = h("tbody");
    this.filter = h("input", { type: "search", placeholder: "Filter", "aria-label": "Filter the runs", on: { input: () => this.draw() } });
    this.table = h("table", {}, h("thead", {}, h("tr", {}, HEADS.map(([name, kind]) => h("th", { scope: "col", class: kind }, name)))), this.body);
    this.none = h("p", { class: "wait quiet" }, "No runs yet. Start one: ddax run \"TASK\" --sources DIR");
    this.node = h("main", { class: "list" }, h("div", { class: "bar" }, h("h1", {}, "Runs"), h("span", { class: "grow" }), this.filter), this.table, this.none);
  }

  update(runs) {
    this.runs = runs;
    this.draw();
  }

  draw() {
    const wanted = this.filter.value.toLowerCase();
    const found = this.runs.filter((run) => `${run.thread_id} ${run.task} ${run.status}`.toLowerCase().includes(wanted));
    this.place(found.map((run) => this.row(run)));
    this.table.hidden = !this.runs.length;
    this.none.hidden = Boolean(this.runs.length);
  }

  row(run) {
    let row = this.known.get(run.thread_id);
    if (!row) {
      const task = h("button", { class: "task", on: { click: () => this.open(run.thread_id) } });
      const cells = ["", "num", "num", "small quiet"].map((kind) => h("td", { class: kind }));
      const name = h("span", { class: "small quiet mono" }, run.thread_id, run.forked_from ? ` from ${run.forked_from}` : "");
      row = { task, cells, node: h("tr", {}, cells[0], h("td", {}, task, name), cells.slice(1)) };
      this.known.set(run.thread_id, row);
    }
    row.task.textContent = short(run.task || run.stop_reason || run.thread_id, 160);
    [pill(run.status), run.steps, run.ideas, ago(run.updated)].forEach((value, k) => put(row.cells[k], value));
    return row.node;
  }

  place(rows) {
    const held = document.activeElement;
    rows.forEach((row, k) => { if (this.body.children[k] !== row) this.body.insertBefore(row, this.body.children[k] ?? null); });
    while (this.body.children.length > rows.length) this.body.lastChild.remove();
    if (held !== document.activeElement && this.body.contains(held)) held.focus();
  }
}
