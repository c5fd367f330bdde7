// A cipher that is being read: the best text so far, and in the end the key and what else it could be.
import { facts, h, notice, percent, sure, table } from "../dom.js";

export function seeking(text) {
  return h(
    "div",
    { class: "card stage", id: "seeking" },
    h("h2", {}, "The best reading so far"),
    h("p", { class: "reading seeking" }, text),
  );
}

export function found(result, doubts, languages) {
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
      result.table?.length > 0 && keyTable(result.table),
      others.length > 0 &&
        table(
          ["other readings", "probability"],
          others.map((other) => [other.plaintext.slice(0, 90), percent(other.probability, 2)]),
          "Other readings",
        ),
    ),
    ...doubts.map((doubt) => notice("doubt", "A doubt.", doubt.message)),
  ];
}

function keyTable(pairs) {
  return h(
    "div",
    {},
    h("p", { class: "help" }, "The key that was found: each sign, and the letter it stands for."),
    h(
      "div",
      { class: "pairs", id: "key-found" },
      pairs.map(([sign, letter]) => h("span", {}, `${sign} `, h("b", {}, letter))),
    ),
  );
}
