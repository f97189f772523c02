// The figures of the runs: cards, curves, and the runs side by side.

const setting = (run, key) => {
  const value = key in run.settings ? JSON.parse(run.settings[key]) : null;
  return value === null ? NOTHING : typeof value === "string" ? value : JSON.stringify(value);
};

// A figure: its heading, its value, what stands small below it, and the rate it comes from where it is one.
function figures(run) {
  const { summary } = run;
  const rate = (name, found) => ({ name, value: share(found.value), small: `${interval(found)} · ${count(found.count)} of ${count(found.of)}`, rate: found });
  const failed = Object.entries(summary.failures).map(([reason, times]) => `${count(times)} ${reason}`);
  return [
    { ...rate("Success rate", summary.success_rate), key: true },
    rate("Clean accuracy", summary.clean_accuracy),
    rate("Accuracy under attack", summary.accuracy_under_attack),
    { name: "Words changed", value: percentage(summary.words_changed), small: "mean over the successes" },
    { name: "Characters changed", value: percentage(summary.characters_changed), small: "mean over the successes" },
    { name: "Queries", value: number(summary.queries_mean), small: `mean · median ${number(summary.queries_median)}` },
    { name: "Samples", value: count(summary.samples), small: `${count(summary.skipped)} skipped · ${count(summary.errors)} errors` },
    failed.length ? { name: "Not fooled", value: count(summary.attacked - summary.successes), small: failed.join(" · ") } : null,
    isNumber(summary.similarity) ? { name: "Sentence similarity", value: fourDigits.format(summary.similarity), small: "mean over the successes" } : null,
    ...Object.entries(summary.notes).map(([name, value]) => ({ name, value: fourDigits.format(value), small: "mean over the attacked" })),
  ].filter(Boolean);
}

function card({ name, value, small, key }) {
  return make("div", { class: key ? "card key" : "card" }, make("dt", {}, shown(name)), make("dd", {}, make("b", {}, value), make("small", {}, shown(small))));
}

function runHeading(run) {
  const unfinished = run.finished ? null : make("p", { class: "warning" }, "This run is not finished: the figures are of what is there so far.");
  return [make("p", { class: "about" }, `${shown(setting(run, "attack").split(":")[0])} on ${shown(setting(run, "victim"))}, data ${shown(setting(run, "data"))}`), unfinished];
}

function settingsOf(run) {
  const rows = Object.keys(run.settings).map((key) => [shown(key), shown(setting(run, key))]);
  return make("details", {}, make("summary", {}, "Settings"), table("What decides the result", ["Setting", "Value"], rows));
}

function summarySection(runs) {
  if (runs.length === 1) {
    return section("summary", shown(runs[0].title), runHeading(runs[0]), make("dl", { class: "cards" }, figures(runs[0]).map(card)), settingsOf(runs[0]));
  }
  const each = runs.map((run) => {
    const [success, , under, words, , queries] = figures(run);
    return make("article", { class: "run" }, make("h3", {}, make("i", { class: "swatch", "aria-hidden": "true" }), shown(run.title)), runHeading(run),
      make("dl", { class: "cards small" }, [success, under, words, queries].map(card)));
  });
  each.forEach((article, place) => article.style.setProperty("--swatch", PALETTE[place % PALETTE.length]));
  return section("summary", `${runs.length} runs`, make("div", { class: "runs" }, each));
}

function curvesSection(runs) {
  const charts = [
    curve("success-by-queries", "Success against query budget.", "queries a sample", "queries", true, runs),
    curve("success-by-words", "Success against words changed.", "words changed, %", "words", false, runs),
  ];
  return charted(section("curves", "What a success costs", make("div", { class: "pair" }, charts.map(({ figure }) => figure))), charts);
}

function rates(runs) {
  const measures = [["Clean accuracy", "clean_accuracy"], ["Accuracy under attack", "accuracy_under_attack"], ["Success rate", "success_rate"]];
  const rows = measures.flatMap(([measure, key]) =>
    runs.map((run) => ({ run: run.title, measure, ...run.summary[key] })));
  const titles = runs.map((run) => run.title);
  const color = { field: "run", type: "nominal", legend: { orient: "bottom", title: null, columns: 3, symbolType: "circle", symbolOpacity: 1 }, scale: { domain: titles, range: titles.map((_, place) => PALETTE[place % PALETTE.length]) } };
  const y = { field: "measure", type: "nominal", sort: measures.map(([name]) => name), title: null, axis: { ticks: false, domain: false, labelFontSize: 13 }, scale: { paddingInner: 0.35 } };
  const yOffset = { field: "run", type: "nominal", sort: titles };
  const x = { type: "quantitative", scale: { domain: [0, 1] }, axis: { format: "%", tickCount: 5 }, title: null };
  const spec = () => ({
    width: "container", height: measures.length * (26 * runs.length + 24), autosize: { type: "fit-x", contains: "padding" },
    data: { values: rows.filter((row) => isNumber(row.value)) },
    encoding: { y, yOffset, color, tooltip: { value: "shown" } },
    layer: [
      { mark: { type: "rule", strokeWidth: 8, opacity: 0.3, strokeCap: "round" }, encoding: { x: { ...x, field: "low" }, x2: { field: "high" } } },
      { mark: { type: "point", filled: true, size: 90, opacity: 1 }, encoding: { x: { ...x, field: "value" } } },
      { mark: { type: "text", align: "left", dx: 9, dy: -9, fontSize: 11, color: "currentColor" }, encoding: { x: { ...x, field: "value" }, text: { field: "value", type: "quantitative", format: ".1%" }, color: { value: "currentColor" } } },
    ],
  });
  return chart({ name: "rates", caption: "Rates.", description: "Points, with 95 % Wilson intervals.", spec, data: () => rows,
    lines: (row) => ({ run: row.run, [row.measure]: told(row), samples: `${count(row.count)} of ${count(row.of)}` }) });
}

function sidesSection(runs, about) {
  const drawn = rates(runs);
  const titles = runs.map((run) => shown(run.title));
  const all = runs.map(figures);
  const names = [...new Set(all.flat().map(({ name }) => name))];
  const rows = names.map((name) => [shown(name), ...all.map((list) => {
    const found = list.find((figure) => figure.name === name);
    return found ? make("span", {}, make("b", {}, found.value), " ", make("small", {}, shown(found.small))) : NOTHING;
  })]);
  const keys = [...new Set(runs.flatMap((run) => Object.keys(run.settings)))];
  const differing = keys.filter((key) => new Set(runs.map((run) => run.settings[key])).size > 1 && !/fingerprint/.test(key));
  const data = () => names.map((name) => Object.fromEntries([["figure", name], ...all.map((list, place) => {
    const found = list.find((figure) => figure.name === name);
    return [runs[place].title, found?.rate?.value ?? found?.value ?? null];
  })]));
  return charted(section("sides", "Side by side",
    drawn.figure,
    make("div", { class: "tabled" }, table("Figures of each run", ["Figure", ...titles], rows), saving("figures", data)),
    differing.length ? table("Settings that differ", ["Setting", ...titles], differing.map((key) => [shown(key), ...runs.map((run) => shown(setting(run, key)))])) : null,
    about.against.length ? pairs(runs, about.against) : null,
    about.worst.length ? worst(runs, about.worst) : null,
  ), [drawn]);
}

function pairs(runs, against) {
  const effort = (found) => (found ? `${number(found.queries)} queries, ${percentage(found.words_changed)} of words` : NOTHING);
  const p = (value) => (value < 0.001 ? "< 0.001" : value.toFixed(3));
  const rows = against.map((pair) => [shown(runs[pair.run].title), count(pair.attacked), count(pair.both), count(pair.only_a), count(pair.only_b),
    count(pair.neither), p(pair.p_value), effort(pair.effort_a), effort(pair.effort_b)]);
  const first = shown(runs[0].title);
  return make("div", {},
    table(`Sample by sample against ${first}`, ["Run", "attacked in both", "both fool", `only ${first}`, "only this run", "neither", "McNemar p", `effort of ${first}`, "effort of this run"], rows),
    make("p", { class: "quiet" }, "Efforts are means over the samples that both fool. p: how likely a split as uneven were either run as strong; not corrected for looking at several pairs."));
}

function worst(runs, found) {
  const rows = found.map((group) => [shown(group.victim), group.runs.map((place) => shown(runs[place].title)).join(", "),
    make("span", {}, make("b", {}, share(group.value)), " ", make("small", {}, `${interval(group)} · ${count(group.count)} of ${count(group.of)}`))]);
  return table("What is left under all attacks together: samples a victim has right that no run fools", ["Victim", "Runs", "Worst-case accuracy"], rows);
}
