// A worker in a page: reads files that the user has chosen.

import { serve } from "./answering.js";

const receive = serve((message) => globalThis.postMessage(message), {
  open: (file) => file,
  size: (file) => file.size ?? file.length,
  read: (file, offset, length) => new Uint8Array(new FileReaderSync().readAsArrayBuffer(file.slice(offset, offset + length))),
  close() {},
});
globalThis.onmessage = ({ data }) => receive(data);
