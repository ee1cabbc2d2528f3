// Large answers of feeds are read on a thread: the process goes on meanwhile, and what such a thread does to itself is
// a failure of that one answer (contract-invoices, sections 2 and 13).

import { afterEach, describe, expect, it } from '@jest/globals';
import { createFeedReader, LONGEST_READ_HERE, type FeedReader } from '../../src/observe/feed-thread.ts';
import { FEED_LIMITS } from '../../src/observe/poll-rates.ts';
import { FEED_KINDS, readFeed } from '../../src/values/feeds/feeds.ts';
import { BODIES } from './feeds.fixture.ts';

const NOW = new Date('2026-11-27T12:00:00Z');
const SILENT = new URL('./silent-thread.fixture.js', import.meta.url);
const DYING = new URL('./dying-thread.fixture.js', import.meta.url);
const MOST = FEED_LIMITS.maxBytes;
const TICKS = BODIES.custom({ BTC: '60000', EUR: '1.08' });
const LARGE = Buffer.from(`${' '.repeat(LONGEST_READ_HERE)}${TICKS}`);

const readers: FeedReader[] = [];
function openReader(options: Parameters<typeof createFeedReader>[0] = {}): FeedReader {
  const reader = createFeedReader({ deadlineMs: 60_000, ...options });
  readers.push(reader);
  return reader;
}
afterEach(async () => void (await Promise.all(readers.splice(0).map((reader) => reader.close()))));

const readCustom = (reader: FeedReader, body: string | Buffer = LARGE) =>
  reader.read(FEED_KINDS.custom, Buffer.from(body), NOW);

describe('a large answer', () => {
  it('is read as a small one is', async () => {
    const expected = readFeed(FEED_KINDS.custom, TICKS, NOW);
    expect(await readCustom(openReader())).toEqual(expected);
    expect(await readCustom(openReader(), TICKS)).toEqual(expected);
  });

  it('lets the process go on while it is read', async () => {
    const reading = readCustom(openReader(), TICKS.padStart(MOST)).then(() => 'read');
    const turn = new Promise<string>((resolve) => setImmediate(resolve, 'a turn of the event loop'));
    expect(await Promise.race([reading, turn])).toBe('a turn of the event loop');
    expect(await reading).toBe('read');
  });

  it.each([
    ['of a string that never ends', `{"rates":"${'\\\\'.repeat(MOST / 2)}`],
    ['of lists in lists in lists', '['.repeat(MOST)],
    ['of a million numbers', `[${'1,'.repeat(MOST / 2)}1]`],
    ['of one number', '9'.repeat(MOST)],
    ['of bytes that are no text', Buffer.alloc(MOST, 0xff)],
  ])('%s fails, and the next is read', async (_, body) => {
    const reader = openReader();
    await expect(readCustom(reader, body)).rejects.toThrow();
    expect(await readCustom(reader)).toHaveLength(2);
  });
});

describe('the thread of an answer', () => {
  it('that never answers is ended, and holds up no other', async () => {
    const stuck = readCustom(openReader({ module: SILENT, deadlineMs: 500 }));
    const failure = expect(stuck).rejects.toThrow('it is not read within 500 ms');
    expect(await readCustom(openReader())).toHaveLength(2);
    await failure;
  });

  it('that ends without a word fails', async () => {
    await expect(readCustom(openReader({ module: DYING }))).rejects.toThrow('the thread that read it ended');
  });

  it('that cannot be started fails', async () => {
    const module = new URL('./no-such-thread.js', import.meta.url);
    await expect(readCustom(openReader({ module }))).rejects.toThrow();
  });

  it('ends with the reader', async () => {
    const reader = openReader({ module: SILENT });
    const failure = expect(readCustom(reader)).rejects.toThrow('the thread that read it ended');
    await reader.close();
    await failure;
  });
});
