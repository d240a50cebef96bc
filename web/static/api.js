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

// The result of a search, which tells its progress. Aborting `signal` ends it on the server.
export async function stream(path, query, signal, onProgress) {
  const address = `/api/${path}?${new URLSearchParams(query)}`;
  const response = await answered(fetch(address, { signal }));
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
    if (part.done) throw new Refused(t("error.network"), 0);
    waiting += part.value;
    const events = waiting.split("\n\n");
    waiting = events.pop();
    for (const event of events) {
      const match = /^event: (\w+)\ndata: (.*)$/s.exec(event);
      if (!match) continue;
      const content = JSON.parse(match[2]);
      if (match[1] === "progress") onProgress(content);
      else if (match[1] === "move") return content;
      else throw new Refused(content.error, content.status);
    }
  }
}
