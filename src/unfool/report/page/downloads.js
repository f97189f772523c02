// The data behind what one sees, saved from the page itself: nothing is fetched.

function save(name, type, text) {
  const address = URL.createObjectURL(new Blob([text], { type }));
  make("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}

// What a value is made of gets columns of its own: accuracy.low, accuracy.high.
function flat(row) {
  const parts = Object.entries(row).map(([name, value]) =>
    value === null || typeof value !== "object" || Array.isArray(value)
      ? [[name, value]]
      : Object.entries(value).map(([part, inner]) => [`${name}.${part}`, inner]),
  );
  return Object.fromEntries(parts.flat());
}

function csv(nested) {
  const rows = nested.map(flat);
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const cell = (value) => {
    const text =
      value === null || value === undefined
        ? ""
        : typeof value === "object"
          ? JSON.stringify(value)
          : String(value);
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  return [columns, ...rows.map((row) => columns.map((column) => row[column]))]
    .map((row) => `${row.map(cell).join(",")}\r\n`)
    .join("");
}

// Buttons that save rows; `rows` is called only then.
function saving(name, rows) {
  return make(
    "span",
    { class: "saving", role: "group", "aria-label": `Download the data of ${name}` },
    button("CSV", () => save(`${name}.csv`, "text/csv;charset=utf-8", csv(rows()))),
    button("JSON", () => save(`${name}.json`, "application/json", JSON.stringify(rows(), null, 1))),
  );
}
