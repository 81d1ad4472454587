// The memories that wait for a person: one at a time, each decision with one key, and undo.

import { html, useEffect, useRef } from "./library.js";
import { Comparison } from "./diff.js";
import { Badge, Empty, Failure, Fields, Heading, Key, Loading, memoryLink, Places, useData, useKeys, When } from "./parts.js";
import { Edit, Supersede } from "./dialogs.js";
import { decisionsOn, useReview } from "./review.js";
import { counted } from "./words.js";

export function Inbox({ about, onChange }) {
  const review = useReview(onChange);
  const { items, total, item, cursor, dialog, setDialog, told, canUndo, failure, isBusy, select, move, decide, undo } = review;
  const list = useRef(null);
  useEffect(() => {
    const row = list.current && list.current.querySelector("[aria-current]");
    if (row && cursor.hasFocus) row.focus();
  }, [cursor]);

  const actions = item ? decisionsOn(item, decide, setDialog) : [];
  const keys = Object.fromEntries(actions.map(([key, , run]) => [key, run]));
  useKeys({
    j: () => move(1),
    k: () => move(-1),
    u: undo,
    Escape: () => setDialog(""),
    ...(dialog ? {} : { c: keys.a, ...keys }), // who says that changed code is fine may press c as well
  });

  return html`<div class="page">
    <${Heading} title="Inbox">
      <p>${items && `${counted(total, "memory", "memories")} to review`}</p>
      <p class="keys"><${Key} name="j" /> <${Key} name="k" /> move, <${Key} name="u" /> undo</p>
    <//>
    ${
      about && !about.is_person &&
      html`<p class="notice">An agent, or no terminal, started this page: only a person may confirm. Run repomem ui on a terminal.</p>`
    }
    <${Failure} failure=${failure} />
    <${Loading} isLoading=${!items && !failure} />
    ${items && !items.length && html`<${Empty}>Nothing to review.<//>`}
    ${
      item &&
      html`<div class="panes review">
        <ol class="rows list" ref=${list} aria-label="Memories to review" tabindex="-1">
          ${items.map((each, place) => html`<${InboxRow} key=${each.memory.id} item=${each} isCurrent=${place === cursor.at}
            onClick=${() => select(place)} />`)}
          ${total > items.length && html`<li class="muted more">${counted(total - items.length, "more", "more")} when these are decided</li>`}
        </ol>
        <article class="detail" aria-label="The memory to review">
          <${Decision} item=${item} />
          <${Code} id=${item.memory.id} key=${`code ${item.memory.id}`} />
          ${dialog === "edit" && html`<${Edit} key=${item.memory.id} item=${item} onSave=${(given) => decide("edit", given)}
            onClose=${() => setDialog("")} />`}
          ${dialog === "supersede" && html`<${Supersede} key=${item.memory.id} item=${item}
            onPick=${(by) => decide("supersede", { by })} onClose=${() => setDialog("")} />`}
          <div class="actions" role="group" aria-label="Actions">
            ${actions.map(([key, name, run]) => html`<button key=${key} onClick=${run} disabled=${isBusy} aria-keyshortcuts=${key}>
              ${name} <${Key} name=${key} /></button>`)}
          </div>
        </article>
      </div>`
    }
    ${
      told &&
      html`<div class="undo"><span>${told.what}: <q>${told.text}</q></span>
        ${canUndo && html`<button onClick=${undo} disabled=${isBusy} aria-keyshortcuts="u">${told.undo ? "Undo" : "Undo the one before"} <${Key} name="u" /></button>`}</div>`
    }
  </div>`;
}

function InboxRow({ item, isCurrent, onClick }) {
  return html`<li><button class="row" aria-current=${isCurrent ? "true" : undefined} onClick=${onClick}>
    <span class="row-head"><${Badge} name=${item.waits} /> <${Badge} name=${item.memory.kind} />
      <span class="muted">${item.memory.date}</span></span>
    <span class="row-text">${item.memory.text}</span>
  </button></li>`;
}

function Decision({ item }) {
  const { memory } = item;
  const at = item.written_at;
  return html`<div class="content">
    <p class="row-head"><${Badge} name=${item.waits} /> <${Badge} name=${memory.kind} /> <a href=${memoryLink(memory.id)}>${memory.short_id}</a></p>
    <h2 class="text">${item.text}</h2>
    <${Fields} fields=${[
      ["needs review", item.reason],
      ["reason", item.because],
      ["quoted from the session", item.sentence && html`<q>${item.sentence}</q>`],
      ["rejected", item.rejected.join("; ")],
      ["proposed instead", item.proposal && html`<a href=${memoryLink(item.proposal.id)}>${item.proposal.short_id}</a> ${item.proposal.text}`],
      ["on", memory.places.length > 0 && html`<${Places} places=${memory.places} />`],
      ["written", html`<${When} moment=${memory.date} /> by ${memory.author} (${memory.source})`],
      ["at commit", at && html`<code>${at.short}</code> ${at.subject}`],
      ["session", item.session && html`<code>${item.session}</code> ${item.goal}`],
      [item.waits === "gone" ? "deleted by" : "changed by", item.caused_by && html`<code>${item.caused_by.short}</code> ${item.caused_by.subject}, ${item.caused_by.author}, ${item.caused_by.date}`],
    ]} />
  </div>`;
}

function Code({ id }) {
  const { data, isLoading } = useData("memory", { id });
  return html`<div class="content"><${Loading} isLoading=${isLoading} data=${data} />
    ${data && data.code.map((code, at) => html`<${Comparison} key=${at} code=${code} />`)}</div>`;
}
