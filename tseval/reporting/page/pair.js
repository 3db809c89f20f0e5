// Two runs beside each other: any two, worked out here from what the page holds of each run.
(() => {
  const { data, byId, make, draw, bdi, named, written, lag, marked, openTopic, colours, pressed, paint } = page;
  const { pair } = data;
  const AT_A_TIME = 50;
  const WIDTH = 440, HEIGHT = 250, LEFT = 52, RIGHT = 12, TOP = 10, BOTTOM = 36, BAR = 220;
  const choices = ["a", "b"].map((name) => byId(`choose-${name}`));
  const measureChoice = byId("choose-pair-measure");
  if (!measureChoice) return;
  const runs = () => choices.map((each) => Number(each.value));
  const digits = (value, decimals) => (value === null ? "–" : written(value, decimals));
  const gained = (value, decimals) => (value > 0 ? "+" : "") + digits(value, decimals);
  const counted = (number, word) => `${written(number)} ${word}${number === 1 ? "" : "s"}`;

  // Topic by topic, the largest gain of A first; topics that one of them lacks come last.
  function gains(board, [a, b]) {
    const rows = board.cells.flatMap((cells, topic) => {
      if (cells[a] === null && cells[b] === null) return [];
      const both = cells[a] !== null && cells[b] !== null;
      const gain = both ? (board.higher ? cells[a] - cells[b] : cells[b] - cells[a]) : null;
      return [{ topic, values: [cells[a], cells[b]], gain }];
    });
    return rows.sort((x, y) => (x.gain === null) - (y.gain === null) || y.gain - x.gain || x.topic - y.topic);
  }
  function topicName(topic) {
    const name = pair.topics[topic];
    if (!data.timelines.some((each) => each.topic === name)) return bdi(name);
    const link = make("a", { href: "#timeline" }, bdi(name));
    link.addEventListener("click", (event) => { event.preventDefault(); openTopic(name); });
    return link;
  }
  // A and B have the colours that they have elsewhere on the page.
  function look(run) {
    const [a, b] = runs();
    return run === b && colours[a] === colours[b] ? `s${(colours[a] + 1) % 8}` : `s${colours[run]}`;
  }
  const keyed = (run) => [make("i", { class: `swatch ${look(run)}`, "aria-hidden": "true" }), named(run)];
  function bar(gain, largest, [a, b]) {
    const svg = draw("svg", { class: "gain", viewBox: `0 0 ${BAR} 14`, preserveAspectRatio: "none", "aria-hidden": "true" });
    const long = largest ? Math.abs(gain) / largest * (BAR / 2 - 2) : 0;
    svg.append(draw("rect", { class: gain < 0 ? `behind ${look(b)}` : `ahead ${look(a)}`, x: gain < 0 ? BAR / 2 - long : BAR / 2, y: 2, width: long, height: 10 }),
      draw("line", { class: "zero", x1: BAR / 2, x2: BAR / 2, y1: 0, y2: 14 }));
    return svg;
  }
  function showTopics(board, chosen) {
    const rows = gains(board, chosen);
    const both = rows.filter((each) => each.gain !== null);
    const won = both.filter((each) => each.gain > 0).length, lost = both.filter((each) => each.gain < 0).length;
    const mean = both.reduce((sum, each) => sum + each.gain, 0) / both.length;
    const told = both.length
      ? `: better on ${won} of ${counted(both.length, board.over)} that both have, worse on ${lost}${board.pooled ? "" : `; mean gain ${gained(mean, board.decimals)}${board.unit ? ` ${board.unit}` : ""}`}.`
      : `: they have no ${board.over} in common.`;
    const [a, b] = chosen;
    const largest = Math.max(0, ...both.map((each) => Math.abs(each.gain)));
    const label = `${board.name} by ${board.over}, ${data.runs[a]} and ${data.runs[b]}`;
    const heads = [[board.over], keyed(a), keyed(b), ["gain of A"], ["B ahead | A ahead"]]
      .map((head, at) => make("th", { scope: "col", class: at ? (at < 4 ? "number" : "middle") : "" }, ...head));
    const line = ({ topic, values, gain }) => make("tr", {}, make("th", { scope: "row" }, topicName(topic)),
      ...values.map((value) => make("td", { class: "number" }, digits(value, board.decimals))),
      make("td", { class: "number" }, gain === null ? "–" : gained(gain, board.decimals)),
      make("td", {}, ...(gain === null ? [] : [bar(gain, largest, chosen)])));
    byId("pair-topics").replaceChildren(make("p", {}, named(a), " against ", named(b), ` by ${board.name}`, told),
      make("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": label },
        make("table", { class: "gains" }, make("caption", { class: "unseen" }, label),
          make("thead", {}, make("tr", {}, ...heads)), make("tbody", {}, ...rows.map(line)))));
  }

  // The gain at each time over the topics that both have, with its Student interval.
  function spread(steps, length) {
    const values = new Array(length).fill(null);
    for (let at = 0; at < steps.length; at += 2) values.fill(steps[at + 1], steps[at], steps[at + 2] ?? length);
    return values;
  }
  function overTime(traces, higher, [a, b]) {
    const { length } = traces.places;
    const topics = traces.runs[a].map((steps, topic) => [spread(steps, length), spread(traces.runs[b][topic] ?? [], length)]);
    return traces.places.map((x, at) => {
      const gain = topics.flatMap(([own, other]) => (own[at] === null || other[at] === null ? [] : [higher ? own[at] - other[at] : other[at] - own[at]]));
      const number = gain.length;
      const mean = number ? gain.reduce((sum, each) => sum + each, 0) / number : null;
      if (number < pair.few) return { x, number, mean, low: null, high: null };
      const variance = gain.reduce((sum, each) => sum + (each - mean) ** 2, 0) / (number - 1);
      const wide = pair.wide[number - 2] * Math.sqrt(variance / number);
      return { x, number, mean, low: mean - wide, high: mean + wide };
    });
  }
  function rounds(low, high, wanted) {
    const rough = (high - low) / wanted, power = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 2.5, 5, 10].map((each) => each * power).find((each) => each >= rough * 0.999);
    const first = Math.floor(low / step + 1e-9), last = Math.max(first + 1, Math.ceil(high / step - 1e-9));
    return Array.from({ length: last - first + 1 }, (_, at) => Number(((first + at) * step).toPrecision(10)));
  }
  function picture(points, traces, label) {
    const means = points.flatMap((each) => (each.mean === null ? [] : [each.mean]));
    const last = points.findLast((each) => each.low !== null);
    const marks = rounds(Math.min(0, ...means, last?.low ?? 0), Math.max(0, ...means, last?.high ?? 0) || 1, 5);
    const start = Math.min(0, traces.places[0]), end = Math.max(traces.places.at(-1), start + 1e-9);
    const across = (x) => LEFT + (x - start) / (end - start) * (WIDTH - LEFT - RIGHT);
    const held = (y) => Math.min(Math.max(y, marks[0]), marks.at(-1));
    const down = (y) => HEIGHT - BOTTOM - (held(y) - marks[0]) / (marks.at(-1) - marks[0]) * (HEIGHT - TOP - BOTTOM);
    const svg = draw("svg", { class: "plot", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": label });
    marks.forEach((mark) => svg.append(draw("line", { class: mark === 0 ? "zero" : "rule", x1: LEFT, x2: WIDTH - RIGHT, y1: down(mark), y2: down(mark) }),
      draw("text", { class: "y", x: LEFT - 6, y: down(mark) + 4 }, written(mark))));
    rounds(start, end, 6).filter((mark) => mark >= start && mark <= end)
      .forEach((mark) => svg.append(draw("text", { class: "x", x: across(mark), y: HEIGHT - BOTTOM + 15 }, written(mark))));
    svg.append(draw("text", { class: "x title", x: (LEFT + WIDTH - RIGHT) / 2, y: HEIGHT - 4 }, traces.x));
    // Each value holds until the next place.
    const stretches = [];
    points.forEach((point, at) => {
      const until = across(points[at + 1]?.x ?? point.x);
      const own = { from: across(point.x), until, ...point };
      if (point.mean !== null && stretches.at(-1)?.at(-1).until === own.from) stretches.at(-1).push(own);
      else if (point.mean !== null) stretches.push([own]);
    });
    const path = (values) => values.map(({ from, until, y }, at) => `${at ? "L" : "M"}${from} ${down(y)}H${until}`).join("");
    stretches.forEach((own) => {
      const banded = own.filter((each) => each.low !== null);
      if (banded.length) {
        const back = banded.toReversed().map(({ from, until, low }) => `L${until} ${down(low)}H${from}`).join("");
        svg.append(draw("path", { class: "gain-band", d: `${path(banded.map((each) => ({ ...each, y: each.high })))}${back}Z` }));
      }
      svg.append(draw("path", { class: "gain-line", d: path(own.map((each) => ({ ...each, y: each.mean }))) }));
    });
    return svg;
  }
  function showCurve(board, chosen) {
    const place = byId("pair-curve");
    const name = board.name.split("@")[0];
    const traces = pair.traces.find((each) => each.name === name);
    if (!traces) {
      const known = pair.traces.map((each) => each.name).join(" and ");
      place.replaceChildren(make("p", { class: "note" }, `The gain over time is here for ${known}: of these alone the page holds every topic's curve.`));
      return;
    }
    const points = overTime(traces, board.higher, chosen);
    const level = `${Number((100 * pair.level).toPrecision(6))} %`;
    const last = points.at(-1), decimals = board.decimals;
    const interval = (point) => (point.low === null ? "–" : `${gained(point.low, decimals)} to ${gained(point.high, decimals)}`);
    const [a, b] = chosen.map((run) => data.runs[run]);
    const label = `Gain of ${a} over ${b} by ${name} over time; at the end ${gained(last.mean, decimals)}${last.low === null ? "" : `, interval ${interval(last)}`}`;
    const banded = points.some((each) => each.low !== null)
      ? `The band is its ${level} Student interval over topics, which this page works out for any pair; the interval that goes with the test stands with the verdict.`
      : `There is no band with fewer than ${pair.few} topics.`;
    const few = points.length > 9 ? Array.from({ length: 9 }, (_, at) => points[Math.round(at * (points.length - 1) / 8)]) : points;
    const table = make("table", {}, make("caption", {}, `Gain by ${name}`),
      make("thead", {}, make("tr", {}, ...[traces.x, "gain", "interval", "topics"].map((head) => make("th", { scope: "col", class: "number" }, head)))),
      make("tbody", {}, ...few.map((point) => make("tr", {}, make("th", { scope: "row", class: "number" }, digits(point.x, 1)),
        ...[gained(point.mean, decimals), interval(point), written(point.number)].map((text) => make("td", { class: "number" }, text))))));
    const fold = make("details", {}, make("summary", {}, "as a table"),
      make("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": `Gain by ${name} as a table` }, table));
    fold.open = place.querySelector("details")?.open ?? false;
    place.replaceChildren(make("figure", {},
      make("figcaption", {}, make("b", {}, `${name} over time`), " ",
        make("span", {}, `how much better A is, at each time over the topics that both have. ${banded}`)),
      picture(points, traces, label), fold));
  }

  // Who said each nugget, and who said it first.
  const KINDS = [
    ["only-a", (a) => ["Only ", ...keyed(a)]], ["only-b", (a, b) => ["Only ", ...keyed(b)]],
    ["a-earlier", (a) => ["Both, ", ...keyed(a), " earlier"]], ["b-earlier", (a, b) => ["Both, ", ...keyed(b), " earlier"]],
    ["at-once", () => ["Both at once"]], ["neither", () => ["Neither"]],
  ];
  function firsts(topic, run) {
    const found = new Map();
    topic.sayings.forEach((saying) => {
      if (saying[2] && topic.updates[saying[1]][0] === run && !found.has(saying[0])) found.set(saying[0], saying);
    });
    return found;
  }
  function sorted([a, b]) {
    const kinds = Object.fromEntries(KINDS.map(([kind]) => [kind, []]));
    data.timelines.forEach((topic) => {
      const said = [firsts(topic, a), firsts(topic, b)];
      topic.nuggets.forEach((nugget, at) => {
        const [own, other] = said.map((each) => each.get(at));
        const lead = own && other ? topic.updates[other[1]][2] - topic.updates[own[1]][2] : 0;
        const kind = own && other ? (lead > 0 ? "a-earlier" : lead < 0 ? "b-earlier" : "at-once") : own ? "only-a" : other ? "only-b" : "neither";
        kinds[kind].push({ topic, nugget, said: [own, other], lead });
      });
    });
    Object.values(kinds).forEach((rows) => rows.sort((x, y) => y.nugget[2] - x.nugget[2] || Math.abs(y.lead) - Math.abs(x.lead)));
    return kinds;
  }
  let kind = null, most = AT_A_TIME;
  function saidBy(topic, nugget, saying, run) {
    if (!saying) return make("div", { class: "side" }, make("p", { class: "who" }, make("b", {}, named(run)), " ", make("span", { class: "missed" }, "✕ never")));
    const [, name, hours, text] = topic.updates[saying[1]];
    const who = make("p", { class: "who" }, make("b", {}, named(run)), ` ${lag(hours - nugget[1])} · `, bdi(name));
    return make("div", { class: "side" }, who, make("q", { dir: "auto" }, ...marked(data.texts[text], saying[3])));
  }
  function row({ topic, nugget, said, lead }, chosen) {
    const early = lead ? `, ${written(Math.abs(lead), 1)} h apart` : "";
    const sides = make("div", { class: "sides" }, ...said.map((saying, at) => saidBy(topic, nugget, saying, chosen[at])));
    return make("li", {}, make("p", { class: "gold-text" }, bdi(nugget[3]), " ",
      make("span", { class: "soft" }, "(", bdi(topic.topic), `, at ${written(nugget[1], 1)} h, weight ${written(Number(nugget[2].toPrecision(4)))}${early})`)),
      ...(said.some(Boolean) ? [sides] : []));
  }
  function showNuggets(chosen) {
    const kinds = sorted(chosen);
    const buttons = KINDS.map(([name, words]) => {
      const rows = kinds[name], weight = rows.reduce((sum, each) => sum + each.nugget[2], 0);
      const button = make("button", { type: "button", class: "list", "data-kind": name, "aria-expanded": String(kind === name), "aria-controls": "pair-list" },
        ...words(...chosen), " ", make("span", {}, `${written(rows.length)}, weight ${written(Number(weight.toPrecision(6)))}`));
      button.addEventListener("click", () => {
        kind = kind === name ? null : name;
        most = AT_A_TIME;
        showNuggets(runs());
        byId("pair-nuggets").querySelector(`[data-kind="${name}"]`).focus();
        address.changed(byId("pair-nuggets"));
      });
      return button;
    });
    const rows = kinds[kind] ?? [];
    const list = make("div", { id: "pair-list" });
    if (kind !== null) {
      const seen = rows.slice(0, most);
      const more = make("button", { type: "button", class: "more" }, "More");
      more.addEventListener("click", () => {
        most += AT_A_TIME;
        showNuggets(runs());
        (byId("pair-list").querySelector(".more") ?? byId("pair-list").querySelector("li:last-child")).focus?.();
      });
      list.append(make("p", { class: "note", role: "status" }, `${seen.length} of ${counted(rows.length, "nugget")}, the heaviest first.`),
        make("ol", { class: "beside" }, ...seen.map((each) => row(each, chosen))), ...(rows.length > most ? [make("p", { class: "controls" }, more)] : []));
    }
    byId("pair-nuggets").replaceChildren(make("h3", {}, "Nuggets"),
      make("div", { class: "lists", role: "group", "aria-label": "Nuggets by who said them" }, ...buttons), list);
  }

  function show() {
    const chosen = runs(), board = pair.boards[Number(measureChoice.value)];
    chosen.filter((run) => !pressed(run)).forEach(paint);
    byId("pair-shown").replaceChildren("A: ", named(chosen[0]), ", B: ", named(chosen[1]), `, by ${board.name}`);
    showTopics(board, chosen);
    if (byId("pair-curve")) showCurve(board, chosen);
    if (byId("pair-nuggets")) showNuggets(chosen);
  }
  document.addEventListener("standing", show);
  [...choices, measureChoice].forEach((each) => each.addEventListener("change", () => { most = AT_A_TIME; show(); }));
  byId("pair-swap").addEventListener("click", () => {
    const [a, b] = choices.map((each) => each.value);
    choices[0].value = b;
    choices[1].value = a;
    show();
    address.changed(choices[0]);
  });
  if (byId("pair-nuggets")) {
    address.keep("pair-nuggets", {
      read: () => (kind === null ? null : [kind]),
      write: (texts) => {
        const fits = texts?.length === 1 && KINDS.some(([name]) => name === texts[0]);
        kind = fits ? texts[0] : null;
        most = AT_A_TIME;
        showNuggets(runs());
        return fits ? [] : texts ?? [];
      },
    });
  }
  show();
})();
