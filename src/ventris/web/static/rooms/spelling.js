// Room 6: paste a text, watch its letters turn right, see the keyboard that the slips betray.
import { button, choice, slider, text } from "../controls.js";
import { calm, facts, h, notice, percent } from "../dom.js";
import { frame } from "../frame.js";
import { plot } from "../plots.js";
import { recorded } from "../recorded.js";
import { RUN, Run } from "../run.js";
import { Settings } from "../state.js";

const DEFAULTS = {
  text:
    "It wss the besr of times, it was thr worst of timrs, it was the age of wisdpm, it was the age of " +
    "foolishnesd, it was the epoch of bekief, it was thw epoch of incredulity, it wss the season of Light, it " +
    "was the seaspn of Darkness, it was the sprimg of hope, it was the winter of despsir, we had everythimg " +
    "before us, we had nothinv before us, we were all goimg direct to Heavem, we were all goinh direct the " +
    "other way.",
  language: "en",
  threshold: 0.5,
  ...RUN,
};
const LANGUAGES = {
  en: "English",
  de: "German",
  fr: "French",
  es: "Spanish",
  it: "Italian",
  pt: "Portuguese",
};

export async function enter(root, query) {
  const settings = new Settings("spelling", DEFAULTS, query);
  let found = null; // the original and its changes
  let closed = false;

  const problem = h("div", { class: "stage" });
  const status = h("p", { class: "help", role: "status", id: "status" });
  const shown = h("p", { class: "reading mending", id: "mended" });
  const numbers = h("div", {});
  const keys = plot(
    "The keyboard behind the slips",
    "Learnt from this text alone: an arrow leads from the letter that was meant to the one that was hit. " +
      "Slips of fingers go to neighbours; those of a scanner to letters that look alike.",
  );

  const message = text({
    id: "text",
    label: "Text",
    rows: 9,
    maxLength: 20000,
    value: settings.get("text"),
    help: "Paste a text with slips: typed, scanned or old. The more of it, the better its noise is learnt.",
    onInput: (value) => settings.set({ text: value }),
  });
  const language = choice({
    id: "language",
    label: "Language",
    options: LANGUAGES,
    value: settings.get("language"),
    onChange: (value) => settings.set({ language: value }),
  });
  const threshold = slider({
    id: "threshold",
    label: "A change must be",
    min: 0.05,
    max: 0.95,
    step: 0.05,
    value: settings.get("threshold"),
    format: (v) => `${(100 * v).toFixed(0)} % sure`,
    help: "Below that a word stays as it is.",
    onChange: (value) => {
      settings.set({ threshold: value });
      if (recorded) begin();
    },
  });

  const start = button("Mend it", () => (run.mode === "idle" ? begin() : run.toggle()), "main");
  const stop = button("Stop", () => {
    run.stop();
    status.textContent = "Stopped.";
  });
  const run = new Run(
    settings,
    "/correct",
    {
      frame: ({ mended }) => show(mended),
      told: (kind, data) => {
        if (kind === "setup") found = data;
        if (kind === "progress") status.textContent = data.message;
        if (kind === "waiting") status.textContent = `Other jobs are running. ${data.message}`;
        if (kind === "doubt") problem.append(notice("doubt", "A doubt.", data.message));
      },
      ended: (kind, data) => {
        if (kind === "done") showEnd(data);
        else problem.replaceChildren(notice("error", "It was not mended.", data.message));
      },
      changed: () => showButtons(),
    },
    260,
  );

  frame(root, {
    title: "Slips that mend themselves",
    intro:
      "Nobody says how this text goes wrong. The language says which letters follow one another; the text " +
      "itself then teaches which key the fingers hit instead of which, and each slip is put right with the " +
      "probability that this is right.",
    buttons: [start, stop],
    status,
    panel: [message.node, language.node, threshold.node],
    stage: [problem, h("div", { class: "card stage" }, h("h2", {}, "The text"), shown, numbers), keys.node],
  });

  const body = () => ({ text: message.value, language: language.value, threshold: threshold.value });

  async function begin(how = {}) {
    found = null;
    problem.replaceChildren();
    numbers.replaceChildren();
    shown.textContent = message.value;
    status.textContent = "Starting…";
    try {
      await run.begin(body(), how);
    } catch (error) {
      run.drop();
      status.textContent = "";
      problem.replaceChildren(notice("error", "It could not start.", error.message));
    }
  }

  function showButtons() {
    start.textContent = { idle: "Mend it", running: "Pause", paused: "Go on" }[run.mode];
    stop.disabled = run.mode === "idle";
  }

  // The text with its first changes made; those to come are underlined.
  function show(mended) {
    if (!found) return;
    const parts = [];
    let at = 0;
    found.changes.forEach((change, k) => {
      parts.push(found.original.slice(at, change.start));
      at = change.start + change.before.length;
      parts.push(
        k < mended
          ? h(
              "b",
              { class: "mended", title: `${change.before}: ${percent(change.probability)}` },
              change.after,
            )
          : h("span", { class: "wrong" }, change.before),
      );
    });
    parts.push(found.original.slice(at));
    shown.replaceChildren(...parts);
    status.textContent = `${mended} of ${found.changes.length} changes made.`;
  }

  function showEnd(data) {
    status.textContent = `${data.n_changes.toLocaleString("en")} changes.`;
    for (const doubt of data.doubts) problem.append(notice("doubt", "A doubt.", doubt));
    numbers.replaceChildren(
      facts({
        changes: data.n_changes.toLocaleString("en"),
        "letters right now": percent(data.confidence, 2),
        "letters changed by the noise": percent(data.rates.changed ?? 0, 2),
      }),
    );
    drawKeys(data);
  }

  function drawKeys({ places, arrows }) {
    const letters = Object.keys(places);
    const most = Math.max(...arrows.map(([, , share]) => share), 1e-9);
    keys.draw(
      (c) => [
        {
          type: "scatter",
          mode: "markers+text",
          x: letters.map((letter) => places[letter][0]),
          y: letters.map((letter) => places[letter][1]),
          text: letters,
          marker: { symbol: "square", size: 30, color: c.card, line: { color: c.muted, width: 1.5 } },
          textfont: { color: c.ink, size: 14 },
          hoverinfo: "skip",
        },
      ],
      (c) => ({
        xaxis: { visible: false, fixedrange: true },
        yaxis: { visible: false, fixedrange: true, scaleanchor: "x" },
        showlegend: false,
        annotations: arrows.map(([meant, written, share]) => ({
          ax: places[meant][0],
          ay: places[meant][1],
          x: places[written][0],
          y: places[written][1],
          axref: "x",
          ayref: "y",
          arrowhead: 2,
          arrowwidth: 1 + 3 * Math.sqrt(share / most),
          arrowcolor: c.accent,
          opacity: 0.35 + 0.6 * (share / most),
          standoff: 12,
          startstandoff: 12,
          text: "",
        })),
      }),
      arrows.length
        ? `Most often ${arrows[0][0]} became ${arrows[0][1]}.`
        : "No letter is confused often enough to be drawn.",
    );
  }

  keys.draw([], { xaxis: { visible: false }, yaxis: { visible: false } }, "Nothing learnt yet.");
  shown.textContent = message.value;
  showButtons();
  const restored = await run.restore(body);
  if (!restored && !calm() && !closed) await begin({ shared: true }); // it moves at once
  return {
    close() {
      closed = true;
      run.close();
      keys.close();
    },
  };
}
