// A text of one's own, attacks to try on it, and the searches as they go on.

const place = document.getElementById("main");
const SILENT = "The server does not answer. Try again in a moment.";

function victimControl({ classifiers, translators, goals }) {
  const named = (names, kind) => names.map((name) => make("option", { value: name }, kind));
  const all = make("datalist", { id: "victims" }, named(classifiers, "a classifier"), named(translators, "a translator"));
  const names = [...classifiers, ...translators];
  const typed = { list: "victims", required: true, maxlength: "1000", autocomplete: "off", spellcheck: "false" };
  const only = names.length === 1 ? names[0] : "";
  const victim = make("input", { id: "victim", value: only, placeholder: "choose one, or type its name", ...typed });
  const goal = make("input", { id: "goal", value: "degrade", list: "goals", maxlength: "200", autocomplete: "off" });
  const known = Object.entries(goals).map(([name, what]) => make("option", { value: name }, what));
  const list = make("datalist", { id: "goals" }, known);
  const wanted = make("div", {}, labelled("What fools it: degrade, keyword=Art, …", goal), list);
  const second = make("summary", {}, "");
  const generates = () => translators.includes(victim.value);
  const follow = () => {
    wanted.hidden = !generates();
    second.textContent = generates() ? "A reference translation" : "A second text, for victims that read pairs";
  };
  victim.addEventListener("input", follow);
  follow();
  const read = () => ({ victim: victim.value, goal: generates() ? goal.value : null });
  return { controls: [labelled("Victim", victim), all, wanted], second, read };
}

function attackControls(offered) {
  const names = offered.attacks.map(({ name }) => name);
  const usual = ["textfooler", "pwws", "greedy-synonym", "typos"].filter((name) => names.includes(name));
  const forms = [];
  const list = make("div", { class: "runs" });
  const more = button("Compare with another attack", () => add());
  const settle = () => {
    more.disabled = forms.length >= offered.most_attacks;
    for (const { remove } of forms) remove.hidden = forms.length === 1;
  };
  const add = () => {
    const remove = button("Remove", () => {
      forms.splice(forms.indexOf(form), 1);
      form.set.remove();
      settle();
    });
    const form = { ...attackForm(offered.attacks, usual[forms.length] ?? names[0], remove), remove };
    forms.push(form);
    list.append(form.set);
    settle();
  };
  add();
  return { list, more, read: () => forms.map((form) => form.read()) };
}

// Follow a search to its end; what is thrown ends it early.
async function follow(wish, signal, told, sheet) {
  const found = [];
  const compare = make("div", {});
  const show = () => found.length > 1 && compare.replaceChildren(comparison(found));
  sheet.replaceChildren(compare);
  try {
    for await (const event of listen("/api/try", wish, signal)) {
      if (event.type === "error") throw new Error(event.error);
      if (event.type === "waiting") {
        const others = `You take turns with ${counted(event.others, "other search")}`.replace(/searchs$/, "searches");
        told.textContent = event.others ? `Started. ${others}.` : "Started.";
      } else if (event.type === "opening") told.textContent = "The victim is opened; the first time, this takes a while.";
      else if (event.type === "attack") {
        told.textContent = `Searching with ${shown(bare(event.attack))}.`;
        found.push(searching(event));
        sheet.append(found.at(-1).panel);
      } else if (event.type === "end") {
        const fooled = found.filter(({ outcome }) => outcome === "fooled").length;
        told.textContent = `Done: ${count(fooled)} of ${counted(found.length, "attack")} fooled it.`;
      } else found.at(-1).tell(event);
      if (event.type !== "step") show();
    }
  } finally {
    found.at(-1)?.stop();
    show();
  }
}

function tryForm(offered) {
  const victim = victimControl(offered);
  const attacks = attackControls(offered);
  const passage = { maxlength: String(offered.longest_text), dir: "auto" };
  const text = make("textarea", { ...passage, id: "text", rows: "5", required: true });
  const second = make("textarea", { ...passage, rows: "3" });
  const most = String(offered.most_queries);
  const queries = make("input", { type: "number", min: "1", max: most, value: "2000", required: true });
  const told = make("p", { role: "status", "aria-live": "polite" });
  const failed = make("p", { role: "alert", class: "told" });
  const go = make("button", { type: "submit" }, "Search");
  const sheet = make("div", { class: "found" });
  let running = null;
  const halt = button("Stop", () => running?.abort(), { id: "stop" });
  halt.disabled = true;
  const submit = async (event) => {
    event.preventDefault();
    if (running) return;
    running = new AbortController();
    [go.disabled, halt.disabled, failed.textContent] = [true, false, ""];
    const texts = { text: text.value, second: second.value };
    const wish = { ...victim.read(), ...texts, attacks: attacks.read(), queries: queries.valueAsNumber };
    try {
      await follow(wish, running.signal, told, sheet);
    } catch (error) {
      if (running.signal.aborted) told.textContent = "Stopped.";
      else failed.textContent = error instanceof TypeError ? SILENT : error.message;
    } finally {
      [go.disabled, halt.disabled, running] = [false, true, null];
    }
  };
  text.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) go.click();
  });
  const form = make(
    "form",
    { submit },
    make("div", { class: "controls" }, victim.controls, labelled("Queries at most", queries)),
    make("label", { class: "wide" }, make("span", {}, "Your text"), text),
    make("details", {}, victim.second, labelled("Second text", second)),
    attacks.list,
    make("div", { class: "steps" }, attacks.more),
    make("div", { class: "steps" }, go, halt),
    told,
    failed,
  );
  return [form, sheet];
}

async function start() {
  themes();
  const section = make("section", { "aria-labelledby": "title" }, make("h2", { id: "title" }, "Fool a model"));
  place.append(section);
  try {
    const offered = await ask("/api/try");
    const any = offered.classifiers.length + offered.translators.length;
    if (any) section.append(...tryForm(offered));
    else {
      const command = make("code", {}, "unfool app --victims NAME");
      section.append(make("p", {}, "There is no victim to try: start the server with ", command, "."));
    }
  } catch (error) {
    section.append(make("p", { role: "alert" }, error.message));
  }
  document.documentElement.dataset.ready = "";
}

start();
