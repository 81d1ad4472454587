// The last evaluation: how well briefs predicted the files of past commits.

import { html } from "./library.js";
import { Empty, Failure, Heading, Loading, useData } from "./parts.js";
import { counted, minute, number } from "./words.js";

export function Evaluation() {
  const { data, failure, isLoading } = useData("evaluation");
  return html`<div class="page">
    <${Heading} title="Evaluation">${data && data.at && html`<p>${counted(data.commits.length, "commit")} replayed up to <code>${data.head}</code>,
      ${" "}${minute(data.at)}, briefs of ${number(data.budget)} tokens</p>`}<//>
    <${Failure} failure=${failure} /><${Loading} isLoading=${isLoading} data=${data} />
    ${data && !data.at && html`<${Empty}>No evaluation is saved. <code>repomem eval</code> replays your newest commits and measures whether briefs name the files that they changed.<//>`}
    ${data && data.at && html`<div class="columns">${data.tables.map((table) => html`<${Figures} key=${table.title} table=${table} />`)}
      <section class="card" aria-label="Notes"><h2>Notes</h2><ul class="notes">${data.notes.map((note) => html`<li key=${note}>${note}</li>`)}</ul></section>
      <${Commits} page=${data} /></div>`}
  </div>`;
}

// On a narrow screen each row is a block: its label, then each figure with its head.
const Figures = ({ table }) => html`<section class="card" aria-label=${table.title}><h2>${table.title}</h2>
  <table class="figures"><thead><tr>${table.heads.map((head, at) => html`<th key=${at} scope="col">${head}</th>`)}</tr></thead>
    <tbody>${table.rows.map((row) => html`<tr key=${row[0]} class=${row[0] === "brief" ? "ours" : ""}>${row.map((cell, at) => html`<td key=${at}
      class=${at ? "number" : ""} data-head=${table.heads[at]}>${cell}</td>`)}</tr>`)}</tbody></table></section>`;

const Commits = ({ page }) => html`<section class="card" aria-label="Commits"><h2>Each commit, newest first: recall@10</h2>
  <ol class="rows">${page.commits.map((commit) => html`<li key=${commit.short}><div class="row">
    <span class="row-head"><code>${commit.short}</code> <span class="muted">${commit.date}, brief</span> <strong>${commit.brief.toFixed(2)}</strong>
      <span class="muted">${page.baseline} ${commit.baseline.toFixed(2)}, ${counted(commit.tokens, "token")}</span></span>
    <span class="row-text">${commit.subject}</span>
    <span class="muted places">${commit.files.map((file, at) => html`${at > 0 && ", "}<code>${file}</code>`)}</span></div></li>`)}</ol></section>`;
