// A static host of the built-in databases for the tests, which may answer otherwise.

import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { after } from "node:test";

const databases = new URL("./databases/", `file://${process.cwd()}/`);

/** What lets pages of other sites read. */
const CORS = { "Access-Control-Allow-Origin": "*", "Access-Control-Expose-Headers": "Content-Range, ETag" };

/** Hosts that misbehave: what they do, how an answer is changed, and what the error says. */
export const TROUBLES = [
  ["ignores Range", (answer) => Object.assign(answer, { status: 200, body: Buffer.alloc(2 ** 21) }), /ignores the header Range.*host that sends ranges/],
  ["has no database", (answer) => (answer.status = 404), /no database|without a manifest/],
  ["sends a page", (answer) => answer.body.fill("<!DOCTYPE html>"), /the kind of file/],
  ["hides Content-Range", (answer) => delete answer.headers["Content-Range"], /Content-Range none|Access-Control-Expose-Headers: Content-Range/],
  ["closes", (answer) => (answer.status = 0), /3 times; check the address and the connection/],
  ["cuts its answers", (answer) => (answer.sent = 99), /broke off.*3 times; check the address and the connection/],
  ["changes a file", (answer, path, number) => path.endsWith("09") && (answer.headers.ETag = `"${number}"`), /has changed/],
  ["sends wrong bytes", (answer, path) => path.endsWith("09") && answer.body.fill(1, 60), /tier-09.*(damaged|checksum).*check the address/],
];

/**
 * Serves the built-in databases by ranges. `change` may change an answer; it gets the answer, the path, the number of the request, the
 * request, and the whole file if there is one. Status 0 closes the connection, undefined never answers. `sent` is how many bytes are sent
 * before the connection is closed, `delay` how many milliseconds pass before the answer, and with `isEndless` it has no end. `requests`
 * has the range and the path of each request.
 */
export async function host(change = () => {}) {
  const requests = [];
  const server = createServer((request, response) => {
    requests.push(`${request.headers.range} ${request.url}`);
    const answer = { status: 404, headers: {}, body: Buffer.from("<html>") };
    let file;
    try {
      // A board's database may also be asked for at /all/BOARD/remoteness.
      const path = request.url.split("?")[0].replace(/^\/all(.*)\/remoteness/, "$1");
      file = readFileSync(new URL(`.${path}`, databases));
      const [first, last] = request.headers.range.slice("bytes=".length).split("-").map(Number);
      const body = file.subarray(first, last + 1);
      const range = `bytes ${first}-${first + body.length - 1}/${file.length}`;
      Object.assign(answer, { status: 206, headers: { ETag: `"${file.length}"`, "Content-Range": range, ...CORS }, body: Buffer.from(body) });
    } catch {
      // No such file.
    }
    change(answer, request.url, requests.length, request, file);
    if (answer.status === undefined) return;
    if (answer.status === 0) return response.destroy();
    if (answer.isEndless) {
      response.writeHead(answer.status, answer.headers);
      const more = () => response.destroyed || response.write(Buffer.alloc(2 ** 20), more);
      return more();
    }
    setTimeout(() => {
      response.writeHead(answer.status, { ...answer.headers, "Content-Length": answer.body.length });
      if (answer.sent === undefined) response.end(answer.body);
      else response.write(answer.body.subarray(0, answer.sent), () => response.destroy());
    }, answer.delay ?? 0);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  after(() => server.close().closeAllConnections());
  return { url: `http://127.0.0.1:${server.address().port}`, requests };
}
