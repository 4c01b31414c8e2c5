"use strict";
(() => {
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];
  const make = (tag, name, parent) => parent.appendChild(Object.assign(document.createElement(tag), { className: name }));

  document.getElementById("theme").onclick = () => {
    const root = document.documentElement;
    const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme:dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
  };

  const save = (text, name, type) => {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([text], { type }));
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  };
  const result = async () => {
    const held = document.getElementById("result");
    if (held.type === "application/json") return held.textContent;
    const bytes = Uint8Array.from(atob(held.textContent), (c) => c.charCodeAt(0));
    return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).text();
  };
  document.getElementById("json").onclick = async () => save(await result(), "result.json", "application/json");

  const text = (cell) => cell.dataset.v ?? (cell.querySelector("bdi") ?? cell).textContent.trim();
  const field = (value) => {
    const number = /^[-+−]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i.test(value);
    const safe = number ? value.replace("−", "-") : value.replace(/^(?=[=+\-@\t\r\n])/, "'");
    return /[",\n\r]/.test(safe) ? `"${safe.replace(/"/g, '""')}"` : safe;
  };
  const csv = (table) => {
    const lines = [];
    let group = "";
    for (const row of table.rows) {
      if (row.cells.length === 1 && row.cells[0].scope === "rowgroup") group = text(row.cells[0]);
      else lines.push([...(table.tBodies.length > 1 ? [row.parentNode === table.tHead ? "series" : group] : []), ...[...row.cells].map(text)].map(field).join(","));
    }
    return lines.join("\n") + "\n";
  };
  const flat = (row, before = "") => Object.entries(row).flatMap(([key, value]) =>
    value && typeof value === "object" ? flat(value, `${before}${key}_`) : [[before + key, value]]);
  const exact = async (part) => {
    const rows = JSON.parse(await result())[part].map((row) => Object.fromEntries(flat(row)));
    const names = [...new Set(rows.flatMap(Object.keys))];
    return [names, ...rows.map((row) => names.map((name) => row[name] ?? ""))].map((row) => row.map((v) => field(String(v))).join(",")).join("\n") + "\n";
  };
  for (const button of all("[data-csv]"))
    button.onclick = async () => {
      const table = button.parentNode.querySelector("table");
      const name = table.id || button.closest("figure").getAttribute("aria-labelledby");
      save(button.dataset.csv ? await exact(button.dataset.csv) : csv(table), `${name}.csv`, "text/csv");
    };

  for (const button of all("[data-copy]"))
    button.onclick = async () => {
      const from = document.getElementById(button.dataset.copy);
      const before = button.textContent;
      try {
        await navigator.clipboard.writeText(from.textContent.replaceAll("\u00a0", " "));
        button.textContent = "Copied";
      } catch {
        getSelection().selectAllChildren(from);
        button.textContent = "Selected: press Ctrl+C";
      }
      setTimeout(() => (button.textContent = before), 1600);
    };

  for (const button of all(".sortable th button"))
    button.onclick = () => {
      const head = button.parentNode;
      const body = head.closest("table").tBodies[0];
      const down = head.getAttribute("aria-sort") === "ascending";
      for (const other of head.parentNode.cells) if (other.ariaSort) other.ariaSort = "none";
      head.ariaSort = down ? "descending" : "ascending";
      const key = (row) => text(row.cells[head.cellIndex]);
      const rank = (a, b) => {
        const [x, y] = [Number(a), Number(b)];
        return Number.isNaN(x) || Number.isNaN(y) ? a.localeCompare(b) : x - y;
      };
      const rows = [...body.rows].sort((r, s) => {
        const [a, b] = [key(r), key(s)];
        if (!a || !b || a === "–" || b === "–") return (!b || b === "–" ? 0 : 1) - (!a || a === "–" ? 0 : 1);
        return down ? rank(b, a) : rank(a, b);
      });
      body.append(...rows);
    };

  const SIZE = 1000;
  for (const figure of all("figure.chart")) {
    const mode = figure.dataset.read;
    const at = figure.querySelector(".xtitle bdi");
    const title = at.textContent;
    if (mode === "none") continue;
    const frame = figure.querySelector(".frame");
    const headings = all("thead th", figure).map((cell) => cell.textContent);
    const series = all("tbody[data-s]", figure).map((body) => {
      const path = frame.querySelector(`[data-s="${body.dataset.s}"]`);
      const d = path ? path.getAttribute("d") : "";
      const numbers = (d.replace(/h0/g, "").match(/-?\d+/g) ?? []).map(Number);
      if (d[0] === "m") for (let j = 2; j < numbers.length; j++) numbers[j] += numbers[j - 2];
      const item = figure.querySelector(`.legend [data-s="${body.dataset.s}"]`);
      return {
        item,
        colour: path && path.closest("[class*=c-]") ? [...path.classList].find((c) => c.startsWith("c-")) : "c-ink",
        title: item ? item.querySelector("bdi").textContent : "",
        rows: [...body.rows].filter((row) => row.cells[0].tagName === "TD"),
        x: numbers.filter((_, j) => j % 2 === 0),
        y: numbers.filter((_, j) => j % 2 === 1),
      };
    }).filter((one) => one.x.length && one.x.length === one.rows.length);
    if (!series.length) continue;
    const hair = mode === "nearest" ? null : make("i", "hair", frame);
    const spots = (mode === "nearest" ? [series[0]] : series).map(() => make("i", "spot", frame));
    const slider = make("input", "reader", figure);
    const marks = mode === "nearest" ? series.flatMap((s) => s.x.map((_, j) => [s, j])) : [];
    Object.assign(slider, { type: "range", min: 0, max: mode === "nearest" ? marks.length - 1 : 200, value: 0 });
    slider.ariaLabel = `Read ${figure.querySelector("h3").textContent}`;

    const value = (cell) => Number(cell.textContent.replace("−", "-"));
    const digits = (cell) => (cell.textContent.split(".")[1] ?? "").length;
    const cells = (s, j, share) => [...s.rows[j].cells].map((cell, k) => {
      const next = share > 0 && s.rows[j + 1] ? s.rows[j + 1].cells[k] : null;
      if (!next || Number.isNaN(value(cell)) || Number.isNaN(value(next))) return cell.textContent;
      const between = value(cell) + share * (value(next) - value(cell));
      return between.toFixed(Math.max(3, Math.min(4, digits(cell), digits(next)))).replace("-", "−");
    });
    const put = (spot, s, x, y) => {
      spot.hidden = false;
      spot.className = `spot ${s.colour}`;
      spot.style.left = `${(100 * x) / SIZE}%`;
      spot.style.bottom = `${100 - (100 * y) / SIZE}%`;
    };
    const limits = (c) => (c.length > 2 ? ` (${c[1]} to ${c[2]})` : "");

    const along = (x) => {
      hair.hidden = false;
      hair.style.left = `${(100 * x) / SIZE}%`;
      const said = [];
      series.forEach((s, i) => {
        let j = s.x.findLastIndex((place) => place <= x);
        if (j < 0) j = 0;
        const gap = s.x[j + 1] - s.x[j];
        const share = mode === "along" && gap > 0 && x > s.x[j] ? (x - s.x[j]) / gap : 0;
        const shown = cells(s, j, share);
        put(spots[i], s, Math.max(x, s.x[0]), s.y[j] + share * ((s.y[j + 1] ?? s.y[j]) - s.y[j]));
        spots[i].hidden = x > s.x[s.x.length - 1] + 1;
        const reading = spots[i].hidden ? "–" : shown[1] + limits(shown.slice(1));
        if (i === 0) at.textContent = `${title} ${s.x[j + 1] === undefined && x > s.x[j] ? "" : shown[0]}`;
        if (s.item) s.item.querySelector("b").textContent = reading;
        else at.textContent += ` · ${headings[1]} ${reading}`;
        said.push(`${s.title} ${reading}`);
      });
      return `${at.textContent}: ${said.join(", ")}`;
    };
    const nearest = (s, j) => {
      put(spots[0], s, s.x[j], s.y[j]);
      const shown = cells(s, j, 0);
      const parts = shown.map((c, k) => (/\d/.test(c) ? `${headings[k]} ${c}` : c)).filter(Boolean);
      at.textContent = [series.length > 1 && s.title ? s.title : "", ...parts].filter(Boolean).join(" · ");
      return at.textContent;
    };
    const rest = () => {
      figure.classList.remove("reading", "read");
      at.textContent = title;
      if (hair) hair.hidden = true;
      for (const spot of spots) spot.hidden = true;
      for (const s of series) if (s.item) s.item.querySelector("b").textContent = "";
    };
    rest();
    frame.onpointermove = (event) => {
      const box = frame.getBoundingClientRect();
      const x = ((event.clientX - box.left) / box.width) * SIZE;
      const y = ((event.clientY - box.top) / box.height) * SIZE;
      figure.classList.add("read");
      figure.classList.toggle("reading", mode !== "nearest");
      if (mode !== "nearest") return along(Math.min(Math.max(x, 0), SIZE));
      const away = ([s, j]) => ((s.x[j] - x) * box.width) ** 2 + ((s.y[j] - y) * box.height) ** 2;
      const found = marks.reduce((best, mark) => (away(mark) < away(best) ? mark : best));
      nearest(...found);
    };
    frame.onpointerleave = () => document.activeElement !== slider && rest();
    const read = () => {
      figure.classList.add("read");
      figure.classList.toggle("reading", mode !== "nearest");
      const i = Number(slider.value);
      slider.ariaValueText = mode === "nearest" ? nearest(...marks[i]) : along((i * SIZE) / 200);
    };
    slider.oninput = read;
    slider.onfocus = read;
    slider.onblur = rest;
  }

  addEventListener("beforeprint", () => all("details.card").forEach((item) => (item.open = true)));
})();
