// Elements without strings of markup: nothing a user types can become a tag.

export function h(tag, props = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (name === "class") node.className = value;
    else if (name in node && !name.startsWith("aria")) node[name] = value;
    else node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return node;
}

export const wait = (ms) => new Promise((done) => setTimeout(done, ms));

export const calm = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

// Calls fn once things have been quiet for a while.
export function debounce(fn, ms) {
  let timer;
  return (...args) => {
    clearTimeout(timer);
    timer = setTimeout(() => fn(...args), ms);
  };
}

export function notice(kind, title, text) {
  return h(
    "div",
    { class: `notice ${kind}`, role: kind === "error" ? "alert" : "status" },
    title && h("b", {}, `${title} `),
    text,
  );
}

export function facts(pairs) {
  return h(
    "dl",
    { class: "facts" },
    Object.entries(pairs).map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, String(value)))),
  );
}

export function table(heads, rows, caption) {
  return h(
    "div",
    { class: "scroll", tabIndex: 0, role: "region", "aria-label": caption },
    h(
      "table",
      {},
      h("caption", { class: "sr" }, caption),
      h("thead", {}, row("th", heads, { scope: "col" })),
      h(
        "tbody",
        {},
        rows.map((cells) => row("td", cells)),
      ),
    ),
  );
}

const row = (tag, cells, more = {}) =>
  h(
    "tr",
    {},
    cells.map((cell) => h(tag, more, cell)),
  );

export const percent = (x, digits = 1) =>
  x === null || x === undefined ? "–" : `${(100 * x).toFixed(digits)} %`;
export const short = (x, digits = 3) =>
  x === null || x === undefined ? "–" : Number(x.toPrecision(digits)).toString();
// A probability as a person may be told it: nothing is quite certain.
export const sure = (p) => (p > 0.999 ? "over 99.9 %" : percent(p));
