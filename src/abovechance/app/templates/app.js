"use strict";
(() => {
  const by = (id) => document.getElementById(id);
  const KINDS = { probability: "probabilities", probabilities: "probabilities, one column per class", score: "scores", label: "classes", value: "numbers", risk: "risks of an event in time" };
  const CASES = ["id", "groups", "fold"];
  let files = [];
  let told = [];
  let shown = null;
  const sheets = new Map();

  const problem = (text) => {
    by("problem").textContent = text ?? "";
    by("problem").hidden = !text;
  };
  const option = (select, value, text) => select.add(new Option(text ?? value, value));
  const ask = async (where, choices) => {
    const line = JSON.stringify({ files: files.map((f) => ({ name: f.name, size: f.size, sheet: sheets.get(f) })), choices });
    const answer = await fetch(where, { method: "POST", body: new Blob([line, "\n", ...files]) });
    if (answer.ok) return answer;
    const said = await answer.json().catch(() => null);
    throw new Error(said?.problem ?? "The page could not be reached; is it still running?");
  };

  const busy = async (text, work) => {
    by("busy").textContent = text;
    by("go").disabled = true;
    problem();
    try {
      await work();
    } catch (error) {
      problem(error.message);
    }
    by("busy").textContent = "";
    by("go").disabled = false;
  };

  const take = (added) =>
    busy("Reading…", async () => {
      files = [...files, ...added];
      by("result").hidden = true;
      try {
        told = (await (await ask("columns")).json()).files;
      } catch (error) {
        files = files.slice(0, files.length - added.length);
        throw error;
      }
      list();
      form(told[0]);
    });

  const list = () => {
    by("list").replaceChildren(
      ...told.map((file, at) => {
        const item = document.createElement("li");
        const name = document.createElement("bdi");
        const small = document.createElement("small");
        name.textContent = file.source;
        small.textContent = ` ${file.rows} rows, ${file.columns.length} columns. ${file.notes.join(" ")}`;
        item.append(name, small);
        if (file.sheets.length > 1) item.append(sheet(file, files[at]));
        return item;
      }),
    );
    by("clear").hidden = !told.length;
    by("form").hidden = !told.length;
  };

  const sheet = (file, sent) => {
    const label = document.createElement("label");
    const select = document.createElement("select");
    for (const name of file.sheets) option(select, name);
    select.value = file.sheet;
    select.onchange = () => {
      const before = file.sheet;
      sheets.set(sent, select.value);
      take([]).then(() => {
        if (by("problem").hidden) return;
        sheets.set(sent, before);
        select.value = before;
      });
    };
    label.append(" Sheet ", select);
    return label;
  };

  const form = (file) => {
    const guess = file.guess;
    const names = file.columns.map((column) => column.name);
    by("kind").replaceChildren();
    for (const [kind, words] of Object.entries(KINDS)) option(by("kind"), kind, words);
    for (const role of ["outcome", "time", "event", ...CASES]) {
      by(role).replaceChildren();
      option(by(role), "", CASES.includes(role) ? "none" : "choose");
      for (const name of names) option(by(role), name);
      by(role).value = guess[role];
    }
    by("kind").value = guess.kind;
    by("predicted").replaceChildren(
      ...file.columns.map((column) => {
        const label = document.createElement("label");
        const box = Object.assign(document.createElement("input"), { type: "checkbox", value: column.name });
        const name = document.createElement("bdi");
        box.checked = guess.predicted.includes(column.name);
        name.textContent = column.name;
        label.title = column.examples.join(", ");
        label.append(box, " ", name);
        return label;
      }),
    );
    classes(guess.positive);
    fitting();
  };

  const classes = (positive) => {
    const found = told[0].columns.find((column) => column.name === by("outcome").value)?.classes ?? [];
    by("positive").replaceChildren();
    option(by("positive"), "", found.length === 2 ? "choose" : "none");
    for (const name of found) option(by("positive"), name);
    by("positive").value = positive ?? (found.length === 2 ? found[1] : "");
  };

  const fitting = () => {
    const timed = by("kind").value === "risk";
    const two = by("positive").options.length === 3 && by("kind").value !== "value";
    for (const label of document.querySelectorAll("[data-for]")) {
      const role = label.dataset.for;
      label.hidden = role === "positive" ? timed || !two : (role === "outcome") === timed;
    }
  };

  const chosen = () => ({
    kind: by("kind").value,
    predicted: [...by("predicted").querySelectorAll(":checked")].map((box) => box.value),
    positive: by("positive").closest("label").hidden ? "" : by("positive").value,
    ...Object.fromEntries(["outcome", "time", "event", ...CASES].map((role) => [role, by(role).value])),
  });

  by("form").onsubmit = (event) => {
    event.preventDefault();
    busy("Computing…", async () => {
      shown = await (await ask("report", chosen())).text();
      const page = new Blob([shown], { type: "text/html;charset=utf-8" });
      by("report").src = URL.createObjectURL(page);
      by("result").hidden = false;
      by("result").scrollIntoView();
    });
  };
  by("save").onclick = () => {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([shown], { type: "text/html" }));
    link.download = "report.html";
    link.click();
  };
  by("kind").onchange = fitting;
  by("outcome").onchange = () => {
    for (const role of CASES) if (by(role).value === by("outcome").value) by(role).value = "";
    classes();
    fitting();
  };
  by("input").onchange = () => {
    take([...by("input").files]);
    by("input").value = "";
  };
  by("example").onclick = () =>
    busy("Reading…", async () => {
      const text = await (await fetch("example.csv")).blob();
      files = [];
      await take([new File([text], "breast_cancer.csv")]);
    });
  by("clear").onclick = () => {
    [files, told] = [[], []];
    list();
    problem();
    by("result").hidden = true;
  };
  const drop = by("drop");
  addEventListener("dragover", (event) => {
    event.preventDefault();
    drop.classList.add("over");
  });
  for (const name of ["dragleave", "drop"]) addEventListener(name, () => drop.classList.remove("over"));
  addEventListener("drop", (event) => {
    event.preventDefault();
    if (event.dataTransfer.files.length) take([...event.dataTransfer.files]);
  });
})();
