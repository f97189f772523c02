// Every sample of every run: searched, filtered, sorted, and opened.

function readSamples(runs) {
  return runs.flatMap((run, place) => {
    const { columns, fields, rows } = block(`samples-${place}`);
    return rows.map((row) => {
      const sample = Object.fromEntries(columns.map((column, each) => [column, row[each]]));
      return Object.assign(sample, { run, names: fields, share: sample.words_changed / Math.max(sample.words, 1) });
    });
  });
}

const original = (sample) => sample.fields.map(([old]) => old.join(""));
const perturbed = (sample) => sample.fields.map(([old, changed]) => (changed ?? old).join(""));
const nameOf = (sample, label) => shown(sample.run.labels[label] ?? String(label));
const verdict = (sample, when) =>
  `${nameOf(sample, sample[`label_${when}`])} ${share(sample[`confidence_${when}`])}`;

function searched(sample) {
  sample.haystack ??= [sample.id, sample.reason, ...original(sample), ...perturbed(sample)]
    .join("\n")
    .toLowerCase();
  return sample.haystack;
}

// As it is saved: texts whole, labels by name.
function plain(sample) {
  const {
    run,
    fields,
    names,
    haystack,
    same,
    share: part,
    label,
    label_before,
    label_after,
    notes,
    ...rest
  } = sample;
  const named = (prefix, texts) =>
    Object.fromEntries(texts.map((text, place) => [`${prefix}_${names[place]}`, text]));
  const name = (each) => run.labels[each] ?? each;
  return {
    run: run.title,
    ...rest,
    label: name(label),
    label_before: name(label_before),
    label_after: name(label_after),
    ...named("original", original(sample)),
    ...named("perturbed", perturbed(sample)),
    ...notes,
  };
}

class Samples {
  constructor(runs) {
    this.runs = runs;
    this.all = readSamples(runs);
    this.byText = new Map(); // the same text in other runs
    for (const sample of this.all) {
      const key = `${sample.id}\n${original(sample).join("\n")}`;
      sample.same = key;
      this.byText.set(key, [...(this.byText.get(key) ?? []), sample]);
    }
    this.filters = { text: "", run: "", status: "", label: "", queries: Infinity, words: Infinity };
    this.fine = false;
    const several = runs.length > 1;
    const columns = [
      { name: "Sample", width: "4.5rem", numeric: true, value: (s) => s.id, cell: (s) => String(s.id) },
      several
        ? {
            name: "Run",
            width: "8rem",
            value: (s) => s.run.title,
            cell: (s) => make("span", { title: shown(s.run.title) }, shown(s.run.title)),
          }
        : null,
      {
        name: "Status",
        width: "5.5rem",
        value: (s) => s.status,
        cell: (s) => make("span", { class: `status ${s.status}` }, s.status),
      },
      {
        name: "Before",
        width: "8rem",
        numeric: true,
        value: (s) => s.confidence_before,
        cell: (s) => verdict(s, "before"),
      },
      {
        name: "After",
        width: "8rem",
        numeric: true,
        value: (s) => s.confidence_after,
        cell: (s) => verdict(s, "after"),
      },
      { name: "Words", width: "4rem", numeric: true, value: (s) => s.share, cell: (s) => share(s.share) },
      { name: "Queries", width: "4.5rem", numeric: true, value: (s) => s.queries, cell: (s) => count(s.queries) },
      {
        name: "Text",
        width: "minmax(22rem, 1fr)",
        cell: (s) => make("span", { class: "line", dir: "auto" }, nodes(excerpt(this.tokens(s)))),
      },
    ].filter(Boolean);
    this.grid = new Grid({ name: "samples-grid", label: "Samples", columns, open: (place) => this.open(place) });
    this.told = make("p", { role: "status", "aria-live": "polite", class: "told" });
    this.printed = make("div", { class: "printed" });
    this.section = section(
      "samples",
      "Samples",
      this.#controls(),
      this.told,
      this.grid.element,
      this.printed,
      make(
        "p",
        { class: "quiet screen" },
        "Arrow keys move through the samples, Enter opens one. Struck out: the old words; underlined: the new ones.",
      ),
    );
    this.#filter();
    window.addEventListener("beforeprint", () => this.#print());
  }

  tokens(sample) {
    return joined(
      sample.fields.flatMap(([old, changed], place) => [
        ...(place ? [["same", " ‖ "]] : []),
        ...merged(old, changed, this.fine),
      ]),
    );
  }

  #controls() {
    const set = (key) => (value) => {
      this.filters[key] = value;
      this.#filter();
    };
    const most = (key, scale) => (event) =>
      set(key)(event.target.value === "" ? Infinity : Number(event.target.value) / scale);
    const labels = [...new Set(this.runs.flatMap((run) => run.labels))];
    const statuses = [...new Set(this.all.map((sample) => sample.status))].sort();
    const any = ["", "all"];
    return make(
      "form",
      {
        class: "controls",
        role: "search",
        "aria-label": "Filter samples",
        submit: (event) => event.preventDefault(),
      },
      labelled(
        "Search",
        make("input", {
          type: "search",
          id: "search",
          placeholder: "words of a text, a reason, an id",
          input: (event) => set("text")(event.target.value.toLowerCase()),
        }),
      ),
      this.runs.length > 1
        ? choice("Run", [any, ...this.runs.map((run, place) => [place, shown(run.title)])], set("run"), {
            id: "filter-run",
          })
        : null,
      choice("Status", [any, ...statuses.map((status) => [status, status])], set("status"), {
        id: "filter-status",
      }),
      choice("True label", [any, ...labels.map((label) => [label, shown(label)])], set("label"), {
        id: "filter-label",
      }),
      labelled(
        "Queries, at most",
        make("input", { type: "number", min: "0", id: "filter-queries", input: most("queries", 1) }),
      ),
      labelled(
        "Words changed, % at most",
        make("input", { type: "number", min: "0", id: "filter-words", input: most("words", 100) }),
      ),
      choice(
        "Mark changed",
        [
          ["words", "words"],
          ["characters", "characters"],
        ],
        (value) => {
          this.fine = value === "characters";
          this.grid.redraw();
        },
        { id: "diff-level" },
      ),
      saving("samples", () => this.grid.shown.map(plain)),
    );
  }

  #filter() {
    const { text, run, status, label, queries, words } = this.filters;
    const chosen = run === "" ? null : this.runs[Number(run)];
    this.grid.show(
      this.all.filter(
        (sample) =>
          (!chosen || sample.run === chosen) &&
          (!status || sample.status === status) &&
          (!label || (sample.run.labels[sample.label] ?? String(sample.label)) === label) &&
          sample.queries <= queries &&
          sample.share <= words &&
          (!text || searched(sample).includes(text)),
      ),
    );
    this.told.textContent = `${count(this.grid.shown.length)} of ${count(this.all.length)} samples`;
  }

  open(place) {
    const sample = this.grid.shown[place];
    this.grid.go(place);
    const others = this.byText.get(sample.same).filter((other) => other !== sample);
    openDetail(
      `Sample ${sample.id} of ${shown(sample.run.title)}`,
      [
        this.#verdicts(sample),
        ...this.#texts(sample),
        this.#facts(sample),
        ...(others.length
          ? [
              make("h3", {}, "The same text in other runs"),
              ...others.map((other) =>
                make(
                  "section",
                  { class: "other" },
                  make("h4", {}, shown(other.run.title)),
                  this.#verdicts(other),
                  make("p", { class: "text", dir: "auto" }, nodes(this.tokens(other))),
                ),
              ),
            ]
          : []),
      ],
      {
        before: place > 0 ? () => this.open(place - 1) : null,
        after: place + 1 < this.grid.shown.length ? () => this.open(place + 1) : null,
        closed: () => this.grid.element.focus(),
      },
    );
  }

  #verdicts(sample) {
    return make(
      "p",
      { class: "verdicts" },
      make("span", { class: `status ${sample.status}` }, sample.status),
      ` ${verdict(sample, "before")} → ${verdict(sample, "after")}`,
      make("small", {}, `true label: ${nameOf(sample, sample.label)}`),
      sample.reason ? make("small", {}, `reason: ${shown(sample.reason)}`) : null,
    );
  }

  #texts(sample) {
    return sample.fields.flatMap(([old, changed], place) => {
      const name = sample.names.length > 1 ? ` (${shown(sample.names[place])})` : "";
      const text = (heading, tokens) =>
        make("div", {}, make("h3", {}, heading + name), make("p", { class: "text", dir: "auto" }, nodes(tokens)));
      if (!changed) return [text("Unchanged text", [["same", old.join("")]])];
      return [
        text("Original", marked(old, changed, "del", this.fine)),
        text("Changed", marked(changed, old, "ins", this.fine)),
      ];
    });
  }

  #facts(sample) {
    const rows = [
      ["Queries", count(sample.queries)],
      ["Checks by the engine", count(sample.checks)],
      ["Words changed", `${count(sample.words_changed)} of ${count(sample.words)}`],
      ["Characters changed", `${count(sample.characters_changed)} of ${count(sample.characters)}`],
      ...Object.entries(sample.notes).map(([name, value]) => [shown(name), fourDigits.format(value)]),
    ];
    return make(
      "dl",
      { class: "facts" },
      rows.map(([name, value]) => make("div", {}, make("dt", {}, name), make("dd", {}, value))),
    );
  }

  // Paper has no scroll bar: the first samples of the choice are printed whole.
  #print() {
    const some = this.grid.shown.slice(0, 100);
    this.printed.replaceChildren(
      make("p", {}, `The first ${some.length} of ${count(this.grid.shown.length)} samples chosen:`),
      ...some.map((sample) =>
        make(
          "div",
          { class: "other" },
          make("b", {}, `${sample.id} · ${shown(sample.run.title)}`),
          this.#verdicts(sample),
          make("p", { class: "text", dir: "auto" }, nodes(this.tokens(sample))),
        ),
      ),
    );
  }
}
