// Configuration: defaults that need nothing, and every fault at once by the name of its variable.

import { describe, expect, it } from '@jest/globals';
import { isAbsolute } from 'node:path';
import { ConfigError, readConfig } from '../../src/config/config.ts';

const XPUB = `xpub${'A'.repeat(107)}`;
const LIVE = {
  TURNPIKE_ENV: 'live',
  REGISTRATION: 'closed',
  DATABASE_URL: 'postgresql://turnpike:pw@db.example.com/turnpike',
  TURNPIKE_SECRET: 'Jx2v0sQm8kTtYb6nRw4eUz1pLf7hCd3g',
  BASE_URL: 'https://pay.example.com',
  TRUST_PROXY: '10.0.0.0/8',
  ETH_RPC_URL: 'https://node.example.com',
  ETH_XPUB: XPUB,
  ...{ ETH_ETH_NETWORK_FEE: '0.001', ETH_USDT_NETWORK_FEE: '1.5', ETH_USDC_NETWORK_FEE: '0' },
};

const KEYSTORE = { KEYSTORE_PATH: '/run/secrets/keystore', KEYSTORE_PASSPHRASE: 'three green lamps, unlit' };

/** The names of the variables that are reported as faulty. */
function faultsOf(source: Record<string, string>): string[] {
  try {
    readConfig(source);
    return [];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    for (const fault of error.faults) expect(error.message).toContain(fault);
    return error.faults.map((fault) => fault.split(':')[0] ?? '').sort();
  }
}

describe('without any variable', () => {
  it('it is the sandbox on port 3000 with everything embedded', () => {
    const config = readConfig({});
    expect(config).toMatchObject({
      ...{ environment: 'sandbox', host: 'localhost', port: 3000, databaseUrl: null, secret: null, tls: null },
      ...{ baseUrl: 'http://localhost:3000', payUrl: 'http://localhost:3000/pay', tokenTtlSeconds: 86_400 },
      ...{ trustProxy: [], anvilPath: null, webhookAllowPrivate: true },
      rateLimit: { perSecond: 100, burst: 500, authPerMinute: 60, checkoutPerMinute: 20 },
      ...{ registration: 'open', apiKeysMax: 100, checkoutOpenLimit: 5_000 },
      redisTimeoutMs: 250,
      webhookRetryDelaysSeconds: [60, 300, 900, 3_600, 10_800, 21_600, 43_200, 86_400, 86_400],
    });
    expect([...config.roles].sort()).toEqual(['api', 'dispatcher', 'mailer', 'observer', 'signer']);
    expect(config.networks.size).toBe(0);
    expect(isAbsolute(config.dataDir)).toBe(true);
    expect(config.dataDir).toMatch(/\.turnpike$/);
  });

  it('an empty variable is as good as none', () => {
    expect(readConfig({ PORT: '', DATABASE_URL: '  ', TURNPIKE_SECRET: '' })).toEqual(readConfig({}));
  });
});

describe('what is set', () => {
  it('replaces the default, and what follows from it', () => {
    const config = readConfig({
      ...{ PORT: '8080', ROLES: 'api, observer', TRUST_PROXY: '10.0.0.1, 192.168.0.0/16', DATA_DIR: '/srv/turn pike' },
      ...{ ETH_RPC_URL: 'http://127.0.0.1:8545', ETH_CONFIRMATIONS: '3', ETH_USDT_CONTRACT: '0x1', ETH_CHAIN_ID: '1' },
      ...{ WEBHOOK_RETRY_DELAYS: '0.05, 1,2', RATE_LIMIT_PER_SECOND: '0', PAY_URL: 'https://pay.example.com/p/' },
    });
    expect(config).toMatchObject({
      ...{ baseUrl: 'http://localhost:8080', payUrl: 'https://pay.example.com/p', dataDir: '/srv/turn pike' },
      ...{ trustProxy: ['10.0.0.1', '192.168.0.0/16'], webhookRetryDelaysSeconds: [0.05, 1, 2] },
      rateLimit: { perSecond: 0 },
    });
    expect([...config.roles]).toEqual(['api', 'observer']);
    expect(config.confirmations.get('ETH')).toBe(3);
    const eth = config.networks.get('ETH');
    expect(eth).toMatchObject({ nodes: [{ url: 'http://127.0.0.1:8545' }], chainId: 1, xpub: null });
    expect([...(eth?.contracts ?? [])]).toEqual([['USDT', '0x1']]);
  });

  it('with a certificate the service is https', () => {
    const config = readConfig({ TLS_CERT_PATH: 'c.pem', TLS_KEY_PATH: 'k.pem' });
    expect(config).toMatchObject({ baseUrl: 'https://localhost:3000', tls: { certPath: 'c.pem', keyPath: 'k.pem' } });
  });
});

describe('what each node of a network is told', () => {
  const networks = (source: Record<string, string>) => readConfig(source).networks;

  it('is in the order of their URLs, and none has nothing', () => {
    const tron = networks({
      TRON_RPC_URL: 'https://a.example, https://b.example',
      TRON_API_KEY: 'key-of-a, none',
      TRON_SOLIDITY_URL: 'none,https://final.b.example',
    }).get('TRON');
    expect(tron?.nodes).toEqual([
      { url: 'https://a.example', apiKey: 'key-of-a', finalUrl: null, cookiePath: null },
      { url: 'https://b.example', apiKey: null, finalUrl: 'https://final.b.example', cookiePath: null },
    ]);
    const btc = networks({
      BTC_RPC_URL: 'http://127.0.0.1:8332,https://u:p@b.example',
      BTC_COOKIE_PATH: '/a/.cookie,none',
      BTC_ESPLORA_URL: 'https://c.example/api',
    }).get('BTC');
    expect(btc?.nodes.map(({ url, cookiePath }) => [url, cookiePath])).toEqual([
      ['http://127.0.0.1:8332', '/a/.cookie'],
      ['https://u:p@b.example', null],
      ['esplora+https://c.example/api', null],
    ]);
  });

  it('is never one secret for several, and is not repeated in the report', () => {
    const two = 'https://a.example,https://b.example';
    expect(faultsOf({ TRON_RPC_URL: two, TRON_API_KEY: 'hunter2' })).toEqual(['TRON_API_KEY']);
    expect(faultsOf({ TRON_RPC_URL: two, TRON_SOLIDITY_URL: 'https://c.example' })).toEqual(['TRON_SOLIDITY_URL']);
    expect(faultsOf({ LTC_RPC_URL: two, LTC_COOKIE_PATH: '/a,/b,/c' })).toEqual(['LTC_COOKIE_PATH']);
    expect(() => readConfig({ TRON_RPC_URL: two, TRON_API_KEY: 'hunter2' })).not.toThrow(/hunter2/);
  });
});

describe('what is bad', () => {
  it('is reported all at once, each by its name', () => {
    const bad = {
      TURNPIKE_ENV: 'production',
      PORT: '65536',
      ROLES: 'api,baker',
      BASE_URL: 'localhost:3000',
      PAY_URL: 'ftp://pay.example.com',
      DATABASE_URL: 'mysql://db',
      DATABASE_POOL_MAX: '1',
      DATABASE_READ_URLS: 'postgresql://db2/turnpike, db3',
      TURNPIKE_SECRET: 'short',
      TLS_CERT_PATH: 'c.pem',
      TRUST_PROXY: '10.0.0.1, proxy.example',
      ETH_RPC_URL: 'node:8545',
      ETH_XPUB: 'xprv9s21ZrQH143K',
      ETH_CHAIN_ID: '0x1',
      ETH_CONFIRMATIONS: '0',
      TOKEN_TTL_SECONDS: '1e3',
      REGISTRATION: 'friends',
      API_KEYS_MAX: '0',
      WEBHOOK_RETRY_DELAYS: '60,soon',
      WEBHOOK_ALLOW_PRIVATE: 'yes',
      RATE_LIMIT_PER_SECOND: '-1',
      RATE_LIMIT_BURST: 'many',
      RATE_LIMIT_AUTH_PER_MINUTE: '1.5',
      REDIS_TIMEOUT_MS: '0',
      LOG_LEVEL: 'loud',
    };
    const names = Object.keys(bad).map((name) => (name === 'TLS_CERT_PATH' ? 'TLS_KEY_PATH' : name));
    expect(faultsOf(bad)).toEqual(names.sort());
  });

  it('a key without its certificate is reported by the missing name', () => {
    expect(faultsOf({ TLS_KEY_PATH: 'k.pem' })).toEqual(['TLS_CERT_PATH']);
  });

  it('a password in a database URL or a secret is not repeated in the report', () => {
    const replicas = { DATABASE_READ_URLS: 'postgresql://a/b,mysql://u:hunter2@db' };
    const report = () => readConfig({ DATABASE_URL: 'mysql://u:hunter2@db', TURNPIKE_SECRET: 'hunter2', ...replicas });
    expect(report).toThrow(ConfigError);
    expect(report).not.toThrow(/hunter2/);
  });
});

describe('DATABASE_READ_URLS', () => {
  const one = 'postgresql://db2/turnpike';
  const urlsOf = (value: string) => readConfig({ DATABASE_READ_URLS: value }).databaseReadUrls;

  it('is a list, and empty without it', () => {
    expect(urlsOf('')).toEqual([]);
    expect(urlsOf(`${one}, postgres://db3/turnpike?sslmode=verify-full,`)).toEqual([
      one,
      'postgres://db3/turnpike?sslmode=verify-full',
    ]);
  });

  it('has no URL twice: the same server would be asked twice', () => {
    expect(faultsOf({ DATABASE_READ_URLS: `${one},${one}` })).toEqual(['DATABASE_READ_URLS']);
  });
});

describe('CELL_DIRECTORY_URL', () => {
  const [url, secret] = ['postgresql://db2/turnpike', 'x'.repeat(32)];

  it('is for cells, and needs its secret', () => {
    const given = { CELL: '7', CELL_DIRECTORY_URL: url, CELL_DIRECTORY_SECRET: secret };
    expect(readConfig(given).cellDirectory).toEqual({ url, secret });
    expect(readConfig({}).cellDirectory).toBeNull();
    expect(faultsOf({ ...given, CELL: '' })).toEqual(['CELL_DIRECTORY_URL']);
    expect(faultsOf({ ...given, CELL_DIRECTORY_SECRET: '' })).toEqual(['CELL_DIRECTORY_SECRET']);
    expect(faultsOf({ ...given, CELL_DIRECTORY_URL: '' })).toEqual(['CELL_DIRECTORY_URL']);
    expect(faultsOf({ ...given, CELL_DIRECTORY_SECRET: 'short' })).toEqual(['CELL_DIRECTORY_SECRET']);
    expect(faultsOf({ ...given, CELL_DIRECTORY_URL: 'mysql://db2' })).toEqual(['CELL_DIRECTORY_URL']);
  });
});

describe('CORS_ORIGINS', () => {
  const originsOf = (value: string) => readConfig({ CORS_ORIGINS: value }).corsOrigins;

  it('takes origins, all or none', () => {
    expect(originsOf('https://shop.example, http://localhost:5173')).toEqual([
      'https://shop.example',
      'http://localhost:5173',
    ]);
    expect([originsOf('*'), originsOf('none'), originsOf('')]).toEqual([['*'], [], []]);
  });

  it('leaves out the pages of this machine in live, and where there are to be none', () => {
    const isOpen = (source: Record<string, string>) => readConfig(source).corsLoopback;
    expect([isOpen({}), isOpen({ CORS_ORIGINS: 'https://shop.example' })]).toEqual([true, true]);
    expect([isOpen({ CORS_ORIGINS: 'none' }), isOpen(LIVE)]).toEqual([false, false]);
  });

  it.each([
    'shop.example',
    'https://shop.example/',
    'https://shop.example/path',
    'https://a.b,none',
    'ftp://a.b',
    'null',
  ])('%s is no list of origins, and is reported by name', (value) =>
    expect(() => originsOf(value)).toThrow(/CORS_ORIGINS/),
  );
});

describe('ALLOWED_HOSTS', () => {
  it('takes names, in any case', () => {
    const hostsOf = (value: string) => readConfig({ ALLOWED_HOSTS: value }).allowedHosts;
    expect([hostsOf('Turnpike, gateway.internal'), hostsOf('')]).toEqual([['turnpike', 'gateway.internal'], null]);
  });

  it.each(['https://a.b', 'a.b:3000', 'a.b/c', '*'])('%s is no list of names, and is reported by name', (value) =>
    expect(() => readConfig({ ALLOWED_HOSTS: value })).toThrow(/ALLOWED_HOSTS/),
  );
});

describe('what a payout may cost', () => {
  it('is bounded on every network, in live and without being asked', () => {
    const { payoutBounds } = readConfig(LIVE);
    expect(payoutBounds.get('ETH')).toEqual({
      ...{ maxCost: 20_000_000_000_000_000n, extraGas: 100_000n },
      sweepMin: new Map([
        ['ETH', 1_000_000_000_000_000n],
        ['USDT', 1_000_000n],
        ['USDC', 1_000_000n],
      ]),
    });
    expect(payoutBounds.get('TRON')).toMatchObject({ maxCost: 60_000_000n, extraGas: null });
    for (const { maxCost } of payoutBounds.values()) expect(maxCost > 0n).toBe(true);
  });

  it('is for the operator to say', () => {
    const said = { SOL_PAYOUT_MAX_COST: '0.5', BASE_PAYOUT_EXTRA_GAS: '0', TRON_USDT_SWEEP_MIN: '20' };
    const { payoutBounds, networks } = readConfig({ ...LIVE, ...said, ETH_MAX_GAS_PRICE: '80', ETH_MAX_TIP: '0.5' });
    expect(networks.get('ETH')).toMatchObject({ maxGasPriceWei: 80_000_000_000n, maxTipWei: 500_000_000n });
    expect(payoutBounds.get('SOL')?.maxCost).toBe(500_000_000n);
    expect(payoutBounds.get('BASE')?.extraGas).toBe(0n);
    expect(payoutBounds.get('TRON')?.sweepMin.get('USDT')).toBe(20_000_000n);
  });

  it.each([
    ['ETH_PAYOUT_MAX_COST', '0'],
    ['LTC_PAYOUT_MAX_COST', '1e3'],
    ['ETH_PAYOUT_EXTRA_GAS', '-1'],
    ['ETH_USDT_SWEEP_MIN', '0.0000001'],
    ['ETH_MAX_GAS_PRICE', '0'],
    ['ETH_MAX_TIP', 'a lot'],
  ])('is refused as %s=%s', (name, value) => expect(faultsOf({ ...LIVE, [name]: value })).toEqual([name]));
});

describe('live', () => {
  it('starts with what it needs', () => {
    const config = readConfig(LIVE);
    expect(config).toMatchObject({ environment: 'live', webhookAllowPrivate: false, logLevel: 'info' });
    expect(config.payUrl).toBe('https://pay.example.com/pay');
  });

  it('refuses to start without any of it, all at once', () => {
    const missing = ['BASE_URL', 'DATABASE_URL', 'ETH_RPC_URL', 'REGISTRATION', 'TRUST_PROXY', 'TURNPIKE_SECRET'];
    expect(faultsOf({ TURNPIKE_ENV: 'live' })).toEqual(missing);
  });

  it.each(['BASE_URL', 'DATABASE_URL', 'REGISTRATION', 'TRUST_PROXY', 'TURNPIKE_SECRET', 'ETH_XPUB'] as const)(
    'refuses to start without %s',
    (name) => {
      const { [name]: _, ...rest } = LIVE;
      expect(faultsOf(rest)).toEqual([name]);
    },
  );

  it('has its operator say who may register, on processes that serve the API', () => {
    for (const REGISTRATION of ['open', 'invite', 'closed'])
      expect(readConfig({ ...LIVE, REGISTRATION }).registration).toBe(REGISTRATION);
    expect(faultsOf({ ...LIVE, REGISTRATION: '', ROLES: 'dispatcher' })).toEqual([]);
  });

  it('refuses to start without a network fee for each asset in service; 0 is one', () => {
    expect(readConfig(LIVE).networkFees.get('USDC/ETH')).toBe(0n);
    const { ETH_ETH_NETWORK_FEE: _coin, ETH_USDC_NETWORK_FEE: _token, ...rest } = LIVE;
    expect(faultsOf(rest)).toEqual(['ETH_ETH_NETWORK_FEE', 'ETH_USDC_NETWORK_FEE']);
    expect(faultsOf({ ...rest, ETH_ETH_NETWORK_FEE: '1', ETH_USDC_CONTRACT: 'none' })).toEqual([]);
    expect(faultsOf({ ...LIVE, ETH_USDT_NETWORK_FEE: 'much' })).toEqual(['ETH_USDT_NETWORK_FEE']);
    expect(faultsOf({ ...LIVE, SOL_RPC_URL: 'https://solana.example.com', SOL_USDT_CONTRACT: 'none' })).toEqual([
      ...['SOL_SOL_NETWORK_FEE', 'SOL_USDC_NETWORK_FEE', 'SOL_USDC_NEW_ACCOUNT_FEE'],
    ]);
  });

  it('refuses a base URL that is not https', () => {
    expect(faultsOf({ ...LIVE, BASE_URL: 'http://pay.example.com' })).toEqual(['BASE_URL']);
  });

  it.each([
    ['TURNPIKE_SECRET', 'at-least-32-random-characters-from-openssl'],
    ['TURNPIKE_SECRET', 'changeme-changeme-changeme-changeme'],
    ['TURNPIKE_SECRET', 'ab'.repeat(20)],
    ['TOKEN_SECRETS', `${LIVE.TURNPIKE_SECRET}a,${'0'.repeat(40)}`],
    ['TRUST_PROXY', '0.0.0.0/0'],
    ['TRUST_PROXY', '10.0.0.1,::/0'],
    ['TRUST_PROXY', 'true'],
    ['PAY_URL', 'http://pay.example.com/pay'],
    // The keys of "test test … junk", of "abandon … about", and the guide's.
    [
      'ETH_XPUB',
      'xpub6Ce9NcJvTk36xtLSrJLZqE7wtgA5deCeYs7rSQtreh4cj6ByPtrg9sD7V2FNFLPnf8heNP3FGkeV9qwfzvZNSd54JoNXVsXFYSYwHsnJxqP',
    ],
    [
      'ETH_XPUB',
      'xpub6DCoCpSuQZB2jawqnGMEPS63ePKWkwWPH4TU45Q7LPXWuNd8TMtVxRrgjtEshuqpK3mdhaWHPFsBngh5GFZaM6si3yZdUsT8ddYM3PwnATt',
    ],
    [
      'ETH_XPUB',
      'xpub6CatWdiZiodmUeTDp8LT5or8nmbKNcuyvz7WyksVFkKB4RHwCD3XyuvPEbvqAQY3rAPshWcMLoP2fMFMKHPJ4ZeZXYVUhLv1VMrjPC7PW6V',
    ],
  ])('refuses %s %s, which is unsafe or an example', (name, value) => {
    expect(faultsOf({ ...LIVE, [name]: value })).toEqual([name]);
  });

  it('refuses a passphrase of a keystore that is short or an example', () => {
    for (const KEYSTORE_PASSPHRASE of ['short', 'kept-somewhere-else-than-the-file'])
      expect(faultsOf({ ...LIVE, KEYSTORE_PATH: '/k', KEYSTORE_PASSPHRASE })).toEqual(['KEYSTORE_PASSPHRASE']);
  });

  it.each([
    [{ DATA_DIR: '/data' }, '/data'],
    [{ DATA_DIR: '/data', ...KEYSTORE }, '/run/secrets'],
    [{ DATA_DIR: '/data', ...KEYSTORE, JOURNAL_DIR: '/var/lib/turnpike' }, '/var/lib/turnpike'],
  ])('the journal of %j is in %s', (variables, folder) => {
    expect(readConfig(variables).journalDir).toBe(folder);
  });

  it('a certificate stands in for a trusted proxy', () => {
    const { TRUST_PROXY: _, ...rest } = LIVE;
    expect(faultsOf({ ...rest, TLS_CERT_PATH: 'c.pem', TLS_KEY_PATH: 'k.pem' })).toEqual([]);
  });
});

describe('mail', () => {
  const FROM = { MAIL_FROM: 'Kettle Pay <no-reply@kettle.example>' };

  it('leaves by a server with TLS, or with STARTTLS, in a name', () => {
    const url = 'smtps://pay%40kettle.example:p%2Fw@mail.kettle.example';
    expect(readConfig({ SMTP_URL: url, ...FROM }).smtp).toEqual({
      ...{ host: 'mail.kettle.example', port: 465, isTls: true },
      login: { user: 'pay@kettle.example', pass: 'p/w' },
      from: { name: 'Kettle Pay', address: 'no-reply@kettle.example' },
    });
    const plain = readConfig({ SMTP_URL: 'smtp://[::1]:2525', MAIL_FROM: 'a@b.example' }).smtp;
    expect(plain).toMatchObject({ host: '::1', port: 2_525, isTls: false, login: null, from: { name: '' } });
    expect(readConfig({ SMTP_URL: 'smtp://relay.internal', ...FROM }).smtp?.port).toBe(587);
    expect(readConfig(FROM).smtp).toBeNull();
  });

  it('is not shown by the sandbox where it is sent', () => {
    expect(readConfig({}).hasMailbox).toBe(true);
    expect(readConfig({ SMTP_URL: 'smtp://localhost:1025', ...FROM }).hasMailbox).toBe(false);
  });

  it.each([
    'mail.kettle.example',
    'https://mail.kettle.example',
    'smtp://',
    'smtp://user@mail.kettle.example',
    'smtps://u:p@mail.kettle.example/inbox',
    'smtps://u:p@mail.kettle.example?pool=true',
    'smtps://u:%0d%0a@mail.kettle.example',
    'smtps://u:%zz@mail.kettle.example',
  ])('%s stops the start, and is not repeated', (SMTP_URL) => {
    expect(faultsOf({ SMTP_URL, ...FROM })).toEqual(['SMTP_URL']);
  });

  it('needs a sender that is one address', () => {
    expect(faultsOf({ SMTP_URL: 'smtp://localhost:1025' })).toEqual(['MAIL_FROM']);
    for (const MAIL_FROM of ['Kettle', 'a@b.example, c@d.example', 'A\r\nBcc: x@y.example <a@b.example>', 'A <a@b'])
      expect([MAIL_FROM, faultsOf({ SMTP_URL: 'smtp://localhost:1025', MAIL_FROM })]).toEqual([
        MAIL_FROM,
        ['MAIL_FROM'],
      ]);
  });
});
