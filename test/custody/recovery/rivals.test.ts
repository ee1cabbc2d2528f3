// Recovery without the journal, for payouts that have a transaction in the book: an unknown transaction is explained by
// whether the book's own can still pay or lost its place to it.

import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { OUTSIDE } from '../payout-setup.fixture.ts';
import { createRecoverySetup, ETHER, EXCHANGE, GAS, HOT, type RecoverySetup } from './setup.fixture.ts';

jest.setTimeout(120_000);

let setup: RecoverySetup;
let stage: RecoverySetup['stage'];
let book: RecoverySetup['book'];

beforeEach(async () => {
  setup = await createRecoverySetup();
  ({ stage, book } = setup);
});
afterEach(() => setup.stop());

describe('a payout whose earlier transaction the backup has as waiting', () => {
  it('and that reverted for good was paid by the other one', async () => {
    const address = await setup.contract('0x');
    const { id, hash } = await setup.waiting(address);
    await stage.node('anvil_setCode', address, '0x60006000fd');
    await stage.dev.mine(1);
    await setup.restorable.backUp();
    await stage.node('anvil_setCode', address, '0x');
    await setup.blocks(8);
    expect(await book.payout(id)).toMatchObject({ status: 'COMPLETED' });
    expect(await stage.holds(address, 'ETH')).toBe(ETHER);

    const copy = await setup.restorable.restore('as old as the backup');
    await setup.settle(copy);
    expect(await copy.isHalted()).toBe(true);
    expect(await copy.recover()).toMatchObject({ outcome: 'recovered' });
    await setup.blocks(8, copy);
    expect(await copy.payout(id)).toMatchObject({ status: 'COMPLETED', tx_hash: (await book.payout(id))?.tx_hash });
    expect(await copy.sql('select status from transfer where tx_hash = $1', [hash])).toEqual([{ status: 'FAILED' }]);
    expect(await stage.holds(address, 'ETH')).toBe(ETHER);
    await copy.audit();
  });

  it.each(['asked to', 'by itself, once it is final that the earlier one did not pay it'])(
    'and that reverted a moment ago is not paid again: the other one is attached %s',
    async (how) => {
      const address = await setup.contract('0x');
      const { id, hash: first } = await setup.waiting(address);
      await stage.node('anvil_setCode', address, '0x60006000fd');
      await stage.dev.mine(1);
      await stage.node('anvil_setCode', address, '0x');
      const hash = await setup.spend({ to: address, amount: ETHER });
      await setup.blocks(0);
      const { outcome, said } = await book.recover();
      expect(outcome).toBe('halted');
      expect(said).toContain(`${hash} may have paid ${id}`);
      expect(said).toContain(`its own transaction ${first} may still turn out to have paid it`);
      if (how === 'asked to') {
        expect(await book.recover({ attached: new Map([[hash, id]]) })).toMatchObject({ outcome: 'recovered' });
      } else {
        await setup.blocks(4);
        expect(await book.recover()).toMatchObject({ outcome: 'recovered' });
      }
      await setup.blocks(8);
      expect(await book.payout(id)).toMatchObject({ status: 'COMPLETED', tx_hash: hash });
      expect(await stage.holds(address, 'ETH')).toBe(ETHER);
      await book.audit();
    },
  );

  it('and that was mined while the network was halted has paid it, whatever the journal has in its place', async () => {
    const { id, hash } = await setup.waiting(EXCHANGE);
    const [row] = await book.sql<{ raw: string }>('select raw from transfer where payout_id = $1', [id]);
    await setup.restorable.backUp();
    stage.pass(11);
    await setup.blocks(0);
    const rival = (await book.payout(id))?.tx_hash ?? '';
    expect(rival).not.toBe(hash);
    await stage.node('anvil_dropTransaction', rival);
    await stage.node('eth_sendRawTransaction', row?.raw);

    const copy = await setup.restorable.restore('present');
    await setup.blocks(8, copy);
    expect(await copy.isHalted()).toBe(true);
    expect(await copy.payout(id)).toMatchObject({ status: 'COMPLETED', tx_hash: hash });
    expect(await copy.recover()).toMatchObject({ outcome: 'recovered' });
    await setup.blocks(8, copy);
    expect(await copy.payout(id)).toMatchObject({ status: 'COMPLETED', tx_hash: hash });
    expect(await stage.holds(EXCHANGE, 'ETH')).toBe(ETHER);
    await copy.audit();
  });

  it('and that may still be mined cannot have the other one attached; once it is mined, it is the one', async () => {
    await stage.dev.deposit({ address: await setup.keyOf(GAS), currency: 'ETH', amount: 3n * ETHER, confirmations: 1 });
    const { id, hash: first } = await setup.waiting(EXCHANGE);
    const [row] = await book.sql<{ raw: string }>('select raw from transfer where payout_id = $1', [id]);
    await stage.node('anvil_dropTransaction', first);
    const hash = await setup.spend({ to: EXCHANGE, amount: ETHER, path: GAS });
    await stage.settle(book.watcher);
    const { outcome, said } = await book.recover();
    expect(outcome).toBe('halted');
    expect(said).toContain(`its own transaction ${first} may still be mined`);
    await expect(book.recover({ attached: new Map([[hash, id]]) })).rejects.toThrow(`its own transaction ${first}`);
    await stage.node('eth_sendRawTransaction', row?.raw);
    await stage.dev.mine(1);
    expect((await book.recover()).said).toContain(`${hash}: unexplained outflow of 1 ETH`);
    await setup.blocks(6);
    expect(await book.payout(id)).toMatchObject({ status: 'COMPLETED', tx_hash: first });
    await book.audit();
  });
});

describe('what took the nonce of a payout that waits', () => {
  it('and paid nobody leaves it unpaid, until it is signed anew', async () => {
    const { id, nonce } = await setup.waiting(EXCHANGE);
    await setup.spend({ to: await setup.keyOf(HOT), amount: 1n, nonce });
    await setup.blocks(0);
    expect(await book.isHalted()).toBe(true);
    const { outcome, said } = await book.recover();
    expect(outcome).toBe('recovered');
    expect(said).toContain('GAS, between our own addresses');
    await setup.blocks(2);
    expect(await setup.status(book, id)).toBe('BROADCAST');
    expect(await stage.holds(EXCHANGE, 'ETH')).toBe(0n);
    await setup.blocks(8);
    expect(await setup.status(book, id)).toBe('COMPLETED');
    expect(await stage.holds(EXCHANGE, 'ETH')).toBe(ETHER);
    await book.audit();
  });

  it('and paid just what it was to pay is its transaction', async () => {
    const { id, nonce } = await setup.waiting(EXCHANGE);
    const hash = await setup.spend({ to: EXCHANGE, amount: ETHER, nonce });
    await setup.blocks(0);
    expect(await book.recover()).toMatchObject({ outcome: 'recovered' });
    await setup.blocks(6);
    expect(await book.payout(id)).toMatchObject({ status: 'COMPLETED', tx_hash: hash });
    expect(await stage.holds(EXCHANGE, 'ETH')).toBe(ETHER);
    await book.audit();
  });

  it("and paid another payout is that one's", async () => {
    const { id, nonce } = await setup.waiting(EXCHANGE);
    const other = await setup.withdraw('ETH', '2', OUTSIDE);
    const hash = await setup.spend({ to: OUTSIDE, amount: 2n * ETHER, nonce });
    await stage.settle(book.watcher);
    expect(await book.recover()).toMatchObject({ outcome: 'recovered' });
    await setup.blocks(1);
    // Whether the first payout must be signed anew becomes final only later.
    expect(await book.sql('select 1 from transfer where payout_id = $1', [id])).toHaveLength(1);
    await setup.blocks(9);
    expect(await book.payout(other.id)).toMatchObject({ status: 'COMPLETED', tx_hash: hash });
    expect(await setup.status(book, id)).toBe('COMPLETED');
    expect(await stage.holds(EXCHANGE, 'ETH')).toBe(ETHER);
    await book.audit();
  });
});
