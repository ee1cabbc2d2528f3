// Set-up for cost tests: an attacker who registers, deposits and withdraws, on a chain whose blocks a test mines.

import type { ChainPayoutSetup } from '../chain-payout-setup.fixture.ts';

export interface Attack {
  /** What each payout of theirs is for, by its id. */
  readonly names: ReadonlyMap<string, string>;
  deposit(currency: string, units: bigint): Promise<void>;
  /** Requests a payout; returns its id. */
  ask(what: string, currency: string, amount: string, address: string): Promise<string>;
  /** Lets blocks and time pass. */
  run(rounds: number): Promise<void>;
}

/** Registers the attacker. Each round mines this many blocks. */
export async function openAttack(stage: ChainPayoutSetup, blocks: number): Promise<Attack> {
  const attacker = await stage.setup.merchant();
  const names = new Map<string, string>();
  return {
    names,
    deposit: async (currency, units) => stage.pay(await stage.order(attacker, currency), currency, units),
    ask: async (what, currency, amount, address) => {
      const id = await stage.withdraw(attacker, currency, amount, address);
      names.set(id, what);
      return id;
    },
    run: async (rounds) => {
      const sender = stage.sender();
      for (let round = 0; round < rounds; round += 1) {
        await stage.settle(sender, stage.watcher);
        stage.mine(blocks);
        stage.pass(15);
      }
    },
  };
}
