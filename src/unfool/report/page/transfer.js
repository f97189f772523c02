// Which model's texts fool which: the matrix as a heat map, its models, and what follows from it.

const ORDERS = [
  ["given", "as given"],
  ["sends", "by what a model sends"],
  ["receives", "by what a model receives"],
];

function transferSection(study, place) {
  const title = (name) => study.short[name];
  const state = { rate: "rate", order: "given", group: "" };
  const grouped = Object.keys(study.groups).length > 0;
  const groupOf = (name) => study.groups[name]?.[state.group] ?? "other";
  const sent = Object.fromEntries(study.models.map((model) => [model.name, model]));

  const ordered = (names) => {
    const by = (name) => -(sent[name]?.[state.order] ?? -1);
    const sorted = state.order === "given" ? [...names] : [...names].sort((a, b) => by(a) - by(b));
    return state.group ? sorted.sort((a, b) => collator.compare(groupOf(a), groupOf(b))) : sorted;
  };
  const label = (name) => (state.group ? `${groupOf(name)} · ${title(name)}` : title(name));
  const rows = () =>
    study.cells
      .filter((cell) => isNumber(cell[state.rate].value))
      .map((cell) => ({
        source: label(cell.source),
        target: label(cell.target),
        pair: `${title(cell.source)} → ${title(cell.target)}`,
        same: cell.same,
        kind: cell.same ? "base rate: with its twin" : "transfer",
        ...cell[state.rate],
      }));

  const spec = () => {
    const values = rows();
    const side = Math.max(14, Math.min(88, Math.floor(760 / study.targets.length)));
    const small = side < 34;
    const axis = (field, names, more) => ({
      field,
      type: "nominal",
      sort: ordered(names).map(label),
      scale: { domain: ordered(names).map(label) },
      axis: { domain: false, ticks: false, labelFontSize: small ? 10 : 12, labelOverlap: false, ...more },
    });
    const x = axis("target", study.targets, {
      orient: "top",
      labelAngle: small ? -90 : -40,
      labelAlign: "left",
      title: "tried on",
    });
    const y = axis("source", study.sources, { title: "made on" });
    return {
      data: { values },
      width: { step: side },
      height: { step: Math.min(side, 46) },
      encoding: { x, y, tooltip: { value: "shown" } },
      layer: [
        {
          mark: { type: "rect", cornerRadius: small ? 0 : 3, stroke: "currentColor" },
          encoding: {
            strokeOpacity: { condition: { test: "datum.same", value: 0.9 }, value: 0.06 },
            strokeWidth: { condition: { test: "datum.same", value: 2 }, value: 1 },
            color: {
              field: "value",
              type: "quantitative",
              scale: { scheme: "viridis", domain: [0, 1] },
              legend: { title: "fooled", format: "%", gradientLength: 160, tickCount: 5 },
            },
          },
        },
        ...(!small
          ? [
              {
                mark: { type: "text", fontSize: 12, aria: false },
                encoding: {
                  text: { field: "value", type: "quantitative", format: ".0%" },
                  color: { condition: { test: "datum.value > 0.5", value: "#111" }, value: "#fff" },
                },
              },
            ]
          : []),
      ],
    };
  };
  const name = `transfer-${place + 1}`;
  const drawn = chart({
    name,
    caption: "Who fools whom.",
    description:
      "Of the texts that fool the model on the left, the share that fools the one above. Framed on the diagonal, where there is one, the base rate: with a twin trained from another seed. The rate of those right before leaves out texts whose original the model above has wrong anyway.",
    spec,
    lines: (row) => ({ texts: row.pair, [row.kind]: told(row), fooled: `${count(row.count)} of ${count(row.of)}` }),
    data: () => study.cells.map((cell) => ({ source: cell.source, target: cell.target, ...cell[state.rate] })),
  });
  const asTable = make("details", {}, make("summary", {}, "The same as a table"));
  const classes = make("div", {});
  const change = (key) => (value) => {
    state[key] = value;
    refresh();
  };
  const refresh = async () => {
    fillTable();
    classes.replaceChildren(
      ...(state.group && study.analysis
        ? [classTable(study.analysis[`by ${state.group}`], state.group, name)]
        : []),
    );
    await drawn.draw();
  };
  const fillTable = () => {
    const found = new Map(study.cells.map((cell) => [`${cell.source}\n${cell.target}`, cell[state.rate]]));
    asTable.replaceChildren(
      asTable.firstChild,
      table(
        "From (rows) to (columns)",
        ["", ...ordered(study.targets).map((each) => shown(label(each)))],
        ordered(study.sources).map((source) => [
          shown(label(source)),
          ...ordered(study.targets).map((target) => share(found.get(`${source}\n${target}`)?.value)),
        ]),
      ),
    );
  };
  const controls = make(
    "form",
    { class: "controls", "aria-label": "The matrix", submit: (event) => event.preventDefault() },
    choice(
      "Rate",
      [
        ["rate", "of all texts"],
        ["corrected", "of those right before"],
      ],
      change("rate"),
      { id: `${name}-rate` },
    ),
    choice("Order", ORDERS, change("order"), { id: `${name}-order` }),
    grouped
      ? choice(
          "Group",
          [
            ["", "none"],
            ["architecture", "by architecture"],
            ["input", "by input"],
          ],
          change("group"),
          { id: `${name}-group` },
        )
      : null,
  );
  const whole = section(
    name,
    `Transfer: ${shown(study.name)}`,
    make(
      "p",
      { class: "about" },
      `${study.sources.length} sources, ${study.targets.length} targets · ${shown(String(study.settings.attack ?? ""))} on ${shown(String(study.settings.data ?? ""))}`,
    ),
    controls,
    drawn.figure,
    asTable,
    classes,
    modelTable(study, name),
    impactsTable(study, name),
  );
  return charted(whole, [{ draw: refresh }]);
}

function modelTable(study, name) {
  const rate = (found) =>
    found ? make("span", {}, make("b", {}, share(found.value)), " ", make("small", {}, interval(found))) : NOTHING;
  const rows = study.models.map((model) => [
    shown(study.short[model.name]),
    rate(model.accuracy),
    rate(model.success),
    rate(model.base),
    share(model.sends),
    share(model.receives),
    share(model["receives, corrected"]),
  ]);
  return make(
    "div",
    {},
    tabled(
      `${name}-models`,
      table(
        "The models",
        ["Model", "Accuracy", "Fooled", "Base rate", "Sends", "Receives", "Receives, corrected"],
        rows,
      ),
      () => study.models,
    ),
    make(
      "p",
      { class: "quiet" },
      "Fooled: of the texts it had right, the share that the attack on it fooled. Sends: the mean rate of its texts on the other models. Receives: the mean rate of theirs on it; corrected: of texts it had right before.",
    ),
  );
}

function classTable(found, group, name) {
  const names = Object.keys(found).filter(
    (row) => Object.values(found[row]).some(isNumber) || Object.values(found).some((other) => isNumber(other[row])),
  );
  return tabled(
    `${name}-by-${group}`,
    table(
      `Mean rates from class to class, by ${group}`,
      ["", ...names.map(shown)],
      names.map((row) => [shown(row), ...names.map((column) => share(found[row][column]))]),
    ),
    () => names.flatMap((from) => names.map((to) => ({ from, to, rate: found[from][to] }))),
  );
}

function impactsTable(study, name) {
  const told = Object.entries(study.analysis?.impacts ?? {}).filter(([, impact]) => impact.pairs > 0);
  if (!told.length) return null;
  const corrected = study["analysis, corrected"].impacts;
  return tabled(
    `${name}-factors`,
    table(
      "How far rates are from the base rate if two models differ in one factor alone",
      ["Factor", "Difference", "Corrected", "Pairs"],
      told.map(([factor, impact]) => [factor, share(impact.mean), share(corrected[factor].mean), count(impact.pairs)]),
    ),
    () => told.map(([factor, impact]) => ({ factor, ...impact, corrected: corrected[factor].mean })),
  );
}
