// operator erasures, erase-again: what was erased, to be kept outside of the database, and the same erasures on a
// restored backup.

import { readFile } from 'node:fs/promises';
import { pino } from 'pino';
import type { RecordedErasure } from '../../database/queries/customers/erasures.ts';
import { eraseAllByAge } from '../../domain/customers/age-erasure.ts';
import { eraseAgain, readAllErasures } from '../../domain/operator/repeated-erasures.ts';
import { isId } from '../../values/id.ts';
import { deriveSecrets } from '../../values/secrets/keys.ts';
import { findSecret } from '../database-url.ts';
import type { Command } from './command.ts';

export const erasures: Command = {
  usage: [
    'erasures',
    'prints erased customers, as digests under a key of this gateway: keep it outside of the database, for erase-again',
  ],
  names: 0,
  async run({ operator, say }) {
    for (const { id, merchantId, at, digest } of await readAllErasures(operator))
      say([id, merchantId, at.toISOString(), digest.toString('hex')].join(' '));
  },
};

export const repeat: Command = {
  usage: [
    'erase-again [--from FILE]',
    'erases on a restored backup what was erased before, by this database and by what erasures printed into FILE,',
    'and what is older than is kept; run it before the gateway starts, with its TURNPIKE_SECRET',
  ],
  names: 0,
  optional: ['from'],
  async run({ operator, config, say }, given) {
    const file = given.text('from');
    const listed = file === null ? [] : readList(await readFile(file, 'utf8'));
    const { customerKey } = deriveSecrets(await findSecret(config));
    const known = await readAllErasures(operator);
    const { customers, inUse } = await eraseAgain(operator, { customerKey }, [...known, ...listed]);
    say(`Erased again: ${String(customers)} customers`);
    const byAge = { ...operator.deps, log: pino({ level: 'error' }, pino.destination(2)) };
    const { erased, failed } = await eraseAllByAge(byAge, config.customerDataDays);
    say(`Erased by age: ${String(erased)} orders`);
    if (failed > 0) say(`${String(failed)} orders could not be erased by age: see the errors, and run it again`);
    for (const id of inUse) say(`${id} was not repeated: something of the customer is under way`);
  },
};

/** Reads what `erasures` printed. Throws at the first line that is something else. */
function readList(text: string): RecordedErasure[] {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return lines.map((line, at) => {
    const [id = '', merchantId = '', time = '', digest = ''] = line.trim().split(' ');
    const isGood = isId('ers', id) && isId('mer', merchantId) && /^[0-9a-f]{64}$/.test(digest);
    if (!isGood || Number.isNaN(Date.parse(time))) throw new Error(`Line ${String(at + 1)} is no erasure`);
    return { id, merchantId, at: new Date(time), digest: Buffer.from(digest, 'hex') };
  });
}
