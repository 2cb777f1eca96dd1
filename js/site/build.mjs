// Bundles the page and the npm package, and writes the site. The files of its folders never change: each folder has a hash of them in
// its name, so that a host may let browsers keep them for ever. `js/site/build` runs this.

import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const PACKAGE = join(ROOT, "target/js/package");
const esbuild = createRequire(join(ROOT, "target/site-tools/"))("esbuild");
const [target, address, sources = ""] = process.argv.slice(2);
if (address && !/^https?:\/\/.*\/$/.test(address)) throw new Error(`${address} is no address with a slash at its end, such as https://example.org/connect4/`);

/** The origins of databases that the page may read, beside its own. */
const SOURCES = sources.split(" ").filter(Boolean);
for (const source of SOURCES) if (!URL.canParse(source) || new URL(source).origin !== source) throw new Error(`${source} is no origin, such as https://data.example.org`);

/** Where the page may read from, for the document and for its worker, which has a policy of its own. */
const connect = `connect-src ${["'self'", ...SOURCES].join(" ")}`;
const POLICY = `default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; ${connect}`;

const read = (...path) => readFileSync(join(ROOT, ...path));
const hash = (bytes) => createHash("sha256").update(bytes).digest("hex").slice(0, 10);

/** Bundles JavaScript or CSS. `constants` are put in the place of names. */
function bundle(file, constants = {}) {
  const [{ contents }] = esbuild.buildSync({
    entryPoints: [join(ROOT, file)],
    bundle: true, write: false, minify: true, format: "esm", target: "es2022", legalComments: "none",
    // The package imports these only after it has found that it runs in node.
    external: ["node:*"],
    alias: { fourbase: join(PACKAGE, "index.js") },
    define: Object.fromEntries(Object.entries(constants).map(([name, value]) => [name, JSON.stringify(value)])),
  }).outputFiles;
  return Buffer.from(contents);
}

/** Puts files into a folder whose name has a hash of them all. */
function fixed(name, files) {
  const all = Object.entries(files).flatMap(([file, bytes]) => [file, bytes]);
  const folder = `${name}-${hash(Buffer.concat(all.map((part) => Buffer.from(part))))}/`;
  return { folder, files: Object.fromEntries(Object.entries(files).map(([file, bytes]) => [folder + file, bytes])) };
}

/** Replaces `from` in a text that must contain it. */
function swap(text, from, to) {
  if (!text.includes(from)) throw new Error(`the page has no ${from}`);
  return text.replace(from, () => to);
}

const ofPackage = (folder, name) => [name, read(PACKAGE.slice(ROOT.length), folder, name)];
// Compressed here, as not every host does it; the package expands them.
const wasm = fixed("wasm", Object.fromEntries(["engine_bg.wasm", "solver_bg.wasm"].map((name) => [name, gzipSync(ofPackage("wasm", name)[1], { level: 9 })])));
const boards = readdirSync(join(PACKAGE, "databases"));
const names = boards.flatMap((board) => readdirSync(join(PACKAGE, "databases", board)).map((name) => `${board}/${name}`));
const databases = fixed("databases", Object.fromEntries(names.map((name) => ofPackage("databases", name))));
const page = fixed("page", {
  "page.js": bundle("js/site/page.js", { FOLDERS: { wasm: wasm.folder, databases: databases.folder }, SOURCES }),
  "worker.js": bundle("target/js/package/worker.js"),
  "style.css": bundle("tools/page/style.css"),
  "icon.svg": read("tools/page/icon.svg"),
  "icon-192.png": read("js/site/icon-192.png"),
  "icon-512.png": read("js/site/icon-512.png"),
});

/** The manifest of the installed page, with the addresses of its icons. */
const manifest = String(read("js/site/manifest.webmanifest")).replaceAll(/"src": "/g, `"src": "${page.folder}`);
const files = { ...page.files, ...wasm.files, ...databases.files, "index.html": html(), "manifest.webmanifest": manifest };
// The service worker keeps these files at once, and a database only when it is used.
const kept = ["./", "manifest.webmanifest", ...Object.keys(wasm.files), ...Object.keys(page.files)];
const version = hash(Object.values(files).map((bytes) => hash(bytes)).join());
files["service-worker.js"] = bundle("js/site/service-worker.js", { VERSION: version, FILES: kept, DATABASES: databases.folder, POLICY });
files._headers = headers();
// Without this file some hosts answer requests for missing files with index.html.
files["404.html"] = '<!DOCTYPE html><html lang="en"><title>Not found</title><p>There is no such file.</p></html>\n';
if (address) files["picture.png"] = read("docs/pictures/page.png");
for (const [name, bytes] of Object.entries(files)) {
  mkdirSync(dirname(join(target, name)), { recursive: true });
  writeFileSync(join(target, name), bytes);
}

/** Makes the document from that of `fourbase serve`. Its policy lets it load its own files, and send nothing anywhere. */
function html() {
  const script = String(read("js/site/file.js")).replace(/^\/\/.*\n\n/, "");
  const scriptHash = createHash("sha256").update(script).digest("base64");
  const policy = `default-src 'self'; img-src 'self' data:; script-src 'self' 'wasm-unsafe-eval' 'sha256-${scriptHash}'; ${connect}; object-src 'none'; base-uri 'none'; form-action 'none'`;
  const head = [
    `<meta http-equiv="Content-Security-Policy" content="${policy}">`,
    `<meta name="theme-color" content="#2460d6">`,
    `<link rel="manifest" href="manifest.webmanifest">`,
    `<link rel="preload" href="${wasm.folder}engine_bg.wasm" as="fetch" crossorigin fetchpriority="low">`,
    ...(address ? [`<meta property="og:url" content="${address}">`, `<meta property="og:image" content="${address}picture.png">`] : []),
    `<script>${script}</script>`,
    `<script type="module" src="${page.folder}page.js"></script>`,
  ];
  let text = String(read("tools/page/index.html"));
  text = swap(text, '<script type="module" src="page/script.js"></script>', head.join("\n"));
  for (const name of ["icon.svg", "style.css"]) text = swap(text, `"page/${name}"`, `"${page.folder}${name}"`);
  return text;
}

/** Writes the headers for hosts that read such a file. The page may share memory with its worker, and browsers keep what never changes. */
function headers() {
  const root = address ? new URL(address).pathname : "/";
  const isolated = `${root}*\n  Cross-Origin-Opener-Policy: same-origin\n  Cross-Origin-Embedder-Policy: require-corp\n  X-Content-Type-Options: nosniff\n`;
  const immutable = [page, wasm, databases].map(({ folder }) => `${root}${folder}*\n  Cache-Control: public, max-age=31536000, immutable\n`);
  const worker = `${root}${page.folder}worker.js\n  Content-Security-Policy: ${POLICY}\n`;
  return [isolated, ...immutable, worker].join("");
}
