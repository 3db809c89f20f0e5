// What a reader chooses stands in the address, so that a link opens what its sender saw: see address.js.
// A select, field or pressed button needs but data-keep="WORD"; anything else calls address.keep(WORD, {read, write})
// when the page opens, and address.changed(ELEMENT) when a reader changed it.
// What the scripts behind this one take of it stands at its end.
const page = (() => {
  const data = JSON.parse(document.getElementById("content").textContent);
  const root = document.documentElement;
  const SVG = "http://www.w3.org/2000/svg";
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];
  const byId = (id) => document.getElementById(id);
  root.classList.add("live");

  // Text only ever goes in as text: no string of the data is read as markup.
  function make(name, attributes = {}, ...children) {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.append(...children);
    return made;
  }
  function draw(name, attributes, text) {
    const made = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    if (text !== undefined) made.textContent = text;
    return made;
  }
  const bdi = (text) => make("bdi", {}, text);
  const WHOLE = 24;
  const named = (run) => make("bdi", { class: data.runs[run].length <= WHOLE ? "run" : "long run" }, data.runs[run]);
  // A number with a comma between thousands; with so many decimals, or as few as it needs.
  const written = (value, decimals) => value.toLocaleString("en-US", {
    minimumFractionDigits: decimals ?? 0, maximumFractionDigits: decimals ?? 20, signDisplay: "negative",
  }).replace("-", "−");
  // How late or early: in words, which need no sign, and in minutes below two hours.
  function lag(hours) {
    const size = Math.abs(hours), minutes = Math.round(60 * size);
    if (minutes === 0) return "on time";
    return `${size < 2 ? `${minutes} min` : `${written(size, 1)} h`} ${hours > 0 ? "late" : "early"}`;
  }
  const short = (value) => (value === null ? "–" : written(Number(value.toPrecision(4))));

  // Tables that sort: the first press puts the best on top, the next turns that round.
  function sortable(table) {
    const body = table.tBodies[0];
    const heads = all("thead th", table);
    const buttons = all(".sort", table);
    const ranked = [...body.rows], usual = heads.map((head) => head.getAttribute("aria-sort"));
    const stands = (head, way) => {
      heads.filter((each) => each.hasAttribute("aria-sort")).forEach((each) => each.setAttribute("aria-sort", "none"));
      head?.setAttribute("aria-sort", way);
    };
    function sort(head, way) {
      const column = columnOf(table, head);
      const up = way === "ascending";
      const rows = [...body.rows].map((row, at) => ({ row, at, value: valueOf(row, column) }));
      rows.sort((a, b) => {
        if (a.value === null || b.value === null) return (a.value === null) - (b.value === null) || a.at - b.at;
        return (up ? a.value - b.value : b.value - a.value) || a.at - b.at;
      });
      stands(head, way);
      body.append(...rows.map((each) => each.row));
    }
    buttons.forEach((button) => button.addEventListener("click", () => {
      const head = button.closest("th");
      const now = head.getAttribute("aria-sort");
      sort(head, now === "none" ? button.dataset.first : now === "ascending" ? "descending" : "ascending");
      address.changed(table);
    }));
    address.keep(table.dataset.keep, {
      read: () => {
        const at = heads.findIndex((head) => (head.getAttribute("aria-sort") ?? "none") !== "none");
        if (at < 0 || heads[at].getAttribute("aria-sort") === usual[at]) return null;
        return [heads[at].querySelector(".sort").dataset.by, heads[at].getAttribute("aria-sort")];
      },
      write: (texts) => {
        const button = buttons.find((each) => texts && each.dataset.by === texts[0]);
        const fits = texts && button && texts.length === 2 && ["ascending", "descending"].includes(texts[1]);
        body.append(...ranked);
        heads.forEach((head, at) => { if (usual[at] !== null) head.setAttribute("aria-sort", usual[at]); });
        if (fits) sort(button.closest("th"), texts[1]);
        return fits ? [] : texts ?? [];
      },
    });
  }
  // The first column spans both rows of heads; the others stand in the second one.
  function columnOf(table, head) {
    if (head.parentElement === table.tHead.rows[0]) return 0;
    return [...head.parentElement.cells].indexOf(head) + 1;
  }
  function valueOf(row, column) {
    let at = 0;
    for (const cell of row.cells) {
      if (at <= column && column < at + cell.colSpan) {
        return cell.dataset.v === undefined ? null : Number(cell.dataset.v);
      }
      at += cell.colSpan;
    }
    return null;
  }
  all("table.means").forEach(sortable);

  // Runs that stand out in the curves. They have different colours; so have those that are held against them.
  const COLOURS = 8, { colours } = data;
  const chosenBy = ["choose-a", "choose-b", "choose-run"];
  const pressed = (run) => all(`.key[data-run="${run}"]`).some((key) => key.getAttribute("aria-pressed") === "true");
  function paint(run) {
    const own = chosenBy.map(byId).filter((each) => each && each.value !== "all").map((each) => Number(each.value));
    const rivals = [...new Set([...standing(), ...own])].filter((each) => each !== run);
    const free = (runs) => {
      const taken = runs.map((each) => colours[each]);
      return taken.includes(colours[run]) ? [...Array(COLOURS).keys()].find((at) => !taken.includes(at)) : colours[run];
    };
    const [before, now] = [`s${colours[run]}`, free(rivals) ?? free(rivals.filter(pressed)) ?? colours[run]];
    colours[run] = now;
    all(`[data-run="${run}"], [data-run="${run}"] *`).filter((each) => each.classList.contains(before))
      .forEach((each) => each.classList.replace(before, `s${now}`));
  }
  function bring(run, on) {
    if (pressed(run) === on) return;
    if (on) paint(run);
    all(`tr[data-run="${run}"]`).forEach((each) => each.classList.toggle(`s${colours[run]}`, on));
    all(`.key[data-run="${run}"]`).forEach((each) => each.setAttribute("aria-pressed", String(on)));
    all(`.plot [data-run="${run}"]`).forEach((each) => {
      each.classList.toggle("on", on);
      if (on) each.parentNode.insertBefore(each, each.parentNode.querySelector(".cursor"));
    });
  }
  const standing = () => data.runs.map((_, run) => run).filter(pressed);
  const usually = standing(), MOST_LINES = 8;
  // In the order in which they were chosen; of more than can be told apart the first one steps back.
  let chosenRuns = [...usually].reverse();
  const stepped = [];
  const drawAnew = () => document.dispatchEvent(new Event("standing"));
  all(".key[data-run]").forEach((key) => key.addEventListener("click", () => {
    const run = Number(key.dataset.run), on = !pressed(run);
    chosenRuns = chosenRuns.filter((each) => each !== run);
    stepped.length = 0;
    if (on && chosenRuns.length >= MOST_LINES) stepped.push(chosenRuns.shift());
    stepped.forEach((each) => bring(each, false));
    bring(run, on);
    if (on) chosenRuns.push(run);
    drawAnew();
    address.changed(key);
  }));
  address.keep("runs", {
    read: () => {
      if (String(standing()) === String(usually)) return null;
      return standing().length ? standing().map((run) => data.runs[run]) : [""];
    },
    write: (texts) => {
      const fits = (name, at) => data.runs.includes(name) && at < MOST_LINES;
      const wanted = texts?.filter(fits).map((name) => data.runs.indexOf(name)) ?? usually;
      data.runs.forEach((_, run) => wanted.includes(run) || bring(run, false));
      wanted.forEach((run) => bring(run, true));
      chosenRuns = texts ? wanted : [...usually].reverse();
      stepped.length = 0;
      drawAnew();
      return texts?.filter((name, at) => name !== "" && !fits(name, at));
    },
  });

  // The values under the pointer: where a line is drawn through dots, those of the dots.
  function valueAt(panel, line, at) {
    const dots = panel.dots.find((each) => each[0] === line[0]);
    return dots ? dots[1][at] : line[1][at];
  }
  all("figure.curve").forEach((figure) => {
    const panel = data.panels[figure.dataset.panel];
    const plot = figure.querySelector(".plot");
    const cursor = figure.querySelector(".cursor");
    const readout = figure.querySelector(".readout");
    const [low, high, left, right] = plot.dataset.x.split(" ").map(Number);
    plot.addEventListener("pointermove", (event) => {
      const box = plot.getBoundingClientRect();
      const pixel = (event.clientX - box.left) * plot.viewBox.baseVal.width / box.width;
      const share = (pixel - left) / (right - left);
      const x = plot.hasAttribute("data-log") ? low * (high / low) ** share : low + share * (high - low);
      if (x < low || x > high) return;
      let at = -1;
      while (at + 1 < panel.x.length && panel.x[at + 1] <= x) at += 1;
      if (!panel.stepped && panel.x[at + 1] - x < x - panel.x[at]) at += 1;
      cursor.setAttribute("x1", pixel);
      cursor.setAttribute("x2", pixel);
      cursor.classList.add("on");
      const shown = (panel.lines.length ? panel.lines : panel.dots).filter((line) => pressed(line[0]))
        .flatMap((line) => [" · ", named(line[0]), " ", make("b", {}, short(at < 0 ? null : valueAt(panel, line, at)))]);
      readout.replaceChildren(`${short(x)} `, ...shown.slice(0, 8 * 4));
    });
    plot.addEventListener("pointerleave", () => {
      cursor.classList.remove("on");
      readout.replaceChildren();
    });
  });

  // The heat map of one measure.
  const heat = byId("heat-measure");
  function showMap() {
    all(".map").forEach((each) => each.classList.toggle("on", each.dataset.map === heat.value));
  }
  if (heat) {
    heat.addEventListener("change", showMap);
    showMap();
  }

  // The timeline of one topic.
  const lanes = byId("lanes");
  const topicChoice = byId("choose-topic");
  const runChoice = byId("choose-run");
  const kind = byId("choose-show"), order = byId("choose-order"), searched = byId("choose-nugget"), whole = byId("all-lanes");
  let printing = false;
  const HEIGHT = 26, MIDDLE = 13, PAD = 8, QUOTED = 12, LANES = 30;
  let opened = null, focused = null;

  const timeline = () => data.timelines[Number(topicChoice.value)];
  const chosen = () => (runChoice.value === "all" ? null : Number(runChoice.value));

  function sayingsOf(topic) {
    const by = topic.nuggets.map(() => []);
    topic.sayings.forEach((saying) => by[saying[0]].push(saying));
    return by;
  }
  function firstSaid(said, topic) {
    const run = chosen();
    return said.findIndex((own) => own.some((each) => run === null || topic.updates[each[1]][0] === run));
  }

  const usual = (topic, said) => Math.max(0, firstSaid(said, topic));

  function showTopic() {
    const topic = timeline();
    const said = sayingsOf(topic);
    all(".said").forEach((each) => each.classList.toggle("on", each.dataset.timeline === topicChoice.value));
    byId("shown").replaceChildren("Topic ", bdi(topic.topic), ", run ", bdi(runChoice.selectedOptions[0].text));
    opened = usual(topic, said);
    focused = null;
    lanes.replaceChildren(axis(topic), ...topic.nuggets.map((nugget, at) => lane(topic, nugget, at, said[at])));
    arrange();
    place();
  }

  // Which nuggets are shown, in which order.
  const firstOf = (own) => own.find((each) => each[2] && (chosen() === null || timeline().updates[each[1]][0] === chosen()));
  const lateness = (topic, own) => {
    const first = firstOf(own);
    return first ? topic.updates[first[1]][2] - topic.nuggets[first[0]][1] : null;
  };
  const KINDS = {
    all: () => true,
    missed: (topic, own) => !firstOf(own),
    late: (topic, own) => lateness(topic, own) > 0,
    said: (topic, own) => Boolean(firstOf(own)),
  };
  const ORDERS = {
    time: (topic, own, at) => at,
    weight: (topic, own, at) => -topic.nuggets[at][2],
    late: (topic, own) => -(lateness(topic, own) ?? -Infinity),
    missed: (topic, own) => new Set(own.map((each) => topic.updates[each[1]][0])).size,
  };
  function arrange() {
    const topic = timeline(), said = sayingsOf(topic);
    const words = searched.value.toLowerCase().split(/\s+/).filter(Boolean);
    const rank = said.map((own, at) => ORDERS[order.value](topic, own, at));
    const seen = said.map((own, at) => KINDS[kind.value](topic, own) &&
      words.every((word) => `${topic.nuggets[at][0]} ${topic.nuggets[at][3]}`.toLowerCase().includes(word)));
    const places = said.map((_, at) => at).sort((a, b) => rank[a] - rank[b] || a - b);
    const made = new Map(all(".lane", lanes).map((each) => [Number(each.dataset.nugget), each]));
    const fitting = places.filter((at) => seen[at]);
    const shown = new Set(printing || whole.getAttribute("aria-pressed") === "true" ? fitting : fitting.slice(0, LANES));
    places.forEach((at) => { made.get(at).hidden = !shown.has(at) && !(seen[at] && at === opened); });
    lanes.append(...places.map((at) => made.get(at)));
    whole.hidden = printing || fitting.length <= LANES;
    whole.textContent = `All ${fitting.length} of these nuggets`;
    const weight = (held) => topic.nuggets.reduce((sum, nugget, at) => sum + (held[at] ? nugget[2] : 0), 0);
    byId("lanes-count").textContent = `${fitting.length} of ${said.length} nuggets, ` +
      `${short(weight(seen))} of ${short(weight(said.map(() => true)))} by weight`;
  }

  function axis() {
    return make("div", { class: "axis", "aria-hidden": "true" }, make("span"), make("span", { class: "weight" }, "weight"), trackCell(), make("span"));
  }
  function trackCell() {
    const cell = make("span", { class: "track-cell" });
    cell.append(draw("svg", { class: "track", "aria-hidden": "true" }));
    return cell;
  }

  function lane(topic, nugget, at, said) {
    const what = make("span", { class: "what" }, make("b", {}, bdi(nugget[0])), " ", bdi(nugget[3]));
    const count = make("span", { class: "count" }, ...counted(topic, said));
    const weight = make("span", { class: "weight", title: `weight ${short(nugget[2])}` }, make("span", { class: "unseen" }, "weight "));
    const heaviest = Math.max(...topic.nuggets.map((each) => each[2]));
    const bar = draw("svg", { viewBox: "0 0 24 6", "aria-hidden": "true" });
    bar.append(draw("rect", { width: heaviest > 0 ? Math.max(0, nugget[2]) / heaviest * 24 : 0, height: 6 }));
    weight.append(bar, short(nugget[2]));
    const button = make("button", { type: "button", "aria-expanded": "false", "aria-controls": `quotes-${at}` }, what, weight, trackCell(), count);
    const quotes = make("div", { class: "quotes", id: `quotes-${at}`, hidden: "" });
    const made = make("div", { class: "lane", "data-nugget": at }, button, quotes);
    button.addEventListener("click", (event) => {
      const hit = event.target.closest(".hit");
      const run = hit ? Number(hit.dataset.run) : null;
      if (hit) { opened = at; focused = run; } else { opened = opened === at ? null : at; focused = null; }
      showQuotes(topic);
      address.changed(made);
    });
    return made;
  }
  function counted(topic, said) {
    const run = chosen();
    if (run === null) {
      const runs = said.filter((each) => each[2]).length;
      return [`${runs} of ${data.runs.length}`];
    }
    const own = said.filter((each) => topic.updates[each[1]][0] === run);
    const first = own.find((each) => each[2]);
    if (!first) return [make("span", { class: "missed" }, "✕ missed")];
    const nugget = topic.nuggets[first[0]];
    const again = own.length > 1 ? ` ×${own.length}` : "";
    return [lag(topic.updates[first[1]][2] - nugget[1]) + again];
  }

  // Places are in pixels, so that marks keep their shape at every width.
  function place() {
    const topic = timeline();
    const said = sayingsOf(topic);
    const width = Math.max(60, lanes.querySelector(".track-cell").clientWidth);
    if (chosen() !== null && !pressed(chosen())) paint(chosen());
    const section = lanes.closest("section");
    section.style.setProperty("--run", chosen() === null ? "" : `var(--s${colours[chosen()]})`);
    const times = topic.nuggets.map((each) => each[1]).concat(topic.updates.map((each) => each[2]));
    const low = Math.min(0, ...times), high = Math.max(topic.end, ...times, low + 1);
    const across = (hours) => PAD + (hours - low) / (high - low) * (width - 2 * PAD);
    ticks(lanes.querySelector(".axis .track"), low, high, across, width);
    // On paper the track is narrower: it then shrinks as a whole.
    all(".track", lanes).forEach((svg) => svg.setAttribute("viewBox", `0 0 ${width} ${HEIGHT}`));
    all(".lane", lanes).forEach((made) => {
      const at = Number(made.dataset.nugget);
      track(made.querySelector(".track"), topic, topic.nuggets[at], said[at], across, width);
    });
    showQuotes(topic);
  }
  function ticks(svg, low, high, across, width) {
    const rough = (high - low) / Math.max(2, width / 70);
    const power = 10 ** Math.floor(Math.log10(rough));
    const steps = high - low > 72 ? [24, 48, 72, 120, 168, 240, 336, 720].filter((each) => each >= rough) : [];
    const step = steps[0] ?? [1, 2, 3, 6, 10].map((each) => each * power).find((each) => each >= rough);
    const days = step % 24 === 0;
    const made = [];
    for (let at = Math.ceil(low / step) * step; at <= high; at += step) {
      made.push(draw("line", { class: "base", x1: across(at), x2: across(at), y1: 20, y2: HEIGHT }));
      made.push(draw("text", { class: "tick", x: across(at), y: 15 }, days ? `${at / 24} d` : `${written(Number(at.toPrecision(6)))} h`));
    }
    svg.replaceChildren(...made);
  }
  function track(svg, topic, nugget, said, across, width) {
    const run = chosen(), many = data.runs.length > COLOURS;
    const gold = across(nugget[1]);
    const made = [draw("line", { class: "base", x1: 0, x2: width, y1: MIDDLE, y2: MIDDLE })];
    const hits = [];
    const own = [];
    for (const saying of said) {
      const update = topic.updates[saying[1]];
      if (update[0] === run) own.push(saying);
      else if (saying[2]) {
        const colour = many && !pressed(update[0]) ? "" : ` s${colours[update[0]]}`;
        made.push(draw("circle", { class: run === null ? `all${colour}` : "other", cx: across(update[2]), cy: MIDDLE, r: run === null ? 4 : 2.6 }));
        hits.push(hit(across(update[2]), update[0]));
      }
    }
    own.filter((each) => !each[2]).forEach((each) => {
      made.push(draw("circle", { class: "again", cx: across(topic.updates[each[1]][2]), cy: MIDDLE, r: 3.6 }));
      hits.push(hit(across(topic.updates[each[1]][2]), run));
    });
    own.filter((each) => each[2]).forEach((each) => {
      const x = across(topic.updates[each[1]][2]);
      made.push(draw("line", { class: "late", x1: gold, x2: x, y1: MIDDLE, y2: MIDDLE }));
      made.push(draw("circle", { class: "first", cx: x, cy: MIDDLE, r: 5 }));
      hits.push(hit(x, run));
    });
    made.push(draw("line", { class: "gold", x1: gold, x2: gold, y1: 3, y2: HEIGHT - 3 }));
    svg.replaceChildren(...made, ...hits);
  }
  function hit(x, run) {
    return draw("circle", { class: "hit", cx: x, cy: MIDDLE, r: 12, "data-run": run });
  }

  function showQuotes(topic) {
    const said = sayingsOf(topic);
    all(".lane", lanes).forEach((made) => {
      const at = Number(made.dataset.nugget);
      const quotes = made.querySelector(".quotes");
      const open = at === opened;
      made.querySelector("button").setAttribute("aria-expanded", String(open));
      quotes.hidden = !open;
      quotes.replaceChildren(...(open ? quoted(topic, topic.nuggets[at], said[at]) : []));
    });
  }
  // An opened nugget is told by its name, by nothing where all are closed; a pressed mark by its run.
  function keepOpened() {
    const place = () => lanes.querySelector(`[data-nugget="${opened}"]`);
    address.keep("nugget", {
      place,
      read: () => {
        const topic = timeline();
        if (opened === usual(topic, sayingsOf(topic))) return null;
        return [opened === null ? "" : topic.nuggets[opened][0]];
      },
      write: (texts) => {
        const topic = timeline();
        const at = texts?.length === 1 ? topic.nuggets.findIndex((each) => each[0] === texts[0]) : -1;
        const closed = texts?.length === 1 && texts[0] === "";
        focused = null;
        opened = at >= 0 ? at : closed ? null : usual(topic, sayingsOf(topic));
        arrange();
        showQuotes(topic);
        return at >= 0 || closed ? [] : texts ?? [];
      },
    });
    address.keep("mark", {
      place,
      read: () => (focused === null ? null : [data.runs[focused]]),
      write: (texts) => {
        const at = texts?.length === 1 ? data.runs.indexOf(texts[0]) : -1;
        if (at >= 0) {
          focused = at;
          showQuotes(timeline());
        }
        return at >= 0 ? [] : texts ?? [];
      },
    });
  }
  // The chosen run's own words first, then the first words of the others as they came.
  function quoted(topic, nugget, said) {
    const run = focused ?? chosen();
    const runOf = (each) => topic.updates[each[1]][0];
    const own = said.filter((each) => runOf(each) === run);
    const others = said.filter((each) => each[2] && runOf(each) !== run);
    const listed = [...own, ...others];
    const list = make("ol", {}, ...listed.slice(0, QUOTED).map((each) => quote(topic, nugget, each, runOf(each) === run)));
    const parts = [make("p", { class: "gold-text" }, bdi(nugget[3]), ` (at ${short(nugget[1])} h, weight ${short(nugget[2])})`), list];
    const rest = listed.slice(QUOTED);
    if (rest.length) {
      const more = make("button", { type: "button", class: "more" }, `${rest.length} more`);
      more.addEventListener("click", () => {
        list.append(...rest.map((each) => quote(topic, nugget, each, false)));
        more.remove();
      });
      parts.push(more);
    }
    const saying = new Set(said.map(runOf));
    const never = data.runs.filter((_, each) => !saying.has(each));
    if (never.length) {
      const names = never.flatMap((name, place) => (place ? [", ", bdi(name)] : [bdi(name)]));
      parts.push(make("p", { class: "never" }, "Missed by: ", ...names));
    }
    return parts;
  }
  function quote(topic, nugget, saying, own) {
    const [run, name, hours, text] = topic.updates[saying[1]];
    const who = make("span", { class: "who" }, make("b", {}, named(run)), ` at ${short(hours)} h, ${lag(hours - nugget[1])}`,
      saying[2] ? "" : ", again", make("br"), bdi(name));
    return make("li", own ? { class: "chosen" } : {}, who, make("q", { dir: "auto" }, ...marked(data.texts[text], saying[3])));
  }
  function marked(text, ends) {
    const parts = [];
    let at = 0;
    for (let i = 0; i < ends.length; i += 2) {
      parts.push(text.slice(at, ends[i]), make("mark", {}, text.slice(ends[i], ends[i + 1])));
      at = ends[i + 1];
    }
    parts.push(text.slice(at));
    return parts;
  }

  function openTopic(name) {
    const place = data.timelines.findIndex((each) => each.topic === name);
    if (place >= 0) {
      topicChoice.value = String(place);
      showTopic();
    }
    address.changed(lanes);
    lanes.closest("section").scrollIntoView();
  }
  if (lanes) {
    byId("said").open = false;
    topicChoice.addEventListener("change", showTopic);
    runChoice.addEventListener("change", showTopic);
    [kind, order].forEach((each) => each.addEventListener("change", arrange));
    searched.addEventListener("input", arrange);
    whole.addEventListener("click", () => {
      whole.setAttribute("aria-pressed", String(whole.getAttribute("aria-pressed") !== "true"));
      arrange();
    });
    ["beforeprint", "afterprint"].forEach((name) => addEventListener(name, () => {
      printing = name === "beforeprint";
      arrange();
    }));
    all("a[data-topic]").forEach((link) => link.addEventListener("click", (event) => {
      event.preventDefault();
      openTopic(link.dataset.topic);
    }));
    keepOpened();
    showTopic();
    document.addEventListener("standing", place);
    let before = lanes.clientWidth;
    new ResizeObserver(() => {
      if (lanes.clientWidth !== before) {
        before = lanes.clientWidth;
        place();
      }
    }).observe(lanes);
  }

  // Files that are put together when they are asked for.
  const cell = (value) => {
    const formula = typeof value === "string" && /^[=+\-@\t\r]./s.test(value) && isNaN(value);
    const text = value === null ? "" : (formula ? "'" : "") + value;
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  const csv = (rows) => rows.map((row) => row.map(cell).join(",") + "\n").join("");
  const files = {
    "curves.csv": () => {
      const rows = [["panel", "x_axis", "run", "x", "value", "low", "high", "dot"]];
      for (const panel of Object.values(data.panels)) {
        for (const [run, value, low, high] of panel.lines) {
          panel.x.forEach((x, at) => rows.push([panel.title, panel.xTitle, data.runs[run], x, value[at], low[at], high[at],
            panel.dots.length ? panel.dots.find((each) => each[0] === run)[1][at] : null]));
        }
      }
      return csv(rows);
    },
    "nuggets.csv": () => {
      const rows = [["topic", "nugget", "hours", "importance", "nugget_text", "run", "update", "update_hours", "first", "update_text"]];
      for (const topic of data.timelines) {
        topic.nuggets.forEach((nugget, place) => {
          const said = topic.sayings.filter((each) => each[0] === place);
          for (const each of said) {
            const [run, name, hours, text] = topic.updates[each[1]];
            rows.push([topic.topic, ...nugget, data.runs[run], name, hours, each[2] ? "yes" : "no", data.texts[text]]);
          }
          const saying = new Set(said.map((each) => topic.updates[each[1]][0]));
          data.runs.forEach((name, run) => {
            if (!saying.has(run)) rows.push([topic.topic, ...nugget, name, null, null, "missed", null]);
          });
        });
      }
      return csv(rows);
    },
  };
  all(".make").forEach((button) => button.addEventListener("click", () => {
    const url = URL.createObjectURL(new Blob([files[button.dataset.make]()], { type: "text/csv" }));
    const link = make("a", { href: url, download: button.dataset.make });
    link.click();
    setTimeout(() => URL.revokeObjectURL(url), 10000);
  }));
  return { data, all, byId, make, draw, bdi, named, written, lag, marked, standing, stepped, openTopic, colours, pressed, paint };
})();
