// Timelines over the moments of a run: rigidity and surprise, forces, belief, pressure, cost.

import { h, number, s } from "./dom.js";

const W = 600, H = 58, POINTS = 600;

// What each chart tells, for readers who have not read how the agent works.
const TOLD = {
  "Rigidity and surprise": "How hard the agent is to move (ρ), and how far outcomes were from what it expected (ε). Above the dashed line it asks before it acts.",
  Forces: "What pulls at the agent's state: who it is, what it reads, what it thinks; and how far the state moved.",
  Belief: "What the agent takes its own situation to be; the four shares make one.",
  "Value and pressure": "How well the answer stands so far, from 0 to 1, and how much of the memory's room is taken.",
  Tokens: "Tokens paid for so far.",
  Price: "US dollars paid so far.",
};

export class Charts {
  constructor(states) {
    const force = (k) => (one) => one.forces?.[k];
    this.all = [
      chart("Rigidity and surprise", [["rigidity ρ", (one) => one.rho, 1], ["surprise ε", (one) => one.epsilon, 2]], { top: 1, limit: (one) => one.threshold }),
      chart("Forces", [["identity", force(0), 1], ["truth", force(1), 2], ["reflection", force(2), 3], ["moved |Δx|", (one) => one.delta_x, 4]], {}),
      chart("Belief", states.map((name, k) => [name.toLowerCase(), (one) => one.belief?.[k], k + 1]), { top: 1, stacked: true }),
      chart("Value and pressure", [["value of the answer", (one) => one.value, 3], ["pressure", (one) => one.pressure, 2]], { top: 1 }),
      chart("Tokens", [["tokens", (one) => one.tokens, 1]], { counted: true }),
      chart("Price", [["US$", (one) => one.usd, 2]], { counted: true }),
    ];
    this.node = h("details", { class: "numbers" }, h("summary", {}, "Numbers over time"), h("div", { class: "charts" }, this.all.map((one) => one.node)));
  }

  draw(moments, position) {
    const step = Math.max(1, Math.ceil(moments.length / POINTS));
    const points = [];
    for (let k = 0; k < moments.length; k += step) points.push([k, moments[k]]);
    if (moments.length && points[points.length - 1][0] !== moments.length - 1) points.push([moments.length - 1, moments[moments.length - 1]]);
    const shown = this.all.map((one) => one.draw(points, moments, position));
    this.node.hidden = !shown.some(Boolean);
  }
}

function chart(name, series, { top = 0, limit, stacked = false, counted = false }) {
  const values = series.map(() => h("span", { class: "mono" }));
  const caption = h("figcaption", { title: TOLD[name] }, h("b", { text: name }), series.map(([label, , colour], k) => h("span", { class: "k" }, h("i", { class: `k${colour}` }), label, values[k])));
  const paths = series.map(([, , colour]) => s("path", { class: stacked ? `area a${colour}` : `line l${colour}` }));
  const cursor = s("line", { class: "cursor", y1: 0, y2: H }), bound = s("line", { class: "limit", x1: 0, x2: W, visibility: "hidden" });
  const svg = s("svg", { viewBox: `0 0 ${W} ${H}`, preserveAspectRatio: "none", role: "img", "aria-label": name },
    s("line", { class: "grid", x1: 0, x2: W, y1: H - 0.5, y2: H - 0.5 }), paths, bound, cursor);
  const high = h("span", { class: "mono" }), end = h("span"), where = h("p", { class: "where small soft" });
  const axes = h("div", { class: "axes" }, h("span", {}, "step 0"), stacked ? null : h("span", {}, "top ", high), end);
  const node = h("figure", { class: "chart" }, caption, svg, axes, where);
  let drawn = null;

  function told(k) {
    const one = drawn.moments[k];
    series.forEach(([, get], n) => { values[n].textContent = one ? shown(get(one), counted) : ""; });
    where.textContent = k === drawn.position || !one ? "" : `at step ${one.step}`;
    for (const side of ["x1", "x2"]) cursor.setAttribute(side, drawn.x(k));
  }

  // The pointer reads the values off where it is; without it they are those of the moment that is shown.
  svg.addEventListener("pointermove", (event) => {
    const box = svg.getBoundingClientRect();
    if (drawn && box.width) told(Math.round(Math.min(1, Math.max(0, (event.clientX - box.left) / box.width)) * (drawn.moments.length - 1)));
  });
  svg.addEventListener("pointerleave", () => { if (drawn) told(drawn.position); });

  function draw(points, moments, position) {
    node.hidden = !telling(series, points);
    if (node.hidden) return false;
    const here = moments[position];
    const last = Math.max(1, moments.length - 1);
    const x = (k) => ((k / last) * W).toFixed(1);
    const scale = highest(series, points, top);
    const y = (value) => (H - 2 - (Math.min(value, scale) / scale) * (H - 6)).toFixed(1);
    series.forEach(([, get], k) => paths[k].setAttribute("d", stacked ? area(points, series, k, x) : path(points, get, x, y)));
    high.textContent = shown(scale, counted);
    end.textContent = `step ${moments[moments.length - 1].step}`;
    const edge = here && limit ? limit(here) : null;
    const bounded = edge !== null && edge !== undefined && edge <= scale;
    bound.setAttribute("visibility", bounded ? "visible" : "hidden");
    if (bounded) for (const side of ["y1", "y2"]) bound.setAttribute(side, y(edge));
    drawn = { moments, position, x };
    told(position);
    svg.setAttribute("aria-label", `${name}: ${series.map(([label], k) => `${label} ${values[k].textContent}`).join(", ")}`);
    return true;
  }
  return { node, draw };
}

// A line that never leaves zero tells nothing, nor does a single moment.
function telling(series, points) {
  return points.length > 1 && series.some(([, get]) => points.some(([, one]) => Math.abs(Number(get(one)) || 0) > 0));
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
