// Recovery codes: ten at a time, each good once, for somebody who has lost their other factors. Only digests are kept;
// a code has 80 random bits, so that nobody finds it from its digest.

import { createHash, randomBytes } from 'node:crypto';
import { query, type EntityManager } from '../../database/connection.ts';
import { base32 } from '../../values/id.ts';

const HOW_MANY = 10;
const CODE_BYTES = 10;

/** A code as people may type it: in any case, with or without the hyphens, with letters that look like digits. */
const normal = (code: string) =>
  code.toLowerCase().replaceAll(/[\s-]/g, '').replaceAll('o', '0').replaceAll(/[il]/g, '1');

/** Whether a text can be a recovery code. */
export const isRecoveryCode = (code: string): boolean => /^[0-9a-hjkmnp-tv-z]{16}$/.test(normal(code));

const digestOf = (code: string): Buffer => createHash('sha256').update(normal(code)).digest();

/** Makes ten codes in the current transaction, such as `8f2k-…`; all earlier ones end. */
export async function makeRecoveryCodes(em: EntityManager, personId: string): Promise<string[]> {
  const codes = Array.from({ length: HOW_MANY }, () =>
    base32(randomBytes(CODE_BYTES))
      .replaceAll(/(.{4})(?=.)/g, '$1-')
      .toString(),
  );
  await query(em, 'delete from recovery_code where person_id = $1', [personId]);
  await query(em, 'insert into recovery_code (person_id, digest) select $1, unnest($2::bytea[])', [
    personId,
    codes.map(digestOf),
  ]);
  return codes;
}

/** Uses a code in the current transaction; false if the person has no such code left. */
export async function useRecoveryCode(
  em: EntityManager,
  personId: string,
  { code, now }: { readonly code: string; readonly now: Date },
): Promise<boolean> {
  const used = await query(
    em,
    'update recovery_code set used_at = $3 where person_id = $1 and digest = $2 and used_at is null returning 1',
    [personId, digestOf(code), now],
  );
  return used.length > 0;
}
