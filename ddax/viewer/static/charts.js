// Timelines over the moments of a run: rigidity and surprise, forces, belief, pressure, cost.

import { h, number, s } from "./dom.js";

const W = 600, H = 58, POINTS = 600;

export class Charts {
  constructor(states) {
    const force = (k) => (one) => one.forces?.[k];
    this.all = [
      chart("Rigidity and surprise", [["ρ", (one) => one.rho, 1], ["ε", (one) => one.epsilon, 2]], { top: 1, limit: (one) => one.threshold }),
      chart("Forces", [["identity", force(0), 1], ["truth", force(1), 2], ["reflection", force(2), 3], ["|Δx|", (one) => one.delta_x, 4]], {}),
      chart("Belief", states.map((name, k) => [name.toLowerCase(), (one) => one.belief?.[k], k + 1]), { top: 1, stacked: true }),
      chart("Value and pressure", [["value of the root", (one) => one.value, 3], ["pressure", (one) => one.pressure, 2]], { top: 1 }),
      chart("Cost", [["tokens", (one) => one.tokens, 1], ["US$", (one) => one.usd, 2]], { own: true }),
    ];
    this.node = h("div", { class: "charts" }, this.all.map((one) => one.node));
  }

  draw(moments, position) {
    const step = Math.max(1, Math.ceil(moments.length / POINTS));
    const points = [];
    for (let k = 0; k < moments.length; k += step) points.push([k, moments[k]]);
    if (moments.length && points[points.length - 1][0] !== moments.length - 1) points.push([moments.length - 1, moments[moments.length - 1]]);
    for (const one of this.all) one.draw(points, moments, position);
  }
}

function chart(name, series, { top = 0, limit, stacked = false, own = false }) {
  const values = series.map(() => h("span", { class: "mono" }));
  const caption = h("figcaption", {}, h("b", { text: name }), series.map(([label, , colour], k) => h("span", { class: "k" }, h("i", { class: `k${colour}` }), label, values[k])));
  const paths = series.map(([, , colour]) => s("path", { class: stacked ? `area a${colour}` : `line l${colour}` }));
  const cursor = s("line", { class: "cursor", y1: 0, y2: H }), bound = s("line", { class: "limit", x1: 0, x2: W, visibility: "hidden" });
  const svg = s("svg", { viewBox: `0 0 ${W} ${H}`, preserveAspectRatio: "none", role: "img", "aria-label": name },
    s("line", { class: "grid", x1: 0, x2: W, y1: H - 0.5, y2: H - 0.5 }), paths, bound, cursor);
  const node = h("figure", { class: "chart" }, caption, svg);

  function draw(points, moments, position) {
    const here = moments[position];
    const last = Math.max(1, moments.length - 1);
    const x = (k) => ((k / last) * W).toFixed(1);
    const shared = own ? 0 : highest(series, points, top);
    series.forEach(([, get], k) => {
      const scale = own ? highest([series[k]], points, 0) : shared;
      const y = (value) => (H - 2 - (Math.min(value, scale) / scale) * (H - 6)).toFixed(1);
      paths[k].setAttribute("d", stacked ? area(points, series, k, x) : path(points, get, x, y));
      values[k].textContent = here ? shown(get(here), own) : "";
    });
    const edge = here && limit ? limit(here) : null;
    bound.setAttribute("visibility", edge === null || edge === undefined ? "hidden" : "visible");
    if (edge !== null && edge !== undefined) for (const end of ["y1", "y2"]) bound.setAttribute(end, String(H - 2 - edge * (H - 6)));
    for (const end of ["x1", "x2"]) cursor.setAttribute(end, x(position));
    svg.setAttribute("aria-label", `${name}: ${series.map(([label], k) => `${label} ${values[k].textContent}`).join(", ")}`);
  }
  return { node, draw };
}

function highest(series, points, least) {
  let most = least;
  for (const [, one] of points) for (const [, get] of series) most = Math.max(most, Number(get(one)) || 0);
  return most || 1;
}

function path(points, get, x, y) {
  let d = "", pen = "M";
  for (const [k, one] of points) {
    const value = get(one);
    if (value === null || value === undefined) pen = "M";
    else {
      d += `${pen}${x(k)} ${y(Math.max(0, value))}`;
      pen = "L";
    }
  }
  return d;
}

function area(points, series, level, x) {
  const known = points.filter(([, one]) => one.belief?.length);
  if (known.length < 2) return "";
  const sum = (one, upto) => series.slice(0, upto).reduce((total, [, get]) => total + get(one), 0);
  const y = (share) => (H - Math.min(1, share) * H).toFixed(1);
  const upper = known.map(([k, one]) => `${x(k)} ${y(sum(one, level + 1))}`);
  const lower = known.map(([k, one]) => `${x(k)} ${y(sum(one, level))}`).reverse();
  return `M${upper.join("L")}L${lower.join("L")}Z`;
}

function shown(value, counted) {
  if (value === null || value === undefined) return "–";
  if (counted) return Number.isInteger(value) ? value.toLocaleString("en") : number(value, 4);
  return Math.abs(value) >= 100 ? Math.round(value).toLocaleString("en") : number(value);
}
