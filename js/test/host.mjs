// A static host of the built-in databases for the tests, which may answer otherwise; and hosts that misbehave, from one list.

import assert from "node:assert/strict";
import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { after } from "node:test";
import { gzipSync } from "node:zlib";

const read = (path) => readFileSync(new URL(`./databases${path}`, `file://${process.cwd()}/`));

/** What lets pages of other sites read. */
const CORS = { "Access-Control-Allow-Origin": "*", "Access-Control-Expose-Headers": "Content-Range, ETag" };

/** Answers a request for a range of a file, such as `bytes=0-9`, or for all of it. Lets pages of other sites ask for permission. */
export function answerOf(file, range) {
  const headers = { ETag: `"${file.length}"`, ...CORS };
  if (!range) return { status: 200, headers, body: Buffer.from(file) };
  const [first, last] = range.slice("bytes=".length).split("-").map(Number);
  if (first >= file.length) return { status: 416, headers: CORS, body: Buffer.alloc(0) };
  const body = Buffer.from(file.subarray(first, last + 1));
  return { status: 206, headers: { ...headers, "Content-Range": `bytes ${first}-${first + body.length - 1}/${file.length}` }, body };
}

/**
 * Serves the built-in databases by ranges. `change` may change an answer; it gets the answer, the path, the number of the request, the
 * request, and the whole file if there is one. Status 0 closes the connection, undefined never answers. `sent` is how many bytes are sent
 * before the connection is closed, or with `isSilent` nothing more comes, `delay` how many milliseconds pass before the answer, `raw` is
 * sent instead, and with `isEndless` it has no end. `requests` has the range and the path of each request.
 */
export async function host(change = () => {}) {
  const requests = [];
  const server = createServer((request, response) => {
    requests.push(`${request.headers.range} ${request.url}`);
    let answer = { status: 404, headers: { ...CORS }, body: Buffer.from("<html>") };
    let file;
    try {
      // A board's database may also be asked for at /all/BOARD/remoteness.
      file = read(request.url.split("?")[0].replace(/^(?:\/moved)?\/all(.*)\/remoteness/, "$1"));
      answer = answerOf(file, request.headers.range);
    } catch {
      // No such file.
    }
    change(answer, request.url, requests.length, request, file);
    const { status, headers, body, sent, raw } = answer;
    if (status === undefined) return;
    if (raw !== undefined) return response.socket.end(raw);
    if (status === 0) return response.destroy();
    setTimeout(() => {
      const hasLength = !answer.isEndless && !headers["Transfer-Encoding"];
      response.writeHead(status, hasLength ? { ...headers, "Content-Length": body.length } : headers);
      const more = () => response.destroyed || response.write(Buffer.alloc(2 ** 20), more);
      if (answer.isEndless) more();
      else if (sent === undefined) response.end(body);
      else response.write(body.subarray(0, sent), () => answer.isSilent || response.destroy());
    }, answer.delay ?? 0);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  after(() => server.close().closeAllConnections());
  return { url: `http://127.0.0.1:${server.address().port}`, requests };
}

/** Copies the package, with requests that wait for some milliseconds, and hosts that are not asked for 2 seconds. Returns the folder. */
export function impatientCopy(timeout) {
  const folder = `late-${timeout}`;
  cpSync("node_modules/fourbase", folder, { recursive: true });
  const requests = readFileSync(`${folder}/requests.js`, "utf8");
  assert.match(requests, /TIMEOUT = 30_000;[^]*SILENCE = 60_000;/);
  writeFileSync(`${folder}/requests.js`, requests.replace("30_000", timeout).replace("60_000", "2000"));
  return folder;
}

/** What hosts do, and what comes out of it. `.ci/js` copies the list of the repository. */
const { values, rows } = JSON.parse(readFileSync("hosts.json", "utf8"));

/** Changes of bytes. */
const EDITS = {
  keep: (bytes, length) => bytes.subarray(0, length),
  add: (bytes, length) => Buffer.concat([bytes, Buffer.alloc(length)]),
  flip: (bytes, from) => Buffer.from(bytes.map((byte, at) => (at < from ? byte : byte ^ 1))),
  text: (_, text) => Buffer.from(text),
  of: (_, name) => read(`/7x6/${name}`),
  gzip: (bytes) => gzipSync(bytes),
  crlf: (bytes) => Buffer.from(bytes.toString("latin1").replaceAll("\n", "\r\n"), "latin1"),
};
/** An edit is a name, or a name with an argument. */
const edited = (bytes, edits = []) =>
  edits.flatMap((edit) => (edit.trim ? [[edit]] : Object.entries(edit))).reduce((bytes, [name, of]) => EDITS[name](bytes, of), bytes);

/** Returns what changes answers as a row says. */
function changeOf(row) {
  const counts = new Map();
  return (answer, path, _, { headers: { range } }, file) => {
    const name = path.split("/").at(-1);
    const number = counts.get(name) ?? 0;
    if (range) counts.set(name, number + 1);
    const isEarly = number < (row.from ?? 0) || number >= (row.until ?? Infinity);
    if (!file || !name.startsWith(row.files ?? "") || isEarly || (row.unless && path.startsWith(row.unless))) return;
    const whole = edited(file, row.file);
    const [first, last] = (range ?? `bytes=0-${whole.length}`).slice("bytes=".length).split("-").map(Number);
    const { shift = 0 } = row;
    Object.assign(answer, answerOf(whole, row.ranges === false || !range ? undefined : `bytes=${first + shift}-${last + shift}`));
    answer.body = edited(answer.body, row.body);
    answer.status = row.closes ? 0 : row.silent && row.sent === undefined ? undefined : row.status ?? answer.status;
    const facts = { path, first, last: Math.min(last, whole.length - 1), size: whole.length, number };
    for (const [header, value] of Object.entries(row.headers ?? {})) {
      delete answer.headers[header];
      if (value !== null) answer.headers[header] = value.replace(/\{(\w+)\}/g, (_, fact) => facts[fact]);
    }
    if (row.chunked) answer.headers["Transfer-Encoding"] = "chunked";
    Object.assign(answer, { delay: row.delay, sent: row.sent, raw: row.raw, isSilent: row.silent, isEndless: row.endless });
  };
}

/**
 * Asks a host of each row, and fails if an answer is wrong or another than the row says for the first of `sides` that it names. `asks` call
 * a method of the package each, one at a time, and return what is resolved, or the `code` and `message` of what is rejected.
 */
export async function checkHosts(sides, asks) {
  const left = [...rows];
  const failed = [];
  await Promise.all(asks.map(async (ask) => {
    for (let row; (row = left.shift());) {
      const { url } = await host(changeOf(row));
      const expected = row[[...sides, "error"].find((side) => row[side] !== undefined)] ?? null;
      let found = await ask("open", `${url}/all/7x6/remoteness`);
      for (const [position, value] of values) {
        if (found.code) break;
        found = await ask("analyse", "7x6", position, { line: false });
        // Where there is an answer, it is the right one.
        if (!found.code) assert.equal(`${found.value} ${found.remoteness}`, value, `${row.does}: ${position}`);
      }
      const isRight = expected === null ? !found.code : found.code === "database" && found.message.includes(expected);
      if (!isRight) failed.push(`${row.does}: ${found.code ? found.message : "right values"}, expected ${expected}`);
    }
  }));
  assert.deepEqual(failed, []);
}
