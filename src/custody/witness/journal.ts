// The signer's journal: records what was signed in files outside the database, so that a database older than its
// signatures is detected and can be repaired. A line is on disk before its transaction is sent to any node.

import { createHash, randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Network } from '../../values/assets.ts';
import { refuseIfShared, syncFolder } from '../keys/private-file.ts';

/** A recorded transaction: its hash, and everything that the book has about it, as JSON. */
export interface JournalLine {
  readonly hash: string;
  /**
   * JSON of rows as the database writes them: `hash`, `transfer` and, if present, `payout`, `once`, `spent` and
   * `change`.
   */
  readonly body: string;
}

export interface Journal {
  /** Whether there is a journal, even one without lines. */
  exists(): Promise<boolean>;
  /** Passes on every line, in batches, in the order of writing within each file. Throws `JournalDamaged`. */
  scan(onLines: (lines: readonly JournalLine[]) => Promise<void>): Promise<void>;
  /** Whether the line of a transaction is known to exist. */
  has(hash: string): boolean;
  /** Remembers lines that exist. Only those of open transactions are ever asked for. */
  remember(hashes: readonly string[]): void;
  /** Writes lines and waits until they are on disk; without lines, creates the journal. */
  append(lines: readonly JournalLine[]): Promise<void>;
  /** The hashes that this process wrote last. */
  tail(): readonly string[];
}

/** A line is not as it was written. */
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
/** Size at which a new file is started, so that old ones can be archived. */
const FILE_BYTES = 64 * 1024 * 1024;
/** Lines per batch. */
const CHUNK = 1_000;
const TAIL = 64;
/** Hashes kept in memory; the oldest are dropped. */
const REMEMBERED = 100_000;
const LINE = /^\{"version":(\d+),"sum":"([0-9a-f]{64})","body":(.*)\}$/s;

interface JournalOptions {
  /** `Config.journalDir`. */
  readonly folder: string;
  readonly network: Network;
  readonly now?: () => Date;
}

/**
 * Opens the journal of a network. Every process writes a file of its own, so that several can share a folder, and no
 * file is written to once its process has ended: only the last line of a file can be incomplete.
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

  /** The file of this process; a new one if that is full or a write to it failed. */
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
      // If this write fails, its effect is unknown: the next line starts a new file, and this one ends as after a
      // crash.
      const bytes = (file?.bytes ?? 0) + Buffer.byteLength(text);
      file = null;
      try {
        await writeSynced(path, text);
      } catch (error) {
        // On a full disk nothing may have been written; then the same file is used again.
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

/** JSON has line feeds only between its tokens. */
function encode(json: string): string {
  const body = json.replaceAll('\n', ' ');
  return `{"version":${String(VERSION)},"sum":"${sumOf(body)}","body":${body}}\n`;
}

/**
 * Reads a file. An incomplete last line belongs to a transaction that was never sent, because its process ended first.
 */
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

/** Splits at line feeds only: merchants' own ids may contain other line separators of Unicode. */
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

/** Null if it is not a line, or not as it was written. */
function decode(text: string, path: string): JournalLine | null {
  const [, version, sum, body = ''] = LINE.exec(text) ?? [];
  if (version === undefined || sum !== sumOf(body)) return null;
  if (Number(version) !== VERSION)
    throw new Error(`The signer's journal ${path} has a version that this release does not read`);
  const { hash } = JSON.parse(body) as { hash?: unknown };
  return typeof hash === 'string' ? { hash, body } : null;
}
