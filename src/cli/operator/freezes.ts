// operator freeze, unfreeze, freezes: stops payouts, lets them continue, and lists what is frozen.

import { freezePayouts, listFreezes, unfreezePayouts, type PayoutFreeze } from '../../domain/operator/freezes.ts';
import { tableOf, toJson, type Command } from './command.ts';

export const freeze: Command = {
  usage: [
    'freeze [--payout ID] [--merchant ID] [--network N] [--currency C] --reason TEXT',
    'stops signing payouts in scope, and refuses new ones in scope (4009);',
    'all given conditions must match, none given means all payouts; signed transactions continue',
  ],
  names: 0,
  required: ['reason'],
  optional: ['payout', 'merchant', 'network', 'currency'],
  async run({ operator, say }, { text }) {
    const scope = { payoutId: text('payout'), merchantId: text('merchant') };
    const asset = { network: text('network'), currency: text('currency') };
    const made = await freezePayouts(operator, { ...scope, ...asset, reason: text('reason') ?? '' });
    say(`${made.id} holds ${scopeOf(made)}; waiting for it: ${String(made.waiting)}`);
  },
};

export const unfreeze: Command = {
  usage: ['unfreeze ID', 'lifts a freeze; payouts that only it held continue at once'],
  names: 1,
  async run({ operator, say }, { names: [id = ''] }) {
    const { released } = await unfreezePayouts(operator, id);
    say(`${id} is lifted; payouts that go on: ${String(released)}`);
  },
};

export const freezes: Command = {
  usage: ['freezes [--json]', 'lists the freezes in force'],
  names: 0,
  optional: ['json'],
  async run({ operator, say }, { flag }) {
    const found = await listFreezes(operator);
    if (flag('json')) return say(toJson(found));
    if (found.length === 0) return say('Nothing is frozen');
    const rows = found.map((one) => [one.id, scopeOf(one), one.createdAt.toISOString(), one.createdBy, one.reason]);
    for (const line of tableOf(['ID', 'HOLDS', 'SINCE', 'BY', 'REASON'], rows)) say(line);
  },
};

/** What a freeze covers, in words. */
export function scopeOf({ payoutId, merchantId, network, currency }: PayoutFreeze): string {
  const parts = [payoutId, merchantId, currency, network && `on ${network}`].filter((part) => part !== null);
  return parts.length === 0 ? 'all payouts' : parts.join(' ');
}
