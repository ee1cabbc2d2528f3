// Secrets in files: each variable that may contain one is read from the file that its `…_FILE` names.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigError, readConfig } from '../../src/config/config.ts';
import { SECRET_VARIABLES } from '../../src/config/secret-files.ts';
import { NETWORK_CODES } from '../../src/values/assets.ts';

const SECRET = 'Jx2v0sQm8kTtYb6nRw4eUz1pLf7hCd3g';

let folder: string;
let written = 0;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'secret-files-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function fileOf(content: string | Buffer): Promise<string> {
  const path = join(folder, String((written += 1)));
  await writeFile(path, content);
  return path;
}

function faultsOf(source: Record<string, string>): readonly string[] {
  try {
    readConfig(source);
    return [];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.faults;
  }
}

const PROVIDER = { OIDC_ISSUER: 'https://id.example', OIDC_CLIENT_ID: 'turnpike' };

/** A node for every network, and a good value for every secret. */
function everySecret(): Map<string, string> {
  const valueOf = (name: string) => {
    if (name.startsWith('DATABASE') || name === 'CELL_DIRECTORY_URL')
      return `postgresql://u:${name}@db.example/turnpike`;
    if (name === 'REDIS_URL') return 'redis://:pw@redis.example';
    if (name === 'SMTP_URL') return 'smtps://u:pw@mail.example';
    if (name === 'OTEL_EXPORTER_OTLP_HEADERS') return 'x-token=a-token';
    if (name.endsWith('_URL')) return `https://${name.toLowerCase().replaceAll('_', '-')}.example/key`;
    if (name.endsWith('_XPUB')) return `xpub${'A'.repeat(107)}`;
    return `${SECRET} of ${name}`;
  };
  return new Map(SECRET_VARIABLES.map((name) => [name, valueOf(name)]));
}

describe('a secret in a file', () => {
  it('is what the variable would be, for each of them, without the line end', async () => {
    const values = everySecret();
    const others = { CELL: '1', KEYSTORE_PATH: '/keystore', MAIL_FROM: 'no-reply@pay.example', ...PROVIDER };
    const files: Record<string, string> = {};
    for (const [name, value] of values) files[`${name}_FILE`] = await fileOf(`${value}\n`);
    const config = readConfig({ ...others, ...files });
    expect(config).toEqual(readConfig({ ...others, ...Object.fromEntries(values) }));
    expect([...config.networks.keys()]).toEqual(NETWORK_CODES);
    expect(config).toMatchObject({
      secret: values.get('TURNPIKE_SECRET'),
      tokenSecrets: [values.get('TOKEN_SECRETS')],
      keystore: { passphrase: values.get('KEYSTORE_PASSPHRASE') },
      databaseUrl: values.get('DATABASE_URL'),
    });
  });

  it('may end as other editors end a line, and be given by an empty variable beside it', async () => {
    const TURNPIKE_SECRET_FILE = await fileOf(`${SECRET}\r\n`);
    expect(readConfig({ TURNPIKE_SECRET_FILE, TURNPIKE_SECRET: '' }).secret).toBe(SECRET);
    expect(readConfig({ TURNPIKE_SECRET_FILE: ' ', TURNPIKE_SECRET: SECRET }).secret).toBe(SECRET);
  });

  it('can be all that live needs of it', async () => {
    const live = {
      ...{ TURNPIKE_ENV: 'live', REGISTRATION: 'closed', BASE_URL: 'https://pay.example', TRUST_PROXY: '10.0.0.0/8' },
      ETH_ETH_NETWORK_FEE: '0',
      ...{ ETH_USDT_CONTRACT: 'none', ETH_USDC_CONTRACT: 'none' },
      DATABASE_URL_FILE: await fileOf('postgresql://turnpike:pw@db.example/turnpike'),
      TURNPIKE_SECRET_FILE: await fileOf(SECRET),
      ETH_RPC_URL_FILE: await fileOf('https://node.example/key'),
      ETH_XPUB_FILE: await fileOf(`xpub${'A'.repeat(107)}`),
    };
    expect(faultsOf(live)).toEqual([]);
    const weak = { ...live, TURNPIKE_SECRET_FILE: await fileOf('changeme-changeme-changeme-changeme') };
    expect(faultsOf(weak)).toEqual([expect.stringMatching(/^TURNPIKE_SECRET: can be guessed/)]);
  });
});

describe('a bad file', () => {
  it('together with the variable is refused by both names', async () => {
    const both = { TURNPIKE_SECRET: SECRET, TURNPIKE_SECRET_FILE: await fileOf(SECRET) };
    expect(faultsOf(both)).toEqual(['TURNPIKE_SECRET_FILE: must not be set together with TURNPIKE_SECRET']);
  });

  it.each<[string, string | Buffer | null, string]>([
    ['that is not there', null, 'the file cannot be read (ENOENT)'],
    ['that is empty', ' \n', 'the file is empty'],
    ['that is too large', 'a'.repeat(64 * 1024 + 1), 'the file is larger than 64 KiB'],
    ['of several lines', 'https://a.example\nhttps://b.example\n', 'the file must contain one line of text'],
    ['that is not text', Buffer.from([0x61, 0xff, 0x62]), 'the file must contain one line of text'],
  ])('%s is the only fault, also where live requires the variable', async (_, content, message) => {
    const path = content === null ? join(folder, 'nowhere') : await fileOf(content);
    expect(faultsOf({ DATABASE_URL_FILE: path })).toEqual([`DATABASE_URL_FILE: ${message}`]);
    const named = faultsOf({ TURNPIKE_ENV: 'live', DATABASE_URL_FILE: path }).map((fault) => fault.split(':')[0]);
    expect(named).toContain('DATABASE_URL_FILE');
    expect(named).not.toContain('DATABASE_URL');
  });

  it('is a folder, or one without an end', () => {
    expect(faultsOf({ REDIS_URL_FILE: folder })).toEqual(['REDIS_URL_FILE: the file cannot be read (EISDIR)']);
    expect(faultsOf({ REDIS_URL_FILE: '/dev/zero' })).toEqual(['REDIS_URL_FILE: the file is larger than 64 KiB']);
  });

  it('is not repeated: neither its content, nor a secret that stands where its path belongs', async () => {
    const TURNPIKE_SECRET_FILE = await fileOf('hunter2');
    const report = () => readConfig({ TURNPIKE_SECRET_FILE, DATABASE_URL_FILE: 'postgresql://u:hunter2@db.example' });
    expect(report).toThrow(/DATABASE_URL_FILE: the file cannot be read/);
    expect(report).not.toThrow(/hunter2/);
  });
});

describe('the list of secrets', () => {
  /** The names of all variables that are read, with every network in service. */
  function namesRead(): Set<string> {
    const names = new Set<string>();
    const get = (variables: Record<string, string>, name: string) => {
      names.add(name);
      return variables[name];
    };
    faultsOf(new Proxy({ ...Object.fromEntries(everySecret()), RATE_FEEDS: 'kraken,coingecko' }, { get }));
    return names;
  }

  it('has every variable whose name says that it contains one', () => {
    const secret = /SECRET|PASSPHRASE|PASSWORD|API_KEY$|_KEY$|_URLS?$|XPUB$|OTLP_HEADERS$/;
    const open = new Set(['BASE_URL', 'PAY_URL', 'SOL_XPUB']);
    const isOpen = (name: string) => /_FILE$|^RATE_FEED_/.test(name) || open.has(name);
    const found = [...namesRead()].filter((name) => secret.test(name) && !isOpen(name));
    expect(found.sort()).toEqual([...SECRET_VARIABLES].sort());
  });
});
