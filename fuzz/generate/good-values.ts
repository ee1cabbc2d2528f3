// Valid values by field name, for REST bodies, queries and GraphQL arguments.

import fc from 'fast-check';
import { Ref, type RefKind } from './references.ts';

const ref = (kind: RefKind) => fc.nat(1_000).map((pick) => new Ref(kind, pick));
const oneOf = <Value>(...values: readonly Value[]) => fc.constantFrom(...values);

const PERMISSIONS = [
  ...['READ_PAYMENTS', 'CREATE_PAYMENTS', 'CANCEL_PAYMENTS', 'READ_WALLET', 'WITHDRAW'],
  ...['MANAGE_WEBHOOKS', 'READ_REPORTS', 'MANAGE_SETTINGS'],
];
const EVENT_TYPES = [
  ...['payment.succeeded', 'payment.failed', 'payment.expired', 'payment.refunded'],
  ...['invoice.created', 'invoice.processing', 'invoice.settled', 'invoice.failed', 'invoice.expired'],
  'invoice.refunded',
];
const ASSET = { currency: 'USDT', network: 'ETH' };
const ADDRESSES = ['0x52908400098527886E0F7030069857D2E4169EE7', '0xde709f2102306220921060314715629080e2fb77'];

const words = (most: number) =>
  fc
    .oneof(
      fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: most }),
      oneOf('Zwei Dosen Assam', '茶', '😀 & <b>', "O'Neill", '=1+1', '__proto__', 'constructor', 'ß'),
    )
    .filter((text) => text.trim() !== '');

/** Small amounts, so that no run uses up its merchants' money. */
const amount = fc
  .integer({ min: 1, max: 500 })
  .map((cents) => `${Math.trunc(cents / 100)}.${String(cents % 100).padStart(2, '0')}`);

const day = fc
  .integer({ min: 0, max: 400 })
  .map((days) => new Date(Date.UTC(2026, 0, 1) + days * 86_400_000).toISOString());
const date = fc.oneof(
  day.map((instant) => instant.slice(0, 10)),
  day,
  day.map((instant) => instant.replace('Z', '+02:00')),
);

const url = fc.oneof(ref('receiver') as fc.Arbitrary<unknown>, oneOf('http://127.0.0.1:9/closed', 'https://[::1]/'));
const browserUrl = oneOf('https://shop.example/thanks?order=1', 'http://localhost/ok#paid', null);
const password = fc.integer({ min: 1, max: 1e9 }).map((number) => `a sentence with ${number}`);

const batchRow = fc.record({
  ...{ currency: oneOf('USDT'), network: oneOf('ETH', 'erc20'), amount: oneOf('0.01', '0.02') },
  address: oneOf('0x52908400098527886E0F7030069857D2E4169EE7', `0x${'3'.repeat(40)}`),
});
const payoutStates = oneOf(['REQUESTED'], ['COMPLETED', 'FAILED'], ['AWAITING_APPROVAL', 'REJECTED']);

/** Good values by `operation.field`, or else by `field`; operations are named as in the schema. */
const GOOD: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  amount: amount.map((text) => (text === '0.00' ? '1' : text)),
  'createPayment.amount': amount.map((text) => `1${text}`),
  needsAttention: oneOf(true, false),
  'search.text': oneOf('KC-1', 'ord_', 'inv_0', 'wdr_', 'rfd_', 'ann@', '%', ADDRESSES[0], 'f'.repeat(64), '😀'),
  'refundPayment.amount': oneOf('0.01', '0.5', '1'),
  'withdraw.amount': oneOf('0.01', '0.02', '0.5'),
  'simulateDeposit.amount': oneOf('0.5', '1', '1.000001'),
  'simulateDeposit.confirmations': oneOf(-1, 0, 1, 2, 3),
  currency: oneOf('USDT', 'USDC', 'usdt'),
  'createPayment.currency': oneOf('USDT', 'USDC', 'ETH', 'Usdt'),
  'createInvoice.currency': oneOf('EUR', 'usd', 'JPY', 'USDT'),
  'createInvoice.amount': oneOf('5', '12', '400'),
  'invoices.currency': oneOf('EUR', 'USD'),
  'invoices.status': oneOf(['OPEN'], ['SETTLED', 'FAILED'], ['EXPIRED', 'CANCELED', 'PROCESSING']),
  'invoices.cursor': ref('cursorOfInvoices'),
  'invoices.after': ref('cursorOfInvoices'),
  acceptedAssets: oneOf(null, [ASSET], [ASSET, { currency: 'ETH', network: 'ETH' }]),
  // What the settings do not accept cannot be asked for.
  'updateSettings.acceptedAssets': oneOf(null),
  merchantInvoiceId: fc.uuid(),
  linkId: oneOf('lnk_0'),
  'submitPaymentLink.linkId': ref('openLink'),
  'submitPaymentLink.id': ref('openLink'),
  'submitPaymentLink.amount': oneOf('5', '12', '400'),
  ...{ 'submitPaymentLink.email': oneOf('ann@customer.example'), phone: words(60), note: words(60) },
  ...{ 'paymentLink.id': ref('openLink'), 'updatePaymentLink.id': ref('openLink'), 'linkCheckout.id': ref('openLink') },
  'createPaymentLink.currency': oneOf('EUR', 'usd', 'JPY', 'USDT'),
  'createPaymentLink.amount': oneOf(null),
  'createPaymentLink.enabled': fc.constant(true),
  'updatePaymentLink.enabled': fc.constant(true),
  minAmount: oneOf('1', null),
  maxAmount: oneOf('50000', null),
  requiredFields: oneOf([]),
  optionalFields: fc.constant(['EMAIL', 'NAME', 'PHONE', 'ADDRESS', 'NOTE']),
  maxUses: fc.integer({ min: 1_000, max: 1_000_000_000 }),
  endsAt: oneOf(null, '2100-01-01T00:00:00Z'),
  customerMails: oneOf([], ['RECEIPT'], ['REFUND', 'UNDERPAID', 'RECEIPT']),
  customerDataDays: oneOf(30, 3_650, null),
  supportEmail: oneOf('help@shop.example', null),
  accountingCurrency: oneOf('EUR', 'jpy', null),
  fiat: fc.boolean(),
  ...{ 'paymentLinks.cursor': ref('cursorOfPaymentLinks'), 'paymentLinks.after': ref('cursorOfPaymentLinks') },
  ...{ 'receipts.cursor': ref('cursorOfReceipts'), 'receipts.after': ref('cursorOfReceipts') },
  ...{ 'movements.cursor': ref('cursorOfMovements'), 'movements.after': ref('cursorOfMovements') },
  order: oneOf('NEWEST_FIRST', null),
  ...{ 'receipts.orderId': ref('anyOrder'), 'receipts.invoiceId': ref('freshInvoice') },
  rateSpread: fc.integer({ min: -1_000, max: 1_000 }),
  fixedRates: oneOf([], [{ asset: 'usdt', currency: 'ISK', rate: '137.5' }]),
  'rates.currency': oneOf('EUR', 'jpy', 'USD', 'USDT'),
  // Of currencies that no invoice here is priced in, so that coins keep their rates.
  code: oneOf('GBP', 'chf'),
  usd: oneOf('1.2', '0.000000000000000001', null),
  invoiceExpirationMinutes: fc.integer({ min: 30, max: 43_200 }),
  quoteMinutes: fc.integer({ min: 5, max: 60 }),
  network: oneOf('ETH', 'eth', 'ERC20'),
  address: oneOf(...ADDRESSES),
  merchantOrderId: words(60),
  merchantWithdrawalId: fc.uuid(),
  productName: words(60),
  customerEmail: oneOf('ann@customer.example', 'o+b@example.co.uk'),
  callbackUrl: url,
  returnUrl: browserUrl,
  metadata: fc.dictionary(fc.string({ minLength: 1, maxLength: 20 }), fc.string({ maxLength: 50 }), { maxKeys: 5 }),
  test: fc.boolean(),
  status: oneOf(['PENDING'], ['SUCCEEDED', 'FAILED'], ['EXPIRED', 'CANCELED', 'CONFIRMING']),
  'webhookDeliveries.status': oneOf(['SUCCESS'], ['PENDING', 'RETRYING'], ['FAILED', 'DISABLED']),
  startDate: date,
  endDate: date,
  limit: fc.integer({ min: 1, max: 100 }),
  first: fc.integer({ min: 1, max: 8 }),
  'events.after': fc.integer({ min: 0, max: 50 }),
  'eventAdded.after': fc.constant(0),
  'payments.cursor': ref('cursorOfPayments'),
  'payments.after': ref('cursorOfPayments'),
  'withdrawals.cursor': ref('cursorOfWithdrawals'),
  'payoutBatch.id': ref('batch'),
  ...{ batchId: ref('batch'), allowDuplicates: oneOf(true) },
  'payoutBatches.cursor': ref('cursorOfPayoutBatches'),
  'payoutBatches.after': ref('cursorOfPayoutBatches'),
  rows: fc.array(batchRow, { minLength: 1, maxLength: 3 }),
  'withdrawals.after': ref('cursorOfWithdrawals'),
  'apiLogs.cursor': ref('cursorOfApiLogs'),
  'apiLogs.after': ref('cursorOfApiLogs'),
  'webhookDeliveries.cursor': ref('cursorOfWebhookDeliveries'),
  'webhookDeliveries.after': ref('cursorOfWebhookDeliveries'),
  'auditLog.after': ref('cursorOfAuditLog'),
  'refunds.after': ref('cursorOfRefunds'),
  'refunds.cursor': ref('cursorOfRefunds'),
  ...{ 'paymentRefunds.after': ref('cursorOfRefunds'), 'paymentRefunds.cursor': ref('cursorOfRefunds') },
  'paymentRefunds.id': ref('paidOrder'),
  'refund.id': ref('refund'),
  ...{ addressId: oneOf(null), label: words(60), reason: words(60), version: fc.nat(3) },
  // Other rules would refuse what other calls ask for.
  ...{ bookOnly: oneOf(false), listedOnly: oneOf(false), refundsNeedApproval: oneOf(false) },
  ...{ requireSecondFactor: oneOf(false), 'removePayoutAddress.id': ref('booked') },
  // A limit that nothing here comes near.
  limits: oneOf([], [{ currency: 'USDT', network: 'ETH', perPayout: '1000000', perDay: '100000000' }]),
  // More than the shop ever has: nothing leaves by itself.
  ...{
    threshold: oneOf('900000'),
    keep: oneOf('0', '1.5'),
    schedule: oneOf('DAILY'),
    hour: fc.nat(23),
    day: oneOf(null),
  },
  ...{ enabled: fc.boolean(), 'saveSettlementRule.addressId': ref('booked'), 'deleteSettlementRule.id': ref('rule') },
  ...{ 'approvePayout.id': ref('withdrawal'), 'rejectPayout.id': ref('withdrawal') },
  ...{ 'refunds.status': payoutStates, 'withdrawals.status': payoutStates },
  'refunds.paymentId': ref('anyOrder'),
  'webhookDeliveries.paymentId': ref('anyOrder'),
  ...{ 'webhookDeliveries.endpointId': ref('endpoint'), 'webhookDeliveries.endpoint_id': ref('endpoint') },
  ...{ eventType: oneOf(...EVENT_TYPES), event_type: oneOf(...EVENT_TYPES), since: date, until: date },
  ...{
    method: oneOf('GET', 'POST', 'WS'),
    statusClass: fc.integer({ min: 1, max: 5 }),
    source: oneOf('KEY', 'SESSION'),
  },
  ...{ 'apiLogs.path': oneOf('/api/v1/payments', '/graphql'), 'apiLogs.errorCode': oneOf('2001', '2004') },
  'webhookEndpointStatistics.hours': fc.integer({ min: 1, max: 168 }),
  groupBy: oneOf('DAY', 'WEEK', 'MONTH'),
  format: oneOf('json', 'csv'),
  name: words(50),
  permissions: fc.subarray(PERMISSIONS, { minLength: 1 }),
  ipWhitelist: oneOf([], ['203.0.113.7'], ['198.51.100.0/24', '10.0.0.0/8']),
  companyName: words(60),
  email: ref('newEmail'),
  'login.email': ref('ownEmail'),
  'eraseCustomer.email': oneOf('ann@customer.example', 'nobody@customer.example'),
  'login.password': ref('ownPassword'),
  'changePassword.current': ref('ownPassword'),
  'confirmPassword.password': ref('ownPassword'),
  password,
  'createAccessToken.keyId': ref('ownKeyId'),
  'createAccessToken.secret': ref('ownSecret'),
  expirationMinutes: fc.integer({ min: 30, max: 1440 }),
  underpaymentTolerance: oneOf(0, 0.5, 12.25, 50),
  latePaymentPolicy: oneOf('ACCEPT', 'MANUAL'),
  defaultReturnUrl: browserUrl,
  logoUrl: browserUrl,
  accentColor: oneOf('#1d6fb8', '#FFFFFF', null),
  locale: oneOf('en', 'pt-BR', null),
  url,
  // A disabled endpoint takes no test events.
  'configureWebhook.enabled': fc.constant(true),
  enabled: fc.boolean(),
  events: fc.subarray(EVENT_TYPES, { minLength: 1 }),
  // The other form knows few of the events, and shares no address with this one.
  form: fc.constant('TURNPIKE'),
  description: words(60),
  overlapHours: fc.integer({ min: 0, max: 168 }),
  'mineBlocks.count': oneOf(1, 2, 3),
  'simulateReorg.depth': oneOf(1, 1, 2),
  'payment.id': ref('anyOrder'),
  'cancelPayment.id': ref('freshOrder'),
  'refundPayment.id': ref('paidOrder'),
  'refundPayment.paymentId': ref('paidOrder'),
  'acceptPayment.id': ref('lateOrder'),
  'simulateDeposit.id': ref('pendingOrder'),
  'simulateDeposit.paymentId': ref('pendingOrder'),
  'expirePayment.id': ref('freshOrder'),
  'invoice.id': ref('freshInvoice'),
  'cancelInvoice.id': ref('freshInvoice'),
  'acceptInvoice.id': ref('lateInvoice'),
  'invoiceCheckout.id': ref('freshInvoice'),
  'chooseAsset.id': ref('freshInvoice'),
  'chooseAsset.invoiceId': ref('freshInvoice'),
  'chooseAsset.currency': oneOf('USDT', 'usdc'),
  'expireInvoice.id': ref('freshInvoice'),
  'expireQuote.id': ref('quotedOrder'),
  'invoiceUpdated.id': ref('freshInvoice'),
  'invoiceCheckoutUpdated.id': ref('freshInvoice'),
  'payments.invoiceId': ref('freshInvoice'),
  'checkout.id': ref('anyOrder'),
  'checkoutUpdated.id': ref('anyOrder'),
  'walletTransaction.id': ref('anyOrder'),
  'walletTransaction.payer': oneOf(
    '4uQeVj5tqViQh7yWWGStvkEG1Zmhx6uasJtWCJziofM',
    '0x52908400098527886E0F7030069857D2E4169EE7',
  ),
  'paymentUpdated.id': ref('anyOrder'),
  'withdrawal.id': ref('withdrawal'),
  'updateWebhookEndpoint.id': ref('endpoint'),
  'deleteWebhookEndpoint.id': ref('endpoint'),
  'endSession.id': ref('otherSession'),
  'switchMerchant.merchantId': ref('ownMerchant'),
  'updateProfile.locale': oneOf('en', 'pt-BR'),
  ...{ 'changeMember.id': ref('member'), 'removeMember.id': ref('member'), revokeKeys: fc.boolean() },
  role: oneOf('OWNER', 'ADMIN', 'DEVELOPER', 'ACCOUNTANT', 'SUPPORT', 'VIEWER'),
  roleId: oneOf(null),
  ...{ 'createRole.name': fc.uuid(), 'updateRole.name': fc.uuid() },
  ...{ 'updateRole.id': ref('role'), 'deleteRole.id': ref('role') },
  'revokeInvitation.id': ref('openInvitation'),
  ...{ 'invitation.token': ref('invitationSecret'), 'acceptInvitation.token': ref('invitationSecret') },
  'startOidcInvitation.token': ref('invitationSecret'),
  'resetPassword.token': ref('resetSecret'),
  'requestPasswordReset.email': ref('ownEmail'),
  ...{ 'verifyEmail.token': ref('verifySecret'), 'revertEmail.token': ref('revertSecret') },
  ...{ 'signIn.email': ref('ownEmail'), 'signIn.password': ref('ownPassword') },
  ...{
    'confirm.password': ref('ownPassword'),
    'finishSignIn.password': oneOf(null),
    'finishPasskey.password': oneOf(null),
  },
  ...{ 'confirm.challengeId': oneOf(null), challengeId: ref('passkeySignIn'), 'finishTotp.id': ref('totpSetup') },
  ...{
    'login.code': oneOf(null),
    'confirm.code': oneOf(null),
    'finishSignIn.code': oneOf('123456', '8f2k-8f2k-8f2k-8f2k'),
  },
  ...{ 'finishTotp.code': oneOf('123456'), 'finishPasskey.code': oneOf(null), passkey: oneOf({ id: 'AAAA' }, null) },
  ...{ 'finishTotp.label': oneOf('Phone'), 'finishPasskey.label': oneOf('Laptop') },
  'startPasskeySignIn.operator': oneOf(null, false),
  'signIn.operator': oneOf(null, false),
  ...{ 'freezePayouts.payoutId': oneOf(null), 'freezePayouts.merchantId': oneOf(null), accepted: fc.boolean() },
  ...{ 'operatorActions.after': oneOf(null), 'operatorLog.after': oneOf(null), 'operatorMerchants.after': oneOf(null) },
  ...{ 'operatorMerchants.search': oneOf('shop', null), 'suspendMerchant.id': oneOf(`mer_${'0'.repeat(32)}`) },
  ...{ 'restoreMerchant.id': oneOf(`mer_${'0'.repeat(32)}`), 'inviteMerchant.email': oneOf('new@kettle.example') },
  // One that is used up would be refused; those without are for anybody.
  invitation: oneOf(null),
  ...{ 'failPayout.id': ref('withdrawal'), 'creditSuspense.paymentId': ref('anyOrder') },
  ...{ 'writeOffSuspense.paymentId': oneOf(null), 'approveAction.id': oneOf(`act_${'0'.repeat(32)}`) },
  'rejectAction.id': oneOf(`act_${'0'.repeat(32)}`),
  'liftFreeze.id': oneOf(`frz_${'0'.repeat(32)}`),
  'removeFactor.id': oneOf(`fct_${'0'.repeat(32)}`),
  'removeIdentity.id': oneOf(`idn_${'0'.repeat(32)}`),
  to: ref('ownEmail'),
  keyId: ref('spareKey'),
  event_id: ref('deliveredEvent'),
  eventId: ref('deliveredEvent'),
};

/** Optional fields that are always sent: without them the call would be a different one. */
const ALWAYS = new Set([
  'eventAdded.after',
  'paymentUpdated.id',
  'invoiceUpdated.id',
  'configureWebhook.url',
  'withdraw.address',
  'acceptInvitation.password',
  'confirm.password',
  'saveSettlementRule.hour',
]);

/** Whether a field that is not required is always sent. */
export const isAlwaysSent = (operation: string, field: string): boolean => ALWAYS.has(`${operation}.${field}`);

/** A good value for a field. Throws if the table has none: a new field needs a line there. */
export function goodValue(operation: string, field: string): fc.Arbitrary<unknown> {
  const good = GOOD[`${operation}.${field}`] ?? GOOD[field];
  if (good === undefined) throw new Error(`fuzz/generate/good-values.ts has no values for ${operation}.${field}`);
  return good;
}

/** Good values for fields, by name; those that are not required are sometimes left out. */
export function goodFields(
  operation: string,
  fields: readonly { readonly name: string; readonly isRequired: boolean }[],
): fc.Arbitrary<Record<string, unknown>> {
  const isAlways = ({ name, isRequired }: (typeof fields)[number]) => isRequired || isAlwaysSent(operation, name);
  const values = Object.fromEntries(fields.map(({ name }) => [name, goodValue(operation, name)]));
  return fc.record(values, { requiredKeys: fields.filter(isAlways).map(({ name }) => name), noNullPrototype: true });
}

/** Weights of the operations; the others have 10. Costly operations are requested less often. */
const WEIGHTS: Readonly<Record<string, number>> = {
  ...{
    simulateDeposit: 2,
    refundPayment: 1,
    acceptPayment: 1,
    acceptInvoice: 1,
    withdraw: 2,
    createPayoutBatch: 1,
    expirePayment: 4,
    mineBlocks: 1,
    simulateReorg: 1,
  },
  ...{
    registerMerchant: 2,
    login: 2,
    signIn: 2,
    changePassword: 1,
    logout: 1,
    endSession: 1,
    createWebhookEndpoint: 6,
    createApiKey: 6,
  },
  // No factor can be set up here, and nobody signs in by a provider.
  ...{ finishTotp: 1, finishPasskey: 1, finishSignIn: 2, removeFactor: 1, startTotp: 2, startPasskey: 2 },
  ...{ startOidc: 1, startOidcInvitation: 1, removeIdentity: 1 },
  // No sandbox has a network whose wallets take whole transactions.
  walletTransaction: 1,
  // There are at most 20 roles, 50 invitations and 100 members, and five mails an hour.
  ...{ createRole: 1, updateRole: 1, inviteMember: 1, revokeInvitation: 2, invitation: 1, acceptInvitation: 1 },
  ...{ changeMember: 1, removeMember: 2, resetPassword: 1, requestPasswordReset: 1, addMerchant: 1 },
  // Nobody is an operator here.
  ...{ freezePayouts: 1, liftFreeze: 1, payoutFreezes: 1, setAssetAccepted: 1, stuckPayouts: 1 },
  ...{ failPayout: 1, creditSuspense: 1, writeOffSuspense: 1, withdrawFees: 1, approveAction: 1, rejectAction: 1 },
  ...{ gatewayFunds: 1, operatorActions: 1, operatorLog: 1, operatorCells: 1, inviteMerchant: 1 },
  ...{ operatorMerchants: 1, suspendMerchant: 1, restoreMerchant: 1, networkHealth: 1 },
  ...{ changeEmail: 1, verifyEmail: 2, revertEmail: 2 },
  ...{ eraseCustomer: 2, changeEmail: 1, verifyEmail: 2, revertEmail: 2 },
  ...{
    createPayment: 20,
    payments: 16,
    deleteWebhookEndpoint: 7,
    sendTestEvent: 4,
    resendEvent: 3,
    webhookDeliveryUpdated: 1,
  },
};
export const weightOf = (operation: string): number => WEIGHTS[operation] ?? 10;
