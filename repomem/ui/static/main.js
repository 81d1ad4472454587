// The frame of the page: navigation by the address's fragment, and the page that it names.

import { html, render, useEffect, useRef, useState } from "./library.js";
import { hasEvaluation, isReport, read } from "./source.js";
import { Brief } from "./brief.js";
import { Evaluation } from "./evaluation.js";
import { Health } from "./health.js";
import { Inbox } from "./inbox.js";
import { Memories } from "./memories.js";
import { Repository } from "./repository.js";

const LIVE_PAGES = { inbox: ["Inbox", Inbox], memories: ["Memories", Memories], brief: ["Brief", Brief], repository: ["Repository", Repository], evaluation: ["Evaluation", Evaluation], health: ["Health", Health] };
const NOT_IN_REPORTS = ["inbox", "brief", ...(hasEvaluation ? [] : ["evaluation"])];
const PAGES = isReport ? Object.fromEntries(Object.entries(LIVE_PAGES).filter(([name]) => !NOT_IN_REPORTS.includes(name))) : LIVE_PAGES;
const FIRST = Object.keys(PAGES)[0];

function routeNow() {
  const [, name = "", asked = ""] = /^#\/([^?]*)\??(.*)$/.exec(location.hash) || [];
  return { page: Object.hasOwn(PAGES, name) ? name : FIRST, asked: Object.fromEntries(new URLSearchParams(asked)) };
}

function go(page, asked, isSilent = false) {
  const target = `#/${page}?${new URLSearchParams(asked)}`;
  if (isSilent) {
    history.replaceState(null, "", target);
    window.dispatchEvent(new HashChangeEvent("hashchange"));
  } else {
    location.hash = target;
  }
}

function App() {
  const [route, setRoute] = useState(routeNow());
  const [about, setAbout] = useState(null);
  const main = useRef(null);
  const refresh = () => read("about").then(setAbout, () => {});
  useEffect(() => {
    const changed = () => setRoute(routeNow());
    window.addEventListener("hashchange", changed);
    window.addEventListener("focus", refresh);
    refresh();
    return () => {
      window.removeEventListener("hashchange", changed);
      window.removeEventListener("focus", refresh);
    };
  }, []);
  const isFirst = useRef(true);
  useEffect(() => {
    if (isFirst.current) {
      isFirst.current = false;
      return;
    }
    const heading = main.current.querySelector("h1");
    if (heading) heading.focus({ preventScroll: true });
    window.scrollTo(0, 0);
  }, [route.page]);
  const [, Page] = PAGES[route.page];
  return html`
    <a class="skip" href="#main" onClick=${(event) => {
      event.preventDefault();
      main.current.focus();
    }}>Skip to the content</a>
    <header>
      <p class="brand">repomem <span class="muted">${about && `${about.repository}${about.branch && `, ${about.branch}`}`}</span></p>
      <nav aria-label="Pages"><ul>${Object.entries(PAGES).map(([name, [title]]) => html`<li key=${name}>
        <a href=${`#/${name}`} aria-current=${name === route.page ? "page" : undefined}>${title}${
          name === "inbox" && about && about.waiting > 0 && html` <span class="count">${about.waiting}</span>`
        }</a></li>`)}</ul></nav>
    </header>
    <main id="main" ref=${main} tabindex="-1"><${Page} key=${route.page} route=${route} go=${go} about=${about} onChange=${refresh} /></main>
    <div id="announcer" class="hidden" role="status" aria-live="polite"></div>`;
}

render(html`<${App} />`, document.getElementById("page"));
