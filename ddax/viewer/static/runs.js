// The list of runs. What stands in it already is changed in place: it may have the focus.

import { ago, h, pill, put, short } from "./dom.js";

const HEADS = ["Status", "Task", "Last change"];

export class RunsList {
  constructor(open) {
    this.open = open;
    this.runs = [];
    this.known = new Map();
    this.body = h("tbody");
    this.filter = h("input", { type: "search", placeholder: "Filter", "aria-label": "Filter the runs", on: { input: () => this.draw() } });
    this.table = h("table", {}, h("thead", {}, h("tr", {}, HEADS.map((name) => h("th", { scope: "col" }, name)))), this.body);
    this.none = h("p", { class: "wait quiet" }, "No runs yet. Start one: ddax run \"TASK\" --sources DIR");
    this.node = h("main", { class: "list" }, h("div", { class: "bar" }, h("h1", {}, "Runs"), h("span", { class: "grow" }), this.filter), this.table, this.none);
  }

  update(runs) {
    this.runs = runs;
    this.draw();
  }

  draw() {
    const wanted = this.filter.value.toLowerCase();
    const found = this.runs.filter((run) => `${run.thread_id} ${run.task} ${run.status} ${run.status.replace("_", " ")}`.toLowerCase().includes(wanted));
    this.place(found.map((run) => this.row(run)));
    this.table.hidden = !this.runs.length;
    this.none.hidden = Boolean(this.runs.length);
  }

  row(run) {
    let row = this.known.get(run.thread_id);
    if (!row) {
      const task = h("button", { class: "task", on: { click: () => this.open(run.thread_id) } });
      const cells = ["", "small quiet when"].map((kind) => h("td", { class: kind }));
      const name = h("span", { class: "small quiet mono name" }, run.thread_id, run.forked_from ? ` from ${run.forked_from}` : "");
      const size = h("span", { class: "small quiet size" });
      row = { task, cells, node: h("tr", {}, cells[0], h("td", { class: "what" }, task, name, size), cells[1]), size };
      this.known.set(run.thread_id, row);
    }
    row.task.textContent = short(run.task || run.stop_reason || run.thread_id, 160);
    row.size.textContent = run.steps ? ` · ${run.steps} ${run.steps === 1 ? "step" : "steps"}` : "";
    [pill(run.status), ago(run.updated)].forEach((value, k) => put(row.cells[k], value));
    return row.node;
  }

  place(rows) {
    const held = document.activeElement;
    rows.forEach((row, k) => { if (this.body.children[k] !== row) this.body.insertBefore(row, this.body.children[k] ?? null); });
    while (this.body.children.length > rows.length) this.body.lastChild.remove();
    if (held !== document.activeElement && this.body.contains(held)) held.focus();
  }
}
