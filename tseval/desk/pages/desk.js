// What all pages of the desk share: elements, requests, keys with their buttons, what is said.
export const byId = (id) => document.getElementById(id);
export const main = byId("main");
export const page = document.body.dataset.page;

// Text only ever goes in as text: no string of the data is read as markup.
export function make(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === true) made.setAttribute(key, "");
    else if (value !== false && value !== null && value !== undefined) made.setAttribute(key, value);
  }
  made.append(...children.filter((each) => each !== null && each !== undefined));
  return made;
}

let fading;
export function say(words, trouble = false) {
  const status = byId("status");
  clearTimeout(fading);
  if (!trouble) fading = setTimeout(() => { status.textContent = ""; }, 8000);
  status.classList.toggle("trouble", trouble);
  status.textContent = "";
  requestAnimationFrame(() => { status.textContent = words; });
}

// Requests are done one after the other, in the order in which they were asked for.
let last = Promise.resolve();
let waiting = 0;
function inTurn(work) {
  waiting += 1;
  main.setAttribute("aria-busy", "true");
  const done = last.then(work, work).finally(() => {
    waiting -= 1;
    main.setAttribute("aria-busy", String(waiting > 0));
  });
  last = done.catch(() => {});
  return done;
}
class Refusal extends Error {} // the program's answer, not an error of these scripts
async function answered(request) {
  let response;
  try {
    response = await request();
  } catch {
    throw new Refusal("the desk does not answer: nothing was saved; is the program still running?");
  }
  const told = await response.json();
  if (!response.ok) throw new Refusal(told.error);
  return told;
}
export const get = (path, asked = {}) => inTurn(() => {
  const given = Object.entries(asked).filter(([, value]) => value !== null && value !== undefined && value !== "");
  return answered(() => fetch(`/api/${path}?${new URLSearchParams(given)}`));
});
export const post = (path, body = {}) => inTurn(() => answered(() => fetch(`/api/${path}`, {
  method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body),
})));
export async function attempt(work) {
  try {
    await work();
  } catch (error) {
    if (error instanceof Refusal) say(error.message, true);
    else fault(error);
  }
}
function fault(error) {
  say(`this page has an error: ${error?.message ?? error}. Reload it; your saved work is kept.`, true);
}
addEventListener("error", (event) => fault(event.error ?? event.message));
addEventListener("unhandledrejection", (event) => fault(event.reason));

// Keys: each has a button, or stands in the help alone where the page shows what it does.
// While the page has nothing to act on, only keys that are marked `always` do anything.
const known = new Map();
let hasItem = () => true;
export function actsWhile(test) { hasItem = test; }
let keysOn = recall("keys") !== "off";
export function recall(name) {
  try { return sessionStorage.getItem(`desk-${name}`) ?? localStorage.getItem(`desk-${name}`); } catch { return null; }
}
export function remember(name, value, forGood = false) {
  try { (forGood ? localStorage : sessionStorage).setItem(`desk-${name}`, value); } catch { /* then it is not kept */ }
}
export function command(key, label, work, { shown = key, always = false } = {}) {
  const run = () => (always || hasItem() ? work() : undefined);
  known.set(key, { label, run, shown });
  const button = make("button", { type: "button", "data-key": key }, `${label} `, make("kbd", {}, shown));
  button.addEventListener("click", () => attempt(run));
  return button;
}
function typing(target) {
  return target.matches("input:not([type=checkbox]):not([type=radio]), textarea, select");
}
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || !keysOn) return;
  if (document.querySelector("dialog[open]") || event.defaultPrevented) return;
  if (typing(event.target)) {
    if (event.key === "Escape") event.target.blur();
    return;
  }
  if (event.key === "Enter" && event.target.matches("button, a, summary")) return;
  if (event.key === " ") return;
  const found = known.get(event.key);
  if (!found) return;
  event.preventDefault();
  attempt(found.run);
});
function showKeys() {
  byId("keys").setAttribute("aria-pressed", String(keysOn));
  byId("keys").textContent = keysOn ? "Keys on" : "Keys off";
  document.documentElement.classList.toggle("no-keys", !keysOn);
}
byId("keys").addEventListener("click", () => {
  keysOn = !keysOn;
  remember("keys", keysOn ? "on" : "off", true);
  showKeys();
});
showKeys();
function help() {
  const digits = [...known].filter(([key]) => /^[1-9]$/.test(key));
  const rest = [...known].filter(([key]) => !/^[1-9]$/.test(key)).map(([, each]) => [each.shown, each.label]);
  if (digits.length) rest.push(["1 – 9", digits[0][1].label]);
  byId("help-keys").replaceChildren(...rest.map(([shown, label]) =>
    make("tr", {}, make("th", { scope: "row" }, make("kbd", {}, shown)), make("td", {}, label))));
  byId("help").showModal();
}
byId("open-help").addEventListener("click", help);
known.set("?", { label: "Help", run: help, shown: "?" });

// The topic of all pages that have one.
export const topic = byId("topic");
if (topic) {
  const before = recall("topic");
  if (before !== null && [...topic.options].some((each) => each.value === before)) topic.value = before;
  topic.addEventListener("change", () => remember("topic", topic.value));
}

// Links to the work that is left when that of this page is done.
export async function offers() {
  const [done, { disputes }] = [await get("progress"), await get("disputes")];
  const total = (count) => done.topics.reduce((sum, each) => sum + count(each), 0);
  const unread = total((each) => each.updates - each.read), disputed = total((each) => each.disputed);
  const some = (number, noun) => `${number} ${noun}${number === 1 ? "" : "s"}`;
  const link = (address, words) => make("li", {}, make("a", { href: `/${address}` }, words));
  const store = document.body.dataset.store;
  const typed = /^[\w.-]+$/.test(store) ? store : `'${store.replaceAll("'", "'\\''")}'`;
  return make("ul", { id: "offers", "aria-label": "Next" },
    page !== "" && unread ? link("", `${some(unread, "update")} that nobody has read`) : null,
    page !== "adjudicate" && disputes.length ? link("adjudicate", `${some(disputes.length, "dispute")} to adjudicate`) : null,
    page !== "adjudicate" && disputed && !disputes.length ? link("adjudicate", `${some(disputed, "dispute")} for a third person to adjudicate`) : null,
    make("li", {}, "to export, run in the folder of the store: ", make("code", {}, `tseval assess export ${typed} -o gold`)));
}
export function progress(words) { byId("progress").textContent = words ? ` · ${words}` : ""; }

// Places in texts count characters as people do, not the halves that scripts count.
export const characters = (text) => [...text];
export const piece = (text, start, end) => characters(text).slice(start, end).join("");
export function marked(text, spans) {
  const signs = characters(text);
  const inside = signs.map((_, at) => spans.some(([start, end]) => start <= at && at < end));
  const parts = [];
  for (let at = 0; at < signs.length;) {
    let end = at;
    while (end < signs.length && inside[end] === inside[at]) end += 1;
    const run = signs.slice(at, end).join("");
    parts.push(inside[at] ? make("mark", {}, run) : run);
    at = end;
  }
  return parts;
}
export const bdi = (text) => make("bdi", {}, text);

// A form in a dialog: each field [name, label, kind, value]; resolves to its values, null if left.
export function ask(title, fields, actions) {
  return new Promise((resolve) => {
    const made = fields.map(([name, label, kind, value, more = {}]) => {
      const id = `ask-${name}`;
      const field = kind === "select"
        ? make("select", { id }, ...value.map(([key, shown]) => make("option", { value: key }, shown)))
        : make(kind === "lines" || kind === "text" ? "textarea" : "input", { id, rows: kind === "lines" ? 4 : 2, ...more });
      if (kind !== "select") field.value = value;
      field.dataset.kind = kind;
      field.name = name;
      return [make("label", { for: id }, label), field];
    });
    const form = make("form", { method: "dialog", class: "fields" }, ...made.flat());
    const dialog = make("dialog", { "aria-labelledby": "ask-title" }, make("h2", { id: "ask-title" }, title), form);
    const finish = (action) => {
      const values = Object.fromEntries(made.map(([, field]) => [field.name, field.value]));
      dialog.close();
      dialog.remove();
      resolve(action === null ? null : { action, ...values });
    };
    const buttons = actions.map(([name, label], at) => {
      const button = make("button", { type: at === 0 ? "submit" : "button", class: at === 0 ? "first" : "" }, label);
      if (at > 0) button.addEventListener("click", () => finish(name));
      return button;
    });
    const leave = make("button", { type: "button" }, "Cancel");
    leave.addEventListener("click", () => finish(null));
    form.append(make("div", { class: "tools" }, ...buttons, leave));
    form.addEventListener("submit", (event) => { event.preventDefault(); finish(actions[0][0]); });
    form.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && !event.shiftKey && event.target.dataset.kind === "text") {
        event.preventDefault();
        finish(actions[0][0]);
      }
    });
    dialog.addEventListener("cancel", (event) => { event.preventDefault(); finish(null); });
    document.body.append(dialog);
    dialog.showModal();
    made[0][1].focus();
  });
}
