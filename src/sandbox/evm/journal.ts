// The sandbox chain on disk: a snapshot of anvil's state, a journal of the steps since, and checkpoints for deep
// reorganisations.

import { type FileHandle, mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Hex } from 'viem';
import type { Step } from './steps.ts';

/**
 * What a snapshot covers: every step up to `seq`. `pending` is the mempool at that moment, which anvil's own dump
 * omits.
 */
export interface SnapshotMark {
  readonly seq: number;
  readonly height: number;
  readonly hash: string;
  readonly pending: readonly Hex[];
}

/** Accounts and block environment at a block, from which later blocks can be rebuilt. */
export interface Checkpoint {
  readonly height: number;
  readonly hash: string;
  readonly path: string;
}

/** The chain's files. Not safe for concurrent calls: the chain's mutex orders them. */
export interface ChainJournal {
  /** Anvil's state for `--load-state`; exists once `mark` is not null. */
  readonly statePath: string;
  readonly mark: SnapshotMark | null;
  /** The steps after the snapshot, oldest first. */
  readonly steps: readonly Step[];
  /** Resolves when the step is on disk. After an error it is not in the journal. */
  append(step: Step): Promise<void>;
  /** Replaces the snapshot atomically and empties the journal. `dump` is the JSON text of anvil's state. */
  save(covered: Omit<SnapshotMark, 'seq'>, dump: Buffer): Promise<void>;
  /** Ascending by height. */
  checkpoints(): Promise<readonly Checkpoint[]>;
  close(): Promise<void>;
}

interface JournalLine extends Step {
  readonly n: number;
}

/** Opens the folder's files, creating the folder (mode 700) if there is none. An incomplete last line is dropped. */
export async function openChainJournal(folder: string): Promise<ChainJournal> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const statePath = join(folder, 'state.json');
  let mark = await readMark(statePath);
  // Steps without a snapshot belong to a first start that was interrupted: none of it was answered.
  if (!mark) await removeAll(folder);
  const path = join(folder, 'journal.log');
  const found = readSteps(await readOrEmpty(path), mark?.seq ?? 0);
  let steps: Step[] = found.steps;
  let length = found.length;
  const handle = await openForUpdate(path);
  await handle.truncate(length);
  await handle.datasync();
  await syncFolder(folder);

  return {
    statePath,
    get mark() {
      return mark;
    },
    get steps() {
      return steps;
    },
    async append(step) {
      const line: JournalLine = { n: (mark?.seq ?? 0) + steps.length + 1, ...step };
      const bytes = Buffer.from(`${JSON.stringify(line)}\n`);
      try {
        await writeAll(handle, bytes, length);
        await handle.datasync();
      } catch (error) {
        await handle.truncate(length).catch(() => undefined);
        throw error;
      }
      length += bytes.length;
      steps.push(step);
    },
    async save(covered, dump) {
      const next: SnapshotMark = { seq: (mark?.seq ?? 0) + steps.length, ...covered };
      await writeCheckpoint(folder, next, dump);
      // From this rename on, the snapshot covers the steps up to `seq`; a crash before the truncation changes nothing.
      await writeDurably(folder, 'state.json', [stateHead(next), dump.subarray(1)]);
      mark = next;
      steps = [];
      await handle.truncate(0);
      length = 0;
      await thinCheckpoints(folder, next.height);
    },
    checkpoints: () => listCheckpoints(folder),
    close: () => handle.close(),
  };
}

/**
 * Our mark is the first line of the state file: one rename moves both, and anvil ignores a key that it does not know.
 */
function stateHead(mark: SnapshotMark): Buffer {
  return Buffer.from(`{"sandbox":${JSON.stringify(mark)}\n,`);
}

async function readMark(path: string): Promise<SnapshotMark | null> {
  const handle = await open(path, 'r').catch(nullIfMissing);
  if (!handle) return null;
  try {
    let text = '';
    const chunk = Buffer.alloc(65_536);
    while (!text.includes('\n')) {
      const { bytesRead } = await handle.read(chunk, 0, chunk.length, null);
      if (bytesRead === 0) break;
      text += chunk.toString('latin1', 0, bytesRead);
    }
    const [line = ''] = text.split('\n', 1);
    return (JSON.parse(`${line}}`) as { sandbox: SnapshotMark }).sandbox;
  } finally {
    await handle.close();
  }
}

/** Reads whole lines after `seq`, up to the first incomplete one. `length` is where the next line goes. */
function readSteps(text: string, seq: number): { steps: Step[]; length: number } {
  const steps: Step[] = [];
  let length = 0;
  for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', length)) {
    const line = parseLine(text.slice(length, end));
    if (!line) break;
    if (line.n > seq + steps.length + 1) {
      throw new Error(
        `The sandbox chain's journal lacks step ${seq + steps.length + 1}: its folder was changed by hand`,
      );
    }
    const { n, ...step } = line;
    if (n > seq) steps.push(step);
    length = end + 1;
  }
  return { steps, length };
}

function parseLine(text: string): JournalLine | null {
  try {
    return JSON.parse(text) as JournalLine;
  } catch {
    return null;
  }
}

/** The head of anvil's dump, its block environment and accounts, is all that a later rebuild needs. */
async function writeCheckpoint(folder: string, { height, hash }: SnapshotMark, dump: Buffer): Promise<void> {
  const end = dump.indexOf(',"best_block_number"');
  if (end < 0) throw new Error('This anvil writes its state in another shape than 1.7.1 does');
  await writeDurably(folder, `checkpoint-${height}-${hash}.json`, [dump.subarray(0, end), Buffer.from('}')]);
}

async function listCheckpoints(folder: string): Promise<Checkpoint[]> {
  const found = (await readdir(folder)).flatMap((name) => {
    const [, height, hash] = /^checkpoint-(\d+)-(0x[0-9a-f]{64})\.json$/.exec(name) ?? [];
    return height && hash ? [{ height: Number(height), hash, path: join(folder, name) }] : [];
  });
  return found.sort((a, b) => a.height - b.height);
}

/**
 * Keeps the oldest checkpoint, and for each doubling of the distance to the tip its oldest and its newest: few files,
 * and one that is never far.
 */
async function thinCheckpoints(folder: string, tipHeight: number): Promise<void> {
  const all = await listCheckpoints(folder);
  const distance = (one: Checkpoint | undefined) => (one ? Math.floor(Math.log2(tipHeight - one.height + 1)) : -1);
  const spare = all.filter(
    (one, at) =>
      one.height > tipHeight ||
      (at > 0 && distance(all[at - 1]) === distance(one) && distance(all[at + 1]) === distance(one)),
  );
  for (const { path } of spare) await rm(path, { force: true });
}

/** Writes a temporary file beside it, and renames it once it is on disk. */
async function writeDurably(folder: string, name: string, parts: readonly Buffer[]): Promise<void> {
  const temporary = join(folder, `${name}.new`);
  const handle = await open(temporary, 'w', 0o600);
  try {
    for (const part of parts) await handle.writeFile(part);
    await handle.datasync();
  } finally {
    await handle.close();
  }
  await rename(temporary, join(folder, name));
  await syncFolder(folder);
}

async function writeAll(handle: FileHandle, bytes: Buffer, position: number): Promise<void> {
  for (let done = 0; done < bytes.length;) {
    done += (await handle.write(bytes, done, bytes.length - done, position + done)).bytesWritten;
  }
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  await handle.sync().finally(() => handle.close());
}

/** Removes only our own files, by their names: the folder may hold anvil's. */
async function removeAll(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (name === 'journal.log' || /^(checkpoint-|state\.json|rebuilt\.json)/.test(name)) await rm(join(folder, name));
  }
}

async function openForUpdate(path: string): Promise<FileHandle> {
  return (await open(path, 'r+').catch(nullIfMissing)) ?? (await open(path, 'w+', 0o600));
}

async function readOrEmpty(path: string): Promise<string> {
  return (await readFile(path, 'latin1').catch(nullIfMissing)) ?? '';
}

function nullIfMissing(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT') return null;
  throw error;
}
