// Plots in the colours of the page: each has a title, a sentence, named axes, and words for those who cannot
// see it.
import { h } from "./dom.js";
import { recorded } from "./recorded.js";

let plotly = null; // the promise of the drawing library, which is large and comes after the page stands

function library() {
  plotly ||= new Promise((done, fail) => {
    const node = h("script", { src: recorded ? "plotly.min.js" : "/plotly.min.js" });
    node.onload = () => done(window.Plotly);
    node.onerror = () => fail(new Error("plotly.min.js is missing."));
    document.head.append(node);
  });
  return plotly;
}

export function colours() {
  const style = getComputedStyle(document.documentElement);
  const of = (name) => style.getPropertyValue(`--${name}`).trim();
  return {
    ink: of("ink"),
    soft: of("soft"),
    line: of("line"),
    card: of("card"),
    accent: of("accent"),
    other: of("other"),
    muted: of("muted"),
    good: of("good"),
    bad: of("bad"),
  };
}

// A colour scale from paper to accent.
export function scale() {
  const c = colours();
  return [
    [0, c.card],
    [1, c.accent],
  ];
}

function themed(layout) {
  const c = colours();
  const axis = {
    gridcolor: c.line,
    zerolinecolor: c.line,
    linecolor: c.muted,
    tickcolor: c.muted,
    automargin: true,
    title: { standoff: 8 },
  };
  const axes = {};
  for (const name of ["xaxis", "yaxis"])
    axes[name] = { ...axis, ...layout[name], title: { ...axis.title, ...titled(layout[name]?.title) } };
  return {
    paper_bgcolor: "rgba(0,0,0,0)",
    plot_bgcolor: "rgba(0,0,0,0)",
    font: { family: "system-ui, DejaVu Sans, sans-serif", size: 12.5, color: c.soft },
    margin: { l: 52, r: 14, t: 12, b: 44 },
    legend: {
      orientation: "h",
      y: 1.02,
      yanchor: "bottom",
      x: 0,
      font: { color: c.ink, size: 11.5 },
      itemsizing: "constant",
      tracegroupgap: 0,
    },
    hoverlabel: { bgcolor: c.card, bordercolor: c.muted, font: { color: c.ink } },
    dragmode: false,
    ...layout,
    ...axes,
  };
}

const titled = (title) => (typeof title === "string" ? { text: title } : title || {});

// A figure: draw(traces, layout, words) draws it, and says in words what it shows.
export function plot(title, sentence, size = "") {
  const area = h("div", { class: `plot ${size}` });
  const holder = h("div", { role: "img", "aria-label": `${title}: nothing drawn yet` }, area);
  const note = h("p", { class: "help" }, sentence);
  const node = h("figure", { class: "card" }, h("figcaption", {}, h("h2", {}, title), note), holder);
  let last = null;
  let due = false; // drawn once a frame, however often it is asked for
  let closed = false;
  const paint = async () => {
    const Plotly = window.Plotly || (await library());
    due = false;
    if (closed) return;
    const [traces, layout] = last;
    const made = typeof traces === "function" ? traces(colours()) : traces;
    const laid = typeof layout === "function" ? layout(colours()) : layout;
    Plotly.react(area, made, themed(laid), { displayModeBar: false, responsive: true, scrollZoom: false });
  };
  const draw = (traces, layout = {}, words = "") => {
    last = [traces, layout, words];
    holder.setAttribute("aria-label", `${title}. ${words || sentence}`);
    if (due) return;
    due = true;
    if (window.Plotly) requestAnimationFrame(paint);
    else paint();
  };
  const redraw = () => last && draw(...last);
  addEventListener("themechange", redraw);
  return {
    node,
    area,
    draw,
    redraw,
    say(text) {
      note.textContent = text;
    },
    close() {
      closed = true;
      removeEventListener("themechange", redraw);
      window.Plotly?.purge(area);
    },
  };
}
