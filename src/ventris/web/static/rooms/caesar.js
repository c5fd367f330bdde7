// Room 1: a message, its letters, and the shift that makes them the language's.
import { get, outcome, post } from "../api.js";
import { actions, button, choice, fold, slider, text } from "../controls.js";
import { calm, debounce, facts, h, notice, percent, short, sure, wait } from "../dom.js";
import { plot } from "../plots.js";
import { Settings } from "../state.js";

const DEFAULTS = {
  text: "QEB NRFZH YOLTK CLU GRJMP LSBO QEB IXWV ALD",
  shift: 0,
  language: "en",
  score: "J",
  kind: "caesar",
  breaker: "auto",
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
  const about = await get("/api/about");
  const settings = new Settings("caesar", DEFAULTS, query);
  if (!(settings.get("language") in about.languages)) settings.values.language = "en";
  const ciphers = Object.fromEntries(about.ciphers.map((cipher) => [cipher.kind, cipher]));
  if (!(settings.get("kind") in ciphers)) settings.values.kind = "caesar";
  const titles = Object.fromEntries(about.ciphers.map((cipher) => [cipher.kind, cipher.title]));
  let found = null; // the server's analysis of the message
  let playing = 0; // the number of the demonstration under way
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
  const shift = slider({
    id: "shift",
    label: "Shift back by",
    min: 0,
    max: 25,
    value: settings.get("shift"),
    help:
      "Drag it, or use the arrow keys. Each letter moves back this many places in the alphabet, and the " +
      "message’s bars with it.",
    onInput: (value) => {
      playing++;
      state.textContent = "";
      settings.set({ shift: value });
      show();
    },
  });
  const score = choice({
    id: "score",
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
  const breakAny = button("Find the key", findKey, "main");

  root.append(
    h("h1", {}, "Caesar: matching two histograms"),
    h(
      "p",
      { class: "intro" },
      "Nobody tells us the key. But we know how often each letter occurs in the language, and we can " +
        "count the letters of the message. The key is what makes the two agree. A classifier can be " +
        "learnt without labels in just the same way: this is the whole idea, on one page.",
    ),
    h(
      "div",
      { class: "room" },
      h(
        "section",
        { class: "panel", "aria-label": "Controls" },
        message.node,
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
        fold("Break any cipher", query.has("breaker"), breaker.node, actions(breakAny)),
      ),
      h(
        "section",
        { class: "stage", "aria-label": "Result" },
        problem,
        h(
          "div",
          { class: "card stage" },
          h("div", {}, h("h2", {}, "Reading"), reading, state),
          shift.node,
          h(
            "div",
            { class: "control" },
            actions(button("Break it", play, "main"), button("Reset", reset)),
            h(
              "p",
              { class: "help" },
              "“Break it” plays the three steps: what the language expects, what the message shows, " +
                "and their match.",
            ),
          ),
        ),
        broken,
        histogram.node,
        scores.node,
      ),
    ),
  );

  // -------------------------------------------------------------- asking

  let asking = 0;
  async function analyse() {
    const mine = ++asking;
    playing++;
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
      const answer = await post("/api/caesar", { text: message.value, language: language.value });
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
    playing++;
    shift.value = 0;
    settings.set({ shift: 0 });
    state.textContent = "";
    show();
  }

  async function play() {
    if (!found) await analyse(); // asked before the first answer came
    if (!found) return;
    const mine = ++playing;
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
      const made = await post("/api/encipher", {
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

  async function findKey() {
    if (!message.value.trim()) {
      broken.replaceChildren(notice("error", "There is no message.", "Type or paste one first."));
      return;
    }
    breakAny.disabled = true;
    const doubts = [];
    broken.replaceChildren(notice("", "Searching for the key…", "A substitution takes a few seconds."));
    try {
      const job = await post("/api/decipher", {
        text: message.value,
        kind: breaker.value,
        language: language.value,
      });
      const result = await outcome(job, { doubt: (doubt) => doubts.push(doubt) });
      if (!closed) broken.replaceChildren(...shown(result, doubts));
    } catch (error) {
      if (!closed) broken.replaceChildren(notice("error", "No key was found.", error.message));
    }
    breakAny.disabled = false;
  }

  function shown(result, doubts) {
    const others = result.alternatives.slice(0, 3).filter((other) => other.probability > 1e-4);
    return [
      h(
        "div",
        { class: "card stage", id: "plaintext" },
        h("h2", {}, "Read without the key"),
        h("p", { class: "reading" }, result.plaintext),
        facts({
          cipher: result.kind,
          key: result.key_in_words,
          language: languages[result.language] || result.language,
          "how sure": sure(result.confidence),
        }),
        others.length > 0 &&
          h(
            "div",
            { class: "scroll" },
            h(
              "table",
              {},
              h(
                "thead",
                {},
                h(
                  "tr",
                  {},
                  h("th", { scope: "col" }, "other readings"),
                  h("th", { scope: "col" }, "probability"),
                ),
              ),
              h(
                "tbody",
                {},
                others.map((other) =>
                  h(
                    "tr",
                    {},
                    h("td", {}, other.plaintext.slice(0, 90)),
                    h("td", { class: "number" }, percent(other.probability, 2)),
                  ),
                ),
              ),
            ),
          ),
      ),
      ...doubts.map((doubt) => notice("doubt", "A doubt.", doubt.message)),
    ];
  }

  await analyse();
  if (!found && message.value.trim() === "") clear();
  return {
    close() {
      closed = true;
      playing++;
      histogram.close();
      scores.close();
    },
  };
}
