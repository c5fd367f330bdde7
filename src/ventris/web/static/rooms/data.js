// Room 5: your own files, from the doctor to the download.
import { follow, outcome, post, upload } from "../api.js";
import { actions, button, choice, number, toggle } from "../controls.js";
import { h, notice, short } from "../dom.js";
import { plot } from "../plots.js";
import { Settings } from "../state.js";

const DEFAULTS = { order: 3, seed: 0, characters: false, label_characters: false };
const VERDICTS = {
  go: "Nothing speaks against learning from this data with this label model.",
  doubtful: "It may work; read the reasons first.",
  stop: "It will not work as it is.",
};

export async function enter(root, query) {
  const settings = new Settings("data", DEFAULTS, query);
  const files = { data: null, labels: null };
  let job = null;
  let closed = false;

  const problem = h("div", { class: "stage" });
  const empty = h(
    "div",
    { class: "empty" },
    h("p", {}, "Choose a file of points and a file of labels on the left, or take the example."),
    h(
      "p",
      { class: "help" },
      "No label of any of your points is needed. The label file says how labels follow one another, " +
        "from anywhere: other days, other people, a text.",
    ),
  );
  const seen = { data: h("div", {}), labels: h("div", {}) };
  const diagnosis = h("div", { class: "stage", id: "diagnosis" });
  const progress = h("div", { class: "card stage", id: "progress" });
  const result = h("div", { class: "stage", id: "result" });
  progress.hidden = true;
  let plots = [];

  // ---------------------------------------------------------------- controls

  const picker = (role, label, accept, help) => {
    const input = h("input", {
      type: "file",
      id: `file-${role}`,
      accept,
      "aria-describedby": `file-${role}-help`,
    });
    input.addEventListener("change", () => input.files[0] && take(role, input.files[0]));
    return h(
      "div",
      { class: "control" },
      h("label", { htmlFor: input.id }, label),
      input,
      h("p", { class: "help", id: `file-${role}-help` }, help),
      seen[role],
    );
  };
  const order = choice({
    id: "order",
    label: "Labels in an n-gram",
    options: { 2: "2: pairs", 3: "3: triples", 4: "4", 5: "5" },
    value: String(settings.get("order")),
    help:
      "How far back the label file is listened to. More needs more labels and more data. An ARPA file " +
      "brings its own.",
    onChange: (value) => {
      settings.set({ order: Number(value) });
      look("labels");
    },
  });
  const characters = toggle({
    id: "characters",
    label: "Data: each character is a symbol",
    value: settings.get("characters"),
    help: "For a data text such as a ciphertext. Otherwise words between spaces are symbols.",
    onChange: (value) => {
      settings.set({ characters: value });
      look("data");
    },
  });
  const labelCharacters = toggle({
    id: "label_characters",
    label: "Labels: each character is a label",
    value: settings.get("label_characters"),
    help: "For a text whose letters are the labels. Otherwise words between spaces are labels.",
    onChange: (value) => {
      settings.set({ label_characters: value });
      look("labels");
    },
  });
  const seed = number({
    id: "seed",
    label: "Seed",
    value: settings.get("seed"),
    min: 0,
    step: 1,
    help: "The same seed gives the same model.",
    onChange: (value) => settings.set({ seed: value }),
  });
  const ask = button("Ask the doctor", doctor);
  const learn = button("Learn", fit, "main");
  const stop = button("Stop", () => {
    job?.close();
    job = null;
    progress.hidden = true;
    showButtons();
  });
  const sample = button("Use the example files", example);

  root.append(
    h("h1", {}, "Your data"),
    h(
      "p",
      { class: "intro" },
      "Bring points without labels and a file that shows how labels follow one another. The doctor " +
        "says whether it can work; then learn, look at the diagnostics, and take labels and model home. " +
        "Files stay on this machine and go when the server ends.",
    ),
    h(
      "div",
      { class: "room" },
      h(
        "section",
        { class: "panel", "aria-label": "Controls" },
        picker(
          "data",
          "Points",
          ".npy,.npz,.csv,.tsv,.parquet,.txt",
          "An array (.npy, .npz), a table (.csv, .tsv, .parquet; a column named sequence groups rows, " +
            "one named label is left out) or a text of symbols.",
        ),
        picker(
          "labels",
          "Labels",
          ".txt,.arpa,.lm",
          "A text with one sequence of labels a line, or an ARPA file.",
        ),
        h(
          "div",
          { class: "control" },
          actions(sample),
          h(
            "p",
            { class: "help" },
            "A machine’s sensors, and the log book of its five states on other days.",
          ),
        ),
        order.node,
        characters.node,
        labelCharacters.node,
        seed.node,
      ),
      h(
        "section",
        { class: "stage", "aria-label": "Result" },
        h(
          "div",
          { class: "card stage" },
          actions(ask, learn, stop),
          h(
            "p",
            { class: "help" },
            "The doctor needs seconds and trains nothing. Learning takes from seconds to minutes; you " +
              "can stop it at any time.",
          ),
        ),
        problem,
        empty,
        progress,
        diagnosis,
        result,
      ),
    ),
  );

  // ---------------------------------------------------------------- files

  async function take(role, file) {
    problem.replaceChildren();
    files[role] = null;
    seen[role].replaceChildren(h("p", { class: "help", role: "status" }, "Uploading…"));
    showButtons();
    try {
      files[role] = await upload(file.name, file);
      await look(role);
    } catch (error) {
      seen[role].replaceChildren(notice("error", `${file.name} was not taken.`, error.message));
    }
    showButtons();
  }

  async function example() {
    problem.replaceChildren();
    try {
      Object.assign(files, await post("/api/uploads/example"));
      await Promise.all([look("data"), look("labels")]);
    } catch (error) {
      problem.replaceChildren(notice("error", "The example could not be made.", error.message));
    }
    showButtons();
  }

  const reading = () => ({
    order: Number(order.value),
    characters: characters.value,
    label_characters: labelCharacters.value,
  });

  async function look(role) {
    if (!files[role]) return;
    diagnosis.replaceChildren();
    clearResult();
    const file = files[role];
    file.fine = false;
    try {
      const found = await outcome(await post("/api/own/inspect", { [role]: file.id, ...reading() }));
      if (closed || files[role] !== file) return;
      file.fine = true;
      seen[role].replaceChildren(
        notice("good", file.name, role === "data" ? ofData(found.data) : ofLabels(found.labels)),
      );
    } catch (error) {
      if (!closed) seen[role].replaceChildren(notice("error", `${file.name} cannot be used.`, error.message));
    }
    showButtons();
  }

  const count = (n, one) => `${n.toLocaleString("en")} ${one}${n === 1 ? "" : "s"}`;
  const ofData = (d) =>
    `${count(d.points, "point")} in ${count(d.sequences, "sequence")}, ` +
    `${d.kind === "symbols" ? `${count(d.symbols, "kind")} of symbols` : count(d.features, "feature")}.`;
  const ofLabels = (l) =>
    `${count(l.classes.length, "label")}: ${l.classes.slice(0, 12).map(String).join(", ")}` +
    `${l.classes.length > 12 ? ", …" : ""}. ` +
    `They are ${l.identifiability.verdict} by how they follow one another.`;

  // ---------------------------------------------------------------- jobs

  const both = () => files.data?.fine && files.labels?.fine;
  const asked = () => ({ data: files.data.id, labels: files.labels.id, ...reading() });

  function showButtons() {
    ask.disabled = !both() || Boolean(job);
    learn.disabled = !both() || Boolean(job);
    stop.disabled = !job;
    empty.hidden = Boolean(files.data || files.labels);
  }

  function run(started, words, done) {
    const doubts = [];
    progress.hidden = false;
    showProgress(words, 0, 0);
    job = follow(started, {
      waiting: (data) => showProgress(`Other jobs are running. ${data.message}`, 0, 0),
      progress: (data) => showProgress(data.message, data.done, data.total, data.excess_cost),
      doubt: (doubt) => doubts.push(doubt),
      done: (data) => {
        job = null;
        progress.hidden = true;
        done(data, doubts);
        showButtons();
      },
      failed: (data) => {
        job = null;
        progress.hidden = true;
        problem.replaceChildren(notice("error", "It did not work.", data.message));
        showButtons();
      },
    });
    showButtons();
  }

  function showProgress(words, done, total, excess) {
    const bar = total
      ? h("progress", { max: total, value: done, "aria-label": "progress" })
      : h("progress", { "aria-label": "progress" });
    progress.replaceChildren(
      h(
        "p",
        { role: "status" },
        `${words}${excess === undefined || excess === null ? "" : `, best J − H ${short(excess)}`}`,
      ),
      bar,
    );
  }

  async function doctor() {
    problem.replaceChildren();
    diagnosis.replaceChildren();
    try {
      run(await post("/api/own/doctor", asked()), "Reading the files…", showDiagnosis);
    } catch (error) {
      problem.replaceChildren(notice("error", "The doctor could not be asked.", error.message));
    }
  }

  async function fit() {
    problem.replaceChildren();
    clearResult();
    try {
      const started = await post("/api/own/fit", { ...asked(), seed: seed.value });
      run(started, "Starting…", (data) => showResult(data, started.id));
    } catch (error) {
      problem.replaceChildren(notice("error", "Learning could not start.", error.message));
    }
  }

  // ---------------------------------------------------------------- what came out

  const grid = (heads, rows, caption) =>
    h(
      "div",
      { class: "scroll", tabIndex: 0, role: "region", "aria-label": caption },
      h(
        "table",
        {},
        h("caption", { class: "sr" }, caption),
        h(
          "thead",
          {},
          h(
            "tr",
            {},
            heads.map((head) => h("th", { scope: "col" }, head)),
          ),
        ),
        h(
          "tbody",
          {},
          rows.map((row) =>
            h(
              "tr",
              {},
              row.map((item) => h("td", {}, item)),
            ),
          ),
        ),
      ),
    );

  function showDiagnosis(found) {
    diagnosis.replaceChildren(
      h(
        "div",
        { class: "card stage" },
        h(
          "div",
          {},
          h("h2", {}, "The doctor’s verdict ", h("span", { class: `tag ${found.verdict}` }, found.verdict)),
          h("p", {}, VERDICTS[found.verdict]),
        ),
        grid(
          ["weight", "reason"],
          found.reasons.map((reason) => [
            h("span", { class: `tag ${reason.severity}` }, reason.severity),
            reason.sentence,
          ]),
          "Reasons",
        ),
        grid(
          ["points apart", "inputs tell (nats)", "chance", "labels could tell"],
          found.lags.map((lag) => [
            String(lag.lag),
            lag.codes.toFixed(4),
            `± ${lag.spread.toFixed(4)}`,
            lag.labels.toFixed(4),
          ]),
          "What neighbours tell about each other",
        ),
      ),
    );
  }

  function clearResult() {
    for (const each of plots) each.close();
    plots = [];
    result.replaceChildren();
  }

  function showResult(found, id) {
    clearResult();
    const usage = plot(
      "How often each label is used",
      "Beside how often the label model expects it. A label that is never used is a warning.",
      "low",
    );
    const strip = plot(
      "The first labels",
      "Each point in its sequence, as decoded under the label model. Faint points are less sure.",
      "low",
    );
    plots = [usage, strip];
    const link = (name, words) =>
      h("a", { class: "button", href: `/api/jobs/${id}/files/${name}`, download: name }, words);
    const apart = new Set(["answer", "remark", ...found.warnings.map(([name]) => name)]);
    const mood = found.warnings.length ? "doubt" : "good";
    result.replaceChildren(
      ...(found.answer ? [notice(`answer ${mood}`, "The answer:", `${found.answer}.`)] : []),
      ...found.warnings.map(([name, message]) => notice("doubt", `${name}.`, message)),
      h(
        "div",
        { class: "card stage" },
        h("h2", {}, "What was learnt"),
        grid(
          ["about", "finding"],
          found.rows.filter(([name]) => !apart.has(name)),
          "Report",
        ),
        ...found.remarks.map(([, message]) => h("p", { class: "help remark" }, `Remark: ${message}`)),
        actions(
          link("labels.csv", "Download labels (.csv)"),
          link("model.ventris", "Download model (.ventris)"),
        ),
        h("p", { class: "help" }, "The model works with ventris predict, ventris decode and vt.load."),
      ),
      usage.node,
      strip.node,
      h(
        "div",
        { class: "card stage" },
        h("h2", {}, "The steps"),
        grid(
          ["step", "seconds", "held-out score (nats a symbol)", "kept"],
          found.history.map((row) => [
            row.step,
            short(row.seconds ?? 0, 2),
            row.score === undefined ? "–" : short(row.score),
            row.kept === false ? "no: undone" : "yes",
          ]),
          "Steps of the fit",
        ),
      ),
    );
    usage.draw(
      (c) => [
        {
          type: "bar",
          name: "used",
          x: found.classes,
          y: found.usage.usage.map((v) => 100 * v),
          marker: { color: c.accent },
        },
        {
          type: "bar",
          name: "expected",
          x: found.classes,
          y: found.usage.expected.map((v) => 100 * v),
          marker: { color: c.muted },
        },
      ],
      {
        xaxis: { title: "label", type: "category", fixedrange: true, showgrid: false },
        yaxis: { title: "share (%)", fixedrange: true },
        barmode: "group",
      },
      `${found.classes.length} labels.`,
    );
    strip.draw(
      (c) => [
        {
          type: "scatter",
          mode: "markers",
          x: found.sample.map((_, i) => i + 1),
          y: found.sample,
          marker: { color: c.accent, size: 6, opacity: found.sure.map((p) => 0.2 + 0.8 * p) },
          text: found.sure.map((p) => `${(100 * p).toFixed(0)} % sure`),
          hovertemplate: "%{y}, %{text}<extra></extra>",
        },
      ],
      {
        xaxis: { title: "point", fixedrange: true },
        yaxis: { title: "label", type: "category", categoryarray: found.classes, fixedrange: true },
        showlegend: false,
      },
      `They begin ${found.sample.slice(0, 12).join(", ")}.`,
    );
  }

  showButtons();
  return {
    close() {
      closed = true;
      job?.close();
      for (const each of plots) each.close();
    },
  };
}
