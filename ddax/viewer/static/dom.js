// Build the page out of elements and text nodes only: nothing that came from a run is ever read as markup.

const SVG = "http://www.w3.org/2000/svg";

function fill(node, props, children) {
  for (const [key, value] of Object.entries(props ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (key === "on") for (const [name, call] of Object.entries(value)) node.addEventListener(name, call);
    else if (key === "text") node.textContent = String(value);
    else if (key === "value") node.value = value;
    else node.setAttribute(key, value === true ? "" : String(value));
  }
  for (const child of children.flat(3)) {
    if (child === null || child === undefined || child === false) continue;
    node.append(child instanceof Node ? child : document.createTextNode(String(child)));
  }
  return node;
}

export const h = (name, props, ...children) => fill(document.createElement(name), props, children);
export const s = (name, props, ...children) => fill(document.createElementNS(SVG, name), props, children);

export function put(place, ...children) {
  place.replaceChildren(...children.flat(3).filter((child) => child !== null && child !== undefined && child !== false));
}

export function pill(status) {
  return h("span", { class: `pill ${status}` }, String(status).replace("_", " "));
}

export const number = (value, digits = 2) => (value === null || value === undefined ? "–" : Number(value).toFixed(digits));

export function short(text, most) {
  const line = String(text ?? "").replace(/\s+/g, " ").trim();
  const signs = Array.from(line);
  return signs.length <= most ? line : `${signs.slice(0, most - 1).join("").trimEnd()}…`;
}

export function ago(seconds) {
  const past = Math.max(0, Date.now() / 1000 - seconds);
  for (const [size, name] of [[86400, "day"], [3600, "hour"], [60, "minute"]]) {
    if (past >= size) {
      const many = Math.floor(past / size);
      return `${many} ${name}${many > 1 ? "s" : ""} ago`;
    }
  }
  return "just now";
}

export function money(usage) {
  const calls = Number(usage.model_calls ?? usage.calls ?? 0);
  if (!calls) return "no model";
  const price = usage.usd === null || usage.usd === undefined ? "price unknown" : `$${Number(usage.usd).toFixed(4)}`;
  return `${calls} calls, ${Number(usage.tokens ?? 0).toLocaleString("en")} tokens, ${price}`;
}

export const byId = (a, b) => {
  const one = a.split("."), two = b.split(".");
  for (let k = 0; k < Math.min(one.length, two.length); k += 1) {
    const gap = Number(one[k]) - Number(two[k]);
    if (gap) return gap;
  }
  return one.length - two.length;
};

export function throttled(call, wait) {
  let timer = 0, last = 0;
  return () => {
    if (timer) return;
    timer = setTimeout(() => {
      timer = 0;
      last = performance.now();
      call();
    }, Math.max(0, wait - (performance.now() - last)));
  };
}
