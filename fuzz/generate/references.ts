// Placeholders in a request for something that must exist, such as an order: it is chosen when the request is sent, and
// created if there is none yet.

import { setTimeout as rest } from 'node:timers/promises';
import { confirmedBearer, PASSWORD, signIn, type Preparer, type Shop } from '../state/merchants.ts';

/** A value that is resolved when the request is made; `pick` chooses among several. */
export class Ref {
  constructor(
    readonly kind: RefKind,
    readonly pick: number,
  ) {}

  toString(): string {
    return `<${this.kind} ${this.pick}>`;
  }
}

type Source = (preparer: Preparer, shop: Shop) => Promise<readonly string[]> | readonly string[];

const ordersThat = (shop: Shop, is: (order: { status: string; isPaidLate: boolean }) => boolean): string[] =>
  [...shop.orders].filter(([, order]) => is(order)).map(([id]) => id);

async function newOrder({ rest: call }: Preparer, shop: Shop): Promise<string> {
  const { orderId } = await call('POST', '/payments', shop.token, { amount: '5', currency: 'USDT', network: 'ETH' });
  return orderId as string;
}

async function newPaid(preparer: Preparer, shop: Shop): Promise<string> {
  const id = await newOrder(preparer, shop);
  const { status } = await preparer.rest('POST', `/sandbox/payments/${id}/deposit`, shop.token, {});
  shop.orders.set(id, { status: status as string, isManual: false, isPaidLate: false });
  return id;
}

/** An order that expired under the MANUAL policy and was paid in full afterwards. */
async function newLate(preparer: Preparer, shop: Shop): Promise<string> {
  const policy = shop.latePaymentPolicy;
  const { rest: call } = preparer;
  await call('PUT', '/merchant/settings', shop.token, { latePaymentPolicy: 'MANUAL' });
  const id = await newOrder(preparer, shop);
  await call('PUT', '/merchant/settings', shop.token, { latePaymentPolicy: policy });
  await call('POST', `/sandbox/payments/${id}/expire`, shop.token, {});
  await until(async () => (await call('GET', `/payments/${id}`, shop.token)).status === 'EXPIRED');
  await call('POST', `/sandbox/payments/${id}/deposit`, shop.token, {});
  shop.orders.set(id, { status: 'EXPIRED', isManual: true, isPaidLate: true });
  return id;
}

async function newInvoice({ rest: call }: Preparer, shop: Shop): Promise<string> {
  const { invoiceId } = await call('POST', '/invoices', shop.token, { amount: '5', currency: 'USD' });
  return invoiceId as string;
}

/** An open link without an amount, whose form asks for everything and requires nothing. */
async function newLink({ rest: call }: Preparer, shop: Shop): Promise<string> {
  const optionalFields = ['EMAIL', 'NAME', 'PHONE', 'ADDRESS', 'NOTE'];
  const { id } = await call('POST', '/payment-links', shop.token, { name: 'Window', currency: 'USD', optionalFields });
  return id as string;
}

/** The payment of a quote of this invoice, by default a new one. */
async function newQuoted(preparer: Preparer, shop: Shop, invoiceId?: string): Promise<string> {
  const id = invoiceId ?? (await newInvoice(preparer, shop));
  const asset = { currency: 'USDT', network: 'ETH' };
  const { payments } = await preparer.rest('POST', `/checkout/invoices/${id}/choose`, shop.token, asset);
  return payments[0].checkout.id as string;
}

/** An invoice that expired under the MANUAL policy and was paid in full afterwards. */
async function newLateInvoice(preparer: Preparer, shop: Shop): Promise<string> {
  const policy = shop.latePaymentPolicy;
  const { rest: call } = preparer;
  await call('PUT', '/merchant/settings', shop.token, { latePaymentPolicy: 'MANUAL' });
  const id = await newInvoice(preparer, shop);
  await call('PUT', '/merchant/settings', shop.token, { latePaymentPolicy: policy });
  const orderId = await newQuoted(preparer, shop, id);
  await call('POST', `/sandbox/invoices/${id}/expire`, shop.token, {});
  await until(async () => (await call('GET', `/invoices/${id}`, shop.token)).status === 'EXPIRED');
  await call('POST', `/sandbox/payments/${orderId}/deposit`, shop.token, {});
  return id;
}

async function newDelivered({ rest: call, receiver }: Preparer, shop: Shop): Promise<string> {
  const { event_id: id } = await call('POST', '/webhooks/test', shop.token, { url: `${receiver}/test` });
  await until(async () => (await call('GET', `/webhooks/deliveries?event_id=${id}`, shop.token)).items.length > 0);
  shop.events.add(id as string);
  return id as string;
}

async function newKey({ rest: call }: Preparer, shop: Shop): Promise<string> {
  const body = { name: 'Spare', permissions: ['READ_PAYMENTS', 'READ_WALLET'] };
  const { keyId } = await call('POST', '/merchant/api-keys', shop.token, body);
  shop.spareKeys.add(keyId as string);
  return keyId as string;
}

async function newEndpoint({ rest: call, receiver }: Preparer, shop: Shop): Promise<string> {
  const { id } = await call('POST', '/webhooks', shop.token, { url: `${receiver}/more` });
  shop.endpoints.add(id as string);
  return id as string;
}

async function newWithdrawal({ rest: call }: Preparer, shop: Shop): Promise<string> {
  const body = {
    amount: '0.5',
    currency: 'USDT',
    network: 'ETH',
    address: '0x52908400098527886E0F7030069857D2E4169EE7',
  };
  const { withdrawalId } = await call('POST', '/wallet/withdraw', shop.token, body);
  shop.withdrawals.add(withdrawalId as string);
  return withdrawalId as string;
}

async function newBatch({ rest: call }: Preparer, shop: Shop): Promise<string> {
  const row = {
    amount: '0.5',
    currency: 'USDT',
    network: 'ETH',
    address: '0x52908400098527886E0F7030069857D2E4169EE7',
  };
  return (await call('POST', '/wallet/batches', shop.token, { rows: [row] })).id as string;
}

async function newRefund(preparer: Preparer, shop: Shop): Promise<string> {
  const body = { amount: '0.5', address: '0x52908400098527886E0F7030069857D2E4169EE7' };
  const order = await newPaid(preparer, shop);
  return (await preparer.rest('POST', `/payments/${order}/refund`, shop.token, body)).refundId as string;
}

/** Two sessions, so that one can be ended by the other. */
async function twoSessions(preparer: Preparer, shop: Shop): Promise<readonly string[]> {
  while (shop.sessions.length < 2) shop.sessions.push(await signIn(preparer, shop.email, shop.password));
  return shop.sessions.slice(1).map(({ id }) => id);
}

/** Invites somebody new; returns the id of the invitation and the secret of its link, from the mailbox. */
async function newInvitation(
  preparer: Preparer,
  shop: Shop,
): Promise<{ readonly id: string; readonly secret: string }> {
  const email = newAddress();
  const invite = 'mutation ($email: String!) { inviteMember(input: { email: $email, role: VIEWER }) { id } }';
  const { inviteMember } = await preparer.graphql(invite, await confirmedBearer(preparer, shop), { email });
  return { id: inviteMember.id as string, secret: await secretTo(preparer, email) };
}

/** The secret in the newest mail to an address. */
async function secretTo({ graphql }: Preparer, to: string): Promise<string> {
  const { sandboxMails } = await graphql('query ($to: String) { sandboxMails(to: $to) { text } }', null, { to });
  // The last, as a company may be called anything.
  return [...(sandboxMails[0].text as string).matchAll(/#(\S+)$/gm)].at(-1)?.[1] ?? '';
}

/** Lets somebody new in; returns their id. */
async function newMember(preparer: Preparer, shop: Shop): Promise<string> {
  const { secret } = await newInvitation(preparer, shop);
  const accept = `mutation ($token: String!) {
    acceptInvitation(token: $token, password: "a sentence of their own") { accessToken }
  }`;
  const { acceptInvitation } = await preparer.graphql(accept, null, { token: secret });
  const { me } = await preparer.graphql('{ me { id } }', acceptInvitation.accessToken as string);
  return me.id as string;
}

async function newRole(preparer: Preparer, shop: Shop): Promise<string> {
  const make = 'mutation ($name: String!) { createRole(name: $name, permissions: [READ_PAYMENTS]) { id } }';
  const name = `Role ${process.hrtime.bigint().toString(36)}`;
  const { createRole } = await preparer.graphql(make, await confirmedBearer(preparer, shop), { name });
  return createRole.id as string;
}

/** An address of the book: another one each time, as the book has each once. */
async function newBooked(preparer: Preparer, shop: Shop): Promise<string> {
  const add =
    'mutation ($address: String!) { addPayoutAddress(network: "ETH", address: $address, label: "Bank") { id } }';
  const address = `0x${process.hrtime.bigint().toString(16).padStart(40, '4')}`;
  const { addPayoutAddress } = await preparer.graphql(add, await confirmedBearer(preparer, shop), { address });
  return addPayoutAddress.id as string;
}

/** The rule of an asset: each asset has one, so the last one's place is taken. */
async function newRule(preparer: Preparer, shop: Shop): Promise<string> {
  const save = `mutation ($addressId: ID!) { saveSettlementRule(input: {
    currency: "USDT", network: "ETH", addressId: $addressId, threshold: "900000", schedule: DAILY, hour: 1 }) { id } }`;
  const addressId = await newBooked(preparer, shop);
  const { saveSettlementRule } = await preparer.graphql(save, await confirmedBearer(preparer, shop), { addressId });
  return saveSettlementRule.id as string;
}

async function newReset(preparer: Preparer, shop: Shop): Promise<string> {
  const ask = 'mutation ($email: String!) { requestPasswordReset(email: $email) }';
  await preparer.graphql(ask, null, { email: shop.email });
  return secretTo(preparer, shop.email);
}

/** The link that confirms the address of somebody new. */
async function newVerify(preparer: Preparer): Promise<string> {
  return secretTo(preparer, (await newPerson(preparer)).email);
}

/** The link that brings back the address of somebody new, who has changed it. */
async function newRevert(preparer: Preparer): Promise<string> {
  const { email, bearer } = await newPerson(preparer);
  await preparer.graphql('mutation ($password: String!) { confirmPassword(password: $password) }', bearer, {
    password: PASSWORD,
  });
  await preparer.graphql('mutation ($email: String!) { changeEmail(email: $email) }', bearer, { email: newAddress() });
  return secretTo(preparer, email);
}

async function newPerson(preparer: Preparer): Promise<{ readonly email: string; readonly bearer: string }> {
  const email = newAddress();
  await preparer.rest('POST', '/merchant/register', null, { email, companyName: 'Newcomer', password: PASSWORD });
  return { email, bearer: (await signIn(preparer, email, PASSWORD)).bearer };
}

const newAddress = () => `fuzz-${process.hrtime.bigint().toString(36)}@example.com`;

/** A challenge that a passkey would have to answer. */
async function newPasskeySignIn({ graphql }: Preparer): Promise<string> {
  const { startPasskeySignIn } = await graphql('mutation { startPasskeySignIn { id } }', null);
  return startPasskeySignIn.id as string;
}

async function newTotpSetup(preparer: Preparer, shop: Shop): Promise<string> {
  const bearer = await confirmedBearer(preparer, shop);
  const { startTotp } = await preparer.graphql('mutation { startTotp { id } }', bearer);
  return startTotp.id as string;
}

const orElse = async (known: Iterable<string>, make: () => Promise<string>): Promise<readonly string[]> => {
  const list = [...known];
  return list.length > 0 ? list : [await make()];
};

/** The things that may be referred to. Those that a success uses up are created anew each time. */
const SOURCES = {
  pendingOrder: (preparer, shop) =>
    orElse(
      ordersThat(shop, ({ status }) => status === 'PENDING'),
      () => newOrder(preparer, shop),
    ),
  freshOrder: async (preparer, shop) => [await newOrder(preparer, shop)],
  anyOrder: (preparer, shop) => orElse(shop.orders.keys(), () => newOrder(preparer, shop)),
  paidOrder: async (preparer, shop) => [await newPaid(preparer, shop)],
  lateOrder: async (preparer, shop) => [await newLate(preparer, shop)],
  freshInvoice: async (preparer, shop) => [await newInvoice(preparer, shop)],
  lateInvoice: async (preparer, shop) => [await newLateInvoice(preparer, shop)],
  openLink: async (preparer, shop) => [await newLink(preparer, shop)],
  quotedOrder: async (preparer, shop) => [await newQuoted(preparer, shop)],
  spareKey: (preparer, shop) => orElse(shop.spareKeys, () => newKey(preparer, shop)),
  endpoint: (preparer, shop) => orElse(shop.endpoints, () => newEndpoint(preparer, shop)),
  deliveredEvent: (preparer, shop) => orElse(shop.events, () => newDelivered(preparer, shop)),
  withdrawal: (preparer, shop) => orElse(shop.withdrawals, () => newWithdrawal(preparer, shop)),
  refund: async (preparer, shop) => [await newRefund(preparer, shop)],
  batch: async (preparer, shop) => [await newBatch(preparer, shop)],
  otherSession: twoSessions,
  member: async (preparer, shop) => [await newMember(preparer, shop)],
  role: async (preparer, shop) => [await newRole(preparer, shop)],
  booked: async (preparer, shop) => [await newBooked(preparer, shop)],
  rule: async (preparer, shop) => [await newRule(preparer, shop)],
  openInvitation: async (preparer, shop) => [(await newInvitation(preparer, shop)).id],
  invitationSecret: async (preparer, shop) => [(await newInvitation(preparer, shop)).secret],
  resetSecret: async (preparer, shop) => [await newReset(preparer, shop)],
  verifySecret: async (preparer) => [await newVerify(preparer)],
  revertSecret: async (preparer) => [await newRevert(preparer)],
  passkeySignIn: async (preparer) => [await newPasskeySignIn(preparer)],
  totpSetup: async (preparer, shop) => [await newTotpSetup(preparer, shop)],
  ownMerchant: (_, shop) => [shop.merchantId],
  ownKeyId: (_, shop) => [shop.keyId],
  ownSecret: (_, shop) => [shop.secret],
  ownEmail: (_, shop) => [shop.email],
  ownPassword: (_, shop) => [shop.password],
  receiver: ({ receiver }) => ['one', 'two', 'three'].map((name) => `${receiver}/${name}`),
  newEmail: () => [newAddress()],
  cursorOfPayments: cursors('payments'),
  cursorOfInvoices: cursors('invoices'),
  cursorOfPaymentLinks: cursors('paymentLinks'),
  cursorOfReceipts: cursors('receipts'),
  cursorOfMovements: cursors('movements'),
  cursorOfWithdrawals: cursors('withdrawals'),
  cursorOfApiLogs: cursors('apiLogs'),
  cursorOfWebhookDeliveries: cursors('webhookDeliveries'),
  cursorOfAuditLog: cursors('auditLog'),
  cursorOfRefunds: cursors('refunds'),
  cursorOfPayoutBatches: cursors('payoutBatches'),
} satisfies Record<string, Source>;

export type RefKind = keyof typeof SOURCES;

function cursors(list: string): Source {
  return (_, shop) => shop.cursors.get(list) ?? [];
}

/** Resolves a reference; undefined if there is nothing, as for a cursor before any page was read. */
export async function resolveRef(preparer: Preparer, shop: Shop, { kind, pick }: Ref): Promise<string | undefined> {
  const source: Source = SOURCES[kind];
  const found = await source(preparer, shop);
  return found[pick % Math.max(1, found.length)];
}

/** A copy of a value with every reference in it resolved. */
export async function resolveAll(preparer: Preparer, shop: Shop, value: unknown): Promise<unknown> {
  if (value instanceof Ref) return resolveRef(preparer, shop, value);
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) {
    const items: unknown[] = [];
    for (const item of value as unknown[]) items.push(await resolveAll(preparer, shop, item));
    return items;
  }
  const copy: Record<string, unknown> = {};
  for (const [name, inner] of Object.entries(value)) {
    const found = await resolveAll(preparer, shop, inner);
    // As an own property, even if the name is `__proto__`.
    if (found !== undefined)
      Object.defineProperty(copy, name, { value: found, enumerable: true, configurable: true, writable: true });
  }
  return copy;
}

const PATIENCE_MS = 20_000;

async function until(isSo: () => Promise<boolean>): Promise<void> {
  const end = performance.now() + PATIENCE_MS;
  while (!(await isSo())) {
    if (performance.now() > end) throw new Error('What a request needs did not come about in time');
    await rest(50);
  }
}
