// The list of runs.

import { ago, h, pill, put, short } from "./dom.js";

export function runsList(rows, open) {
  const body = h("tbody");
  const filter = h("input", { type: "search", placeholder: "Filter", "aria-label": "Filter the runs" });
  const draw = () => {
    const wanted = filter.value.toLowerCase();
    put(body, rows.filter((run) => `${run.thread_id} ${run.task} ${run.status}`.toLowerCase().includes(wanted)).map((run) => h("tr", {},
      h("td", {}, pill(run.status)),
      h("td", {}, h("button", { class: "task", on: { click: () => open(run.thread_id) } }, short(run.task || run.stop_reason || run.thread_id, 160)), h("span", { class: "small quiet mono" }, run.thread_id, run.forked_from ? ` from ${run.forked_from}` : "")),
      h("td", { class: "num" }, run.steps), h("td", { class: "num" }, run.ideas), h("td", { class: "small quiet" }, ago(run.updated)))));
  };
  filter.addEventListener("input", draw);
  draw();
  return h("main", { class: "list" }, h("div", { class: "bar" }, h("h1", {}, "Runs"), h("span", { class: "grow" }), filter),
    rows.length ? h("table", {}, h("thead", {}, h("tr", {}, [["Status", ""], ["Task", ""], ["Steps", "num"], ["Ideas", "num"], ["Last change", ""]].map(([name, kind]) => h("th", { scope: "col", class: kind }, name)))), body)
      : h("p", { class: "wait quiet" }, "No runs yet. Start one: ddax run \"TASK\" --sources DIR"));
}
