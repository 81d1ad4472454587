// The state of a review: what waits, where the person is, the decisions, and their undo, the newest first.

import { useEffect, useRef, useState } from "./library.js";
import { act, read } from "./source.js";
import { announce, asFailure } from "./parts.js";

const AT_ONCE = 200; // memories read at once

export function useReview(onChange) {
  const [waiting, setWaiting] = useState({ items: null, total: 0 });
  const [cursor, setCursor] = useState({ at: 0, hasFocus: false });
  const [dialog, setDialog] = useState(""); // edit, supersede, or none
  const [made, setMade] = useState([]); // the decisions that are not undone, oldest first
  const [told, setTold] = useState(null); // the result of the last decision or undo: { what, text }
  const [failure, setFailure] = useState(null);
  const [isBusy, setIsBusy] = useState(false);
  const item = waiting.items && waiting.items[cursor.at];
  const isDeciding = useRef(false); // the same as isBusy, at once
  const current = useRef(""); // the id of the item
  current.current = item ? item.memory.id : "";

  const inbox = () => read("inbox", { limit: AT_ONCE });

  const load = async (wanted, hasFocus) => show(await inbox(), wanted, hasFocus);

  function show(found, wanted = "", hasFocus = false) {
    const place = found.items.findIndex((each) => each.memory.id === (wanted || current.current));
    const last = Math.max(found.items.length - 1, 0);
    setWaiting(found);
    setCursor((before) => ({ at: place >= 0 ? place : Math.min(before.at, last), hasFocus }));
  }

  async function attempt(work) {
    if (isDeciding.current) return;
    isDeciding.current = true;
    setIsBusy(true);
    setFailure(null);
    try {
      await work();
    } catch (error) {
      setFailure(asFailure(error));
    }
    isDeciding.current = false;
    setIsBusy(false);
  }

  useEffect(() => {
    attempt(() => load());
  }, []);

  useEffect(() => {
    // Code may have changed while another window was in front. A decision in progress reads the inbox itself.
    const returned = () => inbox().then((found) => isDeciding.current || show(found), () => {});
    window.addEventListener("focus", returned);
    return () => window.removeEventListener("focus", returned);
  }, []);

  function select(at, hasFocus = false) {
    setDialog("");
    setCursor({ at, hasFocus });
  }

  function move(step) {
    if (item) select(Math.min(Math.max(cursor.at + step, 0), waiting.items.length - 1), true);
  }

  const decide = (action, given = {}) =>
    attempt(async () => {
      const result = await act(action, { id: item.memory.id, ...given });
      setDialog("");
      const decision = { ...result, id: item.memory.id, text: given.text || item.memory.text };
      setMade((before) => [...before, decision]);
      setTold(decision);
      announce(`${result.what}. ${result.undo ? "Press u to undo." : ""}`);
      await load("", true);
      onChange();
    });

  const undo = () =>
    attempt(async () => {
      const last = made[made.length - 1];
      if (!last) throw { error: "nothing to undo" };
      await act("undo", { key: last.undo });
      announce(`undone: ${last.what}`);
      setDialog("");
      setMade((before) => before.slice(0, -1));
      setTold({ what: `undone: ${last.what}`, text: last.text });
      await load(last.id, true);
      onChange();
    });

  const canUndo = made.length > 0 && made[made.length - 1].undo !== "";
  return { ...waiting, item, cursor, dialog, setDialog, told, canUndo, failure, isBusy, select, move, decide, undo };
}

// The decisions that settle what a memory waits for: key, name and what to run.
export function decisionsOn(item, decide, setDialog) {
  const isContested = item.proposal !== null;
  const hasChanged = ["drifted", "gone"].includes(item.waits);
  return [
    ["c", "Confirm", () => decide("confirm"), !isContested && !hasChanged],
    ["c", "Keep it, forget the proposal", () => decide("keep"), isContested],
    ["a", "Confirm on the code as it is now", () => decide("anchor"), item.can_anchor && hasChanged],
    ["s", "Take the proposal", () => decide("take"), isContested],
    ["s", "Supersede by another", () => setDialog("supersede"), !isContested],
    ["e", "Edit", () => setDialog("edit"), true],
    ["d", "Done", () => decide("done"), item.memory.kind === "thread"],
    ["f", "Forget", () => decide("forget"), true],
    ["n", "Noise: forget, capture nothing similar", () => decide("noise"), true],
  ].filter(([, , , isPossible]) => isPossible);
}
