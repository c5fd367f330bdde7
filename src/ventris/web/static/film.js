// Frames shown one after another at a pace that eyes can follow, however fast they come. Pausing is the film's
// own affair: whoever made the frames has long gone on to something else.
import { calm } from "./dom.js";

export class Film {
  constructor(pace, show) {
    this.pace = pace;
    this.show = show;
    this.clear();
  }

  clear() {
    clearTimeout(this.timer);
    this.timer = null;
    this.frames = []; // all that have come
    this.at = -1; // the one that is shown
    this.running = false;
    this.complete = false; // no more will come
    this.ending = null;
  }

  get shown() {
    return this.frames.slice(0, this.at + 1);
  }

  get isOver() {
    return this.complete && this.at >= this.frames.length - 1;
  }

  get hasNext() {
    return this.at < this.frames.length - 1;
  }

  add(frame) {
    this.frames.push(frame);
    this.next();
  }

  // The last one has come; `ending` is called when it has been shown.
  end(ending) {
    this.complete = true;
    this.ending = ending;
    this.next();
  }

  play() {
    this.running = true;
    this.next();
  }

  pause() {
    this.running = false;
    clearTimeout(this.timer);
    this.timer = null;
  }

  step() {
    this.pause();
    if (this.hasNext) this.draw(this.at + 1);
    else this.finish();
  }

  // Straight to a frame, or to the last there is.
  seek(number = this.frames.length - 1) {
    const at = Math.min(number, this.frames.length - 1);
    if (at >= 0) this.draw(at);
    this.next();
  }

  next() {
    if (!this.running || this.timer) return;
    if (this.at >= this.frames.length - 1) return this.finish();
    if (calm()) return this.seek();
    this.timer = setTimeout(() => {
      this.timer = null;
      if (!this.running) return;
      this.draw(this.at + 1);
      this.next();
    }, this.pace);
  }

  draw(at) {
    this.at = at;
    this.show(this.frames[at], at);
  }

  finish() {
    if (!this.complete || this.at < this.frames.length - 1) return;
    this.running = false;
    const ending = this.ending;
    this.ending = null;
    ending?.();
  }
}
