// The frame: which room is open, the theme, the link.
import { get } from "./api.js";
import { limitTo } from "./controls.js";
import { h, notice } from "./dom.js";
import { recorded } from "./recorded.js";
import { openRoom } from "./rooms.js";
import { here, lastAddress, remember } from "./state.js";

const main = document.getElementById("main");
const nav = document.getElementById("rooms");
let rooms = [];
let open = null;
let visit = 0;

function showNav(current) {
  nav.replaceChildren(
    ...rooms.map(({ name, title }) =>
      h(
        "a",
        {
          href: name === current ? location.hash || `#/${name}` : lastAddress(name),
          "data-room": name,
          "aria-current": name === current ? "page" : null,
        },
        title,
      ),
    ),
  );
  nav.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest", inline: "center" });
}

async function enter() {
  const { room, query } = here();
  const mine = ++visit;
  open?.close?.();
  open = null;
  showNav(room);
  const known = rooms.find(({ name }) => name === room);
  if (!known) return refuse("No such room", "", `There is no room named “${room}”. Choose one above.`);
  document.title = `${known.title} · Ventris Studio`;
  if (known.missing && !recorded) return refuse(known.title, "Something is not installed.", known.missing);
  if (location.hash) remember(room, location.hash);
  main.setAttribute("aria-busy", "true");
  try {
    limitTo(recorded ? recorded.choices(room) : null);
    const module = await openRoom(room);
    if (mine !== visit) return;
    main.replaceChildren();
    const entered = await module.enter(main, query);
    if (mine === visit) open = entered;
    else entered?.close?.();
  } catch (problem) {
    if (mine === visit)
      refuse(known.title, "This room could not be opened.", String(problem.message || problem));
    if (problem instanceof TypeError || problem instanceof ReferenceError) throw problem;
  } finally {
    if (mine === visit) main.removeAttribute("aria-busy");
  }
}

function refuse(title, short, long) {
  main.replaceChildren(h("h1", {}, title), notice("error", short, long));
}

// Settings are written with replaceState, which fires nothing: a hashchange is a person going somewhere.
addEventListener("hashchange", (event) => {
  if (location.hash === "#main") {
    history.replaceState(null, "", new URL(event.oldURL).hash || "#/caesar");
    main.focus();
    return;
  }
  enter();
});
// A link to another room leads to where that room was left, in whatever tab.
// (The link itself must stay in its place: one that is replaced under the finger is not clicked.)
function leadBack({ target }) {
  const { room } = target.dataset;
  if (room && !target.hasAttribute("aria-current")) target.href = lastAddress(room);
}
nav.addEventListener("pointerdown", leadBack);
nav.addEventListener("focusin", leadBack);

const button = document.getElementById("theme");
const dark = matchMedia("(prefers-color-scheme: dark)");

function setTheme(theme) {
  document.documentElement.dataset.theme = theme;
  const other = theme === "dark" ? "Light" : "Dark";
  button.textContent = other;
  button.setAttribute("aria-label", `Switch to the ${other.toLowerCase()} theme`);
  dispatchEvent(new Event("themechange"));
}
button.addEventListener("click", () => {
  const next = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
  localStorage.setItem("ventris-theme", next);
  setTheme(next);
});
dark.addEventListener("change", () => {
  if (!localStorage.getItem("ventris-theme")) setTheme(dark.matches ? "dark" : "light");
});

document.getElementById("copy-link").addEventListener("click", async (event) => {
  const shown = event.currentTarget;
  try {
    await navigator.clipboard.writeText(location.href);
    shown.textContent = "Copied";
  } catch {
    shown.textContent = "Copy it from the address bar";
  }
  setTimeout(() => {
    shown.textContent = "Copy link";
  }, 2000);
});

setTheme(document.documentElement.dataset.theme);
try {
  rooms = (recorded || (await get("/about"))).rooms;
  await enter();
} catch (problem) {
  refuse("Ventris Studio", "It could not be opened.", String(problem.message || problem));
}
