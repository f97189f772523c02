// What changed in a text. Its fields come cut into strings that stay and strings that change, in turn.

// The changed strings of a field, each with a key that its counterpart in the other text has, too: how many visible
// characters that stay stand before it, and which of the changes there it is.
function changes(pieces) {
  const found = new Map();
  let before = 0;
  let nth = 0;
  pieces.forEach((piece, place) => {
    if (place % 2) found.set(`${before}:${nth++}`, piece);
    else if (piece.trim()) {
      before += piece.replace(/\s/g, "").length;
      nth = 0;
    }
  });
  return found;
}

// Both texts in one, as [kind, string] with the kinds same, del and ins; `fine` marks characters, not words.
function merged(old, changed, fine) {
  if (!changed) return [["same", old.join("")]];
  const gone = changes(old);
  const come = changes(changed);
  const tokens = [];
  const lonely = new Map();
  for (const [key, text] of gone) {
    if (!come.has(key)) {
      const place = Number(key.split(":")[0]);
      lonely.set(place, [...(lonely.get(place) ?? []), text]);
    }
  }
  let before = 0;
  const bury = () => {
    for (const text of lonely.get(before) ?? []) tokens.push(["del", text], ["same", " "]);
    lonely.delete(before);
  };
  const keys = [...come.keys()];
  changed.forEach((piece, place) => {
    if (place % 2) {
      const lost = gone.get(keys.shift());
      if (lost !== undefined && fine) tokens.push(...characters(lost, piece));
      else tokens.push(...(lost === undefined ? [] : [["del", lost]]), ["ins", piece]);
      return;
    }
    for (const part of piece.split(/(\S)/u)) {
      if (part.trim()) {
        bury();
        before += part.length;
      }
      if (part) tokens.push(["same", part]);
    }
  });
  bury();
  return joined(tokens);
}

// One of the two texts with its changes marked: `mine` as it is, told what became of each change by `other`.
function marked(mine, other, kind, fine) {
  const partners = other ? changes(other) : new Map();
  const keys = [...changes(mine).keys()];
  const tokens = mine.flatMap((piece, place) => {
    if (place % 2 === 0) return [["same", piece]];
    const partner = partners.get(keys.shift());
    if (!fine || partner === undefined) return [[kind, piece]];
    const pair = kind === "del" ? characters(piece, partner) : characters(partner, piece);
    return pair.filter(([each]) => each === "same" || each === kind);
  });
  return joined(tokens);
}

// The longest common subsequence of two words, by the usual table; words are short.
function characters(old, changed) {
  const [a, b] = [[...old], [...changed]];
  if (a.length * b.length > 250000)
    return [
      ["del", old],
      ["ins", changed],
    ];
  const best = Array.from({ length: a.length + 1 }, () => new Uint16Array(b.length + 1));
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      best[i][j] = a[i] === b[j] ? best[i + 1][j + 1] + 1 : Math.max(best[i + 1][j], best[i][j + 1]);
    }
  }
  const tokens = [];
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      tokens.push(["same", a[i++]]);
      j++;
    } else if (j >= b.length || (i < a.length && best[i + 1][j] >= best[i][j + 1])) tokens.push(["del", a[i++]]);
    else tokens.push(["ins", b[j++]]);
  }
  return joined(tokens);
}

function joined(tokens) {
  const result = [];
  for (const [kind, text] of tokens) {
    const last = result.at(-1);
    if (last?.[0] === kind) last[1] += text;
    else result.push([kind, text]);
  }
  return result;
}

// A line's worth, beginning shortly before the first change: long reviews often change late.
function excerpt(tokens, most = 240, lead = 40) {
  const first = tokens.findIndex(([kind]) => kind !== "same");
  const start = Math.max(first, 0);
  const result = [];
  if (start > 0) {
    const before = tokens[start - 1][1];
    result.push(["same", before.length > lead ? `…${before.slice(-lead).replace(/^\S*\s/, "")}` : before]);
  }
  let room = most;
  for (const [kind, text] of tokens.slice(start)) {
    if (room <= 0) break;
    result.push([kind, text.length > room ? `${text.slice(0, room)}…` : text]);
    room -= text.length;
  }
  return result;
}

// The characters of what did not come in.
const known = (tokens) => new Set(tokens.flatMap(([kind, text]) => (kind === "ins" ? [] : [...text])));

function nodes(tokens, original = known(tokens)) {
  return tokens.map(([kind, text]) => {
    if (kind === "same") return document.createTextNode(shown(text));
    return make(kind, {}, kind === "ins" ? toldApart(text, original) : shown(text));
  });
}
