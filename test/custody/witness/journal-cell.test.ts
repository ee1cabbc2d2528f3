// Whose the folder of the signer's journal is: two signers of different cells, or of two databases that are the same
// cell by mistake, never sign beside each other.

import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { JournalOfOther, takeJournal } from '../../../src/custody/witness/journal-cell.ts';
import { openJournal } from '../../../src/custody/witness/journal.ts';
import { makeTestFolder } from '../../support/database/database.ts';

let folder: string;
beforeEach(async () => (folder = await makeTestFolder('journal-cell')));
afterEach(() => rm(folder, { recursive: true, force: true }));

const OWNER = { cell: 7, mark: 'a' };
const file = () => join(folder, 'journal-cell.json');
const write = () => openJournal({ folder, network: 'ETH' }).append([]);

it('without cells nothing is written', async () => {
  await takeJournal(folder, null);
  await expect(stat(file())).rejects.toThrow('ENOENT');
});

it('an empty folder becomes that of the cell, and stays it; the journal itself does not see the file', async () => {
  await takeJournal(join(folder, 'new'), OWNER);
  await takeJournal(folder, OWNER);
  await takeJournal(folder, OWNER);
  expect(JSON.parse(await readFile(file(), 'utf8'))).toEqual(OWNER);
  expect((await stat(file())).mode & 0o777).toBe(0o600);
  expect(await openJournal({ folder, network: 'ETH' }).exists()).toBe(false);
});

it('signers that start together agree', async () => {
  const other = { cell: 8, mark: 'b' };
  const taken = await Promise.allSettled([OWNER, other, OWNER, other].map((owner) => takeJournal(folder, owner)));
  const winner = JSON.parse(await readFile(file(), 'utf8')) as typeof OWNER;
  const expected = [OWNER, other, OWNER, other].map(({ cell }) => (cell === winner.cell ? 'fulfilled' : 'rejected'));
  expect(taken.map(({ status }) => status)).toEqual(expected);
});

it.each([
  ['another cell', { cell: 8, mark: 'b' }, /is of cell 7, not of 8/],
  ['another database that is the same cell', { cell: 7, mark: 'b' }, /belongs to another database that is cell 7/],
  ['a deployment without cells', null, /is of cell 7, and the database of none/],
])('is refused to %s', async (_name, owner, message) => {
  await takeJournal(folder, OWNER);
  await expect(takeJournal(folder, owner)).rejects.toThrow(message);
  await expect(takeJournal(folder, owner)).rejects.toThrow(JournalOfOther);
});

it('a journal of before there were cells becomes that of cell 0 alone', async () => {
  await write();
  await expect(takeJournal(folder, OWNER)).rejects.toThrow('can only be of cell 0');
  await takeJournal(folder, { cell: 0, mark: 'a' });
  await expect(takeJournal(folder, OWNER)).rejects.toThrow('is of cell 0, not of 7');
});

it('a damaged file is not taken for none', async () => {
  await writeFile(file(), '{"cell":7', { mode: 0o600 });
  await expect(takeJournal(folder, OWNER)).rejects.toThrow('is damaged');
});
