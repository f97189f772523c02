// One sample: what it is called, what it says, and what is shown when it is opened.

function readSamples(runs) {
  return runs.flatMap((run, place) => samplesOf(run, block(`samples-${place}`)));
}

function samplesOf(run, { columns, fields, rows }) {
  return rows.map((row) => {
    const sample = Object.fromEntries(columns.map((column, each) => [column, row[each]]));
    return Object.assign(sample, { run, names: fields, share: sample.words_changed / Math.max(sample.words, 1) });
  });
}

const original = (sample) => sample.fields.map(([old]) => old.join(""));
const perturbed = (sample) => sample.fields.map(([old, changed]) => (changed ?? old).join(""));
const nameOf = (sample, label) => shown(sample.run.labels[label] ?? String(label));
const verdict = (sample, when) =>
  `${nameOf(sample, sample[`label_${when}`])} ${sample[`tied_${when}`] ? "tie, " : ""}${share(sample[`confidence_${when}`])}`;

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
    steps,
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
    steps: steps.map((step) => step.map(([, old, changed]) => `${old} → ${changed}`)),
  };
}

// Both texts in one, its fields in a row.
function mergedTokens(sample, fine) {
  return joined(
    sample.fields.flatMap(([old, changed], place) => [
      ...(place ? [["same", " ‖ "]] : []),
      ...merged(old, changed, fine),
    ]),
  );
}

// What the label of a sample is: where the data have none, the victim's first answer stands for it.
const labelOf = ({ run }) => (run.labelled_by_victim ? "victim's own answer" : "true label");

function verdictsOf(sample) {
  return make(
    "p",
    { class: "verdicts" },
    make("span", { class: `status ${sample.status}` }, sample.status),
    ` ${verdict(sample, "before")} → ${verdict(sample, "after")}`,
    make("small", {}, `${labelOf(sample)}: ${nameOf(sample, sample.label)}`),
    sample.reason ? make("small", {}, `reason: ${shown(sample.reason)}`) : null,
    ...votesOn(sample),
  );
}

// The texts one below the other, shaded by "importance" or "attention" where `kind` says so.
function textsOf(sample, fine, kind) {
  const words = kind && wordsOf(sample);
  const most = words && strongest(words, kind);
  const label = nameOf(sample, sample.label);
  const texts = sample.fields.flatMap(([old, changed], place) => {
    const name = sample.names.length > 1 ? ` (${shown(sample.names[place])})` : "";
    const text = (heading, tokens, which) =>
      make(
        "div",
        {},
        make("h3", {}, heading + name),
        make(
          "p",
          { class: words ? "text shaded" : "text", dir: "auto" },
          words?.[which][place] ? shadedNodes(tokens, words[which][place], kind, most, label) : nodes(tokens),
        ),
      );
    if (!changed) return [text("Unchanged text", [["same", old.join("")]], 0)];
    return [
      text("Original", marked(old, changed, "del", fine), 0),
      text("Changed", marked(changed, old, "ins", fine), 1),
    ];
  });
  const placed = beside(sample, texts);
  if (!kind) return placed;
  if (!words) {
    const asked = `The victim was asked about ${counted(sample.run.overlays?.samples ?? 0, "sample")} of this run`;
    return [...placed, make("p", { class: "quiet" }, `${asked}, not about this one.`)];
  }
  return [
    ...placed,
    make("p", { class: "quiet" }, SHADES[kind].legend(most, label, labelOf(sample))),
    weightTable(sample, words, kind),
  ];
}

function factsOf(sample) {
  const rows = [
    ["Queries", count(sample.queries)],
    ["Checks by the engine", count(sample.checks)],
    ["Words changed", `${count(sample.words_changed)} of ${count(sample.words)}`],
    ["Characters changed", `${count(sample.characters_changed)} of ${count(sample.characters)}`],
    ...qualityOf(sample),
    ...Object.entries(sample.notes).map(([name, value]) => [shown(name), fourDigits.format(value)]),
  ];
  return make(
    "dl",
    { class: "facts" },
    rows.map(([name, value]) => make("div", {}, make("dt", {}, name), make("dd", {}, value))),
  );
}

// The way from the original to the changed text, as the attack went it; between them, only the victim can tell.
function stepsOf(sample) {
  if (!sample.steps.length) return null;
  const beliefs = shadingOf(sample)?.[2];
  const change = (step) =>
    step.flatMap(([, old, changed], each) =>
      nodes([...(each ? [["same", ", "]] : []), ["del", old], ["same", " → "], ["ins", changed]]),
    );
  const rows = sample.steps.map((step, place) => [
    String(place + 1),
    make("span", { dir: "auto" }, change(step)),
    ...(beliefs ? [share(beliefs[place + 1])] : []),
  ]);
  const belief = `Belief in ${nameOf(sample, sample.label)}, the ${labelOf(sample)}`;
  const first = ["0", "the text as it was", share(beliefs?.[0])];
  const swaps = () =>
    sample.steps.flatMap((step, place) =>
      step.map(([position, old, changed]) => ({
        step: place + 1,
        position,
        old,
        changed,
        ...(beliefs ? { belief: beliefs[place + 1] } : {}),
      })),
    );
  return make(
    "div",
    { class: "steps" },
    make("h3", {}, "Steps of the search"),
    tabled(
      `sample-${sample.id}-steps`,
      table(
        "The changes in the order they were made",
        ["Step", "Change", ...(beliefs ? [belief] : [])],
        beliefs ? [first, ...rows] : rows,
      ),
      swaps,
    ),
  );
}
