// npm run merchant: what the operator does for an owner who cannot do it himself.

import { randomBytes } from 'node:crypto';
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pino } from 'pino';
import { hashPassword } from '../access/passwords.ts';
import { readConfig } from '../config.ts';
import { createDatabaseClock } from '../database/clock.ts';
import { connectDatabase } from '../database/connection.ts';
import { findOwner, resetPassword } from '../domain/owner.ts';
import * as checks from '../values/checks.ts';
import { findDatabaseUrl } from './database-url.ts';

const USAGE = `npm run merchant -- COMMAND

  reset-password EMAIL             sets a new password for the owner with this e-mail address, asked for on the
                                   terminal or read from standard input, and ends all his sessions
  reset-password EMAIL --generate  the same with a password made here; it is shown this once

His API keys stay as they are. Make sure first that who asks is the owner: this program cannot tell.
`;

const say = (line: string) => void process.stdout.write(`${line}\n`);

async function reset(email: string, generate: boolean): Promise<void> {
  const config = readConfig();
  const db = await connectDatabase({
    url: await findDatabaseUrl(config),
    poolMax: 2,
    log: pino({ level: 'error' }, pino.destination(2)),
  });
  try {
    const owner = await findOwner({ db }, email);
    if (!owner) throw new Error(`There is no merchant with the e-mail address ${email}`);
    const password = generate ? randomBytes(18).toString('base64url') : await askPassword();
    const fault = checks.strongPassword(password);
    if (fault !== null || !checks.isStorable(password)) throw new Error(`The password ${fault ?? 'is no text'}`);
    const deps = { db, clock: await createDatabaseClock(db.em) };
    const ended = await resetPassword(deps, owner.merchantId, await hashPassword(password));
    say(`The password of ${email} (${owner.merchantId}) is changed; sessions ended: ${ended}`);
    if (generate) say(`It is shown this once, to be changed after signing in:\n\n  ${password}\n`);
  } finally {
    await db.close();
  }
}

/** The first line of standard input; at a terminal it is asked for twice, and not shown. */
async function askPassword(): Promise<string> {
  if (!process.stdin.isTTY) return (await text(process.stdin)).split(/\r?\n/)[0] ?? '';
  const unseen = new Writable({ write: (_chunk, _encoding, done) => done() });
  const terminal = createInterface({ input: process.stdin, output: unseen, terminal: true });
  const ask = async (question: string): Promise<string> => {
    process.stderr.write(question);
    const answer = await terminal.question('');
    process.stderr.write('\n');
    return answer;
  };
  try {
    const password = await ask('New password: ');
    if ((await ask('Once more: ')) !== password) throw new Error('They are not the same; nothing is changed');
    return password;
  } finally {
    terminal.close();
  }
}

try {
  const [command, email, flag, ...more] = process.argv.slice(2);
  const isKnown = flag === undefined || flag === '--generate';
  if (command === 'reset-password' && email !== undefined && isKnown && more.length === 0)
    await reset(email, flag !== undefined);
  else {
    process.stderr.write(USAGE);
    process.exitCode = 2;
  }
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 2;
}
