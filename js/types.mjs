// Writes the types of the answers from the published schemas: node js/types.mjs FILE. `.ci/js` runs this. index.d.ts names the types.

import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";

const { compile } = createRequire(new URL("../target/js/types/", import.meta.url))("json-schema-to-typescript");

/** Reads a document of docs/, with its definitions where a schema has them. */
function read(name) {
  const text = readFileSync(new URL(`../docs/${name}`, import.meta.url), "utf8");
  return JSON.parse(text.replaceAll("#/components/schemas/", "#/$defs/"));
}

// The server describes all answers but that of `fourbase convert`.
const $defs = { ...read("fourbase.schema.json").$defs, ...read("openapi.json").components.schemas };
const names = ["query", "analyse", "position", "move", "players", "random", "puzzles", "stats", "BoardJson"];
const answers = { $defs, anyOf: names.map((name) => ({ $ref: `#/$defs/${name}` })) };
const bannerComment = "// The answers of fourbase, made from docs/fourbase.schema.json and docs/openapi.json.";
writeFileSync(process.argv[2], await compile(answers, "Answer", { bannerComment }));
