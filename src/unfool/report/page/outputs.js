// What is shown of a model that generates: how good its outputs were and are, and where it looked.

const generates = (sample) => isNumber(sample.chrf_before);
const REFERENCE = "reference";

// The figures of one sample's outputs; without a reference they compare with the output before.
function qualityOf(sample) {
  if (!generates(sample)) return [];
  const against = sample.names.includes(REFERENCE) ? "" : ", of the output before";
  return [
    [`chrF before${against}`, share(sample.chrf_before)],
    [`chrF after${against}`, share(sample.chrf_after)],
    ["chrF lost", share(sample.chrf_lost)],
    ["chrF of the source", share(sample.chrf_source)],
  ];
}

// The cards of a run's outputs.
function outputFigures({ outputs }) {
  if (!outputs) return [];
  const { bleu } = outputs;
  const between = ({ low, high }) => `[${oneDigit.format(low)}, ${oneDigit.format(high)}]`;
  return [
    bleu
      ? {
          name: "BLEU before → after",
          value: `${oneDigit.format(bleu.before.score)} → ${oneDigit.format(bleu.after.score)}`,
          small: `${between(bleu.before)} → ${between(bleu.after)} · p ${fourDigits.format(bleu.p)}`,
        }
      : null,
    isNumber(outputs.before)
      ? {
          name: "chrF before → after",
          value: `${share(outputs.before)} → ${share(outputs.after)}`,
          small: "mean chrF2++ of all outputs against their references",
        }
      : {
          name: "chrF of outputs",
          value: share(outputs.output),
          small: "mean chrF2++ of all outputs against those before",
        },
    { name: "chrF of sources", value: share(outputs.source), small: "mean of the changed sources against the sources" },
  ].filter(Boolean);
}

// Source and output beside each other, each before above after; what has no counterpart goes below.
function beside(sample, texts) {
  if (!generates(sample)) return texts;
  const of = (place) => texts.filter((_, each) => fieldOf(sample, each) === place);
  const rest = texts.filter((_, each) => fieldOf(sample, each) > 1);
  return [make("div", { class: "pair" }, make("div", {}, of(0)), make("div", {}, of(1))), ...rest];
}

// Which field a block of text is of: one that changed has two blocks.
function fieldOf(sample, block) {
  let blocks = 0;
  return sample.fields.findIndex(([, changed]) => (blocks += changed ? 2 : 1) > block);
}

// Cross attention as a table: a row a word of the output, a column a word of the source.
function crossOf(sample) {
  const cross = shadingOf(sample)?.[3];
  if (!cross) return null;
  const tables = cross.map((seen, which) => crossTable(sample, seen, which && cross.length > 1));
  return make(
    "div",
    { class: "cross" },
    make("h3", {}, "Where it looked"),
    make("div", { class: "pair" }, tables),
    make(
      "p",
      { class: "quiet" },
      "Cross attention of the last layer, the mean over its heads: what share of it each word of the output gives to each word of the source. The tokens at the ends get the rest.",
    ),
  );
}

function crossTable(sample, { source, output, weights }, after) {
  const caption = after ? "After the change" : "Before the change";
  if (!output.length) return make("p", { class: "quiet" }, `${caption}: no words, or too many to show.`);
  const cell = (value) => {
    const element = make("span", { class: "shade attention" }, oneDigit.format(100 * value));
    element.style.setProperty("--strength", Number(Math.min(1, value).toFixed(3)));
    return element;
  };
  const rows = output.map((word, row) => [shown(word), ...weights[row].map(cell)]);
  const saved = () =>
    output.flatMap((word, row) =>
      source.map((read, column) => ({ output: word, source: read, attention: weights[row][column] })),
    );
  const name = `sample-${sample.id}-attention-${after ? "after" : "before"}`;
  return tabled(name, table(`${caption}, %`, ["Output", ...source.map(shown)], rows), saved);
}
