// Room 5: your own files, from the doctor to the download.
import { get, post, upload } from "../api.js";
import { actions, button, choice, number, toggle } from "../controls.js";
import { calm, h, notice, short } from "../dom.js";
import { outcome } from "../events.js";
import { frame } from "../frame.js";
import { recorded } from "../recorded.js";
import { RUN, Run } from "../run.js";
import { Settings } from "../state.js";
import { columnsTable, layoutOf } from "./data_columns.js";
import { pictures } from "./data_pictures.js";
import { diagnosis, report, sketch, steps } from "./data_result.js";

const DEFAULTS = {
  order: 3,
  seed: 0,
  characters: false,
  label_characters: false,
  data: "",
  labels: "",
  roles: "",
  ...RUN,
};
const ACCEPTED = { data: ".npy,.npz,.csv,.tsv,.parquet,.txt,.zip", labels: ".txt,.arpa,.lm" };

export async function enter(root, query) {
  const settings = new Settings("data", DEFAULTS, query);
  const files = { data: null, labels: null };
  let drawn = [];
  let closed = false;

  const problem = h("div", { class: "stage" });
  const status = h("p", { class: "help", role: "status", id: "status" });
  const bar = h("progress", { "aria-label": "progress" });
  const seen = { data: h("div", {}), labels: h("div", {}) };
  const columns = h("div", {});
  const verdict = h("div", { class: "stage", id: "diagnosis" });
  const result = h("div", { class: "stage", id: "result" });
  bar.hidden = true;

  // ---------------------------------------------------------------- controls

  const picker = (role, label, help) => {
    const input = h("input", {
      type: "file",
      id: `file-${role}`,
      accept: ACCEPTED[role],
      disabled: Boolean(recorded),
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
  const change = (role) => (patch) => {
    settings.set(patch);
    if (recorded) begin("/own/example");
    else look(role);
  };
  const order = choice({
    id: "order",
    label: "Labels in an n-gram",
    options: { 2: "2: pairs", 3: "3: triples", 4: "4", 5: "5" },
    value: String(settings.get("order")),
    help:
      "How far back the label file is listened to. More needs more labels and more data. An ARPA file " +
      "brings its own.",
    onChange: (value) => change("labels")({ order: Number(value) }),
  });
  const characters = toggle({
    id: "characters",
    label: "Data: each character is a symbol",
    value: settings.get("characters"),
    help: "For a data text such as a ciphertext. Otherwise words between spaces are symbols.",
    onChange: (value) => change("data")({ characters: value }),
  });
  const labelCharacters = toggle({
    id: "label_characters",
    label: "Labels: each character is a label",
    value: settings.get("label_characters"),
    help: "For a text whose letters are the labels. Otherwise words between spaces are labels.",
    onChange: (value) => change("labels")({ label_characters: value }),
  });
  const seed = number({
    id: "seed",
    label: "Seed",
    value: settings.get("seed"),
    min: 0,
    step: 1,
    help: "The same seed gives the same model.",
    onChange: (value) => {
      settings.set({ seed: value });
      if (recorded) begin("/own/example");
    },
  });
  const ask = button("Ask the doctor", doctor);
  const learn = button("Learn", main, "main");
  const stop = button("Stop", () => {
    run.stop();
    status.textContent = "Stopped.";
    bar.hidden = true;
  });
  const sample = button("Use the example files", example);
  const doubts = [];
  const run = new Run(
    settings,
    "/own/fit",
    {
      frame: (now) => result.replaceChildren(sketch(now)),
      told: (kind, data) => {
        if (kind === "waiting") say(`Other jobs are running. ${data.message}`);
        if (kind === "progress") say(data.message, data);
        if (kind === "doubt") doubts.push(data);
      },
      ended: (kind, data) => {
        bar.hidden = true;
        status.textContent = kind === "failed" ? "" : kind === "done" ? "Learnt." : data.message;
        if (kind === "failed") problem.replaceChildren(notice("error", "It did not work.", data.message));
        if (kind === "done") showResult(data);
      },
      changed: () => showButtons(),
    },
    220,
  );

  frame(root, {
    title: "Your data",
    intro:
      "Bring points without labels and a file that shows how labels follow one another. The doctor " +
      "says whether it can work; then learn, look at the diagnostics, and take labels, model and report " +
      "home. Files stay on this machine and go when the server ends.",
    buttons: [learn, ask, stop],
    status,
    help:
      "Until you bring files, you see a machine’s sensors being labelled, by the log book of its five states. " +
      "The doctor needs seconds and trains nothing; learning takes seconds to minutes.",
    panel: [
      picker(
        "data",
        "Points",
        "An array (.npy, .npz), a table (.csv, .tsv, .parquet), a zip of images of one size, or a text of " +
          "symbols.",
      ),
      columns,
      picker("labels", "Labels", "A text with one sequence of labels a line, or an ARPA file."),
      h(
        "div",
        { class: "control" },
        actions(sample),
        h("p", { class: "help" }, "A machine’s sensors, and the log book of its five states on other days."),
      ),
      order.node,
      characters.node,
      labelCharacters.node,
      seed.node,
    ],
    stage: [bar, problem, verdict, result],
  });

  // ---------------------------------------------------------------- files

  async function take(role, file) {
    reset();
    files[role] = null;
    if (role === "data") forgetColumns();
    seen[role].replaceChildren(h("p", { class: "help", role: "status" }, "Uploading…"));
    showButtons();
    try {
      files[role] = await upload(file.name, file);
      settings.set({ [role]: files[role].id });
      await look(role);
    } catch (error) {
      seen[role].replaceChildren(notice("error", `${file.name} was not taken.`, error.message));
    }
    showButtons();
  }

  async function example() {
    reset();
    forgetColumns();
    try {
      Object.assign(files, await post("/uploads/example"));
      settings.set({ data: files.data.id, labels: files.labels.id });
      await Promise.all([look("data"), look("labels")]);
    } catch (error) {
      problem.replaceChildren(notice("error", "The example could not be made.", error.message));
    }
    showButtons();
  }

  // Files that were brought before, in this tab or another, as long as the server has them.
  async function findFiles() {
    await Promise.all(
      ["data", "labels"].map(async (role) => {
        const id = settings.get(role);
        if (!id || recorded) return;
        try {
          files[role] = await get(`/uploads/${id}`);
          await look(role, false);
        } catch {
          settings.set({ [role]: "" });
        }
      }),
    );
  }

  function forgetColumns() {
    columns.replaceChildren();
    settings.set({ roles: "" });
  }

  const reading = () => ({
    order: Number(order.value),
    characters: characters.value,
    label_characters: labelCharacters.value,
    ...layoutOf(files.data?.columns),
  });

  async function look(role, anew = true) {
    if (!files[role]) return;
    if (anew) reset();
    const file = files[role];
    file.fine = false;
    try {
      const job = await post("/own/inspect", { [role]: file.id, ...reading() });
      const found = await outcome(job.id, (kind, data) => kind === "columns" && showColumns(file, data));
      if (closed || files[role] !== file) return;
      if (file.again) {
        file.again = false;
        return look(role, false);
      }
      file.fine = true;
      const words = role === "data" ? ofData(found.data) : ofLabels(found.labels);
      seen[role].replaceChildren(notice("good", file.name, words));
    } catch (error) {
      if (!closed) seen[role].replaceChildren(notice("error", `${file.name} cannot be used.`, error.message));
    }
    showButtons();
  }

  function showColumns(file, told) {
    if (file.columns || closed) return;
    file.columns = told.columns;
    const kept = settings.get("roles").split(",");
    if (kept.length === file.columns.length) {
      file.again = file.columns.some((column, k) => column.role !== kept[k]); // to be read as chosen before
      file.columns.forEach((column, k) => {
        column.role = kept[k];
      });
    }
    const changed = () => {
      settings.set({ roles: file.columns.map(({ role }) => role).join(",") });
      columns.replaceChildren(table());
      look("data");
    };
    const table = () => columnsTable(file.columns, told.n_columns, changed);
    columns.replaceChildren(table());
  }

  const count = (n, one) => `${n.toLocaleString("en")} ${one}${n === 1 ? "" : "s"}`;
  const ofData = (d) => {
    const what =
      d.kind === "symbols" ? `${count(d.symbols, "kind")} of symbols` : count(d.features, "feature");
    const size = d.kind === "images" ? `images of ${d.size[1]} × ${d.size[0]} pixels` : what;
    return `${count(d.points, "point")} in ${count(d.sequences, "sequence")}, ${size}.`;
  };
  const ofLabels = (l) =>
    `${count(l.n_classes, "label")}: ${l.classes.slice(0, 12).join(", ")}` +
    `${l.n_classes > 12 ? ", …" : ""}. They are ${l.verdict} by how they follow one another.`;

  // ---------------------------------------------------------------- jobs

  const both = () => Boolean(files.data?.fine && files.labels?.fine);
  const asked = () => ({ data: files.data.id, labels: files.labels.id, ...reading() });
  const own = () => ({ ...asked(), seed: seed.value });
  const ofExample = () => ({ n: 3000, order: Number(order.value), seed: seed.value });

  function main() {
    if (run.mode !== "idle") run.toggle();
    else if (both()) begin("/own/fit");
    else begin("/own/example");
  }

  function showButtons() {
    const brought = Boolean(files.data || files.labels);
    learn.textContent =
      { running: "Pause", paused: "Go on" }[run.mode] || (brought ? "Learn" : "Play the example");
    learn.disabled = run.mode === "idle" && brought && !both();
    ask.disabled = !both() || run.mode !== "idle";
    sample.disabled = Boolean(recorded);
    stop.disabled = run.mode === "idle";
  }

  function say(words, { done, total, excess_cost: excess } = {}) {
    bar.hidden = false;
    if (total) Object.assign(bar, { max: total, value: done });
    else bar.removeAttribute("value");
    status.textContent = `${words}${excess === undefined || excess === null ? "" : `, best J − H ${short(excess)}`}`;
  }

  function reset() {
    if (run.mode !== "idle") run.drop();
    problem.replaceChildren();
    verdict.replaceChildren();
    clearResult();
    status.textContent = "";
    bar.hidden = true;
  }

  async function doctor() {
    problem.replaceChildren();
    verdict.replaceChildren();
    say("Reading the files…");
    try {
      const job = await post("/own/doctor", asked());
      const found = await outcome(job.id, (kind, data) => kind === "progress" && say(data.message));
      if (!closed) verdict.replaceChildren(diagnosis(found));
    } catch (error) {
      problem.replaceChildren(notice("error", "The doctor could not be asked.", error.message));
    }
    status.textContent = "";
    bar.hidden = true;
  }

  async function begin(path) {
    clearResult();
    problem.replaceChildren();
    doubts.length = 0;
    say("Starting…");
    run.path = path;
    const isExample = path === "/own/example";
    try {
      await run.begin(isExample ? ofExample() : own(), { shared: isExample });
    } catch (error) {
      run.drop();
      bar.hidden = true;
      status.textContent = "";
      problem.replaceChildren(notice("error", "Learning could not start.", error.message));
    }
  }

  // ---------------------------------------------------------------- what came out

  function clearResult() {
    for (const each of drawn) each.close();
    drawn = [];
    result.replaceChildren();
  }

  function showResult(found) {
    clearResult();
    const id = settings.get("job");
    const link = (name, words) =>
      h("a", { class: "button", href: `/api/jobs/${id}/files/${name}`, download: name }, words);
    drawn = pictures(found);
    const [first, ...others] = report(found, recorded ? null : link);
    result.replaceChildren(first, ...others, ...drawn.map((each) => each.node), steps(found));
    for (const each of drawn) each.show();
  }

  showButtons();
  await findFiles();
  const brought = files.data || files.labels;
  run.path = brought ? "/own/fit" : "/own/example";
  const restored = !closed && (await run.restore(() => (brought ? own() : ofExample())));
  if (!restored && !brought && !closed && !calm()) begin("/own/example"); // it moves at once
  return {
    close() {
      closed = true;
      run.close();
      for (const each of drawn) each.close();
    },
  };
}
