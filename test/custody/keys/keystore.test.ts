// The encrypted keystore and the sandbox's plain one: what they keep, reject and reveal.

import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mnemonicToSeedSync } from '@scure/bip39';
import {
  createKeystore,
  KeystoreDamaged,
  openKeystore,
  openOrCreateSandboxSeed,
  WrongPassphrase,
} from '../../../src/custody/keys/keystore.ts';

const PASSPHRASE = 'correct horse battery staple';
let folder: string;
let path: string;
let made: { mnemonic: string; seed: Uint8Array };

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'turnpike-keystore-'));
  path = join(folder, 'keystore.json');
  made = await createKeystore({ path, passphrase: PASSPHRASE });
});
afterAll(() => rm(folder, { recursive: true }));

/** A copy of the keystore with its text changed. */
async function altered(change: (text: string) => string): Promise<string> {
  const copy = join(folder, `altered-${String(Math.random()).slice(2)}.json`);
  await writeFile(copy, change(await readFile(path, 'utf8')), { mode: 0o600 });
  return copy;
}

/** Expects a failure whose message reveals no secret, and returns it. */
async function failureOf(attempt: Promise<unknown>): Promise<Error> {
  const error: unknown = await attempt.then(
    () => null,
    (reason: unknown) => reason,
  );
  if (!(error instanceof Error)) throw new Error('The attempt should have failed with an error of ours');
  const told = `${error.message} ${error.stack ?? ''} ${JSON.stringify(error)}`;
  expect(told).not.toContain(PASSPHRASE);
  for (const secret of [made.mnemonic, Buffer.from(made.seed).toString('hex')]) expect(told).not.toContain(secret);
  return error;
}

describe('the encrypted keystore', () => {
  it('gives back the seed of the 24 words it was made with', async () => {
    expect(made.mnemonic.split(' ')).toHaveLength(24);
    expect(Buffer.from(made.seed)).toEqual(Buffer.from(mnemonicToSeedSync(made.mnemonic)));
    const opened = await openKeystore({ path, passphrase: PASSPHRASE });
    expect(Buffer.from(opened)).toEqual(Buffer.from(made.seed));
  });

  it('is a file of mode 600 that shows neither words nor seed, with nothing left beside it', async () => {
    const text = await readFile(path, 'utf8');
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    // The names of its fields may themselves be words of the list.
    const values = text.replaceAll(/"\w+":/g, '');
    for (const word of made.mnemonic.split(' ').filter((candidate) => candidate.length > 6))
      expect(values).not.toContain(word);
    expect(text).not.toContain(Buffer.from(made.seed).toString('hex'));
    expect((await readdir(folder)).filter((name) => name.endsWith('.tmp'))).toEqual([]);
  });

  it('is never overwritten', async () => {
    const before = await readFile(path, 'utf8');
    const error = await failureOf(createKeystore({ path, passphrase: PASSPHRASE }));
    expect(error.message).toContain('never overwritten');
    expect(await readFile(path, 'utf8')).toBe(before);
    expect((await readdir(folder)).filter((name) => name.endsWith('.tmp'))).toEqual([]);
  });

  it('restores a wallet from its words, and refuses invalid words', async () => {
    const mnemonic = 'test test test test test test test test test test test junk';
    const restored = join(folder, 'restored.json');
    await createKeystore({ path: restored, passphrase: PASSPHRASE, mnemonic: ` ${mnemonic}\n` });
    const opened = await openKeystore({ path: restored, passphrase: PASSPHRASE });
    expect(Buffer.from(opened)).toEqual(Buffer.from(mnemonicToSeedSync(mnemonic)));
    const wrong = createKeystore({ path: join(folder, 'none.json'), passphrase: PASSPHRASE, mnemonic: 'sesame open' });
    expect((await failureOf(wrong)).message).not.toContain('sesame');
  });

  it('refuses a passphrase shorter than 12 characters', async () => {
    const error = await failureOf(
      createKeystore({ path: join(folder, 'short.json'), passphrase: 'short secret'.slice(1) }),
    );
    expect(error.message).toContain('12 characters');
  });

  it('opens with the passphrase typed in another Unicode form', async () => {
    const accented = join(folder, 'accented.json');
    await createKeystore({ path: accented, passphrase: 'caf\u00e9 caf\u00e9 caf\u00e9' });
    await expect(
      openKeystore({ path: accented, passphrase: 'cafe\u0301 cafe\u0301 cafe\u0301' }),
    ).resolves.toHaveLength(64);
  });

  it('tells a wrong passphrase', async () => {
    const error = await failureOf(openKeystore({ path, passphrase: 'incorrect horse battery staple' }));
    expect(error).toBeInstanceOf(WrongPassphrase);
    expect(error.message).toContain(path);
  });

  const damages: Array<[what: string, change: (text: string) => string]> = [
    [
      'a flipped digit of the ciphertext',
      (text) =>
        text.replace(/("ciphertext": ")(.)/, (_, key: string, digit: string) => key + (digit === '0' ? '1' : '0')),
    ],
    [
      'another salt',
      (text) => text.replace(/("salt": ")(.)/, (_, key: string, digit: string) => key + (digit === '0' ? '1' : '0')),
    ],
    ['a cut end', (text) => text.slice(0, -40)],
    ['an empty file', () => ''],
    ['a missing part', (text) => text.replace('"kdf"', '"kdx"')],
    ['cheaper key stretching', (text) => text.replace('131072', '2')],
    ['other JSON', () => '{"kind":"something else"}'],
  ];
  it.each(damages)('tells damage: %s', async (_what, change) => {
    expect(await failureOf(openKeystore({ path: await altered(change), passphrase: PASSPHRASE }))).toBeInstanceOf(
      KeystoreDamaged,
    );
  });
});

describe("the sandbox's seed", () => {
  it('is made once, in a file of mode 600, and is the same from then on', async () => {
    const dataDir = join(folder, 'data', 'new');
    const first = await openOrCreateSandboxSeed({ dataDir });
    expect(first).toHaveLength(64);
    expect(Buffer.from(await openOrCreateSandboxSeed({ dataDir }))).toEqual(Buffer.from(first));
    const names = await readdir(dataDir);
    expect(names).toEqual(['sandbox-mnemonic']);
    expect((await stat(join(dataDir, 'sandbox-mnemonic'))).mode & 0o777).toBe(0o600);
  });

  it('is one seed for processes that start at the same time', async () => {
    const dataDir = join(folder, 'raced');
    const seeds = await Promise.all(Array.from({ length: 8 }, () => openOrCreateSandboxSeed({ dataDir })));
    expect(new Set(seeds.map((seed) => Buffer.from(seed).toString('hex'))).size).toBe(1);
  });

  it('is refused when others can read its file', async () => {
    const dataDir = join(folder, 'shared');
    await openOrCreateSandboxSeed({ dataDir });
    await chmod(join(dataDir, 'sandbox-mnemonic'), 0o644);
    await expect(openOrCreateSandboxSeed({ dataDir })).rejects.toThrow(/mode 644.*chmod 600/);
  });

  it('is refused, unquoted, when its file holds no mnemonic', async () => {
    const dataDir = join(folder, 'broken');
    await openOrCreateSandboxSeed({ dataDir });
    await writeFile(join(dataDir, 'sandbox-mnemonic'), 'abandon abandon secretword');
    await expect(openOrCreateSandboxSeed({ dataDir })).rejects.toThrow('does not hold a valid BIP-39 mnemonic');
    await expect(openOrCreateSandboxSeed({ dataDir })).rejects.not.toThrow('secretword');
  });
});
