// Where a transaction can be looked at by anybody: on the main networks, a page of a public explorer; elsewhere, nowhere.

import { GraphQLObjectType, type GraphQLSchema } from 'graphql';
import type { PaymentSnapshot } from '../../domain/snapshots/payment.ts';
import type { PayoutSnapshot } from '../../domain/snapshots/payout.ts';
import { explorerUrlOf, type Network } from '../../values/assets.ts';
import type { Services } from '../operation/services.ts';

type Found = Pick<Services, 'mainNetworks'>;

/**
 * Has the schema answer `explorerUrl`. It is made when it is asked for and is no part of what is recorded, so that an
 * explorer may move. The functions are left in the schema besides, for who completes answers without graphql-js: they need
 * nothing but the object.
 */
export function answerExplorerUrls(schema: GraphQLSchema, services: Found): void {
  answerOf<PaymentSnapshot>(schema, 'Payment', 'transactions', ({ network, transactions }) => {
    if (transactions.length === 0) return transactions;
    return transactions.map((one) => ({ ...one, explorerUrl: urlOf(services, network, one.txHash) }));
  });
  for (const type of ['Withdrawal', 'Refund'])
    answerOf<PayoutSnapshot>(schema, type, 'explorerUrl', ({ network, txHash }) =>
      txHash === null ? null : urlOf(services, network, txHash),
    );
}

function urlOf({ mainNetworks }: Found, network: Network, txHash: string): string | null {
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
