// Creates and changes payment links. A price and its currency are for good: another price is another link.

import type { EntityManager } from '../../database/connection.ts';
import { insertRows, readRows, updateRows } from '../../database/rows.ts';
import type { LinkField } from '../../entities/enums.ts';
import type { AcceptedAsset } from '../../entities/invoice.ts';
import { PaymentLink } from '../../entities/payment-link.ts';
import { GatewayError, invalid, type Fault } from '../../values/errors.ts';
import { isId, newId } from '../../values/id.ts';
import type { Actor } from '../actor.ts';
import { inTransaction, type Deps } from '../deps.ts';
import type { IdempotencyKey, IdempotentResult } from '../idempotency.ts';
import { runIdempotent } from '../idempotent-request.ts';
import { readAcceptedAssets } from '../invoices/choose-asset.ts';
import { readAccepted, readPrice, refuseUnquoted } from '../invoices/create-invoice.ts';
import type { NamedAsset } from '../invoices/requests.ts';
import { recordAudit } from '../merchants/audit-log.ts';
import { refuseBadCallback } from '../payments/create-payment.ts';
import { readRateMerchant } from '../rates/rates.ts';
import { viewLink, type LinkView } from './read-links.ts';
import type { CreateLinkRequest, LinkChange } from './requests.ts';

type LinkDeps = Pick<Deps, 'db' | 'clock' | 'payUrl' | 'rates' | 'webhookAllowPrivate'>;

/**
 * Creates a link. Errors, in the order of the checks: 2001 (currency, amounts), 3003, 3001, 2001 (assets), 5001, 3008,
 * then 2003 and 2002.
 */
export async function createLink(
  deps: LinkDeps,
  actor: Actor,
  request: CreateLinkRequest,
  once: IdempotencyKey | null,
): Promise<IdempotentResult<LinkView>> {
  const { merchantId } = actor;
  const currency = request.currency.toUpperCase();
  const changed = await readChange(deps, deps.db.em, { merchantId, currency }, request);
  const amount = readUnits(request.amount, currency, 'amount');
  const fields = { ...NEW, name: request.name, ...changed, amount, currency };
  refuseContradictions(fields);
  refuseUnquoted(deps, await readRateMerchant(deps.db.em, merchantId), currency);
  return runIdempotent(deps, once, async (em, now) => {
    const link: PaymentLink = {
      ...fields,
      id: newId('lnk', now.getTime()),
      merchantId,
      createdAt: now,
      updatedAt: now,
    };
    await insertRows(em, PaymentLink, [link]);
    const details = { name: link.name, currency, amount: request.amount ?? null };
    await recordAudit(em, actor, { action: 'PAYMENT_LINK_CREATED', target: link.id, details }, now);
    return viewLink(deps, link);
  });
}

/** How every link begins, unless its request says otherwise. */
const NEW = {
  ...{ description: null, minAmount: null, maxAmount: null, acceptedAssets: null },
  ...{ requiredFields: [], optionalFields: [], maxUses: null, uses: 0, endsAt: null, enabled: true },
  ...{ returnUrl: null, callbackUrl: null, metadata: null, expirationMinutes: null },
};

/** Changes what is given of a link; its invoices keep what they have. Errors: 2004, 2001, 3003, 3001, 5001. */
export function updateLink(deps: LinkDeps, actor: Actor, id: string, change: LinkChange): Promise<LinkView> {
  const { merchantId } = actor;
  if (!isId('lnk', id)) throw new GatewayError('NOT_FOUND');
  return inTransaction(deps, async (em) => {
    const [before] = await readRows(em, PaymentLink, 'where id = $1 and merchant_id = $2 for update', [id, merchantId]);
    if (!before) throw new GatewayError('NOT_FOUND');
    const now = deps.clock.now();
    const after = { ...before, ...(await readChange(deps, em, before, change)), updatedAt: now };
    refuseContradictions(after);
    await updateRows(em, PaymentLink, [{ before, after }]);
    await recordAudit(em, actor, { action: 'PAYMENT_LINK_CHANGED', target: id, details: auditable(change) }, now);
    return viewLink(deps, after);
  });
}

/** What the audit log keeps of a change: of the callback URL only the host, as paths and queries may hold secrets. */
function auditable({ callbackUrl, ...change }: LinkChange): Record<string, unknown> {
  return { ...change, ...(callbackUrl == null ? {} : { callbackHost: new URL(callbackUrl).host }) };
}

const PLAIN = [
  'description',
  'maxUses',
  'endsAt',
  'returnUrl',
  'callbackUrl',
  'metadata',
  'expirationMinutes',
] as const;
const NEVER_NULL = ['name', 'requiredFields', 'optionalFields', 'enabled'] as const;

/** The columns that a change sets; what it leaves out is not among them. Errors: 2001, 3003, 3001, 5001. */
async function readChange(
  deps: LinkDeps,
  em: EntityManager,
  { merchantId, currency }: Pick<PaymentLink, 'merchantId' | 'currency'>,
  change: LinkChange,
): Promise<Partial<PaymentLink>> {
  const columns: Record<string, unknown> = {};
  for (const name of PLAIN) if (change[name] !== undefined) columns[name] = change[name];
  for (const name of NEVER_NULL) if (change[name] != null) columns[name] = change[name];
  for (const name of ['minAmount', 'maxAmount'] as const)
    if (change[name] !== undefined) columns[name] = readUnits(change[name], currency, name);
  if (change.acceptedAssets !== undefined)
    columns['acceptedAssets'] = await readOwnAssets(em, merchantId, change.acceptedAssets);
  if (change.callbackUrl != null) refuseBadCallback(deps, change.callbackUrl);
  return columns;
}

async function readOwnAssets(
  em: EntityManager,
  merchantId: string,
  named: readonly NamedAsset[] | null,
): Promise<readonly AcceptedAsset[] | null> {
  return named && readAccepted(named, await readAcceptedAssets(em, merchantId));
}

/** An amount in minor units of its currency. Errors: 2001, 3003. */
const readUnits = (amount: string | null | undefined, currency: string, name: string): bigint | null =>
  amount == null ? null : readPrice({ amount, currency }, `input.${name}`).amount;

/** The fields that may contradict each other. */
interface Rivals {
  readonly amount?: bigint | null | undefined;
  readonly minAmount?: bigint | null | undefined;
  readonly maxAmount?: bigint | null | undefined;
  readonly requiredFields: readonly LinkField[];
  readonly optionalFields: readonly LinkField[];
}

/** 2001 for fields that do not go together. */
function refuseContradictions({ amount, minAmount, maxAmount, requiredFields, optionalFields }: Rivals): void {
  const faults: Fault[] = [];
  if (amount != null) {
    const message = 'is for links without an amount';
    if (minAmount != null) faults.push({ path: 'input.minAmount', message });
    if (maxAmount != null) faults.push({ path: 'input.maxAmount', message });
  }
  if (minAmount != null && maxAmount != null && maxAmount < minAmount)
    faults.push({ path: 'input.maxAmount', message: 'must not be below minAmount' });
  for (const [index, field] of optionalFields.entries())
    if (requiredFields.includes(field))
      faults.push({ path: `input.optionalFields.${String(index)}`, message: 'is required already' });
  if (faults.length > 0) throw invalid(faults);
}
