// A shop whose people go on journeys: an owner, orders that were paid on earlier days, and others of its people.

import { newId } from '../../../src/values/id.ts';
import type { Role } from '../../../src/values/member-permission.ts';
import type { TestGateway } from '../../support/gateway/gateway.ts';
import { confirm, join, PASSWORD, signUp } from '../../support/people.ts';
import type { Journey } from './journey.fixture.ts';

const ORDER = 'mutation ($i: CreatePaymentInput!) { createPayment(input: $i) { id } }';
const PAY = 'mutation ($i: SimulateDepositInput!) { simulateDeposit(input: $i) { id } }';
const SETTINGS = 'mutation ($i: SettingsInput!) { updateSettings(input: $i) { companyName } }';

/** An order to make, and what comes of it. */
interface Order {
  readonly reference: string;
  readonly product: string;
  readonly amount: string;
  /** What is paid; the amount if not said, and nothing if null. */
  readonly paid?: string | null;
  /** When it was made and paid; now if not said. */
  readonly at?: Date;
}

export interface Shop {
  readonly merchantId: string;
  readonly email: string;
  readonly password: string;
  /** Runs an operation as the owner, and returns the data. */
  operate<Data>(query: string, variables?: object): Promise<Data>;
  /** Confirms the owner's password outside of any browser. */
  confirm(): Promise<void>;
  /** Makes an order in USDT on Ethereum; returns its id. */
  order(order: Order): Promise<string>;
  /** Adds somebody with the owner's password; returns their e-mail address. */
  hire(role: Role): Promise<string>;
  /** What a browser has stored in which somebody has put the first steps away. */
  readonly stored: Readonly<Record<string, string>>;
}

/** A shop with its name and its book in euros. */
export async function openShop(gateway: TestGateway): Promise<Shop> {
  const owner = await signUp(gateway, { isConfirmed: true });
  const { merchantId, email } = owner;
  const operate = async <Data>(query: string, variables: object = {}): Promise<Data> => {
    const { body } = await owner.graphql(query, variables);
    if (body.errors) throw new Error(JSON.stringify(body.errors));
    return body.data as Data;
  };
  await operate(SETTINGS, { i: { companyName: 'Blue Kettle Tea', accountingCurrency: 'EUR' } });
  return {
    ...{ merchantId, email, operate, password: PASSWORD },
    confirm: () => confirm(owner),
    order: async ({ reference, product, amount, paid = amount, at }) => {
      const asked = { amount, currency: 'USDT', network: 'ETH', merchantOrderId: reference, productName: product };
      const { createPayment } = await operate<{ createPayment: { id: string } }>(ORDER, { i: asked });
      const { id: paymentId } = createPayment;
      if (paid !== null) await operate(PAY, { i: { paymentId, amount: paid } });
      if (at) await dateBack(gateway, paymentId, at);
      return paymentId;
    },
    hire: async (role) => (await join(gateway, { merchantId, role })).email,
    stored: { [`turnpike/first-run-away/${merchantId}`]: 'yes' },
  };
}

/** Moves a payment and what is in the book about it to an earlier time, past what forbids to change the book. */
async function dateBack(gateway: TestGateway, paymentId: string, at: Date): Promise<void> {
  const booked = await gateway.sql<{ id: string }>(
    'select id from ledger_transaction where payment_id = $1 order by id',
    [paymentId],
  );
  const time = `'${at.toISOString()}'::timestamptz`;
  const moves = booked.map(({ id }, nth) => {
    const next = newId('ltx', at.getTime() + nth);
    return `update ledger_transaction set id = '${next}', created_at = ${time} where id = '${id}';
      update posting set transaction_id = '${next}' where transaction_id = '${id}';`;
  });
  await gateway.sql(`do $$ begin
    set local session_replication_role = replica;
    update payment set created_at = ${time}, completed_at = completed_at - (created_at - ${time}),
      expires_at = expires_at - (created_at - ${time}) where id = '${paymentId}';
    ${moves.join('\n')}
  end $$`);
}

/** Somebody signs in, on the page that says so, and comes to the page with this heading. */
export async function signIn(journey: Journey, email: string, heading: string): Promise<void> {
  const { page, write, press } = journey;
  await page.getByLabel('Password').waitFor();
  await journey.step('sign-in');
  await write(page.getByLabel('E-mail'), email);
  await write(page.getByLabel('Password'), PASSWORD);
  await press(page.getByRole('button', { name: 'Sign in', exact: true }));
  await page.getByRole('heading', { level: 1, name: heading }).waitFor();
}
