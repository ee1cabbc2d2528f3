// Journal lines written by an earlier version, before the tables got columns that those lines lack.

import { expect, it, jest } from '@jest/globals';
import { createPayoutSetup, OUTSIDE } from '../payout-setup.fixture.ts';
import { createRestorable } from './restored/book.fixture.ts';

jest.setTimeout(120_000);

const TABLES = ['payout', 'transfer', 'idempotency', 'change_output', 'spent_output'];

it('what they bring back has in new columns what is there by default', async () => {
  const stage = await createPayoutSetup();
  const { deps, signer, dev: devChain, setup } = stage;
  const restorable = await createRestorable({ deps, signer, devChain, url: setup.url, network: 'ETH' });
  try {
    const { book } = restorable;
    const shop = await setup.merchant();
    await stage.pay(await stage.order(shop), 'USDT', 200_000_000n);
    await restorable.backUp();
    const withdrawal = { merchantId: shop, currency: 'USDT', amount: '30', address: OUTSIDE, id: 'lost' };
    const { id } = await book.withdraw(withdrawal);
    await stage.settle(book.sender(), book.watcher);
    const { tx_hash } = (await book.payout(id)) ?? {};

    const copy = await restorable.restore('present');
    for (const table of TABLES)
      await copy.sql(
        `alter table ${table} add column flavour text not null default 'plain', add column "Added" bigint not null default 7`,
      );
    await stage.settle(copy.sender(), copy.watcher);
    expect(await copy.recover()).toMatchObject({ outcome: 'recovered' });
    await stage.settle(copy.sender(), copy.watcher);
    expect(await copy.sql('select id, status, flavour, "Added"::int as added from payout')).toEqual([
      { id, status: 'COMPLETED', flavour: 'plain', added: 7 },
    ]);
    expect(await copy.sql('select tx_hash, flavour from transfer where payout_id = $1', [id])).toEqual([
      { tx_hash, flavour: 'plain' },
    ]);
    expect(await copy.withdraw(withdrawal)).toEqual({ id, replayed: true });
    await copy.audit();
  } finally {
    await restorable.stop();
    await stage.stop();
  }
});
