// An adapter whose node lies about the results of our transactions, or about their cost.

import type { AccountAdapter, ChainAdapter, UtxoAdapter } from '../../../src/chain/adapter.ts';
import type { Receipt, TxState } from '../../../src/chain/blocks.ts';
import type { Fees, Quote } from '../../../src/chain/transactions.ts';
import type { Lie } from './chain.fixture.ts';

export interface Liar {
  readonly adapter: ChainAdapter;
  /** What it lies about from now on; null for nothing. */
  tell(lie: Lie | null): void;
}

type Told = () => Lie | null;

const DEARER = 1_000n;
const AHEAD = 1_000;

/** Makes one that is honest except for the current lie. */
export function createLiar(honest: ChainAdapter): Liar {
  let lie: Lie | null = null;
  const currentLie = () => lie;
  const tell = (next: Lie | null) => {
    lie = next;
  };
  const both = liesOfBoth(honest, currentLie);
  return honest.model === 'OUTPUTS'
    ? { tell, adapter: { ...honest, ...both, ...liesOfOutputs(honest, currentLie) } }
    : { tell, adapter: { ...honest, ...both, ...liesOfAccounts(honest, currentLie) } };
}

function liesOfBoth(honest: ChainAdapter, currentLie: Told) {
  return {
    receipt: async (txHash: string): Promise<Receipt | null> => {
      const receipt = currentLie() === 'forgets' ? null : await honest.receipt(txHash);
      if (currentLie() !== 'reverts' || !receipt) return receipt;
      return { ...receipt, succeeded: false, paid: [], ...(receipt.moves && { moves: [] }) };
    },
    txState: async (txHash: string): Promise<TxState> => {
      if (currentLie() === 'forgets') return { kind: 'unknown' };
      const state = await honest.txState(txHash);
      if (currentLie() === 'final' && state.kind === 'mempool') return { kind: 'unknown' };
      return currentLie() === 'reverts' && state.kind === 'mined' ? { ...state, succeeded: false } : state;
    },
    finalizedHeight: async () =>
      currentLie() === 'final' ? (await honest.tip()).height + AHEAD : await honest.finalizedHeight(),
    fees: async (above?: Fees) => raised(currentLie(), await honest.fees(above)),
  };
}

function liesOfOutputs(honest: UtxoAdapter, currentLie: Told) {
  return {
    conflictAt: async (...args: Parameters<UtxoAdapter['conflictAt']>) =>
      currentLie() === 'final' ? 1 : await honest.conflictAt(...args),
    unspent: async (...args: Parameters<UtxoAdapter['unspent']>) =>
      currentLie() === 'forgets' ? new Map<string, never>() : await honest.unspent(...args),
    rawTransaction: async (txHash: string) => (currentLie() === 'forgets' ? null : await honest.rawTransaction(txHash)),
  };
}

function liesOfAccounts(honest: AccountAdapter, currentLie: Told) {
  const ahead = (counts: ReadonlyMap<string, number>) =>
    currentLie() === 'counts' ? new Map([...counts].map(([key, count]) => [key, count + AHEAD])) : counts;
  const { pendingNonces } = honest;
  return {
    quote: async (...args: Parameters<AccountAdapter['quote']>): Promise<Quote> => {
      const quote = await honest.quote(...args);
      const { anchor } = quote;
      const isToEnd = currentLie() === 'final' && anchor?.ends === 'HEIGHT';
      return {
        ...quote,
        fees: raised(currentLie(), quote.fees),
        ...(isToEnd && { anchor: { ...anchor, validUntil: 1 } }),
      };
    },
    hasExpired: async (...args: Parameters<AccountAdapter['hasExpired']>) =>
      currentLie() === 'final' || (await honest.hasExpired(...args)),
    nonces: async (keys: readonly string[]) => ahead(await honest.nonces(keys)),
    ...(pendingNonces && { pendingNonces: async (keys: readonly string[]) => ahead(await pendingNonces(keys)) }),
  };
}

function raised(lie: Lie | null, { maxPerGas, tipPerGas }: Fees): Fees {
  if (lie !== 'expensive') return { maxPerGas, tipPerGas };
  return { maxPerGas: maxPerGas * DEARER, tipPerGas: tipPerGas === null ? null : tipPerGas * DEARER };
}
