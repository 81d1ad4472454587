// The code of a memory then and now: side by side, or one below the other where there is no room.

import { html } from "./library.js";
import { Badge } from "./parts.js";
import { counted } from "./words.js";

const RELATIONS = { member: "a member of its code", called: "called by its code", constant: "used by its code" };

export function Comparison({ code }) {
  return html`<section class="comparison" aria-label=${`Code of ${code.then_place}`}>
    <h3><code>${code.then_place}</code> <${Badge} name=${code.status} />
      ${RELATIONS[code.relation] && html`<span class="muted"> ${RELATIONS[code.relation]}</span>`}</h3>
    ${
      code.lines.length === 0
        ? html`<p class="muted">Its code cannot be read any more.</p>`
        : html`<div class=${`pairs ${code.lines.every((line) => line.kind === "same") ? "unchanged" : ""}`} role="table" aria-label="Code then and now">
            <div class="pair head" role="row">
              <div class="then" role="columnheader">then</div>
              <div role="columnheader">${nowTitle(code)}</div>
            </div>
            ${code.lines.map((line, at) => html`<${Pair} key=${at} line=${line} />`)}
          </div>`
    }
    ${code.is_cut && html`<p class="muted">Only the first 400 lines are compared.</p>`}
  </section>`;
}

function nowTitle(code) {
  if (!code.now_place) return "now: deleted";
  if (code.status === "current") return "unchanged";
  const place = code.now_place === code.then_place ? "" : `: ${code.now_place}`;
  const by = code.commit ? `, by ${code.commit}` : code.is_uncommitted ? ", not committed" : "";
  return `now${place}${by}`;
}

function Pair({ line }) {
  if (line.kind === "skipped") {
    return html`<div class="pair skipped" role="row"><div role="cell">${counted(line.skipped, "unchanged line")}</div></div>`;
  }
  return html`<div class=${`pair ${line.kind}`} role="row">
    <${Side} side="then" number=${line.then_line} text=${line.then} isMarked=${line.kind !== "same"} />
    <${Side} side="now" number=${line.now_line} text=${line.now} isMarked=${line.kind !== "same"} />
  </div>`;
}

function Side({ side, number, text, isMarked }) {
  const sign = isMarked && number ? (side === "then" ? "−" : "+") : "";
  return html`<div class=${`side ${side} ${number ? "" : "none"}`} role="cell">
    <span class="line" aria-hidden="true">${number || ""}</span><span class="sign">${sign}</span><code>${text}</code>
  </div>`;
}
