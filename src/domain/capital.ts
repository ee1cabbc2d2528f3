// The gateway's working capital: what others (the operator, the sandbox's faucet) send to the hot and the gas wallet.
// Booked by sight, block by block, so that nobody has to say that it was sent, and taken back with its block.

import { query, type EntityManager } from '../database/connection.ts';
import { findChange, findOwnMoves } from '../database/queries/own-moves.ts';
import { postLedger } from '../database/queries/post-ledger.ts';
import type { ChainBlock } from '../chain/adapter.ts';
import type { Network } from '../values/assets.ts';
import { assetOf } from '../values/assets.ts';
import { newId } from '../values/id.ts';
import { account, GATEWAY, posting } from './ledger.ts';

interface FundingRow {
  readonly id: string;
  readonly currency: string;
  readonly amount: string;
}

/** Books what a block brought to the hot and the gas wallet, our own moves between addresses, and change, left out. */
export async function recordFunding(
  em: EntityManager,
  network: Network,
  { transfers, height, hash }: ChainBlock,
  now: Date,
): Promise<void> {
  if (transfers.length === 0) return;
  const wallets = await query<{ key: string }>(
    em,
    `select address_key as key from sender where network = $1 and role <> 'DEPOSIT'`,
    [network],
  );
  const arrived = transfers.filter(({ addressKey }) => wallets.some(({ key }) => key === addressKey));
  if (arrived.length === 0) return;
  const moves = await findOwnMoves(em, network, arrived);
  const change = await findChange(em, network, arrived);
  for (const transfer of arrived.filter(({ txHash }) => !moves.has(txHash) && !change.has(txHash))) {
    const { txHash, ordinal, addressKey, currency, amount } = transfer;
    const [row] = await query<FundingRow>(
      em,
      `insert into funding (network, tx_hash, ordinal, address_key, currency, amount, block_height, block_hash)
       values ($1, $2, $3, $4, $5, $6, $7, $8) returning id::text, currency, amount::text`,
      [network, txHash, ordinal, addressKey, currency, amount.toString(), height, hash],
    );
    if (row) await post(em, 'capital', network, row, now);
  }
}

/** Takes back what blocks above a height brought: they left the chain. */
export async function reverseFunding(em: EntityManager, network: Network, above: number, now: Date): Promise<void> {
  const rows = await query<FundingRow>(
    em,
    `update funding set reversed = true where network = $1 and block_height > $2 and not reversed
     returning id::text, currency, amount::text`,
    [network, above],
  );
  for (const row of rows) await post(em, 'capital-reversal', network, row, now);
}

function post(
  em: EntityManager,
  step: 'capital' | 'capital-reversal',
  network: Network,
  { id, currency, amount }: FundingRow,
  now: Date,
): Promise<boolean> {
  const asset = assetOf({ currency, network });
  const custody = account(GATEWAY, 'custody', asset);
  const capital = account(GATEWAY, 'capital', asset);
  const [from, to] = step === 'capital' ? [custody, capital] : [capital, custody];
  const transaction = { id: newId('ltx', now.getTime()), reference: `${step}/${id}`, paymentId: null, at: now };
  return postLedger(em, transaction, [custody, capital], () => [posting(from, to, BigInt(amount))]);
}
