// Where the data come from: a live server, or what was put into the file. Both answer the same questions.

const WAITS = [300, 700, 1500, 3000, 5000];

export class Trouble extends Error {
  constructor(told, status) {
    super(told.what ?? `The server answered ${status}.`);
    this.told = told;
    this.status = status;
  }
}

export class Live {
  constructor(token) {
    this.live = true;
    this.token = token;
  }

  async ask(path, { body, signal, headers } = {}) {
    const reply = await fetch(`/api${path}`, {
      method: body ? "POST" : "GET",
      headers: { authorization: `Bearer ${this.token}`, ...(body ? { "content-type": "application/json" } : {}), ...headers },
      body: body ? JSON.stringify(body) : undefined,
      signal,
    });
    if (reply.ok) return reply;
    let told = {};
    try {
      told = await reply.json();
    } catch {
      told = { what: `The server answered ${reply.status}.` };
    }
    throw new Trouble(told, reply.status);
  }

  async data(path, options) {
    return (await this.ask(path, options)).json();
  }

  at_(thread) { return `/runs/${encodeURIComponent(thread)}`; }
  runs() { return this.data("/runs"); }
  run(thread) { return this.data(this.at_(thread)); }
  moments(thread) { return this.data(`${this.at_(thread)}/moments`); }
  at(thread, moment) { return this.data(`${this.at_(thread)}/at/${encodeURIComponent(moment.id)}`); }
  idea(thread, idea, checkpoint) {
    return this.data(`${this.at_(thread)}/ideas/${encodeURIComponent(idea)}?at=${encodeURIComponent(checkpoint ?? "")}`);
  }
  page(thread, source, start) {
    return this.data(`${this.at_(thread)}/page?source=${encodeURIComponent(source)}&start=${Number(start) || 0}`);
  }
  answer(thread, body) { return this.data(`${this.at_(thread)}/answer`, { body }); }
  fork(thread, body) { return this.data(`${this.at_(thread)}/fork`, { body }); }

  // Follow a thread from a moment on. A lost connection is taken up behind the last moment that came.
  follow(thread, after, on) {
    const ended = new AbortController();
    const run = async () => {
      let last = after, failed = 0;
      while (!ended.signal.aborted) {
        try {
          const reply = await this.ask(`${this.at_(thread)}/events`, {
            signal: ended.signal, headers: last ? { "last-event-id": last } : {},
          });
          on.connected(true);
          for await (const event of events(reply.body)) {
            failed = 0;
            if (event.id) last = event.id;
            if (event.kind === "reset") return on.reset();
            on[event.kind]?.(JSON.parse(event.data));
          }
        } catch (problem) {
          if (ended.signal.aborted) return undefined;
          if (problem instanceof Trouble && problem.status < 500) return on.failed(problem);
        }
        if (ended.signal.aborted) return undefined;
        on.connected(false);
        await new Promise((go) => setTimeout(go, WAITS[Math.min(failed, WAITS.length - 1)]));
        failed += 1;
      }
      return undefined;
    };
    run();
    return () => ended.abort();
  }
}

async function* events(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const parts = (rest + value).split("\n\n");
    rest = parts.pop();
    for (const part of parts) {
      const event = { id: "", kind: "message", data: "" };
      for (const line of part.split("\n")) {
        if (line.startsWith("id: ")) event.id = line.slice(4);
        else if (line.startsWith("event: ")) event.kind = line.slice(7);
        else if (line.startsWith("data: ")) event.data += line.slice(6);
      }
      if (event.data) yield event;
    }
  }
}

export class Kept {
  constructor(kept) {
    this.live = false;
    this.kept = kept;
  }

  async runs() { return { runs: [this.kept.standing.run] }; }
  async run() { return this.kept.standing; }
  async moments() { return { moments: this.kept.moments, all: this.kept.moments.length }; }
  async at(thread, moment) {
    const ideas = new Map();
    for (const one of this.kept.moments) {
      for (const [id, patch] of Object.entries(one.patch)) ideas.set(id, { ...ideas.get(id), ...patch });
      if (one.id === moment.id) return { checkpoint: one.id, focus: one.focus, ideas: [...ideas.values()] };
    }
    throw new Trouble({ what: "This moment is not in the file." }, 404);
  }
  async idea(thread, idea) {
    const found = this.kept.details[idea];
    if (!found) throw new Trouble({ what: "The details of this idea are not in the file." }, 404);
    return found;
  }
  async page(thread, source) {
    const found = this.kept.pages[source];
    if (!found) throw new Trouble({ what: "That page is not in the file." }, 404);
    return found;
  }
  follow(thread, after, on) {
    on.connected(true);
    return () => undefined;
  }
}

export async function unpacked(text) {
  const bytes = Uint8Array.from(atob(text), (sign) => sign.charCodeAt(0));
  const plain = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return JSON.parse(await new Response(plain).text());
}
