// Where the tests find files in node. In a page, browser/place.mjs takes its place.

import { cpSync, mkdirSync, openAsBlob, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

/** The built-in databases, and as the package has them, whose files have an extension. */
const databases = resolve("databases");
const inPackage = resolve("node_modules/fourbase/databases");

/** The path of a file of a built-in database of the installed package. */
export const pathOf = (board, name) => join(databases, board, name);

/** The lines of a published list, in the folder `FOURBASE_TRUTH`: `tests/data`, or one with all of them. */
export const published = async (name) => readFileSync(join(process.env.FOURBASE_TRUTH, name), "utf8").trim().split("\n");

/** The bytes of the files of a built-in database, by name. */
export async function filesOf(board, names) {
  return Object.fromEntries(names.map((name) => [name, new Uint8Array(readFileSync(pathOf(board, name)))]));
}

/** The same files as only node has them: their paths, and what it has opened. */
export async function ownFilesOf(board, names) {
  const opened = await Promise.all(names.map(async (name) => [name, await openAsBlob(pathOf(board, name))]));
  return [Object.fromEntries(names.map((name) => [name, pathOf(board, name)])), Object.fromEntries(opened)];
}

/** Makes a folder with databases that are not those of the package, and one of them changed. Returns its address. */
export async function otherRelease(folder = "other") {
  mkdirSync(folder, { recursive: true });
  for (const board of ["7x6", "7x5"]) cpSync(join(inPackage, "7x5"), join(folder, board), { recursive: true });
  for (const name of ["tier-11.bin", "tier-13.bin"]) writeFileSync(join(folder, "7x6", name), "");
  const changed = join(folder, "7x5", "tier-07.bin");
  const bytes = readFileSync(changed);
  bytes[bytes.length - 1] ^= 1;
  writeFileSync(changed, bytes);
  return new URL(`${pathToFileURL(folder)}/`);
}

/** The address of a folder that does not exist. */
export const nowhere = pathToFileURL("nowhere/");
