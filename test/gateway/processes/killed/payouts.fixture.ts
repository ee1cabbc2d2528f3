// Shops whose payouts are requested and decided while a process dies: two people, a key, money and a policy; and the
// steps of a payout that end in one commit each, as they are asked of any process.

import { randomBytes, randomUUID } from 'node:crypto';
import { exchange, graphql, rest, type Answer, type Json } from '../../../support/clients.ts';
import { dataOf } from '../../../support/expectations.ts';
import type { TestGateway } from '../../../support/gateway/gateway.ts';
import { confirm, join, signIn, signUp, type SignedIn } from '../../../support/people.ts';
import { until } from '../../../support/until.ts';
import type { Face } from '../api-processes.fixture.ts';

const POLICY = `mutation ($input: PayoutPolicyInput!) { updatePayoutPolicy(input: $input) { version } }`;
const KEY = `mutation { createApiKey(input: { name: "Till", permissions: [READ_PAYMENTS, READ_WALLET, WITHDRAW] }) {
  keyId secret } }`;
const ADD = 'mutation ($to: String!) { addPayoutAddress(network: "ETH", address: $to, label: "Bank") { id } }';
const RULE = 'mutation ($input: SettlementInput!) { saveSettlementRule(input: $input) { id } }';
const USDT = { currency: 'USDT', network: 'ETH' } as const;

/** A shop with 24.75 USDT, of which more than 5 in a day wait for an approval. */
export interface Shop {
  readonly id: string;
  readonly owner: SignedIn;
  /** May approve. */
  readonly admin: SignedIn;
  /** Of the gateway. */
  readonly operator: SignedIn;
  /** A token of the owner's key. */
  readonly key: string;
  readonly orderId: string;
  /** The addresses that only this shop pays to, by what asks for it: a repeat asks for the same. */
  readonly addresses: Map<string, string>;
}

/** Opens a shop. The money comes over the chain, so somebody has to observe it. */
export async function openShop(gateway: TestGateway, operator: SignedIn): Promise<Shop> {
  const owner = await signUp(gateway, { isConfirmed: true });
  const { id, email } = await join(gateway, { merchantId: owner.merchantId, role: 'ADMIN' });
  await gateway.sql('update membership set approves_from = created_at where person_id = $1', [id]);
  const admin = await signIn(gateway, email);
  await confirm(admin);
  const key = await exchange(gateway, (await owner.graphql(KEY)).body.data.createApiKey);
  const order = dataOf(await rest(gateway, owner.token)('POST', '/payments', { ...USDT, amount: '25' }), 201);
  const orderId = order.orderId as string;
  dataOf(await rest(gateway, owner.token)('POST', `/sandbox/payments/${orderId}/deposit`, {}));
  await until(async () => {
    const payment = dataOf(await rest(gateway, owner.token)('GET', `/payments/${orderId}`));
    return payment.status === 'SUCCEEDED';
  });
  await owner.graphql(POLICY, { input: { version: 0, limits: [{ ...USDT, approvalAbove: '5' }] } });
  return { id: owner.merchantId, owner, admin, operator, key, orderId, addresses: new Map() };
}

function addressFor({ addresses }: Shop, what: string): string {
  const address = addresses.get(what) ?? `0x${randomBytes(20).toString('hex')}`;
  addresses.set(what, address);
  return address;
}

/** A change of a payout that is committed whole or not at all. */
export interface Step {
  readonly name: string;
  /** Makes what it is about; its result is handed to the step. */
  readonly prepare: (gateway: TestGateway, shop: Shop) => Promise<string>;
  /** Asks a process for it. */
  readonly ask?: (face: Face, shop: Shop, prepared: string) => Promise<Answer>;
  /** Makes it due, for an observer that finds it by itself. */
  readonly makeDue?: (gateway: TestGateway, shop: Shop, prepared: string) => Promise<unknown>;
  /** A statement of its transaction, and of no other. */
  readonly within: RegExp;
  /** The code of a repeat of what is done; null: it answers as the first time. */
  readonly repeated: string | null;
}

const keyed = (face: Face, shop: Shop, path: string, body: object, key: string): Promise<Answer> =>
  rest(face, shop.key)('POST', path, body, { 'idempotency-key': key });

const withdraw = (face: Face, shop: Shop, amount: string, key: string): Promise<Answer> =>
  keyed(face, shop, '/wallet/withdraw', { ...USDT, amount, address: addressFor(shop, key) }, key);

const batch = (face: Face, shop: Shop, amount: string, key: string): Promise<Answer> => {
  const rows = [1, 2, 3].map((nth) => ({ ...USDT, amount, address: addressFor(shop, `${key}/${String(nth)}`) }));
  return keyed(face, shop, '/wallet/batches', { rows }, key);
};

const newKey = () => Promise.resolve<string>(randomUUID());

/** A withdrawal by the key, which waits. */
async function waiting(gateway: TestGateway, shop: Shop): Promise<string> {
  return dataOf(await withdraw(gateway, shop, '6', randomUUID()), 201).withdrawalId as string;
}

async function waitingBatch(gateway: TestGateway, shop: Shop): Promise<string> {
  return dataOf(await batch(gateway, shop, '2', randomUUID()), 201).id as string;
}

async function waitingRefund(gateway: TestGateway, shop: Shop): Promise<string> {
  const body = { amount: '6', address: addressFor(shop, randomUUID()) };
  return dataOf(await rest(gateway, shop.key)('POST', `/payments/${shop.orderId}/refund`, body), 201)
    .refundId as string;
}

type Person = 'owner' | 'admin';
const decide = (person: Person, text: string) => (face: Face, shop: Shop, id: string) =>
  graphql(face, shop[person].token)(`mutation ($id: ID!) { ${text} }`, { id });
const approve = decide('admin', 'approvePayout(id: $id)');
const reject = decide('admin', 'rejectPayout(id: $id, reason: "not ours")');

const REQUEST = /insert into "payout"/;
const CHANGE = /update "payout" set/;
const LATE = '4008';

/** Section D's arrows, but those of the signer and of the chain. */
export const STEPS: readonly Step[] = [
  {
    ...{ name: 'a withdrawal that is allowed', prepare: newKey, within: REQUEST, repeated: null },
    ask: (face, shop, key) => withdraw(face, shop, '4', key),
  },
  {
    ...{ name: 'a withdrawal that waits', prepare: newKey, within: REQUEST, repeated: null },
    ask: (face, shop, key) => withdraw(face, shop, '6', key),
  },
  {
    ...{ name: 'a refund that is allowed', prepare: newKey, within: REQUEST, repeated: null },
    ask: (face, shop, key) => {
      const body = { amount: '4', address: addressFor(shop, key) };
      return keyed(face, shop, `/payments/${shop.orderId}/refund`, body, key);
    },
  },
  {
    ...{ name: 'a batch that is allowed', prepare: newKey, within: REQUEST, repeated: null },
    ask: (face, shop, key) => batch(face, shop, '1', key),
  },
  { name: 'an approval', prepare: waiting, ask: approve, within: CHANGE, repeated: LATE },
  { name: 'an approval of a batch', prepare: waitingBatch, ask: approve, within: CHANGE, repeated: LATE },
  { name: 'a rejection', prepare: waiting, ask: reject, within: CHANGE, repeated: LATE },
  { name: 'a rejection of a batch', prepare: waitingBatch, ask: reject, within: CHANGE, repeated: LATE },
  { name: 'a rejection of a refund', prepare: waitingRefund, ask: reject, within: CHANGE, repeated: LATE },
  {
    ...{ name: 'a cancellation by the maker of the key', prepare: waiting, within: CHANGE, repeated: LATE },
    ask: decide('owner', 'rejectPayout(id: $id, reason: "a mistake")'),
  },
  {
    ...{ name: 'the end of the time to approve', prepare: waiting, within: CHANGE, repeated: null },
    makeDue: ({ sql }, _shop, id) =>
      sql(`update payout set awaits_until = now() - interval '1 second' where id = $1`, [id]),
  },
  {
    ...{ name: 'a failure by the operator', prepare: waiting, within: CHANGE, repeated: LATE },
    ask: (face, { operator }, id) =>
      graphql(face, operator.token)('mutation ($id: ID!) { failPayout(id: $id, reason: "stuck") { id } }', { id }),
  },
  {
    ...{ name: 'a payout by a rule of settlement', within: REQUEST, repeated: null },
    async prepare(_gateway, shop) {
      const { body } = await shop.owner.graphql(ADD, { to: addressFor(shop, 'bank') });
      return body.data.addPayoutAddress.id as string;
    },
    makeDue: (_gateway, { owner }, addressId) =>
      owner.graphql(RULE, { input: { ...USDT, addressId, threshold: '20', keep: '21', schedule: 'ON_THRESHOLD' } }),
  },
];

/** Where a shop stands: its payouts, what is available, what was told and booked. */
export interface Standing {
  readonly payouts: readonly Json[];
  readonly available: string;
  readonly told: readonly string[];
  readonly decisions: readonly string[];
  readonly booked: readonly string[];
}

/** Reads it at one moment; what the signer does with a payout that is on its way is left out. */
export async function standingOf({ sql }: TestGateway, { id }: Shop): Promise<Standing> {
  const [standing] = await sql<Standing>(
    `select
       (select coalesce(json_agg(p order by p.amount), '[]') from (
         select kind, amount::text, failure, batch_id is not null as batched, split_part(decided_by, '_', 1) as decided,
           case when status in ('BROADCAST', 'COMPLETED') then 'REQUESTED' else status end as status
         from payout where merchant_id = $1) p) as payouts,
       (select balance::text from ledger_account
         where owner = $1 and purpose = 'available' and currency = 'USDT') as available,
       array(select type from event
         where merchant_id = $1 and type !~ '[.](broadcast|completed|refunded)$' order by 1) as told,
       array(select action from audit_log where merchant_id = $1 and action ~ '^(PAYOUT|WITHDRAWAL|REFUND|BATCH)'
         order by 1) as decisions,
       array(select split_part(t.reference, '/', 1) || ' ' || p.amount from ledger_transaction t
         join posting p on p.transaction_id = t.id
         where t.merchant_id = $1 and t.reference !~ '^(payout|replace)' order by 1) as booked`,
    [id],
  );
  if (!standing) throw new Error('One row was expected');
  return standing;
}
