// Nodes, numbers and texts. Every element of the page is made here, and a string only ever becomes a text node or
// the value of an attribute that cannot run: the texts on this page were made to do harm.

// Where the browser has Trusted Types, no string can become HTML at all; the chart library only empties elements.
if (window.trustedTypes) {
  trustedTypes.createPolicy("default", { createHTML: (html) => (html === "" ? "" : null) });
}

function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name, value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(name, value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return element;
}

function button(text, click, attributes = {}) {
  return make("button", { type: "button", click, ...attributes }, text);
}

// A labelled control; the label is what a screen reader says and a click on it reaches the control.
function labelled(text, control) {
  return make("label", {}, make("span", {}, text), control);
}

function choice(text, options, change, attributes = {}) {
  const items = options.map(([value, name]) => make("option", { value }, name));
  const select = make("select", { change: () => change(select.value), ...attributes }, items);
  return labelled(text, select);
}

function table(caption, head, rows) {
  const cells = (tag, values, scope) =>
    values.map((value, place) =>
      place === 0 && tag === "td" ? make("th", { scope: "row" }, value) : make(tag, { scope }, value),
    );
  return make(
    "div",
    { class: "scroll", tabindex: "0", role: "region", "aria-label": caption },
    make(
      "table",
      {},
      make("caption", { class: "quiet" }, caption),
      make("thead", {}, make("tr", {}, cells("th", head, "col"))),
      make(
        "tbody",
        {},
        rows.map((row) => make("tr", {}, cells("td", row))),
      ),
    ),
  );
}

// A table with buttons that save what is in it; `rows` is called only then.
function tabled(name, shownTable, rows) {
  return make("div", { class: "tabled" }, shownTable, saving(name, rows));
}

const NOTHING = "–";
const whole = new Intl.NumberFormat("en");
const oneDigit = new Intl.NumberFormat("en", { minimumFractionDigits: 1, maximumFractionDigits: 1 });
const fourDigits = new Intl.NumberFormat("en", { maximumSignificantDigits: 4 });

const isNumber = (value) => typeof value === "number";
const number = (value) => (isNumber(value) ? oneDigit.format(value) : NOTHING);
const count = (value) => (isNumber(value) ? whole.format(value) : NOTHING);
const counted = (value, one) => `${count(value)} ${one}${value === 1 ? "" : "s"}`;
// Figures come as shares of one, or as percentages already.
const share = (value) => (isNumber(value) ? `${oneDigit.format(100 * value)} %` : NOTHING);
const percentage = (value) => (isNumber(value) ? `${oneDigit.format(value)} %` : NOTHING);
const interval = (rate) => (isNumber(rate?.value) ? `[${share(rate.low)}, ${share(rate.high)}]` : "");

// Characters that cannot be seen, or that turn the text around them, are what some attacks are made of: they get a
// sign. Joiners and selectors of variants stay where scripts and emoji need them, and nowhere else.
const UNSEEN = new RegExp(
  [
    String.raw`[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029\u2800]`,
    String.raw`\p{Surrogate}|\p{Bidi_Control}`,
    String.raw`(?![\u200c\u200d\ufe00-\ufe0f\u{e0100}-\u{e01ef}])\p{Default_Ignorable_Code_Point}`,
    String.raw`(?<!(?!\p{sc=Latin}|\p{sc=Greek}|\p{sc=Cyrillic}|\p{sc=Inherited})[\p{L}\p{M}]|[\p{ExtPict}\p{EMod}\ufe0f])[\u200c\u200d]`,
    String.raw`(?<!\p{ExtPict}(?=[\ufe0e\ufe0f])|\p{sc=Han}|[0-9#*](?=\ufe0f\u20e3))[\ufe00-\ufe0f\u{e0100}-\u{e01ef}]`,
  ].join("|"),
  "gu",
);

function shown(string) {
  return string.replace(UNSEEN, (character) => {
    const code = character.codePointAt(0);
    return code < 0x20 ? String.fromCodePoint(0x2400 + code) : sign(character);
  });
}

const sign = (character) => `⟨${character.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}⟩`;

// What a text became: what cannot be seen and its original does not have gets a sign, joiners and selectors, too. So
// does, behind it, a letter or digit that the original lacks and that is neither ASCII nor such a letter with an
// accent, for it may look like another. The terminal tells the same (`unfool.visible.told_apart`).
function toldApart(string, known) {
  const told = string.replace(/[\p{Cf}\ufe00-\ufe0f\u{e0100}-\u{e01ef}]/gu, (character) =>
    known.has(character) ? character : sign(character),
  );
  return shown(told).replace(/(?![\0-\x7f])[\p{L}\p{N}]/gu, (character) =>
    known.has(character) || character.normalize("NFD").charCodeAt(0) < 0x80 ? character : character + sign(character),
  );
}

function block(name) {
  return JSON.parse(document.getElementById(name).textContent);
}
