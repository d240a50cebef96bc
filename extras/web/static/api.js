// Requests to the server. Every one carries the whole game; the server keeps none.

import { t } from "./words.js";

export class Refused extends Error {
  constructor(sentence, status) {
    super(sentence);
    this.status = status;
  }
}

async function answered(request) {
  let response;
  try {
    response = await request;
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Refused(t("error.network"), 0);
  }
  if (response.ok) return response;
  const body = await response.json().catch(() => ({}));
  throw new Refused(body.error ?? response.statusText, response.status);
}

export async function get(path, query) {
  const response = await answered(fetch(`/api/${path}?${new URLSearchParams(query)}`));
  return response.json();
}

export async function post(path, content) {
  const response = await answered(
    fetch(`/api/${path}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(content),
    }),
  );
  return response.json();
}

// An agent's decision. `onProgress` is called with those of the iterations of its search.
export function think(query, signal, onProgress) {
  return stream("think", query, signal, onProgress);
}

// Says on the page how long the server has been compiling, if that takes long.
function announced() {
  const place = document.getElementById("compiling");
  const began = performance.now();
  const timer = setInterval(() => {
    const seconds = Math.round((performance.now() - began) / 1000);
    if (seconds < 1) return;
    place.textContent = t("work.compiling", { seconds, usual: place.dataset.usual });
    place.hidden = false;
  }, 500);
  return () => {
    clearInterval(timer);
    place.hidden = true;
  };
}

// The result of a search, which tells its progress. Aborting `signal` ends it on the server.
export async function stream(path, query, signal, onProgress) {
  const address = `/api/${path}?${new URLSearchParams(query)}`;
  const response = await answered(fetch(address, { signal }));
  let ready = () => {};
  try {
    for await (const { kind, content } of eventsOf(response)) {
      ready();
      if (kind === "preparing") ready = announced();
      else if (kind === "progress") onProgress(content);
      else if (kind === "move") return content;
      else if (kind === "error") throw new Refused(content.error, content.status);
    }
  } finally {
    ready();
  }
  throw new Refused(t("error.network"), 0);
}

// The server-sent events of a response, until it ends.
async function* eventsOf(response) {
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let waiting = "";
  for (;;) {
    let part;
    try {
      part = await reader.read();
    } catch (error) {
      if (error.name === "AbortError") throw error;
      throw new Refused(t("error.network"), 0);
    }
    if (part.done) return;
    waiting += part.value;
    const events = waiting.split("\n\n");
    waiting = events.pop();
    for (const event of events) {
      const match = /^event: (\w+)\ndata: (.*)$/s.exec(event);
      if (match) yield { kind: match[1], content: JSON.parse(match[2]) };
    }
  }
}
