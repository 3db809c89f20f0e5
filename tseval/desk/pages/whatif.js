// What if: the scores of all runs with what was decided so far, and without.
import { attempt, bdi, command, get, main, make, progress, say } from "/desk.js";

const tools = make("div", { class: "tools", role: "toolbar", "aria-label": "Scores" }, command("r", "Score again", () => load()));
const short = (value) => (value === null ? "–" : value.toFixed(4).replace("-", "−"));
const signed = (value) => (value === null ? "" : `${value > 0 ? "+" : value < 0 ? "−" : "±"}${Math.abs(value).toFixed(4)}`);

function head(told) {
  const measures = make("tr", {}, make("th", { rowspan: 2, scope: "col" }, "run"), ...told.measures.map((each) => make("th", { colspan: 3, scope: "colgroup", class: "measure" }, each)));
  const kinds = make("tr", {}, ...told.measures.flatMap(() => ["decided", "matcher alone", "difference"].map((each) => make("th", { scope: "col" }, each))));
  return make("thead", {}, measures, kinds);
}
function row(run) {
  return make("tr", {}, make("th", { scope: "row" }, bdi(run.run)), ...run.values.flatMap(({ decided, machine }) => {
    const shift = decided === null || machine === null ? null : decided - machine;
    return [make("td", { class: "number", "data-value": decided === null ? "" : String(decided) }, short(decided)), make("td", { class: "number" }, short(machine)), make("td", { class: "number shift" }, signed(shift))];
  }));
}
function order(told) {
  if (told.runs.length < 2) return make("p", { class: "note" }, "One run has no order.");
  const parts = told.measures.map((name, at) => make("li", { class: told.changes[at] ? "moved" : null },
    `${name}: the order ${told.changes[at] ? "changes" : "stays"}${told.tau[at] === null ? "" : `, tau ${told.tau[at].toFixed(2).replace("-", "−")}`}`));
  return make("div", {}, make("h2", {}, "The order of the runs"), make("ul", { id: "order" }, ...parts));
}
async function load() {
  say("scoring …");
  const [told, done] = [await get("what-if"), await get("progress")];
  const read = done.topics.reduce((sum, each) => sum + each.read, 0);
  const updates = done.topics.reduce((sum, each) => sum + each.updates, 0);
  const disputed = done.topics.reduce((sum, each) => sum + each.disputed, 0);
  progress(`${read} of ${updates} updates read`);
  if (!told.runs) {
    main.replaceChildren(tools, make("p", { class: "lack", id: "nothing" }, "There are no nuggets yet, so there is nothing to score."));
    say("");
    return;
  }
  main.replaceChildren(tools,
    make("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Scores" }, make("table", { class: "means", id: "scores" },
      make("caption", {}, "Every run with what was decided, and by the matcher alone"), head(told), make("tbody", {}, ...told.runs.map(row)))),
    order(told),
    make("p", { class: "note" }, `${read} of ${updates} updates were read${disputed ? `; ${disputed} pairs are disputed and count as no match` : ""}. Whoever assesses should not look here before the work is done: it tells which decision helps whom.`),
    ...(told.warnings.length ? [make("h2", {}, "Warnings"), make("ul", { class: "warnings" }, ...told.warnings.map((each) => make("li", {}, bdi(each))))] : []),
    make("p", { class: "signature" }, make("code", {}, told.signature)));
  say("scored");
}
attempt(load);
