// One attack as it goes on, step by step, and what came of it.

const MOST_ROWS = 200; // steps that stay on the page
const MOST_BARS = 6;
const SAID_EVERY = 2000; // milliseconds: a screen reader could not follow every step

const told = (queries) => (queries === 1 ? "1 query" : `${count(queries)} queries`);
const bare = (spec) => spec.split(":")[0];

// A bar for each label; of many, those believed in most.
function beliefBars(labels, beliefs) {
  const all = labels.map((label, place) => [label, beliefs[place]]);
  const rows = [...all].sort((a, b) => b[1] - a[1]);
  const kept = labels.length > MOST_BARS ? rows.slice(0, MOST_BARS) : all;
  return kept.flatMap(([label, belief]) => [
    make("dt", {}, shown(label)),
    make(
      "dd",
      {},
      make("meter", { min: "0", max: "1", value: String(belief), "aria-label": shown(label) }),
      ` ${share(belief)}`,
    ),
  ]);
}

// Fields with their changes marked, in a row.
function inOneRow(fields) {
  return joined(
    fields.flatMap(([old, changed], place) => [...(place ? [["same", " ‖ "]] : []), ...merged(old, changed, false)]),
  );
}

// What stands on the page for an attack: `tell` takes its events; `row` is its line in the comparison.
function searching({ attack, labels }) {
  const state = make("p", { class: "state", "aria-hidden": "true" }, "searching…");
  const aloud = make("p", { role: "status", class: "aloud" }, "searching…");
  const bars = make("dl", { class: "beliefs" });
  const text = make("p", { class: "text passage", dir: "auto" });
  const body = make("tbody", {});
  const many = labels.length > MOST_BARS;
  const beliefIn = many ? ["Belief in the likeliest"] : labels.map((label) => `Belief in ${shown(label)}`);
  const columns = ["Queries", ...beliefIn, "The text of this step that came nearest"];
  const heads = columns.map((name) => make("th", { scope: "col" }, name));
  const steps = make(
    "details",
    {},
    make("summary", {}, "Every question to the victim"),
    make(
      "div",
      { class: "scroll steps-told", tabindex: "0", role: "region", "aria-label": "Steps of the search" },
      make("table", {}, make("thead", {}, make("tr", {}, heads)), body),
    ),
  );
  const live = make("div", { class: "live" }, bars, text);
  const result = make("div", {});
  const heading = make("h3", {}, shown(bare(attack)));
  const panel = make("section", { class: "run", "aria-label": shown(attack) }, heading, state, aloud, live, result, steps);
  const found = { panel, attack, outcome: "searching", queries: null, sample: null };
  let said = Date.now();
  const end = (outcome) => {
    found.outcome = outcome;
    state.replaceChildren(make("span", { class: outcome === "fooled" ? "status success" : "status" }, outcome));
    aloud.textContent = outcome;
  };
  const step = ({ queries, beliefs, fields }) => {
    found.queries = queries;
    state.textContent = `searching: ${told(queries)}`;
    if (Date.now() - said >= SAID_EVERY) [aloud.textContent, said] = [state.textContent, Date.now()];
    bars.replaceChildren(...beliefBars(labels, beliefs));
    const row = inOneRow(fields);
    text.replaceChildren(...nodes(row));
    const numbers = many ? [Math.max(...beliefs)] : beliefs;
    const cells = [count(queries), ...numbers.map(share), make("span", { dir: "auto" }, nodes(excerpt(row)))];
    body.append(make("tr", {}, cells.map((cell) => make("td", {}, cell))));
    if (body.children.length > MOST_ROWS) body.firstChild.remove();
  };
  const tell = (event) => {
    if (event.type === "step") step(event);
    else if (event.type === "failed") end(`no result: ${shown(event.error)}`);
    else if (event.type === "late") end(`stopped: it took more than ${counted(event.seconds, "second")}`);
    else if (event.type === "result") {
      found.sample = sampleOf(event);
      live.remove();
      end(found.sample.status === "success" ? "fooled" : `not fooled: ${shown(found.sample.reason)}`);
      result.replaceChildren(...resultOf(found.sample));
    }
  };
  const stop = () => {
    if (found.outcome === "searching") end(`stopped after ${told(found.queries ?? 0)}`);
  };
  return Object.assign(found, { tell, stop });
}

function sampleOf({ about, samples, overlays }) {
  const run = { ...about, title: about.name };
  shadings.set(run, overlays);
  return samplesOf(run, samples)[0];
}

function resultOf(sample) {
  const shaded = shadingOf(sample) !== null;
  return [
    make("p", { class: "verdicts" }, `${verdict(sample, "before")} → ${verdict(sample, "after")}`),
    ...textsOf(sample, false, shaded ? "importance" : null),
    sample.status === "success" ? checksOf(sample) : null,
    factsOf(sample),
    stepsOf(sample),
  ].filter(Boolean);
}

// That the model's answer changed the engine has checked. The rest only a person can.
function checksOf(sample) {
  const read = sample.fields.slice(0, generates(sample) ? 1 : undefined);
  const tokens = read.flatMap(([old, changed]) => merged(old, changed, false));
  const swaps = tokens.flatMap(([kind, text], place) =>
    kind === "ins" ? [[tokens[place - 1]?.[0] === "del" ? tokens[place - 1][1] : "", text]] : [],
  );
  const quoted = (string) => make("q", { dir: "auto" }, shown(string));
  const asked = swaps
    .slice(0, 8)
    .map(([old, text]) =>
      old
        ? ["Does ", quoted(text), " mean here what ", quoted(old), " meant?"]
        : ["Does ", quoted(text), " leave the meaning as it was?"],
    );
  const label = nameOf(sample, sample.label);
  const answer = generates(sample)
    ? "Is the first output right, and is the second wrong for its own source?"
    : `Would you still call the changed text ${label}? If you would not, the model was not fooled.`;
  const items = [...asked, answer, "Does it read as naturally as before?"].map((item) => make("li", {}, item));
  return make("div", { class: "checks" }, make("h4", {}, "For you to check"), make("ul", {}, items));
}

function comparison(found) {
  const rows = found.map(({ attack, outcome, queries, sample }) => [
    shown(bare(attack)),
    outcome,
    sample ? verdict(sample, "after") : NOTHING,
    count(sample?.queries ?? queries),
    sample ? `${count(sample.words_changed)} of ${count(sample.words)}` : NOTHING,
  ]);
  return table("The attacks side by side", ["Attack", "Result", "Answer after", "Queries", "Words changed"], rows);
}
