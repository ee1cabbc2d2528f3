// The services that resolvers use; the composition root creates them once.

import type { BlockList } from 'node:net';
import type { CreatePayment } from '../domain/payments/create-payment.ts';
import type { Deps } from '../domain/deps.ts';
import type { ChooseAsset, CreateInvoice } from '../domain/invoices/requests.ts';
import type { LiveUpdates } from '../domain/events/live-updates.ts';
import type { TestChainControl } from '../domain/test-chain.ts';
import type { PaymentDefaultsCache } from '../domain/merchants/payment-defaults.ts';
import type { SignInAttempts } from '../domain/merchants/sign-in-attempts.ts';
import type { AnswerDeps } from '../domain/factors/answers.ts';
import type { RelyingParty } from '../domain/factors/passkeys.ts';
import type { PeopleDeps } from '../domain/people/members.ts';
import type { MailSettings } from '../mail/render.ts';
import type { ApprovalThresholds } from '../values/approval-thresholds.ts';
import type { Network } from '../values/assets.ts';
import { GatewayError } from '../values/errors.ts';
import type { IdentityProvider } from '../values/identity-provider.ts';
import type { Secrets } from '../values/secrets/keys.ts';
import { readLinkSecret } from '../values/secrets/mail-links.ts';
import { actorOf, type Context } from './operation/context.ts';
import type { ReceivedWebhook } from './types/webhook-receiver.ts';

export interface Services {
  readonly deps: Deps & { readonly secrets: Secrets };
  readonly defaults: PaymentDefaultsCache;
  readonly createPayment: CreatePayment;
  readonly createInvoice: CreateInvoice;
  readonly chooseAsset: ChooseAsset;
  /** Limit on a merchant's unpaid quotes that were made without a token. */
  readonly checkoutOpenLimit: number;
  readonly tokenTtlSeconds: number;
  /** Who may register: anyone if `open`, those whom an operator has invited, or nobody. */
  readonly registration: 'open' | 'invite' | 'closed';
  /** How mails leave; null where none do. */
  readonly mail: MailSettings | null;
  /** Whether the sandbox shows the mails that it wrote, with their links. */
  readonly hasMailbox: boolean;
  /** The site that passkeys belong to: this gateway's public address. */
  readonly site: RelyingParty;
  /** How long somebody who newly may approve payouts has to wait. */
  readonly payoutHoldMs: number;
  /** The provider of identities that people may sign in by; null without one. */
  readonly provider: IdentityProvider | null;
  readonly operators: OperatorSettings;
  /** Limit on a merchant's keys, not counting revoked ones. */
  readonly keysMax: number;
  /** Counts password attempts. */
  readonly attempts: SignInAttempts;
  readonly updates: LiveUpdates;
  /** Networks connected to their main chain, which public explorers show. */
  readonly mainNetworks: ReadonlySet<Network>;
  /** The sandbox's development chains that can be paid on and mined, by network; empty in live. */
  readonly simulations: ReadonlyMap<string, TestChainControl>;
  /** Writes what this process has recorded for the API log up to a time, before it is read; null: up to now. */
  readonly flushApiLog: (until: Date | null) => Promise<void>;
  /** Writes the key uses recorded by this process, before keys are shown. */
  readonly flushKeyUses: () => Promise<void>;
  /** The sandbox's own receiver of webhooks; null in live. */
  readonly receiver: Receiver | null;
}

/** What operators are bound to. */
export interface OperatorSettings {
  /** The addresses that they sign in and call from; null: any. */
  readonly addresses: BlockList | null;
  /** A payout that is open for this many minutes is stuck. */
  readonly stuckAfterMinutes: number;
  /** Above which amounts what they do with money waits for another one. */
  readonly approvalAbove: ApprovalThresholds;
  /** Where the fees of a network may go; nowhere on the others. */
  readonly coldAddresses: ReadonlyMap<Network, string>;
}

interface Receiver {
  urlOf(merchantId: string): string;
  receivedBy(merchantId: string): readonly ReceivedWebhook[];
}

/** Throws 2012 where no mails leave. */
export function requireMail({ mail }: Services): void {
  if (mail === null) throw new GatewayError('NO_MAIL');
}

/** The id of the invitation to register that a link is for, of whatever state; null for none. Errors: 2004. */
export function invitationOf({ deps }: Services, secret: string | null): string | null {
  if (secret === null) return null;
  const id = readLinkSecret(deps.secrets.linkKey, secret);
  if (id === null) throw new GatewayError('NOT_FOUND', { message: 'This invitation has ended, or there is none' });
  return id;
}

/** What operations on people need. */
export const peopleDeps = ({ deps, payoutHoldMs }: Services): PeopleDeps => ({ ...deps, payoutHoldMs });

/** What judging answers to challenges, and setting up factors, needs. */
export const answerDeps = (services: Services): AnswerDeps => ({
  ...peopleDeps(services),
  secrets: services.deps.secrets,
  site: services.site,
});

/** The domain's dependencies when a caller acts: with the actor for the audit log. */
export function actingDeps({ deps }: Services, context: Context): Services['deps'] {
  return { ...deps, actor: actorOf(context) };
}
