// What several pages are made of.

import { html, useEffect, useRef, useState } from "./library.js";
import { read } from "./source.js";
import { age, day } from "./words.js";

// A value that is read when its question changes: { data, failure, isLoading, reload }. The last value stays meanwhile.
export function useData(name, asked = {}) {
  const [state, setState] = useState({ data: null, failure: null, isLoading: true });
  const [turn, setTurn] = useState(0);
  const question = JSON.stringify(asked);
  useEffect(() => {
    let isCurrent = true;
    setState((before) => ({ ...before, isLoading: true }));
    read(name, asked).then(
      (data) => isCurrent && setState({ data, failure: null, isLoading: false }),
      (failure) => isCurrent && setState({ data: null, failure: asFailure(failure), isLoading: false }),
    );
    return () => {
      isCurrent = false;
    };
  }, [name, question, turn]);
  return { ...state, reload: () => setTurn((before) => before + 1) };
}

export function asFailure(failure) {
  return failure.error ? failure : { error: "repomem ui does not answer", hint: "run repomem ui again" };
}

export function announce(text) {
  const region = document.getElementById("announcer");
  if (!region) return;
  region.textContent = "";
  setTimeout(() => {
    region.textContent = text;
  }, 50); // a change of text is read, the same text is not
}

export const Failure = ({ failure }) =>
  failure && html`<p class="failure" role="alert">${failure.error}${failure.hint && html`. <em>${failure.hint}</em>`}</p>`;

export const Loading = ({ isLoading, data }) => isLoading && !data && html`<p class="muted" role="status">Loading …</p>`;

export const Badge = ({ name }) => html`<span class=${`badge ${name.replace(/\W/g, "-")}`}>${name}</span>`;

export const Empty = ({ children }) => html`<p class="empty">${children}</p>`;

export const Key = ({ name }) => html`<kbd aria-hidden="true">${name}</kbd>`;

export const When = ({ moment }) => html`<time datetime=${moment} title=${moment}>${day(moment)}, ${age(moment)}</time>`;

// The heading of a page, which takes the focus when the page changes (main.js): screen readers start there.
export function Heading({ title, children }) {
  useEffect(() => {
    document.title = `${title} · repomem`;
  }, [title]);
  return html`<div class="heading"><h1 tabindex="-1">${title}</h1>${children}</div>`;
}

export const Fields = ({ fields }) =>
  html`<dl class="fields">
    ${fields.filter(([, value]) => value).map(([name, value]) => html`<div key=${name}><dt>${name}</dt><dd>${value}</dd></div>`)}
  </dl>`;

export const Places = ({ places }) => places.map((place, at) => html`${at > 0 && ", "}<code>${place}</code>`);

export const memoryLink = (id) => `#/memories?id=${encodeURIComponent(id)}`;

// Keys work unless a person types, or a combination belongs to the browser.
export function useKeys(handlers) {
  const latest = useRef(handlers);
  latest.current = handlers;
  useEffect(() => {
    const pressed = (event) => {
      const isTyping = event.target.closest("input, textarea, select, [contenteditable]");
      const handler = latest.current[event.key];
      if (!handler || isTyping || event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
      event.preventDefault();
      handler();
    };
    document.addEventListener("keydown", pressed);
    return () => document.removeEventListener("keydown", pressed);
  }, []);
}
