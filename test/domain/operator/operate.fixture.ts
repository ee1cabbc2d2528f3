// The operator in the domain's tests, and payout transactions as the signer would have stored them.

import { readSigningState, recordComparison } from '../../../src/database/queries/payouts/signing-state.ts';
import { insertTransaction } from '../../../src/database/queries/payouts/transactions.ts';
import { recordCluster } from '../../../src/domain/witness/cluster.ts';
import type { Deps } from '../../../src/domain/deps.ts';
import type { Operator } from '../../../src/domain/operator/log.ts';
import type { Network } from '../../../src/values/assets.ts';
import { newId } from '../../../src/values/id.ts';
import { newHash, type Setup } from '../book.fixture.ts';

/** An operator with these dependencies. */
export const operatorOf = (deps: Deps, name = 'Ada'): Operator => ({ deps, name });

/** Records that the signer of a network found its book complete. */
export async function findWhole(deps: Deps, network: Network = 'ETH'): Promise<void> {
  await recordCluster(deps);
  const { incarnation } = await readSigningState(deps.db.em, network, []);
  await recordComparison(deps.db.em, network, incarnation ?? '');
}

/** Stores a transaction of a payout, in any state; returns its hash. */
export async function addTransfer({ deps, sql }: Setup, payoutId: string, status: string): Promise<string> {
  const [payout] = await sql<{ amount: string }>('select amount::text from payout where id = $1', [payoutId]);
  const txHash = newHash();
  await insertTransaction(
    deps.db.em,
    'ETH',
    {
      ...{
        id: newId('trf'),
        purpose: 'PAYOUT',
        payoutId,
        forPayoutId: null,
        senderKey: '0xhot',
        senderPath: 'm/0',
        payerKey: null,
      },
      ...{ recipientKey: '0xoutside', currency: 'USDT', amount: BigInt(payout?.amount ?? 0), nonce: 0, gas: 1n },
      ...{ maxPerGas: 1n, tipPerGas: null, maxCost: 1n, validUntil: null, raw: '0x', txHash },
    },
    deps.clock.now(),
  );
  await sql('update transfer set status = $2 where tx_hash = $1', [txHash, status]);
  return txHash;
}

/** The entries of the operator's log, oldest first. */
export const logged = ({ sql }: Setup) =>
  sql<{ actor: string; action: string; target: string | null; details: Record<string, unknown> }>(
    'select actor, action, target, details from operator_log order by ctid',
  );

/** The operator's actions in a merchant's audit log, oldest first. */
export const audited = ({ sql }: Setup, merchantId: string) =>
  sql<{ action: string; target: string | null; details: Record<string, unknown> }>(
    `select action, target, details from audit_log where merchant_id = $1 and actor = 'operator' order by ctid`,
    [merchantId],
  );
