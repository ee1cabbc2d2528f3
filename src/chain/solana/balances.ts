// Reads balances at the tip or at an earlier slot. Nodes know only the newest balances; an earlier one is the balance
// before the first later transaction that involves the account.

import type { Network } from '../../values/assets.ts';
import { StateNotKept } from '../errors.ts';
import { holdingOf, readAccounts, unitsBefore, unitsIn, type Holding } from './accounts.ts';
import type { Mints } from './mints.ts';
import type { SolanaNode } from './node.ts';

interface BalanceDeps {
  readonly network: Network;
  readonly node: SolanaNode;
  readonly mints: Mints;
}

/** Accounts requested at once. */
const CHUNK = 100;
/** How many slots to go back at most; each takes a whole block. */
const MAX_SLOTS_BACK = 64;

export function createBalances({ network, node, mints }: BalanceDeps) {
  return async (keys: readonly string[], currency: string, height?: number): Promise<Map<string, bigint>> => {
    const mint = mints.contractOf(currency);
    const program = mint === null ? '' : (await mints.read(currency)).program;
    const balances = new Map<string, bigint>();
    for (let first = 0; first < keys.length; first += CHUNK) {
      const holdings = keys.slice(first, first + CHUNK).map((key) => holdingOf(key, mint, program));
      const units = await unitsOf(holdings, height);
      holdings.forEach(({ owner }, position) => {
        balances.set(owner, units[position] ?? node.fail(`${owner} holds more than JSON can carry`));
      });
    }
    return balances;
  };

  async function unitsOf(holdings: readonly Holding[], height?: number): Promise<(bigint | null)[]> {
    const keys = holdings.map(({ account }) => account);
    const { slot, accounts } = await readAccounts(node, keys);
    const units = holdings.map((holding, position) => unitsIn(holding, accounts[position]));
    if (height === undefined || slot === height) return units;
    if (slot < height || slot - height > MAX_SLOTS_BACK) throw new StateNotKept(network, height);
    const since = await unitsBeforeAll(holdings, height, slot);
    return units.map((now, position) => since.get(position) ?? now);
  }

  /** The balances after `height` of the accounts involved in later blocks up to `slot`, by position. */
  async function unitsBeforeAll(holdings: readonly Holding[], height: number, slot: number) {
    const found = new Map<number, bigint | null>();
    let parentSlot = height;
    for (const one of await node.slotsWithBlocks(height + 1, slot)) {
      const block = await node.block(one);
      // Each block must follow the one before, or some are on another branch.
      if (block?.parentSlot !== parentSlot) throw new StateNotKept(network, height);
      parentSlot = one;
      for (const transaction of block.transactions)
        holdings.forEach((holding, position) => {
          const before = found.has(position) ? undefined : unitsBefore(holding, transaction);
          if (before !== undefined) found.set(position, before);
        });
    }
    if (parentSlot !== slot) throw new StateNotKept(network, height);
    return found;
  }
}
