// What the command line refuses, and its exit codes.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { borrowGateway, type BorrowedGateway } from '../support/gateway/borrowed-gateway.ts';
import { install, readJson, type Installed } from './program.fixture.ts';

let gateway: BorrowedGateway;
let cli: Installed;

beforeAll(async () => {
  [gateway, cli] = await Promise.all([borrowGateway(), install()]);
  expect((await cli.run(['login', '--new', '--base-url', gateway.url])).code).toBe(0);
});
afterAll(() => Promise.all([gateway.stop(), cli.remove()]));

const path = () => join(cli.home, '.config/turnpike/profiles.json');
const LIVE = {
  TURNPIKE_API_KEY: 'pk_live_x',
  TURNPIKE_API_SECRET: 'sk_live_x',
  TURNPIKE_BASE_URL: 'https://127.0.0.1:1',
};
const TEST = { ...LIVE, TURNPIKE_API_KEY: 'pk_test_x', TURNPIKE_API_SECRET: 'sk_test_x' };

describe('is not safe', () => {
  it.each([
    ['a live key without --live', ['payments', 'list'], LIVE, 'say --live'],
    ['a live secret beside another key', ['payments', 'list'], { ...TEST, TURNPIKE_API_SECRET: 'sk_live_x' }, '--live'],
    ['--live with a key of a sandbox', ['payments', 'list', '--live'], TEST, 'live key'],
    ['a key over plain http', ['payments', 'list'], { ...TEST, TURNPIKE_BASE_URL: 'http://pay.example' }, 'use https'],
    [
      'a name that begins as loopback',
      ['payments', 'list'],
      { ...TEST, TURNPIKE_BASE_URL: 'http://localhost.example' },
      'use https',
    ],
    [
      'a password in the address',
      ['payments', 'list'],
      { ...TEST, TURNPIKE_BASE_URL: 'https://a:b@pay.example' },
      'password',
    ],
    ['forwarding to another machine', ['listen', '--forward-to', 'https://shop.example/hook'], {}, '--allow-remote'],
    [
      'forwarding to what only looks like this one',
      ['listen', '--forward-to', 'http://127.0.0.1.example/'],
      {},
      '--allow-remote',
    ],
    ['a password in the URL to forward to', ['listen', '--forward-to', 'http://a:b@localhost:8081/'], {}, 'user name'],
    ['a trigger in live', ['trigger', 'payment.succeeded', '--live'], LIVE, 'sandbox'],
  ])('%s: 8', async (_, args, variables, said) => {
    const { code, out, errors } = await cli.run(args, variables);
    expect([code, out]).toEqual([8, '']);
    expect(errors).toContain(said);
  });

  it('a file that others can read: 8, and with 600 again it is used', async () => {
    await chmod(path(), 0o640);
    const refused = await cli.run(['payments', 'list', '--json']);
    expect([refused.code, JSON.parse(refused.errors).error.exitCode]).toEqual([8, 8]);
    await chmod(path(), 0o600);
    expect((await cli.run(['payments', 'list'])).code).toBe(0);
  });

  it('never shows the secret', async () => {
    const { secret } = (await readJson(path())).sandbox;
    for (const args of [['open', 'docs', '--print'], ['logs'], ['payments', 'list'], ['events', 'list', '--json']])
      expect(Object.values(await printedBy(args)).join('')).not.toContain(secret);
  });
});

async function printedBy(args: readonly string[]): Promise<{ out: string; errors: string }> {
  const { code, out, errors } = await cli.run(args);
  expect(code).toBe(0);
  return { out, errors };
}

describe('exit codes', () => {
  it.each([
    [2, [], {}],
    [0, ['--help'], {}],
    [0, ['payments', 'wait', '--help'], {}],
    [2, ['payments'], {}],
    [2, ['payments', 'get'], {}],
    [2, ['payments', 'list', '--limit', 'many'], {}],
    [2, ['payments', 'list', '--colour'], {}],
    [2, ['trigger', 'constructor'], {}],
    [2, ['listen', '--forward-to', 'ftp://localhost/'], {}],
    [2, ['listen', '--forward-to', 'http://localhost:1/', '--events', 'payment.created'], {}],
    [2, ['payments', 'list'], { TURNPIKE_API_KEY: 'pk_test_x' }],
    [3, ['payments', 'list', '--live'], {}],
    [4, ['payments', 'get', 'ord_unknown'], {}],
    [4, ['payments', 'create', '--amount', '0', '--currency', 'USDT', '--network', 'ETH'], {}],
    [5, ['payments', 'list'], { ...TEST, TURNPIKE_BASE_URL: 'http://127.0.0.1:1' }],
  ])('%i: %j', async (expected, args, variables) => {
    const { code, errors } = await cli.run(args, variables);
    expect([code, code === 0 || errors !== '' || args.length === 0]).toEqual([expected, true]);
  });

  it('3: a key that the gateway does not take is not kept', async () => {
    const before = await readFile(path(), 'utf8');
    const args = ['login', '--base-url', gateway.url, '--key-id', 'pk_test_unknown', '--secret-stdin'];
    expect((await cli.run(args, {}, 'sk_test_unknown\n')).code).toBe(3);
    expect((await cli.run(['payments', 'list'], { ...TEST, TURNPIKE_BASE_URL: gateway.url })).code).toBe(3);
    expect(await readFile(path(), 'utf8')).toBe(before);
  });

  it('0: a secret on standard input, and then the key is forgotten', async () => {
    const { keyId, secret } = (await readJson(path())).sandbox;
    const args = ['login', '--base-url', gateway.url, '--key-id', keyId, '--secret-stdin', '--json'];
    const { code, json } = await cli.run(args, { XDG_CONFIG_HOME: join(cli.home, 'other') }, `${secret}\n`);
    expect([code, json[0].file]).toEqual([0, join(cli.home, 'other/turnpike/profiles.json')]);
    expect((await cli.run(['logout'], { XDG_CONFIG_HOME: join(cli.home, 'other') })).code).toBe(0);
    expect((await cli.run(['payments', 'list'], { XDG_CONFIG_HOME: join(cli.home, 'other') })).code).toBe(3);
  });
});

describe('completion', () => {
  it('completes words and options in bash', async () => {
    const script = join(cli.home, 'completion.bash');
    await writeFile(script, (await cli.run(['completion', 'bash'])).out);
    const complete = (...words: string[]): string[] => {
      const line = `source ${script}; COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length - 1}
        _turnpike; printf '%s\\n' "\${COMPREPLY[@]}"`;
      return execFileSync('bash', ['-c', line], { encoding: 'utf8' }).trim().split('\n');
    };
    expect(complete('turnpike', 'pay')).toEqual(['payments']);
    expect(complete('turnpike', 'payments', '')).toEqual(['create', 'get', 'list', 'wait']);
    expect(complete('turnpike', 'payments', 'wait', '--t')).toEqual(['--timeout']);
    expect(complete('turnpike', 'trigger', 'payment.e')).toEqual(['payment.expired']);
    expect(complete('turnpike', 'listen', '--allow')).toEqual(['--allow-remote']);
  });

  it.each(['zsh', 'fish'])('prints a script for %s', async (shell) => {
    const { code, out } = await cli.run(['completion', shell]);
    expect(code).toBe(0);
    for (const word of ['payments', 'listen', 'allow-remote', 'payment.refunded']) expect(out).toContain(word);
  });
});

describe('open', () => {
  it.each(['console', 'docs', 'graphql', 'health'])('%s is there', async (page) => {
    const { json } = await cli.run(['open', page, '--json']);
    expect((await fetch(json[0].url, { headers: { accept: 'text/html' } })).status).toBe(200);
  });
});
