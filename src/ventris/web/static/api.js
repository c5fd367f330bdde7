// Talking to the server: JSON in and out, refusals as errors that carry their sentence. A recorded page has no
// server: the same questions are answered from what it brought along.
import { recorded } from "./recorded.js";

export class Refused extends Error {}

const tab = Math.random().toString(36).slice(2);

async function asked(method, path, body, options = {}) {
  let answer;
  try {
    const json = body !== undefined && !(body instanceof Blob);
    answer = await fetch(`/api${path}`, {
      method,
      body: json ? JSON.stringify(body) : body,
      headers: { "x-tab": tab, ...(json ? { "content-type": "application/json" } : {}) },
      ...options,
    });
  } catch (problem) {
    if (problem.name === "AbortError") throw problem;
    throw new Refused("The server does not answer. Is ventris serve still running?");
  }
  const data = await answer.json().catch(() => ({}));
  if (!answer.ok) {
    const refused = new Refused(data.error || `The server answered ${answer.status}.`);
    refused.status = answer.status;
    throw refused;
  }
  return data;
}

async function played(path, body) {
  const found = await recorded.answer(path, body);
  if (found === undefined) throw new Refused("This was not recorded. Run it yourself: two commands, above.");
  return found;
}

export const get = (path) => (recorded ? played(path) : asked("GET", path));
export const post = (path, body = {}, options) =>
  recorded ? played(path, body) : asked("POST", path, body, options);
export const upload = (name, file) => asked("PUT", `/uploads/${encodeURIComponent(name)}`, file);
export const forget = (path) =>
  recorded ? Promise.resolve() : fetch(`/api${path}`, { method: "DELETE", keepalive: true }).catch(() => {});
