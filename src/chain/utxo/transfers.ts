// Extracts transfers and spent outputs from UTXO transactions. Pure.

import type { Signed, Transfer } from '../blocks.ts';
import type { RawTransaction } from './transaction.ts';

/** Our own addresses are P2WPKH or P2TR. Other scripts, the larger part of a block, need not be looked up. */
const OURS = /^(?:0014[0-9a-f]{40}|5120[0-9a-f]{64})$/;

/** The payments to addresses of our types. The ordinal is the output's index. */
export function transfersOf(transaction: RawTransaction, currency: string): Transfer[] {
  const { hash: txHash, inputs, outputs, isCoinbase } = transaction;
  const paid = [...outputs.entries()].filter(([, { amount, script }]) => amount > 0n && OURS.test(script));
  if (paid.length === 0) return [];
  // A coinbase spends no outputs.
  const spends = isCoinbase ? null : spendsOf(inputs);
  return paid.map(([ordinal, { amount, script: addressKey }]) => ({
    ...{ txHash, ordinal, addressKey, currency, amount },
    ...(spends === null ? {} : { spends }),
  }));
}

/** `Transfer.spends`: all spent outputs, comma-separated. Transactions that share one of them conflict. */
export function spendsOf(inputs: RawTransaction['inputs']): string {
  return inputs.map(({ txHash, index }) => `${txHash}:${String(index)}`).join(',');
}

/** The spent outputs; null for a coinbase. */
export function signedOf({ hash: txHash, inputs, isCoinbase }: RawTransaction): Signed | null {
  if (isCoinbase || inputs.length === 0) return null;
  return { txHash, by: [], spent: inputs.map((input) => `${input.txHash}:${String(input.index)}`) };
}
