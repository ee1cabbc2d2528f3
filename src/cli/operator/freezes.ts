// operator freeze, unfreeze, freezes: payouts are stopped, and go on.

import { freezePayouts, listFreezes, unfreezePayouts, type PayoutFreeze } from '../../domain/operator/freezes.ts';
import { tableOf, toJson, type Command } from './command.ts';

export const freeze: Command = {
  usage: [
    'freeze [--payout ID] [--merchant ID] [--network N] [--currency C] --reason TEXT',
    'nothing in scope is signed any more, and new payouts in scope are refused (4009);',
    'what is named must all hold, nothing named is everything; signed transactions go on',
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
  usage: ['unfreeze ID', 'lifts a freeze; what only it held goes on at once'],
  names: 1,
  async run({ operator, say }, { names: [id = ''] }) {
    const { released } = await unfreezePayouts(operator, id);
    say(`${id} is lifted; payouts that go on: ${String(released)}`);
  },
};

export const freezes: Command = {
  usage: ['freezes [--json]', 'the freezes that stand'],
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
