// What the resolvers work with; the composition root makes it once.

import type { CreatePayment } from '../../domain/payments/create-payment.ts';
import type { Deps } from '../../domain/deps.ts';
import type { LiveUpdates } from '../../domain/events/live-updates.ts';
import type { TestChainControl } from '../../domain/test-chain.ts';
import type { PaymentDefaultsCache } from '../../domain/merchants/payment-defaults.ts';
import type { SignInAttempts } from '../../domain/merchants/sign-in-attempts.ts';
import type { Network } from '../../values/assets.ts';
import type { Secrets } from '../../values/secrets/keys.ts';
import { actorOf, type Context } from './context.ts';
import type { ReceivedWebhook } from '../webhook-receiver.ts';

export interface Services {
  readonly deps: Deps & { readonly secrets: Secrets };
  readonly defaults: PaymentDefaultsCache;
  readonly createPayment: CreatePayment;
  readonly tokenTtlSeconds: number;
  /** Who may register: `open` is everybody, and nobody else anybody. */
  readonly registration: 'open' | 'invite' | 'closed';
  /** Keys that a merchant may have at once, revoked ones aside. */
  readonly keysMax: number;
  /** Counts the attempts at a password. */
  readonly attempts: SignInAttempts;
  readonly live: LiveUpdates;
  /** Networks that are followed on their main chain, which public explorers show. */
  readonly mainNetworks: ReadonlySet<Network>;
  /** The development chains of the sandbox that can be paid on and mined at will, by network; empty in live. */
  readonly simulations: ReadonlyMap<string, TestChainControl>;
  /** Writes what this process has recorded of the API log, before it is read up to a time; null is until now. */
  readonly settleApiLog: (until: Date | null) => Promise<void>;
  /** Writes which keys this process has seen used, before keys are shown. */
  readonly settleKeyUses: () => Promise<void>;
  /** The sandbox's own receiver of webhooks; null in live. */
  readonly receiver: Receiver | null;
}

interface Receiver {
  urlOf(merchantId: string): string;
  receivedBy(merchantId: string): readonly ReceivedWebhook[];
}

/** What the domain works with when a caller acts: with their name for the audit log. */
export function actingDeps({ deps }: Services, context: Context): Services['deps'] {
  return { ...deps, actor: actorOf(context) };
}
