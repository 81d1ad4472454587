// The state of the index and the memories, and the checks of doctor.

import { html } from "./library.js";
import { Badge, Failure, Fields, Heading, Loading, useData } from "./parts.js";
import { bytes, counted, number } from "./words.js";

const STATES = { current: "up to date", behind: "older than the worktree", missing: "nothing is indexed yet" };

const counts = (values) => Object.entries(values).filter(([, count]) => count).map(([name, count]) => `${name} ${number(count)}`).join(", ");

export function Health() {
  const { data, failure, isLoading } = useData("health");
  return html`<div class="page"><${Heading} title="Health" />
    <${Failure} failure=${failure} /><${Loading} isLoading=${isLoading} data=${data} />
    ${(data || failure) && html`<div class="columns">${data && html`<${Index} status=${data.status} notices=${data.notices} />`}<${MemoryFigures} /><${Checks} /></div>`}</div>`; // these take longer, and would delay the index
}

const Index = ({ status, notices }) => html`<section class="card" aria-label="Index"><h2>Index</h2><${Fields} fields=${[
  ["repository", status.repository],
  ["state", STATES[status.state]],
  ["worktree", status.root],
  ["files", number(status.report.files)],
  ["parts of code", number(status.report.chunks)],
  ["commits", number(status.report.episodes)],
  ["not indexed yet", status.report.missing_files > 0 && counted(status.report.missing_files, "file")],
  ["model", status.serving ? `${status.serving}, ${status.dimensions} dimensions` : "words only"],
  ["on disk", bytes(status.catalog_bytes + status.store_bytes)],
  ["watch", status.watch && (status.watch.is_running ? `process ${status.watch.pid}` : "ended")],
  ["capture model", status.capture && `${status.capture.model}, ${number(status.capture.tokens)} of ${number(status.capture.most)} tokens today`],
  ["notices", notices.join("; ")],
]} /></section>`;

function MemoryFigures() {
  const { data, failure, isLoading } = useData("figures");
  return html`<section class="card" aria-label="Memories in figures"><h2>Memories</h2>
    <${Failure} failure=${failure} /><${Loading} isLoading=${isLoading} data=${data} />${data && html`<${Fields} fields=${figures(data)} />`}</section>`;
}

const figures = (report) => [
  ["shown here", `${counted(report.memories, "memory", "memories")}, ${counted(report.tokens, "token")}`],
  ["hidden here", counts({ ...report.hidden, abandoned: 0 })],
  ["shown as abandoned", report.hidden.abandoned && number(report.hidden.abandoned)],
  ["kinds", counts(report.kinds)],
  ["age", counts(report.ages)],
  ["pinned", number(report.pinned)],
  ["shown in briefs", `${number(report.use.shown)} memories, ${counted(report.use.times, "time")}${report.use.last && `, last on ${report.use.last}`}`],
  ["confirmed", number(report.use.confirmed)],
  ["near-duplicates", number(report.bloat.near_duplicates)],
  ...report.layers.map((layer) => [layer.name, `${number(layer.entries)}; ${layer.lifetime}`]),
];

function Checks() {
  const { data, failure, isLoading } = useData("checks");
  return html`<section class="card" aria-label="Checks"><h2>Checks</h2>
    <${Failure} failure=${failure} />${isLoading && html`<p class="muted" role="status">Checking …</p>`}
    <ul class="checks">${data && data.map((each, at) => html`<li key=${at}><${Badge} name=${each.state} /> <strong>${each.name}</strong>
      <span>${each.text}</span>${each.remedy && html`<span class="muted">→ ${each.remedy}</span>`}</li>`)}</ul></section>`;
}
