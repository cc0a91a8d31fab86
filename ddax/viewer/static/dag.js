// Draw the DAG of ideas and let it be walked through with keys; only what has changed is touched.

import { number, s, short } from "./dom.js";
import { HEIGHT, ancestors, family, outlined, places, unfolded } from "./layout.js";

const FRESH = 60, READABLE = 0.82;

export class Dag {
  constructor(on) {
    this.on = on;
    this.opened = new Set();
    this.closed = new Set();
    this.limits = new Map();
    this.nodes = new Map();
    this.scale = 1;
    this.room = 0;
    this.sized = false;
    this.mode = "auto";
    this.outline = false;
    this.tried = 0;
    this.edges = s("g", { "aria-hidden": "true" });
    this.cards = s("g", { role: "presentation" });
    this.svg = s("svg", { role: "tree", "aria-label": "Ideas; arrow keys move, Enter opens", class: "dag" }, this.edges, this.cards);
    this.svg.addEventListener("keydown", (event) => this.key(event));
    this.cursor = "";
  }

  show(ideas, { selected = "", focus = [], hits = new Set() }) {
    this.ideas = ideas;
    this.selected = selected;
    const kin = family(ideas);
    this.kin = kin;
    const reveal = [...focus.slice(0, 8), ...(selected ? [selected] : [])].filter((id) => ideas.has(id));
    this.open = unfolded(ideas, kin, { opened: this.opened, closed: this.closed, reveal });
    this.plan = this.arranged(places(ideas, kin, this.open, { limits: this.limits, reveal }));
    if (!this.plan.at.has(this.cursor)) this.cursor = this.plan.shown[0]?.id ?? "";
    this.fit();
    this.size();
    const focused = new Set(focus), fresh = this.nodes.size > 0 && this.nodes.size < FRESH * 10;
    const seen = new Set();
    for (const node of this.plan.shown) {
      seen.add(node.id);
      this.card(node, { focused, hits, fresh });
    }
    for (const [id, drawn] of this.nodes) {
      if (!seen.has(id)) {
        drawn.g.remove();
        this.nodes.delete(id);
      }
    }
    this.lines();
  }

  // Layers side by side where they can be read so; else an outline. It stays one until the room is another.
  arranged(plan) {
    if (Math.abs(this.tried - this.room) > 50) {
      this.tried = this.room;
      this.outline = false;
    }
    if (this.mode !== "auto") this.outline = this.mode === "outline";
    else if (this.room > 0 && (plan.width + 20) * READABLE > this.room) this.outline = true;
    return this.outline ? outlined(plan, Math.max(220, this.room)) : plan;
  }

  size() {
    const { width, height } = this.plan;
    this.svg.setAttribute("viewBox", `-14 -22 ${width + 20} ${height + 16}`);
    this.svg.setAttribute("width", Math.round((width + 20) * this.scale));
    this.svg.setAttribute("height", Math.round((height + 16) * this.scale));
  }

  // Make a picture that is or grows a little too wide fit, until the reader chooses a size.
  fit() {
    if (this.sized) return;
    const share = this.room / (this.plan.width + 20);
    this.scale = this.outline || this.room <= 0 ? 1 : Math.min(1, Math.max(READABLE, share));
  }

  // Show all of the picture at once, however small.
  whole(height) {
    this.sized = true;
    this.scale = Math.min(1, this.room / (this.plan.width + 20), Math.max(60, height) / (this.plan.height + 16));
    this.size();
  }

  zoom(factor) {
    this.sized = true;
    this.scale = factor === 0 ? 1 : Math.min(2, Math.max(0.3, this.scale * factor));
    if (this.plan) this.size();
  }

  card(node, { focused, hits, fresh }) {
    const idea = this.ideas.get(node.id);
    const isNew = !this.nodes.has(node.id);
    if (isNew) this.make(node);
    const drawn = this.nodes.get(node.id);
    const more = node.more > 0;
    const status = more ? "more" : idea.status;
    const place = `translate(${node.x} ${node.y})`;
    const classes = ["node", status, focused.has(node.id) ? "focus" : "", node.id === this.selected ? "chosen" : "", hits.has(node.id) ? "hit" : "", isNew && fresh && !more ? "fresh" : ""];
    const value = more || !idea.N ? "" : number(idea.Q);
    const label = more ? `${node.more.toLocaleString("en")} more` : idea.title;
    const fold = node.folded ? (node.below > 999 ? `${Math.floor(node.below / 1000)}k` : String(node.below)) : "";
    const key = [place, node.w, classes.join(" "), value, label, fold, idea?.Q, node.id === this.cursor].join("|");
    if (drawn.key === key) return;
    drawn.key = key;
    drawn.node = node;
    drawn.g.setAttribute("transform", place);
    drawn.g.setAttribute("class", classes.filter(Boolean).join(" "));
    drawn.g.setAttribute("tabindex", node.id === this.cursor ? "0" : "-1");
    drawn.g.setAttribute("aria-level", String(node.depth + 1));
    drawn.g.setAttribute("aria-selected", String(node.id === this.selected));
    drawn.g.setAttribute("aria-label", more ? label : `${idea.title}; ${idea.kind}, ${idea.status}${value ? `, value ${value}` : ""}`);
    if (node.folded || node.children.length) drawn.g.setAttribute("aria-expanded", String(!node.folded));
    else drawn.g.removeAttribute("aria-expanded");
    drawn.title.textContent = more ? "Show more" : `${idea.title}\n${idea.kind}, ${idea.status}${value ? `, value ${value} after ${idea.N} visits` : ""}, idea ${node.id}`;
    drawn.text.textContent = fitted(label, node.w - 37);
    drawn.box.setAttribute("width", node.w);
    drawn.fold.setAttribute("transform", `translate(${node.w} 0)`);
    this.dot(drawn.dot, idea, more);
    drawn.fold.setAttribute("visibility", fold ? "visible" : "hidden");
    drawn.foldtext.textContent = fold ? `+${fold}` : "";
  }

  // The kind is the shape: a disc thinks, a square acts, a diamond joins. The size is the value Q.
  dot(shape, idea, more) {
    if (more) return shape.setAttribute("visibility", "hidden");
    const r = 3.2 + 5.3 * Math.min(1, Math.max(0, Number(idea.Q) || 0));
    const d = idea.kind === "leaf" ? `M${-r} ${-r}h${2 * r}v${2 * r}h${-2 * r}z`
      : idea.kind === "merge" ? `M0 ${-r * 1.3}L${r * 1.3} 0L0 ${r * 1.3}L${-r * 1.3} 0z`
      : `M${-r} 0a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0z`;
    return shape.setAttribute("d", d);
  }

  make(node) {
    const title = s("title"), text = s("text", { x: 29, y: 4 });
    const dot = s("path", { class: "dot", transform: "translate(15 0)" });
    const foldtext = s("text", { class: "foldtext", x: 17, y: 3.5 });
    const fold = s("g", {}, s("rect", { class: "fold", x: 2, y: -8, width: 30, height: 16, rx: 8 }), foldtext);
    const box = s("rect", { class: "card", y: -HEIGHT / 2, height: HEIGHT, rx: 7 });
    const g = s("g", { role: "treeitem" }, title, box, dot, text, fold);
    g.addEventListener("click", (event) => this.click(node.id, event));
    this.cards.append(g);
    this.nodes.set(node.id, { g, title, box, text, dot, fold, foldtext, key: "" });
  }

  lines() {
    const paths = [];
    for (const node of this.plan.shown) {
      const above = this.plan.at.get(node.parent);
      const idea = this.ideas.get(node.id);
      if (above) paths.push(["", (this.outline ? elbow : across)(above, node), idea?.status === "abandoned" ? "abandoned" : ""]);
      if (!idea) continue;
      const lit = (other) => (node.id === this.selected || other === this.selected ? "lit" : "");
      for (const other of idea.needs ?? []) this.arc(paths, "needs", other, node, lit(other));
      if (idea.supersedes) this.arc(paths, "supersedes", idea.supersedes, node, lit(idea.supersedes));
      for (const other of idea.joined ?? []) this.arc(paths, "joined", other, node, lit(other));
    }
    while (this.edges.childElementCount > paths.length) this.edges.lastChild.remove();
    while (this.edges.childElementCount < paths.length) this.edges.append(s("path"));
    let edge = this.edges.firstChild;
    for (const [kind, d, more] of paths) {
      const classes = ["edge", kind, more].filter(Boolean).join(" ");
      if (edge.getAttribute("d") !== d) edge.setAttribute("d", d);
      if (edge.getAttribute("class") !== classes) edge.setAttribute("class", classes);
      edge = edge.nextSibling;
    }
  }

  arc(paths, kind, from, node, lit) {
    const source = this.plan.at.get(from);
    if (!source || (this.outline && !lit)) return;
    paths.push([kind, (this.outline ? behind : beside)(source, node), lit]);
  }

  click(id, event) {
    const node = this.plan.at.get(id);
    if (node?.more) return this.more(node.parent);
    const inFold = event?.target.matches(".fold, .foldtext");
    this.cursor = id;
    if (inFold) return this.toggle(id);
    return this.on.select(id);
  }

  more(id) {
    this.limits.set(id, (this.limits.get(id) ?? 0) + 1);
    this.on.redraw();
  }

  toggle(id) {
    if (this.open.has(id)) {
      this.opened.delete(id);
      this.closed.add(id);
    } else {
      this.closed.delete(id);
      this.opened.add(id);
    }
    this.on.redraw();
  }

  unfoldAll() {
    this.closed.clear();
    this.opened.clear();
    this.limits.clear();
    this.on.redraw();
  }

  reveal(id) {
    for (const above of ancestors(this.ideas, id)) this.closed.delete(above);
    this.cursor = id;
  }

  focusCursor() {
    const drawn = this.nodes.get(this.cursor);
    drawn?.g.focus({ preventScroll: true });
    drawn?.g.scrollIntoView({ block: "nearest", inline: "nearest" });
  }

  key(event) {
    const shown = this.plan.shown;
    const node = this.plan.at.get(this.cursor);
    if (!node || event.ctrlKey || event.metaKey || event.altKey) return;
    const order = shown.indexOf(node);
    const moves = {
      ArrowDown: () => shown[order + 1]?.id,
      ArrowUp: () => shown[order - 1]?.id,
      ArrowLeft: () => (node.children.length ? this.toggle(node.id) : node.parent),
      ArrowRight: () => (node.folded ? this.toggle(node.id) : node.children[0]?.id),
      Home: () => shown[0]?.id,
      End: () => shown[shown.length - 1]?.id,
      Enter: () => this.click(node.id),
      " ": () => this.click(node.id),
    };
    const move = moves[event.key];
    if (!move) return;
    event.preventDefault();
    event.stopPropagation();
    const to = move();
    if (to) this.cursor = to;
    this.on.redraw();
    this.focusCursor();
  }
}

const ruler = document.createElement("canvas").getContext("2d");

// Cut a text to so many pixels; fonts differ, so that counting characters would not do.
function fitted(text, width) {
  ruler.font = "12px system-ui, sans-serif";
  let most = Math.max(44, Math.ceil(width / 5));
  let line = short(text, most);
  while (most > 4 && ruler.measureText(line).width > width) {
    most -= 1;
    line = short(text, most);
  }
  return line;
}

function across(from, to) {
  const x = from.x + from.w, bend = (to.x - x) / 2;
  return `M${x} ${from.y}C${x + bend} ${from.y} ${to.x - bend} ${to.y} ${to.x} ${to.y}`;
}

// In an outline: down from the parent's mark and over to the card, or from card to card along the right edge.
function elbow(from, to) {
  return `M${from.x + 7} ${from.y + HEIGHT / 2}V${to.y}H${to.x}`;
}

function behind(from, to) {
  const a = from.x + from.w, b = to.x + to.w, reach = Math.max(a, b) + Math.min(30, 8 + Math.abs(from.y - to.y) / 12);
  return `M${a} ${from.y}C${reach} ${from.y} ${reach} ${to.y} ${b} ${to.y}`;
}

function beside(from, to) {
  if (from.depth !== to.depth) return across(from.x < to.x ? from : to, from.x < to.x ? to : from);
  const reach = Math.min(30, 9 + Math.abs(from.y - to.y) / 12);
  return `M${from.x} ${from.y}C${from.x - reach} ${from.y} ${to.x - reach} ${to.y} ${to.x} ${to.y}`;
}
