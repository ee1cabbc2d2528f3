// A machine that others work on too: a process that preloads this stands still at random, for a moment mostly and now and
// then for seconds, and so does each that it starts. `npm run unsteady` runs the tests so; none may fail of it.

const MOMENT_MS = [20, 300];
const SECONDS_MS = [1_000, 4_000];
/** One in so many is of seconds. */
const SELDOM = 8;
const BETWEEN_MS = [500, 5_000];

/** @param {number[]} range @returns {number} */
const within = ([least = 0, most = 0]) => least + Math.random() * (most - least);

const cell = new Int32Array(new SharedArrayBuffer(4));

function standStill() {
  // Without work for the processor: all others go on meanwhile.
  Atomics.wait(cell, 0, 0, within(Math.random() * SELDOM < 1 ? SECONDS_MS : MOMENT_MS));
  rest();
}

const rest = () => setTimeout(standStill, within(BETWEEN_MS)).unref();

rest();
