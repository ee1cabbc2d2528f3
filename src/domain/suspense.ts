// Differences between the book and the chain: recorded and set apart in the suspense account, never silently corrected.

import { insertDifference, type DifferenceRow } from '../database/queries/custody.ts';
import { readCursor } from '../database/queries/chain-cursor.ts';
import { postLedger } from '../database/queries/post-ledger.ts';
import { assetOf } from '../values/assets.ts';
import { newId } from '../values/id.ts';
import { inTransaction, type Deps } from './deps.ts';
import { account, GATEWAY, posting } from './ledger.ts';

/** A difference as it was found: at which block, and what the book's custody account said then. */
export interface FoundDifference extends DifferenceRow {
  readonly at: { readonly hash: string };
  readonly balance: bigint;
}

/** Thrown inside the transaction so that nothing of it stays. */
const OUTDATED = new Error('the book has moved since the difference was found');

/**
 * Records a difference and moves it between custody and suspense, in one transaction: custody is what the chain holds
 * again, and suspense holds what nobody has explained. False, and nothing done, when another block was read or anything
 * was booked since it was found, by another observer too: then it is to be looked for anew.
 */
export async function bookDifference(deps: Pick<Deps, 'db' | 'clock'>, found: FoundDifference): Promise<boolean> {
  const asset = assetOf(found);
  const custody = account(GATEWAY, 'custody', asset);
  const suspense = account(GATEWAY, 'suspense', asset);
  const { difference } = found;
  const at = deps.clock.now();
  try {
    await inTransaction(deps, async (em) => {
      if ((await readCursor(em, found.network, true))?.hash !== found.at.hash) throw OUTDATED;
      const id = await insertDifference(em, found, at);
      const transaction = { id: newId('ltx', at.getTime()), reference: `difference/${id}`, paymentId: null, at };
      await postLedger(em, transaction, [custody, suspense], (balanceOf) => {
        if (balanceOf(custody) !== found.balance) throw OUTDATED;
        return [posting(custody, suspense, difference), posting(suspense, custody, -difference)];
      });
    });
    return true;
  } catch (error) {
    if (error === OUTDATED) return false;
    throw error;
  }
}
