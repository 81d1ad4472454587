// The brief for a task as an agent gets it, and the briefs that hooks have delivered.

import { html, useEffect, useState } from "./library.js";
import { Badge, Empty, Failure, Heading, Loading, memoryLink, useData } from "./parts.js";
import { counted, minute, number } from "./words.js";

const GATES = { use: "relevant", limited: "weak matches", none: "not about this repository" };
const WAIT = 250; // milliseconds without a change before a brief is asked for

export function Brief({ about, route, go }) {
  const [task, setTask] = useState(route.asked.task || "");
  const [budget, setBudget] = useState(Number(route.asked.budget || (about && about.budget) || 1500));
  useEffect(() => {
    if (!route.asked.budget && about) setBudget(about.budget);
  }, [about && about.budget]);
  useEffect(() => {
    const timer = setTimeout(() => {
      if (task !== (route.asked.task || "") || String(budget) !== (route.asked.budget || "")) {
        go("brief", { ...(task ? { task } : {}), budget: String(budget) }, true);
      }
    }, WAIT);
    return () => clearTimeout(timer);
  }, [task, budget]);
  const asked = route.asked.budget ? { task: route.asked.task || "", budget: route.asked.budget } : null;
  return html`<div class="page">
    <${Heading} title="Brief"><p>What an agent gets for a task, and why.</p><//>
    <form class="task" onSubmit=${(event) => event.preventDefault()}>
      <label>Task <textarea name="task" rows="2" maxlength="10000" value=${task} onInput=${(event) => setTask(event.target.value)}
        placeholder="fix the retry backoff; empty: the map of the repository" /></label>
      <label class="slider"><span class="muted">Budget: <output>${number(budget)} tokens</output></span>
        <input type="range" name="budget" min="200" max="8000" step="100" value=${budget}
          onInput=${(event) => setBudget(Number(event.target.value))} /></label>
    </form>
    ${asked && html`<${Preview} asked=${asked} />`}
    <${Delivered} />
  </div>`;
}

function Preview({ asked }) {
  const { data, failure, isLoading } = useData("brief", asked);
  if (!data) return html`<div><${Failure} failure=${failure} /><${Loading} isLoading=${isLoading} data=${data} /></div>`;
  const shown = data.lines.filter((line) => line.is_shown);
  const nearly = data.lines.filter((line) => !line.is_shown);
  const omitted = data.omitted.reduce((sum, [, count]) => sum + count, 0);
  return html`<section class="preview" aria-label="The brief" aria-busy=${isLoading}>
    <p class="budget"><meter min="0" max=${data.budget} value=${data.tokens} aria-label="Tokens of the budget"></meter>
      <strong role="status">${number(data.tokens)} of ${number(data.budget)} tokens</strong>
      <span class="muted">${GATES[data.gate]}: ${data.gate_reason}${omitted > 0 && `; ${counted(omitted, "item")} did not fit`}</span></p>
    ${!shown.length && html`<${Empty}>Nothing fits in this budget.<//>`}
    <ol class="lines">${shown.map((line, at) => html`<${Line} key=${at} line=${line} />`)}</ol>
    ${nearly.length > 0 && html`<h2>Not shown, but close</h2><ol class="lines">${nearly.map((line, at) => html`<${Line} key=${at} line=${line} />`)}</ol>`}
  </section>`;
}

function Line({ line }) {
  return html`<li class=${line.why ? "explained" : ""}>
    <span class="line-text">${line.text || " "}${line.why && html`<span class="why">${line.why}${
      line.memory && html` · <a href=${memoryLink(line.memory)}>memory</a>`
    }</span>`}</span>
    <span class="tokens" title="tokens">${line.is_shown && line.text ? line.tokens : ""}</span></li>`;
}

function Delivered() {
  const { data, failure, isLoading } = useData("deliveries");
  return html`<section aria-label="Delivered briefs"><h2>Delivered in the last 30 days</h2>
    <${Failure} failure=${failure} /><${Loading} isLoading=${isLoading} data=${data} />
    ${data && !data.length && html`<${Empty}>No hook has recorded a delivery: repomem agents install sets hooks up.<//>`}
    ${data && data.map((each) => html`<${DeliveredSession} key=${`${each.last} ${each.session}`} session=${each} />`)}
  </section>`;
}

function DeliveredSession({ session }) {
  const tokens = session.deliveries.reduce((sum, each) => sum + each.tokens, 0);
  return html`<details class="session"><summary>${minute(session.last)} ${session.host}${" "}
    <span class="muted">${session.session}, ${counted(session.deliveries.length, "delivery", "deliveries")}, ${counted(tokens, "token")}</span></summary>
    <ol class="rows">${session.deliveries.map((each, at) => html`<li key=${at}><div class="row">
      <span class="row-head"><${Badge} name=${each.event} /> ${each.is_silent && html`<${Badge} name="not shown" />`}
        <span class="muted">${minute(each.at)}, ${counted(each.tokens, "token")} ${each.agent}</span></span>
      ${each.memories.map((row) => html`<span key=${row.id} class="item"><a href=${memoryLink(row.id)}>${row.short_id}</a> ${row.text}
        ${each.of_use.includes(row.id) && html` <${Badge} name="acted on" />`}</span>`)}
      ${each.paths.map((path) => html`<span key=${path} class="item"><code>${path}</code>${each.of_use.includes(path) && html` <${Badge} name="acted on" />`}</span>`)}
    </div></li>`)}</ol></details>`;
}
