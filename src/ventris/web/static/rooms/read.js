// Room 4: glyphs become letters, round by round.
import { get, post } from "../api.js";
import { button, choice, fold, number, slider, text } from "../controls.js";
import { calm, debounce, facts, h, notice, percent } from "../dom.js";
import { frame } from "../frame.js";
import { plot } from "../plots.js";
import { recorded } from "../recorded.js";
import { RUN, Run } from "../run.js";
import { Settings } from "../state.js";

const DEFAULTS = {
  text: "nobody told it a single letter and yet it reads this line",
  fonts: "DejaVuSans",
  noise: 0.15,
  jitter: 0.5,
  n: 8000,
  seed: 0,
  learner: "linear",
  ...RUN,
};
const LEARNERS = { linear: "Linear: a weight for every pixel", cnn: "CNN: a small convolutional network" };
const CELL = 24; // pixels a glyph is drawn at

export async function enter(root, query) {
  const { fonts, networks } = await get("/read/presets");
  const settings = new Settings("read", DEFAULTS, query);
  let line = null; // the printed line: image, text
  let frames = [];
  let isOpen = false; // what the room begins with has begun
  let closed = false;

  const problem = h("div", {});
  const status = h("p", { class: "help", role: "status", id: "status" });
  const printed = h("div", { class: "glyphs", role: "img" });
  const numbers = h("div", {});
  const decoded = h("p", { class: "reading", id: "decoded" });
  const table = plot(
    "What each code means",
    "A column for each code, a row for each letter. Columns stand in the order of the letter they " +
      "really show, so that the right reading is a staircase.",
    "middle",
  );
  const errors = plot(
    "Errors, round by round",
    "Share of glyphs misread, each taken alone, on three thousand glyphs of the page.",
    "low",
  );

  // ---------------------------------------------------------------- controls

  const change = (patch) => {
    settings.set(patch);
    ask();
  };
  const words = text({
    id: "text",
    label: "Line to read",
    rows: 3,
    maxLength: 300,
    value: settings.get("text"),
    placeholder: "Type something in English",
    help:
      "Printed at the end of a page of letters drawn from English letter statistics. Letters a to z and " +
      "spaces; the rest is folded into them.",
    onInput: (value) => change({ text: value }),
  });
  const picked = () => settings.get("fonts").split(",").filter(Boolean);
  const boxes = fonts.map((name) => {
    const checked = picked().includes(name);
    const box = h("input", { type: "checkbox", id: `font-${name}`, checked, disabled: Boolean(recorded) });
    box.addEventListener("change", () => {
      const now = fonts.filter((font) => document.getElementById(`font-${font}`).checked);
      change({ fonts: now.join(",") });
    });
    return h("div", { class: "check" }, box, h("label", { htmlFor: box.id }, name));
  });
  const noise = slider({
    id: "noise",
    label: "Noise",
    min: 0,
    max: 0.6,
    step: 0.05,
    value: settings.get("noise"),
    format: (v) => v.toFixed(2),
    help:
      "Grey specks: their standard deviation, where ink is 1 and paper 0. Above 0.3 people begin to " +
      "struggle too.",
    onChange: (value) => change({ noise: value }),
  });
  const jitter = slider({
    id: "jitter",
    label: "Jitter",
    min: 0,
    max: 2,
    step: 0.25,
    value: settings.get("jitter"),
    format: (v) => `${v} px`,
    help: "Each glyph is moved and scaled by up to this many pixels, as a worn press would.",
    onChange: (value) => change({ jitter: value }),
  });
  const size = slider({
    id: "n",
    label: "Glyphs on the page",
    min: 3000,
    max: 40000,
    step: 1000,
    value: settings.get("n"),
    format: (v) => v.toLocaleString("en"),
    help: "All unlabelled. More of them make reading surer and slower: 8,000 take about fifteen seconds.",
    onChange: (value) => change({ n: value }),
  });
  const seed = number({
    id: "seed",
    label: "Seed",
    value: settings.get("seed"),
    min: 0,
    step: 1,
    help: "Draws the page, its noise and the starts.",
    onChange: (value) => change({ seed: value }),
  });

  const learner = choice({
    id: "learner",
    label: "What learns",
    options: LEARNERS,
    value: settings.get("learner"),
    help: networks
      ? `The network cannot be chosen. ${networks}`
      : "A network sees which pixels lie together; it takes a few times as long.",
    onChange: (value) => change({ learner: value }),
  });
  if (networks) {
    settings.values.learner = learner.value = "linear";
    learner.input.disabled = true;
  }

  const start = button("Learn to read", () => (run.mode === "idle" ? begin() : run.toggle()), "main");
  const step = button("One step", () => run.step());
  const stop = button("Stop", () => {
    run.stop();
    status.textContent = "Stopped.";
  });
  const run = new Run(
    settings,
    "/read",
    {
      frame: (now, shown) => {
        frames = shown;
        status.textContent = now.note;
        show();
      },
      told: (kind, data) => {
        if (kind === "waiting") status.textContent = `Other jobs are running. ${data.message}`;
        if (kind === "progress" && !frames.length) status.textContent = `${data.message}…`.replace("……", "…");
        if (kind === "setup") {
          line = data;
          show();
        }
      },
      ended: (kind, data) => {
        status.textContent = kind === "failed" ? "" : data.message;
        if (kind === "failed") problem.replaceChildren(notice("error", "Reading ended early.", data.message));
      },
      changed: () => showButtons(),
    },
    260,
  );

  frame(root, {
    title: "Reading letters nobody named",
    intro:
      "A page of letter images, and not one of them labelled. Similar images become codes, codes are " +
      "deciphered like a secret message, and the reading teaches a classifier, which reads again. All " +
      "it knows is how letters follow one another in English.",
    buttons: [start, step, stop],
    status,
    panel: [
      words.node,
      learner.node,
      noise.node,
      size.node,
      fold(
        "Fonts and print",
        false,
        h(
          "fieldset",
          {},
          h("legend", {}, "Fonts"),
          h(
            "p",
            { class: "help" },
            "Up to six. Each glyph takes one of them at random; several are harder than one.",
          ),
          h("div", { class: "fonts" }, boxes),
        ),
        jitter.node,
        seed.node,
      ),
    ],
    stage: [
      problem,
      h(
        "div",
        { class: "card stage" },
        h(
          "div",
          {},
          h("h2", {}, "The line, and each glyph’s letter"),
          h("p", { class: "help" }, "Wrong letters are red and underlined."),
        ),
        printed,
        numbers,
        h(
          "div",
          {},
          h("h2", {}, "The same, read with its neighbours"),
          h("p", { class: "help" }, "The likeliest letters given the whole line and the letter statistics."),
          decoded,
        ),
      ),
      table.node,
      errors.node,
    ],
  });

  // ---------------------------------------------------------------- the line as printed

  const page = () => ({
    text: words.value,
    fonts: picked(),
    noise: noise.value,
    jitter: jitter.value,
    n: size.value,
    seed: seed.value,
    learner: learner.value,
  });

  let asking = 0;
  async function preview() {
    const mine = ++asking;
    if (run.mode !== "idle") run.drop();
    frames = [];
    if (!words.value.trim()) {
      line = null;
      problem.replaceChildren(notice("", "Nothing to print yet.", "Type a line to read."));
      show();
      return;
    }
    if (!picked().length) {
      line = null;
      problem.replaceChildren(
        notice("error", "No font is chosen.", "Choose at least one under “Fonts and print”."),
      );
      show();
      return;
    }
    try {
      const answer = await post("/read/preview", { ...page(), n: DEFAULTS.n, learner: DEFAULTS.learner });
      if (mine !== asking || closed) return;
      line = answer;
      problem.replaceChildren();
      status.textContent = "Printed. Nothing has been learnt yet.";
      if (recorded && isOpen) begin();
    } catch (error) {
      if (mine !== asking || closed || error.status === 409) return; // 409: a newer one is on its way
      line = null;
      status.textContent = "";
      problem.replaceChildren(notice("error", "This cannot be printed.", error.message));
    }
    show();
  }
  const ask = debounce(preview, 250);

  // ---------------------------------------------------------------- the job

  async function begin(how = {}) {
    frames = [];
    status.textContent = "Starting…";
    show();
    try {
      await run.begin(page(), how);
    } catch (error) {
      run.drop();
      status.textContent = "";
      problem.replaceChildren(notice("error", "It could not start.", error.message));
    }
  }

  function showButtons() {
    start.textContent = { idle: "Learn to read", running: "Pause", paused: "Go on" }[run.mode];
    start.disabled = !line;
    step.disabled = run.mode === "idle";
    stop.disabled = run.mode === "idle";
  }

  // ---------------------------------------------------------------- the picture

  const wrong = (reading) => [...reading].filter((letter, i) => letter !== line.text[i]).length;

  function show() {
    const now = frames.at(-1);
    printed.replaceChildren();
    decoded.replaceChildren();
    numbers.replaceChildren();
    if (line) {
      printed.append(
        ...[...line.text].map((truth, i) => cell(i, now ? now.alone[i] : "·", now && now.alone[i] !== truth)),
      );
      printed.setAttribute(
        "aria-label",
        now
          ? `Read as “${now.alone}”, ${wrong(now.alone)} of ${line.n} letters wrong.`
          : `${line.n} letter images, not yet read.`,
      );
      decoded.append(now ? spelt(now.decoded) : "…");
    }
    if (line && now)
      numbers.append(
        facts({
          picture: now.step + 1,
          "errors in this line": `${wrong(now.alone)} of ${line.n}`,
          "read with neighbours": `${wrong(now.decoded)} of ${line.n}`,
          "on the page": percent(now.error),
        }),
      );
    drawTable(now);
    drawErrors();
    showButtons();
  }

  function cell(i, letter, isWrong) {
    const tile = h("span", { class: "tile" });
    tile.style.backgroundImage = `url(${line.image})`;
    tile.style.backgroundSize = `${line.n * CELL}px ${CELL}px`;
    tile.style.backgroundPosition = `${-i * CELL}px 0`;
    return h(
      "span",
      { class: "glyph" },
      tile,
      h("span", { class: isWrong ? "wrong" : "" }, letter === " " ? "␣" : letter),
    );
  }

  function spelt(reading) {
    return h(
      "span",
      {},
      [...reading].map((letter, i) =>
        letter === line.text[i] ? letter : h("span", { class: "wrong" }, letter === " " ? "␣" : letter),
      ),
    );
  }

  function drawTable(now) {
    const letters = [..."abcdefghijklmnopqrstuvwxyz␣"];
    table.draw(
      (c) =>
        now
          ? [
              {
                type: "heatmap",
                z: now.table,
                y: letters,
                zmin: 0,
                zmax: 1,
                colorscale: [
                  [0, c.card],
                  [1, c.accent],
                ],
                colorbar: {
                  title: { text: "share", side: "right" },
                  thickness: 10,
                  outlinewidth: 0,
                  tickfont: { color: c.soft },
                },
                hovertemplate: "code %{x}: %{y} %{z:.0%}<extra></extra>",
              },
            ]
          : [],
      {
        xaxis: { title: "code", fixedrange: true, showgrid: false, zeroline: false },
        yaxis: {
          title: "letter",
          type: "category",
          fixedrange: true,
          autorange: "reversed",
          showgrid: false,
          dtick: table.area.clientWidth > 600 ? 1 : 2,
          tickfont: { size: 10 },
        },
      },
      now ? `${now.table[0].length} codes; the glyph error is ${percent(now.error)}.` : "No codes yet.",
    );
  }

  function drawErrors() {
    errors.draw(
      (c) => [
        {
          type: "scatter",
          mode: "lines+markers",
          x: frames.map((f) => f.step + 1),
          y: frames.map((f) => 100 * f.error),
          line: { color: c.accent, width: 2.5 },
          marker: { size: 5 },
          text: frames.map((f) => f.note),
          hovertemplate: "%{text}: %{y:.1f} %<extra></extra>",
        },
      ],
      {
        xaxis: { title: "picture", fixedrange: true, range: [0.5, Math.max(10, frames.length) + 0.5] },
        yaxis: { title: "glyphs misread (%)", fixedrange: true, rangemode: "tozero" },
        showlegend: false,
      },
      frames.length
        ? `From ${percent(frames[0].error)} to ${percent(frames.at(-1).error)}.`
        : "Nothing learnt yet.",
    );
  }

  const asked = settings.get("job") || settings.get("at") >= 0;
  if (!asked || !(await run.restore(page))) {
    await preview();
    if (line && !closed && !calm()) await begin({ shared: true }); // it moves at once
  }
  isOpen = true;
  return {
    close() {
      closed = true;
      run.close();
      table.close();
      errors.close();
    },
  };
}
