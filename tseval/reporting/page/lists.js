// Lists that a reader searches and filters, so many rows at a time.
(() => {
  const { data, all, make, bdi, named, written } = page;
  const AT_A_TIME = 50;
  const isNumber = (kind) => kind === "number" || kind === "count";
  const isRuns = (kind) => kind === "run" || kind === "runs";
  const small = data.texts.map(() => null);
  const lowered = (at) => (small[at] ??= data.texts[at].toLowerCase());

  function shown([, kind, decimals], value) {
    if (kind === "run") return named(value);
    if (kind === "runs") return told(value);
    if (!isNumber(kind)) return bdi(data.texts[value]);
    if (value === null) return "–";
    return written(value, kind === "count" ? 0 : decimals);
  }

  // Of many runs the few others are named.
  function told(runs) {
    const each = (places) => make("span", {}, ...places.flatMap((run, at) => [at ? ", " : "", named(run)]));
    const number = data.runs.length;
    if (number === 1 || 2 * runs.length <= number) return each(runs);
    if (runs.length === number) return number === 2 ? "both" : `all ${number}`;
    return make("span", {}, "all but ", each(data.runs.map((_, run) => run).filter((run) => !runs.includes(run))));
  }

  all(".searched").forEach((found) => {
    const lists = data.lists[found.dataset.lists];
    const buttons = all(".list", found);
    const filters = all("[data-head]", found);
    const field = found.querySelector("input[type=search]");
    const more = found.querySelector(".more");
    let chosen = 0, most = AT_A_TIME;

    function fits(list) {
      const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
      const said = list.heads.flatMap(([, kind], at) => (isNumber(kind) ? [] : [[kind, list.columns[at]]]));
      const holds = (row, word) => said.some(([kind, column]) => (isRuns(kind)
        ? [column[row]].flat().some((run) => data.runs[run].toLowerCase().includes(word)) : lowered(column[row]).includes(word)));
      const asked = filters.flatMap((filter) => {
        const at = list.heads.findIndex((head) => head[3] === filter.dataset.head);
        if (at < 0 || filter.value === "") return [];
        const [, kind] = list.heads[at], column = list.columns[at];
        if (isNumber(kind)) return [(row) => column[row] !== null && column[row] >= Number(filter.value)];
        if (isRuns(kind)) return [(row) => [column[row]].flat().includes(Number(filter.value))];
        return [(row) => data.texts[column[row]] === filter.value];
      });
      const rows = [];
      for (let row = 0; row < list.columns[0].length; row += 1) {
        if (asked.every((fit) => fit(row)) && words.every((word) => holds(row, word))) rows.push(row);
      }
      return rows;
    }
    function table(list, rows) {
      const heads = list.heads.map(([head, kind]) => make("th", { scope: "col", role: "columnheader", class: isNumber(kind) ? "number" : "" }, head));
      const cells = (row) => list.heads.map((head, at) => {
        const name = at === 0 ? "th" : "td";
        const text = isNumber(head[1]) || isRuns(head[1]) ? "" : data.texts[list.columns[at][row]];
        const long = text.length > 40 && text.includes(" ");
        const look = isNumber(head[1]) ? "number" : head[1] === "runs" ? "runs" : long ? "text" : head[1] === "text" ? "short" : "name";
        const attributes = at === 0 ? { scope: "row", role: "rowheader", class: look } : { class: look, role: "cell", "data-of": head[0] };
        return make(name, attributes, shown(head, list.columns[at][row]));
      });
      return make("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": list.label },
        make("table", { role: "table" }, make("caption", { class: "unseen" }, list.label),
          make("thead", { role: "rowgroup" }, make("tr", { role: "row" }, ...heads)),
          make("tbody", { role: "rowgroup" }, ...rows.map((row) => make("tr", { role: "row" }, ...cells(row))))));
    }
    function show() {
      const list = lists[chosen];
      buttons.forEach((each, at) => each.setAttribute("aria-pressed", String(at === chosen)));
      filters.forEach((filter) => {
        filter.closest(".control").hidden = !list.heads.some((head) => head[3] === filter.dataset.head);
      });
      const rows = fits(list);
      const seen = rows.slice(0, most);
      found.querySelector(".note").textContent = list.note;
      found.querySelector("output").textContent = `${written(seen.length)} of ${written(rows.length)} that fit`;
      found.querySelector(".place").replaceChildren(...(seen.length ? [table(list, seen)] : []));
      more.hidden = rows.length <= most;
      found.querySelector(".rest").hidden = more.hidden;
    }
    function afresh() {
      most = AT_A_TIME;
      show();
    }
    function choose(at) {
      chosen = at;
      afresh();
    }
    buttons.forEach((button, at) => button.addEventListener("click", () => { choose(at); address.changed(button); }));
    [field, ...filters].forEach((each) => each.addEventListener(each.tagName === "SELECT" ? "change" : "input", afresh));
    more.addEventListener("click", () => { most += AT_A_TIME; show(); });
    // The first list that has anything.
    const first = Math.max(0, lists.findIndex((list) => list.columns[0].length));
    address.keep(`${found.dataset.lists}-list`, {
      read: () => (chosen === first ? null : [lists[chosen].label]),
      write: (texts) => {
        const at = texts?.length === 1 ? lists.findIndex((list) => list.label === texts[0]) : -1;
        choose(at < 0 ? first : at);
        return at < 0 ? texts ?? [] : [];
      },
    });
    choose(first);
  });
})();
