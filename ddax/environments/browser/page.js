// What a page shows, as an accessibility snapshot with stable ids. Runs in a world of its own beside the page's
// scripts, which can neither see nor change what is defined here; it reads the document and never calls into it.
(() => {
  if (globalThis.ddax) return;
  const ids = new WeakMap(), alive = new Map();
  let last = 0, changed = performance.now(), unseen = [], seen = false, longest = 0;

  const ROLES = {
    a: "link", button: "button", select: "combobox", textarea: "textbox", summary: "summary", img: "image",
    canvas: "canvas", table: "table", tr: "row", td: "cell", th: "columnheader", ul: "list", ol: "list",
    li: "listitem", form: "form", fieldset: "group", nav: "navigation", main: "main", header: "banner",
    footer: "contentinfo", dialog: "dialog", label: "label", h1: "heading", h2: "heading", h3: "heading",
    h4: "heading", h5: "heading", h6: "heading", article: "article", output: "status", iframe: "frame", progress: "progressbar", meter: "meter",
    video: "video", audio: "audio", option: "option", svg: "picture", circle: "shape", rect: "shape",
    polygon: "shape", polyline: "shape", ellipse: "shape", path: "shape", line: "shape",
  };
  const INPUTS = {
    button: "button", submit: "button", reset: "button", image: "button", checkbox: "checkbox", radio: "radio",
    range: "slider", number: "spinbutton", search: "searchbox", file: "file", color: "color", hidden: "hidden",
  };
  const ACTED_ON = new Set([
    "link", "button", "combobox", "textbox", "searchbox", "spinbutton", "checkbox", "radio", "slider", "summary",
    "file", "color", "tab", "menuitem", "menuitemcheckbox", "menuitemradio", "option", "switch", "treeitem",
    "gridcell", "listbox", "canvas", "shape", "icon", "clickable", "handle", "video", "audio",
  ]);
  const TYPED = new Set(["textbox", "searchbox", "spinbutton", "combobox"]), MOST_HELD = 20000;
  const FIELDS = new Set(["textbox", "searchbox", "spinbutton", "combobox", "slider", "file", "color", "checkbox", "radio"]);
  const HOLDERS = new Set(["list", "table", "row", "form", "group", "navigation", "main", "banner", "contentinfo", "dialog",
    "listbox", "canvas", "frame", "grid", "tree", "menu", "menubar", "tablist", "tabpanel", "toolbar", "region", "search", "rowgroup",
    "radiogroup", "picture", "article", "alertdialog", "complementary", "slider", "progressbar", "application"]);
  const SKIPPED = new Set(["script", "style", "noscript", "template", "head", "meta", "link", "title", "datalist"]);

  const squeeze = (text) => (text || "").replace(/\s+/g, " ").trim();
  // Far behind what is shown of any text: secrets are looked for outside, and none is known by a part of it.
  const cut = (text) => text.slice(0, longest);
  const tagOf = (el) => el.tagName.toLowerCase();

  const idOf = (el) => {
    let id = ids.get(el);
    if (!id) { id = ++last; ids.set(el, id); alive.set(id, new WeakRef(el)); }
    return id;
  };
  const find = (id) => {
    const el = alive.get(id)?.deref();
    return el && el.isConnected ? el : null;
  };

  const BOXES = new Set(["checkbox", "radio", "switch"]);
  const roleOf = (el) => {
    const stated = squeeze(el.getAttribute("role")).split(" ")[0].toLowerCase();
    if (stated === "textbox" && el.getAttribute("aria-readonly") === "true" && !("value" in el)) return "text";
    if (stated && stated !== "presentation" && stated !== "none") return stated;
    const tag = tagOf(el);
    if (tag === "input") return INPUTS[el.type] || "textbox";
    if (tag === "a" && !el.hasAttribute("href") && !el.onclick) return "";
    if (tag === "select" && (el.multiple || el.size > 1)) return "listbox";
    if (el.isContentEditable && !(el.parentElement && el.parentElement.isContentEditable)) return "textbox";
    if (tag === "text" && el.ownerSVGElement) return "shape";
    if (tag === "section") return el.hasAttribute("aria-label") || el.hasAttribute("aria-labelledby") ? "region" : "";
    if (tag === "td" && el.closest("table")?.matches("[role=grid],[role=treegrid]")) return "gridcell";
    return ROLES[tag] || "";
  };

  // What a closed section holds has a box, and is not drawn.
  const isSkipped = (el, style) => style.display !== "contents" && !el.checkVisibility();

  const isShown = (el, style) => {
    if (style.visibility !== "visible" || style.display === "none" || Number(style.opacity) < 0.05) return false;
    if (el.closest("[inert]")) return false;
    const box = el.getBoundingClientRect();
    return box.width > 0 && box.height > 0;
  };

  const ownText = (el) => {
    let text = "";
    for (const node of el.childNodes) if (node.nodeType === 3) text += " " + node.nodeValue;
    return squeeze(text);
  };
  const shownText = (el) => {
    let text = squeeze(el.innerText === undefined ? el.textContent : el.innerText);
    if (!text) for (const part of el.querySelectorAll("[alt],[aria-label],title")) {
      text += " " + (part.getAttribute("alt") || part.getAttribute("aria-label") || part.textContent || "");
    }
    return squeeze(text);
  };

  const byIds = (el, attribute) => squeeze((el.getAttribute(attribute) || "").split(/\s+/)
    .map((id) => id && el.getRootNode().getElementById?.(id)?.textContent || "").join(" "));

  const squeezed = (node) => {
    if (node.nodeType === 3) return squeeze(node.nodeValue);
    return node.nodeType !== 1 || SKIPPED.has(tagOf(node)) || unseen.some((one) => node.matches(one)) ? "" : squeeze(node.innerText || "");
  };

  // The words next to a field that has no label of its own: what stands before it in the same small box.
  const beside = (el) => {
    for (let at = el, up = 0; at && up < 3; at = at.parentElement, up++) {
      for (let before = at.previousSibling; before; before = before.previousSibling) {
        if (before.nodeType === 1 && before.getClientRects().length && (FIELDS.has(roleOf(before)) || before.querySelector?.("input,select,textarea"))) return "";
        const text = squeezed(before);
        if (text) return text;
      }
    }
    return "";
  };
  const behind = (el) => {
    for (let after = el.nextSibling; after; after = after.nextSibling) {
      const text = squeezed(after);
      if (text) return text;
      if (after.nodeType === 1 && FIELDS.has(roleOf(after))) return "";
    }
    return "";
  };

  // What a box is called that has no label: the text behind it, where the boxes of its holder are not led by theirs.
  const boxText = (el) => {
    let last = el;
    for (let up = 0; up < 2 && last.parentElement && last.parentElement.querySelectorAll("input,[role]").length === 1; up++) last = last.parentElement;
    const near = (at, way) => {
      for (let one = at[way]; one; one = one[way]) {
        if (one.nodeType === 1 && (tagOf(one) === "br" || FIELDS.has(roleOf(one)) || one.querySelector?.("input,select,textarea"))) return "";
        const text = squeezed(one);
        if (text) return text;
      }
      return "";
    };
    const words = (at, way) => near(at, way) || (at === el && el !== last ? near(last, way) : "");
    const boxes = [...el.parentElement.children].filter((one) => BOXES.has(roleOf(one)));
    const led = boxes.length && !words(boxes[boxes.length - 1], "nextSibling") && words(boxes[0], "previousSibling");
    return led ? words(el, "previousSibling") : words(el, "nextSibling");
  };

  // The words of a label without those of the lists in it: the options are no part of what a list is called.
  const wordsOfLabel = (label) => {
    if (!label.querySelector("select")) return shownText(label);
    const parts = [...label.childNodes].map((node) => node.nodeType === 1 && tagOf(node) === "select" ? ""
      : node.nodeType === 1 && node.querySelector("select") ? wordsOfLabel(node) : squeezed(node));
    return squeeze(parts.join(" "));
  };

  // The words of a tree item without those of the items below it.
  const itemText = (el) => squeeze([...el.childNodes].map((node) => node.nodeType === 1
    && (node.matches("[role=group],ul,ol") || node.querySelector("[role=group],[role=treeitem]")) ? (node.matches("[role=group],ul,ol") ? "" : itemText(node)) : squeezed(node)).join(" "));

  const nameOf = (el, role) => {
    const named = byIds(el, "aria-labelledby") || squeeze(el.getAttribute("aria-label"));
    if (named) return named;
    const tag = tagOf(el);
    if (FIELDS.has(role) || role === "switch" || tag === "select") {
      const labels = el.labels ? [...el.labels].map((label) => wordsOfLabel(label)).filter(Boolean).join(" ") : "";
      if (labels) return labels;
      if (tag === "input" && BOXES.has(role) && !el.title) { const text = el.parentElement ? boxText(el) : ""; if (text) return text; }
    }
    if (tag === "label") return wordsOfLabel(el);
    if (role === "treeitem") { const text = itemText(el); if (text) return text; }
    if (tag === "input" && role === "button") return squeeze(el.value || el.alt || (el.type === "submit" ? "Submit" : el.type === "reset" ? "Reset" : ""));
    if (tag === "img") return squeeze(el.alt || el.title);
    if (role === "shape") return squeeze(el.querySelector?.(":scope > title")?.textContent || (tag === "text" ? el.textContent : ""));
    if (tag === "fieldset") return shownText(el.querySelector(":scope > legend") || document.createElement("i"));
    if (tag === "table") return squeeze(el.caption?.textContent);
    if ((!FIELDS.has(role) || tag !== "input" && (role === "radio" || role === "checkbox")) && !HOLDERS.has(role)) {
      const text = shownText(el);
      if (text && !(el.title && !/[\p{L}\p{N}]/u.test(text))) return text; // a sign alone goes by its title
    }
    return squeeze(el.getAttribute("title") || el.getAttribute("placeholder"));
  };

  const valueOf = (el, role) => {
    const tag = tagOf(el);
    if (tag === "input" && el.type === "password") return "•".repeat(el.value.length);
    if (tag === "select") return [...el.selectedOptions].map((option) => squeeze(option.text)).join(", ");
    if (role === "checkbox" || role === "radio" || role === "button") return "";
    if ("value" in el && typeof el.value === "string" && tag !== "li") return el.value;
    if (el.isContentEditable && role === "textbox") return el.innerText;
    return el.getAttribute("aria-valuenow") || "";
  };

  const stateOf = (el, style) => {
    const state = {};
    const aria = (name) => el.getAttribute("aria-" + name);
    if (el.checked === true || aria("checked") === "true") state.checked = true;
    if (aria("selected") === "true" || (tagOf(el) === "option" && el.selected)) state.selected = true;
    if (aria("pressed") === "true") state.pressed = true;
    if (aria("checked") === "mixed" || el.indeterminate === true) state.mixed = true;
    if (aria("multiselectable") === "true" || el.multiple === true) state.multiple = true;
    if (aria("modal") === "true" || tagOf(el) === "dialog" && el.matches(":modal")) state.modal = true;
    if (/^(ascending|descending)$/.test(aria("sort"))) state[aria("sort")] = true;
    if (el.disabled || aria("disabled") === "true") state.disabled = true;
    if (el.readOnly || aria("readonly") === "true") state.readonly = true;
    if (el.matches(":user-invalid") || el.validity?.rangeOverflow || el.validity?.rangeUnderflow) state.invalid = true;
    if (el.required || aria("required") === "true") state.required = true;
    const open = tagOf(el) === "summary" ? String(el.parentElement?.open) : aria("expanded");
    if (open === "true") state.expanded = true;
    const leads = open === null && /^(menuitem|button)$/.test(roleOf(el)) && /^(true|menu)$/.test(aria("haspopup"));
    if (open === "false" || leads) state.collapsed = true;
    if (/^(list|both)$/.test(aria("autocomplete")) || aria("haspopup") === "listbox" && el.matches("input,textarea") || el.matches("input.ui-autocomplete-input")) state.suggests = true;
    if (aria("current") && aria("current") !== "false") state.current = true;
    if (el === el.getRootNode().activeElement && el !== document.body) state.focused = true;
    if (style.cursor === "not-allowed") state.disabled = true;
    return state;
  };

  const boundsOf = (el) => el.type === "range" ? [el.min || "0", el.max || "100"]
    : ["min", "max"].map((name) => (tagOf(el) === "input" && el[name]) || el.getAttribute("aria-value" + name) || "");

  const isClickable = (el, style, parentStyle) => el.hasAttribute("onclick") || el.onclick !== null && el.onclick !== undefined
    || (el.hasAttribute("tabindex") && el.tabIndex >= 0)
    || (style.cursor === "pointer" && (!parentStyle || parentStyle.cursor !== "pointer"));

  // A painted leaf without words: a picture that is pressed, or a coloured box.
  const isIcon = (el, style) => {
    if (el.ownerSVGElement || el.childElementCount || squeeze(el.textContent)) return false;
    const drawn = [style.content, getComputedStyle(el, "::before").content, getComputedStyle(el, "::after").content];
    const painted = style.backgroundImage !== "none" || drawn.some((one) => /^url|^".+"$/.test(one)) || parseFloat(style.borderTopWidth) > 0 && style.borderTopStyle !== "none" || !/^(rgba\(0, 0, 0, 0\)|transparent)$/.test(style.backgroundColor);
    const box = el.getBoundingClientRect();
    return painted && box.width >= 6 && box.height >= 6 && box.width * box.height < 0.5 * innerWidth * innerHeight;
  };
  const hints = (el) => squeeze([el.id, typeof el.className === "string" ? el.className : el.className?.baseVal,
    el.getAttribute("name"), el.getAttribute("type"), el.getAttribute("placeholder"), el.getAttribute("title"),
    el.getAttribute("alt"), (el.getAttribute("src") || "").split("/").pop(), el.getAttribute("autocomplete"),
    el.getAttribute("data-original-title")].filter(Boolean).join(" "));

  const boxOf = (el) => {
    const box = el.getBoundingClientRect();
    return [box.x, box.y, box.width, box.height].map((n) => Math.round(n * 10) / 10);
  };
  const paintOf = (el, style) => {
    if (el.ownerSVGElement) return { fill: style.fill, stroke: style.stroke, form: tagOf(el), ...(el.points ? { corners: String(el.points.length) } : {}) };
    return { fill: style.backgroundColor, ink: style.color };
  };

  const scrolling = (el, style) =>
    (tagOf(el) === "textarea" || /^(auto|scroll)$/.test(style.overflowY)) && el.scrollHeight > el.clientHeight + 4;

  // The first of the boxes beside each other that are alike: of one tag, one class, and one tag of what stands first.
  let firsts = new Map();
  const kindOf = (el) => `${tagOf(el)}|${squeeze(el.getAttribute("class"))}|${el.firstElementChild ? tagOf(el.firstElementChild) : ""}`;
  const firstOfKind = (el) => {
    const holder = el.parentNode;
    if (!firsts.has(holder)) {
      const known = new Map();
      for (const one of holder.children) if (!known.has(kindOf(one))) known.set(kindOf(one), one);
      firsts.set(holder, known);
    }
    return firsts.get(holder).get(kindOf(el));
  };

  // Walk the shown tree in document order; a list of plain rows comes out.
  const look = ({ skip, most, from, chars }) => {
    unseen = skip;
    firsts = new Map();
    longest = chars;
    last = Math.max(last, from); // a number is never given twice, not on the next page either
    const rows = [];
    let whole = true, around = null;
    const walk = (el, parent, parentStyle, inside, boxes) => {
      const tag = tagOf(el);
      if (SKIPPED.has(tag) || skip.some((one) => el.matches(one))) return;
      const file = tag === "input" && el.type === "file"; // mostly hidden behind a button of the page's own
      if (el.getAttribute("aria-hidden") === "true" && !el.querySelector("input,button,a")) return;
      const style = getComputedStyle(el);
      if (!file && (style.display === "none" || isSkipped(el, style))) {
        for (const one of el.querySelectorAll("input[type=file]")) walk(one, parent, style, inside, boxes);
        return;
      }
      const shown = isShown(el, style);
      let role = roleOf(el), own = shown ? ownText(el) : "";
      const tick = file || BOXES.has(role) && !shown && el.labels?.length;
      if (role === "hidden") return;
      if (shown && !ACTED_ON.has(role) && inside !== "whole" && isClickable(el, style, parentStyle)) role = role === "label" || role === "image" || role === "heading" ? role : "clickable";
      if (shown && role === "clickable" && /\bhandle\b/.test(el.className)) role = "handle";
      if (shown && !role && own) role = "text";
      if (shown && !role && isIcon(el, style)) role = "icon";
      let me = parent, held = boxes;
      // A box without a role of its own is scrolled by the first element in it.
      if (shown && !role && el !== document.body && scrolling(el, style)) around = [Math.round(el.scrollTop), el.scrollHeight - el.clientHeight];
      if ((shown && role) || tick) {
        if (rows.length >= most) { whole = false; return; }
        me = idOf(el);
        held = [];
        const row = { id: me, parent, role, tag, name: cut(nameOf(el, role)), box: boxOf(el), state: stateOf(el, style), hints: cut(hints(el)) };
        const value = valueOf(el, role);
        if (boxes.length) row.boxes = boxes;
        if (value) row.value = cut(value);
        if (TYPED.has(role) && value.length <= MOST_HELD && (value.length > 2000 || /^\s|[^\S ]|\s$|…$|\p{C}/u.test(value))) row.whole = value;
        if (el.type && tag === "input") row.type = el.type;
        if (TYPED.has(role) && el.placeholder) row.sample = cut(squeeze(el.placeholder));
        if (role === "spinbutton" || role === "slider") row.bounds = boundsOf(el);
        if (own) row.own = cut(own);
        const led = el.getRootNode().getElementById?.(el.getAttribute("aria-controls") || el.getAttribute("aria-owns") || "");
        if (led) row.controls = idOf(led);
        if (FIELDS.has(role)) { row.before = cut(beside(el)); row.after = cut(behind(el)); }
        if (tag === "a" && el.href) row.href = cut(String(el.href));
        if (tag === "a" && el.hasAttribute("download")) row.fetches = true;
        if (tag === "select" || el.list) row.options = [...(el.list || el).options].slice(0, 300).map((option) => squeeze(el.list ? option.value : option.text));
        if (el.form) row.form = [idOf(el.form), el.form.method, cut(String(el.form.action))];
        if (role === "button" && el.form && (el.type === "submit" || el.type === "image")) row.submits = true;
        if (el.ownerSVGElement || role === "clickable" || role === "shape" || role === "icon" || role === "text" || role === "cell") row.paint = paintOf(el, style);
        if (scrolling(el, style)) row.scrolls = [Math.round(el.scrollTop), el.scrollHeight - el.clientHeight];
        else if (around) row.scrolls = around;
        around = null;
        if (el.draggable || style.cursor === "move" || style.cursor === "grab") row.drags = true;
        if (/bold|[6-9]00/.test(style.fontWeight)) row.bold = true;
        rows.push(row);
      }
      // A box without a role is told by its number alone: what stands in one belongs together.
      if (me === parent && el !== document.body && el.childElementCount > 1) held = [[idOf(el), idOf(firstOfKind(el))], ...held];
      const leaf = role === "link" || role === "button" || role === "summary";
      if (tag === "select" || (tag !== "svg" && role === "shape")) return;
      for (const child of (el.shadowRoot ? el.shadowRoot.children : el.children)) walk(child, me, style, leaf ? "whole" : "", held);
      if (el.shadowRoot) for (const slot of el.children) walk(slot, me, style, "", held);
    };
    if (document.body) walk(document.body, 0, null, "", []);
    const first = !seen;
    seen = true;
    const status = performance.getEntriesByType("navigation")[0]?.responseStatus || 0;
    return { last, first, whole, status, ended: document.readyState !== "loading", url: String(location.href), title: squeeze(document.title), rows };
  };

  // Bring an element into view and say where to press; `covered` names what lies over that point.
  const aim = (id, at) => {
    const el = find(id);
    if (!el) return { gone: true };
    let target = el;
    if (roleOf(el) === "treeitem") target = [...el.children].find((one) => !one.matches("[role=group],ul,ol") && squeeze(one.textContent) && one.getClientRects().length) || el;
    if (!el.getClientRects().length && el.labels?.length) target = el.labels[0];
    const seen = target.getBoundingClientRect();
    if (seen.top < 0 || seen.left < 0 || seen.bottom > innerHeight || seen.right > innerWidth || at === "center") target.scrollIntoView({ block: "center", inline: "center", behavior: "instant" });
    else target.scrollIntoView({ block: "nearest", inline: "nearest", behavior: "instant" });
    const rects = [...target.getClientRects()].filter((r) => r.width > 0 && r.height > 0);
    const box = (target.getBoundingClientRect().width && !(tagOf(target) === "a" || getComputedStyle(target).display === "inline")) ? target.getBoundingClientRect() : rects[0];
    if (!box) return { hidden: true };
    const reaches = (x, y) => {
      const hit = target.getRootNode().elementFromPoint?.(x, y);
      if (!hit) return [false, "nothing"];
      const same = getComputedStyle(target).pointerEvents === "none" || hit === target || target.contains(hit) || hit.contains(target) && (tagOf(hit) === "label" || !find(ids.get(hit) || 0) || hit.contains(el))
        || [...(target.labels || [])].some((label) => label.contains(hit)) || hit.shadowRoot?.contains(target);
      return [same, `${tagOf(hit)}${hit.id ? "#" + hit.id : ""}`];
    };
    let over = "";
    for (const [dx, dy] of [[0.5, 0.5], [0.5, 0.25], [0.25, 0.5], [0.75, 0.5], [0.5, 0.75], [0.1, 0.5], [0.9, 0.5]]) {
      const x = box.x + box.width * dx, y = box.y + box.height * dy;
      const [same, what] = reaches(x, y);
      if (same) return { x, y, w: box.width, h: box.height };
      over = over || what;
    }
    return { covered: over };
  };

  const tell = (el, ...names) => { for (const name of names) el.dispatchEvent(new Event(name, { bubbles: true, composed: true })); };
  const focus = (id) => {
    const el = find(id);
    if (!el) return { gone: true };
    const field = el.matches("input,textarea,select") || el.isContentEditable ? el : el.querySelector("input,textarea,[contenteditable]") || el;
    if (field.disabled || field.readOnly) return { readonly: true };
    field.scrollIntoView({ block: "nearest", behavior: "instant" });
    field.focus({ preventScroll: true });
    if (typeof field.select === "function" && /^(text|search|url|tel|email|password|number|textarea)$/.test(field.type)) field.select();
    else if (field.isContentEditable) { const all = document.createRange(); all.selectNodeContents(field); const chosen = getSelection(); chosen.removeAllRanges(); chosen.addRange(all); }
    return { set: /^(date|time|datetime-local|month|week|range|color)$/.test(field.type), file: field.type === "file", kind: field.type || "", host: field.ownerDocument.location.hostname,
      secure: field.ownerDocument.location.protocol === "https:", action: field.form ? String(field.form.action) : "", password: field.type === "password", held: "value" in field ? String(field.value) : field.isContentEditable ? field.innerText : "" };
  };
  const put = (id, value) => {
    const el = find(id);
    if (!el) return { gone: true };
    // By the setter of its kind: a page may have put its own over it, as React does, and would then see no news.
    Object.getOwnPropertyDescriptor(Object.getPrototypeOf(el), "value").set.call(el, value);
    tell(el, "input", "change");
    return { value: el.value };
  };
  const choose = (id, wanted) => {
    const el = find(id);
    if (!el) return { gone: true };
    if (tagOf(el) !== "select") return { notone: true };
    const plain = (text) => squeeze(text).toLowerCase();
    const options = [...el.options], found = [];
    for (const one of wanted) {
      const option = options.find((o) => squeeze(o.text) === squeeze(one)) || options.find((o) => plain(o.text) === plain(one)) || options.find((o) => o.value === one);
      if (!option) return { missing: one, known: options.slice(0, 30).map((o) => squeeze(o.text)) };
      found.push(option);
    }
    if (el.multiple) for (const option of options) option.selected = found.includes(option);
    else found[0].selected = true;
    tell(el, "input", "change");
    return { chosen: found.map((o) => squeeze(o.text)) };
  };
  const scroll = (id, how) => {
    let el = id ? find(id) : document.scrollingElement;
    if (!el) return { gone: true };
    if (id && how !== "into view") {
      while (el.parentElement && !scrolling(el, getComputedStyle(el))) el = el.parentElement;
    }
    const page = (id ? el.clientHeight : innerHeight) * 0.9;
    if (how === "top") el.scrollTop = 0;
    else if (how === "bottom") el.scrollTop = el.scrollHeight;
    else if (how === "into view") el.scrollIntoView({ block: "center", behavior: "instant" });
    else el.scrollTop += how === "up" ? -page : page;
    return { top: Math.round(el.scrollTop) };
  };
  const element = (id) => find(id);
  const mark = (id, text) => {
    const el = find(id);
    if (!el) return { gone: true };
    const all = document.createTreeWalker(el, NodeFilter.SHOW_TEXT), range = document.createRange();
    range.selectNodeContents(el);
    let found = !text;
    for (let node = all.nextNode(); !found && node; node = all.nextNode()) {
      const start = node.nodeValue.indexOf(text);
      if (start >= 0) { range.setStart(node, start); range.setEnd(node, start + text.length); found = true; }
    }
    if (!found) return { hidden: true };
    const lines = [...range.getClientRects()].filter((r) => r.width > 0);
    if (!lines.length) return { hidden: true };
    const first = lines[0], end = lines[lines.length - 1];
    return { from: [first.left + 0.5, first.top + first.height / 2], to: [end.right - 0.5, end.top + end.height / 2] };
  };
  const leave = (id) => {
    const el = find(id);
    if (!el) return { gone: true };
    const held = el.getRootNode().activeElement;
    if (held && (held === el || el.contains(held))) held.blur();
    return {};
  };
  const caret = () => {
    const el = document.activeElement;
    return el && "selectionEnd" in el ? el.selectionEnd : -1;
  };
  // Every text that can be seen, with the number of what holds it; `veil` shows some of these as dots until `unveil`.
  let holders = [], veiled = [];
  const texts = (most) => {
    holders = [];
    const rows = [];
    let size = 0;
    const add = (el, text) => {
      if (!text || size > most || !text.trim()) return;
      size += text.length;
      rows.push([holders.push(el) - 1, text]);
    };
    const walk = (root) => {
      for (let node = root.firstChild; node; node = node.nextSibling) {
        if (node.nodeType === 3) add(root.host || root, node.nodeValue);
        if (node.nodeType !== 1 || SKIPPED.has(tagOf(node))) continue;
        if (typeof node.value === "string" && node.type !== "hidden" && node.type !== "password") add(node, node.value);
        for (const name of ["placeholder", "alt", "label"]) add(node, node.getAttribute(name));
        if (node.shadowRoot) walk(node.shadowRoot);
        walk(node);
      }
    };
    walk(document);
    return { rows, whole: size <= most };
  };
  const veil = (numbers) => {
    for (const number of numbers) for (const el of [holders[number], ...holders[number].querySelectorAll("*")]) {
      if (!el.style) continue;
      const [name, value] = el.ownerSVGElement || /^(img|select|option)$/.test(tagOf(el)) ? ["visibility", "hidden"] : ["-webkit-text-security", "disc"];
      veiled.push([el, name, el.style.getPropertyValue(name), el.style.getPropertyPriority(name), el.hasAttribute("style")]);
      el.style.setProperty(name, value, "important");
    }
  };
  const unveil = () => {
    for (const [el, name, value, priority, styled] of veiled.reverse()) {
      if (value) el.style.setProperty(name, value, priority); else el.style.removeProperty(name);
      if (!styled && el.getAttribute("style") !== null) el.removeAttribute("style"); // asked for first: it is made up to date by that
    }
    veiled = [];
  };
  const text = (id) => {
    const el = id > 0 ? find(id) : !id && document.querySelector("main,article,[role=main]") || document.body;
    return el ? (unstruck(el) || el.value || "") : null;
  };
  // What is struck no longer holds. A sheet of style takes it out for as long as the text is read, and the page has no turn meanwhile.
  const unstruck = (el) => {
    if (!el.querySelector("s,del,strike")) return el.innerText;
    const sheet = new CSSStyleSheet(), sheets = document.adoptedStyleSheets;
    sheet.replaceSync("s,del,strike{display:none!important}");
    document.adoptedStyleSheets = [...sheets, sheet];
    const read = el.innerText;
    document.adoptedStyleSheets = sheets;
    return read;
  };

  new MutationObserver(() => { changed = performance.now(); }).observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
  // What says that the page is still on its way: words like "Loading…", a busy region, a bar without a value, or no page at all.
  const LOADING = /^(?:(?:loading|please wait|one moment|just a moment|bitte warten|lädt|wird geladen|chargement|cargando|caricamento)(?: [^.…]{1,40}(?:\.{2,}|…))?|.{0,40}\bloading ?(?:\.{2,}|…))[ .…]*$/i;
  const MARKS = '[aria-busy="true"],progress:not([value]),[role="progressbar"]:not([aria-valuenow])';
  const THINGS = "iframe,frame,object,embed,img,svg,canvas,video,audio,input,select,textarea,button";
  const isSeen = (el) => el.checkVisibility({ opacityProperty: true, visibilityProperty: true }) && el.getClientRects().length > 0;
  const loading = () => {
    const body = document.body;
    if (!body) return [];
    if (document.scripts.length && !body.querySelector(THINGS) && !squeeze(body.innerText)) return [body];
    const found = [...body.querySelectorAll(MARKS)], all = document.createTreeWalker(body, NodeFilter.SHOW_TEXT);
    for (let node = all.nextNode(); node; node = all.nextNode()) {
      if (node.nodeValue.length < 200 && LOADING.test(squeeze(node.nodeValue)) && !SKIPPED.has(tagOf(node.parentElement))) found.push(node.parentElement);
    }
    return found.filter(isSeen);
  };
  // Resolve when nothing has changed for `quiet` ms, the page is loaded and says so, at the latest after `cap` ms.
  // What said "loading" all that time is not waited for again until it has been gone: some pages never take it away.
  let inVain = new WeakSet();
  const settle = ({ quiet, cap }) => new Promise((resolve) => {
    const start = performance.now();
    changed = Math.max(changed, start);
    const check = () => {
      const now = performance.now(), late = now - start >= cap;
      if (!late && (now - changed < quiet || document.readyState === "loading")) return setTimeout(check, 15);
      const signs = loading();
      if (!late && signs.some((one) => !inVain.has(one))) return setTimeout(check, 50);
      inVain = new WeakSet(signs);
      return resolve(!late);
    };
    check();
  });

  globalThis.ddax = { look, aim, focus, put, choose, scroll, mark, texts, veil, unveil, text, settle, leave, caret, element };
})();
