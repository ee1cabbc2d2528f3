// Replaces the code of the sandbox's USDT by that of a token that can take a fee, as mainnet's can.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../support/sources.ts';

const ARTIFACT = join(ROOT, 'test/doubles/contracts/tether-like.json');

/** The address that receives the fee. */
export const TOKEN_OWNER = `0x${'0f'.repeat(20)}`;

export interface TokenFee {
  readonly basisPoints: bigint;
  /** The fee is taken in addition to the amount. */
  readonly onTop?: boolean;
  /** The whole amount is logged to the recipient, then the fee from the recipient. */
  readonly grossFirst?: boolean;
}

/** Calls a development node. */
type Node = (method: string, ...params: unknown[]) => Promise<unknown>;

/** Replaces a token's contract by one with a fee; 0 takes none. Balances stay. */
export async function chargeTransfers(node: Node, contract: string, fee: TokenFee): Promise<void> {
  const { deployedBytecode } = JSON.parse(readFileSync(ARTIFACT, 'utf8')) as { deployedBytecode: string };
  await node('anvil_setCode', contract, deployedBytecode);
  const word = (value: bigint) => `0x${value.toString(16).padStart(64, '0')}`;
  const flags = BigInt(fee.onTop ?? false) + 256n * BigInt(fee.grossFirst ?? false);
  // Its variables in order, after the two tables of the sandbox's token.
  for (const [slot, value] of [BigInt(TOKEN_OWNER), fee.basisPoints, 2n ** 128n, flags].entries())
    await node('anvil_setStorageAt', contract, `0x${(slot + 2).toString(16)}`, word(value));
  await node('anvil_mine', '0x1');
}
