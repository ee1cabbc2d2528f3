// Settlement rules in words.

import type { SettlementRuleRowFragment, SettlementSchedule } from '../../generated/operations.ts';

export const WEEKDAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'] as const;

/** Schedules in the order in which they are offered. */
export const SCHEDULES: readonly (readonly [schedule: SettlementSchedule, words: string])[] = [
  ['DAILY', 'Every day'],
  ['WEEKLY', 'Every week'],
  ['MONTHLY', 'Every month'],
  ['ON_THRESHOLD', 'As soon as the minimum is reached'],
];

/** An hour of the day: `06:00 UTC`. */
export const hourOf = (hour: number): string => `${String(hour).padStart(2, '0')}:00 UTC`;

/** When a rule pays: `Mondays at 06:00 UTC`. */
export function timeOf({ schedule, hour, day }: SettlementRuleRowFragment): string {
  const at = `at ${hourOf(hour ?? 0)}`;
  if (schedule === 'DAILY') return `Every day ${at}`;
  if (schedule === 'WEEKLY') return `${WEEKDAYS[(day ?? 1) - 1] ?? ''}s ${at}`;
  return schedule === 'MONTHLY' ? `On day ${String(day ?? 1)} of the month ${at}` : 'As soon as the minimum is reached';
}

/** An asset as the value of an option: `USDT/ETH`. */
export const keyOfAsset = ({ currency, network }: { readonly currency: string; readonly network: string }): string =>
  `${currency}/${network}`;
