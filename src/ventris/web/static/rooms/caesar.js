// Room 1: a message, its letters, and the shift that makes them the language's.
import { get, post } from "../api.js";
import { actions, button, choice, fold, slider, text } from "../controls.js";
import { calm, debounce, h, notice, short, sure, wait } from "../dom.js";
import { frame } from "../frame.js";
import { plot } from "../plots.js";
import { recorded } from "../recorded.js";
import { RUN, Run } from "../run.js";
import { Settings } from "../state.js";
import { found as readWithoutKey, seeking } from "./caesar_key.js";

const DEFAULTS = {
  text: "QEB NRFZH YOLTK CLU GRJMP LSBO QEB IXWV ALD",
  shift: 0,
  language: "en",
  score: "J",
  kind: "caesar",
  breaker: "auto",
  units: "auto",
  ...RUN,
};
const UNITS = {
  auto: "I do not know",
  letters: "letters",
  signs: "single signs",
  tokens: "what stands between spaces",
  grid: "a grid, in rows of one width",
};
const SCORES = {
  J: "J of the paper",
  letters: "likelihood of single letters",
  sequence: "likelihood of 4-grams",
};
const NAMES = {
  en: "English",
  de: "German",
  fr: "French",
  es: "Spanish",
  it: "Italian",
  pt: "Portuguese",
  nl: "Dutch",
  sv: "Swedish",
  la: "Latin",
  el: "Greek",
  ru: "Russian",
  pl: "Polish",
  da: "Danish",
  fi: "Finnish",
};

export async function enter(root, query) {
  const about = await get("/caesar/presets");
  const settings = new Settings("caesar", DEFAULTS, query);
  if (!(settings.get("language") in about.languages)) settings.values.language = "en";
  const ciphers = Object.fromEntries(about.ciphers.map((cipher) => [cipher.kind, cipher]));
  if (!(settings.get("kind") in ciphers)) settings.values.kind = "caesar";
  const titles = Object.fromEntries(about.ciphers.map((cipher) => [cipher.kind, cipher.title]));
  let found = null; // the server's analysis of the message
  let playing = 0; // the number of the demonstration under way
  let isPlaying = false;
  let closed = false;

  const problem = h("div", {});
  const reading = h("p", { class: "reading", id: "reading" });
  const state = h("p", { class: "help", role: "status", id: "step" });
  const histogram = plot(
    "Two histograms",
    "Bars of the language stand still; those of the message move with the shift. At the right key they " +
      "cover each other.",
  );
  const scores = plot(
    "The score of every shift",
    "Lower is better: how many nats a letter costs if this were the key. The chosen shift is drawn in " +
      "the accent colour.",
    "low",
  );
  const broken = h("div", { class: "stage", "aria-live": "polite", id: "broken" });

  const message = text({
    id: "message",
    label: "Message",
    rows: 4,
    maxLength: 5000,
    value: settings.get("text"),
    placeholder: "Type or paste a message",
    help: "The ciphertext. Only letters count; spaces and marks stay where they are.",
    onInput: (value) => {
      settings.set({ text: value });
      ask();
    },
  });
  const languages = Object.fromEntries(
    Object.keys(about.languages).map((code) => [code, NAMES[code] || code]),
  );
  const language = choice({
    id: "language",
    label: "Language",
    options: languages,
    value: settings.get("language"),
    help: "Whose letter statistics to compare with. They come with Ventris; nothing is fetched.",
    onChange: (value) => {
      settings.set({ language: value });
      ask();
    },
  });
  const messages = choice({
    id: "messages",
    label: "Message",
    local: true,
    options: Object.fromEntries((recorded?.choices("caesar").messages || []).map((m, i) => [i, m.title])),
    value: "0",
    onChange: (number) => {
      const chosen = recorded.choices("caesar").messages[number];
      message.value = chosen.text;
      language.value = chosen.language;
      breaker.value = chosen.kind;
      units.value = chosen.units;
      shift.value = 0;
      settings.set({ ...chosen, breaker: chosen.kind, shift: 0 });
      run.drop();
      analyse().then(() => !calm() && play());
    },
  });
  const shift = slider({
    id: "shift",
    local: true,
    label: "Shift back by",
    min: 0,
    max: 25,
    value: settings.get("shift"),
    help:
      "Drag it, or use the arrow keys. Each letter moves back this many places in the alphabet, and the " +
      "message’s bars with it.",
    onInput: (value) => {
      stopPlaying();
      settings.set({ shift: value });
      show();
    },
  });
  const score = choice({
    id: "score",
    local: true,
    label: "Score",
    options: SCORES,
    value: settings.get("score"),
    help:
      "J compares the two histograms (one letter is added to each count, so that no logarithm is " +
      "infinite). 4-grams also hear which letters stand together, and are surer on short messages.",
    onChange: (value) => {
      settings.set({ score: value });
      show();
    },
  });

  const kind = choice({
    id: "kind",
    label: "Cipher",
    options: titles,
    value: settings.get("kind"),
    onChange: (value) => {
      settings.set({ kind: value });
      key.input.placeholder = ciphers[value].key_hint;
      key.input.disabled = !ciphers[value].typed;
    },
  });
  const key = text({
    id: "key",
    label: "Key",
    placeholder: ciphers[kind.value].key_hint,
    maxLength: 200,
    help: "Leave it empty to have one drawn that you do not see.",
  });
  const breaker = choice({
    id: "breaker",
    label: "Suppose it is",
    options: { auto: "I do not know which", ...titles },
    value: settings.get("breaker"),
    help:
      "Ventris tries the ciphers it knows and keeps the likeliest reading. It says how sure it is, and " +
      "what else it could be.",
    onChange: (value) => settings.set({ breaker: value }),
  });
  const units = choice({
    id: "units",
    label: "Its signs are",
    options: UNITS,
    value: settings.get("units"),
    help: "Letters, numbers, or signs in rows: a grid is read line by line, and its lines are kept.",
    onChange: (value) => settings.set({ units: value }),
  });
  const breakAny = button("Find the key", findKey, "main");
  const breakIt = button("Break it", () => (isPlaying ? stopPlaying() : play()), "main");
  const run = new Run(settings, "/decipher", {
    frame: ({ text: read }) => broken.replaceChildren(seeking(read)),
    told: (kind, data) => {
      if (kind === "doubt") doubts.push(data);
    },
    ended: (kind, data) => {
      const refusal = notice("error", "No key was found.", data.message);
      broken.replaceChildren(...(kind === "done" ? readWithoutKey(data, doubts, languages) : [refusal]));
    },
    changed: () => {
      breakAny.textContent = run.mode === "idle" ? "Find the key" : "Stop the search";
    },
  });
  let doubts = [];

  frame(root, {
    title: "Caesar: matching two histograms",
    intro:
      "Nobody tells us the key. But we know how often each letter occurs in the language, and we can " +
      "count the letters of the message. The key is what makes the two agree. A classifier can be " +
      "learnt without labels in just the same way: this is the whole idea, on one page.",
    buttons: [breakIt, button("Reset", reset)],
    status: state,
    help: "“Break it” plays the three steps: what the language expects, what the message shows, their match.",
    panel: [
      recorded ? messages.node : message.node,
      language.node,
      score.node,
      fold(
        "Make a cipher",
        false,
        h(
          "p",
          { class: "help" },
          "Writes the message above in cipher, in its place, so that you can try to read it.",
        ),
        kind.node,
        key.node,
        actions(button("Encipher the message", writeCipher)),
      ),
      fold(
        "Break any cipher",
        Boolean(recorded) || query.has("breaker") || query.has("job"),
        breaker.node,
        units.node,
        actions(breakAny),
      ),
    ],
    stage: [
      problem,
      h("div", { class: "card stage" }, h("div", {}, h("h2", {}, "Reading"), reading), shift.node),
      broken,
      histogram.node,
      scores.node,
    ],
  });

  // -------------------------------------------------------------- asking

  let asking = 0;
  async function analyse() {
    const mine = ++asking;
    stopPlaying();
    broken.replaceChildren();
    if (!message.value.trim()) {
      found = null;
      problem.replaceChildren(
        notice(
          "",
          "Nothing to read yet.",
          "Type or paste a message, or take the paper’s: QEB NRFZH YOLTK CLU GRJMP LSBO QEB IXWV ALD.",
        ),
      );
      clear();
      return;
    }
    try {
      const answer = await post("/caesar", { text: message.value, language: language.value });
      if (mine !== asking || closed) return;
      found = answer;
      problem.replaceChildren();
      shift.input.max = found.alphabet.length - 1;
      show();
    } catch (error) {
      if (mine !== asking || closed) return;
      found = null;
      problem.replaceChildren(notice("error", "This message cannot be read.", error.message));
      clear();
    }
  }
  const ask = debounce(analyse, 250);

  // -------------------------------------------------------------- showing

  function clear() {
    reading.textContent = "";
    state.textContent = "";
    histogram.draw(
      [],
      { xaxis: { title: "letter" }, yaxis: { title: "share of letters (%)" } },
      "Nothing to show yet.",
    );
    scores.draw([], { xaxis: { title: "shift" }, yaxis: { title: "nats a letter" } }, "Nothing to show yet.");
  }

  // `bars` says which histograms are there, `upTo` how many scores.
  function show({ bars = ["language", "message"], upTo = Infinity } = {}) {
    if (!found) return;
    const k = Math.min(shift.value, found.alphabet.length - 1);
    const letters = [...found.alphabet.toUpperCase()];
    const moved = letters.map((_, i) => found.observed[(i + k) % letters.length]);
    reading.textContent = found.readings[k];
    histogram.draw(
      (c) => [
        {
          type: "bar",
          name: languages[language.value],
          x: letters,
          y: found.prior.map((p) => 100 * p),
          marker: { color: c.muted },
          visible: bars.includes("language"),
        },
        {
          type: "bar",
          name: k ? `message, shifted back by ${k}` : "message as it is",
          x: letters,
          y: moved.map((p) => 100 * p),
          marker: { color: c.accent },
          visible: bars.includes("message"),
        },
      ],
      {
        xaxis: { title: "letter", fixedrange: true, showgrid: false, categoryarray: letters },
        yaxis: {
          title: "share of letters (%)",
          fixedrange: true,
          range: [0, 108 * Math.max(...found.prior, ...found.observed)],
        },
        barmode: "group",
        bargap: 0.25,
        showlegend: true,
      },
      `At shift ${k} the message costs ${short(cost(k))} nats a letter.`,
    );
    drawScores(k, upTo);
  }

  const cost = (k) => found.scores[score.value][k];

  function drawScores(k, upTo) {
    const all = found.scores[score.value];
    const least = Math.min(...all);
    const shifts = all.map((_, i) => i);
    const floor = Math.min(least, found.entropy) * 0.96;
    scores.draw(
      (c) => [
        {
          type: "bar",
          x: shifts,
          y: all.map((v, i) => (i <= upTo ? v - floor : null)),
          base: floor,
          marker: { color: shifts.map((i) => (i === k ? c.accent : c.muted)) },
          hovertemplate: "shift %{x}<extra></extra>",
          text: shifts.map((i) => (all[i] === least && i <= upTo ? "least" : "")),
          textposition: "outside",
          cliponaxis: false,
        },
      ],
      {
        xaxis: {
          title: "shift back by",
          dtick: scores.area.clientWidth > 600 ? 1 : 5,
          fixedrange: true,
          showgrid: false,
        },
        yaxis: {
          title: "nats a letter",
          fixedrange: true,
          range: [floor, floor + 1.12 * (Math.max(...all) - floor)],
        },
        showlegend: false,
      },
      `The least is ${short(least)} nats a letter, at shift ${all.indexOf(least)}.`,
    );
  }

  // -------------------------------------------------------------- doing

  function reset() {
    stopPlaying();
    shift.value = 0;
    settings.set({ shift: 0 });
    show();
  }

  function stopPlaying() {
    playing++;
    isPlaying = false;
    breakIt.textContent = "Break it";
    state.textContent = "";
    if (found) show();
  }

  async function play() {
    if (!found) await analyse(); // asked before the first answer came
    if (!found) return;
    const mine = ++playing;
    isPlaying = true;
    breakIt.textContent = "Stop";
    const pause = async (ms) => {
      if (!calm()) await wait(ms);
      return mine === playing && !closed;
    };
    shift.value = 0;
    state.textContent = "Step 1 of 3: what the language expects. This is known before any message comes.";
    show({ bars: ["language"], upTo: -1 });
    if (!(await pause(1400))) return;
    state.textContent = "Step 2 of 3: what the message shows. The same bars, in another order.";
    show({ upTo: -1 });
    if (!(await pause(1400))) return;
    state.textContent = "Step 3 of 3: slide one along the other, and note what each shift costs.";
    for (let k = 0; k < found.alphabet.length; k++) {
      shift.value = k;
      show({ upTo: k });
      if (!(await pause(90))) return;
    }
    const all = found.scores[score.value];
    const best = all.indexOf(Math.min(...all));
    shift.value = best;
    isPlaying = false;
    breakIt.textContent = "Break it";
    settings.set({ shift: best });
    show();
    const other =
      best === found.best
        ? `under 4-grams its probability is ${sure(found.posterior[best])}`
        : `but 4-grams prefer shift ${found.best} (${sure(found.posterior[found.best])})`;
    state.textContent = `Shift ${best} costs least: ${short(all[best])} nats a letter; ${other}.`;
  }

  async function writeCipher() {
    try {
      const made = await post("/encipher", {
        text: message.value,
        kind: kind.value,
        key: key.value,
        language: language.value,
        seed: Math.floor(Math.random() * 1e9),
      });
      message.value = made.text;
      shift.value = 0;
      breaker.value = kind.value;
      settings.set({ text: made.text, shift: 0, breaker: kind.value });
      problem.replaceChildren();
      if (!ciphers[kind.value].keeps_layout) {
        asking++;
        found = null;
        clear();
        problem.replaceChildren(
          notice(
            "",
            "A text of numbers.",
            "It has no letters to shift. Choose “Break any cipher” to read it.",
          ),
        );
      } else await analyse();
    } catch (error) {
      problem.replaceChildren(notice("error", "It was not enciphered.", error.message));
    }
  }

  const asked = () => ({
    text: message.value,
    kind: breaker.value,
    language: language.value,
    units: units.value,
  });

  async function findKey() {
    if (run.mode !== "idle") {
      run.stop();
      broken.replaceChildren(notice("", "Stopped.", "The search for the key was ended."));
      return;
    }
    if (!message.value.trim()) {
      broken.replaceChildren(notice("error", "There is no message.", "Type or paste one first."));
      return;
    }
    doubts = [];
    broken.replaceChildren(notice("", "Searching for the key…", "A substitution takes a few seconds."));
    broken.scrollIntoView({ block: "nearest" });
    try {
      await run.begin(asked());
    } catch (error) {
      run.drop();
      broken.replaceChildren(notice("error", "No key was found.", error.message));
    }
  }

  await analyse();
  if (!found && message.value.trim() === "") clear();
  const restored = await run.restore(asked);
  // It moves at once; whoever came by a link to something else, or wants no motion, sees that instead.
  if (!restored && !calm() && [...query.keys()].length === 0) play();
  return {
    close() {
      closed = true;
      playing++;
      run.close();
      histogram.close();
      scores.close();
    },
  };
}
