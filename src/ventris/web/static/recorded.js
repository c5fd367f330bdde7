// A page without a server: answers and runs were recorded, and come as scripts beside the page, compressed.
// On a page with a server there is nothing of this, and `recorded` is null.

const about = window.VENTRIS_RECORDED || null;
const parts = new Map(); // room → promise of its records

// Numbers rounded as the recorder does (export.py), names in order: equal questions have equal keys.
function keyOf(path, body) {
  if (!body) return path;
  const names = Object.keys(body).sort();
  return `${path} ${JSON.stringify(names.map((name) => [name, rounded(body[name])]))}`;
}

function rounded(value) {
  if (typeof value === "number") return Number(value.toPrecision(6));
  return Array.isArray(value) ? value.map(rounded) : value;
}

async function unpacked(text) {
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return JSON.parse(await new Response(stream).text());
}

function script(source) {
  return new Promise((done, fail) => {
    const node = document.createElement("script");
    node.src = source;
    node.onload = done;
    node.onerror = () => fail(new Error(`${source} is missing beside the page.`));
    document.head.append(node);
  });
}

function records(room) {
  if (!parts.has(room))
    parts.set(
      room,
      script(`recorded/${room}.js`).then(() => unpacked(window.VENTRIS_RECORDS[room])),
    );
  return parts.get(room);
}

export const recorded = about && {
  rooms: about.rooms,
  version: about.version,
  choices: (room) => about.choices[room] || {},
  async answer(path, body) {
    const room = about.paths[path];
    return room === undefined ? undefined : (await records(room))[keyOf(path, body)];
  },
};
