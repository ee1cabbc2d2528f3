// Invariants of money: each requested payout is on the chain exactly once, and the ledger is right.

import { parseUnits } from 'viem/utils';
import { DECIMALS } from './chain-balances.ts';
import type { Evidence } from './evidence.ts';
import { first, type Rule } from './invariant.ts';

export const MONEY_INVARIANTS: readonly Rule[] = [
  { words: 'a payout that was answered is completed by one transfer', breach: findPayout },
  {
    words: 'the address of each payout has received it once, and the address of a refused one nothing',
    breach: findPaidPayout,
  },
  { words: 'each payout is told from its request to its end, once each and in order', breach: findUntold },
  {
    words: 'the ledger keeps all its rules and matches the chain (ledger:verify)',
    breach: ({ ledgerFault }) => ledgerFault,
  },
];

function findPayout({ notes, payouts }: Evidence): string | null {
  const byId = new Map(payouts.map((payout) => [payout.id, payout]));
  const asked = new Set(notes.payouts.map(({ id }) => id));
  const wrong = first(notes.payouts, ({ kind, id }) => {
    if (id === null) return null;
    const payout = byId.get(id);
    if (!payout) return `${kind} ${id} was answered with 201 and is gone`;
    if (payout.status !== 'COMPLETED')
      return `${kind} ${id} is ${payout.status}: ${payout.failure ?? 'no reason given'}`;
    return payout.transfers === 1 ? null : `${kind} ${id} has ${payout.transfers} confirmed transfers`;
  });
  return wrong ?? first(payouts, ({ id }) => (asked.has(id) ? null : `no merchant was told of payout ${id}`));
}

/** Between its request and its end another transaction may have paid it, which is an update. */
const TOLD = /^(\w+)\.requested \1\.broadcast (\1\.updated )*\1\.completed$/;

function findUntold({ payouts, events }: Evidence): string | null {
  const byPayout = Map.groupBy(events, ({ payoutId }) => payoutId);
  return first(payouts, ({ id }) => {
    const told = (byPayout.get(id) ?? []).sort((a, b) => Number(a.version) - Number(b.version));
    const isWhole = told.every(({ version }, index) => version === index + 1);
    const types = told.map(({ type }) => type).join(' ');
    if (isWhole && TOLD.test(types)) return null;
    return `payout ${id} is told as ${types || 'nothing'} (versions ${told.map(({ version }) => version).join()})`;
  });
}

function findPaidPayout({ notes, received }: Evidence): string | null {
  return first(notes.payouts, ({ kind, id, address, amount, currency, refused }) => {
    const due = id === null ? 0n : parseUnits(amount, DECIMALS[currency] ?? 0);
    const came = received.get(address) ?? 0n;
    if (came === due) return null;
    const what = id === null ? `the ${kind} that was refused with ${refused}` : `${kind} ${id}`;
    return `${what}: ${address} holds ${came} base units of ${currency}, and ${due} are due`;
  });
}
