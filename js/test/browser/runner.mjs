// In the place of node:test in a page: collects the tests of a file, which browser.test.mjs runs one by one.

const tests = new Map();

export const test = (name, body) => tests.set(name, body);

/** What comes after all tests: the page is closed. */
export const after = () => {};

/** The names of the tests, in their order. */
export const names = () => [...tests.keys()];

/** Runs a test. */
export const run = (name) => tests.get(name)();
