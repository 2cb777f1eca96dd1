// In the place of node:assert/strict in a page: as much of it as the tests use.

const show = (value) => (value instanceof Error ? String(value) : JSON.stringify(value));

function fail(message, text) {
  throw new Error(message === undefined ? text : `${show(message)}: ${text}`);
}

function isSame(one, other) {
  if (Object.is(one, other)) return true;
  const are = (test) => test(one) && test(other);
  if (!are((value) => typeof value === "object" && value !== null) || Array.isArray(one) !== Array.isArray(other)) return false;
  const names = Object.keys(one);
  return names.length === Object.keys(other).length && names.every((name) => Object.hasOwn(other, name) && isSame(one[name], other[name]));
}

function ok(value, message) {
  if (!value) fail(message, `${show(value)} is not true`);
}

function equal(found, expected, message) {
  if (!Object.is(found, expected)) fail(message, `found ${show(found)}, expected ${show(expected)}`);
}

function deepEqual(found, expected, message) {
  if (!isSame(found, expected)) fail(message, `found ${show(found)}, expected ${show(expected)}`);
}

/** `expected` is a function that says whether the reason is right, or an object with some of its fields. */
async function rejects(promise, expected) {
  const [reason] = await promise.then((value) => fail(undefined, `not rejected, but ${show(value)}`), (error) => [error]);
  if (typeof expected === "function") ok(expected(reason));
  else for (const [name, value] of Object.entries(expected)) equal(reason[name], value, name);
}

export default { ok, equal, deepEqual, rejects };
