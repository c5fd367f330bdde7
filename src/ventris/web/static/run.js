// A job as a room sees it: begun, found again by the id in the address, shown as a film, and left alone when
// the room is left. The address has its id (job) and, when it is paused, the picture that is seen (at).
import { forget, post } from "./api.js";
import { follow } from "./events.js";
import { Film } from "./film.js";
import { recorded } from "./recorded.js";

export const RUN = { job: "", at: -1 }; // what a room adds to its settings

export class Run {
  // `on` has handlers: frame(frame, all that were shown), told(kind, data), ended(kind, data) and changed().
  constructor(settings, path, on, pace = 80) {
    this.settings = settings;
    this.path = path;
    this.on = on;
    this.mode = "idle"; // idle, running, paused
    this.leave = null;
    this.seekTo = -1;
    this.film = new Film(pace, (frame) => on.frame?.(frame, this.film.shown));
  }

  // Starts a job. A shared one is followed by all who ask the same, and none of them can end it.
  async begin(body, { shared = false, paused = false, at = -1 } = {}) {
    this.drop();
    this.seekTo = at;
    this.set(paused || at >= 0 ? "paused" : "running");
    const mine = this.started;
    const job = await post(`${this.path}${shared && !recorded ? "?shared=true" : ""}`, body);
    if (mine !== this.started) return;
    this.attach(job);
  }

  // The job in the address, if it is still there; everything it has told so far is shown at once.
  async restore(body) {
    const { job, at } = this.settings.values;
    if (recorded || !job) {
      if (at < 0) return false;
      await this.begin(body(), { shared: true, at });
      return true;
    }
    this.drop(false);
    this.seekTo = at;
    this.set(at >= 0 ? "paused" : "running");
    const there = await new Promise((done) => {
      this.once = done;
      setTimeout(() => this.answer(true), 1500); // it is there, but has nothing to tell yet
      this.attach({ id: job }, true);
    });
    if (there) return true;
    this.settings.set({ job: "" });
    if (at < 0) {
      this.drop();
      return false;
    }
    await this.begin(body(), { shared: true, at });
    return true;
  }

  attach(job, again = false) {
    this.id = job.id;
    this.catching = again; // what was told before is not played again
    if (this.mode === "running") this.film.running = !again;
    if (job.events) return this.play(job.events);
    this.settings.set({ job: job.id });
    let batch = null;
    this.leave = follow(job.id, (kind, data) => {
      if (kind === "gone") return this.answer(false);
      this.answer(true);
      this.hear(kind, data);
      if (!this.catching || batch) return;
      batch = setTimeout(() => this.catchUp(), 0); // all of the first answer is heard before it is shown
    });
  }

  answer(there) {
    this.once?.(there);
    this.once = null;
  }

  play(events) {
    for (const [kind, data] of events) this.hear(kind, data);
  }

  catchUp() {
    this.catching = false;
    if (this.mode === "idle") return;
    this.film.running = this.mode === "running";
    this.film.seek(this.seekTo >= 0 ? this.seekTo : undefined);
  }

  hear(kind, data) {
    if (kind === "frame") {
      this.film.add(data);
      if (this.seekTo > this.film.at && this.mode === "paused" && !this.catching) {
        this.film.seek(this.seekTo);
        this.settings.set({ at: this.seekTo });
      }
    } else if (["done", "failed", "cancelled"].includes(kind)) {
      this.film.end(() => this.finish(kind, data));
      if (kind !== "done") this.film.seek();
      if (this.mode === "running" && !this.catching) this.film.play();
    } else this.on.told?.(kind, data);
  }

  finish(kind, data) {
    this.set("idle");
    this.on.ended?.(kind, data);
    this.on.changed?.();
  }

  toggle() {
    if (this.mode === "running") this.pause();
    else if (this.mode === "paused") {
      this.seekTo = -1;
      this.settings.set({ at: -1 });
      this.set("running");
      this.film.play();
    }
  }

  pause() {
    if (this.mode !== "running") return;
    this.film.pause();
    this.set("paused");
    this.settings.set({ at: this.film.at });
  }

  step() {
    this.set("paused");
    if (!this.film.hasNext) this.seekTo = this.film.at + 1; // shown as soon as it comes
    this.film.step();
    if (this.mode === "paused") this.settings.set({ at: this.film.at });
  }

  // Ends the job itself, and keeps what was shown.
  stop() {
    if (this.id && !recorded) forget(`/jobs/${this.id}`);
    this.detach();
    this.film.pause();
    this.settings.set({ job: "", at: -1 });
    this.set("idle");
  }

  // Forgets what was shown; a job of one's own that nobody looks at any more is ended.
  drop(forgetting = true) {
    if (forgetting && this.mode !== "idle" && this.id && !recorded) forget(`/jobs/${this.id}`);
    this.detach();
    this.film.clear();
    if (forgetting) this.settings.set({ job: "", at: -1 });
    this.set("idle");
  }

  detach() {
    this.leave?.();
    this.leave = null;
    this.id = null;
    this.started = {};
    this.answer(true);
  }

  // The room is left: the job goes on.
  close() {
    this.detach();
    this.film.clear();
    this.on = {};
  }

  set(mode) {
    this.mode = mode;
    this.on.changed?.();
  }
}
