// Assess and Nuggets: an update, the nuggets of its topic, and which of them it says.
import { actsWhile, ask, attempt, bdi, byId, characters, command, get, main, make, marked, offers, page, piece, post, progress, recall, remember, say, topic } from "/desk.js";

const writing = page === "nuggets";
let shown = null;         // what the desk gave
let chosen = new Map();   // the nuggets that the update says, with their words
let current = null;       // the nugget that keys speak of
let span = null;          // the words being marked, while they are
let filter = "";
let suggest = recall("suggest") !== "off";
let changed = false;
const past = [];          // the items that were shown, to go back to
const drafts = new Map(); // what was chosen and not saved

const update = make("section", { "aria-labelledby": "update-title" });
const nuggets = make("section", { "aria-labelledby": "nuggets-title" });
const search = make("input", { type: "search", "aria-label": "Search nuggets", placeholder: "Search nuggets" });
const list = make("ol", { class: "nuggets" });
const note = make("input", { id: "note", maxlength: 2000 });
const text = make("p", { class: "text", id: "text" });
const before = make("ol", { class: "stream" });
const after = make("ol", { class: "stream" });
const now = make("ol", { class: "stream" });
const empty = make("p", { class: "lack" });
const hints = make("button", { type: "button", class: "tool" });

actsWhile(() => shown !== null);
const save = command("Enter", "Save and go on", () => saved());
save.classList.add("first");
const tools = make("div", { class: "tools", role: "toolbar", "aria-label": "Work on the update" },
  save,
  command("k", "Previous", () => previous(), { always: true }),
  command("j", "Next", () => next()),
  command("x", "No nugget", () => { chosen.clear(); touch(); say("this update says no nugget; Enter saves it"); }),
  command("s", "Mark words", () => markWords()),
  command("n", "Note", () => note.focus()),
  command("/", "Search", () => { search.focus(); search.select(); }),
  command("u", "Undo", () => undone(), { always: true }));
if (writing) {
  tools.append(
    command("w", "Write a nugget", () => wrote()),
    command("e", "Edit the nugget", () => edited()));
}
for (let digit = 1; digit <= 9; digit += 1) {
  command(String(digit), "Choose the nugget of this number, or not", () => {
    const each = visible()[digit - 1];
    if (each) toggle(each.nugget);
  });
}
command("ArrowDown", "Next nugget", () => move(1), { shown: "↓" });
command("ArrowUp", "Previous nugget", () => move(-1), { shown: "↑" });

function touch() {
  changed = true;
  render();
}

function visible() {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  const found = shown.nuggets.filter((each) => words.every((word) => each.text.toLowerCase().includes(word)));
  if (!suggest || writing) return found;
  const rank = (each) => each.suggested ?? Infinity;
  return found.map((each, at) => ({ each, at })).sort((a, b) => {
    const by = rank(a.each) - rank(b.each);
    return Number.isNaN(by) || by === 0 ? a.at - b.at : by;
  }).map(({ each }) => each);
}

function toggle(name) {
  if (chosen.has(name)) chosen.delete(name);
  else chosen.set(name, {});
  current = name;
  touch();
}

function move(step) {
  const names = visible().map((each) => each.nugget);
  if (!names.length) return;
  const at = names.indexOf(current);
  current = names[at < 0 ? (step > 0 ? 0 : names.length - 1) : Math.min(names.length - 1, Math.max(0, at + step))];
  renderNuggets();
  byId(`nugget-${current}`)?.focus();
}

// What is shown.

function brief(each) {
  return make("li", {}, make("time", {}, each.time), make("p", { class: "text" }, bdi(each.text)));
}

function renderText() {
  if (span) {
    const words = wordsOf(shown.text);
    const parts = [];
    let at = 0;
    words.forEach((word, number) => {
      parts.push(piece(shown.text, at, word.start));
      const inside = span.first <= number && number <= span.last;
      parts.push(make("span", { class: inside ? "word in" : "word" }, piece(shown.text, word.start, word.end)));
      at = word.end;
    });
    parts.push(piece(shown.text, at));
    text.replaceChildren(...parts);
    return;
  }
  const spans = [...chosen.values()].filter((each) => Number.isInteger(each.start)).map((each) => [each.start, each.end]);
  text.replaceChildren(...marked(shown.text, spans));
}

function renderNuggets() {
  if (!shown) return;
  const rows = visible().map((each, at) => {
    const box = make("input", { type: "checkbox", id: `nugget-${each.nugget}` });
    box.checked = chosen.has(each.nugget);
    box.addEventListener("change", () => { toggle(each.nugget); byId(box.id)?.focus(); });
    box.addEventListener("focus", () => {
      if (current === each.nugget) return;
      current = each.nugget;
      for (const row of list.children) row.classList.toggle("current", row.dataset.nugget === current);
    });
    const words = chosen.get(each.nugget);
    const about = [];
    if (writing) about.push(`${each.time}${each.set ? ", set" : ""}`, `weight ${each.importance}`);
    if (words && Number.isInteger(words.start)) about.push(`“${piece(shown.text, words.start, words.end)}”`);
    const hint = suggest && !writing && each.suggested !== null ? make("span", { class: "about hint" }, " suggested") : null;
    const row = make("li", { class: each.nugget === current ? "current" : "", "data-nugget": each.nugget },
      at < 9 ? make("kbd", { class: "number", "aria-hidden": "true" }, String(at + 1)) : make("span", { class: "number" }),
      box,
      make("label", { for: box.id }, bdi(each.text), hint, about.length ? make("span", { class: "about" }, ` ${about.join(" · ")}`) : null));
    if (writing) {
      const edit = make("button", { type: "button", class: "tool", "aria-label": `Edit: ${each.text}` }, "Edit");
      edit.addEventListener("click", () => { current = each.nugget; attempt(edited); });
      row.append(edit);
    }
    return row;
  });
  list.replaceChildren(...rows);
  empty.textContent = shown.nuggets.length ? (rows.length ? "" : "No nugget has these words.")
    : writing ? "No nuggets yet: w writes one that this update says." : "No nuggets yet: write them on the page Nuggets.";
  empty.hidden = !empty.textContent;
}

function render() {
  if (!shown) return;
  renderText();
  renderNuggets();
}

async function show(told) {
  shown = told.reading;
  progress(writing || !shown ? `${told.left} left` : `${told.left} left to read`);
  if (!shown) {
    const words = told.nuggets || writing ? "Nothing is left to read here." : "Nothing is left to read, and there are no nuggets yet.";
    main.replaceChildren(make("p", { class: "lack", id: "nothing" }, words), make("div", { class: "tools" }, tools.querySelector('[data-key="k"]').cloneNode(true)));
    main.querySelector("button").addEventListener("click", () => attempt(previous));
    const next = await offers();
    if (!writing && topic.value) {
      const { left } = await get("next");
      const others = make("button", { type: "button", class: "more" }, `${left} left to read in other topics`);
      others.addEventListener("click", () => { topic.value = ""; topic.dispatchEvent(new Event("change")); });
      if (left) next.prepend(make("li", {}, others));
    }
    if (!shown) byId("nothing").after(next);
    return;
  }
  chosen = drafts.get(shown.item) ?? new Map(shown.nuggets.filter((each) => each.chosen).map((each) => [each.nugget, each.start === null ? {} : { start: each.start, end: each.end }]));
  changed = drafts.has(shown.item);
  span = null;
  current = null;
  filter = search.value = "";
  note.value = shown.note;
  before.replaceChildren(...shown.before.map(brief));
  after.replaceChildren(...shown.after.map(brief));
  const alike = shown.alike.length ? make("details", {}, make("summary", {}, `Said in other words by ${shown.alike.length} more`), make("ul", {}, ...shown.alike.map((each) => make("li", {}, bdi(each))))) : null;
  now.replaceChildren(make("li", { class: "now" }, make("time", {}, `${shown.time} · ${shown.topic} · ${shown.place[0]} of ${shown.place[1]}${shown.read ? " · you have read it" : ""}`), text, alike));
  if (!main.contains(update)) main.replaceChildren(tools, make("div", { class: "beside" }, update, nuggets));
  render();
  if (document.activeElement !== topic) main.focus({ preventScroll: true });
}

// Ways to the next.

function keep() {
  if (shown && changed) drafts.set(shown.item, new Map(chosen));
}
async function load(asked) {
  const told = await get("next", writing ? { by: "time", topic: topic.value, ...asked } : { topic: topic.value, ...asked });
  if (told.reading && past.at(-1) !== told.reading.item) past.push(told.reading.item);
  await show(told);
}
async function next() {
  keep();
  await load(shown ? { item: shown.item, step: 1 } : {});
}
async function previous() {
  keep();
  if (writing) {
    await load(shown ? { item: shown.item, step: -1 } : {});
    return;
  }
  if (shown) past.pop();
  const item = past.at(-1);
  if (item === undefined) {
    if (shown) past.push(shown.item);
    say("this is the first one");
    return;
  }
  await load({ item });
}
async function saved() {
  if (!shown) return;
  if (span) {
    takeSpan();
    return;
  }
  const all = [...chosen].map(([nugget, words]) => ({ nugget, start: words.start ?? null, end: words.end ?? null }));
  await post("save", { item: shown.item, chosen: all, shown: shown.nuggets.map((each) => each.nugget), note: note.value, shown_by: shown.shown_by });
  drafts.delete(shown.item);
  changed = false;
  say(all.length ? `saved: ${all.length} ${all.length === 1 ? "nugget" : "nuggets"}` : "saved: no nugget");
  await load({ item: shown.item, step: 1 });
}
async function undone() {
  const item = shown?.item;
  await post("undo");
  drafts.clear();
  changed = false;
  say("the last thing that you decided is taken back");
  if (item !== undefined) await load({ item });
  else await load({});
}

// The words that say a nugget.

function wordsOf(said) {
  const found = [];
  let start = -1;
  characters(`${said} `).forEach((sign, at) => {
    const blank = /\s/u.test(sign);
    if (!blank && start < 0) start = at;
    if (blank && start >= 0) {
      found.push({ start, end: at });
      start = -1;
    }
  });
  return found;
}
function selected() {
  const selection = getSelection();
  if (!selection.rangeCount || selection.isCollapsed) return null;
  const range = selection.getRangeAt(0);
  if (!text.contains(range.startContainer) || !text.contains(range.endContainer)) return null;
  const ahead = document.createRange();
  ahead.setStart(text, 0);
  ahead.setEnd(range.startContainer, range.startOffset);
  const start = characters(ahead.toString()).length;
  const end = start + characters(range.toString()).length;
  return end > start ? { start, end } : null;
}
function markWords() {
  if (!shown) return;
  if (!writing && current === null && chosen.size === 1) current = [...chosen.keys()][0];
  const words = selected();
  if (current === null && !writing) {
    say("choose a nugget first, then the words that say it", true);
    return;
  }
  if (words) {
    given(words);
    return;
  }
  if (!wordsOf(shown.text).length) return;
  span = { first: 0, last: 0 };
  text.tabIndex = 0;
  text.setAttribute("role", "application");
  text.setAttribute("aria-label", "Mark words: arrows move, with Shift they add words, Enter takes them");
  renderText();
  text.focus();
  say("arrows move, with Shift they add words; Enter takes them, Escape leaves them");
}
function given(words) {
  getSelection().removeAllRanges();
  if (current === null) {
    attempt(() => wrote(words));
    return;
  }
  chosen.set(current, words);
  say(`marked: “${piece(shown.text, words.start, words.end)}”`);
  touch();
}
function leaveSpan() {
  span = null;
  text.removeAttribute("tabindex");
  text.removeAttribute("role");
  text.removeAttribute("aria-label");
  main.focus({ preventScroll: true });
}
function takeSpan() {
  const words = wordsOf(shown.text);
  const taken = { start: words[span.first].start, end: words[span.last].end };
  leaveSpan();
  renderText();
  given(taken);
}
text.addEventListener("keydown", (event) => {
  if (!span || !shown || event.ctrlKey || event.metaKey || event.altKey) return;
  const last = wordsOf(shown.text).length - 1;
  if (event.key === "ArrowRight" && event.shiftKey) span.last = Math.min(last, span.last + 1);
  else if (event.key === "ArrowLeft" && event.shiftKey) span.last = Math.max(span.first, span.last - 1);
  else if (event.key === "ArrowRight") span.first = span.last = Math.min(last, span.last + 1);
  else if (event.key === "ArrowLeft") span.first = span.last = Math.max(0, span.first - 1);
  else if (event.key === "Enter") {
    event.preventDefault();
    takeSpan();
    return;
  } else if (event.key === "Escape") {
    event.preventDefault();
    leaveSpan();
    renderText();
    return;
  } else return;
  event.preventDefault();
  renderText();
  const words = wordsOf(shown.text);
  say(piece(shown.text, words[span.first].start, words[span.last].end));
});

// Nuggets: written, changed, split, merged.

async function again() {
  const item = shown.item;
  const mine = new Map(chosen);
  const known = new Set(shown.nuggets.map((each) => each.nugget));
  const kept = note.value;
  await load({ item });
  const there = new Set(shown.nuggets.map((each) => each.nugget));
  // What was chosen and not saved stays chosen; what is new is as the desk has it.
  const fresh = [...chosen].filter(([name]) => !known.has(name));
  chosen = new Map([...[...mine].filter(([name]) => there.has(name)), ...fresh]);
  note.value = kept;
  changed = true;
  render();
}
async function wrote(words = selected()) {
  if (!shown) return;
  const said = words ? piece(shown.text, words.start, words.end) : "";
  const told = await ask("A nugget that this update says", [
    ["text", "What became known", "text", said],
    ["importance", "Weight", "number", "1", { type: "number", min: 0, step: "any" }],
    ["time", "Time, if it is not that of the earliest update that says it", "line", "", { placeholder: "2024-05-01T12:00" }],
  ], [["write", "Write it"]]);
  if (!told) return;
  const asked = { topic: shown.topic, item: shown.item, text: told.text, ...(words ?? {}) };
  if (told.importance !== "1") asked.importance = told.importance;
  if (told.time) asked.time = told.time;
  const made = await post("write", asked);
  say("written");
  await again();
  current = made.written[0];
  renderNuggets();
}
async function edited() {
  const each = shown?.nuggets.find((one) => one.nugget === current);
  if (!each) {
    say("choose a nugget first: arrows go to one", true);
    return;
  }
  const others = shown.nuggets.filter((one) => one !== each);
  const told = await ask("The nugget", [
    ["text", "What became known", "text", each.text],
    ["importance", "Weight", "number", String(each.importance), { type: "number", min: 0, step: "any" }],
    ["time", "Time; blank for that of the earliest update that says it", "line", each.set ? each.time : ""],
    ["texts", "Or its parts, each on a line", "lines", ""],
    ["into", "Or another that says the same", "select", [["", ""], ...others.map((one) => [one.nugget, one.text])]],
  ], [["change", "Change it"], ["split", "Split it"], ["merge", "Merge it"], ["drop", "Drop it"]]);
  if (!told) return;
  const asked = { topic: shown.topic, nugget: each.nugget };
  if (told.action === "change") {
    if (told.text !== each.text) asked.text = told.text;
    if (told.importance !== String(each.importance)) asked.importance = told.importance;
    if (told.time !== (each.set ? each.time : "")) asked.time = told.time;
  }
  if (told.action === "split") asked.texts = told.texts.split("\n");
  if (told.action === "merge") asked.into = told.into;
  await post(told.action, asked);
  const done = { change: "changed", split: "split; updates that said it are to be read again", merge: "merged", drop: "dropped" };
  say(done[told.action]);
  await again();
}

search.addEventListener("input", () => { filter = search.value; renderNuggets(); });
search.addEventListener("keydown", (event) => {
  if (event.key === "Escape") { filter = search.value = ""; renderNuggets(); }
  if (event.key === "Enter") { event.preventDefault(); current = null; search.blur(); move(1); }
});
note.addEventListener("input", () => { changed = true; });
note.addEventListener("keydown", (event) => { if (event.key === "Enter") { event.preventDefault(); note.blur(); } });
function showHints() {
  hints.setAttribute("aria-pressed", String(suggest));
  hints.textContent = suggest ? "Suggestions on" : "Suggestions off";
}
hints.addEventListener("click", () => { suggest = !suggest; remember("suggest", suggest ? "on" : "off", true); showHints(); renderNuggets(); });
showHints();
addEventListener("beforeunload", (event) => { if (changed || drafts.size) event.preventDefault(); });
topic.addEventListener("change", () => attempt(() => { keep(); past.length = 0; shown = null; return load({}); }));

update.append(make("h2", { id: "update-title" }, "Update"), before, now, after, make("div", { class: "fields" }, make("label", { for: "note" }, "Note"), note));
nuggets.append(make("h2", { id: "nuggets-title" }, "Nuggets it says"), make("div", { class: "controls" }, search, ...(writing ? [] : [hints])), list, empty);
attempt(() => load({}));
