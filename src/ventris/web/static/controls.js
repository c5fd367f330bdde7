// Controls: a label, the thing itself, and two or three sentences that say what it does.
import { h } from "./dom.js";

let count = 0;

function framed(label, input, help, output) {
  input.id ||= `control-${++count}`;
  const helpId = `${input.id}-help`;
  if (help) input.setAttribute("aria-describedby", helpId);
  return h(
    "div",
    { class: "control" },
    h("div", { class: "row" }, h("label", { htmlFor: input.id }, label), output),
    input,
    help && h("p", { class: "help", id: helpId }, help),
  );
}

// Every control is {node, input, get value, set value}.
function control(node, input, read, write) {
  return {
    node,
    input,
    get value() {
      return read();
    },
    set value(v) {
      write(v);
    },
  };
}

export function slider({ id, label, help, min, max, step = 1, value, format = String, onInput, onChange }) {
  const output = h("output", {});
  const input = h("input", { type: "range", id, min, max, step });
  const show = () => {
    output.textContent = format(Number(input.value));
    input.setAttribute("aria-valuetext", output.textContent);
  };
  const node = framed(label, input, help, output);
  output.htmlFor = input.id;
  const write = (v) => {
    input.value = v;
    show();
  };
  write(value);
  input.addEventListener("input", () => {
    show();
    onInput?.(Number(input.value));
  });
  input.addEventListener("change", () => onChange?.(Number(input.value)));
  return control(node, input, () => Number(input.value), write);
}

export function choice({ id, label, help, options, value, onChange }) {
  const input = h(
    "select",
    { id },
    Object.entries(options).map(([key, text]) => h("option", { value: key }, text)),
  );
  input.value = value;
  input.addEventListener("change", () => onChange?.(input.value));
  return control(
    framed(label, input, help),
    input,
    () => input.value,
    (v) => {
      input.value = v;
    },
  );
}

export function text({ id, label, help, value = "", rows, placeholder, maxLength, onInput }) {
  const input = rows
    ? h("textarea", { id, rows, placeholder, maxLength, spellcheck: false })
    : h("input", { type: "text", id, placeholder, maxLength, spellcheck: false, autocomplete: "off" });
  input.value = value;
  input.addEventListener("input", () => onInput?.(input.value));
  return control(
    framed(label, input, help),
    input,
    () => input.value,
    (v) => {
      input.value = v;
    },
  );
}

export function number({ id, label, help, value, min, max, step = "any", onChange }) {
  const input = h("input", { type: "number", id, min, max, step, inputMode: "decimal" });
  input.value = value;
  input.addEventListener("change", () => {
    if (input.checkValidity() && input.value !== "") onChange?.(Number(input.value));
  });
  return control(
    framed(label, input, help),
    input,
    () => Number(input.value),
    (v) => {
      input.value = v;
    },
  );
}

export function toggle({ id, label, help, value, onChange }) {
  const input = h("input", { type: "checkbox", id: id || `control-${++count}` });
  input.checked = value;
  input.addEventListener("change", () => onChange?.(input.checked));
  const helpId = `${input.id}-help`;
  if (help) input.setAttribute("aria-describedby", helpId);
  const node = h(
    "div",
    { class: "control" },
    h("div", { class: "check" }, input, h("label", { htmlFor: input.id }, label)),
    help && h("p", { class: "help", id: helpId }, help),
  );
  return control(
    node,
    input,
    () => input.checked,
    (v) => {
      input.checked = v;
    },
  );
}

export function button(label, onClick, kind = "") {
  return h("button", { type: "button", class: kind, onclick: onClick }, label);
}

export function fold(title, open, ...children) {
  return h("details", { open }, h("summary", {}, title), h("div", { class: "inside" }, children));
}

export function actions(...buttons) {
  return h("div", { class: "buttons" }, buttons);
}
