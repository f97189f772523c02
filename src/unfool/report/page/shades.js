// What the victim looks at: words shaded by their weights, and the same numbers as a table.

const shadings = new Map(); // a run's are read once a sample of it is opened: a page may hold millions of them

// The weights of a sample's words: [original, changed], field by field; null where the victim was not asked.
function shadingOf(sample) {
  const { run } = sample;
  if (!run.overlays) return null;
  if (!shadings.has(run)) shadings.set(run, block(`overlays-${run.place}`));
  return shadings.get(run)[sample.id] ?? null;
}

const points = (value) => `${oneDigit.format(100 * Math.abs(value))} points`;

const SHADES = {
  importance: {
    brief: (value) => `${value < 0 ? "−" : ""}${oneDigit.format(100 * Math.abs(value))}`,
    told: (value, label) =>
      value === 0
        ? `belief in ${label} is the same without it`
        : `belief in ${label} ${value > 0 ? "falls" : "rises"} by ${points(value)} without it`,
    legend: (most, label, whose) =>
      `Importance: how much the victim's belief in ${label}, the ${whose}, falls when the word is left out (solid line), or rises (dashed line). Deepest shade: ${points(most)} of a hundred.`,
  },
  attention: {
    brief: (value) => oneDigit.format(100 * value),
    told: (value) => `${share(value)} of the attention`,
    legend: (most) =>
      `Attention: of what the net's last layer looks at when it decides, the mean over its heads, the share each word gets; marks and special tokens get the rest. Deepest shade: ${share(most)}. What is looked at need not be what matters: compare importance.`,
  },
};

// Every word of a field with its weights and where it stands.
function weighed(text, [lengths, importance, attention]) {
  let place = 0;
  const words = [];
  for (let each = 0; each < lengths.length; each += 2) {
    const start = place + lengths[each];
    place = start + lengths[each + 1];
    const nth = each / 2;
    words.push({
      start,
      stop: place,
      word: text.slice(start, place),
      importance: importance[nth],
      attention: attention?.[nth] ?? null,
    });
  }
  return words;
}

// Both texts of a sample: fields of weighed words; null where there are none.
function wordsOf(sample) {
  const found = shadingOf(sample);
  if (!found) return null;
  const [old, changed] = found;
  const texts = [original(sample), perturbed(sample)];
  return [old, changed ?? old].map((fields, which) =>
    fields.map((field, place) => weighed(texts[which][place], field)),
  );
}

// A text's nodes, as `nodes` makes them, with each word inside a mark as deep as its weight.
function shadedNodes(tokens, words, kind, most, label) {
  const result = [];
  const before = known(tokens);
  let [place, next, mark] = [0, 0, null];
  for (const [change, text] of tokens) {
    for (let from = 0; from < text.length;) {
      const word = words[next];
      const inside = word !== undefined && place >= word.start;
      const room = word === undefined ? text.length : (inside ? word.stop : word.start) - place;
      const piece = text.slice(from, from + room);
      if (inside && !mark) result.push((mark = shade(word, kind, most, label)));
      const made = nodes([[change, piece]], before);
      if (inside) mark.append(...made);
      else result.push(...made);
      from += piece.length;
      place += piece.length;
      if (inside && place >= word.stop) {
        next++;
        mark = null;
      }
    }
  }
  return result;
}

function shade(word, kind, most, label) {
  const value = word[kind];
  if (!isNumber(value)) return make("span", { title: `${shown(word.word)}: cut off, the victim does not read it` });
  const element = make("mark", {
    class: value < 0 ? "shade against" : `shade ${kind}`,
    title: `${shown(word.word)}: ${SHADES[kind].told(value, label)}`,
    "data-number": SHADES[kind].brief(value),
  });
  element.style.setProperty("--strength", Number((most ? Math.abs(value) / most : 0).toFixed(3)));
  return element;
}

const strongest = (texts, kind) => Math.max(0, ...texts.flat(2).map((word) => Math.abs(word[kind] ?? 0)));

// The numbers behind the shades, the strongest word first.
function weightTable(sample, texts, kind) {
  const label = nameOf(sample, sample.label);
  const named = (which, field) => [["original", "changed"][which], sample.names[field]];
  const rows = texts
    .flatMap((fields, which) =>
      fields.flatMap((words, field) =>
        words.map(({ word, importance, attention }, position) => {
          const [text, name] = named(which, field);
          return { text, field: name, position, word, importance, attention };
        }),
      ),
    )
    .filter((row) => row.text === "original" || sample.fields.some(([, changed]) => changed));
  const attends = sample.run.overlays.attention;
  const details = make("details", {}, make("summary", {}, "The numbers of all words"));
  details.addEventListener("toggle", () => {
    if (!details.open || details.children.length > 1) return;
    const sorted = [...rows].sort((a, b) => Math.abs(b[kind] ?? 0) - Math.abs(a[kind] ?? 0));
    details.append(
      tabled(
        `sample-${sample.id}-words`,
        table(
          `Words by ${kind}`,
          ["Word", "Text", `Falls without it: belief in ${label}, points`, ...(attends ? ["Attention"] : [])],
          sorted.map((row) => [
            shown(row.word),
            sample.names.length > 1 ? `${row.text}, ${shown(row.field)}` : row.text,
            SHADES.importance.brief(row.importance),
            ...(attends ? [share(row.attention)] : []),
          ]),
        ),
        () => rows,
      ),
    );
  });
  return details;
}
