// operator asset: takes an asset out of service, or puts it back.

import { setAssetAccepted } from '../../domain/operator/assets.ts';
import type { Command } from './command.ts';

export const asset: Command = {
  usage: [
    'asset NETWORK CURRENCY on|off --reason TEXT',
    'off: new orders are refused (3007), open orders and payouts continue; on: back in service',
  ],
  names: 3,
  required: ['reason'],
  async run({ operator, say }, { names: [network = '', currency = '', state = ''], text }) {
    if (state !== 'on' && state !== 'off') throw new Error(`must be on or off, not "${state}"`);
    const request = { network, currency, accepted: state === 'on', reason: text('reason') ?? '' };
    const { asset: its, changed } = await setAssetAccepted(operator, request);
    const is = state === 'on' ? 'in service' : 'out of service';
    say(`${its.currency} on ${its.network} is ${is}${changed ? '' : ' already; nothing is changed'}`);
  },
};
