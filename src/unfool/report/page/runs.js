// The figures of the runs: cards and curves.

const setting = (run, key) => {
  const value = key in run.settings ? JSON.parse(run.settings[key]) : null;
  return value === null ? NOTHING : typeof value === "string" ? value : JSON.stringify(value);
};

// A figure: its heading, its value, what stands small below it, and the rate it comes from where it is one.
function figures(run) {
  const { summary } = run;
  const rate = (name, found) => ({
    name,
    value: share(found.value),
    small: `${interval(found)} · ${count(found.count)} of ${count(found.of)}`,
    rate: found,
  });
  // Where most samples had nothing tried on them, a rate over all of them would speak of the attack alone.
  const silent = summary.attacked > 0 && !isNumber(summary.success_rate.value);
  const tried = summary.success_rate_tried;
  const success = silent
    ? {
        ...rate("Success rate", tried),
        small: tried.of ? `${interval(tried)} · ${count(tried.count)} of ${count(tried.of)} tried` : "nothing was tried",
      }
    : rate("Success rate", summary.success_rate);
  const under = rate("Accuracy under attack", summary.accuracy_under_attack);
  const reasons = Object.entries(summary.failures);
  const failed = reasons.map(([reason, times]) => (reasons.length > 1 ? `${count(times)} ${reason}` : reason));
  return [
    { ...success, key: true },
    rate("Clean accuracy", summary.clean_accuracy),
    silent ? { ...under, small: "most texts had nothing tried on them" } : under,
    { name: "Words changed", value: percentage(summary.words_changed), small: "mean over the successes" },
    { name: "Characters changed", value: percentage(summary.characters_changed), small: "mean over the successes" },
    {
      name: "Queries",
      value: number(summary.queries_mean),
      small: `mean · median ${number(summary.queries_median)}`,
    },
    {
      name: "Samples",
      value: count(summary.samples),
      small: `${count(summary.skipped)} skipped · ${counted(summary.errors, "error")}`,
    },
    ...outputFigures(summary),
    failed.length
      ? { name: "Not fooled", value: count(summary.attacked - summary.successes), small: failed.join(" · ") }
      : null,
    isNumber(summary.similarity)
      ? {
          name: "Sentence similarity",
          value: fourDigits.format(summary.similarity),
          small: "mean over the successes",
        }
      : null,
    ...peopleFigures(run),
    ...Object.entries(summary.notes).map(([name, value]) => ({
      name,
      value: fourDigits.format(value),
      small: "mean over the attacked",
    })),
  ].filter(Boolean);
}

function card({ name, value, small, key }) {
  return make(
    "div",
    { class: key ? "card key" : "card" },
    make("dt", {}, shown(name)),
    make("dd", {}, make("b", {}, value), make("small", {}, shown(small))),
  );
}

// As they are saved: rates with their intervals and counts, other figures as they are shown.
const plainFigure = ({ name, value, rate }) => ({ figure: name, value, ...rate });

function runHeading(run) {
  const unfinished = run.finished
    ? null
    : make("p", { class: "warning" }, "This run is not finished: the figures are of what is there so far.");
  return [
    make(
      "p",
      { class: "about" },
      `${shown(setting(run, "attack").split(":")[0])} on ${shown(setting(run, "victim"))}, data ${shown(setting(run, "data"))}`,
    ),
    unfinished,
    ...run.remarks.map((remark) => make("p", { class: "warning" }, shown(remark))),
  ];
}

function settingsOf(run) {
  const rows = Object.keys(run.settings).map((key) => [shown(key), shown(setting(run, key))]);
  return make(
    "details",
    {},
    make("summary", {}, "Settings"),
    table("What decides the result", ["Setting", "Value"], rows),
  );
}

// The figures of each right label, where there are several.
function classesOf(run) {
  const { classes } = run.summary;
  if (classes.length < 2) return null;
  const name = (label) => shown(run.labels[label] ?? String(label));
  const rate = (found) => `${share(found.value)} ${interval(found)}`;
  const rows = classes.map((found) => [
    name(found.label),
    count(found.samples),
    rate(found.clean_accuracy),
    count(found.attacked),
    found.attacked && !isNumber(found.success_rate.value) ? "nothing was tried" : rate(found.success_rate),
  ]);
  return make(
    "details",
    { open: classes.length <= 10 },
    make("summary", {}, "By label"),
    table(
      "The texts of each right label: how many, and what became of them",
      ["Label", "Texts", "Clean accuracy", "Attacked", "Success rate"],
      rows,
    ),
  );
}

// A run as the charts have it, in two lines at most.
function runCell(run) {
  const title = shown(run.title);
  return make("span", { class: "line", title }, swatch(run), title);
}

function swatch(run) {
  const made = make("i", { class: "swatch", "aria-hidden": "true" });
  made.style.setProperty("--swatch", colourOf(run.place));
  return made;
}

function summarySection(runs) {
  if (runs.length === 1) {
    return section(
      "summary",
      shown(runs[0].title),
      make(
        "div",
        { class: "heading" },
        make("div", {}, runHeading(runs[0])),
        saving("figures", () => figures(runs[0]).map(plainFigure)),
      ),
      make("dl", { class: "cards" }, figures(runs[0]).map(card)),
      classesOf(runs[0]),
      settingsOf(runs[0]),
    );
  }
  const each = runs.map((run) => {
    const [success, , under, words, , queries] = figures(run);
    return make(
      "article",
      { class: "run" },
      make("h3", {}, swatch(run), shown(run.title)),
      runHeading(run),
      make("dl", { class: "cards small" }, [success, under, words, queries].map(card)),
      classesOf(run),
      settingsOf(run),
    );
  });
  return section("summary", `${runs.length} runs`, make("div", { class: "runs" }, each));
}

function curvesSection(runs) {
  const charts = [
    curve("success-by-queries", "Success against query budget.", "queries a sample", "queries", true, runs),
    curve("success-by-words", "Success against words changed.", "words changed, %", "words", false, runs),
  ];
  return charted(
    section(
      "curves",
      "What a success costs",
      make(
        "div",
        { class: "pair" },
        charts.map(({ figure }) => figure),
      ),
    ),
    charts,
  );
}
