// Set-up for payout tests on TRON's double.

import { randomBytes } from 'node:crypto';
import { createTronAdapter } from '../../src/chain/tron/adapter.ts';
import { accountXpub, COIN_TYPES } from '../../src/custody/keys/account-keys.ts';
import type { Chain } from '../../src/domain/deps.ts';
import { startTronDouble, type TronDouble } from '../doubles/tron/double.ts';
import { NODE_TIMEOUT_MS } from '../support/node-timeout.ts';
import { createChainPayoutSetup, type ChainPayoutSetup } from './chain-payout-setup.fixture.ts';

export const CONFIRMATIONS = 20;
export const TRX = 1_000_000n;

export interface TronPayoutSetup extends ChainPayoutSetup {
  readonly double: TronDouble;
  /** An address outside the gateway. */
  stranger(): string;
}

export async function createTronPayoutSetup(more: Partial<Chain> = {}): Promise<TronPayoutSetup> {
  const stage = await createChainPayoutSetup(async (now, seed) => {
    const double = await startTronDouble({ startMs: now.getTime() });
    const { url, chainId, contracts, pay, chain, stop } = double;
    const adapter = createTronAdapter({ network: 'TRON', url, chainId, contracts, timeoutMs: NODE_TIMEOUT_MS });
    const { xpub } = accountXpub(seed, COIN_TYPES.tron);
    return {
      ...{ double, adapter, pay, stop, confirmations: CONFIRMATIONS, gas: { currency: 'TRX', amount: 5_000n * TRX } },
      addressAt: (index: number) => adapter.derive(xpub, index),
      mine: (blocks: number) => chain.mine(blocks),
      time: () => new Date(chain.tip().time),
    };
  }, more);
  const { double, adapter } = stage.tested;
  const stranger = () => adapter.derive(accountXpub(randomBytes(64), COIN_TYPES.tron).xpub, 0).address;
  return { ...stage, double, stranger };
}
