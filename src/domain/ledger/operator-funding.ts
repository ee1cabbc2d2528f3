// Operator funding: books money that arrives at the hot and gas wallets as the gateway's capital, and money that
// arrives at gap addresses, which lost orders may have, as suspense. It is booked automatically, block by block, and
// reversed with its block. An operator's explanation of an arrival stays valid if it comes back in another block.

import { query, type EntityManager } from '../../database/connection.ts';
import {
  insertDifference,
  readOwnBalances,
  rememberStrays,
  resolveDifferences,
} from '../../database/queries/ledger/custody.ts';
import type { AddressChange } from '../../database/queries/ledger/holdings.ts';
import { findChange, findInternalTransfers } from '../../database/queries/chain/internal-transfers.ts';
import { postLedger } from '../../database/queries/ledger/post-ledger.ts';
import type { BlockRef, Transfer } from '../../chain/blocks.ts';
import type { Network } from '../../values/assets.ts';
import { assetOf, NETWORKS } from '../../values/assets.ts';
import { newId } from '../../values/id.ts';
import { account, GATEWAY, posting } from './ledger.ts';

type FundingPurpose = 'capital' | 'suspense';

interface FundingRow {
  readonly id: string;
  readonly purpose: FundingPurpose;
  readonly addressKey: string;
  readonly currency: string;
  readonly amount: string;
  readonly explained: boolean;
}

const ROW = `id::text, purpose, address_key as "addressKey", currency, amount::text, explained`;

/**
 * Books what a block brought to the hot and gas wallets and to gap addresses, except internal transfers and change.
 * `transfers` are those of the block to addresses that no payment has. A block read again books nothing twice, and
 * bookings that have turned out to be our own transactions are reversed. Returns the changes of what can be swept.
 */
export async function recordFunding(
  em: EntityManager,
  network: Network,
  transfers: readonly Transfer[],
  { height, hash }: BlockRef,
  now: Date,
): Promise<readonly AddressChange[]> {
  if (transfers.length === 0) return [];
  const purposes = await readPurposes(em, network, [...new Set(transfers.map(({ addressKey }) => addressKey))]);
  const arrived = transfers.filter(({ addressKey }) => purposes.has(addressKey));
  if (arrived.length === 0) return [];
  const moves = await findInternalTransfers(em, network, arrived);
  const change = await findChange(em, network, arrived);
  const own = arrived.filter(({ txHash }) => moves.has(txHash) || change.has(txHash));
  const known = await readBooked(em, network, { height, hash });
  const takenBack = await takeBack(em, network, { hash, txHashes: own.map(({ txHash }) => txHash) }, now);
  const booked: FundingRow[] = [];
  for (const transfer of arrived.filter((one) => !own.includes(one) && !known.has(nameOf(one)))) {
    const { txHash, ordinal, addressKey, currency, amount } = transfer;
    const [row] = await query<FundingRow>(
      em,
      `insert into funding
         (network, tx_hash, ordinal, address_key, currency, amount, block_height, block_hash, purpose, explained)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, exists (
         select 1 from funding f where (f.network, f.tx_hash, f.ordinal) = ($1, $2, $3) and f.explained))
       returning ${ROW}`,
      [
        ...[network, txHash, ordinal, addressKey, currency, amount.toString(), height, hash],
        purposes.get(addressKey) ?? 'capital',
      ],
    );
    if (!row) throw new Error('What arrived was not recorded');
    await post(em, network, row, { isReversal: false }, now);
    booked.push(row);
  }
  return [...takenBack, ...changesOf(booked, 1n)];
}

/** Changes of what can be swept: only explained arrivals count. */
const changesOf = (rows: readonly FundingRow[], sign: 1n | -1n): AddressChange[] =>
  rows
    .filter(({ explained }) => explained)
    .map(({ addressKey, currency, amount }) => ({ addressKey, currency, units: BigInt(amount) * sign }));

const nameOf = ({ txHash, ordinal }: { txHash: string; ordinal: number }): string => `${txHash}/${String(ordinal)}`;

/** Of some addresses, our wallets and gap addresses, with the account to which arrivals there are booked. */
async function readPurposes(
  em: EntityManager,
  network: Network,
  keys: readonly string[],
): Promise<Map<string, FundingPurpose>> {
  const rows = await query<{ key: string; purpose: FundingPurpose }>(
    em,
    `select address_key as key, 'capital' as purpose from sender where network = $1 and role <> 'DEPOSIT'
     union all select address_key, 'suspense' from gap_address where account = $2 and address_key = any($3)`,
    [network, NETWORKS[network].account, keys],
  );
  return new Map(rows.map(({ key, purpose }) => [key, purpose]));
}

async function readBooked(em: EntityManager, network: Network, { height, hash }: BlockRef): Promise<Set<string>> {
  const rows = await query<{ txHash: string; ordinal: number }>(
    em,
    `select tx_hash as "txHash", ordinal from funding
     where network = $1 and block_height = $2 and block_hash = $3 and not reversed`,
    [network, height, hash],
  );
  return new Set(rows.map(nameOf));
}

/** Reverses bookings of a block that have turned out to be our own transactions. */
async function takeBack(
  em: EntityManager,
  network: Network,
  { hash, txHashes }: { readonly hash: string; readonly txHashes: readonly string[] },
  now: Date,
): Promise<readonly AddressChange[]> {
  if (txHashes.length === 0) return [];
  const rows = await query<FundingRow>(
    em,
    `update funding set reversed = true where network = $1 and tx_hash = any($2) and block_hash = $3 and not reversed
     returning ${ROW}`,
    [network, txHashes, hash],
  );
  for (const row of rows) await post(em, network, row, { isReversal: true }, now);
  return changesOf(rows, -1n);
}

/** Reverses what blocks above a height brought, since they left the chain. Returns the changes of what can be swept. */
export async function reverseFunding(
  em: EntityManager,
  network: Network,
  above: number,
  now: Date,
): Promise<readonly AddressChange[]> {
  const rows = await query<FundingRow>(
    em,
    `update funding set reversed = true where network = $1 and block_height > $2 and not reversed returning ${ROW}`,
    [network, above],
  );
  for (const row of rows) await post(em, network, row, { isReversal: true }, now);
  return changesOf(rows, -1n);
}

async function post(
  em: EntityManager,
  network: Network,
  { id, purpose, addressKey, currency, amount, explained }: FundingRow,
  { isReversal }: { readonly isReversal: boolean },
  now: Date,
): Promise<void> {
  const asset = assetOf({ currency, network });
  const custody = account(GATEWAY, 'custody', asset);
  const owned = account(GATEWAY, purpose, asset);
  const [from, to] = isReversal ? [owned, custody] : [custody, owned];
  const step = `${purpose === 'capital' ? 'capital' : 'gap'}${isReversal ? '-reversal' : ''}`;
  const transaction = { id: newId('ltx', now.getTime()), reference: `${step}/${id}`, paymentId: null, at: now };
  if (purpose === 'suspense') {
    // Recorded like any difference between the book and the chain.
    const book = -((await readOwnBalances(em, network, 'custody')).get(currency) ?? 0n);
    const difference = isReversal ? -BigInt(amount) : BigInt(amount);
    await insertDifference(em, { network, currency, book, chain: book + difference, difference }, now);
    await rememberStrays(em, network, [addressKey]);
  }
  await postLedger(em, transaction, [custody, owned], () => [posting(from, to, BigInt(amount))]);
  // Resolved if it left with its block, or if it is back in another block and already explained.
  if (purpose === 'suspense' && (isReversal || explained)) await resolveDifferences(em, network, now);
}
