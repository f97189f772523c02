// A table of any length. Only the rows in sight exist as elements; all have one height, so where a row stands is known
// without drawing it. Keys move through it as through any grid, and Enter opens a row.

const WIDE_ROW = 58;
const MIDDLE_ROW = 104; // without room for columns its cells stand in two lines, the last one below the others
const NARROW_ROW = 144; // or in more
const NARROW = 700; // a grid of fewer pixels has no room for them in two
const SPARE = 6; // rows drawn beyond either edge, so that scrolling does not show a gap

class Grid {
  // columns: {name, width, value(row) to sort by, cell(row) to show, numeric}
  constructor({ name, label, columns, open }) {
    Object.assign(this, { name, columns, open, rows: [], shown: [], active: 0, sorted: null, drawn: new Map() });
    this.rowHeight = WIDE_ROW;
    this.head = make(
      "div",
      { role: "row", class: "row head", "aria-rowindex": 1 },
      columns.map((column, place) => this.#header(column, place)),
    );
    this.body = make("div", { role: "rowgroup", class: "body" });
    this.element = make(
      "div",
      {
        id: name,
        class: "grid",
        role: "grid",
        "aria-label": label,
        tabindex: "0",
        "aria-colcount": columns.length,
        scroll: () => this.#draw(),
        keydown: (event) => this.#key(event),
        focus: () => this.#mark(),
      },
      make("div", { role: "rowgroup", class: "headgroup" }, this.head),
      this.body,
    );
    this.element.style.setProperty("--columns", columns.map((column) => column.width).join(" "));
    // What the columns and the gaps between them take at least, in rem.
    this.least = columns.reduce((sum, { width }) => sum + Number(width.match(/[\d.]+/)[0]) + 0.8, 0.8);
    new ResizeObserver(() => this.#fit()).observe(this.element);
  }

  #fit() {
    const width = this.element.clientWidth;
    const wide = width >= this.least * parseFloat(getComputedStyle(document.documentElement).fontSize);
    const height = wide ? WIDE_ROW : width >= NARROW ? MIDDLE_ROW : NARROW_ROW;
    // On paper there is no grid, and its width is 0.
    if (width && height !== this.rowHeight) {
      const { active } = this;
      this.rowHeight = height;
      this.element.classList.toggle("narrow", !wide);
      this.#place();
      this.go(active);
    } else this.#draw();
  }

  // Show these rows, in the order chosen by the reader.
  show(rows) {
    this.rows = rows;
    this.#order();
  }

  sortBy(place, descending) {
    this.sorted = { place, descending };
    [...this.head.children].forEach((header, each) => {
      const sort = each === place ? (descending ? "descending" : "ascending") : "none";
      header.setAttribute("aria-sort", sort);
    });
    this.#order();
  }

  #header(column, place) {
    const sort = () =>
      this.sortBy(place, this.sorted?.place === place ? !this.sorted.descending : Boolean(column.numeric));
    return make(
      "div",
      { role: "columnheader", "aria-sort": "none", class: column.numeric ? "numeric" : null },
      column.value ? button(column.name, sort, { title: `Sort by ${column.name.toLowerCase()}` }) : column.name,
    );
  }

  #order() {
    this.shown = [...this.rows];
    if (this.sorted) {
      const { value } = this.columns[this.sorted.place];
      const sign = this.sorted.descending ? -1 : 1;
      const keys = new Map(this.shown.map((row) => [row, value(row)]));
      this.shown.sort((a, b) => sign * compareValues(keys.get(a), keys.get(b)));
    }
    this.active = 0;
    this.element.scrollTop = 0;
    this.element.setAttribute("aria-rowcount", this.shown.length + 1);
    this.#place();
  }

  #place() {
    this.body.style.height = `${this.shown.length * this.rowHeight}px`;
    this.redraw();
  }

  redraw() {
    this.body.replaceChildren();
    this.drawn.clear();
    this.#draw();
  }

  #draw() {
    const from = Math.max(0, Math.floor(this.element.scrollTop / this.rowHeight) - SPARE);
    const to = Math.min(
      this.shown.length,
      Math.ceil((this.element.scrollTop + this.element.clientHeight) / this.rowHeight) + SPARE,
    );
    for (const [place, row] of this.drawn) {
      if (place < from || place >= to) {
        row.remove();
        this.drawn.delete(place);
      }
    }
    for (let place = from; place < to; place++) {
      if (!this.drawn.has(place)) {
        const row = this.#row(place);
        this.drawn.set(place, row);
        this.body.append(row);
      }
    }
    this.#mark();
  }

  #row(place) {
    const data = this.shown[place];
    const cells = this.columns.map((column) =>
      make(
        "div",
        { role: "gridcell", class: column.numeric ? "numeric" : null, "data-column": column.name },
        column.cell(data),
      ),
    );
    const row = make(
      "div",
      {
        role: "row",
        class: "row",
        id: `${this.name}-${place}`,
        "aria-rowindex": place + 2,
        click: () => {
          this.active = place;
          this.#mark();
          this.open(place);
        },
      },
      cells,
    );
    row.style.top = `${place * this.rowHeight}px`;
    row.style.height = `${this.rowHeight}px`;
    return row;
  }

  #mark() {
    for (const [place, row] of this.drawn) row.classList.toggle("active", place === this.active);
    if (this.drawn.has(this.active))
      this.element.setAttribute("aria-activedescendant", `${this.name}-${this.active}`);
    else this.element.removeAttribute("aria-activedescendant");
  }

  // Move to a row and bring it into sight.
  go(place) {
    this.active = Math.max(0, Math.min(this.shown.length - 1, place));
    const top = this.active * this.rowHeight;
    const room = this.element.clientHeight - this.head.offsetHeight - this.rowHeight;
    if (top < this.element.scrollTop) this.element.scrollTop = top;
    else if (top > this.element.scrollTop + room) this.element.scrollTop = top - room;
    this.#draw();
  }

  #key(event) {
    if (event.target !== this.element || event.ctrlKey || event.metaKey || event.altKey) return;
    const page = Math.max(1, Math.floor(this.element.clientHeight / this.rowHeight) - 2);
    const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -Infinity, End: Infinity };
    if (event.key in steps) this.go(this.active + steps[event.key]);
    else if ((event.key === "Enter" || event.key === " ") && this.shown.length) this.open(this.active);
    else return;
    event.preventDefault();
  }
}

const collator = new Intl.Collator("en", { numeric: true });

// What has no value goes last when sorted upwards.
function compareValues(a, b) {
  if (isNumber(a) && isNumber(b)) return a - b;
  if (isNumber(a) !== isNumber(b)) return isNumber(a) ? -1 : 1;
  return collator.compare(a ?? "", b ?? "");
}
