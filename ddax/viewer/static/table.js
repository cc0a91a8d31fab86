// The same ideas as a table: for screen readers, for reading many at once, for copying.

import { byId, h, number, pill, put } from "./dom.js";

const PAGE = 200;
const COLUMNS = [["Idea", ""], ["Title", ""], ["Kind", ""], ["Status", ""], ["Value", "num"], ["Visits", "num"], ["Needs", ""]];

export class Table {
  constructor(on) {
    this.on = on;
    this.most = PAGE;
    this.body = h("tbody");
    this.more = h("button", { on: { click: () => { this.most += PAGE * 5; on.redraw(); } } });
    this.node = h("div", {}, h("table", { "aria-label": "Ideas" }, h("thead", {}, h("tr", {}, COLUMNS.map(([name, kind]) => h("th", { scope: "col", class: kind }, name)))), this.body), this.more);
  }

  show(ideas, { selected, hits, filter }) {
    const all = [...ideas.values()].filter((idea) => !filter || hits.has(idea.id)).sort((a, b) => byId(a.id, b.id));
    put(this.body, all.slice(0, this.most).map((idea) => h("tr", { "aria-selected": String(idea.id === selected) },
      h("td", { class: "mono" }, idea.id),
      h("td", {}, h("button", { class: "link", on: { click: () => this.on.select(idea.id) } }, idea.title)),
      h("td", {}, idea.action ? `${idea.kind}: ${idea.action}` : idea.kind),
      h("td", {}, pill(idea.status)),
      h("td", { class: "num" }, idea.N ? number(idea.Q) : "–"),
      h("td", { class: "num" }, idea.N ?? 0),
      h("td", { class: "mono small" }, (idea.needs ?? []).slice(0, 6).join(" ")))));
    this.more.hidden = all.length <= this.most;
    this.more.textContent = `Show more of ${all.length.toLocaleString("en")}`;
  }
}
