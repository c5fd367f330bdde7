// What came of the doctor's visit and of a fit, in words and tables.
import { actions } from "../controls.js";
import { h, notice, short, table } from "../dom.js";
import { colourOf } from "./data_pictures.js";

const VERDICTS = {
  go: "Nothing speaks against learning from this data with this label model.",
  doubtful: "It may work; read the reasons first.",
  stop: "It will not work as it is.",
};
const FILES = {
  "labels.csv": "Download labels (.csv)",
  "model.ventris": "Download model (.ventris)",
  "report.html": "Download report (.html)",
};

export function diagnosis(found) {
  const tag = (word) => h("span", { class: `tag ${word}` }, word);
  return h(
    "div",
    { class: "card stage" },
    h(
      "div",
      {},
      h("h2", {}, "The doctor’s verdict ", tag(found.verdict)),
      h("p", {}, VERDICTS[found.verdict]),
    ),
    table(
      ["weight", "reason"],
      found.reasons.map((reason) => [tag(reason.severity), reason.sentence]),
      "Reasons",
    ),
    table(
      ["points apart", "inputs tell (nats)", "chance", "labels could tell"],
      found.lags.map((lag) => [
        String(lag.lag),
        lag.codes.toFixed(4),
        `± ${lag.spread.toFixed(4)}`,
        lag.labels.toFixed(4),
      ]),
      "What neighbours tell about each other",
    ),
  );
}

// Colours that settle: the labels of the first points while they are learnt.
export function sketch(now) {
  return h(
    "div",
    { class: "card stage", id: "sketch" },
    h("h2", {}, "The first points, as they are labelled now"),
    h(
      "div",
      { class: "sketch", role: "img", "aria-label": `${now.labels.length} points; ${now.note}` },
      now.labels.map((label) => {
        const cell = h("span", {});
        cell.style.background = colourOf(label);
        return cell;
      }),
    ),
    h("p", { class: "help" }, `Picture ${now.step + 1}: ${now.note}`),
  );
}

export function report(found, link) {
  const apart = new Set(["answer", "remark", ...found.warnings.map(([name]) => name)]);
  const mood = found.warnings.length ? "doubt" : "good";
  return [
    ...(found.answer ? [notice(`answer ${mood}`, "The answer:", `${found.answer}.`)] : []),
    ...found.warnings.map(([name, message]) => notice("doubt", `${name}.`, message)),
    h(
      "div",
      { class: "card stage" },
      h("h2", {}, "What was learnt"),
      table(
        ["about", "finding"],
        found.rows.filter(([name]) => !apart.has(name)),
        "Report",
      ),
      ...found.remarks.map(([, message]) => h("p", { class: "help remark" }, `Remark: ${message}`)),
      link && actions(...found.files.map((name) => link(name, FILES[name]))),
      link && h("p", { class: "help" }, "The model works with ventris predict, ventris decode and vt.load."),
    ),
  ];
}

export function steps(found) {
  return h(
    "div",
    { class: "card stage" },
    h("h2", {}, "The steps"),
    table(
      ["step", "seconds", "held-out score (nats a symbol)", "kept"],
      found.history.map((row) => [
        row.step,
        short(row.seconds ?? 0, 2),
        row.score === undefined || row.score === null ? "–" : short(row.score),
        row.kept === false ? "no: undone" : "yes",
      ]),
      "Steps of the fit",
    ),
  );
}
