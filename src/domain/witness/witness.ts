// The witness: looks on the chain for transactions signed with our keys that the book lacks. Then the book is out of
// date or someone else has our keys, and signing on that network is halted until the operator has recovered the book.

import type { ChainBlock, Signed, Transfer } from '../../chain/blocks.ts';
import type { EntityManager } from '../../database/connection.ts';
import { lockForFreezing } from '../../database/queries/payouts/obstacles.ts';
import { holdRequested, insertHalt, readHalts, type Finding } from '../../database/queries/payouts/signing-state.ts';
import {
  findKnownTransactions,
  findOwnKeys,
  findOwnOutputs,
  insertUnknown,
  readWalletKeys,
  type UnknownTransaction,
} from '../../database/queries/chain/unknown-transactions.ts';
import { NETWORKS, type Network } from '../../values/assets.ts';
import type { Deps } from '../deps.ts';

/** The command with which the operator lets a halted network sign again. */
export const recoverCommand = (network: string): string => `npm run recover -- --network ${network}`;

/** The halted networks: since when, and the command to run. The findings are left out, as they are not public. */
export async function readHaltedNetworks({ db }: Pick<Deps, 'db'>) {
  const halts = await readHalts(db.em);
  return halts.map(({ network, haltedAt }) => ({
    ...{ network, since: haltedAt.toISOString() },
    command: recoverCommand(network),
  }));
}

/** What is examined: a block, or the mempool on top of one. */
export interface Witnessed {
  readonly signed: readonly Signed[];
  readonly transfers: readonly Transfer[];
  readonly block: Pick<ChainBlock, 'hash' | 'height'> | null;
}

/**
 * Looks for transactions signed with our keys that the book lacks; records each and halts the network, in the current
 * transaction. Returns their hashes: what they moved must not be booked as if others had sent it.
 */
export async function witness(
  deps: Pick<Deps, 'clock'>,
  em: EntityManager,
  network: Network,
  witnessed: Witnessed,
): Promise<ReadonlySet<string>> {
  const found = await findUnknown(em, network, witnessed);
  if (found.length === 0) return new Set();
  const now = deps.clock.now();
  await insertUnknown(em, network, found, now);
  const findings = found.map(({ txHash }): Finding => ({ kind: 'UNKNOWN_TRANSACTION', txHash }));
  await halt(em, network, findings, now);
  return new Set(found.map(({ txHash }) => txHash));
}

/** Halts a network's signing in the current transaction, after waiting for signing in progress. */
export async function halt(
  em: EntityManager,
  network: Network,
  findings: readonly Finding[],
  now: Date,
): Promise<void> {
  await lockForFreezing(em);
  for (const finding of findings) await insertHalt(em, network, finding, now);
  await holdRequested(em, network, now);
}

/** Of some transactions, those signed with our keys that the book lacks. */
export async function findUnknown(
  em: EntityManager,
  network: Network,
  { signed, transfers, block }: Witnessed,
): Promise<UnknownTransaction[]> {
  if (signed.length === 0) return [];
  const byOutputs = await ownSpends(em, network, { signed, transfers });
  const own = [...(await ownSigned(em, network, signed)), ...byOutputs];
  if (own.length === 0) return [];
  const hashes = own.map(({ txHash }) => txHash);
  const known = await findKnownTransactions(em, network, hashes);
  return own
    .filter(({ txHash }) => !known.has(txHash))
    .map(({ txHash, by, spent, nonce }) => ({
      ...{ txHash, signers: spent ?? by, nonce: nonce ?? null },
      transfers: transfers
        .filter((transfer) => transfer.txHash === txHash)
        .map(({ ordinal, addressKey, currency, amount }) => ({ ordinal, addressKey, currency, amount })),
      block,
    }));
}

async function ownSigned(em: EntityManager, network: Network, signed: readonly Signed[]): Promise<Signed[]> {
  const { account } = NETWORKS[network];
  const keys = await findOwnKeys(em, { network, account }, [...new Set(signed.flatMap(({ by }) => by))]);
  return keys.size === 0 ? [] : signed.filter(({ by }) => by.some((key) => keys.has(key)));
}

/** In block order, because one unknown transaction may spend what the previous one left to our wallets. */
async function ownSpends(
  em: EntityManager,
  network: Network,
  { signed, transfers }: Pick<Witnessed, 'signed' | 'transfers'>,
): Promise<Signed[]> {
  const outpoints = signed.flatMap(({ spent = [] }) => spent);
  if (outpoints.length === 0) return [];
  const outputs = await findOwnOutputs(em, network, outpoints);
  const wallets = await readWalletKeys(em, network);
  const left = Map.groupBy(
    transfers.filter(({ addressKey }) => wallets.has(addressKey)),
    ({ txHash }) => txHash,
  );
  return signed.filter(({ txHash, spent = [] }) => {
    if (!spent.some((outpoint) => outputs.has(outpoint))) return false;
    for (const { ordinal } of left.get(txHash) ?? []) outputs.add(`${txHash}:${String(ordinal)}`);
    return true;
  });
}
