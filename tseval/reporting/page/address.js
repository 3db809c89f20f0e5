"use strict";
// What a reader chose, kept in the address: #SECTION?topic=ferry&run=swift opens what its sender saw.
//
// An element keeps its own state there if it says under which word:
//   <select data-keep="measure">, <input data-keep="search">, <button aria-pressed data-keep="late">.
// A choice of a select is told by its words, so that a link holds for the next page of the same runs.
// <details> are kept without a word, by their section and place. What is more than one element calls
//   address.keep(word, { read, write, place })   once, when the page is opened, and
//   address.changed(element)                     after each change that a reader makes.
// read() gives an array of texts, or null for the state as the page is opened; write(texts or null) shows it
// and gives those that there are not; place(), if there is one, gives the element to show. They are written in
// the order in which they were kept, so what follows from another choice is kept after it.
const address = (() => {
  const kept = new Map();
  const all = (selector) => [...document.querySelectorAll(selector)];
  const LONGEST = 60, NAMED = 5, PAUSE = 300;
  let writing = false, waiting = 0, works = true;

  const keep = (word, how) => kept.set(word, how);
  const query = () => {
    const found = new URLSearchParams();
    for (const [word, how] of kept) (how.read() ?? []).forEach((text) => found.append(word, text));
    return found.toString();
  };
  const split = (hash) => {
    const at = hash.indexOf("?");
    return at < 0 ? [hash.slice(1), null] : [hash.slice(1, at), hash.slice(at + 1)];
  };
  const joined = (place, texts) => (place || texts ? `#${place}${texts ? `?${texts}` : ""}` : undefined);

  // In a frame without an address of its own, as in a notebook, there is nothing to write.
  function put(hash, how) {
    if (!works) return;
    try {
      history[how]({ kept: true }, "", hash);
    } catch {
      works = false;
    }
  }
  function changed(element, how = "pushState") {
    if (writing) return;
    clearTimeout(waiting);
    const place = element.closest("main section[id]")?.id ?? split(location.hash)[0];
    const hash = joined(place, query());
    if (hash !== location.hash) put(hash, how);
    note.hidden = true;
  }

  // What an address asks for and the page does not have is told in words, as text.
  const note = document.createElement("p");
  note.className = "lack address";
  note.setAttribute("role", "status");
  function say(unknown, section) {
    note.hidden = unknown.length === 0;
    if (note.hidden) return;
    const short = (text) => (text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text);
    const named = unknown.slice(0, NAMED).flatMap((text, at) => {
      const made = document.createElement("bdi");
      made.textContent = short(text);
      return [at ? ", " : "", made];
    });
    const more = unknown.length > NAMED ? ` and ${unknown.length - NAMED} more` : "";
    note.replaceChildren("The address asks for what this page does not have, and that is left out: ", ...named, more);
    (section?.querySelector("h2") ?? document.querySelector("header")).after(note);
  }

  // Shows what is asked for, and gives what to lead the reader to.
  function apply(place, texts) {
    const asked = new Map();
    for (const [word, text] of new URLSearchParams(texts ?? "")) asked.set(word, [...(asked.get(word) ?? []), text]);
    const section = place ? document.getElementById(place) : null;
    const unknown = place && !section ? [place] : [];
    let shown = section;
    writing = true;
    for (const [word, how] of kept) {
      const values = asked.get(word) ?? null;
      unknown.push(...(how.write(values) ?? []).map((text) => `${word}=${text}`));
      asked.delete(word);
      const own = values && how.place ? how.place() : null;
      if (own && section?.contains(own)) shown = own;
    }
    writing = false;
    for (const [word, values] of asked) unknown.push(`${word}=${values[0]}`);
    say(unknown, section?.closest("section"));
    return shown;
  }

  // Choices, searches and buttons that say under which word they are kept: `write` shows a text, or that of the
  // beginning, and is false where there is no such thing.
  function single(read, write) {
    return {
      read,
      write: (texts) => {
        if (texts?.length === 1 && write(texts[0]) !== false) return [];
        write(null);
        return texts ?? [];
      },
    };
  }
  const spaced = (text) => text.replace(/[\t\n\f\r ]+/g, " ").replace(/^ | $/g, "");  // as the texts of options are
  function select(element) {
    const begin = Math.max(0, [...element.options].findIndex((each) => each.defaultSelected));
    element.selectedIndex = begin;
    return single(() => (element.selectedIndex === begin ? null : [element.selectedOptions[0].text]), (text) => {
      const at = text === null ? begin : [...element.options].findIndex((each) => each.text === spaced(text));
      if (at < 0) return false;
      if (element.selectedIndex === at) return true;
      element.selectedIndex = at;
      return element.dispatchEvent(new Event("change"));
    });
  }
  function field(element) {
    element.value = "";
    return single(() => (element.value ? [element.value] : null), (text) => {
      if (element.value === (text ?? "")) return true;
      element.value = text ?? "";
      return element.dispatchEvent(new Event("input"));
    });
  }
  function button(element) {
    const pressed = () => element.getAttribute("aria-pressed");
    const begin = pressed();
    return single(() => (pressed() === begin ? null : [pressed()]), (text) => {
      if (!["true", "false", null].includes(text)) return false;
      if (pressed() !== (text ?? begin)) element.click();
      return true;
    });
  }
  const kinds = { SELECT: select, INPUT: field, BUTTON: button };
  all("[data-keep]").filter((each) => each.tagName in kinds)
    .forEach((each) => keep(each.dataset.keep, kinds[each.tagName](each)));
  // These hear of a change after the element's own section.
  const hears = (event, how) => {
    const element = event.target.closest?.("[data-keep]");
    if (element && element.tagName in kinds) how(element);
  };
  document.addEventListener("change", (event) => hears(event, (each) => { if (each.tagName === "SELECT") changed(each); }));
  document.addEventListener("click", (event) => hears(event, (each) => { if (each.tagName === "BUTTON") changed(each); }));
  document.addEventListener("input", (event) => hears(event, (each) => {
    clearTimeout(waiting);
    if (each.tagName === "INPUT") waiting = setTimeout(() => changed(each, "replaceState"), PAUSE);
  }));

  // Folds that are turned: `curves.2` is the second of the section of curves.
  function keepFolds() {
    const folds = new Map(), counts = new Map();
    let known = "";
    const read = () => [...folds].filter(([, [each, open]]) => each.open !== open).map(([name]) => name);
    all("main section[id] details").forEach((each) => {
      const section = each.closest("section[id]").id;
      counts.set(section, (counts.get(section) ?? 0) + 1);
      folds.set(`${section}.${counts.get(section)}`, [each, each.open]);
      each.addEventListener("toggle", () => {
        if (read().join() === known) return;
        known = read().join();
        changed(each, "replaceState");
      });
    });
    keep("folds", {
      read: () => (read().length ? read() : null),
      write: (texts) => {
        folds.forEach(([each, open], name) => { each.open = open !== (texts?.includes(name) ?? false); });
        known = read().join();
        return texts?.filter((name) => !folds.has(name));
      },
    });
  }

  // Called once, when all sections stand.
  function begin() {
    keepFolds();
    const [place, texts] = split(location.hash);
    const shown = location.hash ? apply(place, texts) : null;
    put(joined(place, texts), "replaceState");
    if (texts !== null) shown?.scrollIntoView();
    addEventListener("popstate", (event) => {
      const [there, asked] = split(location.hash);
      if (asked === null && !event.state) {
        // A link of the page that names a place alone leads there, with all as it is.
        put(joined(there, query()), "replaceState");
        return;
      }
      const to = apply(there, asked);
      if (event.state) return;
      put(location.hash, "replaceState");
      to?.scrollIntoView();
    });
  }
  return { keep, changed, begin };
})();
