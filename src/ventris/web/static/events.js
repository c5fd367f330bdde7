// What jobs tell, over one line for all rooms and tabs of a browser. One tab asks for everybody: it holds a
// lock, hangs on one call, and passes on what comes. When it closes, another takes over.

const LOCK = "ventris-events";
const HANG = 15; // seconds a call for news may hang
const PAUSE = 600; // milliseconds between two calls that may not hang
const wishes = new Map(); // job → { after, hear }, of this tab
const everybody = new Map(); // job → the number of the last event passed on, if this tab asks
const others = new BroadcastChannel(LOCK);
let leads = false;
let hanging = null; // the call under way, to be ended when someone wants more

const wait = (ms) => new Promise((done) => setTimeout(done, ms));

// Hears every event of a job, from the first; the last is done, failed, cancelled or gone. Gives what ends it.
export function follow(id, hear) {
  wishes.set(id, { after: 0, hear });
  want(id, 0);
  others.postMessage({ want: id, after: 0 });
  lead();
  return () => wishes.delete(id);
}

// What a short job gives in the end; `hear` is told what it tells before.
export function outcome(id, hear = () => {}) {
  return new Promise((done, fail) =>
    follow(id, (kind, data) => {
      if (kind === "done") done(data);
      else if (["failed", "cancelled", "gone"].includes(kind)) fail(new Error(data.message));
      else hear(kind, data);
    }),
  );
}

function want(id, after) {
  if (!leads) return;
  everybody.set(id, Math.min(after, everybody.get(id) ?? after));
  hanging?.abort();
}

others.onmessage = ({ data }) => {
  if (data.want) want(data.want, data.after);
  if (data.told) heard(data.told, data.from, data.events);
  if (data.asks) for (const [id, { after }] of wishes) others.postMessage({ want: id, after });
};

// `from` is the number after which was asked: who is further behind waits for an answer of their own.
function heard(id, from, events) {
  const wish = wishes.get(id);
  if (!wish || from > wish.after) return;
  for (const [number, kind, data] of events) {
    if (number <= wish.after && kind !== "gone") continue;
    wish.after = number;
    if (["done", "failed", "cancelled", "gone"].includes(kind)) wishes.delete(id);
    wish.hear(kind, data);
  }
}

function pass(id, from, events) {
  heard(id, from, events);
  others.postMessage({ told: id, from, events });
}

let asking = false;
function lead() {
  if (asking) return;
  asking = true;
  // Without locks (a page that came unencrypted from elsewhere) every tab asks for itself, and never hangs.
  const turn = navigator.locks ? navigator.locks.request(LOCK, () => serve(HANG)) : serve(0);
  turn.finally(() => {
    asking = false;
    if (wishes.size) lead();
  });
}

async function serve(hang) {
  leads = true;
  for (const [id, { after }] of wishes) everybody.set(id, after);
  others.postMessage({ asks: true });
  await wait(30); // for the others to say what they want
  while (everybody.size) {
    if (!(await askOnce(hang))) await wait(1000);
    if (!hang) await wait(PAUSE);
  }
  leads = false;
}

async function askOnce(hang) {
  const asked = new Map(everybody);
  const query = [...asked].map(([id, after]) => `follow=${id}:${after}`).join("&");
  hanging = new AbortController();
  try {
    const answer = await fetch(`/api/events?${query}&wait=${hang}`, { signal: hanging.signal });
    if (!answer.ok) return false;
    const { jobs, gone } = await answer.json();
    for (const [id, events] of Object.entries(jobs)) tellAll(id, asked.get(id), events);
    for (const id of gone) {
      everybody.delete(id);
      pass(id, 0, [[0, "gone", { message: "That run is long past." }]]);
    }
    return true;
  } catch (problem) {
    return problem.name === "AbortError"; // someone wants more: ask again at once
  } finally {
    hanging = null;
  }
}

function tellAll(id, from, events) {
  if (!events.length) return;
  const [number, kind] = events.at(-1);
  if (everybody.get(id) === from) {
    // else someone has come meanwhile who wants it from further back: it is asked again
    if (["done", "failed", "cancelled"].includes(kind)) everybody.delete(id);
    else everybody.set(id, number);
  }
  pass(id, from, events);
}
