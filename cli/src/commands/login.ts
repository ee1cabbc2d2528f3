// `login` and `logout`: keeps a key for the commands after it, once the gateway has taken it.

import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { Turnpike } from '#sdk';
import { clientOf, type Command, type Context } from '../command.ts';
import { usage } from '../failure.ts';
import { baseUrlFor, checkKind, forgetProfile, keepProfile, profilesPath, type Profile } from '../profile/profiles.ts';

/** Signs in to a sandbox or to live. */
export const login: Command = {
  name: 'login',
  summary: 'keep a key for the commands after it',
  details: `The secret is asked for without being shown, read from standard input (--secret-stdin) or taken from
TURNPIKE_API_SECRET; it is never an argument, as others on this machine can read those. It is kept in a file of mode
600 below XDG_CONFIG_HOME.`,
  options: {
    'base-url': { value: 'URL', help: 'where the gateway is; http://localhost:3000 for the sandbox' },
    'key-id': { value: 'ID', help: "the key's public id, pk_test_… or pk_live_…" },
    'secret-stdin': { help: 'read the secret from standard input' },
    new: { help: 'make a merchant with a key first; sandbox only' },
    email: { value: 'ADDRESS', help: 'the address of the merchant that --new makes' },
  },
  async run(context) {
    const { terminal, profileName, signal } = context;
    const baseUrl = baseUrlFor(profileName, context.text('base-url'));
    const key = context.isOn('new') ? await makeMerchant(context, baseUrl) : await askForKey(context);
    checkKind(profileName, key);
    const profile: Profile = { baseUrl, ...key };
    const { permissions } = await clientOf(profile).call(
      'createAccessToken',
      { body: { keyId: key.keyId, secret: key.secret } },
      { signal },
    );
    await keepProfile(profileName, profile);
    const said = { profile: profileName, baseUrl, keyId: key.keyId, permissions, file: profilesPath() };
    terminal.show(said, `Signed in to ${baseUrl} (${profileName}) with ${key.keyId}. Kept in ${profilesPath()}.`);
  },
};

/** Forgets a key. */
export const logout: Command = {
  name: 'logout',
  summary: 'forget the key that login kept; it stays valid until it is revoked',
  options: {},
  async run({ terminal, profileName }) {
    const isForgotten = await forgetProfile(profileName);
    terminal.show({ profile: profileName, isForgotten }, isForgotten ? 'Forgotten.' : 'There was no key.');
  },
};

type Key = Omit<Profile, 'baseUrl'>;

async function makeMerchant({ profileName, text, signal }: Context, baseUrl: string): Promise<Key> {
  if (profileName === 'live') throw usage('--new makes merchants of a sandbox only');
  const email = text('email') ?? `dev-${Date.now()}@example.com`;
  const { apiKey } = await new Turnpike({ baseUrl }).sandbox.createMerchant(
    { email, companyName: 'Made by turnpike login' },
    { signal },
  );
  if (!apiKey?.key) throw usage('the gateway made a merchant without a key');
  return { keyId: apiKey.keyId, secret: apiKey.key };
}

async function askForKey({ text, isOn, signal }: Context): Promise<Key> {
  const keyId = text('key-id') ?? (process.env['TURNPIKE_API_KEY'] || (await ask('Key id: ', signal)));
  if (isOn('secret-stdin')) return { keyId, secret: await readSecret() };
  return { keyId, secret: process.env['TURNPIKE_API_SECRET'] || (await askHidden('Secret: ', signal)) };
}

async function readSecret(): Promise<string> {
  let text = '';
  for await (const chunk of process.stdin) text += String(chunk);
  if (text.trim() === '') throw usage('there was no secret on standard input');
  return text.trim();
}

async function ask(question: string, signal: AbortSignal): Promise<string> {
  if (!process.stdin.isTTY) throw usage('there is nobody to ask: say --key-id and --secret-stdin, or use --new');
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return (await lines.question(question, { signal })).trim();
  } finally {
    lines.close();
  }
}

/** What is typed is echoed by readline, which writes into nothing here. */
async function askHidden(question: string, signal: AbortSignal): Promise<string> {
  if (!process.stdin.isTTY) return ask(question, signal);
  process.stderr.write(question);
  const output = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: process.stdin, output, terminal: true });
  try {
    return (await lines.question('', { signal })).trim();
  } finally {
    lines.close();
    process.stderr.write('\n');
  }
}
