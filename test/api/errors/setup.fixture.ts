// Set-up of the error-table tests: a gateway with a merchant that has some of everything, and ways to cause faults.

import { Client } from 'pg';
import { issueToken } from '../../../src/access/tokens.ts';
import { freezePayouts, unfreezePayouts } from '../../../src/domain/operator/freezes.ts';
import { PERMISSIONS } from '../../../src/values/permission.ts';
import { deriveSecrets } from '../../../src/values/secrets/keys.ts';
import {
  exchange,
  graphql,
  newMerchant,
  USDT_PAYMENT,
  type Answer,
  type GraphQL,
  type TestMerchant,
} from '../../support/clients.ts';
import { dataOf } from '../../support/expectations.ts';
import { setUpTotp } from '../../support/factors.ts';
import { join, signUp } from '../../support/people.ts';
import { startTestGateway, type TestGateway } from '../../support/gateway/gateway.ts';

export interface Setup {
  readonly gateway: TestGateway;
  /** GraphQL without a token. */
  readonly nobody: { readonly graphql: GraphQL };
  /** Holds every permission, and 99 USDT less what was withdrawn. */
  readonly shop: TestMerchant;
  /** Has no permission but to withdraw. */
  readonly narrow: TestMerchant;
  /** Payments of the shop: one paid, one unpaid. */
  readonly paid: string;
  readonly open: string;
  readonly invoices: Invoices;
  /** A merchantWithdrawalId that is in use. */
  readonly withdrawn: string;
  /** Tokens: of a revoked key, of a key restricted to another address, and a well-signed one of live. */
  readonly revokedToken: string;
  readonly elsewhereToken: string;
  readonly liveToken: string;
  /** The owner of a merchant in a confirmed session, with the id of a custom role that a member has. */
  readonly owner: { readonly id: string; readonly role: string; readonly graphql: GraphQL };
  /** An owner who has to wait before they may make others owners. */
  readonly held: { readonly graphql: GraphQL };
  /** Somebody with a second factor. */
  readonly guarded: { readonly email: string; readonly graphql: GraphQL };
  /** The same in a session that was not confirmed. */
  readonly unconfirmed: { readonly graphql: GraphQL };
}

/** Ids of invoices that refuse something, and a merchantInvoiceId that is in use. */
interface Invoices {
  readonly reference: string;
  readonly canceled: string;
  /** Its merchant has no rate for USDT. */
  readonly unquoted: string;
  /** Coins were chosen for it as often as is allowed. */
  readonly worn: string;
}

const SECRET = 'Jx2v0sQm8kTtYb6nRw4eUz1pLf7hCd3g';
const RECIPIENT = '0x52908400098527886E0F7030069857D2E4169EE7';

/** Starts such a gateway; the caller stops it. */
export async function openSetup(): Promise<Setup> {
  const gateway = await startTestGateway({ WEBHOOK_ALLOW_PRIVATE: 'false', TURNPIKE_SECRET: SECRET });
  const [shop, narrow] = [await newMerchant(gateway), await newMerchant(gateway, ['WITHDRAW'])];
  const create = async (fields: object = {}): Promise<string> =>
    dataOf(await shop.rest('POST', '/payments', { ...USDT_PAYMENT, ...fields }), 201).orderId;
  const paid = await create({ amount: '100' });
  dataOf(await shop.rest('POST', `/sandbox/payments/${paid}/deposit`, {}));
  const withdrawn = 'payday-1';
  const money = { currency: 'USDT', network: 'ETH', amount: '1', address: RECIPIENT, merchantWithdrawalId: withdrawn };
  dataOf(await shop.rest('POST', '/wallet/withdraw', money), 201);

  const revoked = await newToken(gateway, shop);
  dataOf(await shop.rest('DELETE', `/merchant/api-keys/${revoked.keyId}`));
  const elsewhere = await newToken(gateway, shop);
  dataOf(await shop.rest('PUT', `/merchant/api-keys/${elsewhere.keyId}`, { ipWhitelist: ['192.0.2.1'] }));
  const claims = { merchantId: shop.id, keyId: shop.keyId, sessionId: null, permissions: PERMISSIONS };
  const live = await issueToken(
    { secrets: deriveSecrets(SECRET), environment: 'live', ttlSeconds: 60 },
    claims,
    new Date(),
  );
  return {
    ...{ gateway, shop, narrow, paid, withdrawn },
    nobody: { graphql: graphql(gateway) },
    open: await create(),
    invoices: await makeInvoices(gateway, shop),
    revokedToken: revoked.token,
    elsewhereToken: elsewhere.token,
    liveToken: live.accessToken,
    owner: await openTeam(gateway),
    held: await openHeld(gateway),
    guarded: await openGuarded(gateway),
    unconfirmed: await signUp(gateway),
  };
}

/** An owner with a member who has a custom role. */
async function openTeam(gateway: TestGateway): Promise<Setup['owner']> {
  const owner = await signUp(gateway, { isConfirmed: true });
  const { id } = (await owner.graphql('{ me { id } }')).body.data.me;
  const { body } = await owner.graphql('mutation { createRole(name: "Desk", permissions: [READ_PAYMENTS]) { id } }');
  const { id: role } = body.data.createRole;
  await join(gateway, { merchantId: owner.merchantId, role: 'CUSTOM', roleId: role });
  return { id, role, graphql: owner.graphql };
}

async function openGuarded(gateway: TestGateway): Promise<Setup['guarded']> {
  const owner = await signUp(gateway, { isConfirmed: true });
  await setUpTotp(owner);
  return { email: owner.email, graphql: graphql(gateway) };
}

async function openHeld(gateway: TestGateway): Promise<Setup['held']> {
  const owner = await signUp(gateway, { isConfirmed: true });
  await gateway.sql(`update person set held_until = now() + interval '1 day' where email = $1`, [owner.email]);
  return owner;
}

async function makeInvoices(gateway: TestGateway, shop: TestMerchant): Promise<Invoices> {
  const reference = 'BK-1';
  const create = async ({ rest }: TestMerchant, fields: object = {}): Promise<string> =>
    dataOf(await rest('POST', '/invoices', { amount: '49.90', currency: 'EUR', ...fields }), 201).invoiceId;
  const canceled = await create(shop, { merchantInvoiceId: reference });
  dataOf(await shop.rest('DELETE', `/invoices/${canceled}`));
  const bare = await newMerchant(gateway);
  dataOf(await bare.rest('POST', '/sandbox/rates', { code: 'USDT', usd: null }));
  const worn = await create(shop);
  for (let nth = 0; nth < 10; nth += 1) {
    const asset = { currency: 'USDT', network: 'ETH' };
    const { payments } = dataOf(await shop.rest('POST', `/checkout/invoices/${worn}/choose`, asset));
    dataOf(await shop.rest('POST', `/sandbox/payments/${payments.at(-1).checkout.id}/expire-quote`));
  }
  return { reference, canceled, unquoted: await create(bare), worn };
}

async function newToken(gateway: TestGateway, { rest }: TestMerchant): Promise<{ keyId: string; token: string }> {
  const body = { name: 'Till', permissions: ['READ_PAYMENTS'] };
  const { keyId, secret } = dataOf(await rest('POST', '/merchant/api-keys', body), 201) as Record<string, string>;
  if (keyId === undefined || secret === undefined) throw new Error('A key was made without an id or a secret');
  return { keyId, token: await exchange(gateway, { keyId, secret }) };
}

/** Runs a call while a table that it needs is renamed. */
export async function breakTable({ gateway }: Setup, call: () => Promise<Answer>): Promise<Answer> {
  await gateway.sql('alter table ledger_account rename to ledger_account_gone');
  try {
    return await call();
  } finally {
    await gateway.sql('alter table ledger_account_gone rename to ledger_account');
  }
}

/** Runs a call while the operator has frozen all payouts. */
export async function whilePayoutsAreFrozen({ gateway }: Setup, call: () => Promise<Answer>): Promise<Answer> {
  const operator = { deps: gateway.deps, name: 'a test' };
  const { id } = await freezePayouts(operator, { reason: 'an audit' });
  try {
    return await call();
  } finally {
    await unfreezePayouts(operator, id);
  }
}

/** Runs a function while nothing else can read or write payments. */
export async function whilePaymentsAreLocked<Result>(
  { config }: TestGateway,
  work: (waiting: () => Promise<number>) => Promise<Result>,
): Promise<Result> {
  const client = new Client({ connectionString: config.databaseUrl ?? undefined });
  await client.connect();
  try {
    await client.query('begin');
    await client.query('lock table payment in access exclusive mode');
    return await work(async () => {
      const { rows } = await client.query<{ count: number }>(
        `select count(*)::int as count from pg_locks where relation = 'payment'::regclass and not granted`,
      );
      return rows[0]?.count ?? 0;
    });
  } finally {
    await client.end();
  }
}

/** Makes the same call twice at once while the database blocks one of them; returns the answer of the other. */
export async function twoAtOnce({ gateway }: Setup, call: () => Promise<Answer>): Promise<Answer> {
  const calls: Promise<Answer>[] = [];
  try {
    return await whilePaymentsAreLocked(gateway, async () => {
      calls.push(call(), call());
      return await Promise.race(calls);
    });
  } finally {
    await Promise.all(calls);
  }
}
