// Decide which ideas are shown and where: layers from left to right, branches folded where there are many.

export const CARD = 226, ROW = 36, LAYER = 288, HEIGHT = 28;
const INDENT = 18, BADGE = 46;
const BUDGET = 140, SIBLINGS = 40, STEP = 100, TALL = 24;

export function family(ideas) {
  const children = new Map(), roots = [];
  for (const idea of ideas.values()) {
    if (idea.parent && ideas.has(idea.parent)) {
      const known = children.get(idea.parent);
      if (known) known.push(idea.id);
      else children.set(idea.parent, [idea.id]);
    } else roots.push(idea.id);
  }
  const below = new Map();
  const order = [...roots];
  for (let k = 0; k < order.length; k += 1) order.push(...(children.get(order[k]) ?? []));
  for (const id of order.reverse()) {
    below.set(id, (children.get(id) ?? []).reduce((sum, child) => sum + 1 + below.get(child), 0));
  }
  return { children, roots, below };
}

export function ancestors(ideas, id) {
  const found = [];
  for (let at = ideas.get(id)?.parent; at && ideas.has(at) && found.length < 1000; at = ideas.get(at).parent) found.push(at);
  return found;
}

// Which ideas are unfolded: what the reader chose, the way to what matters, then level by level up to a budget.
export function unfolded(ideas, kin, { opened, closed, reveal }) {
  const open = new Set();
  const width = (id) => Math.min((kin.children.get(id) ?? []).length, SIBLINGS);
  let shown = kin.roots.length;
  const add = (id) => {
    if (open.has(id) || !kin.children.has(id)) return;
    open.add(id);
    shown += width(id);
  };
  for (const id of reveal) for (const above of ancestors(ideas, id)) if (!closed.has(above)) add(above);
  for (const id of opened) if (ideas.has(id)) add(id);
  let level = kin.roots;
  while (level.length) {
    const next = [];
    for (const id of level) {
      if (closed.has(id)) continue;
      if (!open.has(id) && shown + width(id) <= BUDGET) add(id);
      if (open.has(id)) next.push(...(kin.children.get(id) ?? []).slice(0, SIBLINGS));
    }
    level = next;
  }
  return open;
}

export function places(ideas, kin, open, { limits, reveal }) {
  const shown = [], at = new Map(), wanted = new Set(reveal);
  const stack = [...kin.roots].reverse().map((id) => ({ id, depth: 0, parent: "", more: 0 }));
  let line = 0, deepest = 0;
  while (stack.length) {
    const { id, depth, parent, more } = stack.pop();
    const children = more ? [] : kin.children.get(id) ?? [];
    const node = { id, depth, parent, more, x: depth * LAYER, y: line * ROW, w: CARD, children: [], below: kin.below.get(id) ?? 0,
      folded: children.length > 0 && !open.has(id) };
    deepest = Math.max(deepest, depth);
    at.set(id, node);
    shown.push(node);
    if (parent) at.get(parent).children.push(node);
    if (!children.length || node.folded) {
      line += 1;
      continue;
    }
    const most = SIBLINGS + STEP * (limits.get(id) ?? 0);
    const kept = children.filter((child, k) => k < most || wanted.has(child));
    if (kept.length < children.length) stack.push({ id: `${id}/more`, depth: depth + 1, parent: id, more: children.length - kept.length });
    for (const child of kept.reverse()) stack.push({ id: child, depth: depth + 1, parent: id, more: 0 });
  }
  // In a tall picture a parent stands beside its first child, where it is seen; in a small one in the middle.
  const middle = line <= TALL ? 0.5 : 0;
  for (const node of [...shown].reverse()) {
    if (node.children.length) node.y = node.children[0].y + middle * (node.children[node.children.length - 1].y - node.children[0].y);
  }
  return { shown, at, width: deepest * LAYER + CARD + 40, height: Math.max(1, line) * ROW };
}

// The same cards one below the other, each as wide as there is room: for a screen the layers do not fit on.
export function outlined(plan, room) {
  const deepest = Math.max(1, ...plan.shown.map((node) => node.depth));
  const indent = Math.min(INDENT, (room * 0.4) / deepest);
  plan.shown.forEach((node, line) => {
    node.x = node.depth * indent;
    node.y = line * ROW;
    node.w = Math.max(80, room - node.x - BADGE);
  });
  return { ...plan, width: room - 20, height: Math.max(1, plan.shown.length) * ROW };
}
