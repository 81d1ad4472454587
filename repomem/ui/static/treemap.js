// A squarified treemap (Bruls, Huizing, van Wijk 2000) of one folder: area by size, shade by changes.

import { html, useEffect, useRef, useState } from "./library.js";
import { bytes, counted } from "./words.js";

const SHADES = 5;
const INNER = 18; // pixels of a folder's title
const LEAST = 46; // pixels: smaller boxes have no text

// Boxes { entry, x, y, width, height } that fill a rectangle; sizes are positive and descending.
export function squarified(entries, x, y, width, height) {
  const total = entries.reduce((sum, entry) => sum + entry.size, 0);
  const boxes = [];
  let rest = entries.filter((entry) => entry.size > 0);
  const scale = total ? (width * height) / total : 0;
  while (rest.length && width > 0 && height > 0) {
    const side = Math.min(width, height);
    let count = 1;
    while (count < rest.length && worst(rest.slice(0, count + 1), side, scale) <= worst(rest.slice(0, count), side, scale)) count += 1;
    const row = rest.slice(0, count);
    const thick = (row.reduce((sum, entry) => sum + entry.size, 0) * scale) / side;
    let at = 0;
    for (const entry of row) {
      const long = (entry.size * scale) / thick;
      boxes.push(width >= height ? { entry, x, y: y + at, width: thick, height: long } : { entry, x: x + at, y, width: long, height: thick });
      at += long;
    }
    if (width >= height) [x, width] = [x + thick, width - thick];
    else [y, height] = [y + thick, height - thick];
    rest = rest.slice(count);
  }
  return boxes;
}

function worst(row, side, scale) {
  const areas = row.map((entry) => entry.size * scale);
  const sum = areas.reduce((one, other) => one + other, 0);
  return Math.max((side * side * areas[0]) / (sum * sum), (sum * sum) / (side * side * areas[areas.length - 1]));
}

export function Treemap({ page, onOpen }) {
  const box = useRef(null);
  const [width, setWidth] = useState(0);
  useEffect(() => {
    const observer = new ResizeObserver(([seen]) => setWidth(seen.contentRect.width));
    observer.observe(box.current);
    return () => observer.disconnect();
  }, []);
  const height = Math.round(Math.min(Math.max(width * 0.5, 320), 640));
  const most = Math.max(1, ...leaves(page.folder).map(density));
  const outer = squarified(page.folder.entries, 0, 0, width, height);
  return html`<div class="treemap" ref=${box} style=${{ height: `${height}px` }} role="group" aria-label="Files by size and change">
    ${width > 0 && outer.map((each) => html`<${Box} key=${each.entry.name} box=${each} most=${most} onOpen=${onOpen} />`)}
  </div>`;
}

const leaves = (folder) => folder.entries.flatMap((entry) => (entry.entries.length ? leaves(entry) : [entry]));

const density = (entry) => entry.changes / Math.max(entry.files, 1);

const shade = (entry, most) => (entry.changes ? Math.max(1, Math.ceil((SHADES - 1) * Math.sqrt(density(entry) / most))) : 0);

const label = (entry) => `${entry.path || entry.name}: ${bytes(entry.size)}, ${counted(entry.files, "file")}, ${counted(entry.changes, "change")}`;

const spot = ({ x, y, width, height }) => ({ left: `${x}px`, top: `${y}px`, width: `${Math.max(width - 1, 0)}px`, height: `${Math.max(height - 1, 0)}px` });

function Box({ box, most, onOpen }) {
  const { entry, width, height } = box;
  const hasInner = entry.entries.length > 0 && width > 2 * LEAST && height > LEAST + INNER;
  const isLabelled = width > LEAST && height > INNER;
  if (!entry.is_folder) {
    return html`<div class=${`box shade-${shade(entry, most)}`} style=${spot(box)} title=${label(entry)}>${isLabelled && entry.name}</div>`;
  }
  const inner = hasInner ? squarified(entry.entries, 0, INNER, width - 1, height - INNER - 1) : [];
  return html`<div class=${`box folder ${hasInner ? "has-inner" : `shade-${shade(entry, most)}`}`} style=${spot(box)} onClick=${() => onOpen(entry.path)}>
    <button title=${label(entry)} aria-label=${`Open ${label(entry)}`}>${isLabelled && `${entry.name}/`}</button>
    ${inner.map((each) => html`<div key=${each.entry.name} class=${`box shade-${shade(each.entry, most)}`} style=${spot(each)} title=${label(each.entry)}>
      ${each.width > LEAST && each.height > INNER && `${each.entry.name}${each.entry.is_folder ? "/" : ""}`}</div>`)}
  </div>`;
}
