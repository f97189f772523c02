// Every sample of every run: searched, filtered, sorted, and opened.

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
    this.filters = {
      text: "", run: "", status: "", label: "", people: "", queries: Infinity, words: Infinity, lost: 0,
    };
    this.generate = runs.some((run) => run.summary.outputs);
    this.fine = false;
    const asked = runs.reduce((sum, run) => sum + (run.overlays?.samples ?? 0), 0);
    this.shade = asked ? "importance" : null; // or attention
    const several = runs.length > 1;
    const columns = [
      { name: "Sample", width: "4.5rem", numeric: true, value: (s) => s.id, cell: (s) => String(s.id) },
      several
        ? {
            name: "Run",
            width: "8rem",
            value: (s) => s.run.title,
            cell: (s) => runCell(s.run),
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
      ...(this.generate
        ? [
            ["chrF after", "chrf_after"],
            ["Lost", "chrf_lost"],
          ].map(([name, key]) => ({
            name,
            width: "5rem",
            numeric: true,
            value: (s) => s[key] ?? 0,
            cell: (s) => share(s[key]),
          }))
        : []),
      { name: "Queries", width: "4.5rem", numeric: true, value: (s) => s.queries, cell: (s) => count(s.queries) },
      {
        name: "Text",
        width: "minmax(16rem, 1fr)",
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
      ...runs.map((run) => this.#leftOut(run)),
      this.grid.element,
      this.printed,
      make(
        "p",
        { class: "quiet screen" },
        asked
          ? `In ${counted(asked, "sample")} words are shaded by how much they matter to the victim: open one. `
          : null,
        "Arrow keys move through the samples, Enter opens one. Struck out: the old words; underlined: the new ones. Success: the attack fooled the victim; failed: it did not; skipped: it was not attacked, most often because the victim has the original wrong.",
      ),
    );
    this.#filter();
    window.addEventListener("beforeprint", () => this.#print());
  }

  // Of a large run some samples are here: which, and how to see the others.
  #leftOut(run) {
    const here = this.all.filter((sample) => sample.run === run).length;
    const there = run.summary.samples;
    if (here >= there) return null;
    return make(
      "p",
      { class: "warning" },
      `${this.runs.length > 1 ? `${shown(run.title)}: ` : ""}${count(here)} of ${count(there)} samples are on this page, spread evenly. Figures and curves are of all. To see another, give its id: unfool show RUN --id 7. To have all: unfool export RUN.`,
    );
  }

  tokens(sample) {
    return mergedTokens(sample, this.fine);
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
      this.runs.some((run) => run.people)
        ? choice("People", PEOPLE, set("people"), { id: "filter-people" })
        : null,
      labelled(
        "Queries, at most",
        make("input", { type: "number", min: "0", id: "filter-queries", input: most("queries", 1) }),
      ),
      labelled(
        "Words changed, % at most",
        make("input", { type: "number", min: "0", id: "filter-words", input: most("words", 100) }),
      ),
      this.generate
        ? labelled(
            "chrF lost, % at least",
            make("input", {
              type: "number",
              min: "0",
              max: "100",
              id: "filter-lost",
              input: (event) => set("lost")(Number(event.target.value) / 100),
            }),
          )
        : null,
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
    const { text, run, status, label, people, queries, words, lost } = this.filters;
    const chosen = run === "" ? null : this.runs[Number(run)];
    this.grid.show(
      this.all.filter(
        (sample) =>
          (!chosen || sample.run === chosen) &&
          (!status || sample.status === status) &&
          (!label || (sample.run.labels[sample.label] ?? String(sample.label)) === label) &&
          (!people || peopleSay(sample) === people) &&
          sample.queries <= queries &&
          sample.share <= words &&
          (sample.chrf_lost ?? 0) >= lost &&
          (!text || searched(sample).includes(text)),
      ),
    );
    this.told.textContent = `${count(this.grid.shown.length)} of ${counted(this.all.length, "sample")}`;
  }

  open(place) {
    const sample = this.grid.shown[place];
    this.grid.go(place);
    const others = this.byText.get(sample.same).filter((other) => other !== sample);
    openDetail(
      `Sample ${sample.id} of ${shown(sample.run.title)}`,
      [
        verdictsOf(sample),
        ...this.#texts(sample),
        factsOf(sample),
        crossOf(sample),
        stepsOf(sample),
        ...(others.length
          ? [
              make("h3", {}, "The same text in other runs"),
              ...others.map((other) =>
                make(
                  "section",
                  { class: "other" },
                  make("h4", {}, shown(other.run.title)),
                  verdictsOf(other),
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

  // What to shade words by, where the victim of the sample's run was asked; the texts follow the choice.
  #texts(sample) {
    const { overlays } = sample.run;
    const texts = make("div", { class: "texts" });
    const fill = () =>
      texts.replaceChildren(...textsOf(sample, this.fine, overlays ? this.#shadeFor(sample) : null));
    fill();
    if (!overlays) return [texts];
    const kinds = ["none", "importance", ...(overlays.attention ? ["attention"] : [])];
    const control = choice(
      "Shade words by",
      kinds.map((kind) => [kind, kind]),
      (value) => {
        this.shade = value === "none" ? null : value;
        fill();
      },
      { id: "shade" },
    );
    control.querySelector("select").value = this.#shadeFor(sample) ?? "none";
    return [make("div", { class: "controls" }, control), texts];
  }

  #shadeFor(sample) {
    return this.shade === "attention" && !sample.run.overlays?.attention ? null : this.shade;
  }

  // Paper has no scroll bar: the first samples of the choice are printed whole.
  #print() {
    const some = this.grid.shown.slice(0, 100);
    this.printed.replaceChildren(
      make("p", {}, `The first ${some.length} of ${counted(this.grid.shown.length, "sample")} chosen:`),
      ...some.map((sample) =>
        make(
          "div",
          { class: "other" },
          make("b", {}, `${sample.id} · ${shown(sample.run.title)}`),
          verdictsOf(sample),
          ...this.#printed(sample),
        ),
      ),
    );
  }

  // Both texts shaded, where the reader chose to shade and the victim was asked; else both in one.
  #printed(sample) {
    const kind = this.#shadeFor(sample);
    if (kind && shadingOf(sample)) return textsOf(sample, this.fine, kind);
    return [make("p", { class: "text", dir: "auto" }, nodes(this.tokens(sample)))];
  }
}
