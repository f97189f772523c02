// Rules: which word to put for which other, and how well that works.

function rulesSection(book, place) {
  const name = `rules-${place + 1}`;
  const flips = (rule) => (rule.right ? rule.flips / rule.right : null);
  const grid = new Grid({
    name: `${name}-grid`,
    label: `Rules of ${shown(book.name)}`,
    open: (row) => open(row),
    columns: [
      { name: "Word", width: "10rem", value: (rule) => rule.word, cell: (rule) => shown(rule.word) },
      {
        name: "Substitute",
        width: "10rem",
        value: (rule) => rule.substitute,
        cell: (rule) => shown(rule.substitute),
      },
      { name: "Label", width: "7rem", value: (rule) => rule.label, cell: (rule) => shown(rule.label) },
      {
        name: "Salience",
        width: "6rem",
        numeric: true,
        value: (rule) => rule.salience,
        cell: (rule) => fourDigits.format(rule.salience),
      },
      {
        name: "Places",
        width: "5rem",
        numeric: true,
        value: (rule) => rule.support,
        cell: (rule) => count(rule.support),
      },
      {
        name: "Flips",
        width: "7rem",
        numeric: true,
        value: flips,
        cell: (rule) => (rule.right ? `${rule.flips} of ${rule.right}` : NOTHING),
      },
      {
        name: "Example",
        width: "minmax(14rem, 1fr)",
        cell: (rule) => make("span", { class: "line", dir: "auto" }, example(rule, 40)),
      },
    ],
  });
  const example = (rule, lead) => {
    if (!rule.example) return NOTHING;
    const { before, after } = rule.example;
    const start = lead && before.length > lead ? `…${before.slice(-lead).replace(/^\S*\s/, "")}` : before;
    return nodes([
      ["same", start],
      ["del", rule.word],
      ["ins", rule.substitute],
      ["same", after],
    ]);
  };
  const state = { text: "", label: "" };
  const told = make("p", { role: "status", "aria-live": "polite", class: "told" });
  const filter = () => {
    grid.show(
      book.rules.filter(
        (rule) =>
          (!state.label || rule.label === state.label) &&
          (!state.text || `${rule.word} ${rule.substitute}`.toLowerCase().includes(state.text)),
      ),
    );
    told.textContent = `${count(grid.shown.length)} of ${counted(book.rules.length, "rule")}`;
  };
  const open = (row) => {
    const rule = grid.shown[row];
    const [low, high] = rule.interval;
    const pmi = Object.entries(rule.pmi).map(([each, [old, changed]]) => [
      shown(each),
      fourDigits.format(old),
      fourDigits.format(changed),
    ]);
    openDetail(
      `${shown(rule.word)} → ${shown(rule.substitute)}`,
      [
        make(
          "p",
          {},
          `In texts labelled ${shown(rule.label)}. Salience ${fourDigits.format(rule.salience)}, ${counted(rule.support, "place")}; flips ${count(rule.flips)} of ${counted(rule.right, "right answer")}` +
            (rule.right ? ` ${interval({ value: 0, low, high })}.` : "."),
        ),
        pmi.length
          ? table(
              "Pointwise mutual information with each label, in the data",
              ["Label", "the word", "its substitute"],
              pmi,
            )
          : null,
        rule.example ? make("p", { class: "text", dir: "auto" }, example(rule, 0)) : null,
      ],
      {
        before:
          row > 0
            ? () => {
                grid.go(row - 1);
                open(row - 1);
              }
            : null,
        after:
          row + 1 < grid.shown.length
            ? () => {
                grid.go(row + 1);
                open(row + 1);
              }
            : null,
        closed: () => grid.element.focus(),
      },
    );
  };
  const controls = make(
    "form",
    { class: "controls", role: "search", "aria-label": "Filter rules", submit: (event) => event.preventDefault() },
    labelled(
      "Search",
      make("input", {
        type: "search",
        input: (event) => {
          state.text = event.target.value.toLowerCase();
          filter();
        },
      }),
    ),
    choice("Label", [["", "all"], ...book.labels.map((label) => [label, shown(label)])], (value) => {
      state.label = value;
      filter();
    }),
    saving(name, () => grid.shown.map(({ interval: [low, high], ...rule }) => ({ ...rule, low, high }))),
  );
  filter();
  const printed = make("div", { class: "printed" });
  window.addEventListener("beforeprint", () => {
    const some = grid.shown.slice(0, 100);
    const row = (rule) => [
      shown(rule.word),
      shown(rule.substitute),
      shown(rule.label),
      fourDigits.format(rule.salience),
      count(rule.support),
      rule.right ? `${count(rule.flips)} of ${count(rule.right)}` : NOTHING,
      make("span", { dir: "auto" }, example(rule, 40)),
    ];
    printed.replaceChildren(
      table(
        `The first ${some.length} of ${counted(grid.shown.length, "rule")} chosen`,
        grid.columns.map((column) => column.name),
        some.map(row),
      ),
    );
  });
  const legend = make(
    "p",
    { class: "quiet" },
    "Salience: how far the substitute moves the models' answer away from the label, the mean over all places where it was tried (of rules mined by PMI: how much less it goes with the label in the data). Places: how many there were. Flips: right answers that the change alone makes wrong, out of those where it was tried. Enter or a click opens a rule.",
  );
  return section(name, `Rules: ${shown(book.name)}`, controls, told, grid.element, printed, legend);
}
