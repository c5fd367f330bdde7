// Room 3: the landscapes of J and L, and the way an optimiser takes through them.
import { get, post } from "../api.js";
import { actions, button, choice, number, slider, toggle } from "../controls.js";
import { calm, facts, h, notice, short } from "../dom.js";
import { frame } from "../frame.js";
import { colours, plot } from "../plots.js";
import { Settings } from "../state.js";

const DEFAULTS = {
  chain: 2,
  order: 2,
  intercept: true,
  method: "spdg",
  seed: 0,
  at: 60,
  turn: -112,
  lift: 60,
};
const METHODS = {
  spdg: "SPDG, V = −exp(a)",
  direct: "SPDG, V itself (as printed)",
  "full-batch": "Full batch (L-BFGS)",
};

export async function enter(root, query) {
  const presets = await get("/two/presets");
  const settings = new Settings("surface", DEFAULTS, query);
  let found = null;
  let walking = null; // the timer of the next step on the path
  let closed = false;

  const problem = h("div", {});
  const status = h("p", { class: "help", role: "status", id: "status" }, "Computing the landscapes…");
  const numbers = h("div", {});
  const cost = plot("J over every straight boundary", "", "tall");
  const saddle = plot(
    "L, the saddle",
    "Along the weights L has a valley, along the dual variables a crest: SPDG walks down one and up " +
      "the other at once. 0 is its start, 1 its end; the path is drawn where its shadow falls.",
    "tall",
  );

  const change = (patch) => {
    settings.set(patch);
    ask();
  };
  const chains = Object.fromEntries(
    presets.chains.map(([a, b], i) => [String(i + 1), `chain ${i + 1} (${a}, ${b})`]),
  );
  const chain = choice({
    id: "chain",
    label: "Label chain",
    options: chains,
    value: String(settings.get("chain")),
    help:
      "p(1 follows 0) and p(0 follows 1), as printed. The two basins of J are the right labels and the " +
      "swapped ones; how much deeper the right one is depends on the chain.",
    onChange: (value) => change({ chain: Number(value) }),
  });
  const order = choice({
    id: "order",
    label: "Statistics to match",
    options: { 2: "pairs of labels (bigrams)", 1: "single labels (unigrams)" },
    value: String(settings.get("order")),
    help:
      "Single labels leave a long valley: every line that cuts off the right share of the points is as " +
      "good as any other. Pairs turn it into a hollow.",
    onChange: (value) => change({ order: Number(value) }),
  });
  const intercept = toggle({
    id: "intercept",
    label: "Intercept",
    value: settings.get("intercept"),
    help:
      "Without it only boundaries through the origin can be had: the line drawn on the surface. On chain " +
      "2 its lowest point is not the right classifier.",
    onChange: (value) => change({ intercept: value }),
  });
  const method = choice({
    id: "method",
    label: "Optimiser",
    options: METHODS,
    value: settings.get("method"),
    help:
      "Full batch goes straight down. SPDG sees ten short pieces at a time and gets there with a little " +
      "noise.",
    onChange: (value) => change({ method: value }),
  });
  const seed = number({
    id: "seed",
    label: "Seed of the start",
    value: settings.get("seed"),
    min: 0,
    max: 999,
    step: 1,
    help: "Another start, another path. Some end in the basin of the swapped labels, half a turn away.",
    onChange: (value) => change({ seed: value }),
  });
  const at = slider({
    id: "at",
    local: true,
    label: "Follow the path",
    min: 0,
    max: 60,
    value: settings.get("at"),
    format: (v) => `picture ${v}`,
    help: "From the start to the end. Drag it, or hold an arrow key.",
    onInput: (value) => {
      halt();
      settings.set({ at: value });
      show();
    },
  });

  const turnBy = (turn, lift) => {
    settings.set({
      turn: settings.get("turn") + turn,
      lift: Math.min(89, Math.max(2, settings.get("lift") + lift)),
    });
    show();
  };
  const views = actions(
    button("Turn left", () => turnBy(-20, 0)),
    button("Turn right", () => turnBy(20, 0)),
    button("Higher", () => turnBy(0, 15)),
    button("Lower", () => turnBy(0, -15)),
    button("From above", () => {
      settings.set({ turn: -90, lift: 89 });
      show();
    }),
  );

  const go = button("Walk the path", () => (walking ? halt() : walk()), "main");

  frame(root, {
    title: "The surface the method walks on",
    intro:
      "Every straight boundary has a direction, and a distance from the middle of the points. J tells " +
      "how badly the labels it gives out match the label chain. Its lowest place is the right " +
      "classifier, found without a label.",
    buttons: [go],
    status,
    panel: [chain.node, order.node, intercept.node, method.node, seed.node],
    stage: [
      problem,
      h(
        "div",
        { class: "card stage" },
        at.node,
        numbers,
        h(
          "div",
          { class: "control" },
          views,
          h("p", { class: "help" }, "Drag a surface to turn it, or use these buttons."),
        ),
      ),
      cost.node,
      saddle.node,
    ],
  });

  // ---------------------------------------------------------------- walking

  function walk(from = 0) {
    if (!found) return;
    const last = found.J.path.z.length - 1;
    at.value = Math.min(from, last);
    show();
    go.textContent = "Stop";
    walking = setTimeout(() => {
      walking = null;
      if (closed) return;
      if (from < last) walk(from + 1);
      else halt();
    }, 90);
  }

  function halt() {
    clearTimeout(walking);
    walking = null;
    go.textContent = "Walk the path";
    if (found) settings.set({ at: at.value });
  }

  let asking = 0;
  async function ask() {
    const mine = ++asking;
    if (walking) halt();
    status.textContent = "Computing the landscapes…";
    try {
      const view = {
        chain: settings.get("chain"),
        order: settings.get("order"),
        intercept: settings.get("intercept"),
        method: settings.get("method"),
        seed: settings.get("seed"),
      };
      const answer = await post("/surface", view);
      if (mine !== asking || closed) return;
      found = answer;
      problem.replaceChildren();
      at.input.max = found.J.path.z.length - 1;
      at.value = Math.min(settings.get("at"), found.J.path.z.length - 1);
      status.textContent = found.message;
      show();
    } catch (error) {
      if (mine !== asking || closed) return;
      found = null;
      status.textContent = "";
      numbers.replaceChildren();
      problem.replaceChildren(notice("error", "There is no such landscape.", error.message));
    }
  }

  // ---------------------------------------------------------------- drawing

  function eye() {
    const [turn, lift] = [settings.get("turn"), settings.get("lift")].map(
      (degrees) => (degrees * Math.PI) / 180,
    );
    const far = 2.15;
    return {
      x: far * Math.cos(lift) * Math.cos(turn),
      y: far * Math.cos(lift) * Math.sin(turn),
      z: far * Math.sin(lift),
    };
  }

  function scene(x, y, z) {
    const c = colours();
    const axis = (title, more = {}) => ({
      title: { text: title, font: { size: 12 } },
      gridcolor: c.line,
      zerolinecolor: c.line,
      color: c.soft,
      showbackground: false,
      tickfont: { size: 10 },
      ...more,
    });
    return {
      scene: {
        xaxis: axis(...x),
        yaxis: axis(...y),
        zaxis: axis(...z),
        camera: { eye: eye(), center: { x: 0, y: 0, z: -0.1 } },
        aspectratio: { x: 1.5, y: 1.1, z: 0.75 },
        dragmode: "turntable",
      },
      margin: { l: 0, r: 0, t: 0, b: 0 },
      showlegend: false,
    };
  }

  const sheet = (c, x, y, z, low, high) => ({
    type: "surface",
    x,
    y,
    z,
    cmin: low,
    cmax: high,
    colorscale: [
      [0, c.accent],
      [0.5, c.line],
      [1, c.other],
    ],
    showscale: false,
    lighting: { ambient: 0.8, diffuse: 0.45, specular: 0.04, roughness: 0.9 },
  });
  const way = (c, x, y, z, k) => [
    {
      type: "scatter3d",
      mode: "lines",
      x: x.slice(0, k + 1),
      y: y.slice(0, k + 1),
      z: z.slice(0, k + 1),
      line: { color: c.ink, width: 7 },
      hoverinfo: "skip",
    },
    {
      type: "scatter3d",
      mode: "markers",
      x: [x[0], x[k]],
      y: [y[0], y[k]],
      z: [z[0], z[k]],
      marker: { size: [5, 9], color: [c.soft, c.ink], line: { color: c.card, width: 1 } },
      hovertemplate: "%{z:.4f} nats<extra></extra>",
    },
  ];

  function show() {
    if (!found) return;
    const k = Math.min(at.value, found.J.path.z.length - 1);
    drawCost(k);
    drawSaddle(k);
    const { angle, sharpness, z } = found.J.path;
    numbers.replaceChildren(
      facts({
        "J − H": short(z[k] - found.entropy),
        "L + 1 − H": short(found.L.path.z[k] - found.entropy),
        "direction off by": `${Math.abs(off(angle[k])).toFixed(0)}°`,
        "sharpness ÷ supervised": short(sharpness[k], 2),
      }),
    );
  }

  const off = (angle) => ((angle + 540) % 360) - 180;

  // J − H spans three powers of ten: its logarithm shows both basins and the heights between them.
  const excess = (v) => Math.log10(Math.max(v - found.entropy, 1e-4));
  const lift = 0.03; // lines are drawn a little above the surface, or they would sink into it

  function drawCost(k) {
    const { angles, offsets, z, path, right, origin } = found.J;
    const heights = z.map((row) => row.map(excess));
    const [low, high] = [Math.min(...heights.flat()), Math.max(...heights.flat())];
    const broken = withGaps(
      path.angle,
      path.offset,
      path.z.map((v) => excess(v) + lift),
    );
    const ticks = [-4, -3, -2, -1, 0, 1].filter((t) => t >= low - 0.3 && t <= high + 0.3);
    cost.say(
      `${origin ? "Boundaries through the origin lie on the dashed line. " : ""}` +
        "The surface shows boundaries as sharp as the supervised one, which the cross marks. " +
        "The path’s own sharpness differs, so it may hover or dive.",
    );
    cost.draw(
      (c) => [
        sheet(c, angles, offsets, heights, low, high),
        ...(origin
          ? [
              {
                type: "scatter3d",
                mode: "lines",
                x: angles,
                y: origin.offset,
                z: origin.z.map((v) => excess(v) + lift),
                line: { color: c.good, width: 6, dash: "dash" },
                hoverinfo: "skip",
              },
            ]
          : []),
        ...way(c, broken.x, broken.y, broken.z, broken.at[k]),
        {
          type: "scatter3d",
          mode: "markers",
          x: [right[0]],
          y: [right[1]],
          z: [excess(right[2]) + 2 * lift],
          marker: { symbol: "cross", size: 6, color: c.good },
          hovertemplate: "supervised<extra></extra>",
        },
      ],
      () =>
        scene(
          ["direction off by (°)", { tickvals: [-270, -180, -90, 0, 90], range: [-270, 90] }],
          ["distance from the middle", { range: [-1.8, 1.8] }],
          [
            "J − H (nats)",
            {
              tickvals: ticks,
              ticktext: ticks.map((t) => String(10 ** t)),
              range: [Math.min(low, ...broken.z.filter(Number.isFinite)) - 0.1, high + 0.1],
            },
          ],
        ),
      `J along the path goes from ${short(path.z[0], 4)} to ${short(path.z.at(-1), 4)}; ` +
        `the entropy is ${short(found.entropy, 4)}. ` +
        `The final direction is off by ${Math.abs(off(path.angle.at(-1))).toFixed(0)} degrees.`,
    );
  }

  // A path that leaves the drawing on one side comes back on the other: no line across.
  function withGaps(angle, offset, z) {
    const out = { x: [], y: [], z: [], at: [] };
    angle.forEach((a, i) => {
      if (i && Math.abs(a - angle[i - 1]) > 180) {
        out.x.push(null);
        out.y.push(null);
        out.z.push(null);
      }
      out.x.push(a);
      out.y.push(offset[i]);
      out.z.push(z[i]);
      out.at.push(out.x.length - 1);
    });
    return out;
  }

  function drawSaddle(k) {
    const { steps, z, path } = found.L;
    const flat = z.flat();
    const [low, high] = [Math.max(Math.min(...flat), found.entropy - 1.2), Math.max(...flat)];
    saddle.draw(
      (c) => [
        sheet(
          c,
          steps,
          steps,
          z.map((row) => row.map((v) => Math.max(v, low))),
          low,
          high,
        ),
        ...way(
          c,
          path.alpha,
          path.beta,
          path.shadow.map((v) => Math.max(v, low) + 0.012 * (high - low)),
          k,
        ),
      ],
      () =>
        scene(
          ["weights, start 0 to end 1"],
          ["dual, start 0 to best 1"],
          ["L + 1 (nats)", { range: [low, high] }],
        ),
      `L plus one along the path goes from ${short(path.z[0], 4)} to ${short(path.z.at(-1), 4)}.`,
    );
  }

  await ask();
  if (!calm() && !query.has("at") && !closed) walk(); // it moves at once
  return {
    close() {
      closed = true;
      clearTimeout(walking);
      cost.close();
      saddle.close();
    },
  };
}
