// From transactions to transfers. Pure; whose the addresses are is the domain's question.

import type { Signed, Transfer } from '../blocks.ts';
import type { RawTransaction } from './transaction.ts';

/**
 * The scripts that our own addresses can have: P2WPKH and P2TR. Others' need not be looked up among our addresses, and
 * they are the larger part of a block.
 */
const OURS = /^(?:0014[0-9a-f]{40}|5120[0-9a-f]{64})$/;

/** What a transaction pays to addresses such as ours; an output's place in it is the ordinal. */
export function transfersOf(transaction: RawTransaction, currency: string): Transfer[] {
  const { hash: txHash, inputs, outputs, isCoinbase } = transaction;
  const paid = [...outputs.entries()].filter(([, { amount, script }]) => amount > 0n && OURS.test(script));
  if (paid.length === 0) return [];
  // A coinbase spends nothing that another could.
  const spends = isCoinbase ? null : spendsOf(inputs);
  return paid.map(([ordinal, { amount, script: addressKey }]) => ({
    ...{ txHash, ordinal, addressKey, currency, amount },
    ...(spends === null ? {} : { spends }),
  }));
}

/** `Transfer.spends`: every output that is used up, comma-separated. Any one of them makes two transactions rivals. */
export function spendsOf(inputs: RawTransaction['inputs']): string {
  return inputs.map(({ txHash, index }) => `${txHash}:${String(index)}`).join(',');
}

/** What a transaction spends; null for one that makes new coins. */
export function signedOf({ hash: txHash, inputs, isCoinbase }: RawTransaction): Signed | null {
  if (isCoinbase || inputs.length === 0) return null;
  return { txHash, by: [], spent: inputs.map((input) => `${input.txHash}:${String(input.index)}`) };
}
