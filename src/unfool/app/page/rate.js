// A rater's page: instructions and their check, then one question after the other, all by keyboard.

const token = location.pathname.split("/").at(-1);
const api = (path = "") => `/api/${encodeURIComponent(token)}${path}`;
const place = document.getElementById("main");
const UNSURE = "Perhaps not kept: the server does not answer. Send it again in a moment.";
const KEPT_BEFORE = "Your last question had been answered at the first try, and that answer is kept. Undo it to give another.";

// Texts stand as they are: a sign for what cannot be seen would tell a changed text from an original.
const passage = ([name, text], several) => [
  several ? make("h4", {}, name) : null,
  make("p", { class: "text passage", dir: "auto" }, text),
];

function show(title, ...children) {
  const heading = make("h2", { id: "title", tabindex: "-1" }, title);
  place.replaceChildren(make("section", { "aria-labelledby": "title" }, heading, ...children.filter(Boolean)));
  heading.focus();
}

// Answers to choose from, each with the key that chooses it; the browser's own keys work as well.
function choosing(legend, choices) {
  const radios = choices.map(([value, name], number) =>
    make(
      "label",
      { class: "answer" },
      make("input", { type: "radio", name: "answer", value, required: true }),
      number < 9 ? make("kbd", { "aria-hidden": "true" }, String(number + 1)) : null,
      make("span", {}, name),
    ),
  );
  return make("fieldset", { class: "answers" }, make("legend", {}, legend), radios);
}

document.addEventListener("keydown", (event) => {
  if (event.target.closest("textarea") || event.altKey || event.ctrlKey || event.metaKey) return;
  const radios = place.querySelectorAll("input[type=radio]");
  const chosen = /^[1-9]$/.test(event.key) && radios[Number(event.key) - 1];
  if (chosen) {
    chosen.checked = true;
    chosen.focus();
  } else if (event.key === "Enter" && !event.target.closest("button, a, summary")) {
    place.querySelector("form")?.requestSubmit();
  } else if (event.key === "Backspace") {
    place.querySelector("#undo")?.click();
  } else return;
  event.preventDefault();
});

// A form that sends itself once at a time, and keeps what was chosen if that fails.
function form(send, ...children) {
  const told = make("p", { role: "alert", class: "told" });
  let busy = false;
  const submit = async (event) => {
    event.preventDefault();
    if (busy) return;
    busy = true;
    told.textContent = "";
    try {
      const said = await send(new FormData(event.target));
      if (said) told.textContent = said;
    } catch (error) {
      told.textContent = error.silent ? UNSURE : `Not kept: ${error.message}`;
    } finally {
      busy = false;
    }
  };
  return make("form", { submit }, ...children, told);
}

function explained({ instructions, example }) {
  return [
    ...instructions.map((paragraph) => make("p", {}, paragraph)),
    make("p", {}, make("b", {}, "Example: "), example),
  ];
}

function showInstructions(state) {
  const { check } = state;
  show(
    "What this is about",
    ...explained(state),
    make("p", { class: "quiet" }, "By keyboard: a number chooses, Enter goes on, Backspace takes your last answer back."),
    form(
      async (data) => {
        const { right } = await ask(api("/check"), { choice: Number(data.get("answer")) });
        if (!right) return "That is not it. Please read the instructions again.";
        return void (await next());
      },
      choosing(
        check.question,
        check.choices.map((choice, number) => [String(number), choice]),
      ),
      make("button", { type: "submit" }, "Begin"),
    ),
  );
}

function undoing(state) {
  if (!state.answered) return null;
  const undo = async () => {
    try {
      await ask(api("/undo"), { place: (state.asked?.place ?? state.answered) - 1 });
      await next();
    } catch (error) {
      fail(error);
    }
  };
  return button("Undo last answer", undo, { id: "undo", "aria-keyshortcuts": "Backspace" });
}

function showQuestion(state, note) {
  const { asked, question } = state;
  let unsure = null; // the answer whose thanks never came
  const send = async (data) => {
    const answer = { place: asked.place, answer: data.get("answer"), comment: data.get("comment") };
    if (unsure) {
      const now = await ask(api());
      const changed = JSON.stringify(unsure) !== JSON.stringify(answer);
      if (now.asked?.place !== asked.place) return void draw(now, changed ? KEPT_BEFORE : "");
    }
    try {
      await ask(api("/answers"), answer);
    } catch (error) {
      unsure = error.silent ? answer : null;
      throw error;
    }
    await next();
  };
  show(
    `Question ${state.answered + 1}`,
    note ? make("p", { role: "status" }, note) : null,
    make("progress", { max: String(state.most), value: String(state.answered), "aria-label": "answered" }),
    ...asked.texts.map(({ name, fields }) =>
      make(
        "div",
        { class: "passages" },
        name ? make("h3", {}, name) : null,
        fields.flatMap((field) => passage(field, fields.length > 1)),
      ),
    ),
    form(
      send,
      choosing(question, asked.choices),
      make(
        "details",
        {},
        make("summary", {}, "Say something about this text"),
        labelled("Comment", make("textarea", { name: "comment", rows: "3", maxlength: String(state.longest_comment) })),
      ),
      make("div", { class: "steps" }, make("button", { type: "submit" }, "Keep answer"), undoing(state)),
    ),
    make("details", {}, make("summary", {}, "Instructions"), ...explained(state)),
  );
}

function showEnd(state, note) {
  show(
    "Thank you",
    note ? make("p", { role: "status" }, note) : null,
    make("p", {}, `All your ${counted(state.answered, "answer")} are kept. There is nothing more to ask you now.`),
    undoing(state),
  );
}

function fail(error) {
  const refused = error.status === 403;
  show(
    refused ? "This link leads nowhere" : "Something is wrong",
    make("p", { role: "alert" }, error.message),
    refused ? null : make("p", {}, "The answers you gave so far are kept."),
    refused ? null : button("Try again", next),
  );
}

function draw(state, note = "") {
  if (!state.ready) showInstructions(state);
  else if (state.asked) showQuestion(state, note);
  else showEnd(state, note);
}

async function next() {
  try {
    draw(await ask(api()));
  } catch (error) {
    fail(error);
  }
  document.documentElement.dataset.ready = "";
}

themes();
next();
