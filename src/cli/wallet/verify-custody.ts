// Checks custody against the chain: the book's custody balance must be what our addresses hold.

import { setTimeout as wait } from 'node:timers/promises';
import type { ChainAdapter } from '../../chain/adapter.ts';
import { ChainUnavailable } from '../../chain/errors.ts';
import type { Database } from '../../database/connection.ts';
import { compareCustody, type CustodyComparison } from '../../domain/ledger/reconciliation.ts';

/** A rule and its result: `fault` if it does not hold, `unknown` with the reason if it could not be checked. */
export interface Finding {
  readonly name: string;
  readonly fault: string | null;
  readonly unknown: string | null;
}

/** The block read may leave the chain during the comparison, so it is repeated. */
const ATTEMPTS = 5;
const BETWEEN_MS = 500;

/** Compares one network. Differences in suspense are faults until they are explained. */
export async function verifyCustody(db: Database, adapter: ChainAdapter): Promise<Finding> {
  const name = `custody is what the chain holds (${adapter.network})`;
  try {
    const comparison = await compareRepeatedly(db, adapter);
    if (!comparison) return { name, fault: null, unknown: 'the book and the node are not at one block' };
    return { name, fault: faultOf(comparison), unknown: null };
  } catch (error) {
    if (!(error instanceof ChainUnavailable)) throw error;
    return { name, fault: null, unknown: error.message };
  }
}

async function compareRepeatedly(db: Database, adapter: ChainAdapter): Promise<CustodyComparison | null> {
  for (let attempt = 1; attempt < ATTEMPTS; attempt += 1) {
    const comparison = await compareCustody(db, adapter);
    if (comparison) return comparison;
    await wait(BETWEEN_MS);
  }
  return compareCustody(db, adapter);
}

function faultOf({ at, lines }: CustodyComparison): string | null {
  const wrong = lines.find(({ book, chain, suspense }) => book !== chain || suspense !== 0n);
  if (!wrong) return null;
  const { currency, book, chain, suspense } = wrong;
  const apart = suspense === 0n ? '' : `, ${String(suspense)} not explained and in suspense`;
  return `${currency}: book ${String(book)}, chain ${String(chain)} after block ${String(at.height)}${apart}`;
}
