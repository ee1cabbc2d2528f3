// Resolves what depends on whether a network is the main one, where coins are real money: `explorerUrl`, a
// transaction's page on a public explorer, and a checkout's `isMainNetwork`.

import { GraphQLObjectType, type GraphQLSchema } from 'graphql';
import type { Checkout } from '../../domain/payments/checkout.ts';
import type { InvoicePaymentSnapshot } from '../../domain/snapshots/invoice.ts';
import type { PaymentSnapshot } from '../../domain/snapshots/payment.ts';
import type { PayoutSnapshot } from '../../domain/snapshots/payout.ts';
import { explorerUrlOf, type Network } from '../../values/assets.ts';
import type { Services } from '../services.ts';

type NetworkServices = Pick<Services, 'mainNetworks'>;

/**
 * Adds the resolvers. URLs are computed on request and never stored, so an explorer may move. The functions are also
 * kept in the schema's extensions for the executor that bypasses graphql-js: they need only the object.
 */
export function answerMainNetworks(schema: GraphQLSchema, services: NetworkServices): void {
  for (const type of ['Payment', 'InvoicePayment', 'Checkout'])
    answerOf<PaymentSnapshot | InvoicePaymentSnapshot | Checkout>(
      schema,
      type,
      'transactions',
      ({ network, transactions }) => {
        if (transactions.length === 0) return transactions;
        return transactions.map((one) => ({ ...one, explorerUrl: urlOf(services, network, one.txHash) }));
      },
    );
  for (const type of ['Withdrawal', 'Refund'])
    answerOf<PayoutSnapshot>(schema, type, 'explorerUrl', ({ network, txHash }) =>
      txHash === null ? null : urlOf(services, network, txHash),
    );
  answerOf<Checkout>(schema, 'Checkout', 'isMainNetwork', ({ network }) => services.mainNetworks.has(network));
}

function urlOf({ mainNetworks }: NetworkServices, network: Network, txHash: string): string | null {
  return mainNetworks.has(network) ? explorerUrlOf(network, txHash) : null;
}

function answerOf<Source>(
  schema: GraphQLSchema,
  typeName: string,
  fieldName: string,
  ofSource: (source: Source) => unknown,
): void {
  const type = schema.getType(typeName);
  const field = type instanceof GraphQLObjectType ? type.getFields()[fieldName] : undefined;
  if (!field) throw new Error(`The schema has no ${typeName}.${fieldName}`);
  field.resolve = (source: unknown) => ofSource(source as Source);
  field.extensions = { ...field.extensions, ofSource };
}
