"use strict";
// On paper: folds are opened while the page is printed, and on demand every topic gets a page of its own.
(() => {
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];
  const ACROSS = 8;
  function make(name, attributes = {}, ...children) {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.append(...children);
    return made;
  }

  let folded = [];
  addEventListener("beforeprint", () => {
    folded = all("details:not([open]):not(#said):not(.unscripted):not(figure *)");
    folded.forEach((each) => { each.open = true; });
  });
  addEventListener("afterprint", () => folded.forEach((each) => { each.open = false; }));

  // The scores of every topic, from the maps: measure by measure the cells of its row.
  function byTopic() {
    const topics = new Map();
    all(".map").forEach((map) => {
      const measure = document.getElementById("heat-measure").options[map.dataset.map].text;
      all("tbody tr", map).forEach((row) => {
        const [name, ...cells] = [...row.cells].map((each) => each.textContent);
        topics.set(name, [...(topics.get(name) ?? []), [measure, cells]]);
      });
    });
    return topics;
  }
  function scores(rows, runs) {
    const tables = [];
    for (let from = 0; from < runs.length; from += ACROSS) {
      const part = (cells) => cells.slice(from, from + ACROSS);
      const cell = (text) => make("td", { class: "number" }, text);
      const heads = part(runs).map((run) => make("th", { scope: "col", class: "number" }, make("bdi", {}, run)));
      tables.push(make("table", {},
        make("thead", {}, make("tr", {}, make("th", { scope: "col" }, "measure"), ...heads)),
        make("tbody", {}, ...rows.map(([measure, cells]) =>
          make("tr", {}, make("th", { scope: "row" }, measure), ...part(cells).map(cell))))));
    }
    return tables;
  }
  function sheets() {
    const data = JSON.parse(document.getElementById("content").textContent);
    return [...byTopic()].map(([topic, rows]) => {
      const at = data.timelines.findIndex((each) => each.topic === topic);
      const said = all(`.said[data-timeline="${at}"] table`).map((each) => each.cloneNode(true));
      return make("section", { class: "sheet" }, make("h2", {}, make("bdi", {}, topic)), ...scores(rows, data.runs), ...said);
    });
  }

  const choice = document.getElementById("on-paper");
  if (!choice) return;
  const place = make("div", { class: "paper", id: "sheets" });
  document.querySelector("main").append(place);
  choice.addEventListener("change", () => place.replaceChildren(...(choice.value === "1" ? sheets() : [])));
})();
