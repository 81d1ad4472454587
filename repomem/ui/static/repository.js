// What the repository is made of, what changes in it, and who worked on it.

import { html } from "./library.js";
import { Badge, Empty, Failure, Heading, Loading, useData } from "./parts.js";
import { Treemap } from "./treemap.js";
import { counted, minute, number } from "./words.js";

export function Repository({ route, go }) {
  const path = route.asked.path || "";
  const tree = useData("tree", { path });
  const { data, failure, isLoading } = useData("repository");
  const open = (folder) => go("repository", folder ? { path: folder } : {});
  return html`<div class="page">
    <${Heading} title="Repository"><p>${data && data.since && `${counted(data.commits, "commit")} since ${data.since}`}</p><//>
    <section aria-label="Map of the files"><h2>Map</h2>
      <${Failure} failure=${tree.failure} /><${Loading} isLoading=${tree.isLoading} data=${tree.data} />
      <${Crumbs} path=${path} open=${open} />
      <p class="legend muted"><span>area: size</span><span>changes in a year: none <i class="shade-0"></i><i class="shade-1"></i><i class="shade-2"></i><i class="shade-3"></i><i class="shade-4"></i> most</span></p>
      ${tree.data && html`<${Treemap} page=${tree.data} onOpen=${open} />`}
    </section>
    <${Failure} failure=${failure} /><${Loading} isLoading=${isLoading} data=${data} />
    ${data && html`<div class="columns"><${Hot} files=${data.hot} /><${Pairs} pairs=${data.pairs} /><${Reverts} reverts=${data.reverts} />
      <${Owners} owners=${data.owners} /></div><${Sessions} sessions=${data.sessions} />`}
  </div>`;
}

function Crumbs({ path, open }) {
  const parts = path.split("/").filter(Boolean);
  return html`<nav class="crumbs" aria-label="Folder"><button onClick=${() => open("")} aria-current=${path ? undefined : "true"}>top</button>
    ${parts.map((name, at) => html`<span key=${at}> / <button aria-current=${at === parts.length - 1 ? "true" : undefined}
      onClick=${() => open(parts.slice(0, at + 1).join("/"))}>${name}</button></span>`)}</nav>`;
}

const Table = ({ title, heads, rows, none }) => html`<section class="card" aria-label=${title}><h2>${title}</h2>
  ${rows.length ? html`<div class="scroll" tabindex="0" role="region" aria-label=${`${title}, table`}><table><thead><tr>${heads.map((head) => html`<th key=${head} scope="col">${head}</th>`)}</tr></thead>
    <tbody>${rows.map((cells, at) => html`<tr key=${at}>${cells.map((cell, place) => html`<td key=${place} class=${typeof cell === "number" ? "number" : ""}>${typeof cell === "number" ? number(cell) : cell}</td>`)}</tr>`)}</tbody></table></div>` : html`<${Empty}>${none}<//>`}
</section>`;

const Hot = ({ files }) => html`<${Table} title="Hot spots" heads=${["file", "changes", "lines"]} none="No file changed in the last year."
  rows=${files.map((file) => [html`<code>${file.path}</code><br /><span class="muted small">${file.authors.map(([name, count]) => `${name} ${count}`).join(", ")}</span>`, file.changes, file.lines])} />`;

const Pairs = ({ pairs }) => html`<${Table} title="Changed together" heads=${["file", "with", "commits"]} none="No two files change together more often than by chance."
  rows=${pairs.map((pair) => [html`<code>${pair.path}</code>`, html`<code>${pair.other}</code>`, `${pair.together} of ${pair.commits}`])} />`;

const Reverts = ({ reverts }) => html`<${Table} title="Reverted changes" heads=${["change", "by"]} none="No reverted change is known."
  rows=${reverts.map((each) => [html`<code>${each.commit}</code> ${each.subject}<br /><code class="muted">${each.path}</code>`, html`<${Badge} name=${each.how} /> <code>${each.by}</code> ${each.date} ${each.by_subject}`])} />`;

const Owners = ({ owners }) => html`<section class="card" aria-label="Owners"><h2>Owners</h2>
  ${owners.length ? html`<ul>${owners.map((owner) => html`<li key=${owner}>${owner}</li>`)}</ul>` : html`<${Empty}>Too few commits to name owners.<//>`}</section>`;

const stateOf = ({ state }) => state.replace(/T(\d\d:\d\d):\d\dZ/, " $1");

const aboutSession = (session) => [minute(session.start), session.author, stateOf(session), counted(session.memories, "memory", "memories"),
  counted(session.commits, "commit"), counted(session.files, "file")].join(", ");

function Sessions({ sessions }) {
  if (!sessions.length) return html`<section class="card" aria-label="Sessions"><h2>Sessions</h2><${Empty}>No session is recorded.<//></section>`;
  const first = Date.parse(sessions[sessions.length - 1].start);
  const span = Math.max(Date.parse(sessions[0].start) - first, 1);
  const place = (session) => `${(98 * (Date.parse(session.start) - first)) / span}%`;
  return html`<section class="card" aria-label="Sessions"><h2>Sessions</h2>
    <div class="strip" aria-hidden="true">${sessions.map((session) => html`<i key=${session.id} style=${{ left: place(session) }} title=${`${minute(session.start)} ${session.goal}`}></i>`)}</div>
    <p class="ends muted" aria-hidden="true"><span>${minute(sessions[sessions.length - 1].start)}</span><span>${minute(sessions[0].start)}</span></p>
    <ol class="rows">${sessions.map((session) => html`<li key=${session.id}><div class="row">
      <span class="row-head"><code>${session.id}</code> <span class="muted">${aboutSession(session)}</span></span>
      <span class="row-text">${session.goal || "(no goal)"}</span>${session.outcome && html`<span class="muted">${session.outcome}</span>`}</div></li>`)}</ol></section>`;
}
