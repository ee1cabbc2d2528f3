// What operators do with money, and where it stands, as GraphQL enums.

import { registerEnumType } from 'type-graphql';
import { asEnum } from './enums.ts';

/** What operators do with money. */
export const ACTION_KINDS = ['FAIL_PAYOUT', 'CREDIT_SUSPENSE', 'WRITE_OFF_SUSPENSE', 'WITHDRAW_FEES'] as const;
export type ActionKind = (typeof ACTION_KINDS)[number];

export const ACTION_STATUSES = ['PENDING', 'DONE', 'REJECTED', 'EXPIRED'] as const;
export type ActionStatus = (typeof ACTION_STATUSES)[number];

export const ActionKindEnum = asEnum(ACTION_KINDS);
export const ActionStatusEnum = asEnum(ACTION_STATUSES);

registerEnumType(ActionKindEnum, {
  name: 'ActionKind',
  description: 'What an operator does with money.',
  valuesConfig: {
    FAIL_PAYOUT: { description: 'Ends a payout and releases its money.' },
    CREDIT_SUSPENSE: { description: "Credits a payment's merchant from suspense, less the fee." },
    WRITE_OFF_SUSPENSE: { description: "Books suspense as the gateway's gain or loss." },
    WITHDRAW_FEES: { description: "Pays the gateway's fees out to the network's cold address." },
  },
});
registerEnumType(ActionStatusEnum, {
  name: 'ActionStatus',
  description: 'Where an action stands.',
  valuesConfig: {
    PENDING: { description: 'Another operator has to approve it.' },
    DONE: { description: 'It was done.' },
    REJECTED: { description: 'It was not approved.' },
    EXPIRED: { description: 'Nobody approved it in 72 hours.' },
  },
});
