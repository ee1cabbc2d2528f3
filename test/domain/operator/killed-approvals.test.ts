// An approval runs what was asked for in its own transaction. Its connection is cut at every statement that writes:
// then neither the decision nor any of its money is there, and the next approval does all of it, once.

import { beforeEach, describe, expect, it } from '@jest/globals';
import { bookDifference } from '../../../src/domain/ledger/suspense.ts';
import {
  approveAction,
  requestAction,
  type ActionRequest,
  type ActionRules,
} from '../../../src/domain/operator/actions.ts';
import { chain, deps, order, setup, shop } from '../own-book.fixture.ts';
import * as book from '../payouts/book.fixture.ts';
import { findWhole, operatorOf } from './operate.fixture.ts';

const COLD = '0x52908400098527886E0F7030069857D2E4169EE7';
const rules = (): ActionRules => ({
  approvalAbove: { listed: new Map(), others: 0n },
  coldPlaceOf: () => {
    const adapter = deps.chains.get('ETH')?.adapter;
    if (!adapter) throw new Error('There is no network');
    return { adapter, coldAddress: COLD };
  },
});

/** Where the transaction of the approval is cut: before it writes to a table for the first time, and after. */
const CUTS = ['before', 'after'] as const;

/** Everything that an approval may write, but the log that nothing reads. */
const STATE = [
  'select id, status, target, decided_by, decided_at from operator_action order by id',
  'select id, status, failure, version from payout order by id',
  'select owner, purpose, currency, balance::text from ledger_account order by 1, 2, 3',
  'select reference from ledger_transaction order by reference',
  'select kind, amount::text from suspense_movement order by id',
  'select action, target from operator_log order by at, action',
  'select type from event order by id',
];
const state = async () => Promise.all(STATE.map((text) => setup.sql(text)));

/** Makes the server cut a connection that writes to a table. */
async function cutAt(table: string, when: (typeof CUTS)[number]): Promise<void> {
  await setup.sql(
    `create or replace function cut() returns trigger language plpgsql as $$
     begin perform pg_terminate_backend(pg_backend_pid()); return new; end $$`,
  );
  await setup.sql(`create trigger cut ${when} insert or update on ${table} for each row execute function cut()`);
}
const mend = (table: string) => setup.sql(`drop trigger cut on ${table}`);

interface Case {
  readonly request: () => Promise<ActionRequest> | ActionRequest;
  readonly tables: readonly string[];
}

const asset = { network: 'ETH', currency: 'USDT' } as const;
const CASES: Readonly<Record<string, Case>> = {
  WITHDRAW_FEES: {
    request: () => ({ kind: 'WITHDRAW_FEES', ...asset, amount: '0.01' }),
    tables: ['operator_log', 'payout', 'ledger_transaction', 'ledger_account', 'operator_action'],
  },
  CREDIT_SUSPENSE: {
    request: () => ({ kind: 'CREDIT_SUSPENSE', ...asset, amount: '3', paymentId: order.id, reason: 'their transfer' }),
    tables: ['operator_log', 'suspense_movement', 'ledger_transaction', 'audit_log', 'operator_action'],
  },
  FAIL_PAYOUT: {
    request: async () => ({
      kind: 'FAIL_PAYOUT',
      id: (await book.withdraw(deps, shop, '0.1')).id,
      reason: 'their wish',
    }),
    tables: ['operator_log', 'payout', 'ledger_transaction', 'event', 'operator_action'],
  },
};

beforeEach(async () => {
  await book.deposit(chain, order, 1_000_000n);
  await findWhole(deps);
  const [row] = await setup.sql<{ balance: string }>(
    `select balance::text from ledger_account where owner = 'gateway' and purpose = 'custody' and currency = 'USDT'`,
  );
  const balance = BigInt(row?.balance ?? 0);
  const difference = 5_000_000n;
  const found = { ...asset, book: -balance, chain: difference - balance, difference, balance };
  expect(await bookDifference(deps, { ...found, at: chain.tip })).toBe(true);
});

describe.each(Object.entries(CASES))('an approval of %s', (_kind, { request, tables }) => {
  it.each(CUTS)('that is cut %s each of its writes leaves nothing, and the next one does it once', async (when) => {
    const { result } = await requestAction(operatorOf(deps), rules(), await request());
    const before = await state();
    for (const table of tables) {
      await cutAt(table, when);
      await expect(approveAction(operatorOf(deps, 'Ben'), rules(), result.id)).rejects.toThrow();
      await mend(table);
      expect([table, await state()]).toEqual([table, before]);
    }
    const done = await approveAction(operatorOf(deps, 'Ben'), rules(), result.id);
    expect(done).toMatchObject({ status: 'DONE', requestedBy: 'Ada', decidedBy: 'Ben' });
    const after = await state();
    expect(after).not.toEqual(before);
    await expect(approveAction(operatorOf(deps, 'Cy'), rules(), result.id)).rejects.toMatchObject({
      errorName: 'ALREADY_DECIDED',
    });
    expect(await state()).toEqual(after);
  });
});
