// Stores an explained transaction in the book.

import { readPartiesAgain } from '../../database/queries/ledger/custody-readings.ts';
import { insertChange, takeOutputs, type SpentRow } from '../../database/queries/payouts/utxos.ts';
import { findIndex, raiseNonce, readOutputs } from '../../database/queries/payouts/rebuild.ts';
import { readSender } from '../../database/queries/payouts/nonces.ts';
import { insertTransaction, markSent } from '../../database/queries/payouts/transactions.ts';
import type { UnknownTransaction } from '../../database/queries/chain/unknown-transactions.ts';
import { markBroadcast } from '../../domain/payouts/lifecycle.ts';
import { NETWORKS } from '../../values/assets.ts';
import { newId } from '../../values/id.ts';
import { senderOf, type ExplanationContext, type Explanation } from './explanation.ts';
import { roleOf } from './rebuild-from-journal.ts';

/** Stores it as an open transaction, with its inputs and change. Following it then finds out what became of it. */
export async function storeTransaction(
  explaining: ExplanationContext,
  unknown: UnknownTransaction,
  explanation: Explanation,
): Promise<void> {
  const { deps, em, network, wallets, adapter } = explaining;
  const { purpose, payoutId, moved } = explanation;
  const now = deps.clock.now();
  const senderKey = senderOf(explaining, unknown);
  const nonce = explanation.nonce ?? unknown.nonce ?? (await readSender(em, network, senderKey, true)) ?? 0;
  const raw = adapter.model === 'OUTPUTS' ? ((await adapter.rawTransaction(unknown.txHash)) ?? '') : '';
  const isSponsored = adapter.model === 'ACCOUNT' && adapter.feePayer === 'GAS_WALLET';
  const id = newId('trf', now.getTime());
  const row = {
    ...{ id, purpose, payoutId, forPayoutId: null, senderKey, nonce, raw, txHash: unknown.txHash },
    senderPath: await pathOf(explaining, senderKey),
    payerKey: isSponsored ? wallets.gas.key : null,
    ...{ recipientKey: moved.addressKey, currency: moved.currency, amount: moved.amount },
    // What it offered is unknown, and it is never replaced.
    ...{ gas: 0n, maxPerGas: 0n, tipPerGas: null, maxCost: 0n, validUntil: null },
  };
  await insertTransaction(em, network, row, now);
  await markSent(em, id, now);
  await readPartiesAgain(em, network, unknown.txHash);
  await raiseNonce(em, network, { key: senderKey, role: roleOf(wallets, senderKey), nonce });
  if (adapter.model === 'OUTPUTS') await storeOutputs(explaining, unknown, { id, nonce });
  if (payoutId !== null) await markBroadcast(deps, em, payoutId, unknown.txHash);
}

async function pathOf({ em, network, wallets }: ExplanationContext, key: string): Promise<string> {
  const known = [wallets.hot, wallets.gas].find((wallet) => wallet.key === key);
  if (known) return known.path;
  const index = await findIndex(em, NETWORKS[network].account, key);
  return index === null ? '' : (await wallets.deposit(index, key)).path;
}

/** Marks our outputs that it spends as spent, and stores its change to the hot wallet. */
async function storeOutputs(
  { em, network, wallets }: ExplanationContext,
  { signers, transfers }: UnknownTransaction,
  { id, nonce }: { readonly id: string; readonly nonce: number },
): Promise<void> {
  const { hot } = wallets;
  const spent: SpentRow[] = [];
  for (const { index, ...output } of await readOutputs(em, network, signers)) {
    const path = index === null ? hot.path : (await wallets.deposit(index, output.addressKey)).path;
    spent.push({ ...output, path });
  }
  if (!(await takeOutputs(em, network, { senderKey: hot.key, nonce }, spent)))
    throw new Error('An output that it spends belongs to another transaction of ours: recover with the journal');
  const change = transfers.find(({ addressKey }) => addressKey === hot.key);
  if (change) await insertChange(em, id, change);
}
