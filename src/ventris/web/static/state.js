// The settings of a room live in the address: #/room?name=value. A link restores them.

export function here() {
  const [path, query = ""] = location.hash.replace(/^#\/?/, "").split("?");
  return { room: path || "caesar", query: new URLSearchParams(query) };
}

const kept = (room) => `ventris-room-${room}`;

// Where a room was last left, in any tab of this browser: a job under way is found again.
export function remember(room, address) {
  try {
    localStorage.setItem(kept(room), address);
  } catch {
    // no place to remember: the address bar still has it
  }
}

export function lastAddress(room) {
  try {
    return localStorage.getItem(kept(room)) || `#/${room}`;
  } catch {
    return `#/${room}`;
  }
}

// Settings with defaults; a value keeps the type its default has, and only what differs is written.
export class Settings {
  constructor(room, defaults, query) {
    this.room = room;
    this.defaults = defaults;
    this.values = { ...defaults };
    for (const [name, text] of query) if (name in defaults) this.values[name] = parsed(text, defaults[name]);
  }

  get(name) {
    return this.values[name];
  }

  set(patch) {
    Object.assign(this.values, patch);
    const query = new URLSearchParams();
    for (const [name, value] of Object.entries(this.values))
      if (value !== this.defaults[name]) query.set(name, String(value));
    const text = query.toString();
    const address = `#/${this.room}${text ? `?${text}` : ""}`;
    if (here().room !== this.room) return; // left meanwhile: the address is another room's
    history.replaceState(null, "", address);
    remember(this.room, address);
  }
}

function parsed(text, like) {
  if (typeof like === "boolean") return text === "true";
  if (typeof like === "number") return Number.isFinite(Number(text)) && text !== "" ? Number(text) : like;
  return text;
}
