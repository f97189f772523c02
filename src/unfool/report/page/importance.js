// Importance: how much each word of a text, or each substitute of a word, matters to each of several models.

// Red where the label loses by the change, blue where it gains.
const LOSES = "210 34 45";
const GAINS = "35 90 200";

function importanceSection(found, place) {
  const name = `importance-${place + 1}`;
  // A model's largest value is at full strength.
  const rows = Object.entries(found.models).map(([model, values]) => {
    const most = Math.max(...values.map((value) => Math.abs(value ?? 0)), 1e-9);
    return [shown(found.short[model]), ...values.map((value) => weight(value, (value ?? 0) / most))];
  });
  return section(
    name,
    shown(found.title),
    make("p", { class: "text", dir: "auto" }, shown(found.text)),
    tabled(`${name}-table`, table(found.title, ["", ...found.words.map(shown)], rows), () =>
      Object.entries(found.models).flatMap(([model, values]) =>
        values.map((importance, word) => ({ model, word: found.words[word], importance })),
      ),
    ),
  );
}

function weight(value, strength) {
  const cell = make("span", { class: "weight" }, isNumber(value) ? value.toFixed(2) : NOTHING);
  cell.style.setProperty("background", `rgb(${strength > 0 ? LOSES : GAINS} / ${Math.abs(strength).toFixed(2)})`);
  return cell;
}
