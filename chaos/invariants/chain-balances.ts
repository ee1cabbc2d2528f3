// Reads from the development chain's node what addresses hold.

import { encodeFunctionData, erc20Abi, type Hex } from 'viem';
import { TEST_TOKENS } from '../../src/sandbox/evm/test-tokens.ts';
import type { PayoutNote } from '../load/client-log.ts';

/** Decimals of the currencies that the load pays in, on the development chain. */
export const DECIMALS: Readonly<Record<string, number>> = { ETH: 18, USDT: 6, USDC: 6 };

/** The balances of the payouts' addresses, by address, in base units of the payout's currency. */
export async function readReceived(url: string, payouts: readonly PayoutNote[]): Promise<Map<string, bigint>> {
  const received = new Map<string, bigint>();
  for (const { address, currency } of payouts) {
    const answer = await ask(url, ...balanceCall(address as Hex, currency));
    received.set(address, BigInt(answer));
  }
  return received;
}

function balanceCall(address: Hex, currency: string): [method: string, params: unknown[]] {
  const token = TEST_TOKENS.get(currency);
  if (token === undefined) return ['eth_getBalance', [address, 'latest']];
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'balanceOf', args: [address] });
  return ['eth_call', [{ to: token, data }, 'latest']];
}

async function ask(url: string, method: string, params: unknown[]): Promise<string> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  const { result, error } = (await response.json()) as { result?: string; error?: { message: string } };
  if (result === undefined) throw new Error(`${method}: ${error?.message ?? 'no result'}`);
  return result;
}
