// All memories: filters, a page of rows at a time, and one of them in full.

import { html, useEffect, useRef, useState } from "./library.js";
import { act, isReport } from "./source.js";
import { Edit, Supersede } from "./dialogs.js";
import { Comparison } from "./diff.js";
import { announce, asFailure, Badge, Empty, Failure, Fields, Heading, Loading, memoryLink, Places, useData, When } from "./parts.js";
import { counted, daysAgo, minute, number } from "./words.js";

const ROWS = 100; // rows of a page
const AGES = [["", "any age"], ["7", "last 7 days"], ["30", "last 30 days"], ["365", "last year"]];

export function Memories({ route, go, onChange }) {
  const asked = route.asked;
  const { q = "", kind = "", status = "", on = "", author = "", days = "", all = "", offset = "0" } = asked;
  const since = days ? daysAgo(Number(days)) : "";
  const { data, failure, isLoading, reload } = useData("memories", clean({ q, kind, status, on, author, since, all, offset, limit: ROWS }));
  const set = (changes) => go("memories", clean({ ...asked, id: "", offset: "", ...changes }));
  return html`<div class="page">
    <${Heading} title="Memories"><p>${data && counted(data.total, "memory", "memories")}${isLoading && data && ", loading …"}</p><//>
    <${Filters} asked=${asked} data=${data} set=${set} />
    ${!isReport && html`<${Forgotten} onChange=${() => {
      reload();
      onChange();
    }} />`}
    <${Failure} failure=${failure} />
    <${Loading} isLoading=${isLoading} data=${data} />
    <div class=${`panes ${asked.id ? "has-detail" : "only-list"}`}>
      <section class="list-side" aria-label="List">
        ${data && !data.rows.length && html`<${Empty}>No memory matches.<//>`}
        <ol class="rows">
          ${data && data.rows.map((row) => html`<${MemoryItem} key=${row.id} row=${row} asked=${asked} />`)}
        </ol>
        ${data && html`<${Pages} data=${data} set=${set} />`}
      </section>
      ${asked.id && html`<${OneMemory} key=${asked.id} id=${asked.id} back=${() => set({ offset })}
        onChange=${() => {
          reload();
          onChange();
        }} />`}
    </div>
  </div>`;
}

function Forgotten({ onChange }) {
  const [isOpen, setIsOpen] = useState(false);
  return html`<details class="session" onToggle=${(event) => setIsOpen(event.target.open)}><summary>Forgotten memories</summary>
    ${isOpen && html`<${ForgottenRows} onChange=${onChange} />`}</details>`;
}

function ForgottenRows({ onChange }) {
  const { data, failure, isLoading, reload } = useData("forgotten");
  const [problem, setProblem] = useState(null);
  const restore = (id) =>
    act("restore", { id }).then(
      (done) => {
        announce(done.what);
        reload();
        onChange();
      },
      (error) => setProblem(asFailure(error)),
    );
  return html`<div class="content"><${Failure} failure=${failure || problem} /><${Loading} isLoading=${isLoading} data=${data} />
    ${data && !data.length && html`<${Empty}>Nothing was forgotten.<//>`}
    <ol class="rows">${data && data.map((row) => html`<li key=${row.id}><div class="row">
      <span class="row-head"><${Badge} name=${row.kind} /> <span class="muted">${row.date} ${row.author}</span></span>
      <span class="row-text">${row.text}</span>
      <span><button onClick=${() => restore(row.id)} aria-label=${`Restore: ${row.text}`}>Restore</button></span></div></li>`)}</ol></div>`;
}

const clean = (values) => Object.fromEntries(Object.entries(values).filter(([, value]) => value !== ""));

function Filters({ asked, data, set }) {
  const [question, setQuestion] = useState(asked.q || "");
  const [path, setPath] = useState(asked.on || "");
  const search = (event) => {
    event.preventDefault();
    set({ q: question, on: path });
  };
  const choice = (name, label, options) => html`<label>${label}
    <select name=${name} value=${asked[name] || ""} onChange=${(event) => set({ [name]: event.target.value })}>
      ${options.map(([value, text]) => html`<option key=${value} value=${value} selected=${value === (asked[name] || "")}>${text}</option>`)}
    </select></label>`;
  const named = (values, every) => [["", every], ...(values || []).map((value) => [value, value])];
  return html`<form class="filters" role="search" aria-label="Filter memories" onSubmit=${search}>
    <label class="wide">Question or words <input type="search" name="q" value=${question} onInput=${(event) => setQuestion(event.target.value)} /></label>
    <label>Path or symbol <input name="on" value=${path} onInput=${(event) => setPath(event.target.value)} /></label>
    ${choice("kind", "Kind", named(data && data.kinds, "all kinds"))}
    ${choice("status", "Status", named(data && data.statuses, "any status"))}
    ${choice("author", "Author", named(data && data.authors, "everybody"))}
    ${choice("days", "Age", AGES)}
    <label class="check"><input type="checkbox" checked=${asked.all === "1"} onChange=${(event) => set({ all: event.target.checked ? "1" : "" })} /> superseded and archived ones too</label>
    <button class="primary">Filter</button>
  </form>`;
}

function MemoryItem({ row, asked }) {
  const target = `#/memories?${new URLSearchParams({ ...asked, id: row.id })}`;
  return html`<li><a class="row" href=${target} aria-current=${asked.id === row.id ? "true" : undefined}>
    <span class="row-head"><${Badge} name=${row.kind} /> ${row.status !== "current" && html`<${Badge} name=${row.status} />`}
      ${row.is_pinned && html`<${Badge} name="pinned" />`} ${row.is_mine && html`<${Badge} name="yours" />`}
      <span class="muted">${row.date} ${row.author}</span></span>
    <span class="row-text">${row.text}</span>
    ${row.places.length > 0 && html`<span class="muted places"><${Places} places=${row.places.slice(0, 3)} /></span>`}
  </a></li>`;
}

function Pages({ data, set }) {
  if (data.total <= ROWS) return null;
  const last = Math.min(data.offset + ROWS, data.total);
  const to = (offset) => () => {
    set({ offset: offset ? String(offset) : "" });
    window.scrollTo(0, 0);
  };
  return html`<nav class="pages" aria-label="Pages of the list">
    <button disabled=${data.offset === 0} onClick=${to(Math.max(data.offset - ROWS, 0))}>Previous</button>
    <span>${number(data.offset + 1)}–${number(last)} of ${number(data.total)}</span>
    <button disabled=${last >= data.total} onClick=${to(last)}>Next</button>
  </nav>`;
}

function OneMemory({ id, back, onChange }) {
  const { data, failure, isLoading, reload } = useData("memory", { id });
  const [done, setDone] = useState(null);
  const [problem, setProblem] = useState(null);
  const [dialog, setDialog] = useState(""); // edit, supersede, or none
  const article = useRef(null);
  useEffect(() => {
    if (data) article.current.focus({ preventScroll: false });
  }, [data && data.memory.id]);
  async function run(action, given) {
    setProblem(null);
    try {
      const result = await act(action, given);
      setDialog("");
      announce(result.what);
      setDone(action === "undo" ? null : result);
      if (action !== "forget") reload();
      onChange();
    } catch (error) {
      setProblem(asFailure(error));
    }
  }
  const isGone = done && done.what === "forgotten";
  return html`<article class="detail" ref=${article} tabindex="-1" aria-label="One memory">
    <p class="back"><button onClick=${back}>Close</button></p>
    <${Failure} failure=${failure || problem} /><${Loading} isLoading=${isLoading} data=${data} />
    ${done && html`<div class="undo"><span>${done.what}</span>${done.undo && html`<button onClick=${() => run("undo", { key: done.undo })}>Undo</button>`}</div>`}
    ${data && html`<${MemoryContent} page=${data} />`}
    ${data && !isReport && !isGone && html`<div class="actions" role="group" aria-label="Actions">
      ${["provisional", "denied"].includes(data.memory.status) && html`<button onClick=${() => run("confirm", { id })}>Confirm</button>`}
      ${data.memory.status === "drifted" && html`<button onClick=${() => run("anchor", { id })}>Confirm on the code as it is now</button>`}
      ${["archived", "grouped"].includes(data.memory.status) && html`<button onClick=${() => run("restore", { id })}>Restore</button>`}
      <button onClick=${() => setDialog("edit")}>Edit</button>
      <button onClick=${() => setDialog("supersede")}>Supersede by another</button>
      <button onClick=${() => run("forget", { id })}>Forget</button></div>`}
    ${data && dialog === "edit" && html`<${Edit} item=${{ memory: data.memory, text: data.text, because: data.why }}
      onSave=${(given) => run("edit", { id, ...given })} onClose=${() => setDialog("")} />`}
    ${data && dialog === "supersede" && html`<${Supersede} item=${data} onPick=${(by) => run("supersede", { id, by })} onClose=${() => setDialog("")} />`}
    ${data && html`<${Timeline} entries=${data.timeline} />`}
    ${data && data.code.map((code, at) => html`<${Comparison} key=${at} code=${code} />`)}
  </article>`;
}

const linked = (pairs) => pairs.length > 0 && pairs.map(([name, text]) => html`<span class="item"><a href=${memoryLink(name)}>${name}</a> ${text}</span>`);

function MemoryContent({ page }) {
  const { memory } = page;
  return html`<div class="content">
    <p class="row-head"><${Badge} name=${memory.kind} /> <${Badge} name=${memory.status} /> <code>${memory.short_id}</code></p>
    <h2 class="text">${page.text}</h2>
    <${Fields} fields=${[
      ["reason", page.why],
      ["quoted from the session", page.sentence && html`<q>${page.sentence}</q>`],
      ["rejected", page.rejected.join("; ")],
      ["status", page.status_reason],
      ["on", memory.places.length > 0 && html`<${Places} places=${memory.places} />`],
      ["scope", page.scope.join(", ")],
      ["importance", `${page.importance} of 5`],
      ["written", html`<${When} moment=${memory.date} /> by ${memory.author} (${memory.source})`],
      ["visible", page.visible],
      ["hidden", page.hidden],
      ["session", page.session && `${page.session} ${page.goal}`],
      ["replaces", linked(page.replaces)],
      ["replaced by", linked(page.replaced_by)],
      ["proposed replacement", linked(page.proposed)],
      ["proposed to replace", linked(page.contests)],
      ["earlier values", page.earlier.join(", ")],
      ["also recorded as", page.group.join("; ")],
      ["shown in briefs", `${counted(page.times_shown, "time")}; ${page.last_of_use ? `last acted on ${page.last_of_use}` : "no recorded session acted on it"}`],
    ]} />
  </div>`;
}

const Timeline = ({ entries }) => html`<section aria-label="Timeline"><h3>Timeline</h3>
  <ol class="timeline">${entries.map((each, at) => html`<li key=${at}><time datetime=${each.at}>${minute(each.at)}</time>
    <span><${Badge} name=${each.what} /> ${each.by} <span class="muted">${each.text}</span></span></li>`)}</ol></section>`;
