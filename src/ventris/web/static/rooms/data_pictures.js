// Pictures of a fit: the points on a plane by label and by doubt, labels along time, how often each is used.
import { plot } from "../plots.js";

// Ten colours that keep apart in both themes; more labels than that share them.
const TEN = [
  "#b5452e",
  "#2b6cb0",
  "#2f8f5b",
  "#b7791f",
  "#7b4fa3",
  "#0f8b8d",
  "#c2559b",
  "#6b7a1f",
  "#8a6d5a",
  "#5b6470",
];
export const colourOf = (label) => TEN[label % TEN.length];
const SHOWN = 14; // labels in a legend

export function pictures(found) {
  const made = [plane(found), timeline(found), found.usage.usage && usage(found)];
  return made.filter(Boolean);
}

function plane(found) {
  if (!found.plane) return null;
  const { xy, label, sure, share, of } = found.plane;
  const figure = plot(
    "The points, by label and by doubt",
    `${xy.length.toLocaleString("en")} of ${of.toLocaleString("en")} points on their first two principal ` +
      "components. Colours are the labels found; the fainter and larger a point, the less sure its label.",
    "middle",
  );
  figure.show = () =>
    figure.draw(
      () =>
        found.classes.slice(0, SHOWN).map((name, k) => {
          const mine = xy.map((_, i) => i).filter((i) => label[i] === k);
          return {
            type: "scatter",
            mode: "markers",
            name,
            x: mine.map((i) => xy[i][0]),
            y: mine.map((i) => xy[i][1]),
            marker: {
              color: colourOf(k),
              opacity: mine.map((i) => 0.15 + 0.6 * sure[i] ** 4),
              size: mine.map((i) => 4 + 8 * (1 - sure[i])),
            },
            text: mine.map((i) => `${(100 * sure[i]).toFixed(0)} % sure`),
            hovertemplate: `${name}, %{text}<extra></extra>`,
          };
        }),
      {
        xaxis: {
          title: `first component (${(100 * share[0]).toFixed(0)} % of the spread)`,
          fixedrange: true,
        },
        yaxis: { title: `second (${(100 * share[1]).toFixed(0)} %)`, fixedrange: true },
      },
      `${found.n_classes} labels.`,
    );
  return figure;
}

function timeline(found) {
  const { begins, ends, label, sure, n, of } = found.timeline;
  const figure = plot(
    "The labels along time",
    `The first ${n.toLocaleString("en")} of ${of.toLocaleString("en")} points, each in its sequence, as ` +
      "decoded under the label model. Faint runs are less sure. Drag to look closer.",
    found.classes.length > 8 ? "middle" : "low",
  );
  figure.show = () =>
    figure.draw(
      (c) => [
        {
          type: "bar",
          orientation: "h",
          base: begins,
          x: begins.map((from, i) => ends[i] - from),
          y: label.map((k) => found.classes[k] ?? "other"),
          marker: {
            color: label.map(colourOf),
            opacity: sure.map((p) => 0.25 + 0.75 * p ** 2),
            line: { width: 0 },
          },
          text: begins.map(
            (from, i) => `points ${from + 1} to ${ends[i]}, ${(100 * sure[i]).toFixed(0)} % sure`,
          ),
          textposition: "none",
          hovertemplate: "%{y}, %{text}<extra></extra>",
          hoverlabel: { bgcolor: c.card },
        },
      ],
      {
        xaxis: { title: "point", range: [0, Math.min(n, 300)], showgrid: false },
        yaxis: { type: "category", categoryarray: found.classes, fixedrange: true, dtick: 1 },
        bargap: 0.25,
        dragmode: "pan",
        showlegend: false,
      },
      `${begins.length} runs of one label; they begin ${label
        .slice(0, 10)
        .map((k) => found.classes[k])
        .join(", ")}.`,
    );
  return figure;
}

function usage(found) {
  const figure = plot(
    "How often each label is used",
    "Beside how often the label model expects it. A label that is never used is a warning.",
    "low",
  );
  figure.show = () =>
    figure.draw(
      (c) => [
        bars("used", found.classes, found.usage.usage, c.accent),
        bars("expected", found.classes, found.usage.expected, c.muted),
      ],
      {
        xaxis: { title: "label", type: "category", fixedrange: true, showgrid: false },
        yaxis: { title: "share (%)", fixedrange: true },
        barmode: "group",
      },
      `${found.n_classes} labels.`,
    );
  return figure;
}

const bars = (name, x, shares, color) => ({
  type: "bar",
  name,
  x,
  y: shares.map((v) => 100 * v),
  marker: { color },
});
