// The columns of a table, each with the role it has: what is a feature, what groups rows, what holds labels.
import { h } from "../dom.js";

const ROLES = { feature: "feature", sequence: "groups rows", label: "labels", unused: "left out" };

// What the chosen roles mean to the reader: names of features, of the column that groups rows, of the labels.
export function layoutOf(columns) {
  if (!columns) return {};
  const named = (role) => columns.filter((column) => column.role === role).map(({ name }) => name);
  return { columns: named("feature"), sequence: named("sequence")[0] ?? "", label: named("label")[0] };
}

export function columnsTable(columns, total, onChange) {
  const pick = (column, role) => {
    for (const other of columns)
      if (role !== "feature" && role !== "unused" && other.role === role && other !== column)
        other.role = "unused"; // one column groups rows, one holds labels
    column.role = role;
    onChange();
  };
  return h(
    "div",
    { class: "control", id: "columns" },
    h("p", { class: "label" }, `${total} columns`),
    h(
      "div",
      { class: "columns", tabIndex: 0, role: "region", "aria-label": "Columns of the table" },
      h(
        "table",
        {},
        h(
          "tbody",
          {},
          columns.map((column) => line(column, pick)),
        ),
      ),
    ),
    h(
      "p",
      { class: "help" },
      "A column of labels is never learnt from. One that holds no numbers can group rows, or is left out.",
    ),
  );
}

function line(column, pick) {
  const roles = Object.entries(ROLES).filter(([role]) => role !== "feature" || column.numeric);
  const select = h(
    "select",
    { "aria-label": `Role of ${column.name}` },
    roles.map(([role, words]) => h("option", { value: role, selected: role === column.role }, words)),
  );
  select.addEventListener("change", () => pick(column, select.value));
  return h(
    "tr",
    {},
    h("th", { scope: "row" }, column.name),
    h("td", { class: "begins" }, column.begins.join(", ")),
    h("td", {}, select),
  );
}
