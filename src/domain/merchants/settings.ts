// A merchant's settings: the defaults of new payments, and the branding of the payment page.

import { LockMode } from '@mikro-orm/core';
import type { AcceptedAsset } from '../../entities/invoice.ts';
import { CUSTOMER_MAILS, type CustomerMail } from '../../entities/enums.ts';
import { Merchant, type FixedRate, type LatePaymentPolicy } from '../../entities/merchant.ts';
import { formatAmount } from '../../values/amount.ts';
import { GatewayError } from '../../values/errors.ts';
import { RATE_DECIMALS, readRate } from '../../values/prices/price.ts';
import type { Actor } from '../actor.ts';
import { recordAudit } from './audit-log.ts';
import { inTransaction, type Deps } from '../deps.ts';
import { requireAsset } from '../requested-amount.ts';

/** The settings. `underpaymentTolerance` is in percent, with at most two decimals. */
export interface Settings {
  readonly companyName: string;
  readonly expirationMinutes: number;
  readonly underpaymentTolerance: number;
  readonly latePaymentPolicy: LatePaymentPolicy;
  readonly defaultReturnUrl: string | null;
  readonly logoUrl: string | null;
  readonly accentColor: string | null;
  readonly locale: string | null;
  readonly invoiceExpirationMinutes: number;
  /** How long a quote's rate holds. */
  readonly quoteMinutes: number;
  /** What invoices may be paid in unless they say otherwise; null for all that is taken. */
  readonly acceptedAssets: readonly AcceptedAsset[] | null;
  /** In basis points. */
  readonly rateSpread: number;
  readonly fixedRates: readonly FixedRate[];
  /** An ISO 4217 code that receipts are valued in; null for the currency of each invoice. */
  readonly accountingCurrency: string | null;
  /** The mails that customers get; none unless they are named. */
  readonly customerMails: readonly CustomerMail[];
  /** Where customers' answers go. */
  readonly supportEmail: string | null;
  /** After how many days what names customers is removed from orders; null for never. */
  readonly customerDataDays: number | null;
}

/** An asset as a caller names it: codes or aliases in any case. */
interface NamedAsset {
  readonly currency: string;
  readonly network: string;
}

/**
 * What to change. Undefined means no change; null clears a setting that can be empty. Assets are as callers name them.
 */
export type SettingsChange = {
  readonly [Name in Exclude<keyof Settings, 'acceptedAssets'>]?: Settings[Name] | null | undefined;
} & { readonly acceptedAssets?: readonly NamedAsset[] | null | undefined };

export async function readSettings(deps: Pick<Deps, 'db'>, merchantId: string): Promise<Settings> {
  const merchant = await deps.db.em.fork().findOne(Merchant, { id: merchantId });
  if (!merchant) throw new GatewayError('INVALID_TOKEN');
  return toSettings(merchant);
}

/** Changes settings; returns all of them. Errors: 3001 for an accepted asset that does not exist. */
export function updateSettings(
  deps: Pick<Deps, 'db' | 'clock'>,
  actor: Actor,
  change: SettingsChange,
): Promise<Settings> {
  const accepted = change.acceptedAssets?.map(({ currency, network }) => requireAsset(currency, network));
  return inTransaction(deps, async (em) => {
    const merchant = await em.findOne(Merchant, { id: actor.merchantId }, { lockMode: LockMode.PESSIMISTIC_WRITE });
    if (!merchant) throw new GatewayError('INVALID_TOKEN');
    const { companyName, expirationMinutes, underpaymentTolerance, latePaymentPolicy } = change;
    if (companyName != null) merchant.companyName = companyName;
    if (expirationMinutes != null) merchant.expirationMinutes = expirationMinutes;
    if (underpaymentTolerance != null) merchant.toleranceBasisPoints = Math.round(underpaymentTolerance * 100);
    if (latePaymentPolicy != null) merchant.latePaymentPolicy = latePaymentPolicy;
    if (change.invoiceExpirationMinutes != null) merchant.invoiceExpirationMinutes = change.invoiceExpirationMinutes;
    if (change.quoteMinutes != null) merchant.quoteMinutes = change.quoteMinutes;
    if (change.acceptedAssets !== undefined)
      merchant.acceptedAssets = accepted?.map(({ currency, network }) => ({ currency, network })) ?? null;
    if (change.rateSpread != null) merchant.rateSpread = change.rateSpread;
    if (change.fixedRates != null) merchant.fixedRates = change.fixedRates.map(toFixedRate);
    if (change.accountingCurrency !== undefined)
      merchant.accountingCurrency = change.accountingCurrency?.toUpperCase() ?? null;
    const { customerMails, customerDataDays } = change;
    if (customerDataDays !== undefined) merchant.customerDataDays = customerDataDays;
    if (customerMails != null) merchant.customerMails = CUSTOMER_MAILS.filter((mail) => customerMails.includes(mail));
    for (const name of ['defaultReturnUrl', 'logoUrl', 'accentColor', 'locale', 'supportEmail'] as const) {
      const value = change[name];
      if (value !== undefined) merchant[name] = value;
    }
    await em.flush();
    const details = { ...change };
    await recordAudit(em, actor, { action: 'SETTINGS_CHANGED', target: null, details }, deps.clock.now());
    return toSettings(merchant);
  });
}

function toSettings(merchant: Merchant): Settings {
  return {
    companyName: merchant.companyName,
    expirationMinutes: merchant.expirationMinutes,
    underpaymentTolerance: merchant.toleranceBasisPoints / 100,
    latePaymentPolicy: merchant.latePaymentPolicy,
    defaultReturnUrl: merchant.defaultReturnUrl ?? null,
    logoUrl: merchant.logoUrl ?? null,
    accentColor: merchant.accentColor ?? null,
    locale: merchant.locale ?? null,
    invoiceExpirationMinutes: merchant.invoiceExpirationMinutes,
    quoteMinutes: merchant.quoteMinutes,
    acceptedAssets: merchant.acceptedAssets ?? null,
    rateSpread: merchant.rateSpread,
    fixedRates: merchant.fixedRates ?? [],
    accountingCurrency: merchant.accountingCurrency ?? null,
    customerMails: merchant.customerMails,
    supportEmail: merchant.supportEmail ?? null,
    customerDataDays: merchant.customerDataDays ?? null,
  };
}

const toFixedRate = ({ asset, currency, rate }: FixedRate): FixedRate => ({
  asset: asset.toUpperCase(),
  currency: currency.toUpperCase(),
  rate: formatAmount(readRate(rate), RATE_DECIMALS),
});
