// The page: its parts in order, and what opens over it.

function section(id, title, ...children) {
  return make(
    "section",
    { id, "aria-labelledby": `${id}-title` },
    make("h2", { id: `${id}-title` }, title),
    ...children,
  );
}

// A chart needs its place in the page to know how wide it is, so it is drawn only then.
const waiting = [];
function charted(element, charts) {
  waiting.push(...charts);
  return element;
}

let whenClosed = null;

// The dialog keeps the focus, closes with Escape, and gives the focus back.
function openDetail(title, children, { before, after, closed }) {
  const dialog = document.getElementById("detail");
  const step = (text, go, key) => button(text, go ?? (() => {}), { disabled: !go, "aria-keyshortcuts": key });
  dialog.replaceChildren(
    make(
      "header",
      {},
      make("h2", { id: "detail-title", tabindex: "-1", autofocus: true }, title),
      step("← Previous", before, "ArrowLeft"),
      step("Next →", after, "ArrowRight"),
      button("Close", () => dialog.close()),
    ),
    make("div", { class: "content" }, ...children.filter(Boolean)),
  );
  dialog.onkeydown = (event) => {
    // There, arrows choose or scroll; with another key they are the browser's.
    if (event.target.closest("select, input, .scroll")) return;
    if (event.altKey || event.shiftKey || event.ctrlKey || event.metaKey) return;
    const go = { ArrowLeft: before, ArrowRight: after }[event.key];
    if (go) go();
  };
  whenClosed = closed;
  if (!dialog.open) dialog.showModal();
  document.getElementById("detail-title").focus();
}

// What runs are known by: their place, and a title, since folders in different places may have the same name.
function entitle(runs) {
  const seen = new Map();
  for (const [place, run] of runs.entries()) {
    run.place = place;
    const times = (seen.get(run.name) ?? 0) + 1;
    seen.set(run.name, times);
    run.title = times > 1 ? `${run.name} (${times})` : run.name;
  }
}

function errorsSection(runs) {
  const rows = runs.flatMap((run) =>
    run.errors.map(({ id, error }) => [String(id), shown(run.title), shown(error)]),
  );
  return rows.length
    ? section(
        "errors",
        "Samples without a result",
        table("Resume the run to try them again", ["Sample", "Run", "Why"], rows),
      )
    : null;
}

async function start() {
  themes();
  const about = block("about");
  const { runs } = about;
  entitle(runs);
  const parts = [
    ...(runs.length ? [summarySection(runs), curvesSection(runs)] : []),
    runs.length > 1 ? sidesSection(runs, about) : null,
    runs.length ? new Samples(runs).section : null,
    errorsSection(runs),
    ...about.studies.map(transferSection),
    ...about.rules.map(rulesSection),
    ...about.audits.map(auditSection),
    ...about.importances.map(importanceSection),
  ].filter(Boolean);
  document.getElementById("main").append(...parts);
  document
    .getElementById("nav")
    .append(
      ...parts.map((part) =>
        make(
          "a",
          { href: `#${part.id}` },
          part.id === "summary" ? "Summary" : part.querySelector("h2").textContent,
        ),
      ),
    );
  document
    .getElementById("footer")
    .append(
      `Made by unfool ${about.version}. This page is one file and loads nothing. Intervals are 95 % Wilson score intervals.`,
    );
  document.getElementById("detail").addEventListener("close", () => whenClosed?.());
  for (const { draw } of waiting) await draw();
  document.documentElement.dataset.ready = "";
}

start();
