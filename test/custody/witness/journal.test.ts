// The signer's journal as files: what a crash leaves behind, what damage looks like, and several processes on one
// folder.

import { appendFile, readdir, readFile, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { JournalDamaged, openJournal, type Journal } from '../../../src/custody/witness/journal.ts';
import { makeTestFolder } from '../../support/database/database.ts';

let folder: string;
let journal: Journal;

beforeEach(async () => {
  folder = await makeTestFolder('journal');
  journal = openJournal({ folder, network: 'ETH' });
});

const line = (hash: string, note = '') => ({ hash, body: JSON.stringify({ hash, note }) });
const open = () => openJournal({ folder, network: 'ETH' });
const files = async () => (await readdir(folder)).map((name) => join(folder, name));
const first = async () => (await files())[0] ?? '';

async function hashes(its: Journal = open()): Promise<string[]> {
  const found: string[] = [];
  await its.scan((lines) => {
    found.push(...lines.map(({ hash }) => hash));
    return Promise.resolve();
  });
  return found;
}

describe("the signer's journal", () => {
  it('is not there until something is written, and is its owner alone to read', async () => {
    expect(await journal.exists()).toBe(false);
    await journal.append([]);
    expect(await open().exists()).toBe(true);
    expect((await stat(await first())).mode & 0o777).toBe(0o600);
    expect(await openJournal({ folder, network: 'POLYGON' }).exists()).toBe(false);
  });

  it('is read by the next process as it was written, whatever texts are in it', async () => {
    const odd = line('0x02', 'a\u2028b\u2029c\r\nd "e" \\ \u0000');
    await journal.append([line('0x01'), odd]);
    await journal.append([line('0x03')]);
    const bodies: string[] = [];
    await open().scan((lines) => Promise.resolve(void bodies.push(...lines.map(({ body }) => body))));
    expect(bodies).toEqual([line('0x01').body, odd.body, line('0x03').body]);
    expect(journal.tail()).toEqual(['0x01', '0x02', '0x03']);
    expect([journal.has('0x02'), journal.has('0x04'), open().has('0x02')]).toEqual([true, false, false]);
  });

  it('passes over a last line that a crash cut off, wherever it was cut', async () => {
    await journal.append([line('0x01')]);
    const { size } = await stat(await first());
    await journal.append([line('0x02')]);
    const whole = (await stat(await first())).size;
    // Without its line feed the line is complete.
    for (let end = whole - 2; end > size; end -= 7) {
      await truncate(await first(), end);
      expect(await hashes()).toEqual(['0x01']);
    }
    // The next process writes to another file, so the cut-off line stays the last one of its file.
    await open().append([line('0x02')]);
    expect((await hashes()).sort()).toEqual(['0x01', '0x02']);
  });

  it('says where it is damaged, in the middle and at the end', async () => {
    await journal.append([line('0x01', 'paid'), line('0x02'), line('0x03')]);
    const path = await first();
    const text = await readFile(path, 'utf8');
    const damages: [string, number][] = [
      [text.replace('paid', 'Paid'), 1],
      [text.replace('"0x03"', '"0x04"'), 3],
      [text.replace('"hash":"0x02"', ''), 2],
      [`${text}{}\n`, 4],
    ];
    for (const [damaged, number] of damages) {
      await writeFile(path, damaged);
      await expect(hashes()).rejects.toThrow(new JournalDamaged(path, number).message);
    }
  });

  it('is refused when others can read it', async () => {
    await journal.append([line('0x01')]);
    await writeFile(join(folder, 'journal-ETH-20260101T000000Z-000000000000.jsonl'), '', { mode: 0o644 });
    await expect(hashes()).rejects.toThrow(/can be read by others/);
  });

  it('is one of two processes that write at once, and of files that others put beside it none', async () => {
    const other = open();
    await Promise.all([journal.append([line('0x01')]), other.append([line('0x02')])]);
    await appendFile(join(folder, 'journal-ETH.txt'), 'mine');
    expect((await hashes()).sort()).toEqual(['0x01', '0x02']);
  });
});
