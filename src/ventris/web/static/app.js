// The frame: which room is open, the theme, the link.
import { h, notice } from "./dom.js";
import { here } from "./state.js";

const ROOMS = { caesar: "Caesar", two: "Two classes", surface: "Surface", read: "Read", data: "Your data" };
const main = document.getElementById("main");
const nav = document.getElementById("rooms");
let open = null;
let visit = 0;

function showNav(room) {
  nav.replaceChildren(
    ...Object.entries(ROOMS).map(([name, title]) =>
      h("a", { href: `#/${name}`, "aria-current": name === room ? "page" : null }, title),
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
  if (!(room in ROOMS)) {
    main.replaceChildren(
      h("h1", {}, "No such room"),
      notice("error", "", `There is no room named “${room}”. Choose one above.`),
    );
    return;
  }
  document.title = `${ROOMS[room]} · Ventris Studio`;
  main.setAttribute("aria-busy", "true");
  try {
    const module = await import(`./rooms/${room}.js`);
    if (mine !== visit) return;
    main.replaceChildren();
    open = await module.enter(main, query);
  } catch (problem) {
    if (mine === visit)
      main.replaceChildren(
        h("h1", {}, ROOMS[room]),
        notice("error", "This room could not be opened.", String(problem.message || problem)),
      );
    if (problem instanceof TypeError || problem instanceof ReferenceError) throw problem;
  } finally {
    main.removeAttribute("aria-busy");
  }
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
addEventListener("pagehide", () => open?.close?.());

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
enter();
