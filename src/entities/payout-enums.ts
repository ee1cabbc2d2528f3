// The enumerations of payouts that the GraphQL schema shares with the tables.

import { registerEnumType } from 'type-graphql';
import { PAYOUT_ADDRESS_STATUSES } from '../values/payouts/address-status.ts';
import { BATCH_STATUSES } from '../values/payouts/batch-status.ts';
import { SETTLEMENT_SCHEDULES } from '../values/payouts/settlement.ts';
import { PAYOUT_STATUSES } from '../values/payouts/state.ts';
import { asEnum } from './enums.ts';

export const PayoutStatusEnum = asEnum(PAYOUT_STATUSES);
export const PayoutAddressStatusEnum = asEnum(PAYOUT_ADDRESS_STATUSES);
export const SettlementScheduleEnum = asEnum(SETTLEMENT_SCHEDULES);
export const BatchStatusEnum = asEnum(BATCH_STATUSES);

registerEnumType(PayoutStatusEnum, {
  name: 'PayoutStatus',
  description: 'Where a withdrawal or refund stands.',
  valuesConfig: {
    REQUESTED: { description: 'The money is reserved.' },
    BROADCAST: { description: 'Its transaction was sent.' },
    COMPLETED: { description: 'Its transaction has the required confirmations.' },
    FAILED: { description: 'It was not paid, and the money is available again.' },
    AWAITING_APPROVAL: { description: 'The money is reserved, and somebody has to approve that it leaves.' },
    REJECTED: { description: 'It was not approved, and the money is available again.' },
  },
});
registerEnumType(PayoutAddressStatusEnum, {
  name: 'PayoutAddressStatus',
  description: 'Where an address of the book stands.',
  valuesConfig: {
    WAITING: { description: 'Nothing may go there yet.' },
    ACTIVE: { description: 'Payouts may go there.' },
    REMOVED: { description: 'It was taken out of the book.' },
  },
});
registerEnumType(SettlementScheduleEnum, {
  name: 'SettlementSchedule',
  description: 'When a rule of settlement pays.',
  valuesConfig: {
    ON_THRESHOLD: { description: 'As soon as the balance has reached the threshold, and nothing is under way.' },
    DAILY: { description: 'Every day at its hour.' },
    WEEKLY: { description: 'On its weekday, at its hour.' },
    MONTHLY: { description: 'On its day of the month, at its hour.' },
  },
});
registerEnumType(BatchStatusEnum, {
  name: 'BatchStatus',
  description: 'Where a batch of withdrawals stands.',
  valuesConfig: {
    AWAITING_APPROVAL: { description: 'The money is reserved, and somebody has to approve that it leaves.' },
    REJECTED: { description: 'It was not approved, and the money is available again.' },
    PROCESSING: { description: 'Not all of its withdrawals have ended.' },
    FINISHED: { description: 'Each of its withdrawals was paid or has failed.' },
  },
});
