// Room 2: two classes, learnt live.
import { get, post } from "../api.js";
import { button, choice, fold, number, slider, toggle } from "../controls.js";
import { calm, debounce, facts, h, notice, percent, short } from "../dom.js";
import { frame } from "../frame.js";
import { plot } from "../plots.js";
import { recorded } from "../recorded.js";
import { RUN, Run } from "../run.js";
import { Settings } from "../state.js";

const METHODS = {
  spdg: "SPDG, V = −exp(a)",
  direct: "SPDG, V itself (as printed)",
  "full-batch": "Full batch (L-BFGS)",
  auto: "The default route",
};
const DEFAULTS = {
  chain: 2,
  p01: 0.4,
  p10: 0.9,
  x0: -0.504,
  y0: -0.264,
  x1: 1.646,
  y1: 0.181,
  variance: 0.4,
  n: 6000,
  seed: 0,
  intercept: true,
  order: 2,
  method: "spdg",
  primal: -1,
  dual: -1.3,
  batch_size: 10,
  updates: 2,
  start_seed: 0,
  ...RUN,
};
const DATA = ["p01", "p10", "x0", "y0", "x1", "y1", "variance", "n", "seed", "intercept", "order"];
const power = (x) => `${short(10 ** x, 2)}`;

export async function enter(root, query) {
  const presets = await get("/two/presets");
  const settings = new Settings("two", DEFAULTS, query);
  let world = null; // the data and its reference lines
  let frames = []; // those that are shown
  let isOpen = false; // what the room begins with has begun
  let closed = false;

  const problem = h("div", {});
  const status = h(
    "p",
    { class: "help", role: "status", id: "status" },
    "Ready. Nothing has been learnt yet.",
  );
  const numbers = h("div", {});
  const plane = plot(
    "The points and the boundary",
    "Colours are the true classes, which no method sees. The full line is the boundary being learnt.",
  );
  const costs = plot(
    "Cost J and saddle function L",
    "J falls to the entropy H of the label pairs when the outputs have the right statistics. L (plus " +
      "one) touches J from below where V is best.",
  );
  const errors = plot(
    "Test error",
    "Measured with labels that only this plot sees. On all points there could be, no classifier of single " +
      "points gets below Bayes; these test points are a sample, on which one may by chance.",
  );
  const duals = plot(
    "Dual variables",
    "One V for each n-gram of labels, always negative. They chase −1/P̄, which moves as the weights do.",
  );

  // ---------------------------------------------------------------- controls

  const change = (patch) => {
    settings.set(patch);
    ask();
  };
  const chains = Object.fromEntries([
    ["0", "my own"],
    ...presets.chains.map(([a, b], i) => [String(i + 1), `chain ${i + 1} of the paper (${a}, ${b})`]),
  ]);
  const chain = choice({
    id: "chain",
    label: "Label chain",
    options: chains,
    value: String(settings.get("chain")),
    help:
      "How labels follow one another: all that is known about them. Chain 9 says little and is hard; the " +
      "others are easier.",
    onChange: (value) => {
      if (value !== "0") {
        const [a, b] = presets.chains[value - 1];
        p01.value = a;
        p10.value = b;
        change({ chain: Number(value), p01: a, p10: b });
      } else settings.set({ chain: 0 });
    },
  });
  const own = (name) => (value) => {
    chain.value = "0";
    change({ chain: 0, [name]: value });
  };
  const p01 = slider({
    id: "p01",
    label: "p(1 follows 0)",
    min: 0.02,
    max: 0.98,
    step: 0.01,
    value: settings.get("p01"),
    format: (v) => v.toFixed(2),
    onChange: own("p01"),
  });
  const p10 = slider({
    id: "p10",
    label: "p(0 follows 1)",
    min: 0.02,
    max: 0.98,
    step: 0.01,
    value: settings.get("p10"),
    format: (v) => v.toFixed(2),
    onChange: own("p10"),
    help:
      "Set both to the same value and the two labels become interchangeable: no method can then name " +
      "them.",
  });
  const mean = (name, label) =>
    number({
      id: name,
      label,
      value: settings.get(name),
      min: -6,
      max: 6,
      step: 0.001,
      onChange: (value) => change({ [name]: value }),
    });
  const variance = slider({
    id: "variance",
    label: "Noise (variance)",
    min: 0.02,
    max: 3,
    step: 0.02,
    value: settings.get("variance"),
    format: (v) => v.toFixed(2),
    help:
      "How far points scatter around their class’s mean. More noise, more overlap, more error for " +
      "everyone.",
    onChange: (value) => change({ variance: value }),
  });
  const size = slider({
    id: "n",
    label: "Points",
    min: 600,
    max: 30000,
    step: 600,
    value: settings.get("n"),
    format: (v) => v.toLocaleString("en"),
    help: "Five sixths are learnt from, the rest measures the error.",
    onChange: (value) => change({ n: value }),
  });
  const seed = number({
    id: "seed",
    label: "Seed of the data",
    value: settings.get("seed"),
    min: 0,
    step: 1,
    onChange: (value) => change({ seed: value }),
  });
  const intercept = toggle({
    id: "intercept",
    label: "Intercept",
    value: settings.get("intercept"),
    help:
      "Without it the boundary must pass through the origin, as in the paper’s formula. On chains 2, 6, " +
      "7 and 9 the least J is then a wrong classifier.",
    onChange: (value) => change({ intercept: value }),
  });
  const order = choice({
    id: "order",
    label: "Statistics to match",
    options: { 2: "pairs of labels (bigrams)", 1: "single labels (unigrams)" },
    value: String(settings.get("order")),
    help: "Single labels only fix how often each occurs; many wrong boundaries do that as well.",
    onChange: (value) => change({ order: Number(value) }),
  });
  const method = choice({
    id: "method",
    label: "Method",
    options: METHODS,
    value: settings.get("method"),
    help:
      "SPDG is the paper’s Algorithm 1 on minibatches. Full batch lowers J exactly. The default route " +
      "reads the inputs as a cipher first.",
    onChange: (value) => {
      settings.set({ method: value });
      showRates();
      if (recorded) begin();
    },
  });
  const primal = slider({
    id: "primal",
    label: "Rate of the weights",
    min: -6,
    max: 3,
    step: 0.1,
    value: settings.get("primal"),
    format: power,
    help: "How far the weights go at each update. Above about 30 it diverges: try it.",
    onChange: (value) => {
      settings.set({ primal: value });
      if (recorded) begin();
    },
  });
  const dual = slider({
    id: "dual",
    label: "Rate of the dual variables",
    min: -6,
    max: 2,
    step: 0.1,
    value: settings.get("dual"),
    format: power,
    help: "How fast V follows −1/P̄. Too slow, and the weights follow a V that is out of date.",
    onChange: (value) => settings.set({ dual: value }),
  });
  const batch = slider({
    id: "batch",
    label: "Batch",
    min: 1,
    max: 100,
    value: settings.get("batch_size"),
    format: (v) => `${v} × 10 points`,
    help: "Subsequences in a minibatch.",
    onChange: (value) => settings.set({ batch_size: value }),
  });
  const updates = slider({
    id: "updates",
    label: "Updates in a step",
    min: 0,
    max: 4,
    step: 1,
    value: settings.get("updates"),
    format: (v) => (10 ** v).toLocaleString("en"),
    help: "How many updates lie between two pictures: the speed of the film.",
    onChange: (value) => settings.set({ updates: value }),
  });
  const startSeed = number({
    id: "start_seed",
    label: "Seed of the start",
    value: settings.get("start_seed"),
    min: 0,
    step: 1,
    help:
      "About half of all starts fall into the basin where the labels are swapped. Its J is higher: that " +
      "is how restarts are judged.",
    onChange: (value) => {
      settings.set({ start_seed: value });
      if (recorded) begin();
    },
  });
  const rates = h("div", { class: "panel-part stage" }, primal.node, dual.node, batch.node, updates.node);

  const start = button("Start", () => (run.mode === "idle" ? begin() : run.toggle()), "main");
  const step = button("One step", oneStep);
  const again = button("Restart from here", () => begin({ weights: last()?.weights }));
  const stop = button("Stop", () => {
    run.stop();
    status.textContent = "Stopped.";
  });
  const run = new Run(settings, "/two/train", {
    frame: (_, shown) => {
      frames = shown;
      show();
    },
    told: (kind, data) => {
      if (kind === "waiting") status.textContent = `Other jobs are running. ${data.message}`;
      if (kind === "progress") status.textContent = data.message;
    },
    ended: (kind, data) => {
      status.textContent = kind === "failed" ? "" : data.message;
      if (kind === "failed") problem.replaceChildren(notice("error", "Learning ended early.", data.message));
    },
    changed: () => showButtons(),
  });

  frame(root, {
    title: "Two classes, learnt without a label",
    intro:
      "A hidden chain jumps between two labels, and each label is seen as a noisy point. The method " +
      "knows how labels follow one another, and sees the points. It moves the boundary until the " +
      "labels it gives out follow one another in the same way.",
    buttons: [start, step, again, stop],
    status,
    help:
      "“One step” pauses and moves on by one picture. “Restart from here” keeps the weights and " +
      "takes the settings as they now are: raise a rate and see what it does.",
    panel: [
      chain.node,
      p01.node,
      p10.node,
      method.node,
      rates,
      startSeed.node,
      fold(
        "Data and classifier",
        false,
        h(
          "div",
          { class: "grid2" },
          mean("x0", "class 0, first"),
          mean("y0", "class 0, second"),
          mean("x1", "class 1, first"),
          mean("y1", "class 1, second"),
        ),
        h(
          "p",
          { class: "help" },
          "Where the two classes have their centres. Bring them together and the task becomes hopeless.",
        ),
        variance.node,
        size.node,
        seed.node,
        intercept.node,
        order.node,
      ),
    ],
    stage: [
      problem,
      numbers,
      h("div", { class: "pair" }, plane.node, errors.node),
      h("div", { class: "pair" }, costs.node, duals.node),
    ],
  });

  // ---------------------------------------------------------------- the data

  const last = () => frames.at(-1);
  const chosen = () => Object.fromEntries(DATA.map((name) => [name, settings.get(name)]));

  let asking = 0;
  async function describe() {
    const mine = ++asking;
    if (run.mode !== "idle" && world) run.drop();
    try {
      const answer = await post("/two", chosen());
      if (mine !== asking || closed) return;
      world = answer;
      frames = [];
      problem.replaceChildren();
      if (world.label_model.verdict !== "identifiable")
        problem.replaceChildren(
          notice("doubt", "This label chain is hard.", `It is ${world.label_model.sentence}.`),
        );
      status.textContent = "Ready. Nothing has been learnt yet.";
      if (recorded && isOpen) begin();
    } catch (error) {
      if (mine !== asking || closed) return;
      world = null;
      problem.replaceChildren(notice("error", "There is no such data.", error.message));
    }
    show();
    showButtons();
  }
  const ask = debounce(describe, 120);

  // ---------------------------------------------------------------- the job

  const hasRates = () => ["spdg", "direct"].includes(method.value);
  const rated = () => ({
    primal_lr: 10 ** primal.value,
    dual_lr: 10 ** dual.value,
    batch_size: batch.value,
    updates: 10 ** updates.value,
  });
  const body = (weights) => ({
    ...chosen(),
    method: method.value,
    ...(hasRates() ? rated() : {}),
    start_seed: startSeed.value,
    ...(weights && method.value !== "auto" ? { start: weights } : {}),
  });

  async function begin({ weights, ...how } = {}) {
    frames = [];
    problem.replaceChildren();
    status.textContent = "Starting…";
    try {
      await run.begin(body(weights), how);
    } catch (error) {
      run.drop();
      status.textContent = "";
      problem.replaceChildren(notice("error", "It could not start.", error.message));
    }
  }

  async function oneStep() {
    if (run.mode === "idle") await begin({ at: 0 });
    else run.step();
  }

  function showButtons() {
    start.textContent = { idle: "Start", running: "Pause", paused: "Go on" }[run.mode];
    start.disabled = !world;
    step.disabled = !world;
    stop.disabled = run.mode === "idle";
    again.disabled = !last()?.weights || method.value === "auto" || Boolean(recorded);
  }

  function showRates() {
    rates.hidden = !hasRates();
    showButtons();
  }

  // ---------------------------------------------------------------- the picture

  function show() {
    const now = last();
    drawPlane(now);
    drawCurves();
    drawDual(now);
    showButtons();
    numbers.replaceChildren();
    if (!now || !world) return;
    if (run.mode !== "idle")
      status.textContent = `${run.mode === "paused" ? "Paused" : "Learning"}: ${now.note}.`;
    numbers.append(
      facts({
        step: now.step.toLocaleString("en"),
        "J − H": short(now.J - world.entropy),
        error: percent(now.error, 2),
        supervised: percent(world.errors.supervised, 2),
        "Bayes, all points": percent(world.errors.bayes, 2),
        [`Bayes, these ${world.n_test.toLocaleString("en")}`]: percent(world.errors.bayes_here, 2),
      }),
    );
  }

  function drawPlane(now) {
    if (!world) {
      plane.draw([], {}, "No data.");
      return;
    }
    const axis = [0, 1].map((k) => {
      const v = world.points.map((p) => p[k]);
      return [Math.min(...v) - 0.2, Math.max(...v) + 0.2];
    });
    const group = (label) => world.points.filter((_, i) => world.labels[i] === label);
    plane.draw(
      (c) => [
        ...[0, 1].map((label) => ({
          type: "scatter",
          mode: "markers",
          name: `class ${label}`,
          x: group(label).map((p) => p[0]),
          y: group(label).map((p) => p[1]),
          marker: {
            color: label ? c.accent : c.other,
            symbol: label ? "diamond" : "circle",
            size: 4,
            opacity: 0.5,
          },
          hoverinfo: "skip",
        })),
        segment("Bayes", world.lines.bayes, { color: c.muted, dash: "dot", width: 2 }),
        segment("supervised", world.lines.supervised, { color: c.soft, dash: "dash", width: 2 }),
        ...(now?.line ? [segment("learnt", now.line, { color: c.ink, width: 3 })] : []),
      ],
      {
        xaxis: { title: "first feature", range: axis[0], fixedrange: true },
        yaxis: { title: "second feature", range: axis[1], fixedrange: true },
      },
      now
        ? `The learnt boundary has an error of ${percent(now.error)}.`
        : "Points of two classes, and the lines that a supervised classifier and Bayes would draw.",
    );
  }

  // A long piece of w·x + b = 0; the axes cut it.
  function segment(name, { w, b }, line) {
    const size2 = w[0] ** 2 + w[1] ** 2 || 1e-12;
    const foot = [(-b * w[0]) / size2, (-b * w[1]) / size2];
    const along = [-w[1] / Math.sqrt(size2), w[0] / Math.sqrt(size2)];
    const ends = [-30, 30].map((t) => [foot[0] + t * along[0], foot[1] + t * along[1]]);
    return {
      type: "scatter",
      mode: "lines",
      name,
      x: ends.map((p) => p[0]),
      y: ends.map((p) => p[1]),
      line,
      hoverinfo: "skip",
    };
  }

  function drawCurves() {
    const x = frames.map((f) => f.step);
    const far = Math.max(1, ...x);
    const level = (name, value, line) => ({
      type: "scatter",
      mode: "lines",
      name,
      x: [0, far],
      y: [value, value],
      line: { width: 1.5, ...line },
      hoverinfo: "name+y",
    });
    const axis = {
      title: method.value === "auto" ? "fits" : method.value === "full-batch" ? "iterations" : "updates",
      fixedrange: true,
      rangemode: "tozero",
    };
    costs.draw(
      (c) => [
        {
          type: "scatter",
          mode: "lines+markers",
          name: "J",
          x,
          y: frames.map((f) => f.J),
          line: { color: c.accent, width: 2.5 },
          marker: { size: 3 },
        },
        {
          type: "scatter",
          mode: "lines",
          name: "L + 1",
          x,
          y: frames.map((f) => f.L),
          line: { color: c.other, width: 2, dash: "dot" },
        },
        ...(world ? [level("H", world.entropy, { color: c.muted })] : []),
      ],
      { xaxis: axis, yaxis: { title: "nats", fixedrange: true, ...within(world, frames) } },
      last()
        ? `J is ${short(last().J, 4)} and L plus one ${short(last().L, 4)}, after ${x.length} pictures.`
        : "Nothing learnt yet.",
    );
    errors.draw(
      (c) => [
        {
          type: "scatter",
          mode: "lines+markers",
          name: "learnt",
          x,
          y: frames.map((f) => 100 * f.error),
          line: { color: c.accent, width: 2.5 },
          marker: { size: 3 },
        },
        ...(world
          ? [
              level("majority", 100 * world.errors.majority, { color: c.muted, dash: "longdash" }),
              level("supervised", 100 * world.errors.supervised, { color: c.soft, dash: "dash" }),
              level("Bayes", 100 * world.errors.bayes, { color: c.soft, dash: "dot" }),
              level("Bayes, sequence", 100 * world.errors.smoother, { color: c.other, dash: "dot" }),
            ]
          : []),
      ],
      { xaxis: axis, yaxis: { title: "test error (%)", fixedrange: true, rangemode: "tozero" } },
      last()
        ? `The error is ${percent(last().error, 2)}; supervised has ${percent(world.errors.supervised, 2)}.`
        : "Nothing learnt yet.",
    );
  }

  // L starts far below J where V is random: the range follows J, and L enters from below.
  function within(known, rows) {
    if (!known || !rows.length) return {};
    const top = Math.max(...rows.map((f) => f.J ?? 0), known.entropy);
    const room = Math.max(top - known.entropy, 0.02);
    return { range: [known.entropy - 0.4 * room, top + 0.08 * room] };
  }

  function drawDual(now) {
    const names = settings.get("order") === 2 ? ["00", "01", "10", "11"] : ["0", "1"];
    duals.draw(
      (c) =>
        now
          ? [
              { type: "bar", name: "V", x: names, y: now.dual, marker: { color: c.accent } },
              {
                type: "bar",
                name: "−1/P̄, the best for these weights",
                x: names,
                y: now.best_dual,
                marker: { color: c.muted },
              },
            ]
          : [],
      {
        xaxis: { title: "n-gram of labels", type: "category", fixedrange: true, showgrid: false },
        yaxis: { title: "V", fixedrange: true },
        barmode: "group",
      },
      now ? `V is ${now.dual.map((v) => short(v)).join(", ")}.` : "Nothing learnt yet.",
    );
  }

  showRates();
  await describe();
  isOpen = true;
  if (world && !closed) {
    const restored = await run.restore(body);
    if (!restored && !calm()) await begin({ shared: true }); // it moves at once
  }
  return {
    close() {
      closed = true;
      run.close();
      for (const each of [plane, costs, errors, duals]) each.close();
    },
  };
}
