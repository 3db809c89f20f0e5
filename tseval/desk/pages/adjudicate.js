// Adjudicate: what assessors disagree on, side by side, settled by a third.
import { actsWhile, attempt, bdi, command, get, main, make, marked, offers, post, progress, say } from "/desk.js";

let told = null;
let at = 0;
actsWhile(() => told?.disputes.length > 0);
const card = make("section", { "aria-labelledby": "dispute-title" });
const figures = make("section", { "aria-labelledby": "figures-title" });

const tools = make("div", { class: "tools", role: "toolbar", "aria-label": "Settle the pair" },
  command("y", "It is a match", () => settle(true)),
  command("x", "It is none", () => settle(false)),
  command("k", "Previous", () => step(-1)),
  command("j", "Next", () => step(1)),
  command("u", "Undo", () => undone(), { always: true }));

const number = (value) => (value === null ? "–" : value.toFixed(3).replace("-", "−"));

function side(each, dispute) {
  const spans = Number.isInteger(each.start) ? [[each.start, each.end]] : [];
  return make("div", { class: "side" },
    make("p", { class: "about" }, bdi(each.assessor)),
    make("p", { class: "verdict" }, each.match ? "match" : "no match"),
    spans.length ? make("p", { class: "text" }, ...marked(dispute.text, spans)) : null,
    each.note ? make("p", { class: "about" }, "note: ", bdi(each.note)) : null);
}

function render() {
  const dispute = told.disputes[at];
  progress(`${told.disputes.length} to settle, ${told.settled.length} settled`);
  const own = told.own ? make("p", { class: "note" }, `You judged ${told.own} more that others see otherwise: a third person settles those.`) : null;
  const title = make("h2", { id: "dispute-title" }, dispute ? `Dispute ${at + 1} of ${told.disputes.length}` : "Disputes");
  if (!dispute) card.replaceChildren(title, make("p", { class: "lack", id: "nothing" }, "There is nothing for you to settle."), ...(own ? [own] : []), told.offers);
  else {
    card.replaceChildren(title,
      make("p", { class: "about" }, `${dispute.topic} · ${dispute.time}`),
      make("p", { class: "text" }, bdi(dispute.text)),
      make("p", { class: "about" }, "Does it say this?"),
      make("p", { class: "gold-said" }, bdi(dispute.nugget_text)),
      make("div", { class: "sides" }, ...dispute.said.map((each) => side(each, dispute))), ...(own ? [own] : []));
  }
  figures.replaceChildren(make("h2", { id: "figures-title" }, "Agreement"), agreement(), ...confusions());
  if (!main.contains(card)) main.replaceChildren(tools, make("div", { class: "beside" }, card, figures));
}

function table(caption, heads, rows) {
  return make("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": caption }, make("table", {},
    make("caption", {}, caption),
    make("thead", {}, make("tr", {}, ...heads.map((each) => make("th", { scope: "col" }, each)))),
    make("tbody", {}, ...rows.map((cells) => make("tr", {}, ...cells.map((cell, column) =>
      make(column ? "td" : "th", column ? { class: typeof cell === "number" ? "number" : null } : { scope: "row" }, bdi(String(cell)))))))));
}
function agreement() {
  if (!told.agreement.length) return make("p", { class: "lack" }, "Nothing was judged by two yet.");
  return table("Cohen's kappa of two, Krippendorff's alpha of all, with 95 % intervals", ["of", "", "value", "from", "to", "pairs", "updates"],
    told.agreement.filter((each) => each.value !== null).map((each) => [each.name, `${each.statistic}, ${each.group}`, number(each.value), number(each.low), number(each.high), each.pairs, each.updates]));
}
function confusions() {
  if (!told.confusions.length) return [];
  return [table("Nuggets chosen for one another", ["nugget", "or", "topic", "updates"],
    told.confusions.map((each) => [each.nugget, each.instead, each.topic, each.updates]))];
}

async function load() {
  told = await get("disputes");
  if (!told.disputes.length) told.offers = await offers();
  at = Math.max(0, Math.min(at, told.disputes.length - 1));
  render();
}
function step(by) {
  const to = at + by;
  if (to < 0 || to >= told.disputes.length) say(by > 0 ? "this is the last one" : "this is the first one");
  else { at = to; render(); }
}
async function settle(match) {
  const dispute = told.disputes[at];
  if (!dispute) return;
  await post("settle", { item: dispute.item, nugget: dispute.nugget, match });
  say(match ? "settled: it is a match" : "settled: it is none");
  await load();
}
async function undone() {
  await post("undo");
  say("the last thing that you decided is taken back");
  await load();
}
attempt(load);
