// The signer's journal: what was signed, kept beside the keystore, so that a database that is older than its signatures is
// found out and can be made whole. A line is on disk before its transaction is handed to any node.

import { createHash, randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, readdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Network } from '../../values/assets.ts';
import { refuseIfShared, syncFolder } from '../keys/private-file.ts';

/** A transaction as it is written down: its hash, and all that the book has of it, as JSON. */
export interface JournalLine {
  readonly hash: string;
  /** JSON with `hash`, `transfer` and, where there are such, `payout`, `once`, `spent` and `change`: rows as the database writes them. */
  readonly body: string;
}

export interface Journal {
  /** Whether there is one at all: also one that has no line yet. */
  exists(): Promise<boolean>;
  /** Hands over every line, many at a time and in each file in the order of writing. Throws `JournalDamaged`. */
  scan(onLines: (lines: readonly JournalLine[]) => Promise<void>): Promise<void>;
  /** Whether a line is known to be there. */
  has(hash: string): boolean;
  /** Takes note of lines that are there; of what is not open any more nobody asks. */
  remember(hashes: readonly string[]): void;
  /** Writes lines and waits until they are on disk; without lines, makes the journal. */
  append(lines: readonly JournalLine[]): Promise<void>;
  /** The hashes that this process wrote last. */
  tail(): readonly string[];
}

/** A line is not as it was written: somebody or the disk has changed it. */
export class JournalDamaged extends Error {
  constructor(
    readonly path: string,
    readonly line: number,
  ) {
    super(`The signer's journal ${path} is damaged in line ${String(line)}`);
    this.name = 'JournalDamaged';
  }
}

const VERSION = 1;
/** After so many bytes a new file is begun, so that old ones can be put away. */
const FILE_BYTES = 64 * 1024 * 1024;
/** Lines handed over at once. */
const CHUNK = 1_000;
const TAIL = 64;
/** Hashes kept in memory; of more, only those that were added last. */
const REMEMBERED = 100_000;
const LINE = /^\{"version":(\d+),"sum":"([0-9a-f]{64})","body":(.*)\}$/s;

/** Where a signer keeps its journal: beside its keys, in the sandbox in the data folder. */
export function journalFolderOf({ keystore, dataDir }: KeyPlaces): string {
  return keystore === null ? dataDir : dirname(keystore.path);
}

interface KeyPlaces {
  readonly keystore: { readonly path: string } | null;
  readonly dataDir: string;
}

interface JournalOptions {
  /** Where the keystore is. */
  readonly folder: string;
  readonly network: Network;
  readonly now?: () => Date;
}

/**
 * Opens the journal of a network. Every process writes a file of its own, so that several may run on one folder, and no
 * file is ever written to again when its process has ended: only the last line of a file can be one that was cut off.
 */
export function openJournal({ folder, network, now = () => new Date() }: JournalOptions): Journal {
  const name = new RegExp(`^journal-${network}-[0-9TZ]+-[0-9a-f]{12}\\.jsonl$`);
  const known = new Set<string>();
  let tail: string[] = [];
  let file: { readonly path: string; bytes: number } | null = null;

  async function paths(): Promise<string[]> {
    const names = await readdir(folder).catch((error: unknown) => {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
      throw error;
    });
    return names
      .filter((one) => name.test(one))
      .sort()
      .map((one) => join(folder, one));
  }

  /** The file of this process, and a new one when that is full or came to a bad end. */
  async function pathNow(): Promise<string> {
    if (file && file.bytes < FILE_BYTES) return file.path;
    const at = now()
      .toISOString()
      .replace(/[-:]|\.\d+/g, '');
    const path = join(folder, `journal-${network}-${at}-${randomBytes(6).toString('hex')}.jsonl`);
    const handle = await open(path, 'ax', 0o600);
    await handle.close();
    await syncFolder(folder);
    file = { path, bytes: 0 };
    return path;
  }

  function remember(hashes: readonly string[]): void {
    for (const hash of hashes) known.add(hash);
    for (const oldest of known) {
      if (known.size <= REMEMBERED) break;
      known.delete(oldest);
    }
  }

  return {
    exists: async () => (await paths()).length > 0,
    scan: async (onLines) => {
      for (const path of await paths()) await scanFile(path, onLines);
    },
    has: (hash) => known.has(hash),
    remember,
    append: async (lines) => {
      const path = await pathNow();
      const text = lines.map(({ body }) => encode(body)).join('');
      // What comes of it if this fails is not known: the next line begins a new file, and this one ends as after a crash.
      const bytes = (file?.bytes ?? 0) + Buffer.byteLength(text);
      file = null;
      try {
        await writeSynced(path, text);
      } catch (error) {
        // On a disk that is full nothing may have come of it, and then it is tried again in the same one.
        if ((await stat(path).catch(() => null))?.size === 0) file = { path, bytes: 0 };
        throw error;
      }
      file = { path, bytes };
      const hashes = lines.map(({ hash }) => hash);
      remember(hashes);
      tail = [...new Set([...tail, ...hashes])].slice(-TAIL);
    },
    tail: () => tail,
  };
}

async function writeSynced(path: string, text: string): Promise<void> {
  const handle = await open(path, 'a', 0o600);
  try {
    await handle.appendFile(text);
    await handle.datasync();
  } finally {
    await handle.close();
  }
}

const sumOf = (body: string): string => createHash('sha256').update(body).digest('hex');

/** JSON has no line feed but between its parts. */
function encode(json: string): string {
  const body = json.replaceAll('\n', ' ');
  return `{"version":${String(VERSION)},"sum":"${sumOf(body)}","body":${body}}\n`;
}

/** A last line that was cut off belongs to a transaction that was never sent: its process ended before. */
async function scanFile(path: string, onLines: (lines: readonly JournalLine[]) => Promise<void>): Promise<void> {
  await refuseIfShared(path);
  let lines: JournalLine[] = [];
  let number = 0;
  for await (const { text, isWhole } of readLines(path)) {
    number += 1;
    const line = decode(text, path);
    if (line) lines.push(line);
    else if (isWhole) throw new JournalDamaged(path, number);
    if (lines.length < CHUNK) continue;
    await onLines(lines);
    lines = [];
  }
  if (lines.length > 0) await onLines(lines);
}

/** By line feeds alone: what merchants write into their own ids may hold whatever else ends lines in Unicode. */
async function* readLines(path: string): AsyncGenerator<{ text: string; isWhole: boolean }> {
  let parts: Buffer[] = [];
  for await (const read of createReadStream(path)) {
    let rest = read as Buffer;
    for (let end = rest.indexOf(0x0a); end >= 0; end = rest.indexOf(0x0a)) {
      yield { text: Buffer.concat([...parts, rest.subarray(0, end)]).toString('utf8'), isWhole: true };
      parts = [];
      rest = rest.subarray(end + 1);
    }
    if (rest.length > 0) parts.push(rest);
  }
  if (parts.length > 0) yield { text: Buffer.concat(parts).toString('utf8'), isWhole: false };
}

/** Null for what is not a line, or not the one that was written. */
function decode(text: string, path: string): JournalLine | null {
  const [, version, sum, body = ''] = LINE.exec(text) ?? [];
  if (version === undefined || sum !== sumOf(body)) return null;
  if (Number(version) !== VERSION)
    throw new Error(`The signer's journal ${path} has a version that this release does not read`);
  const { hash } = JSON.parse(body) as { hash?: unknown };
  return typeof hash === 'string' ? { hash, body } : null;
}
