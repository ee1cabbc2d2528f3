// Simulates a busy machine: a process that preloads this is paused at random, usually for a moment and sometimes for
// seconds. Node processes that it starts preload this too; it pauses all others that it starts (the database, chain
// nodes, the browser) by itself. `npm run unsteady` runs the tests like this, and none may fail because of it.

import { spawn } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

const MOMENT_MS = [20, 300];
const SECONDS_MS = [1_000, 4_000];
/** One pause in this many lasts seconds. */
const SELDOM = 8;
const BETWEEN_MS = [500, 5_000];
/** Of the other processes, one in this many is stopped at a time: the database alone has hundreds. */
const FEW = 10;

/** @param {number[]} range @returns {number} */
const within = ([least = 0, most = 0]) => least + Math.random() * (most - least);

const standstillMs = () => within(Math.random() * SELDOM < 1 ? SECONDS_MS : MOMENT_MS);

const cell = new Int32Array(new SharedArrayBuffer(4));

function standStill() {
  // Blocks without using the processor: all other processes go on meanwhile.
  Atomics.wait(cell, 0, 0, standstillMs());
  rest();
}

const rest = () => setTimeout(standStill, within(BETWEEN_MS)).unref();

/** The ids of the processes other than Node that this one started, and of their descendants. */
function others() {
  /** @type {Map<number, number[]>} */
  const children = new Map();
  for (const id of readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)) {
    const parent = parentOf(id);
    children.set(parent, [...(children.get(parent) ?? []), id]);
  }
  /** @param {number} id @returns {number[]} */
  const below = (id) =>
    (children.get(id) ?? [])
      .filter((child) => !helpers.has(child) && !isLeftAlone(child))
      .flatMap((child) => [child, ...below(child)]);
  return below(process.pid);
}

/** @param {number} id @returns {number} */
function parentOf(id) {
  try {
    const stat = readFileSync(`/proc/${id}/stat`, 'utf8');
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
  } catch {
    return 0; // It has ended.
  }
}

/** Node, which preloads this file, and Redis, which tests freeze themselves. @param {number} id @returns {boolean} */
function isLeftAlone(id) {
  try {
    const program = readlinkSync(`/proc/${id}/exe`);
    return program === readlinkSync('/proc/self/exe') || program.includes('redis');
  } catch {
    return true; // It has ended, or is another user's.
  }
}

/**
 * @type {Set<number | undefined>} Processes that stop others and resume them, even if this process is killed meanwhile.
 */
const helpers = new Set();

function stopOthers() {
  for (const id of others().filter(() => Math.random() * FEW < 1)) {
    const script = `kill -STOP ${id} && sleep ${standstillMs() / 1_000}; kill -CONT ${id}`;
    const helper = spawn('/bin/sh', ['-c', script], { detached: true, stdio: 'ignore', env: {} });
    helpers.add(helper.pid);
    helper.once('exit', () => helpers.delete(helper.pid)).unref();
  }
  haveOthersRest();
}

const haveOthersRest = () => setTimeout(stopOthers, within(BETWEEN_MS)).unref();

rest();
if (process.platform === 'linux') haveOthersRest();
