// Where the tests find files in a page: at the server of open.mjs.

const load = (path) => fetch(new URL(path, document.baseURI));

/** The lines of a published list. */
export async function published(name) {
  const response = await load(`truth/${name}`);
  if (!response.ok) throw new Error(`no published list ${name}`);
  return (await response.text()).trim().split("\n");
}

/** The bytes of the files of a built-in database, by name. */
export async function filesOf(board, names) {
  const bytes = async (name) => new Uint8Array(await (await load(`databases/${board}/${name}`)).arrayBuffer());
  return Object.fromEntries(await Promise.all(names.map(async (name) => [name, await bytes(name)])));
}

/** A page has no files of its own. */
export const ownFilesOf = async () => [];

/** The address of a folder with databases that are not those of the package. */
export const otherRelease = async () => new URL("other-page/", document.baseURI);

/** The address of a folder that does not exist. */
export const nowhere = new URL("nowhere/", document.baseURI);
