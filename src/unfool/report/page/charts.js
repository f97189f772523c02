// Charts, drawn by Vega as SVG: it prints sharply, and takes the page's own colour for its words and lines, so that it
// follows the theme by itself.

const PALETTE = ["#0b84c6", "#e8590c", "#2b9a66", "#a855c7", "#c99700", "#d6336c", "#5c7cfa", "#7a7f87"];
const DASHES = [
  [1, 0],
  [7, 3],
  [2, 3],
  [9, 3, 2, 3],
];

// How the run at a place looks; two runs of one colour differ in their dashes.
const colourOf = (place) => PALETTE[place % PALETTE.length];
const dashOf = (place) => DASHES[(place + Math.floor(place / PALETTE.length)) % DASHES.length];

const LOOK = {
  background: null,
  font: 'system-ui, "Segoe UI", "DejaVu Sans", sans-serif', // as the page has it: the library measures words by it
  view: { stroke: null },
  axis: {
    labelColor: "currentColor",
    titleColor: "currentColor",
    domainColor: "currentColor",
    tickColor: "currentColor",
    gridColor: "currentColor",
    gridOpacity: 0.13,
    domainOpacity: 0.4,
    tickOpacity: 0.4,
    labelFontSize: 12,
    titleFontSize: 12,
    titleFontWeight: 500,
    labelLimit: 260,
    titlePadding: 8,
  },
  legend: {
    labelColor: "currentColor",
    titleColor: "currentColor",
    labelFontSize: 12,
    titleFontSize: 12,
  },
  range: { category: PALETTE },
};

// The runs below a picture, in so many pixels and as many columns as their names leave room for.
function legendOf(runs, width, look) {
  const column = 7 * Math.max(...runs.map((run) => run.title.length)) + 50;
  const columns = Math.max(1, Math.min(3, Math.floor(width / column)));
  const labelLimit = width - 120;
  // Names of runs often differ at their end only: what is too long loses its middle.
  const half = Math.floor((look.labelLimit ?? labelLimit) / 16);
  const shortened = `slice(datum.label, 0, ${half}) + '…' + slice(datum.label, -${half})`;
  const labelExpr = `length(datum.label) > ${2 * half} ? ${shortened} : datum.label`;
  return { orient: "bottom", title: null, columns, labelLimit, labelExpr, symbolOpacity: 1, ...look };
}

const WITHOUT_CHARTS =
  "Charts are drawn by Vega, which was not installed: pip install 'unfool[report]', and write this page again.";

const told = (rate) => `${share(rate.value)} ${interval(rate)}`;

// Our own, since the library's makes HTML of strings. `lines` says what a row of the data comes to.
const tooltip = (lines) => (handler, event, item, value) => {
  const box = document.getElementById("tooltip");
  box.hidden = !value;
  if (!value) return;
  // Where the nearest point is sought, what is under the pointer is a cell around that point.
  const row = item.datum.datum ?? item.datum;
  box.replaceChildren(
    ...Object.entries(lines(row)).map(([name, text]) =>
      make("div", {}, make("span", {}, `${name} `), make("b", {}, shown(String(text)))),
    ),
  );
  const { offsetWidth, offsetHeight } = box;
  box.style.left = `${Math.max(4, Math.min(event.clientX + 14, innerWidth - offsetWidth - 8))}px`;
  box.style.top = `${event.clientY + offsetHeight + 24 > innerHeight ? event.clientY - offsetHeight - 10 : event.clientY + 14}px`;
};

// A figure with its caption, its picture and its data. `spec` is called with the picture's width, whenever it is drawn.
function chart({ name, caption, description, spec, data, lines, columns }) {
  const picture = make("div", { class: "picture" });
  let view = null;
  const draw = async () => {
    if (!window.vegaEmbed) {
      picture.replaceChildren(make("p", { class: "quiet" }, WITHOUT_CHARTS));
      return;
    }
    view?.finalize();
    const full = { description: `${caption} ${description}`, ...spec(picture.clientWidth), config: LOOK };
    // The interpreter stands for the library's compiler, which the page's policy would not let run.
    const options = { actions: false, ast: true, renderer: "svg", tooltip: tooltip(lines), defaultStyle: false };
    view = await vegaEmbed(picture, full, options);
  };
  const picked = async () => save(`${name}.svg`, "image/svg+xml", await view.view.toSVG());
  const figure = make(
    "figure",
    { id: `figure-${name}` },
    make(
      "figcaption",
      {},
      make("span", {}, make("b", {}, caption), " ", description),
      make(
        "span",
        { class: "saving" },
        saving(name, data),
        window.vegaEmbed ? button("SVG", picked, { "aria-label": `Download the picture of ${name}` }) : null,
      ),
    ),
    picture,
    columns ? asTable(caption, columns, data) : null,
  );
  return { figure, draw };
}

// The same for those who cannot see the picture; made when it is opened. `columns` says what a row of the data shows.
function asTable(caption, columns, data) {
  const details = make("details", { class: "screen" }, make("summary", {}, "The same as a table"));
  details.addEventListener("toggle", () => {
    if (!details.open || details.children.length > 1) return;
    const rows = data().map((row) => columns.map(([, cell]) => cell(row)));
    details.append(
      table(
        caption,
        columns.map(([heading]) => heading),
        rows,
      ),
    );
  });
  return details;
}

// Of the attacked samples, the share that fell at no more than this cost; a line a run, its interval shaded.
function curve(name, caption, axis, key, logarithmic, runs) {
  const rows = runs.flatMap((run) =>
    run.curves[key].map(([cost, rate, low, high]) => ({ run: run.title, cost, rate, low, high })),
  );
  if (!rows.length) return { figure: make("p", { class: "quiet" }, `${caption} There is none.`), draw: () => {} };
  const most = Math.max(...rows.map((row) => row.cost), 1);
  // A line that ended where its last text fell would hide that nothing more falls.
  for (const run of runs) {
    const [cost, rate, low, high] = run.curves[key].at(-1) ?? [];
    if (cost < most) rows.push({ run: run.title, cost: most, rate, low, high });
  }
  const titles = runs.map((run) => run.title);
  const coloured = {
    field: "run",
    type: "nominal",
    scale: { domain: titles, range: titles.map((_, place) => colourOf(place)) },
  };
  const strokes = { symbolType: "stroke", symbolSize: 500, symbolStrokeWidth: 2.5 };
  const legend = (width) => (runs.length > 1 ? legendOf(runs, width, strokes) : null);
  // Texts made by rules cost no queries, for which a logarithmic axis has no place.
  const x = {
    field: "x",
    type: "quantitative",
    title: axis,
    scale: logarithmic ? { type: "log", nice: false } : { zero: true, nice: false },
    axis: logarithmic ? { tickCount: 6, format: "~s", grid: true } : { tickCount: 6 },
  };
  const y = {
    type: "quantitative",
    title: "attacked samples fooled",
    scale: { domain: [0, 1] },
    axis: { format: "%", tickCount: 5 },
  };
  const hover = { param: "near", empty: false };
  const spec = (width) => ({
    width: "container",
    height: 260,
    autosize: { type: "fit-x", contains: "padding" },
    data: { values: rows },
    transform: [{ calculate: logarithmic ? "max(1, datum.cost)" : "datum.cost", as: "x" }],
    encoding: { x, color: { ...coloured, legend: legend(width) } },
    layer: [
      {
        mark: { type: "area", interpolate: "step-after", opacity: 0.14, aria: false },
        encoding: { y: { ...y, field: "low" }, y2: { field: "high" } },
      },
      {
        mark: { type: "line", interpolate: "step-after", strokeWidth: 2.2 },
        encoding: {
          y: { ...y, field: "rate" },
          strokeDash: {
            field: "run",
            type: "nominal",
            scale: {
              domain: titles,
              range: titles.map((_, place) => dashOf(place)),
            },
            legend: legend(width),
          },
        },
      },
      {
        params: [
          { name: "near", select: { type: "point", on: "pointermove", nearest: true, clear: "pointerout" } },
        ],
        mark: { type: "point", filled: true, size: 70, aria: false },
        encoding: {
          y: { ...y, field: "rate" },
          opacity: { condition: { ...hover, value: 1 }, value: 0 },
          tooltip: { value: "shown" },
        },
      },
    ],
  });
  return chart({
    name,
    caption,
    description: "Shaded: 95 % Wilson intervals.",
    spec,
    lines: (row) => ({
      run: row.run,
      [axis]: fourDigits.format(row.cost),
      fooled: told({ ...row, value: row.rate }),
    }),
    data: () => rows.map(({ run, cost, rate, low, high }) => ({ run, [key]: cost, rate, low, high })),
    columns: [
      ...(runs.length > 1 ? [["run", (row) => shown(row.run)]] : []),
      [axis, (row) => fourDigits.format(row[key])],
      ["fooled", (row) => told({ ...row, value: row.rate })],
    ],
  });
}
