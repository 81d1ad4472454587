// Forms of the inbox: edit a memory, and pick the one that replaces it.

import { html, useEffect, useRef, useState } from "./library.js";
import { Badge, Empty, Failure, Key, useData } from "./parts.js";

// The first field of a form, which has the focus; when the form is closed, what had it before has it again.
function useFocus() {
  const field = useRef(null);
  useEffect(() => {
    const before = document.activeElement;
    field.current.focus();
    field.current.form.scrollIntoView({ block: "nearest" });
    return () => before && before.isConnected && before.focus();
  }, []);
  return field;
}

const closing = (onClose) => (event) => {
  if (event.key === "Escape") onClose();
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) event.currentTarget.requestSubmit();
};

export function Edit({ item, onSave, onClose }) {
  const field = useFocus();
  const [text, setText] = useState(item.text);
  const [why, setWhy] = useState(item.because);
  const places = item.memory.places.join("\n");
  const [on, setOn] = useState(places);
  const save = (event) => {
    event.preventDefault();
    onSave({ text, why, ...(on === places ? {} : { on }) });
  };
  return html`<form class="dialog" aria-label="Edit" onSubmit=${save} onKeyDown=${closing(onClose)}>
    <label>Text <textarea ref=${field} rows="4" maxlength="4000" required value=${text} onInput=${(event) => setText(event.target.value)} /></label>
    <label>Reason <input value=${why} maxlength="4000" onInput=${(event) => setWhy(event.target.value)} /></label>
    <label>Code: a PATH or PATH:SYMBOL on each line <textarea name="on" rows="2" maxlength="4000" value=${on} onInput=${(event) => setOn(event.target.value)} /></label>
    <p class="muted">Saves a new memory, which supersedes this one.</p>
    <div class="actions"><button class="primary">Save <${Key} name="Ctrl+Enter" /></button><button type="button" onClick=${onClose}>Cancel <${Key} name="Esc" /></button></div>
  </form>`;
}

export function Supersede({ item, onPick, onClose }) {
  const field = useFocus();
  const [question, setQuestion] = useState(item.memory.text);
  const { data, failure } = useData("memories", { q: question, limit: 8 });
  useEffect(() => {
    if (data) field.current.form.scrollIntoView({ block: "start" }); // it has grown by what was found
  }, [data !== null]);
  const others = data ? data.rows.filter((row) => row.id !== item.memory.id) : [];
  return html`<form class="dialog" aria-label="Supersede by another memory" onSubmit=${(event) => event.preventDefault()} onKeyDown=${closing(onClose)}>
    <label>Find the memory that replaces it <input ref=${field} type="search" value=${question} onInput=${(event) => setQuestion(event.target.value)} /></label>
    <${Failure} failure=${failure} />
    <ul class="rows">${others.map((row) => html`<li key=${row.id}><button type="button" class="row" onClick=${() => onPick(row.id)}>
      <span class="row-head"><${Badge} name=${row.kind} /> <${Badge} name=${row.status} /></span><span class="row-text">${row.text}</span></button></li>`)}</ul>
    ${data && !others.length && html`<${Empty}>No other memory matches.<//>`}
    <div class="actions"><button type="button" onClick=${onClose}>Cancel <${Key} name="Esc" /></button></div>
  </form>`;
}
