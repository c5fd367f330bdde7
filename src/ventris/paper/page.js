// Surfaces are drawn when they come into view, in the colours of the page, and redrawn when those change.
"use strict";
const scenes = JSON.parse(document.getElementById("scenes").textContent);
const dark = matchMedia("(prefers-color-scheme: dark)");

function layoutOf(scene) {
  const ink = dark.matches ? "#e4e2dd" : "#1f2933",
    grid = dark.matches ? "#4a525b" : "#d3d7dc";
  const axes = {};
  for (const axis of ["xaxis", "yaxis", "zaxis"]) {
    axes[axis] = Object.assign(
      { color: ink, gridcolor: grid, zerolinecolor: grid, showbackground: false },
      scene.layout.scene[axis],
    );
  }
  return {
    scene: Object.assign({}, scene.layout.scene, axes, { dragmode: "turntable" }),
    paper_bgcolor: "rgba(0,0,0,0)",
    font: { color: ink, size: 12 },
    showlegend: false,
    margin: { l: 0, r: 0, t: 0, b: 0 },
  };
}

function draw(place) {
  const scene = scenes[place.dataset.scene];
  const layout = layoutOf(scene);
  if (place.layout) layout.scene.camera = place.layout.scene.camera; // as the reader has turned it
  Plotly.react(place, scene.data, layout, {
    responsive: true,
    displayModeBar: false,
    scrollZoom: false,
  }).then(() => {
    place.dataset.drawn = "yes";
  });
}

const places = Array.from(document.querySelectorAll(".scene"));
const watcher = new IntersectionObserver(
  (entries) => {
    for (const entry of entries) {
      if (entry.isIntersecting && !entry.target.dataset.drawn) {
        watcher.unobserve(entry.target);
        draw(entry.target);
      }
    }
  },
  { rootMargin: "200px" },
);
for (const place of places) watcher.observe(place);
dark.addEventListener("change", () => places.filter((place) => place.dataset.drawn).forEach(draw));
