// `npm run wallet` as operators run it: a keystore made once, restored from its words, and proven against a database.

import { readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { startAnvil, type Anvil } from '../../../src/sandbox/evm/anvil.ts';
import { newMerchant, USDT_PAYMENT, type TestMerchant } from '../../support/clients.ts';
import { makeTestFolder } from '../../support/database/database.ts';
import { dataOf } from '../../support/expectations.ts';
import { startTestGateway, type TestGateway } from '../../support/gateway/gateway.ts';
import { wallet } from './run.fixture.ts';

const PASSPHRASE = 'a passphrase of a test';
/** 24 words of BIP-39's published vectors. */
const FOREIGN_WORDS = `${'zoo '.repeat(23)}vote`;

/** The words of a numbered list. */
const wordsIn = (out: string): string[] => [...out.matchAll(/^ +\d+ {2}([a-z]+)$/gm)].map(([, word = '']) => word);

let folder: string;
let anvil: Anvil;
let gateway: TestGateway;
let shop: TestMerchant;
/** The sandbox's wallet, on the data folder and database of a running gateway. */
let sandbox: Record<string, string>;

beforeAll(async () => {
  folder = await makeTestFolder('wallet');
  anvil = await startAnvil({ log: pino({ level: 'silent' }) });
  gateway = await startTestGateway({ ETH_RPC_URL: anvil.url });
  shop = await newMerchant(gateway);
  for (let count = 0; count < 3; count += 1) dataOf(await shop.rest('POST', '/payments', USDT_PAYMENT), 201);
  const { dataDir, databaseUrl } = gateway.config;
  sandbox = { DATA_DIR: dataDir, DATABASE_URL: databaseUrl ?? '', ETH_RPC_URL: anvil.url };
});
afterAll(async () => {
  await gateway.stop();
  await anvil.stop();
  await rm(folder, { recursive: true, force: true });
});

/** A file with a secret, as `…_FILE` variables name them. */
async function fileOf(name: string, secret: string): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, `${secret}\n`);
  return path;
}

const keystore = (name: string) => ({ KEYSTORE_PATH: join(folder, name), KEYSTORE_PASSPHRASE: PASSPHRASE });

describe('a keystore', () => {
  let words: string[];
  let xpub: string;
  const own = () => keystore('own');

  beforeAll(async () => {
    const made = await wallet('init', own());
    expect(made).toMatchObject({ code: 0, err: '' });
    words = wordsIn(made.out);
    xpub = (await wallet('export-xpub', own())).out;
  });

  it('is made with 24 words, shown once, in a file that only its owner reads', async () => {
    expect(words).toHaveLength(24);
    expect((await stat(own().KEYSTORE_PATH)).mode & 0o777).toBe(0o600);
    const file = await readFile(own().KEYSTORE_PATH, 'utf8');
    expect(file).toContain('turnpike-keystore');
    expect(file).not.toContain(words.slice(0, 2).join(' '));
  });

  it('is never overwritten', async () => {
    const before = await readFile(own().KEYSTORE_PATH, 'utf8');
    for (const [command, input] of [['init'], ['init --restore', FOREIGN_WORDS]] as const) {
      const again = await wallet(command, own(), input);
      expect(again).toMatchObject({ code: 2, out: '', err: expect.stringContaining('never overwritten') });
    }
    expect(await readFile(own().KEYSTORE_PATH, 'utf8')).toBe(before);
  });

  it('is restored from its words, which are not shown again', async () => {
    const restored = await wallet('init --restore', keystore('restored'), `${words.join('\n')}\n`);
    expect(restored).toMatchObject({ code: 0, err: '' });
    expect(wordsIn(restored.out)).toEqual([]);
    expect((await wallet('export-xpub', keystore('restored'))).out).toBe(xpub);
  });

  it('is not made of invalid words, and they are not repeated', async () => {
    const refused = await wallet('init --restore', keystore('none'), 'zoo zoo zoo');
    expect(refused).toMatchObject({ code: 2, out: '' });
    expect(refused.err).toMatch(/mnemonic/);
    expect(refused.err).not.toContain('zoo');
    await expect(stat(keystore('none').KEYSTORE_PATH)).rejects.toThrow('ENOENT');
  });

  it('gives its extended public key alone', () => {
    expect(xpub).toMatch(/^xpub[1-9A-HJ-NP-Za-km-z]{107}\n$/);
  });

  it('is shown without a secret', async () => {
    const shown = await wallet('show', own());
    expect(shown).toMatchObject({ code: 0, err: '' });
    expect(shown.out).toMatch(/m\/44'\/60'\/0', xpub with the fingerprint [0-9a-f]{8}\n/);
    expect(shown.out.match(/0x[0-9a-fA-F]{40}/g)).toHaveLength(2);
    for (const secret of [PASSPHRASE, 'xpub6', 'xprv', words.slice(0, 2).join(' ')])
      expect(shown.out).not.toContain(secret);
  });

  it('does not open with another passphrase', async () => {
    const refused = await wallet('show', { ...own(), KEYSTORE_PASSPHRASE: 'not the right one' });
    expect(refused).toMatchObject({ code: 2, out: '', err: expect.stringContaining('does not open') });
  });

  it('opens with a passphrase in a file', async () => {
    const { KEYSTORE_PATH } = own();
    const KEYSTORE_PASSPHRASE_FILE = await fileOf('passphrase', PASSPHRASE);
    expect(await wallet('export-xpub', { KEYSTORE_PATH, KEYSTORE_PASSPHRASE_FILE })).toEqual({
      ...{ code: 0, out: xpub, err: '' },
    });
  });
});

describe('a wallet held against the database', () => {
  it('matches in every address that was handed out, and in the wallets', async () => {
    expect(await wallet('verify', sandbox)).toEqual({ code: 0, out: '5 addresses match\n', err: '' });
  });

  it('finds it by a URL in a file', async () => {
    const { DATABASE_URL = '', ...others } = sandbox;
    const named = { ...others, DATABASE_URL_FILE: await fileOf('database-url', DATABASE_URL) };
    expect(await wallet('verify', named)).toEqual({ code: 0, out: '5 addresses match\n', err: '' });
  });

  it('is proven restorable by its words', async () => {
    const written = await readFile(join(gateway.config.dataDir, 'sandbox-mnemonic'), 'utf8');
    expect(await wallet('verify --words', sandbox, written)).toMatchObject({ code: 0, out: '5 addresses match\n' });
  });

  it('fails at the first address of another seed', async () => {
    const { code, out } = await wallet('verify --words', sandbox, FOREIGN_WORDS);
    expect(code).toBe(1);
    const [first] = await gateway.sql<{ index: string }>('select min(derivation_index)::text as index from payment');
    expect(out.replaceAll(/0x\w{40}/g, '0x…').replace(/ord_\w+/, 'ord_…')).toBe(
      `0 addresses match\n✗ payment ord_…: the database has 0x… at index ${first?.index ?? ''}, the seed 0x…\n`,
    );
  });

  it('is looked for and not made where there is none', async () => {
    const empty = { ...sandbox, DATA_DIR: join(folder, 'nowhere') };
    expect(await wallet('verify', empty)).toMatchObject({
      code: 2,
      err: expect.stringContaining('There is no wallet'),
    });
    await expect(stat(empty.DATA_DIR)).rejects.toThrow('ENOENT');
  });
});

describe('a sweep', () => {
  it('is shown, address by address, and not made', async () => {
    const { orderId, address } = dataOf(await shop.rest('POST', '/payments', USDT_PAYMENT), 201);
    dataOf(await shop.rest('POST', `/sandbox/payments/${String(orderId)}/deposit`));
    const { code, out, err } = await wallet('sweep --dry-run', sandbox);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toContain('USDT: the hot wallet holds 0 USDT');
    expect(out).toMatch(new RegExp(`${String(address)} {2}25 USDT {2}sweep costs up to 0\\.0\\d+ ETH`));
    expect(out).toMatch(/USDT: sweeps would move 25 USDT and cost up to 0\.0\d+ ETH/);
    expect(await gateway.sql('select 1 from transfer')).toEqual([]);
  });

  it('is refused: the signer makes it', async () => {
    const refused = await wallet('sweep', sandbox);
    expect(refused).toMatchObject({
      code: 2,
      out: '',
      err: expect.stringContaining('The signer sweeps when a payout needs it'),
    });
  });
});

it('an unknown command is answered with what there is', async () => {
  expect(await wallet('burn', {})).toMatchObject({ code: 2, out: '', err: expect.stringContaining('export-xpub') });
});
