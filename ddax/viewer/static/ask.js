// What a human may decide: the answer to a question that waits, and a fork from a moment.

import { h, number, put } from "./dom.js";

const MEANS = {
  "go on": "yes, go on", choose: "choose another step", edit: "edit it first", veto: "no, not this", teach: "teach me something", stop: "stop the run",
};

export function questionForm(question, { live, thread, send, select }) {
  const trouble = h("p", { class: "small", role: "alert" });
  const choices = (question.options ?? []).map((option, k) => h("label", { title: option }, h("input", { type: "radio", name: "choice", value: option, checked: k === 0 }), ` ${MEANS[option] ?? option}`));
  const args = h("textarea", { rows: 5, "aria-label": "Arguments as JSON", spellcheck: "false", value: JSON.stringify(question.action?.args ?? {}, null, 1) });
  const lesson = h("textarea", { rows: 2, maxlength: 1000, "aria-label": "Lesson" });
  const candidates = (question.candidates ?? []).map((one, k) => h("label", { title: `idea ${one.id}; an answer changes ${number(one.expected_change)} of what is done next` }, h("input", { type: "radio", name: "idea", value: one.id, checked: k === 0 }), ` ${one.title}`));
  const by = h("input", { value: "human", maxlength: 300, size: 12 });
  const more = { edit: field("Its arguments", args), teach: field("The lesson", lesson), choose: field("The idea", h("div", { class: "choices" }, candidates)) };
  const form = h("form", {},
    h("fieldset", {}, h("legend", {}, "Your answer"), h("div", { class: "choices" }, choices)), Object.values(more),
    h("div", { class: "bar" }, h("label", { class: "small" }, "Answered by ", by), h("button", { class: "main", type: "submit", disabled: !live }, "Answer"), trouble));
  const chosen = () => form.querySelector("input[name=choice]:checked")?.value ?? "";
  const adapt = () => { for (const [name, part] of Object.entries(more)) part.hidden = chosen() !== name; };
  form.addEventListener("change", adapt);
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const body = { choice: chosen(), by: by.value };
    try {
      if (body.choice === "edit") body.arguments = JSON.parse(args.value);
      if (body.choice === "teach") body.lesson = lesson.value;
      if (body.choice === "choose") body.idea = form.querySelector("input[name=idea]:checked")?.value ?? "";
      form.querySelector("button.main").disabled = true;
      put(trouble, "Sent; the run goes on.");
      await send(body);
    } catch (problem) {
      form.querySelector("button.main").disabled = false;
      put(trouble, [problem.told?.what ?? `${problem.message}.`, problem.told?.why, problem.told?.mend].filter(Boolean).join(" "));
    }
  });
  adapt();
  const about = question.about || question.idea;
  const section = h("section", { class: "ask", "aria-label": "A question waits" },
    h("h2", {}, "A question waits for you"), h("p", { class: "text" }, question.text ?? ""),
    question.problem ? h("p", { class: "small", role: "alert" }, `The last answer did not fit: ${question.problem}.`) : null,
    question.action ? h("pre", { "aria-label": "Exact arguments" }, `${question.action.name} ${JSON.stringify(question.action.args, null, 1)}`) : null,
    questionDetails(question, about, select),
    live ? form : h("p", { class: "small soft" }, "Answer it with ", h("code", {}, `ddax answer ${thread}`)));
  // What was sent could not be done, which stands above: it can be sent again.
  section.again = () => {
    form.querySelector("button.main").disabled = false;
    put(trouble, "Not answered.");
  };
  return section;
}

// The numbers behind a question, and the idea it is about: for who wants to know more than the words say.
function questionDetails(question, about, select) {
  const told = Object.entries(question.details ?? {});
  if (!about && !told.length) return null;
  return h("details", { class: "small" }, h("summary", {}, "Details"),
    about ? h("p", {}, "About idea ", h("button", { class: "plain mono", on: { click: () => select(about) } }, about), question.effect ? `, which ${question.effect}` : "") : null,
    told.map(([name, value]) => h("p", {}, `${name}: ${typeof value === "number" ? number(value, Number.isInteger(value) ? 0 : 2) : value}`)));
}

function field(name, ...content) {
  return h("fieldset", {}, h("legend", {}, name), content);
}

export function forkDialog(moment, { live, thread, send }) {
  const trouble = h("p", { class: "small", role: "alert" });
  const to = h("input", { placeholder: `${thread}-fork-${moment.number}` }), identity = h("input", { placeholder: "as it is" });
  const values = h("textarea", { rows: 3, placeholder: "mind.rho=0.9\nbudget.max_steps=9", "aria-label": "Changes, one PATH=VALUE a line", spellcheck: "false" });
  const dialog = h("dialog", { "aria-label": "Fork the run" });
  const submit = async (event) => {
    event.preventDefault();
    try {
      const body = { at: moment.number, set: changes(values.value), to: to.value || undefined, identity: identity.value || undefined };
      put(trouble, "Forking …");
      const made = await send(body);
      dialog.close(made.thread_id);
    } catch (problem) {
      put(trouble, [problem.told?.what ?? problem.message, problem.told?.why, problem.told?.mend].filter(Boolean).join(" "));
    }
  };
  const ends = h("div", { class: "ends" }, h("button", { type: "button", on: { click: () => dialog.close() } }, "Cancel"), live ? h("button", { class: "main", type: "submit" }, "Fork and run on") : null);
  put(dialog, h("form", { on: { submit } }, h("h2", {}, `Fork from moment ${moment.number}, step ${moment.step}`),
    h("p", { class: "small soft" }, "A thread of its own from here on; this one stays as it is. Only what comes after is computed again."),
    live ? [h("label", {}, "Name", to), h("label", {}, "Identity profile", identity), h("label", {}, "Changes, one PATH=VALUE a line", values)] : h("pre", {}, `ddax fork ${thread} --at ${moment.number}`),
    trouble, ends));
  dialog.addEventListener("close", () => dialog.remove());
  return dialog;
}

function changes(text) {
  const found = {};
  for (const line of text.split("\n").map((one) => one.trim()).filter(Boolean)) {
    const at = line.indexOf("=");
    if (at < 1) throw new Error(`“${line}” is no PATH=VALUE.`);
    const value = line.slice(at + 1).trim();
    try {
      found[line.slice(0, at).trim()] = JSON.parse(value);
    } catch {
      found[line.slice(0, at).trim()] = value;
    }
  }
  return found;
}

export function keysDialog() {
  const rows = [["/", "search"], ["↑ ↓", "idea above, below"], ["← →", "fold or parent, unfold or child"], ["Enter", "open the idea"], ["[ ]", "moment before, after"], ["End of the slider", "back to now"], ["t", "tree or table"], ["+ − 0", "size of the picture"], ["Esc", "close"], ["?", "these keys"]];
  const dialog = h("dialog", { "aria-label": "Keys" });
  put(dialog, h("h2", {}, "Keys"), h("div", { class: "keys" }, rows.map(([key, does]) => [h("span", {}, h("kbd", {}, key)), h("span", {}, does)])), h("div", { class: "ends" }, h("button", { on: { click: () => dialog.close() } }, "Close")));
  dialog.addEventListener("close", () => dialog.remove());
  return dialog;
}
