// Builds the GraphQL schema from its resolvers, for the sandbox or for live.

import { createPubSub } from '@graphql-yoga/subscription';
import type { GraphQLSchema } from 'graphql';
import { buildSchemaSync, type NonEmptyArray } from 'type-graphql';
import { requireConfirmation } from '../domain/people/sessions.ts';
import { ApiKeyResolver } from './api-keys.ts';
import { ApiLogResolver } from './api-logs.ts';
import { checkOperations } from './operation/guards.ts';
import { callerOf, type Confirmation, type Context } from './operation/context.ts';
import { CurrencyResolver } from './currencies.ts';
import { CustomerResolver } from './customers.ts';
import { answerDeliveryFields } from './fields/delivery-fields.ts';
import { EventResolver } from './event-log.ts';
import { InvoiceCheckoutResolver } from './invoices/checkout.ts';
import { InvoiceResolver } from './invoices/invoices.ts';
import { PaymentLinkResolver } from './invoices/links.ts';
import { answerMainNetworks } from './fields/main-networks.ts';
import { SubscriptionResolver } from './subscriptions.ts';
import { MerchantResolver, SandboxMerchantResolver } from './merchants.ts';
import { MailboxResolver } from './mailbox.ts';
import { OperatorActionResolver } from './operator/actions.ts';
import { OperatorAssetResolver } from './operator/assets.ts';
import { OperatorFreezeResolver } from './operator/freezes.ts';
import { OperatorCellResolver } from './operator/cells.ts';
import { OperatorHealthResolver } from './operator/health.ts';
import { OperatorLogResolver } from './operator/log.ts';
import { OperatorMerchantResolver } from './operator/merchants.ts';
import { IdentityResolver } from './people/identities.ts';
import { InvitationResolver } from './people/invitations.ts';
import { MemberResolver } from './people/members.ts';
import { PasswordResetResolver } from './people/password-resets.ts';
import { PersonResolver } from './people/person.ts';
import { ConfirmationResolver } from './people/confirmations.ts';
import { EmailAddressResolver } from './people/email-addresses.ts';
import { FactorResolver } from './people/factors.ts';
import { SessionResolver } from './people/sessions.ts';
import { SignInResolver } from './people/sign-ins.ts';
import { PaymentResolver } from './payments.ts';
import { PayoutBatchResolver } from './payouts/batches.ts';
import { PayoutControlResolver } from './payouts/control.ts';
import { PayoutResolver } from './payouts/payouts.ts';
import { SettlementResolver } from './payouts/settlement.ts';
import { RateResolver, SandboxRateResolver } from './invoices/rates.ts';
import { ReceiverResolver } from './webhook-receiver.ts';
import { MovementResolver } from './reports/movements.ts';
import { ReportResolver } from './reports/reports.ts';
import { SandboxResolver } from './sandbox.ts';
import { SearchResolver } from './search.ts';
import { SettingsResolver } from './settings.ts';
import type { Services } from './services.ts';
import { WalletResolver } from './wallet.ts';
import { WebhookResolver } from './webhooks.ts';

type ResolverClass = new (services: Services) => object;

const RESOLVERS: NonEmptyArray<ResolverClass> = [
  MerchantResolver,
  SignInResolver,
  SessionResolver,
  ConfirmationResolver,
  FactorResolver,
  EmailAddressResolver,
  PersonResolver,
  MemberResolver,
  InvitationResolver,
  IdentityResolver,
  PasswordResetResolver,
  ApiKeyResolver,
  ApiLogResolver,
  CurrencyResolver,
  ReportResolver,
  MovementResolver,
  CustomerResolver,
  PaymentResolver,
  SearchResolver,
  InvoiceResolver,
  InvoiceCheckoutResolver,
  PaymentLinkResolver,
  RateResolver,
  WalletResolver,
  PayoutResolver,
  PayoutBatchResolver,
  PayoutControlResolver,
  SettlementResolver,
  SettingsResolver,
  WebhookResolver,
  EventResolver,
  OperatorFreezeResolver,
  OperatorAssetResolver,
  OperatorMerchantResolver,
  OperatorActionResolver,
  OperatorCellResolver,
  OperatorHealthResolver,
  OperatorLogResolver,
  SubscriptionResolver,
];
const SANDBOX_RESOLVERS: readonly ResolverClass[] = [
  SandboxMerchantResolver,
  SandboxResolver,
  SandboxRateResolver,
  ReceiverResolver,
  MailboxResolver,
];

/** Requires a session to have been confirmed lately; API keys need not. */
async function requireConfirmed({ deps }: Services, context: Context, which: Confirmation): Promise<void> {
  const { sessionId } = context.operator ?? callerOf(context);
  const [byCookie, always] = [context.cookie !== undefined, which === 'ALWAYS'];
  if (sessionId !== null) await requireConfirmation(deps, { sessionId, byCookie, always });
}

/** Builds the executable schema of an environment. Only operations use `services`; printing the schema does not. */
export function buildGatewaySchema(services: Services, environment: 'sandbox' | 'live'): GraphQLSchema {
  const resolvers: NonEmptyArray<ResolverClass> =
    environment === 'sandbox' ? [...RESOLVERS, ...SANDBOX_RESOLVERS] : RESOLVERS;
  const instances = new Map<unknown, object>(resolvers.map((Resolver) => [Resolver, new Resolver(services)]));
  const schema = buildSchemaSync({
    resolvers,
    container: { get: (resolver) => instances.get(resolver) },
    // Our subscriptions have their own sources; type-graphql requires a PubSub for those without.
    pubSub: createPubSub(),
    validate: false,
    orphanedTypes: [],
  });
  checkOperations(schema, {
    confirm: (context, which) => requireConfirmed(services, context, which),
    registration: services.registration,
    operatorsNeedFactor: environment === 'live',
  });
  answerMainNetworks(schema, services);
  answerDeliveryFields(schema, services);
  return schema;
}
