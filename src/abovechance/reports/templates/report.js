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
      const table = button.closest("section,details").querySelector("table");
      const name = table.id || button.closest("figure").getAttribute("aria-labelledby");
      save(button.dataset.csv ? await exact(button.dataset.csv) : csv(table), `${name}.csv`, "text/csv");
    };

  const copy = async (button, from, write) => {
    const before = button.textContent;
    try {
      await write();
      button.textContent = "Copied";
    } catch {
      getSelection().selectAllChildren(from);
      button.textContent = "Selected: press Ctrl+C";
    }
    setTimeout(() => (button.textContent = before), 1600);
  };
  for (const button of all("[data-copy]"))
    button.onclick = () => {
      const from = document.getElementById(button.dataset.copy);
      copy(button, from, () => navigator.clipboard.writeText(from.textContent.replaceAll("\u00a0", " ")));
    };

  // A table as other programs take it: its words, without the bars; numbers flush right.
  const grid = (table) => {
    const kept = [...table.tHead.rows[0].cells].map((cell, k) => k).filter((k) => !all("td.i", table).some((cell) => cell.cellIndex === k));
    const words = (cell) => (cell ? cell.innerText ?? cell.textContent : "").replace(/\s+/g, " ").trim();
    return {
      right: kept.map((k) => !table.tHead.rows[0].cells[k].classList.contains("t")),
      rows: [...table.rows].map((row) => kept.map((k) => words(row.cells[k]))),
    };
  };
  const tex = { "\\": "\\textbackslash{}", "{": "\\{", "}": "\\}", $: "\\$", "&": "\\&", "#": "\\#", "%": "\\%", _: "\\_", "^": "\\textasciicircum{}", "~": "\\textasciitilde{}", "<": "$<$", ">": "$>$", "−": "$-$", "∞": "$\\infty$", "²": "\\textsuperscript{2}", "★": "$\\star$", "″": "''", "–": "--" };
  const escaped = { word: { "&": "&amp;", "<": "&lt;", ">": "&gt;" }, latex: tex };
  const safe = (value, how) => [...value].map((c) => escaped[how][c] ?? c).join("");
  const forms = {
    word: ({ right, rows }) => {
      const line = (row, tag) => `<tr>${row.map((cell, k) => `<${tag} style="text-align:${right[k] ? "right" : "left"};padding:2pt 6pt${tag === "th" ? ";border-bottom:1pt solid" : ""}">${safe(cell, "word")}</${tag}>`).join("")}</tr>`;
      return `<table style="border-collapse:collapse;border-top:1pt solid;border-bottom:1pt solid">${rows.map((row, i) => line(row, i ? "td" : "th")).join("")}</table>`;
    },
    markdown: ({ right, rows: [head, ...rows] }) => {
      const line = (row) => `| ${row.map((cell) => cell.replace(/([\\|`*_<>\[\]])/g, "\\$1")).join(" | ")} |`;
      return [line(head), `| ${right.map((r) => (r ? "---:" : "---")).join(" | ")} |`, ...rows.map(line)].join("\n") + "\n";
    },
    latex: ({ right, rows: [head, ...rows] }) => {
      const line = (row) => row.map((cell) => safe(cell, "latex")).join(" & ") + " \\\\";
      return [`\\begin{tabular}{${right.map((r) => (r ? "r" : "l")).join("")}}`, "\\hline", line(head), "\\hline", ...rows.map(line), "\\hline", "\\end{tabular}", ""].join("\n");
    },
  };
  const offer = (after, kind, choices, chosen) => {
    for (const [value, title] of Object.entries(choices).reverse()) {
      const button = Object.assign(document.createElement("button"), { type: "button", className: "quiet", textContent: title });
      button.dataset[kind] = value;
      button.onclick = () => chosen(button, value);
      after.after(" ", button);
    }
  };
  for (const table of all("table.sortable"))
    offer(table.parentNode.nextElementSibling, "table", { word: "Copy for Word", markdown: "Copy Markdown", latex: "Copy LaTeX" }, (button, how) => {
      const own = grid(table);
      const made = forms[how](own);
      copy(button, table, () => {
        if (how !== "word") return navigator.clipboard.writeText(made);
        const as = (value, type) => ({ [type]: new Blob([value], { type }) });
        return navigator.clipboard.write([new ClipboardItem({ ...as(made, "text/html"), ...as(own.rows.map((row) => row.join("\t")).join("\n"), "text/plain") })]);
      });
    });

  // A picture as a file of its own: the drawing in pixels, with the colours and the words of the page.
  const drawn = (figure) => {
    const plot = figure.querySelector(".plot");
    const frame = plot.querySelector(".frame").getBoundingClientRect();
    const legend = figure.querySelector(".legend:not([hidden])");
    const within = figure.getBoundingClientRect();
    const [width, height] = [within.width, plot.getBoundingClientRect().bottom - within.top + 12];
    const ns = "http://www.w3.org/2000/svg";
    const svg = document.createElementNS(ns, "svg");
    const put = (tag, given, parent = svg) => {
      const made = parent.appendChild(document.createElementNS(ns, tag));
      for (const [name, value] of Object.entries(given)) made.setAttribute(name, value);
      return made;
    };
    for (const [name, value] of Object.entries({ xmlns: ns, width, height, viewBox: `0 0 ${width} ${height}` })) svg.setAttribute(name, value);
    put("rect", { width, height, fill: getComputedStyle(figure).backgroundColor });
    const [x, y] = [frame.left - within.left, frame.top - within.top];
    put("rect", { x: x - 6, y: y - 6, width: frame.width + 12, height: frame.height + 12 }, put("clipPath", { id: "within" }));
    const inner = put("g", { transform: `translate(${x} ${y}) scale(${frame.width / 1000} ${frame.height / 1000})` }, put("g", { "clip-path": "url(#within)" }));
    const looks = ["fill", "fill-opacity", "stroke", "stroke-opacity", "stroke-width", "stroke-linecap", "stroke-linejoin", "stroke-dasharray", "vector-effect"];
    for (const shape of all("svg *", plot)) {
      if (shape.closest("clipPath") || shape.classList.contains("marks")) continue;
      const look = getComputedStyle(shape);
      const own = Object.fromEntries([...shape.attributes].filter((a) => !["class", "style", "data-s"].includes(a.name)).map((a) => [a.name, a.value]));
      if (shape.children.length === 0) put(shape.tagName, { ...own, ...Object.fromEntries(looks.map((name) => [name, look.getPropertyValue(name)])) }, inner);
    }
    for (const mark of all(".frame > i.diamond, .legend i.swatch", figure)) {
      const box = mark.getBoundingClientRect();
      if (box.width) put("circle", { cx: (box.left + box.right) / 2 - within.left, cy: (box.top + box.bottom) / 2 - within.top, r: 4, fill: getComputedStyle(mark).color });
    }
    const words = [...all("figcaption h3", figure), ...all(".frame > span, .xtitle", plot), ...(legend ? all("li > bdi, li > .note", legend) : [])];
    for (const word of words) {
      const range = document.createRange();
      const walk = document.createTreeWalker(word, NodeFilter.SHOW_TEXT);
      const look = getComputedStyle(word);
      for (let node = walk.nextNode(); node; node = walk.nextNode()) {
        const lines = new Map();
        for (let i = 0; i < node.length; i++) {
          range.setStart(node, i);
          range.setEnd(node, i + 1);
          const box = range.getBoundingClientRect();
          if (!box.height) continue;
          const line = lines.get(Math.round(box.bottom)) ?? { left: box.left, bottom: box.bottom, height: box.height, text: "" };
          line.text += node.data[i];
          lines.set(Math.round(box.bottom), line);
        }
        for (const { left, bottom, height: tall, text: said } of lines.values())
          put("text", { x: left - within.left, y: bottom - within.top - 0.24 * tall, fill: look.color, "font-size": look.fontSize, "font-weight": look.fontWeight, "font-family": "system-ui, sans-serif", "xml:space": "preserve" }).textContent = said;
      }
    }
    return { text: new XMLSerializer().serializeToString(svg), width, height };
  };
  for (const figure of all("figure.chart")) {
    const last = document.createElement("span");
    make("p", "row", figure).append(last);
    offer(last, "picture", { svg: "Save SVG", png: "Save PNG" }, async (button, how) => {
      const name = figure.querySelector("h3").textContent.trim().toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "-");
      const { text: svg, width, height } = drawn(figure);
      if (how === "svg") return save(svg, `${name}.svg`, "image/svg+xml");
      const image = new Image();
      image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
      await image.decode();
      const canvas = Object.assign(document.createElement("canvas"), { width: 3 * width, height: 3 * height });
      canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
      canvas.toBlob((blob) => save(blob, `${name}.png`, "image/png"));
    });
  }

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
