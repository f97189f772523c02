// Several runs side by side: rates, figures, settings, sample by sample, and all attacks together.

function rates(runs) {
  const measures = [
    ["Clean accuracy", "clean_accuracy"],
    ["Accuracy under attack", "accuracy_under_attack"],
    ["Success rate", "success_rate"],
  ];
  const rows = measures.flatMap(([measure, key]) =>
    runs.map((run) => ({ run: run.title, measure, ...run.summary[key] })),
  );
  const titles = runs.map((run) => run.title);
  const coloured = {
    field: "run",
    type: "nominal",
    scale: { domain: titles, range: titles.map((_, place) => colourOf(place)) },
  };
  // Names of rates stand left of the points and the legend; a telephone has them in several lines.
  const namesOf = (width) => (width < 500 ? { room: 75, labelExpr: "split(datum.label, ' ')" } : { room: 160 });
  const y = ({ labelExpr }) => ({
    field: "measure",
    type: "nominal",
    sort: measures.map(([name]) => name),
    title: null,
    axis: { ticks: false, domain: false, labelFontSize: 13, ...(labelExpr ? { labelExpr } : {}) },
    scale: { paddingInner: 0.35 },
  });
  const legend = (room) => legendOf(runs, room, { symbolType: "circle", labelLimit: room - 30 });
  const yOffset = { field: "run", type: "nominal", sort: titles };
  const x = { type: "quantitative", scale: { domain: [0, 1] }, axis: { format: "%", tickCount: 5 }, title: null };
  const spec = (width) => ({
    width: "container",
    height: measures.length * (26 * runs.length + 24),
    autosize: { type: "fit-x", contains: "padding" },
    data: { values: rows.filter((row) => isNumber(row.value)) },
    encoding: {
      y: y(namesOf(width)),
      yOffset,
      color: { ...coloured, legend: legend(width - namesOf(width).room) },
      tooltip: { value: "shown" },
    },
    layer: [
      {
        mark: { type: "rule", strokeWidth: 8, opacity: 0.3, strokeCap: "round" },
        encoding: { x: { ...x, field: "low" }, x2: { field: "high" } },
      },
      { mark: { type: "point", filled: true, size: 90, opacity: 1 }, encoding: { x: { ...x, field: "value" } } },
      {
        // Near the right edge there is no room behind a point.
        mark: {
          type: "text",
          align: { expr: "datum.value > 0.7 ? 'right' : 'left'" },
          dx: { expr: "datum.value > 0.7 ? -9 : 9" },
          dy: -9,
          fontSize: 11,
          color: "currentColor",
        },
        encoding: {
          x: { ...x, field: "value" },
          text: { field: "value", type: "quantitative", format: ".1%" },
          color: { value: "currentColor" },
        },
      },
    ],
  });
  return chart({
    name: "rates",
    caption: "Rates.",
    description: "Points, with 95 % Wilson intervals.",
    spec,
    data: () => rows,
    lines: (row) => ({
      run: row.run,
      [row.measure]: told(row),
      samples: `${count(row.count)} of ${count(row.of)}`,
    }),
  });
}

function sidesSection(runs, about) {
  const drawn = rates(runs);
  const titles = runs.map((run) => shown(run.title));
  const all = runs.map(figures);
  const names = [...new Set(all.flat().map(({ name }) => name))];
  const rows = names.map((name) => [
    shown(name),
    ...all.map((list) => {
      const found = list.find((figure) => figure.name === name);
      return found
        ? make("span", {}, make("b", {}, found.value), " ", make("small", {}, shown(found.small)))
        : NOTHING;
    }),
  ]);
  const keys = [...new Set(runs.flatMap((run) => Object.keys(run.settings)))];
  const differing = keys.filter(
    (key) => new Set(runs.map((run) => run.settings[key])).size > 1 && !/fingerprint/.test(key),
  );
  const data = () =>
    all.flatMap((list, place) => list.map((figure) => ({ run: runs[place].title, ...plainFigure(figure) })));
  return charted(
    section(
      "sides",
      "Side by side",
      drawn.figure,
      tabled("figures", table("Figures of each run", ["Figure", ...titles], rows), data),
      differing.length
        ? tabled(
            "settings",
            table(
              "Settings that differ",
              ["Setting", ...titles],
              differing.map((key) => [shown(key), ...runs.map((run) => shown(setting(run, key)))]),
            ),
            () =>
              runs.flatMap((run) =>
                differing.map((key) => ({ run: run.title, setting: key, value: setting(run, key) })),
              ),
          )
        : null,
      crossed(runs),
      about.against.length ? pairs(runs, about.against) : null,
      about.worst.length ? worst(runs, about.worst) : null,
    ),
    [drawn],
  );
}

// Victims against attacks, where there are several of both: defences stand beside what they defend.
function crossed(runs) {
  const [victims, attacks] = ["victim", "attack"].map((key) => [...new Set(runs.map((run) => setting(run, key)))]);
  if (victims.length < 2 || attacks.length < 2) return null;
  const cell = (attack, victim) => {
    const found = runs.filter((run) => setting(run, "attack") === attack && setting(run, "victim") === victim);
    return found.map(({ summary: { accuracy_under_attack: rate } }) =>
      make("div", {}, make("b", {}, share(rate.value)), " ", make("small", {}, interval(rate))),
    );
  };
  return tabled(
    "victims-and-attacks",
    table(
      "Accuracy under attack, by victim and attack",
      ["Attack", ...victims.map(shown)],
      attacks.map((attack) => [shown(attack), ...victims.map((victim) => make("span", {}, cell(attack, victim)))]),
    ),
    () =>
      runs.map((run) => ({
        attack: setting(run, "attack"),
        victim: setting(run, "victim"),
        run: run.title,
        ...run.summary.accuracy_under_attack,
      })),
  );
}

function pairs(runs, against) {
  const effort = (found) =>
    found ? `${number(found.queries)} queries, ${percentage(found.words_changed)} of words` : NOTHING;
  const p = (value) => (value < 0.001 ? "< 0.001" : value.toFixed(3));
  const rows = against.map((pair) => [
    shown(runs[pair.run].title),
    count(pair.attacked),
    count(pair.both),
    count(pair.only_a),
    count(pair.only_b),
    count(pair.neither),
    p(pair.p_value),
    effort(pair.effort_a),
    effort(pair.effort_b),
  ]);
  const first = shown(runs[0].title);
  return make(
    "div",
    {},
    tabled(
      "sample-by-sample",
      table(
        `Sample by sample against ${first}`,
        [
          "Run",
          "attacked in both",
          "both fool",
          `only ${first}`,
          "only this run",
          "neither",
          "McNemar p",
          `effort of ${first}`,
          "effort of this run",
        ],
        rows,
      ),
      () => against.map((pair) => ({ ...pair, run: runs[pair.run].title, against: runs[0].title })),
    ),
    make(
      "p",
      { class: "quiet" },
      "Efforts are means over the samples that both fool. p: how likely a split as uneven were either run as strong; not corrected for looking at several pairs.",
    ),
  );
}

function worst(runs, found) {
  const rows = found.map((group) => [
    shown(group.victim),
    group.runs.map((place) => shown(runs[place].title)).join(", "),
    make(
      "span",
      {},
      make("b", {}, share(group.value)),
      " ",
      make("small", {}, `${interval(group)} · ${count(group.count)} of ${count(group.of)}`),
    ),
  ]);
  return tabled(
    "worst-case",
    table(
      "What is left under all attacks together: samples a victim has right that no run fools",
      ["Victim", "Runs", "Worst-case accuracy"],
      rows,
    ),
    () => found.map((group) => ({ ...group, runs: group.runs.map((place) => runs[place].title).join("; ") })),
  );
}
