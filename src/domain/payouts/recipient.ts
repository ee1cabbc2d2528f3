// Whom a payout may be sent to.

import type { ChainAdapter, ParsedAddress } from '../../chain/adapter.ts';
import type { EntityManager } from '../../database/connection.ts';
import { findWallets } from '../../database/queries/payouts/nonces.ts';
import { GatewayError } from '../../values/errors.ts';
import type { Deps } from '../deps.ts';
import { requireNetwork } from '../requested-amount.ts';

/**
 * Reads a recipient's address: a valid one, and neither a token's contract nor the zero address, where money would be
 * lost. The node is not asked. Errors: 4002.
 */
export function parseRecipient(adapter: ChainAdapter, text: string): ParsedAddress {
  const parsed = adapter.parseAddress(text);
  const contracts = [...adapter.contracts.values()].map((contract) => contract && adapter.parseAddress(contract)?.key);
  if (!parsed || /^0x0{40}$/.test(parsed.key) || contracts.includes(parsed.key)) throw new GatewayError('BAD_ADDRESS');
  return parsed;
}

/**
 * The address that a payout to this text would go to, in its network's own form, so that a slip is told before anything
 * is confirmed. Errors: 3001, 3007 without a node for its network, 4002.
 */
export async function readRecipient(
  { chains, db }: Pick<Deps, 'chains' | 'db'>,
  network: string,
  text: string,
): Promise<string> {
  const chain = chains.get(requireNetwork(network));
  if (!chain) throw new GatewayError('NETWORK_UNAVAILABLE');
  const { address, key } = parseRecipient(chain.adapter, text);
  await refuseWallet(db.em, key);
  return address;
}

/** 4002 for a hot or gas wallet of the gateway, by address key: the money would come back as the gateway's own. */
export async function refuseWallet(em: EntityManager, key: string): Promise<void> {
  if ((await findWallets(em, [key])).has(key)) throw new GatewayError('BAD_ADDRESS');
}
