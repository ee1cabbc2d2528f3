// Repeats erasures on a restored backup, which has again what was erased after it was made: whom the keyed digests
// stand for is found among the addresses that the orders name.

import { insertErasure } from '../../database/queries/customers/erase-customer.ts';
import { readErasures, readNamedAddresses, type RecordedErasure } from '../../database/queries/customers/erasures.ts';
import { digestOf, eraseFound } from '../customers/erase-customer.ts';
import { GatewayError } from '../../values/errors.ts';
import type { Secrets } from '../../values/secrets/keys.ts';
import { inTransaction } from '../deps.ts';
import { recordForMerchant, recordOperation, type Operator } from './log.ts';

const BATCH = 1_000;

/**
 * What came of it: how many customers were erased again, and which erasures could not be, as something is under way.
 */
export interface ErasedAgain {
  readonly customers: number;
  readonly inUse: readonly string[];
}

/** All erasures that this database has, oldest first. */
export async function readAllErasures({ deps }: Pick<Operator, 'deps'>): Promise<RecordedErasure[]> {
  const all: RecordedErasure[] = [];
  for (;;) {
    const some = await readErasures(deps.db.em, all.at(-1)?.id ?? '', BATCH);
    all.push(...some);
    if (some.length < BATCH) return all;
  }
}

/**
 * Erases again from the orders that were there when each customer was erased; those who came back later keep theirs.
 * Each customer is a transaction of its own, with the record of the erasure, so that it may be cut short and run again.
 */
export async function eraseAgain(
  operator: Operator,
  secrets: Pick<Secrets, 'customerKey'>,
  erasures: readonly RecordedErasure[],
): Promise<ErasedAgain> {
  const byMerchant = Map.groupBy(erasures, ({ merchantId }) => merchantId);
  let customers = 0;
  const inUse: string[] = [];
  for (const [merchantId, own] of byMerchant) {
    // Of several erasures of one customer the last counts: it erased what the others had.
    const last = new Map([...own].sort((a, b) => a.at.getTime() - b.at.getTime()).map((each) => [keyOf(each), each]));
    for await (const email of namedBy(operator, merchantId)) {
      const erasure = last.get(digestOf(secrets, { merchantId, email }).toString('hex'));
      if (erasure === undefined) continue;
      const outcome = await eraseOne(operator, erasure, email);
      if (outcome === 'erased') customers += 1;
      if (outcome === 'in use') inUse.push(erasure.id);
    }
  }
  return { customers, inUse };
}

const keyOf = ({ digest }: RecordedErasure): string => digest.toString('hex');

async function* namedBy({ deps }: Operator, merchantId: string): AsyncGenerator<string> {
  for (let after = ''; ;) {
    const some = await readNamedAddresses(deps.db.em, merchantId, { after, limit: BATCH });
    yield* some;
    const last = some.at(-1);
    if (last === undefined) return;
    after = last;
  }
}

/** Erases one. Nothing: all orders that name them are newer than the erasure. */
async function eraseOne(
  operator: Operator,
  erasure: RecordedErasure,
  email: string,
): Promise<'erased' | 'nothing' | 'in use'> {
  const { id, merchantId, digest, at } = erasure;
  try {
    return await inTransaction(operator.deps, async (em) => {
      const counts = await eraseFound(em, { merchantId, email, until: at });
      if (counts.payments + counts.events + counts.mails === 0) return 'nothing';
      await insertErasure(em, { id, merchantId, digest, ...counts, at });
      await recordOperation(em, operator, { action: 'CUSTOMER_ERASED', target: id, details: counts });
      await recordForMerchant(em, operator, merchantId, { action: 'CUSTOMER_ERASED', target: id, details: counts });
      return 'erased';
    });
  } catch (error) {
    if (error instanceof GatewayError && error.errorName === 'CUSTOMER_IN_USE') return 'in use';
    throw error;
  }
}
