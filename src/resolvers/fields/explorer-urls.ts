// Resolves `explorerUrl`: a transaction's page on a public explorer, on main networks only.

import { GraphQLObjectType, type GraphQLSchema } from 'graphql';
import type { InvoicePaymentSnapshot } from '../../domain/snapshots/invoice.ts';
import type { PaymentSnapshot } from '../../domain/snapshots/payment.ts';
import type { PayoutSnapshot } from '../../domain/snapshots/payout.ts';
import { explorerUrlOf, type Network } from '../../values/assets.ts';
import type { Services } from '../services.ts';

type ExplorerServices = Pick<Services, 'mainNetworks'>;

/**
 * Adds the resolvers of `explorerUrl`. URLs are computed on request and never stored, so an explorer may move. The
 * functions are also kept in the schema's extensions for the executor that bypasses graphql-js: they need only the
 * object.
 */
export function answerExplorerUrls(schema: GraphQLSchema, services: ExplorerServices): void {
  for (const type of ['Payment', 'InvoicePayment'])
    answerOf<PaymentSnapshot | InvoicePaymentSnapshot>(schema, type, 'transactions', ({ network, transactions }) => {
      if (transactions.length === 0) return transactions;
      return transactions.map((one) => ({ ...one, explorerUrl: urlOf(services, network, one.txHash) }));
    });
  for (const type of ['Withdrawal', 'Refund'])
    answerOf<PayoutSnapshot>(schema, type, 'explorerUrl', ({ network, txHash }) =>
      txHash === null ? null : urlOf(services, network, txHash),
    );
}

function urlOf({ mainNetworks }: ExplorerServices, network: Network, txHash: string): string | null {
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
