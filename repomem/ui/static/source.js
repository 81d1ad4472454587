// Where the page reads from: the server that sent it, or the data in an exported report, which cannot be changed.

const embedded = document.getElementById("report");
const report = embedded && JSON.parse(embedded.textContent);

export const isReport = report !== null;
export const hasEvaluation = isReport && report.evaluation.at !== "";

export async function read(name, asked = {}) {
  return report ? readFromReport(name, asked) : answer(await fetch(`api/${name}?${new URLSearchParams(asked)}`));
}

export async function act(action, given) {
  const headers = { "Content-Type": "application/json" };
  return answer(await fetch(`api/act/${action}`, { method: "POST", headers, body: JSON.stringify(given) }));
}

async function answer(response) {
  const type = response.headers.get("Content-Type") || "";
  if (!type.startsWith("application/json")) {
    throw { error: "repomem ui has ended, or this page was opened without its address", hint: "run repomem ui again" };
  }
  const value = await response.json();
  if (!response.ok) throw value;
  return value;
}

function readFromReport(name, asked) {
  if (name === "memories") return listed(asked);
  if (name === "memory") return report.pages[asked.id];
  if (name === "tree") return { ...report.tree, path: asked.path || "", folder: folderAt(asked.path || "") };
  return report[name];
}

function listed(asked) {
  const words = (asked.q || "").toLowerCase().split(/\s+/).filter(Boolean);
  const rows = report.memories.rows.filter(
    (row) =>
      (!asked.kind || row.kind === asked.kind) &&
      (!asked.status || row.status === asked.status) &&
      (!asked.author || row.author === asked.author) &&
      (!asked.since || row.date >= asked.since) &&
      (asked.all || asked.status || ["current", "moved", "drifted", "provisional"].includes(row.status)) &&
      (!asked.on || row.places.some((place) => place.includes(asked.on))) &&
      words.every((word) => row.text.toLowerCase().includes(word)),
  );
  const offset = Number(asked.offset || 0);
  const shown = rows.slice(offset, offset + Number(asked.limit));
  return { ...report.memories, total: rows.length, offset, rows: shown };
}

function folderAt(path) {
  let folder = report.tree.folder;
  for (let next = folder; next; ) {
    folder = next;
    next = folder.entries.find((entry) => entry.is_folder && `${path}/`.startsWith(`${entry.path}/`));
  }
  return folder;
}
