// What every room has: a title, a sentence, the buttons that matter, then the stage and the controls. On a
// phone the buttons come before everything that can be scrolled to.
import { actions } from "./controls.js";
import { h } from "./dom.js";
import { recorded } from "./recorded.js";

export function frame(root, { title, intro, buttons, status, help, panel, stage }) {
  root.append(
    h("h1", {}, title),
    h("p", { class: "intro" }, intro),
    h(
      "section",
      { class: "lead", "aria-label": "What to do" },
      actions(...buttons),
      status,
      help && h("p", { class: "help" }, help),
    ),
    h(
      "div",
      { class: "room" },
      h("section", { class: "panel", "aria-label": "Controls" }, recorded && fixedNote(), ...panel),
      h("section", { class: "stage", "aria-label": "Result" }, ...stage),
    ),
  );
}

function fixedNote() {
  return h(
    "p",
    { class: "help recorded-note" },
    "A recording: controls that can be moved go from one recorded run to another. The others are as they were.",
  );
}
