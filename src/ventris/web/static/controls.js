// Controls: a label, the thing itself, and two or three sentences that say what it does.
import { h } from "./dom.js";

let count = 0;
let choices = null; // on a recorded page: the values that were recorded, by the control's id

// A recorded page has only these values; a control that needs nothing of a server says that it is `local`.
export function limitTo(recordedChoices) {
  choices = recordedChoices;
}

const fixed = (id, local) => Boolean(choices) && !local && !choices[id];

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

export function slider(options) {
  const { id, label, help, value, format = String, local, onInput, onChange } = options;
  const steps = choices?.[id]?.toSorted((a, b) => a - b); // a recorded page's slider goes from one to the next
  const { min, max, step = 1 } = steps ? { min: 0, max: steps.length - 1 } : options;
  const output = h("output", {});
  const input = h("input", { type: "range", id, min, max, step, disabled: fixed(id, local) });
  const read = () => (steps ? steps[Number(input.value)] : Number(input.value));
  const show = () => {
    output.textContent = format(read());
    input.setAttribute("aria-valuetext", output.textContent);
  };
  const node = framed(label, input, help, output);
  output.htmlFor = input.id;
  const write = (v) => {
    input.value = steps ? nearest(steps, v) : v;
    show();
  };
  write(value);
  input.addEventListener("input", () => {
    show();
    onInput?.(read());
  });
  input.addEventListener("change", () => onChange?.(read()));
  return control(node, input, read, write);
}

function nearest(steps, value) {
  const far = steps.map((step) => Math.abs(step - value));
  return far.indexOf(Math.min(...far));
}

export function choice({ id, label, help, options, value, local, onChange }) {
  const taken = choices?.[id]?.map(String);
  const offered = Object.entries(options).filter(([key]) => !taken || taken.includes(key));
  const input = h(
    "select",
    { id, disabled: fixed(id, local) },
    offered.map(([key, text]) => h("option", { value: key }, text)),
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
  const shared = { id, placeholder, maxLength, spellcheck: false, disabled: fixed(id) };
  const input = rows
    ? h("textarea", { ...shared, rows })
    : h("input", { ...shared, type: "text", autocomplete: "off" });
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

export function number({ id, label, help, value, step = "any", onChange, ...ends }) {
  const known = choices?.[id];
  const [min, max] = known ? [Math.min(...known), Math.max(...known)] : [ends.min, ends.max];
  const input = h("input", {
    type: "number",
    id,
    min,
    max,
    step,
    inputMode: "decimal",
    disabled: fixed(id),
  });
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
  const disabled = fixed(id);
  const input = h("input", { type: "checkbox", id: id || `control-${++count}`, disabled });
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
