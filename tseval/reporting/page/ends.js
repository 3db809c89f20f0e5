// Curves of many runs: those that stand out are named at their ends, the others are one grey envelope.
(() => {
  const { data, all, draw, make, named, standing } = page;
  const MOST_LINES = 8, ROOM = 104, GAP = 12, LONGEST = 15, STEP = 2;
  const figures = all("figure.curve").filter((figure) => data.panels[figure.dataset.panel]?.dots.length === 0);
  const legend = document.querySelector(".legend");
  if (!legend || !figures.length || data.runs.length < 2) return;
  const isMany = data.runs.length > MOST_LINES;

  // The corners of a drawn path, stretch by stretch, as the page itself draws it.
  function stretches(path) {
    const found = [];
    let x = 0, y = 0;
    for (const [, command, rest] of (path.getAttribute("d") ?? "").matchAll(/([MLHV])([^MLHV]*)/g)) {
      const numbers = rest.trim().split(/[\s,]+/).map(Number);
      if (command === "H") [x] = numbers;
      else if (command === "V") [y] = numbers;
      else [x, y] = numbers;
      if (command === "M") found.push([]);
      found.at(-1).push([x, y]);
    }
    return found;
  }
  function heightAt(corners, x) {
    let before = null;
    for (const [at, y] of corners) {
      if (at > x) return before === null ? null : before[1] + (y - before[1]) * (x - before[0]) / (at - before[0]);
      before = [at, y];
    }
    return before !== null && before[0] === x ? before[1] : null;
  }
  function envelope(lines, left, right) {
    const above = [], below = [], parts = [];
    const close = () => {
      if (above.length > 1) parts.push(`M${[...above, ...below.reverse()].join("L")}Z`);
      above.length = below.length = 0;
    };
    for (let x = left; x <= right; x += STEP) {
      const heights = lines.flat().map((corners) => heightAt(corners, x)).filter((y) => y !== null);
      if (heights.length) {
        above.push(`${x} ${Math.min(...heights).toFixed(1)}`);
        below.push(`${x} ${Math.max(...heights).toFixed(1)}`);
      } else close();
    }
    close();
    return parts.join("");
  }

  const drawn = figures.map((figure) => {
    const plot = figure.querySelector(".plot");
    const [, , left, right] = plot.dataset.x.split(" ").map(Number);
    const lines = new Map(all(".line[data-run]", plot).map((line) => [Number(line.dataset.run), line]));
    const { width, height } = plot.viewBox.baseVal;
    const names = draw("g", { class: "ends", "aria-hidden": "true" });
    const grey = draw("path", { class: "envelope" });
    plot.append(names);
    if (isMany) {
      plot.classList.add("enveloped");
      plot.querySelector("[data-run]")?.before(grey);
    }
    return { plot, left, right, width, height, names, grey, lines, corners: new Map([...lines].map(([run, line]) => [run, stretches(line)])) };
  });
  // On a telephone names would have no room: the legend tells them.
  const wide = matchMedia("(min-width: 44.01rem), print");

  function name(each, runs) {
    each.plot.setAttribute("viewBox", `0 0 ${each.width + (wide.matches ? ROOM : 0)} ${each.height}`);
    if (!wide.matches) return each.names.replaceChildren();
    const ends = runs.map((run) => ({ run, end: each.corners.get(run)?.at(-1)?.at(-1) })).filter(({ end }) => end);
    ends.sort((a, b) => a.end[1] - b.end[1] || a.run - b.run);
    // Apart from the top down and from the bottom up: the middle of both is apart too.
    const pushed = (list, way) => list.reduce((places, { end: [, y] }) =>
      [...places, way * Math.max(way * y, places.length ? way * places.at(-1) + GAP : -Infinity)], []);
    const down = pushed(ends, 1), up = pushed([...ends].reverse(), -1).reverse();
    ends.forEach((one, at) => { one.y = (down[at] + up[at]) / 2; });
    return each.names.replaceChildren(...ends.flatMap(({ run, end: [x, y], y: to }) => {
      const text = data.runs[run];
      const short = text.length > LONGEST ? `${text.slice(0, LONGEST / 2)}…${text.slice(-LONGEST / 2)}` : text;
      const look = each.lines.get(run).getAttribute("class");
      return [draw("path", { class: look, d: `M${x} ${y}L${each.right + 10} ${to}H${each.right + 14}` }),
        draw("text", { x: each.right + 17, y: to + 4 }, short)];
    }));
  }
  const told = make("p", { class: "note envelope-note", role: "status" });
  legend.after(told);
  function show() {
    const runs = standing();
    drawn.forEach((each) => {
      name(each, runs);
      const rest = [...each.corners].filter(([run]) => !runs.includes(run)).map(([, corners]) => corners);
      if (isMany) each.grey.setAttribute("d", envelope(rest, each.left, each.right));
    });
    const others = data.runs.length - runs.length, kind = data.kind ?? "run";
    told.hidden = !isMany;
    told.replaceChildren(others ? `The area with an edge: from the lowest to the highest of ${runs.length ? others === 1 ? `the other ${kind}` : `the other ${others} ${kind}s` : `all ${others} ${kind}s`}. ` : "",
      ...(page.stepped.length ? ["At most ", String(MOST_LINES), " stand out, so ", named(page.stepped[0]), " stepped back."] : []));
  }
  document.addEventListener("standing", show);
  wide.addEventListener("change", show);
  show();
})();
