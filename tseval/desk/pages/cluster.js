// Cluster: posts that say the same put together, by keys or by dragging.
import { actsWhile, attempt, bdi, byId, command, get, main, make, post, progress, say, topic } from "/desk.js";

let shown = null;
let mark = null; // the post that `m` puts the current one together with
let dragged = null;
actsWhile(() => shown?.posts.length > 0);

const list = make("ul", { class: "posts", tabindex: 0, "aria-label": "Posts in order of time" });
const same = make("ul", { class: "posts", tabindex: 0, "aria-label": "Posts of its cluster" });
const alike = make("ol", { class: "posts", tabindex: 0, "aria-label": "Posts like it" });
const where = make("p", { class: "note" });

const tools = make("div", { class: "tools", role: "toolbar", "aria-label": "Work on the post" },
  command("k", "Previous", () => step(-1)),
  command("j", "Next", () => step(1)),
  command("v", "Mark", () => marks()),
  command("m", "Merge with the marked", () => merge()),
  command("b", "Break off", () => decide("alone", "it has a cluster of its own")),
  command("x", "In no cluster", () => decide("in no cluster", "it is in no cluster")),
  command("o", "Selected", () => selects()),
  command("u", "Undo", () => undone(), { always: true }));
for (let digit = 1; digit <= 9; digit += 1) {
  command(String(digit), "Merge with the post like it of this number", () => {
    const each = shown.alike[digit - 1];
    if (each) return together(shown.item, each.item);
    return undefined;
  });
}
command("ArrowDown", "Next", () => step(1), { shown: "↓" });
command("ArrowUp", "Previous", () => step(-1), { shown: "↑" });

const now = () => shown.posts.find((each) => each.item === shown.item);

function label(each) {
  const parts = [each.cluster === null ? "in no cluster" : `cluster ${each.cluster}, ${each.size} ${each.size === 1 ? "post" : "posts"}`];
  if (each.selected) parts.push("selected");
  if (each.item === mark) parts.push("marked");
  return parts.join(" · ");
}

function row(each, within, number = null) {
  const is = each.item === shown.item;
  const go = make("button", { type: "button", class: "tool", tabindex: within === list ? -1 : 0, "aria-label": `Go to: ${each.text}` }, "Go to it");
  const join = make("button", { type: "button", class: "tool", "aria-label": `Merge with: ${each.text}` }, "Merge");
  join.addEventListener("click", () => attempt(() => together(shown.item, each.item)));
  const made = make("li", { class: each.item === mark ? "post marked" : "post", draggable: "true", "aria-current": is ? "true" : null },
    make("time", {}, each.time),
    number === null ? null : make("kbd", {}, String(number)), number === null ? null : " ",
    make("span", { class: "text" }, bdi(each.text)), " ",
    make("span", { class: "about" }, label(each)), " ", is ? null : go, number === null ? null : " ", number === null ? null : join);
  go.addEventListener("click", () => attempt(() => load(each.item)));
  made.addEventListener("dragstart", (event) => { dragged = each.item; event.dataTransfer.setData("text/plain", String(each.item)); });
  made.addEventListener("dragover", (event) => { if (dragged !== null && dragged !== each.item) { event.preventDefault(); made.classList.add("over"); } });
  made.addEventListener("dragleave", () => made.classList.remove("over"));
  made.addEventListener("drop", (event) => {
    event.preventDefault();
    const item = dragged;
    dragged = null;
    attempt(() => together(item, each.item));
  });
  return made;
}

function render() {
  if (!shown.posts.length) {
    main.replaceChildren(make("p", { class: "lack" }, "There are no posts."));
    return;
  }
  progress(`post ${shown.place[0]} of ${shown.place[1]}`);
  list.replaceChildren(...shown.posts.map((each) => row(each, list)));
  same.replaceChildren(...(shown.same.length ? shown.same.map((each) => row(each, same)) : [make("li", { class: "post about" }, "no other post")]));
  alike.replaceChildren(...shown.alike.map((each, at) => row(each, alike, at + 1)));
  const each = now();
  where.textContent = `${label(each)}. ${mark === null ? "v marks a post; m then puts another together with it." : mark === shown.item ? "Go to another post: m puts it together with this one." : "m puts it together with the marked post."}`;
  if (!main.contains(list)) {
    main.replaceChildren(tools, make("div", { class: "beside" },
      make("section", { "aria-labelledby": "all-title" }, make("h2", { id: "all-title" }, "Posts"), list),
      make("section", { "aria-labelledby": "this-title" }, make("h2", { id: "this-title" }, "This post"), where,
        make("h2", {}, "In its cluster"), same, make("h2", {}, "Like it"), alike)));
  }
  list.querySelector('[aria-current="true"]')?.scrollIntoView({ block: "nearest" });
}

async function load(item = null) {
  shown = await get("posts", { topic: topic.value, item });
  render();
}
async function step(by) {
  const at = shown.posts.findIndex((each) => each.item === shown.item) + by;
  if (at < 0 || at >= shown.posts.length) say(by > 0 ? "this is the last one" : "this is the first one");
  else await load(shown.posts[at].item);
}
function marks() {
  mark = mark === shown.item ? null : shown.item;
  render();
  say(mark === null ? "no post is marked" : "marked");
}
async function merge() {
  if (mark === null || mark === shown.item) {
    say("mark another post first, with v", true);
    return;
  }
  await together(shown.item, mark);
}
async function together(item, other) {
  await post("cluster", { item, other, verdict: "together" });
  say("put together");
  await load(shown.item);
}
async function decide(verdict, words) {
  await post("cluster", { item: shown.item, verdict });
  say(words);
  await load(shown.item);
}
async function selects() {
  const is = now().selected;
  await decide(is ? "not selected" : "selected", is ? "not selected" : "selected: its cluster is its own");
}
async function undone() {
  await post("undo");
  say("the last thing that you decided is taken back");
  await load(shown?.item);
}
topic.addEventListener("change", () => { mark = null; attempt(() => load()); });
byId("main").tabIndex = -1;
attempt(() => load());
