// Recovery without the journal on a development chain: a payout counts as paid only if no other explanation is
// possible; the operator decides the rest; nothing is paid twice, or called paid that was not.

import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { chargeTransfers } from '../fee-token.fixture.ts';
import { createRecoverySetup, DEPOSIT, ETHER, EXCHANGE, GAS, HOT, UNIT, type RecoverySetup } from './setup.fixture.ts';

jest.setTimeout(120_000);

/** A deposit address of an exchange: it forwards what comes, at once. */
const FORWARDS = `0x60006000600060003473${EXCHANGE.slice(2)}5af100`;

let setup: RecoverySetup;
let stage: RecoverySetup['stage'];
let book: RecoverySetup['book'];

beforeEach(async () => {
  setup = await createRecoverySetup();
  ({ stage, book } = setup);
});
afterEach(() => setup.stop());

describe('a payout to an address that sends on what comes', () => {
  it('which was paid after the backup is not paid again', async () => {
    const address = await setup.contract(FORWARDS);
    const { id } = await setup.withdraw('ETH', '1', address);
    await setup.restorable.backUp();
    await setup.settle();
    expect(await stage.holds(EXCHANGE, 'ETH')).toBe(ETHER);
    const copy = await setup.restorable.restore('as old as the backup');
    await setup.settle(copy);
    expect(await copy.sql('select transfers from unknown_transaction')).toMatchObject([
      { transfers: [{ addressKey: address.toLowerCase() }, { addressKey: EXCHANGE }] },
    ]);
    expect(await copy.recover()).toMatchObject({ outcome: 'recovered' });
    await setup.settle(copy);
    expect(await copy.payout(id)).toMatchObject({ status: 'COMPLETED', tx_hash: (await book.payout(id))?.tx_hash });
    expect(await stage.holds(EXCHANGE, 'ETH')).toBe(ETHER);
    expect(await copy.recover()).toMatchObject({ outcome: 'recovered' });
    await setup.settle(copy);
    await copy.audit();
    expect(await stage.holds(EXCHANGE, 'ETH')).toBe(ETHER);
  });

  it("and one to where it is sent on: which was paid is the operator's to say", async () => {
    const address = await setup.contract(FORWARDS);
    const one = await setup.withdraw('ETH', '1', address);
    const other = await setup.withdraw('ETH', '1', EXCHANGE);
    const hash = await setup.spend({ to: address, amount: ETHER });
    await setup.settle();
    const { outcome, said } = await book.recover();
    expect(outcome).toBe('halted');
    expect(said).toContain(`${hash} may have paid one of ${[one.id, other.id].sort().join(', ')}`);
    expect(await book.recover({ attached: new Map([[hash, one.id]]) })).toMatchObject({ outcome: 'recovered' });
    await setup.settle();
    for (const { id } of [one, other]) expect(await setup.status(book, id)).toBe('COMPLETED');
    expect(await stage.holds(EXCHANGE, 'ETH')).toBe(2n * ETHER);
    await book.audit();
  });

  it('that the book has lost is not taken for another, to where it is sent on', async () => {
    const { id } = await setup.withdraw('ETH', '1', EXCHANGE);
    const hash = await setup.spend({ to: await setup.contract(FORWARDS), amount: ETHER });
    await setup.settle();
    expect(await book.recover()).toMatchObject({ outcome: 'halted' });
    expect(await setup.status(book, id)).toBe('REQUESTED');
    const { outcome, said } = await book.recover({ attached: new Map([[hash, 'none']]) });
    expect(outcome).toBe('recovered');
    expect(said).toContain('unexplained outflow of 1 ETH');
    await setup.settle();
    expect(await setup.status(book, id)).toBe('COMPLETED');
    expect(await stage.holds(EXCHANGE, 'ETH')).toBe(2n * ETHER);
    await book.audit();
  });
});

it('a payout of which a token kept a part is offered to the operator, and not paid again', async () => {
  const usdt = stage.dev.contracts.get('USDT') ?? '';
  const before = await stage.holds(EXCHANGE, 'USDT');
  const { id } = await setup.withdraw('USDT', '50', EXCHANGE);
  await chargeTransfers((method, ...params) => stage.node(method, ...params), usdt, { basisPoints: 10n });
  const hash = await setup.spend({ to: EXCHANGE, amount: 50n * UNIT, currency: 'USDT' });
  await setup.settle();
  const { outcome, said } = await book.recover();
  expect(outcome).toBe('halted');
  expect(said).toContain(`${hash} may have paid ${id}`);
  expect(await book.recover({ attached: new Map([[hash, id]]) })).toMatchObject({ outcome: 'recovered' });
  await setup.blocks(6);
  expect(await book.payout(id)).toMatchObject({ status: 'BROADCAST', held_reason: 'RESULT_UNCLEAR' });
  expect((await stage.holds(EXCHANGE, 'USDT')) - before).toBe(49_950_000n);
});

it('a sweep of which a token kept a part is a sweep, and what was lost on its way is a cost', async () => {
  const order = await stage.order(await stage.setup.merchant());
  await stage.pay(order, 'USDT', 10n * UNIT);
  await stage.dev.deposit({ address: order.addressKey, currency: 'ETH', amount: ETHER / 10n, confirmations: 1 });
  await setup.settle();
  await chargeTransfers((method, ...params) => stage.node(method, ...params), stage.dev.contracts.get('USDT') ?? '', {
    basisPoints: 10n,
  });
  const [row] = await book.sql<{ index: number }>('select derivation_index::int as index from payment where id = $1', [
    order.id,
  ]);
  const path = DEPOSIT(row?.index ?? -1);
  const hash = await setup.spend({ to: await setup.keyOf(HOT), amount: 10n * UNIT, currency: 'USDT', path });
  await setup.settle();
  expect(await book.isHalted()).toBe(true);
  expect(await book.recover()).toMatchObject({ outcome: 'recovered' });
  await setup.settle();
  expect(await book.sql('select purpose, status, lost::text from transfer where tx_hash = $1', [hash])).toEqual([
    { purpose: 'SWEEP', status: 'CONFIRMED', lost: '10000' },
  ]);
  await book.audit();
});

it('a payout that was paid in a block which a reorganisation took is held against what was signed since', async () => {
  const { id, nonce } = await setup.waiting(EXCHANGE);
  await setup.blocks(2);
  expect(await setup.status(book, id)).toBe('COMPLETED');
  await setup.restorable.backUp();
  await stage.dev.reorg(2);
  expect(await stage.holds(EXCHANGE, 'ETH')).toBe(0n);
  // Another transaction takes its nonce, and the payout is signed anew.
  await setup.spend({ to: await setup.keyOf(HOT), amount: 1n, nonce });
  const hash = await setup.spend({ to: EXCHANGE, amount: ETHER });
  await stage.dev.mine(6);
  const copy = await setup.restorable.restore('as old as the backup');
  await setup.blocks(0, copy);
  expect(await copy.isHalted()).toBe(true);
  expect(await copy.recover()).toMatchObject({ outcome: 'recovered' });
  await setup.blocks(8, copy);
  expect(await copy.payout(id)).toMatchObject({ status: 'COMPLETED', tx_hash: hash });
  expect(await stage.holds(EXCHANGE, 'ETH')).toBe(ETHER);
  await copy.audit();
});

it('a payout that was attached is not signed anew when its block leaves the chain', async () => {
  const { id } = await setup.withdraw('ETH', '1', EXCHANGE);
  const hash = await setup.spend({ to: EXCHANGE, amount: ETHER });
  const raw = await stage.node('debug_getRawTransaction', hash).catch(() => null);
  await setup.blocks(0);
  expect(await book.recover()).toMatchObject({ outcome: 'recovered' });
  await setup.blocks(2);
  expect(await book.payout(id)).toMatchObject({ status: 'COMPLETED', tx_hash: hash });
  await stage.dev.reorg(3);
  await setup.blocks(5);
  expect(await stage.holds(EXCHANGE, 'ETH')).toBe(0n);
  expect(await book.payout(id)).toMatchObject({ status: 'BROADCAST', tx_hash: hash });
  expect(await book.recover()).toMatchObject({ outcome: 'recovered' });
  await stage.node('eth_sendRawTransaction', raw);
  await setup.blocks(4);
  expect(await book.payout(id)).toMatchObject({ status: 'COMPLETED', tx_hash: hash });
  expect(await stage.holds(EXCHANGE, 'ETH')).toBe(ETHER);
  await book.audit();
});

it('gas for an address is no payout to it of the same amount', async () => {
  const order = await stage.order(await stage.setup.merchant(), 'ETH');
  const { id } = await setup.withdraw('ETH', '0.25', order.addressKey);
  await stage.dev.deposit({ address: await setup.keyOf(GAS), currency: 'ETH', amount: ETHER, confirmations: 1 });
  await setup.spend({ to: order.addressKey, amount: ETHER / 4n, path: GAS });
  await stage.settle(book.watcher);
  expect(await book.recover()).toMatchObject({ outcome: 'recovered' });
  expect(await setup.status(book, id)).toBe('REQUESTED');
});
