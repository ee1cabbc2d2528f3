// A shop that mails its customers, its chain, and the programs that write and send these mails.

import { writeNumbers } from './event-numbers.fixture.ts';
import type { Deps } from '../../src/domain/deps.ts';
import type { CustomerMailing } from '../../src/domain/mail/customer-mails.ts';
import { createMailRelay } from '../../src/mailer/relay-mails.ts';
import { createMailShow } from '../../src/mailer/send-mails.ts';
import { newId } from '../../src/values/id.ts';
import { START, type Setup } from '../domain/book.fixture.ts';

export const KEYS = { linkKey: Buffer.alloc(32, 1), customerKey: Buffer.alloc(32, 3) };
export const SETTINGS = {
  ...{ baseUrl: 'https://pay.kettle.example', payUrl: 'https://pay.kettle.example/pay', ...KEYS },
};
export const MAILING: CustomerMailing = { keys: KEYS, perDay: 1_000 };

/** A mail as it is stored. */
export interface MailRow {
  readonly template: string;
  readonly recipient: string;
  readonly locale: string;
  readonly status: string;
  readonly params: Readonly<Record<string, string>>;
  /** In minutes after the start. */
  readonly due: number;
}

/** A merchant with an owner, who has their address confirmed unless told otherwise, and all mails chosen. */
export async function newShop(setup: Setup, { isVerified = true, mails = '{RECEIPT,UNDERPAID,REFUND}' } = {}) {
  const shop = await setup.merchant();
  await setup.sql(
    `update merchant set customer_mails = $2, company_name = 'Blue Kettle', support_email = 'help@shop.example'
     where id = $1`,
    [shop, mails],
  );
  const owner = newId('usr');
  await setup.sql('insert into person (id, email, name, email_verified_at, created_at) values ($1, $2, $3, $4, $5)', [
    ...[owner, `${owner}@shop.example`, '', isVerified ? START : null, START],
  ]);
  await setup.sql('delete from membership where merchant_id = $1', [shop]);
  await setup.sql(`insert into membership (merchant_id, person_id, role, created_at) values ($1, $2, 'OWNER', $3)`, [
    shop,
    owner,
    START,
  ]);
  return shop;
}

/** The steps that follow a change of an order. */
export function mailSteps(setup: Setup, deps: Deps) {
  return {
    /** Numbers what happened, and writes the mails of it. */
    async relay(mailing = MAILING): Promise<void> {
      await writeNumbers(setup);
      const relay = createMailRelay(deps, mailing);
      while (await relay.processNext());
    },
    /** Ends what is due, as a sandbox without a mail server does. */
    async show(): Promise<void> {
      await createMailShow(deps, SETTINGS).processNext();
    },
    mails: (): Promise<MailRow[]> =>
      setup.sql<MailRow>(
        `select template, recipient, locale, status, params, extract(epoch from due_at - $1)::int / 60 as due
         from mail where order_id is not null order by created_at, template, status, id`,
        [START],
      ),
  };
}
