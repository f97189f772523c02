// The runs below a folder: a list to search; each opens as its report.

const place = document.getElementById("main");

// Names may break behind a sign, never within a word.
const name = (text) =>
  shown(text)
    .split(/(?<=[/@:[])/)
    .flatMap((part, place) => (place ? [make("wbr"), part] : [part]));

function row(run) {
  const address = `/runs/${run.path.split("/").map(encodeURIComponent).join("/")}`;
  const link = make("a", { href: address }, name(run.path));
  if (run.error) return [link, make("span", { class: "warning" }, shown(run.error)), "", "", "", ""];
  const rate = (found) =>
    found ? make("span", { class: "rate" }, make("b", {}, share(found.value)), " ", make("small", {}, interval(found))) : NOTHING;
  const figures = "samples" in run ? [rate(run.success_rate), rate(run.valid)] : ["not finished", NOTHING];
  const attack = make("span", { title: shown(run.attack) }, shown(run.attack.split(":")[0]));
  return [link, ...figures, attack, make("span", {}, name(run.victim)), make("span", {}, name(run.data))];
}

async function start() {
  themes();
  const heading = make("h2", { id: "title" }, "Runs");
  const told = make("p", { role: "status", "aria-live": "polite", class: "told" });
  const list = make("div", { class: "list" });
  const search = make("input", { type: "search", id: "search", placeholder: "a name, an attack, a victim" });
  place.append(
    make("section", { "aria-labelledby": "title" }, heading, make("div", { class: "controls" }, labelled("Search", search)), told, list),
  );
  try {
    const runs = await ask("/api/runs");
    const filter = () => {
      const words = search.value.toLowerCase().split(/\s+/);
      const chosen = runs.filter((run) => {
        const said = [run.path, run.attack, run.victim, run.data].join("\n").toLowerCase();
        return words.every((word) => said.includes(word));
      });
      told.textContent = `${count(chosen.length)} of ${counted(runs.length, "run")}`;
      const columns = ["Run", "Success rate", "Valid success rate", "Attack", "Victim", "Data"];
      list.replaceChildren(table("Runs, each with its report", columns, chosen.map(row)));
    };
    search.addEventListener("input", filter);
    filter();
  } catch (error) {
    told.textContent = error.message;
  }
  document.documentElement.dataset.ready = "";
}

start();
