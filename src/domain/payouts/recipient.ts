// Whom a payout may be sent to.

import type { ChainAdapter, ParsedAddress } from '../../chain/adapter.ts';
import type { EntityManager } from '../../database/connection.ts';
import { findWallets } from '../../database/queries/payouts/nonces.ts';
import { GatewayError } from '../../values/errors.ts';

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

/** 4002 for a hot or gas wallet of the gateway, by address key: the money would come back as the gateway's own. */
export async function refuseWallet(em: EntityManager, key: string): Promise<void> {
  if ((await findWallets(em, [key])).has(key)) throw new GatewayError('BAD_ADDRESS');
}
