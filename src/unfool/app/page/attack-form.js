// An attack as a form: which one, and its settings, made of what the registry tells.

function attackForm(forms, preferred, remove) {
  const about = make("p", { class: "quiet" });
  const fields = make("div", { class: "controls" });
  const settings = make("details", {}, make("summary", {}, "Settings"), fields);
  const fill = (name) => {
    const form = forms.find((each) => each.name === name);
    const needs = form.needs.length ? ` It needs a net that it can look into (${form.needs.join(", ")}).` : "";
    about.textContent = form.what + needs;
    settings.hidden = !form.fields.length;
    fields.replaceChildren(...form.fields.map(settingField));
  };
  const select = choice("Attack", forms.map(({ name }) => [name, name]), fill);
  const control = select.querySelector("select");
  control.value = preferred;
  fill(preferred);
  const set = make(
    "fieldset",
    { class: "attack", "aria-label": "An attack" },
    make("div", { class: "controls" }, select, remove),
    about,
    settings,
  );
  return { set, read: () => ({ name: control.value, settings: changed(fields) }) };
}

function settingField({ name, kind, default: usual, choices, optional }) {
  const attributes = { name, "data-usual": usual };
  const told = name.replaceAll("_", " ");
  if (kind === "switch") choices = ["false", "true"];
  if (choices) {
    const offered = [...choices, ...(optional ? ["none"] : [])].map((each) => [each, each]);
    const select = choice(told, offered, () => {}, attributes);
    select.querySelector("select").value = usual;
    return select;
  }
  const number = { type: "number", step: kind === "whole" ? "1" : "any", value: usual === "none" ? "" : usual };
  return labelled(told, make("input", { ...attributes, ...number, placeholder: optional ? "none" : "" }));
}

// The settings that are not as usual.
function changed(fields) {
  const controls = [...fields.querySelectorAll("input, select")];
  const given = controls.map((control) => [control.name, control.value || "none", control.dataset.usual]);
  return Object.fromEntries(given.filter(([, value, usual]) => value !== usual).map(([name, value]) => [name, value]));
}
