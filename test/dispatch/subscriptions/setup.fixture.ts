// Set-up for tests of the event log: a database with merchants, payments and changes, written as the domain writes
// them.

import { LockMode } from '@mikro-orm/core';
import { pino } from 'pino';
import { connectDatabase, query, type Database, type EntityManager } from '../../../src/database/connection.ts';
import { eventRow, recordEvents } from '../../../src/domain/events/record.ts';
import { snapshotPayment } from '../../../src/domain/snapshots/payment.ts';
import { Deposit } from '../../../src/entities/deposit.ts';
import { Payment } from '../../../src/entities/payment.ts';
import { newId } from '../../../src/values/id.ts';
import { createTestDatabase } from '../../support/database/database.ts';
import { PATIENT_DATABASE } from '../../support/patience.ts';

export const log = pino({ level: 'silent' });
const PAY_URL = 'http://localhost/pay';

export interface LiveFixture {
  readonly db: Database;
  readonly payUrl: string;
  /** Runs one statement. */
  sql<Row = Record<string, unknown>>(text: string, parameters?: readonly unknown[]): Promise<Row[]>;
  newMerchant(): Promise<string>;
  /** A pending payment of 100 USDT on ETH, its creation recorded as the product does. */
  newPayment(merchantId: string): Promise<string>;
  /**
   * Changes a payment under its lock, and records the change as its next version; `at` sets the time in the event's id.
   */
  change(paymentId: string, fields?: Partial<Payment>, at?: Date): Promise<void>;
  /** The same within a transaction that the test holds. */
  changeIn(em: EntityManager, paymentId: string, fields?: Partial<Payment>, at?: Date): Promise<void>;
  /** A transaction of the payment, unconfirmed, in the block of this height. */
  newDeposit(paymentId: string, height: number): Promise<void>;
  moveChain(height: number): Promise<void>;
  stop(): Promise<void>;
}

/** Makes all that in a database of its own. */
export async function openLiveFixture(): Promise<LiveFixture> {
  const database = await createTestDatabase();
  const db = await connectDatabase({ url: database.url, poolMax: 12, log, patience: PATIENT_DATABASE });
  const sql = <Row>(text: string, parameters: readonly unknown[] = []) => query<Row>(db.em, text, parameters);
  let index = 0;

  async function changeIn(em: EntityManager, paymentId: string, fields: Partial<Payment> = {}, at = new Date()) {
    const lockMode = LockMode.PESSIMISTIC_WRITE;
    const payment = await em.findOneOrFail(Payment, { id: paymentId }, { lockMode, refresh: true });
    Object.assign(payment, fields, { updatedAt: at, version: payment.version + 1 });
    const deposits = await em.find(Deposit, { paymentId }, { refresh: true });
    const [cursor] = await query<{ height: string }>(em, 'select height from chain_cursor');
    const snapshot = snapshotPayment(payment, deposits, { payUrl: PAY_URL, height: Number(cursor?.height ?? 0) });
    const { merchantId, version } = payment;
    await recordEvents(em, [
      eventRow('sandbox', { type: 'payment.updated', merchantId, version, payment: snapshot, at }),
    ]);
    await em.flush();
  }

  return {
    db,
    payUrl: PAY_URL,
    sql,
    async newMerchant() {
      const id = newId('mer');
      await sql(
        `insert into merchant (id, email, company_name, webhook_secret, created_at) values ($1, $1, 'Tea Shop', '', now())`,
        [id],
      );
      return id;
    },
    async newPayment(merchantId) {
      const id = newId('ord');
      index += 1;
      await sql(
        `with made as (
           insert into payment (id, merchant_id, currency, network, amount, address, address_key, derivation_account,
             derivation_index, status, version, tolerance_basis_points, late_payment_policy, required_confirmations,
             expires_at, created_at, updated_at)
           values ($1, $2, 'USDT', 'ETH', 100000000, $3, $3, 'evm', $4, 'PENDING', 0, 0, 'ACCEPT', 3,
             now() + interval '30 minutes', now(), now()))
         select 1`,
        [id, merchantId, `0x${id}`, index],
      );
      await db.em.fork().transactional((em) => changeIn(em, id));
      return id;
    },
    change: (paymentId, fields, at) => db.em.fork().transactional((em) => changeIn(em, paymentId, fields, at)),
    changeIn,
    async newDeposit(paymentId, height) {
      await sql(
        `insert into deposit (id, network, tx_hash, ordinal, payment_id, merchant_id, currency, amount, status,
           block_hash, block_height, seen_at, late)
         select $2, 'ETH', $2, 0, id, merchant_id, currency, amount, 'PENDING', 'hash', $3, now(), false
         from payment where id = $1`,
        [paymentId, newId('dep'), height],
      );
    },
    async moveChain(height) {
      await sql(
        `insert into chain_cursor (network, height, hash, block_time, tip_height) values ('ETH', $1, 'hash', now(), $1)
         on conflict (network) do update set height = excluded.height, tip_height = excluded.tip_height`,
        [height],
      );
    },
    async stop() {
      await db.close();
      await database.drop();
    },
  };
}
