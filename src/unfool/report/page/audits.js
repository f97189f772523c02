// Audits: which word replacements flip a model, what the data says of them, and where they do it.

const OTHERS_NAMED = 5;

const EXPLANATIONS = {
  learned: [
    "Biases of the data that the model has learned",
    "In the data the new word goes less with the answer than the old one, beyond chance. The model has learned that, though the words can mean the same.",
  ],
  unseen: [
    "Words the data never shows",
    "The new word is not in the data: the model has nothing to go by, and the loss of the old one is enough.",
  ],
  against: [
    "Whims of the model",
    "In the data the two words do not differ in this direction, though they occur often enough for that to show: the bias is the model's own.",
  ],
  "too rare to tell": [
    "Too rare to tell",
    "The words occur too rarely for the data to say, beyond chance, whether it leans this way.",
  ],
  "too few flips to tell": [
    "Too few flips to tell",
    "The model was tried on too few texts with the word, or it flips no oftener than by any replacement. Audit more texts before you draw a conclusion.",
  ],
};

function auditSection(audit, place) {
  const name = `audit-${place + 1}`;
  const swap = (finding) => `${shown(finding.word)} → ${shown(finding.substitute)}`;
  const tables = Object.entries(EXPLANATIONS).map(([grounds, [heading, sentence]]) => {
    const found = audit.findings.filter((finding) => finding.grounds === grounds);
    if (!found.length) return null;
    const rows = found.map((finding) => [
      make(
        "span",
        {},
        make("a", { href: `#${name}-${audit.findings.indexOf(finding)}` }, swap(finding)),
        small(othersOf(finding)),
      ),
      shown(finding.label_name),
      make(
        "span",
        {},
        `${finding.rate.count} of ${finding.rate.of}`,
        small(told(finding.rate)),
        small(grounds === "too few flips to tell" ? finding.evidence : ""),
      ),
      small(seenIn(audit, finding)),
      small(pmiOf(audit, finding)),
    ]);
    return make(
      "div",
      {},
      make("h3", {}, heading),
      make("p", {}, sentence),
      tabled(
        `${name}-${grounds.replaceAll(" ", "-")}`,
        table(heading, ["Replacement", "Answer", "Flips", "In the data", "PMI"], rows),
        () => found,
      ),
    );
  });
  const examples = audit.findings.map((finding, number) =>
    make(
      "div",
      { id: `${name}-${number}` },
      make("h4", {}, swap(finding), small(`no longer ${finding.label_name}`)),
      ...finding.examples.map(({ id, before, word, substitute, after }) =>
        make(
          "p",
          { class: "text", dir: "auto" },
          small(`#${id} `),
          nodes([
            ["same", before],
            ["del", word],
            ["ins", substitute],
            ["same", after],
          ]),
        ),
      ),
    ),
  );
  const nothing = make("p", {}, "No replacement of one word flips the model often enough to be listed.");
  return section(
    name,
    `What words fool ${shown(audit.victim)}`,
    make(
      "p",
      {},
      "Every word of every text was replaced by each of its WordNet synonyms, one at a time. A synonym should not change the answer; where it does, the model relies on the word and not on what it means. Listed are the replacements that turn right answers wrong, the surest first, with what the data says of the two words. WordNet also lists synonyms of other senses: read the examples before you blame the model.",
    ),
    make("dl", { class: "cards" }, auditFigures(audit).map(card)),
    ...(audit.findings.length ? tables.filter(Boolean) : [nothing]),
    make(
      "p",
      { class: "quiet" },
      "Flips: right answers that this change alone makes wrong, with the 95 % Wilson interval. PMI: how strongly the old → the new word goes with each answer in the data, in bits; 0 where they never occur together. Beyond chance: by Fisher's exact test, 2.5 % in either direction, each pair of words by itself.",
    ),
    ...(examples.length ? [make("h3", {}, "Examples"), ...examples] : []),
  );
}

const small = (text) => (text ? make("small", { class: "below" }, shown(text)) : null);

function auditFigures(audit) {
  const figure = (name, value, under = "") => ({ name, value, small: under });
  const rate = (name, found) => figure(name, share(found.value), `${interval(found)} ${found.count} of ${found.of}`);
  const silent = audit.texts - audit.answered;
  return [
    figure("data", shown(audit.data), audit.split ?? ""),
    figure("texts", count(audit.texts)),
    rate("right before", audit.right_before),
    rate("flipped by one synonym", audit.flipped_of_right),
    figure("replacements tried", count(audit.replacements)),
    figure("replacements that flip", count(audit.rules), "different ones"),
    rate("any replacement flips", audit.any_replacement),
    ...(silent ? [figure("texts without an answer", count(silent))] : []),
    ...(audit.unanswered ? [figure("replacements without an answer", count(audit.unanswered))] : []),
  ];
}

function othersOf({ others }) {
  if (!others.length) return "";
  const rest = others.length - OTHERS_NAMED;
  return `also ${others.slice(0, OTHERS_NAMED).join(", ")}${rest > 0 ? ` and ${rest} more` : ""}`;
}

function seenIn(audit, finding) {
  const counts = (each) => audit.labels.map((label, place) => `${each[place]} ${label}`).join(", ");
  const { word, substitute } = finding.seen;
  return `${finding.word}: ${counts(word)}; ${finding.substitute}: ${counts(substitute)}`;
}

function pmiOf(audit, finding) {
  const changes = Object.values(finding.pmi).map(([old, changed]) => `${old.toFixed(2)} → ${changed.toFixed(2)}`);
  return audit.labels.map((label, place) => `${label}: ${changes[place]}`).join("; ");
}
