// Talking to the server: JSON in and out, refusals as errors that carry their sentence, jobs as streams.

export class Refused extends Error {}

async function asked(method, path, body, options = {}) {
  let answer;
  try {
    const json = body !== undefined && !(body instanceof Blob);
    answer = await fetch(path, {
      method,
      body: json ? JSON.stringify(body) : body,
      headers: json ? { "content-type": "application/json" } : {},
      ...options,
    });
  } catch (problem) {
    if (problem.name === "AbortError") throw problem;
    throw new Refused("The server does not answer. Is ventris serve still running?");
  }
  const data = await answer.json().catch(() => ({}));
  if (!answer.ok) throw new Refused(data.error || `The server answered ${answer.status}.`);
  return data;
}

export const get = (path) => asked("GET", path);
export const post = (path, body = {}, options) => asked("POST", path, body, options);
export const upload = (name, file) => asked("PUT", `/api/uploads/${encodeURIComponent(name)}`, file);

const KINDS = [
  "waiting",
  "progress",
  "doubt",
  "setup",
  "frame",
  "paused",
  "resumed",
  "done",
  "failed",
  "cancelled",
];
const LAST = ["done", "failed", "cancelled"];

// Follows a job; handlers are named after its events. close() ends the stream and, unless it has ended, the
// job.
export function follow(job, handlers) {
  const source = new EventSource(`/api/jobs/${job.id}/events`);
  let ended = false;
  for (const kind of KINDS) {
    source.addEventListener(kind, (event) => {
      if (LAST.includes(kind)) {
        ended = true;
        source.close();
      }
      handlers[kind]?.(JSON.parse(event.data));
      if (kind === "cancelled" && !handlers.cancelled) handlers.failed?.(JSON.parse(event.data));
    });
  }
  source.onerror = () => {
    if (!ended && source.readyState === EventSource.CLOSED) {
      ended = true;
      handlers.failed?.({ message: "The connection to the server was lost." });
    }
  };
  return {
    id: job.id,
    tell: (command, data) => post(`/api/jobs/${job.id}/${command}`, data),
    close() {
      source.close();
      if (!ended) {
        ended = true;
        fetch(`/api/jobs/${job.id}`, { method: "DELETE", keepalive: true }).catch(() => {});
      }
    },
  };
}

// Runs a job to its end and gives its result.
export function outcome(job, handlers = {}) {
  return new Promise((done, fail) =>
    follow(job, { ...handlers, done, failed: (data) => fail(new Refused(data.message)) }),
  );
}
